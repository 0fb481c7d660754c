"""``python -m tools.environments``: write the conda environments of the rules, ``workflow/envs/*.yaml``, again.

What a need takes comes from ``pyproject.toml``, what that brings from the installed packages, versions from
``constraints.txt``. With ``--check`` each file that differs is named, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement

from cosee.artifacts import files
from tools.dependencies import pinned

NEEDS: Mapping[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "cpu": (
        "Every rule whose models run on the CPU, behind a server, or not at all.",
        ("core", "serve", "ocr", "xlsx"),
        ("tesseract=5.5", "pango=1.56"),
    ),
    "gpu": (
        "Rules whose model runs on a GPU in the job itself. torch from PyPI brings CUDA's libraries.",
        ("core", "serve", "gpu", "ocr", "xlsx"),
        ("tesseract=5.5", "pango=1.56"),
    ),
    "notebook": ("The rule `analysis`, which runs a notebook over the metrics of a run.", ("notebook",), ()),
}
"""Environment -> what it is for, groups of ``pyproject.toml``, and programs that are no Python packages."""
NOTEBOOK = ("pandas", "pyarrow", "ipython")
"""What the notebook imports beside the packages of its extra."""
ELSEWHERE = {"bitsandbytes": "0.50.2"}
"""Versions of packages that no machine of ours has: it takes a GPU to try them."""
WITH_PIP = {"pip", "setuptools"}
"""Conda's own packages of these come with pip."""
PYTHON = "3.11"


def environments(root: Path) -> dict[str, str]:
    """File name -> its text.

    Raises:
        ValueError: a package has no version in ``constraints.txt``.
    """
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"core": project["dependencies"], **project["optional-dependencies"]}
    versions = {key: version for key, (_, version) in pinned(root).items()} | ELSEWHERE
    written = {}
    for name, (purpose, chosen, programs) in NEEDS.items():
        wanted = [requirement for group in chosen for requirement in groups[group]]
        wanted += NOTEBOOK if "notebook" in chosen else ()
        lines = [
            f"# {purpose}",
            "# `python -m tools.environments` writes this with the versions of constraints.txt. CoSee is not in it:",
            "# jobs run the code of the installation that runs Snakemake.",
            "channels: [conda-forge]",
            "dependencies:",
            *(f"  - {each}" for each in (f"python={PYTHON}", "pip=25", *programs)),
            "  - pip:",
        ]
        for key in sorted(_brought(wanted) - WITH_PIP):
            if key not in versions:
                raise ValueError(f"{key}: environment {name!r} needs it, and constraints.txt has no version of it")
            lines.append(f"      - {key}=={versions[key]}")
        written[f"{name}.yaml"] = "\n".join(lines) + "\n"
    return written


def _brought(wanted: Iterable[str]) -> set[str]:
    """Names of the packages and of all that they bring on Linux with Python 3.11."""
    seen: set[tuple[str, str]] = set()
    waiting = [(Requirement(each), "") for each in wanted]
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker is not None and not requirement.marker.evaluate(_environment(extra)):
            continue
        key = re.sub(r"[-_.]+", "-", requirement.name).lower()
        for own in ("", *sorted(requirement.extras)):
            if (key, own) in seen:
                continue
            seen.add((key, own))
            try:
                waiting += [(Requirement(each), own) for each in requires(key) or ()]
            except PackageNotFoundError:
                if key not in ELSEWHERE:
                    raise
    return {key for key, _ in seen}


def _environment(extra: str) -> dict[str, str]:
    return {"extra": extra, "python_version": PYTHON, "python_full_version": f"{PYTHON}.0"}


def main(arguments: list[str] | None = None) -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(prog="python -m tools.environments", description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(), help="the project's folder (default: here)")
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 where a file differs")
    options = parser.parse_args(arguments)
    folder = options.root / "workflow" / "envs"
    different = []
    for name, text in environments(options.root).items():
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != text:
            different.append(folder / name)
            if not options.check:
                files.write_text(folder / name, text)
    sys.stdout.write("".join(f"{path}\n" for path in different))
    return int(options.check and bool(different))


if __name__ == "__main__":
    raise SystemExit(main())
