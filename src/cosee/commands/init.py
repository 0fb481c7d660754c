"""``cosee init NAME``: PDFs and questions of yours, or a published benchmark, become a dataset and a configuration."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from cosee.artifacts import files
from cosee.artifacts.datasets.imports import ImportReport, ProblemKind
from cosee.artifacts.files import ArtifactError
from cosee.commands.console import line
from cosee.commands.dataset_changes import changes, snapshot
from cosee.commands.thresholds import PROBLEMS_SHOWN
from cosee.datasets.benchmarks import find_benchmark, import_benchmark
from cosee.datasets.folder import import_folder
from cosee.datasets.importer import Options
from cosee.datasets.locate import benchmark_folder
from cosee.datasets.passwords import import_passwords
from cosee.datasets.qa_folder import import_qa_folder
from cosee.pipeline.config import read_mapping, use_plugins
from cosee.pipeline.page_count import known_pages
from cosee.text.counts import counted

CONFIGURATION = """\
# Made by 'cosee init {name}'. The preset says what is not said here (config/presets/ of CoSee): laptop needs no model,
# served asks a server, gpu runs Qwen3-VL on this machine, paper compares every method. All keys: docs/configuration.md.
preset: laptop
datasets: [{name}]
"""

KINDS: dict[ProblemKind, str] = {
    "missing_document": "documents that are not there",
    "left_out_document": "files left out",
    "unasked_document": "documents without questions",
    "unreadable_document": "documents that cannot be opened",
    "missing_page": "pages without a picture",
    "missing_ocr": "pages without published OCR",
    "duplicate_question": "questions asked twice",
    "duplicate_id": "ids given twice",
    "removed_question": "questions that the corrections remove",
    "gold_type": "gold answers that contradict their format",
    "gold_pages": "gold pages that cannot be",
    "unused_correction": "corrections of no question",
}
"""Kind of a problem -> what a person calls it."""


@dataclass(frozen=True)
class Sources:
    """Where the documents and questions are: one of ``pdfs``, ``qa`` and ``benchmark``, and what belongs to it."""

    pdfs: Path | None = None
    questions: Path | None = None
    qa: Path | None = None
    benchmark: str | None = None
    path: Path | None = None
    split: str | None = None
    corrections: Path | None = None
    limit: int | None = None
    passwords: Path | None = None


def init(name: str, console: Console, sources: Sources, *, config: Path) -> int:
    """Import into ``data/<name>`` and write ``config/<name>.yaml`` where there is none; returns 0.

    ``config`` is the configuration that may say where a benchmark's files are.

    Raises:
        ArtifactError: the sources contradict each other, or one of them cannot be used.
        ConfigError: a plugin of the configuration fails.
    """
    if Path(name).name != name:
        raise ArtifactError(f"init: {name!r} is no name: use letters, digits, '.', '_' and '-'")
    target = Path("data") / name
    before = snapshot(target, as_last_seen=True)
    use_plugins(read_mapping(config) if config.is_file() else {})
    report = _import(target, sources, config)
    written = Path("config") / f"{report.dataset}.yaml"
    unknown: list[str] = []
    if sources.passwords is not None:
        unknown = import_passwords(sources.passwords, report.documents, target)
        report = _import(target, sources, config)  # again: what opens now has pages to check the gold pages with
    _tell(console, report, target)
    for change in changes(before, snapshot(target)):
        line(console, f"  {change}")
    for problem in unknown:
        line(console, f"  {problem}", "yellow")
    if written.exists():
        line(console, f"{written}: kept as it is")
    else:
        files.write_text(written, CONFIGURATION.format(name=report.dataset))
        line(console, f"{written}: written")
    if report.questions:
        line(console, "next:")
        line(console, f"  snakemake --cores all --configfile {written}", "bold")
    else:
        line(console, f"next: put questions into {target}/qa/questions.jsonl, or call init again with --questions")
    return 0


def _import(target: Path, sources: Sources, config: Path) -> ImportReport:
    limit = sources.limit
    if sources.benchmark is not None:
        if sources.qa is not None or sources.questions is not None:
            raise ArtifactError("init: a benchmark brings its questions; leave out --questions and --qa")
        find_benchmark(sources.benchmark)
        folder = benchmark_folder(sources.benchmark, path=sources.path, config=config)
        options = Options(sources.split, sources.pdfs, sources.corrections)
        return import_benchmark(
            sources.benchmark, folder, target, options, limit=limit, count_pages=known_pages, watch=_watched
        )
    for option in ("path", "split", "corrections"):
        if getattr(sources, option) is not None:
            raise ArtifactError(f"init: --{option} belongs to --from BENCHMARK")
    if (sources.pdfs is None) == (sources.qa is None) or (sources.questions is not None and sources.pdfs is None):
        raise ArtifactError(
            "init: name your documents by --documents FOLDER --questions FILE, by --qa FOLDER, or a benchmark by "
            "--from NAME"
        )
    if sources.qa is not None:
        return import_qa_folder(sources.qa, target, limit=limit, count_pages=known_pages)
    assert sources.pdfs is not None
    return import_folder(sources.pdfs, sources.questions, target, limit=limit, count_pages=known_pages)


def _watched(documents: Sequence[str]) -> Iterable[str]:
    """A bar on a terminal: thousands of page images take their time."""
    from rich.progress import track

    return track(documents, "importing", console=Console(stderr=True)) if sys.stderr.isatty() else documents


def _tell(console: Console, report: ImportReport, target: Path) -> None:
    documents, questions = counted(len(report.documents), "document"), counted(report.questions, "question")
    line(console, f"{target}: {documents}, {questions}", "bold")
    renamed = [(source, doc_id) for source, doc_id in report.documents.items() if Path(source).stem != doc_id]
    for source, doc_id in renamed[:PROBLEMS_SHOWN]:
        if source != doc_id:
            line(console, f"  {source} is called {doc_id}")
    if report.text_source is not None:
        line(console, f"  text of the page images: {report.text_source}")
    for problem in report.problems[:PROBLEMS_SHOWN]:
        line(console, f"  {problem}", "yellow")
    if len(report.problems) > PROBLEMS_SHOWN:
        counts = Counter(problem.kind for problem in report.problems)
        told = ", ".join(f"{name}: {counts[kind]}" for kind, name in KINDS.items() if counts[kind])
        line(console, f"  … in all {told}; each is in {target}/qa/import_report.json", "yellow")
