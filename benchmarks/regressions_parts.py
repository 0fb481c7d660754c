"""The parts of the regression gate: which documents each has, and which figures of them.

Every figure is made by the benchmark that its part names; a document of ``parse`` is named after the set that it is
of. A part more is one entry of ``PARTS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import (
    answers,
    doctree_headings,
    doctree_ohr,
    doctree_olmocr,
    doctree_tables,
    doctree_variety,
    retrieval,
)
from benchmarks.common import ROOT, QaSet, f1, mean
from benchmarks.doctree_cells import Table
from benchmarks.doctree_markdown import page_markdown
from benchmarks.doctree_read import Sources
from benchmarks.olmocr_tests import passes
from benchmarks.prepare import DATASET, Prepared, prepare
from benchmarks.readings import load_retriever
from benchmarks.regressions_compare import Result
from benchmarks.regressions_kept import Item
from cosee.artifacts import files
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.evaluation.results import join
from cosee.models.embedding.embedders import load_embedder, resolve_precision
from cosee.models.registry import MODELS_FILE
from cosee.models.vision import area_detector
from cosee.models.vision.ocr import find_engine
from cosee.stages.answer import AnswerStage

EMBEDDER, PRECISION = "minilm", resolve_precision("auto")
METHOD, MODEL = "page_rag", "embedded"
RECALL = "recall@5"
ADAPT = AdaptSettings(ocr="rapidocr")
"""Scans are read by the engine whose version is pinned with the other packages, whatever the system has beside it."""


@dataclass(frozen=True)
class Folders:
    """What is measured, and where artifacts are kept."""

    qa: QaSet
    parse: Path
    work: Path

    @property
    def sources(self) -> Sources:
        """The same for the parts of the DocTree benchmark."""
        return Sources(ROOT / "tests" / "cases", self.parse, self.qa.folder, self.work, adapt=ADAPT)


def surroundings() -> dict[str, str]:
    """What decides figures beside code and documents, by name.

    Raises:
        OcrError: the engine that scans are read by is not installed.
    """
    engine = find_engine(ADAPT.ocr, ADAPT.ocr_languages)
    embedder = load_embedder(EMBEDDER, PRECISION)
    return {
        "areas": area_detector.WEIGHTS if area_detector.is_available() else "none",
        "embedder": f"{embedder.name} {embedder.revision}" if embedder else "none",
        "ocr": engine.name if engine else "none",
        "pymupdf": metadata.version("pymupdf"),
    }


@dataclass(frozen=True)
class Part:
    """One kind of figures."""

    items: Callable[[Folders], Iterator[Item]]
    """The documents that are there."""
    modules: tuple[str, ...]
    """The benchmarks that make the figures; what they import decides when a kept result is old."""


def heading_items(folders: Folders) -> Iterator[Item]:
    """Bookmark trees and tag trees, both taken out of the PDFs: F1 of titles, and of titles with levels."""
    sources = folders.sources
    for group, read in (("outline", doctree_headings.read_outline), ("tagged", doctree_headings.read_tags)):
        for path in sorted((sources.parse / group / "truth").glob("*.json")):
            truth, pdf = doctree_headings.read_truth(sources, path, read)
            if truth and pdf is not None:
                measure = partial(_headings, sources, truth, pdf)
                yield Item("headings", f"{group}/{path.stem}", pdf, files.sha256_file(path), measure)


def _headings(sources: Sources, truth: list[doctree_headings.Title], pdf: Path) -> Result:
    found, failure = doctree_headings.measure_document(sources, truth, pdf, without_structure=True)
    scores = doctree_headings.scores(found.counts)
    return Result({"title_f1": scores["title"], "level_f1": scores["level"]}, failure=failure)


def table_items(folders: Folders) -> Iterator[Item]:
    """ICDAR 2013, tagged tables (recall beside the F1, since layout tables are tagged too) and tabula's CSV files."""
    sources = folders.sources
    for path, pdf in doctree_tables.icdar_documents(sources):
        tables = doctree_tables.read_structure(path)
        measure = partial(_tables, sources, tables, pdf)
        yield Item("tables", f"icdar2013/{pdf.stem}", pdf, files.sha256_file(path), measure)
    for path in sorted((sources.parse / "tagged" / "truth").glob("*.json")):
        tables, tagged = doctree_tables.read_tagged_tables(sources, path)
        if tagged is not None and doctree_tables.all_relations(tables):
            measure = partial(_tables, sources, tables, tagged, tags=True)
            yield Item("tables", f"tagged/{path.stem}", tagged, files.sha256_file(path), measure)
    for path, pdf in doctree_tables.csv_documents(sources):
        measure = partial(_csv, sources, path, pdf)
        yield Item("tables", f"tabula_csv/{path.stem}", pdf, files.sha256_file(path), measure)


def _tables(sources: Sources, truth: list[Table], pdf: Path, *, tags: bool = False) -> Result:
    result = sources.read(pdf, without_structure=tags)
    found = doctree_tables.tables_of(result.tree) if result.tree else []
    wanted = doctree_tables.all_relations(truth)
    counts = doctree_tables.counts(wanted, doctree_tables.all_relations(found))
    figures = {"cell_f1": f1(*counts)}
    return Result(figures | ({"cell_recall": counts[0] / counts[2]} if tags else {}), failure=result.failure)


def _csv(sources: Sources, path: Path, pdf: Path) -> Result:
    result = sources.read(pdf)
    found = doctree_tables.tables_of(result.tree) if result.tree else []
    return Result({"cell_f1": doctree_tables.csv_agreement(path, found)}, failure=result.failure)


def text_items(folders: Folders) -> Iterator[Item]:
    """OHR-Bench's page texts, olmOCR-bench's tests (its formulas among them) and the facts about PDFs of many kinds."""
    sources = folders.sources
    for path in sorted((sources.parse / "ohr_gt").glob("*.json")):
        pdf = sources.qa / "docs" / f"{path.stem}.pdf"
        if pdf.is_file():
            measure = partial(_page_texts, sources, path, pdf)
            yield Item("text", f"ohr_gt/{path.stem}", pdf, files.sha256_file(path), measure)
    folder = sources.parse / "olmocr_bench"
    tests: dict[Path, list[dict[str, Any]]] = {}
    for _, pdf, test in doctree_olmocr.read_tests(folder):
        tests.setdefault(pdf, []).append(test)
    for pdf, asked in sorted(tests.items()):
        name = pdf.relative_to(folder).with_suffix("").as_posix().replace("pdfs/", "")
        yield Item("text", f"olmocr_bench/{name}", pdf, asked, partial(_passed, sources, asked, pdf))
    for row, pdf in doctree_variety.read_facts(sources):
        yield Item("text", f"variety/{pdf.stem}", pdf, row, partial(_facts, sources, row, pdf))


def _page_texts(sources: Sources, path: Path, pdf: Path) -> Result:
    result = sources.read(pdf)
    pages = doctree_ohr.page_texts(path, pdf, result.tree)
    average = mean([doctree_ohr.similarity(truth, ours) for _, truth, ours, _ in pages])
    return Result({} if average is None else {"similarity": average}, failure=result.failure)


def _passed(sources: Sources, tests: list[dict[str, Any]], pdf: Path) -> Result:
    result = sources.read(pdf)
    texts = [page_markdown(result.tree, int(test["page"]) - 1) if result.tree else "" for test in tests]
    passed = [passes(test, text) for test, text in zip(tests, texts, strict=True)]
    return Result({"passed": sum(passed) / len(passed)}, failure=result.failure)


def _facts(sources: Sources, row: dict[str, Any], pdf: Path) -> Result:
    result = sources.read(pdf)
    found = doctree_variety.judge(row, result.tree, pdf)
    figures = {name: float(found[name]) for name in ("pages_and_rotation", "text_layer")}
    if found["phrases"]:
        figures |= {name: found[name] / found["phrases"] for name in ("in_tree", "kept")}
    return Result(figures, failure=result.failure)


def page_items(folders: Folders) -> Iterator[Item]:
    """Documents with questions that have gold pages: recall of pages with the default retrieval."""
    for doc_id, qa in _by_document(folders.qa):
        asked = [each for each in qa.questions if each.evidence_pages]
        if asked:
            yield _qa_item("pages", folders, qa, doc_id, asked, partial(_pages, asked), [])


def _pages(asked: list[Question], prepared: Prepared) -> Result:
    found: dict[str, list[int]] = {}
    if prepared.failure is None:
        found = retrieval.ranked_pages(load_retriever(prepared), asked)
    values = [retrieval.measures(each, found.get(each.question_id, []))[RECALL] for each in asked]
    return Result({RECALL: sum(values) / len(values)}, len(values), prepared.failure)


def answer_items(folders: Folders) -> Iterator[Item]:
    """Documents with questions that have a gold answer: how many the method answers right with the embedded reader."""
    models = files.sha256_file(MODELS_FILE) if MODELS_FILE.is_file() else None
    for doc_id, qa in _by_document(folders.qa):
        yield _qa_item("answers", folders, qa, doc_id, qa.questions, partial(_answers, qa.questions), [models])


def _answers(asked: list[Question], prepared: Prepared) -> Result:
    settings = answers.answer_settings(METHOD, MODEL)
    # A folder of its own: replies in a journal would hide what a change of the reader does.
    with TemporaryDirectory() as scratch:
        ids = [each.question_id for each in asked]
        rows, _ = answers.answer_document(AnswerStage(), prepared, settings, ids, Path(scratch))
    results, _ = join([(DATASET, each) for each in asked], rows, answers.CUTS)
    values = [result.value for result in results if result.scored]
    failed = [row.exit_reason for row in rows if row.status == "failed"]
    failure = f"{len(failed)} of {len(rows)} questions failed: {failed[0]}" if failed else None
    figures = {"accuracy": sum(values) / len(values)} if values else {}
    return Result(figures, len(values), prepared.failure or failure)


def _by_document(qa: QaSet) -> Iterator[tuple[str, QaSet]]:
    for doc_id in sorted({question.doc_id for question in qa.questions}):
        if qa.pdf(doc_id).is_file():
            yield doc_id, qa.only(documents=[doc_id])


def _qa_item(
    part: str,
    folders: Folders,
    qa: QaSet,
    doc_id: str,
    asked: list[Question],
    measure: Callable[[Prepared], Result],
    more: list[Any],
) -> Item:
    """A document of ``qa`` whose artifacts are prepared before it is measured."""

    def measure_prepared() -> Result:
        prepared = prepare(qa, [doc_id], folders.work, EMBEDDER, precision=PRECISION, adapt=ADAPT)
        return measure(prepared[doc_id])

    truth = [[question.model_dump(mode="json") for question in qa.questions], EMBEDDER, PRECISION, *more]
    return Item(part, doc_id, qa.pdf(doc_id), truth, measure_prepared, len(asked))


PARTS: dict[str, Part] = {
    "headings": Part(heading_items, ("benchmarks.doctree_headings",)),
    "tables": Part(table_items, ("benchmarks.doctree_tables",)),
    "text": Part(text_items, ("benchmarks.doctree_ohr", "benchmarks.doctree_olmocr", "benchmarks.doctree_variety")),
    "pages": Part(page_items, ("benchmarks.retrieval",)),
    "answers": Part(answer_items, ("benchmarks.answers",)),
}
