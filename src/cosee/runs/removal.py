"""Taking a document out of a project for good: its text is then in no file of the project.

What other documents share with it (ledgers, predictions, the sheet of questions) loses its rows; what was made of it
and others together (metrics, reports, exports) is deleted, and made again by the next run.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.datasets.documents import load_sheet
from cosee.artifacts.datasets.names import ASKED, COLLECTION, document_of
from cosee.artifacts.datasets.passwords import SHEET, read_passwords, write_passwords
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.results.changed_run import ChangedRun, RemovedDocument
from cosee.datasets.leaving import mark_removed
from cosee.datasets.placing import RESERVED
from cosee.machine import cache_root
from cosee.models.embedding.vector_cache import VectorCache
from cosee.pipeline.paths import Paths
from cosee.text.likeness import did_you_mean

CHANGED = "changed.json"
# General knowledge: names of our own folders.
DERIVED_FOLDERS = ("exports", "analysis")
DERIVED_SUFFIXES = (".json", ".jsonl", ".csv", ".xlsx", ".parquet", ".eval")
"""What a run makes of all its documents together: these folders, and files of these kinds in its own folder."""
KEPT = ("run.json", CHANGED)
SITE = ("metrics_summary.json", "report", "report.html", ".stamps/report.jsonl")
"""What a results folder makes of all its runs together."""
MODEL_CALL_FOLDERS = {"judgements": "judge", "evidence": "evidence"}
"""Folders with rows of what a model was asked about the answers -> the journal of those calls."""
PER_DOCUMENT = ("answers", "journal", "measured/answers", "measured/jobs", ".stamps")
"""Folders of a run with a file a document, below method and dataset."""
_WORD = re.compile(r"\w+")


@dataclass
class Removal:
    """What taking documents out did."""

    documents: list[str]
    questions: int = 0
    runs: list[str] = field(default_factory=list)
    """Runs that had rows of them."""


def remove_documents(paths: Paths, dataset: str, doc_ids: Collection[str]) -> Removal:
    """Take the documents out of the project; to be called while no run lives. May be called again after a kill.

    Raises:
        ArtifactError: there is no such document, or a file that holds their rows cannot be read.
    """
    sheet = {row.doc_id: row for row in load_sheet(paths.sheet(dataset))}
    folders = {path.name for path in paths.dataset(dataset).glob("*/") if not path.name.startswith(".")}
    known = {*sheet, *folders} - set(RESERVED)
    for doc_id in doc_ids:
        if doc_id not in known:
            raise ArtifactError(f"{paths.dataset(dataset)}: has no document {doc_id!r}{did_you_mean(doc_id, known)}")
    removal = Removal(list(doc_ids))
    for doc_id in doc_ids:
        row = sheet.get(doc_id)
        _DocumentRemoval(paths, dataset, doc_id, row.sha256 if row is not None else None, removal).remove()
    removal.runs = sorted(set(removal.runs))
    return removal


class _DocumentRemoval:
    """One document on its way out."""

    def __init__(self, paths: Paths, dataset: str, doc_id: str, sha256: str | None, removal: Removal) -> None:
        self.paths, self.dataset, self.doc_id, self.sha256, self.removal = paths, dataset, doc_id, sha256, removal
        self.data, self.index = paths.dataset(dataset), paths.indexes / dataset
        self.folder = self.data / doc_id
        self.questions = self._question_ids()

    def remove(self) -> None:
        """What tells that the document was there goes last: what a kill leaves is found again by the same call."""
        runs = [run for run in self._runs() if self._has_document(run)]
        for run in runs:
            self._mark_as_changed(run)
            self._remove_derived_files(run)
        for name in SITE if runs else ():
            _delete(self.paths.results / name)
        for run in runs:
            self._remove_from_run(run)
        self._remove_from_caches()
        for root in (self.data, self.index):
            for ledger in sorted((root / ".ledger").glob("*.jsonl")):
                _filter_rows(ledger, self._is_about_another_document)
            self._remove_from_tables(root / ".shards")
            for question in self.questions:  # the vectors and the copy of one over several documents
                _delete(root / ASKED / files.safe_name(question))
            _delete(root / COLLECTION)
            for journal in (root / ".journal").glob(f"*/{_literal(self.doc_id)}.jsonl"):
                _delete(journal)
        self._remove_logs()
        self._remove_from_sheets()
        _delete(self.index / self.doc_id)
        _delete(self.folder)
        mark_removed(self.data, [self.doc_id])

    def _is_about_another_document(self, row: Any) -> bool:
        if not isinstance(row, dict):
            return True
        own = row.get("dataset") or self.dataset
        names = [row.get("doc_id") or "", *(row.get("doc_ids") or ()), *(row.get("documents") or ())]
        return (self.dataset, self.doc_id) not in {document_of(str(name), own) for name in names}

    def _question_ids(self) -> set[str]:
        """Ids of the questions about the document: those of the sheet, and those that any run answered."""
        places = [self.paths.question_file(self.dataset)]
        places += self.paths.results.glob(f"*/answers/*/{self.dataset}/{_literal(self.doc_id)}.jsonl")
        places += self.paths.results.glob(f"*/answers/*/{self.dataset}/{ASKED}/*.jsonl")
        places += self.paths.results.glob("*/predictions/*.jsonl")
        rows = (row for path in places if path.exists() for row in files.read_jsonl(path))
        return {str(row["question_id"]) for row in rows if not self._is_about_another_document(row)}

    def _runs(self) -> list[Path]:
        root = self.paths.results
        found = sorted(root.iterdir()) if root.is_dir() else []
        folders = [run for run in found if run.is_dir() and not run.is_symlink()]
        return [run for run in folders if not run.name.startswith(".") and run.name != "report"]

    def _has_document(self, run: Path) -> bool:
        """Whether the run has a row of the document, or anything that was made on the way to one."""
        own = [f"{kind}/*/{self.dataset}/{_literal(self.doc_id)}.json*" for kind in PER_DOCUMENT]
        shared = [*run.glob("predictions/*.jsonl"), *run.glob(f"ledger/answer.*.{_literal(self.dataset)}.*.jsonl")]
        return any(any(run.glob(pattern)) for pattern in own) or any(
            not self._is_about_another_document(row) for path in shared for row in files.read_jsonl(path)
        )

    def _remove_derived_files(self, run: Path) -> None:
        for name in DERIVED_FOLDERS:
            _delete(run / name)
        for path in sorted(run.iterdir()):
            if path.is_file() and path.suffix in DERIVED_SUFFIXES and path.name not in KEPT:
                _delete(path)

    def _remove_from_run(self, run: Path) -> None:
        for kind, journal in MODEL_CALL_FOLDERS.items():
            written = sorted((run / kind).glob("*.jsonl"))
            if written:  # this journal tells no call of one document from those of another
                _delete(run / "journal" / journal)
            for path in written:
                _filter_rows(path, self._is_about_another_question)
        for folder in (run / "traces").glob(f"*/{self.dataset}"):
            for question in self.questions:
                _delete(folder / f"{files.safe_name(question)}.ndjson")
        self._remove_from_tables(run / ".shards")
        for path in sorted((run / "predictions").glob("*.jsonl")):
            _filter_rows(path, self._is_about_another_document)
        for ledger in sorted((run / "ledger").glob(f"answer.*.{_literal(self.dataset)}.*.jsonl")):
            _filter_rows(ledger, self._is_about_another_document)
        for kind in PER_DOCUMENT:
            for folder in (run / kind).glob(f"*/{self.dataset}"):
                several = [f"{ASKED}/{files.safe_name(question)}" for question in self.questions]
                for place in (self.doc_id, *several):
                    for ending in (".jsonl", ".fallback.jsonl", ".json"):
                        _delete(folder / f"{place}{ending}")

    def _is_about_another_question(self, row: Any) -> bool:
        return not (row.get("dataset") == self.dataset and row.get("question_id") in self.questions)

    def _mark_as_changed(self, run: Path) -> None:
        path = run / CHANGED
        told = ChangedRun.load(path).removed if path.exists() else []
        told = [each for each in told if (each.dataset, each.doc_id) != (self.dataset, self.doc_id)]
        told.append(RemovedDocument(dataset=self.dataset, doc_id=self.doc_id, sha256=self.sha256))
        ChangedRun(removed=told).save(path)
        self.removal.runs.append(run.name)

    def _remove_from_tables(self, folder: Path) -> None:
        """Rows, hashes of questions, tables of outputs and states of the shards."""
        for path in sorted(folder.glob("*.json")):
            try:
                value = files.read_json(path)
            except ArtifactError:
                continue  # the scheduler writes it again
            found = value
            if isinstance(value, list):
                found = [row for row in value if self._is_about_another_document(row)]
            elif path.name.endswith((".questions.json", "pdf_hashes.json")):
                found = {doc_id: each for doc_id, each in value.items() if doc_id != self.doc_id}
            elif isinstance(value, dict) and value:
                outputs = {name: each for name, each in value.get("files", {}).items() if not self._names(name)}
                killed = [doc_id for doc_id in value.get("killed", []) if doc_id != self.doc_id]
                found = {**value, "files": outputs, "killed": killed}
            if found != value:
                files.write_json(path, found)
        _delete(folder / "questions" / f"{self.doc_id}.jsonl")
        for question in self.questions:
            _delete(folder / "questions" / ASKED / f"{files.safe_name(question)}.jsonl")

    def _names(self, name: str) -> bool:
        """Whether a path of a table of outputs is one of the document's."""
        path = Path(name)
        if path.is_relative_to(self.folder) or path.is_relative_to(self.index / self.doc_id):
            return True
        if path.parent.name != self.dataset:  # of results: <kind>/<method>/<dataset>/<file>
            return False
        traces = {files.safe_name(question) for question in self.questions}
        return path.stem == self.doc_id or (path.suffix == ".ndjson" and path.stem in traces)

    def _remove_from_sheets(self) -> None:
        questions = self.paths.question_file(self.dataset)
        if questions.exists():
            rows = files.read_jsonl(questions)
            kept = [row for row in rows if self._is_about_another_document(row)]
            self.removal.questions += len(rows) - len(kept)
            if len(kept) < len(rows):
                files.write_jsonl(questions, kept)
        report = self.data / "qa" / "import_report.json"
        if report.exists():
            value = files.read_json(report)
            sources = {name for name, doc_id in value.get("documents", {}).items() if doc_id == self.doc_id}
            value["documents"] = {name: each for name, each in value["documents"].items() if name not in sources}
            about = {*sources, *(f"question {question!r}" for question in self.questions)}
            value["problems"] = [each for each in value.get("problems", []) if each.get("where") not in about]
            value["questions"] = len(files.read_jsonl(questions)) if questions.exists() else 0
            files.write_json(report, value)
        passwords = read_passwords(self.data / SHEET)
        if passwords.pop(self.doc_id, None) is not None:
            write_passwords(self.data / SHEET, passwords)

    def _remove_logs(self) -> None:
        """Logs that name the document: what they say of it may quote it."""
        logs = [*Path("logs").rglob("*.log"), *Path(".snakemake", "log").glob("*.log")]
        name = re.compile(rf"(?<![\w.-]){re.escape(self.doc_id)}(?![\w-])".encode())
        for path in logs:
            if path.is_file() and name.search(files.read_bytes(path)):
                _delete(path)

    def _remove_from_caches(self) -> None:
        """Pictures of its pages, what OCR read on them, vectors of its texts, and workspaces of ``cosee ask``."""
        digests = {self.sha256, *(files.sha256_file(each) for each in self._source_files())} - {None}
        for digest in digests:
            _delete(self.paths.results / ".cache" / "pages" / str(digest))
            _delete(cache_root() / "ask" / str(digest)[:16])
        for sheet in sorted((cache_root() / "ask").glob("together-*/data/*/documents.tsv")):
            if digests & {row.sha256 for row in load_sheet(sheet)}:
                _delete(sheet.parents[2])
        words = self._words()
        for path in (cache_root() / "ocr").glob("*/*.json") if words else ():
            if _shares_a_line(path, words):
                _delete(path)
        metas = [files.read_json(path) for path in sorted((self.index / self.doc_id).glob("*.meta.json"))]
        texts = {sha256 for meta in metas for sha256 in meta.get("text_sha256") or ()}
        dimensions = next((meta["dimensions"] for meta in metas if meta.get("dimensions")), 0)
        for path in (cache_root() / "vectors").glob("*.vectors") if texts and dimensions else ():
            VectorCache(path, dimensions).forget(texts)

    def _source_files(self) -> Iterator[Path]:
        """The files whose bytes name caches: the PDF, and what it was made of."""
        if self.folder.is_dir():
            yield from (path for path in self.folder.iterdir() if path.is_file() and path.suffix != ".json")

    def _words(self) -> set[str]:
        """The document's words, of pages that were read by OCR among them."""
        path = self.folder / "layout.json"
        return set(_WORD.findall(files.read_bytes(path).decode("utf-8", "replace"))) if path.exists() else set()


def _literal(name: str) -> str:
    """A name as a pattern of ``glob``."""
    return re.sub(r"([*?[])", r"[\1]", name)


def _delete(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)


def _filter_rows(path: Path, kept: Callable[[Any], bool]) -> None:
    """Keep some rows of a JSONL file."""
    rows = files.read_jsonl(path)
    left = [row for row in rows if kept(row)]
    if len(left) < len(rows):
        files.write_jsonl(path, left)


def _shares_a_line(path: Path, words: set[str]) -> bool:
    """Whether all words of a line that OCR read are the document's: rather one too many than one of its own left."""
    try:
        lines = [[str(word[0]) for word in row[1]] for row in files.read_json(path)]
    except (ArtifactError, TypeError, IndexError, KeyError):
        return True
    return any(line and set(_WORD.findall(" ".join(line))) <= words for line in lines)
