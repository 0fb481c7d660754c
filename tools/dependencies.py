"""``python -m tools.dependencies``: write the table of dependencies in ``docs/security.md`` again.

Names and extras come from ``pyproject.toml``, versions from ``constraints.txt``, licences from the installed packages;
where the pinned version is not installed, its line keeps the licence that it has.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata
from pathlib import Path

from cosee.artifacts import files

PAGE = Path("docs/security.md")
START, END = "<!-- dependencies: make audit writes these tables -->\n", "<!-- end of dependencies -->\n"
WHY = {
    "accelerate": "places a model's layers on devices",
    "anthropic": "client of a served model",
    "bitsandbytes": "8-bit and 4-bit weights",
    "bm25s": "checks our BM25F in tests",
    "camelot-py": "peer in the table benchmark",
    "coverage": "coverage of the planner's tests",
    "faiss-cpu": "nearest vectors",
    "fastapi": "the endpoint of `cosee serve`",
    "google-genai": "client of a served model",
    "hatchling": "builds the wheel and the sdist",
    "hypothesis": "generated test cases",
    "ipykernel": "runs the analysis notebook",
    "ir-measures": "checks page retrieval against trec_eval in tests",
    "jinja2": "pages of the report, escaped by default",
    "jsonlines": "reads and writes line files",
    "jsonschema": "checks artifacts against their schemas in tests",
    "langgraph": "graph of the image-quality planner",
    "markdown-it-py": "reads exported Markdown back, to check it",
    "matplotlib": "figures of the analysis notebook",
    "mcp": "the tools of `cosee mcp`",
    "mkdocs-material": "the site of the documentation",
    "mkdocstrings": "the site's reference of the Python names",
    "mypy": "types",
    "numpy": "arrays",
    "olefile": "looks into older office files before they are opened",
    "onnxruntime": "runs RapidOCR's and the area detector's networks",
    "openai": "client of a served model",
    "openpyxl": "questions from XLSX files, exported workbooks",
    "pandas": "tables of metrics",
    "pandas-stubs": "types of pandas",
    "papermill": "runs the analysis notebook",
    "pdfplumber": "peer in the table benchmark",
    "pillow": "pictures",
    "playwright": "opens the report in a browser in tests",
    "pyarrow": "Parquet files of metrics",
    "pydantic": "every artifact and setting is a checked model",
    "pymupdf": "reads and renders PDFs",
    "pymupdf4llm": "peer in the document-tree benchmark",
    "pytest": "tests",
    "pytest-timeout": "ends a test that hangs",
    "pytest-xdist": "runs the tests in two processes",
    "python-docx": "structure of DOCX files",
    "python-pptx": "structure of PPTX files",
    "pyyaml": "configuration, by `safe_load` alone",
    "rank-bm25": "checks and compares BM25",
    "rapidfuzz": "edit distances: the nearest name, misspelt words, published scores",
    "rapidocr": "OCR without a program beside Python",
    "rich": "tables in the terminal",
    "ruff": "format and lint",
    "safetensors": "reads the embedder's weights",
    "scikit-image": "full-reference measures of image quality",
    "scikit-learn": "fits the weights of headings",
    "scipy": "filters of pictures, solvers of layouts",
    "sentence-transformers": "text embedders",
    "snakefmt": "format of Snakefiles",
    "snakemake": "the workflow",
    "snakemake-executor-plugin-slurm": "jobs on a SLURM cluster",
    "snakemake-storage-plugin-fs": "a scratch folder for jobs",
    "snowballstemmer": "stems of words, in plain Python",
    "threadpoolctl": "one thread for vectors, whatever the environment says",
    "tinyhtml5": "parses HTML as browsers do",
    "tokenizers": "the embedder's tokens",
    "torch": "models, in `models/` alone",
    "transformers": "Qwen3-VL and text models",
    "typer": "the command line",
    "types-pyyaml": "types of PyYAML",
    "uvicorn": "the endpoint of `cosee serve`",
    "vllm": "an engine for models in a job on a GPU",
    "weasyprint": "web pages to PDF",
}
"""Why each direct dependency is there."""
UNNAMED = {
    "bitsandbytes": "MIT",
    "conda-inject": "MIT",
    "matplotlib": "matplotlib licence (PSF-based)",
    "pymupdf": "AGPL-3.0, or Artifex's commercial licence",
    "pymupdf4llm": "AGPL-3.0, or Artifex's commercial licence",
    "reretry": "Apache-2.0",
    **dict.fromkeys(("snakemake-storage-plugin-fs", "sysrsync", "toml"), "MIT"),
    **{f"snakemake-interface-{name}": "MIT" for name in ("common", "logger-plugins", "report-plugins")},
    "vllm": "Apache-2.0",
    **{f"snakemake-interface-{name}": "MIT" for name in ("scheduler-plugins", "storage-plugins")},
}
"""Licences of packages that no installation of ours has, or whose metadata do not name them in a word."""
_SHORT = {
    "Apache": "Apache-2.0", "Apache Software License": "Apache-2.0", "Apache 2.0": "Apache-2.0",
    "Apache2.0": "Apache-2.0", "Apache License, Version 2.0": "Apache-2.0", "Apache 2.0 License": "Apache-2.0",
    "MIT License": "MIT", "BSD License": "BSD", "BSD 3-Clause License": "BSD-3-Clause",
    "3-Clause BSD License": "BSD-3-Clause", "ISC license": "ISC", "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0", "Python Software Foundation License": "PSF",
    "GNU General Public License (GPL)": "GPL",
}  # fmt: skip


def page_with_tables(root: Path, text: str) -> str:
    """``docs/security.md`` with its tables written anew."""
    before, _, rest = text.partition(START)
    known, _, after = rest.partition(END)
    return f"{before}{START}{_tables(root, _licences_in(known))}{END}{after}"


def direct(root: Path) -> dict[str, str]:
    """Direct dependency -> the extra that brings it, ``core`` for all installations."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"core": project["dependencies"], **project["optional-dependencies"]}
    return {_key(requirement): group for group, listed in groups.items() for requirement in listed}


def pinned(root: Path) -> dict[str, tuple[str, str]]:
    """Package -> its name as it is written and the version that was tested."""
    lines = (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = (line.partition("==") for line in lines if "==" in line and not line.startswith("#"))
    return {_key(name): (name.strip(), version.strip()) for name, _, version in pins}


def _tables(root: Path, known: dict[str, str]) -> str:
    wanted, pins = direct(root), pinned(root)
    rows = ["| package | version | with | licence | why |", "| --- | --- | --- | --- | --- |"]
    for key in sorted(wanted):
        name, version = pins.get(key, (key, "not pinned"))
        rows.append(f"| {name} | {version} | {wanted[key]} | {_licence(key, version, known)} | {WHY.get(key, '?')} |")
    others = sorted(key for key in pins if key not in wanted)
    brought = ["| brought by these | version | licence |", "| --- | --- | --- |"]
    brought += [f"| {pins[key][0]} | {pins[key][1]} | {_licence(key, pins[key][1], known)} |" for key in others]
    return "\n".join(["", *rows, "", *brought, "", ""])


def _licence(key: str, version: str, known: dict[str, str]) -> str:
    try:
        package = metadata(key)
    except PackageNotFoundError:
        package = None
    if package is not None and package["Version"].partition("+")[0] == version and key not in UNNAMED:
        return licence_of(package) or "?"
    return UNNAMED.get(key) or known.get(key, "?")


def licence_of(package: PackageMetadata) -> str | None:
    """The licence that a package's metadata name: the expression, else a short name, else the classifiers."""
    if "License-Expression" in package:
        return package["License-Expression"]
    lines = "\n".join(package.get_all("License") or []).strip().splitlines()
    named = lines[0].strip() if len(lines) == 1 and lines[0] not in ("", "UNKNOWN") else ""
    classified = [each.split(" :: ")[-1] for each in package.get_all("Classifier") or [] if each.startswith("License")]
    shown = [_SHORT.get(each, each) for each in classified if each not in ("OSI Approved", "DFSG approved")]
    return (_SHORT.get(named, named) if named else " or ".join(sorted(set(shown)))) or None


def _licences_in(tables: str) -> dict[str, str]:
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in tables.splitlines() if "|" in line]
    return {_key(row[0]): row[3 if len(row) == 5 else 2] for row in cells}


def _key(requirement: str) -> str:
    """The normal form of a requirement's name."""
    name = re.split(r"[\s<>=!~\[;]", requirement.strip(), maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def main(arguments: list[str] | None = None) -> int:
    """Write the tables."""
    parser = argparse.ArgumentParser(prog="python -m tools.dependencies", description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(), help="the project's folder (default: here)")
    root = parser.parse_args(arguments).root
    text = (root / PAGE).read_text(encoding="utf-8")
    made = page_with_tables(root, text)
    if made != text:
        files.write_text(root / PAGE, made)
        sys.stdout.write(f"{root / PAGE}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
