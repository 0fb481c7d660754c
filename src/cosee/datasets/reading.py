"""From what an importer read to a dataset on disk: one way for all of them.

An importer reads questions and names documents; here ids are given, documents placed, gold answers and pages looked
at, and all that was not as it should be is told in ``qa/import_report.json``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cosee.artifacts.base import save_rows
from cosee.artifacts.datasets.imports import ImportReport, Problem, readable
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.files import ArtifactError
from cosee.datasets.answer_format import format_fault
from cosee.datasets.leaving import remove_placed
from cosee.datasets.page_images import PageSet
from cosee.datasets.placing import dataset_name, document_ids, place_document
from cosee.text.counts import counted

CountPages = Callable[[Sequence[Path]], Mapping[Path, int]]
Watch = Callable[[Sequence[str]], Iterable[str]]


@dataclass
class Reading:
    """What an importer read. A question's ``doc_id`` is the document as the source names it."""

    source: str
    questions: list[Question]
    documents: Mapping[str, Path | PageSet]
    """Document -> its file or page images; a document without one is told and its questions are kept."""
    problems: list[Problem] = field(default_factory=list)
    split: str | None = None
    text_source: str | None = None
    """Whose published OCR the page images come with."""


def write_dataset(
    reading: Reading,
    target: Path,
    *,
    limit: int | None = None,
    count_pages: CountPages | None = None,
    watch: Watch = iter,
) -> ImportReport:
    """Write ``<target>/<doc_id>/full.pdf`` (or ``original.<suffix>``), ``qa/questions.jsonl`` and
    ``qa/import_report.json``. Documents of the import before that are not among these any more are taken away.

    Args:
        reading: What was read.
        target: ``data/<name>``.
        limit: Keep only the first so many documents that have questions.
        count_pages: Tells the pages of those PDFs that can be opened; gold pages beyond them are then told and left
            out, and the others told.
        watch: Gives the documents one by one as they are made, for whoever shows how far it is.

    Raises:
        ArtifactError: ``target`` cannot be a dataset, or a file cannot be written.
    """
    name = dataset_name(target)
    asked = list(dict.fromkeys(name for question in reading.questions for name in _named(question)))
    wanted = list(dict.fromkeys([*reading.documents, *asked])) if limit is None else asked[:limit]
    ids = dataset_ids(wanted)
    questions = [question for question in reading.questions if ids.keys() >= set(_named(question))]
    of_all = any(not _named(question) for question in questions)
    unasked = [document for document in wanted if document not in set(asked)] if questions and not of_all else []
    problems = [
        *reading.problems,
        *(Problem(kind="unasked_document", where=document, message="no question is about it") for document in unasked),
        *unique_ids(questions),
        *_repeated(questions),
        *_gold_faults(questions),
    ]
    before = _imported(target)
    pages = _place(reading, watch(wanted), ids, target, problems, count_pages)
    problems += _pages_beyond(questions, pages)
    rows = [_by_id(question, ids) for question in questions]
    save_rows(target / "qa" / "questions.jsonl", rows)
    missing = {problem.where for problem in problems if problem.kind == "missing_document"}
    placed = {readable(document): ids[document] for document in wanted}
    report = ImportReport(
        dataset=name,
        source=reading.source,
        split=reading.split,
        documents={document: doc_id for document, doc_id in placed.items() if document not in missing},
        questions=len(rows),
        text_source=reading.text_source,
        problems=problems,
    )
    remove_placed(target, before - set(report.documents.values()))
    report.save(target / "qa" / "import_report.json")
    return report


def _named(question: Question) -> list[str]:
    """The documents that a question names; none where it is about all."""
    return [question.doc_id] if question.doc_id else question.doc_ids


def _by_id(question: Question, ids: Mapping[str, str]) -> Question:
    names = {
        "doc_id": question.doc_id and ids[question.doc_id],
        "doc_ids": [ids[name] for name in question.doc_ids],
        "evidence_documents": [ids.get(name, name) for name in question.evidence_documents],
    }
    return question.model_copy(update=names)


def _imported(target: Path) -> set[str]:
    """The documents that the import before this one placed; those that a person put there are not among them."""
    path = target / "qa" / "import_report.json"
    try:
        return set(ImportReport.load(path).documents.values()) if path.exists() else set()
    except ArtifactError:
        return set()


def dataset_ids(documents: Iterable[str]) -> dict[str, str]:
    """Document -> doc_id; whether the source writes ``.pdf`` behind its names makes no difference."""
    names = {name: name if name.lower().endswith(".pdf") else f"{name}.pdf" for name in documents}
    if len(set(names.values())) < len(names):
        names = {name: f"{name}.pdf" for name in names}
    ids = document_ids(list(names.values()))
    return {name: ids[file] for name, file in names.items()}


def _place(
    reading: Reading,
    wanted: Iterable[str],
    ids: Mapping[str, str],
    target: Path,
    problems: list[Problem],
    count_pages: CountPages | None,
) -> dict[str, int]:
    """Put the documents into ``target``; gives the pages of those whose pages are known."""
    pages: dict[str, int] = {}
    pdfs: dict[Path, str] = {}
    for document in wanted:
        source = reading.documents.get(document)
        if isinstance(source, PageSet):
            data = source.build(reading.text_source, problems)
            if data is not None:
                place_document(target, ids[document], data)
                pages[document] = len(source.pages)
                continue
        elif source is not None:
            placed = place_document(target, ids[document], source)
            if placed.suffix == ".pdf":
                pdfs[placed] = document
            continue
        message = "no such document; its questions are kept and will be reported as failed"
        problems.append(Problem(kind="missing_document", where=document, message=message))
    if count_pages is not None and pdfs:
        counts = count_pages(list(pdfs))
        pages.update({pdfs[pdf]: count for pdf, count in counts.items()})
        message = "cannot be opened now: damaged, or its password is not known yet; reading it will tell"
        closed = [document for pdf, document in pdfs.items() if pdf not in counts]
        problems += [Problem(kind="unreadable_document", where=document, message=message) for document in closed]
    return pages


def unique_ids(questions: list[Question]) -> Iterator[Problem]:
    """Give a question whose id an earlier one has an id of its own, and tell it."""
    taken = {question.question_id for question in questions}
    seen: set[str] = set()
    for question in questions:
        wanted = question.question_id
        number = 2
        while question.question_id in seen or (number > 2 and question.question_id in taken):
            question.question_id = f"{wanted}-{number}"
            number += 1
        taken.add(question.question_id)
        seen.add(question.question_id)
        if question.question_id != wanted:
            message = f"the id occurs twice; the later question is called {question.question_id!r}"
            yield Problem(kind="duplicate_id", where=f"question {wanted!r}", message=message)


def _repeated(questions: Iterable[Question]) -> Iterator[Problem]:
    """Questions that are asked twice about one document: published scorers count both, so both are kept."""
    first: dict[tuple[str, str], Question] = {}
    for question in questions:
        key = ("\n".join(_named(question)), " ".join(question.question.split()))
        earlier = first.setdefault(key, question)
        if earlier is not question:
            same = "the same" if earlier.answer == question.answer else "another"
            message = f"asks what {earlier.question_id!r} asks, with {same} answer; both are kept"
            yield Problem(kind="duplicate_question", where=f"question {question.question_id!r}", message=message)


def _gold_faults(questions: Iterable[Question]) -> Iterator[Problem]:
    for question in questions:
        fault = format_fault(question.answer, question.answer_format)
        if fault is not None:
            yield Problem(kind="gold_type", where=f"question {question.question_id!r}", message=fault)


def _pages_beyond(questions: Iterable[Question], pages: Mapping[str, int]) -> Iterator[Problem]:
    for question in questions:
        last = pages.get(question.doc_id) if question.doc_id else None
        beyond = [page for page in question.evidence_pages if not 1 <= page <= (last or page)]
        window = question.page_window
        outside = [page for page in question.evidence_pages if window and not window[0] <= page <= window[1]]
        where = f"question {question.question_id!r}"
        if beyond:
            message = f"gold pages {beyond} are left out: {question.doc_id} has {counted(last or 0, 'page')}"
            question.evidence_pages = [page for page in question.evidence_pages if page not in beyond]
            yield Problem(kind="gold_pages", where=where, message=message)
        elif outside:
            assert window is not None
            message = f"gold pages {outside} are outside the benchmark's window of pages {window[0]} to {window[1]}"
            yield Problem(kind="gold_pages", where=where, message=message)
