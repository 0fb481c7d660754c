"""What the report shows of a run, read so that only what concerns changed documents is checked, scored and drawn."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from cosee.artifacts.base import Model, Record, validate
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.files import safe_name
from cosee.artifacts.results.evidence_check import EvidenceCheck
from cosee.artifacts.results.judgement import Judgement
from cosee.artifacts.results.metrics import Metrics
from cosee.artifacts.results.prediction import Prediction
from cosee.evaluation.results import QuestionResult, join
from cosee.pipeline.paths import Paths
from cosee.report.kept import DocumentKey
from cosee.runs.files import scan_rows

Mark = Callable[[DocumentKey, str, bytes], None]
"""Takes note of a line that the pages of a document hang on, with the name of where it stands."""
Rows = dict[DocumentKey, list[tuple[bytes, dict[str, Any]]]]
"""Document -> line and value of each row about it, unchecked."""
OfQuestion = TypeVar("OfQuestion", Judgement, EvidenceCheck)


class RunSource:
    """Questions, predictions and judgements of a run, by document.

    Raises:
        ArtifactError: a file is absent or no JSON lines.
    """

    def __init__(self, paths: Paths, run: str) -> None:
        self.metrics = Metrics.load(paths.results / run / "metrics.json")
        self._traces = f"{paths.results / run}/traces"
        self._questions: list[tuple[DocumentKey, bytes, dict[str, Any]]] = []
        for dataset in self.metrics.datasets:
            path = paths.question_file(dataset)
            rows = scan_rows(Question, path) if path.exists() else []
            rows.sort(key=lambda row: str(row[1]["question_id"]))
            self._questions += [((dataset, _document(value)), line, value) for line, value in rows]
        self._document = {(key[0], value["question_id"]): key for key, _, value in self._questions}
        folder, provenance = paths.results / run, self.metrics.provenance
        self._predictions = self._rows_of_methods(Prediction, folder / "predictions")
        self._judgements = self._rows_of_methods(Judgement, folder / "judgements") if provenance.judge else {}
        self._checks = self._rows_of_methods(EvidenceCheck, folder / "evidence") if provenance.evidence else {}

    def _rows_of_methods(self, model: type[Record], folder: Path) -> dict[str, Rows]:
        """Each method's rows by the document of their question; those of no question are left out."""
        found: dict[str, Rows] = {method: {} for method in self.metrics.method_order}
        for method, documents in found.items():
            for row in scan_rows(model, folder / f"{method}.jsonl"):
                key = self._document.get((row[1]["dataset"], row[1]["question_id"]))
                if key is not None:
                    documents.setdefault(key, []).append(row)
        return found

    @cached_property
    def order(self) -> list[tuple[str, str, str]]:
        """All questions: dataset, doc_id, question id."""
        return [(*key, value["question_id"]) for key, _, value in self._questions]

    @cached_property
    def gold(self) -> set[str]:
        """The methods that were given gold fields of the questions."""
        return {
            method
            for method, documents in self._predictions.items()
            if any(value["uses_gold"] for rows in documents.values() for _, value in rows)
        }

    @property
    def recall_at(self) -> list[int]:
        """The ranks at which recall is measured."""
        return [int(k) for k in next(iter(self.metrics.methods.values())).all.pages.recall]

    def mark(self, mark: Mark) -> None:
        """Note everything of the run that the pages of each document show."""
        run = self.metrics.run
        ids = [question_id for _, _, question_id in self.order]
        for number, (key, line, _) in enumerate(self._questions):
            near = "\0".join((ids[number - 1] if number else "", *ids[number + 1 : number + 2]))
            mark(key, f"{run} question", line)
            mark(key, f"{run} near", near.encode())
        of_methods = {"answer": self._predictions, "judgement": self._judgements, "evidence": self._checks}
        for kind, methods in of_methods.items():
            for method, documents in methods.items():
                for key, rows in documents.items():
                    for line, _ in rows:
                        mark(key, f"{run} {kind} {method}", line)
        for method in self.metrics.method_order:
            for dataset, doc_id, question_id in self.order:
                trace = f"{self._traces}/{method}/{dataset}/{safe_name(question_id)}.ndjson"
                mark((dataset, doc_id), f"{run} trace {method}", state_of(trace))

    def results(self, documents: Container[DocumentKey] | None = None) -> Mapping[str, list[QuestionResult]]:
        """Each method's scored answers about these documents, or about all.

        Raises:
            ArtifactError: a row is faulty.
        """
        questions = [
            (key[0], validate(Question, value, f"question {value['question_id']!r} of {key[0]}"))
            for key, _, value in self._questions
            if documents is None or key in documents
        ]
        return {
            method: join(
                questions,
                self._checked(Prediction, rows, documents),
                self.recall_at,
                self._by_question(Judgement, self._judgements.get(method), documents),
                self._by_question(EvidenceCheck, self._checks.get(method), documents),
            )[0]
            for method, rows in self._predictions.items()
        }

    def _by_question(
        self, model: type[OfQuestion], rows: Rows | None, documents: Container[DocumentKey] | None
    ) -> dict[tuple[str, str], OfQuestion] | None:
        if rows is None:
            return None
        return {(each.dataset, each.question_id): each for each in self._checked(model, rows, documents)}

    def _checked(
        self,
        model: type[Model],
        rows: Rows,
        documents: Container[DocumentKey] | None,
    ) -> list[Model]:
        where = f"{model.__name__.lower()} of {self.metrics.run}"
        return [
            validate(model, value, f"{where}, question {value['question_id']!r}")
            for key, members in rows.items()
            if documents is None or key in documents
            for _, value in members
        ]


def _document(question: Mapping[str, Any]) -> str:
    """The one document that an unchecked question names, as ``Question`` has it; empty for one over several."""
    several = question.get("doc_ids") or []
    return question.get("doc_id") or (several[0] if len(several) == 1 and "/" not in several[0] else "")


def state_of(path: str) -> bytes:
    """Size and time of a file, from which a change is seen without reading it; ``absent`` of none."""
    try:
        status = Path(path).stat()
    except OSError:
        return b"absent"
    return f"{status.st_size} {status.st_mtime_ns}".encode()
