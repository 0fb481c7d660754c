"""``cosee doctor``: what is installed, which models are where, what a configuration would run."""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from cosee.artifacts import files
from cosee.artifacts.base import load_rows
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.ledger import LedgerRow
from cosee.artifacts.model_docs import sections
from cosee.commands.console import line, show_table
from cosee.commands.thresholds import VERSION_SECONDS
from cosee.pipeline.config import Config, ConfigError, read_config
from cosee.pipeline.failures import curable
from cosee.pipeline.paths import ANSWER_STAGE, DATA_STAGES, INDEX_STAGES, Paths

if TYPE_CHECKING:
    from cosee.models.embedding.page_embedders import PageEmbedder
    from cosee.models.embedding.rerankers import PassageReranker
    from cosee.models.entries import Entry

PACKAGES = (
    "cosee", "snakemake", "pymupdf", "numpy", "scipy", "pandas", "pyarrow", "faiss-cpu", "rank-bm25", "pydantic",
    "torch", "transformers", "sentence-transformers", "accelerate", "bitsandbytes", "vllm",
    "rapidocr", "onnxruntime", "fastapi", "uvicorn", "mcp", "openpyxl",
)  # fmt: skip
OPTIONAL = {
    "cosee": "used from the source tree",
    "rapidocr": "pip install -e '.[ocr]', reads scans where tesseract is absent",
    "onnxruntime": "pip install -e '.[ocr]', runs rapidocr and the detector of figures",
    "fastapi": "pip install -e '.[serve]', for cosee serve",
    "uvicorn": "pip install -e '.[serve]', for cosee serve",
    "mcp": "pip install -e '.[mcp]', for cosee mcp",
    "openpyxl": "pip install -e '.[xlsx]', for Excel workbooks: questions in, tables out",
    "bitsandbytes": "pip install -e '.[gpu]', for 4-bit weights",
    "vllm": "pip install -e '.[vllm]', for models of kind vllm, on a machine with a GPU",
}


def doctor(console: Console, config: Path, *, keys: bool = False) -> int:
    """Print the report; returns 0, 1 where something that the configuration needs is absent, 2 where it is wrong."""
    from cosee.models.weights import find

    problems: list[str] = []
    if keys:
        for section in sections(Config):
            rows = [(key.path, key.default or "", key.description) for key in section.keys]
            show_table(console, section.path or "top level", ("key", "default", "meaning"), rows)
        return 0
    line(console, f"Python {platform.python_version()} on {platform.platform()}", "bold")
    show_table(console, "Packages", ("package", "version"), _packages(problems))
    show_table(console, "Tools", ("tool", "state"), _tools())
    show_table(console, "Reading scans", ("what", "state"), _reading())
    show_table(console, "Files that are no PDFs", ("what", "state"), _converters())
    show_table(console, "Weights", ("model", "state", "sha256"), _weights())
    try:
        settings = read_config(config)
    except ConfigError as error:
        line(console, f"configuration: {error}", "red")
        return 2
    paths = Paths(Path(settings.data_dir), Path(settings.indexes_dir), Path(settings.results_dir))
    models = ("name", "kind", "used by", "its server")
    show_table(console, "Models of config/models.yaml", models, _models(settings, problems))
    show_table(console, "Models of the index, by folder", ("setting", "state"), _index_models(settings, problems))
    if settings.index.embedder == "minilm" and find("minilm") is None:
        line(console, "note: the embedder's weights are absent, so that the index will be sparse-only", "yellow")
    show_table(console, f"What {config} would run", ("dataset", "documents", "questions#"), _datasets(settings, paths))
    show_table(
        console,
        "What the ledgers say",
        ("stage", "of", "documents"),
        _progress(settings, paths),
        caption="'snakemake -n' says exactly what would run; 'cosee doctor --keys' lists the configuration",
    )
    for sentence in _curable(settings, paths):
        line(console, f"note: {sentence}", "yellow")
    for problem in problems:
        line(console, f"problem: {problem}", "red")
    if not problems:
        line(console, "nothing that this configuration needs is missing", "green")
    return 1 if problems else 0


def _packages(problems: list[str]) -> Iterator[tuple[str, str]]:
    for name in PACKAGES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            if name not in OPTIONAL:
                problems.append(f"package {name} is not installed; run 'make setup'")
            yield name, f"absent ({OPTIONAL.get(name, 'make setup')})"


def _tools() -> Iterator[tuple[str, str]]:
    for tool, arguments, use in (
        ("nvidia-smi", ["--query-gpu=name,memory.total", "--format=csv,noheader"], "no GPU seen"),
        ("sbatch", ["--version"], "only for profiles/slurm"),
    ):
        path = shutil.which(tool)
        yield tool, _first_line([path, *arguments]) if path else f"absent ({use})"


def _reading() -> Iterator[tuple[str, str]]:
    """What reads scanned pages."""
    from cosee.models.vision import area_detector, ocr_rapid, ocr_tesseract

    languages = sorted(ocr_tesseract.installed_languages())
    rapid = ocr_rapid.is_installed()
    yield "tesseract", ocr_tesseract.version() if languages else "absent (apt-get install tesseract-ocr)"
    if languages:
        yield "tesseract languages", " ".join(name for name in languages if name != "osd")
        yield (
            "tesseract script detection",
            "there" if "osd" in languages else "absent (apt-get install tesseract-ocr-osd)",
        )
    yield "rapidocr", ocr_rapid.version() if rapid else "absent (pip install -e '.[ocr]')"
    yield "ocr: auto means", "tesseract" if languages else "rapidocr" if rapid else "image-only pages stay unread"
    absent = "absent (pip install -e '.[ocr]', make areas): figures of scans are found by their ink"
    yield "figures of scans", "detector of page areas" if area_detector.is_available() else absent


def _converters() -> Iterator[tuple[str, str]]:
    """What makes PDFs of office files and web pages."""
    from cosee.parse.originals import child, office, web

    yield "office files", office.version() or f"absent ({office.INSTALL})"
    yield "web pages", web.version() or f"absent ({web.INSTALL})"
    yield "pictures", "there"
    alone = "in a namespace of its own" if child.is_alone() else "its own settings alone (unshare is not allowed here)"
    yield "a converter's way to the network", f"cut off {alone}"


def _first_line(command: list[str]) -> str:
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=VERSION_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not run ({error})"
    lines = (result.stdout or result.stderr).strip().splitlines()
    return lines[0] if lines else "there"


def _weights() -> Iterator[tuple[str, str, str]]:
    from cosee.models.weights import PACKAGES as KNOWN
    from cosee.models.weights import find

    for name, package in sorted(KNOWN.items()):
        folder = find(name)
        if folder is None:
            yield name, f"absent (python -m cosee.models.weights --fetch {name})", ""
            continue
        for member, digest in sorted(package.sha256.items()):
            found = files.sha256_file(folder / member)
            state = "as released" if found == digest else f"differs from the release ({digest[:12]}…)"
            yield name, f"{folder / member}: {state}", found[:12]


def _models(settings: Config, problems: list[str]) -> Iterator[tuple[str, str, str, str]]:
    from cosee.models.registry import MODELS_FILE, load_models

    used: dict[str, list[str]] = {}
    for where, name in settings.named_models():
        used.setdefault(name, []).append(where)
    try:
        models = load_models(MODELS_FILE)
    except ArtifactError as error:
        problems.append(str(error))
        models = {}
    for name, entry in models.items():
        server = _server(name, models, problems) if name in used else ""
        yield name, entry.kind, ", ".join(used.get(name, [])), server
    for name in sorted(used.keys() - models.keys()):
        problems.append(f"{', '.join(used[name])}: there is no model {name!r} in {MODELS_FILE}")


def _server(name: str, models: Mapping[str, Entry], problems: list[str]) -> str:
    """What is known of a used model's server, or of what runs it in the job; empty where there is nothing to say."""
    from cosee.models.calls import ModelError, ServerFailure
    from cosee.models.entries import LocalEntry, ServedEntry
    from cosee.models.registry import open_client

    if not isinstance(models[name], ServedEntry | LocalEntry):
        return ""
    try:
        return open_client(name, models).check()
    except (ModelError, ServerFailure) as failure:
        problems.append(f"model {name}: {failure}")
        return str(failure)


def _index_models(settings: Config, problems: list[str]) -> Iterator[tuple[str, str]]:
    """The models of M2 that are named by their folders."""
    from cosee.models.calls import ModelError
    from cosee.models.embedding.page_embedders import load_page_embedder
    from cosee.models.embedding.rerankers import load_reranker

    loaders: tuple[tuple[str, Callable[[Any], PageEmbedder | PassageReranker | None], str], ...] = (
        ("page_embedder", load_page_embedder, "pages are searched by their words"),
        ("reranker", load_reranker, "no model reads the pages that are found"),
    )
    for name, loader, without in loaders:
        try:
            model = loader(getattr(settings.index, name))
        except ModelError as error:
            problems.append(f"index.{name}: {error}")
            yield name, str(error)
            continue
        yield name, f"{model.folder} (revision {model.revision})" if model else f"none: {without}"


def _datasets(settings: Config, paths: Paths) -> Iterator[tuple[str, str, int]]:
    from cosee.artifacts.datasets.questions import load_questions

    for dataset in settings.datasets:
        folder = paths.dataset(dataset)
        others = {path.parent for path in folder.glob("*/original.*")}
        pdfs = {path.parent for path in folder.glob("*/full.pdf")} - others
        given = f"{len(pdfs)} PDFs" + (f", {len(others)} other files" if others else "")
        state = given if folder.is_dir() else f"{folder} is absent (cosee init {dataset} ...)"
        try:
            questions = len(load_questions(paths.question_file(dataset)))
        except ArtifactError as error:
            state, questions = f"{state}; {error}", 0
        yield dataset, state, questions


def _progress(settings: Config, paths: Paths) -> Iterator[tuple[str, str, str]]:
    for dataset in settings.datasets:
        for stage in (*DATA_STAGES, *INDEX_STAGES):
            yield stage, dataset, _statuses(_ledgers(paths, stage, dataset))
    for run, each in settings.runs.items():
        folder = paths.results / run / "ledger"
        for method in each.methods:
            ledgers = sorted(folder.glob(f"answer.{method.label}.*.jsonl"))
            yield ANSWER_STAGE, f"{run} {method.label}", _statuses(ledgers)


def _curable(settings: Config, paths: Paths) -> list[str]:
    stages = (*DATA_STAGES, *INDEX_STAGES)
    ledgers = [path for name in settings.datasets for stage in stages for path in _ledgers(paths, stage, name)]
    try:
        return list(curable(ledgers))
    except ArtifactError:
        return []  # the table says which ledger cannot be read


def _ledgers(paths: Paths, stage: str, dataset: str) -> list[Path]:
    """The ledgers of a stage, of all shards."""
    return sorted(paths.place(stage, dataset, "0000").ledger.parent.glob(f"{stage}.*.jsonl"))


def _statuses(ledgers: list[Path]) -> str:
    if not ledgers:
        return "not yet"
    try:
        counts = Counter(row.status for path in ledgers for row in load_rows(LedgerRow, path))
    except ArtifactError as error:
        return str(error)
    return ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
