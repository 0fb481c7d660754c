"""What the candidates of the structure set's documents look like, and which of them are headings.

Candidates that pair with the truth are headings. The others are none where the truth is complete; where it is not,
those alone that are set like the body and carry no number. What stands before the first true heading and is set off
(title, abstract, heading of the contents) counts neither way, for authors do not list it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks import doctree_headings
from benchmarks.common import progress
from benchmarks.doctree_headings import Title, compare
from benchmarks.structure_set import CONTENT, Reader, Truth, fold_of
from cosee.artifacts import files
from cosee.artifacts.documents.content import ContentList
from cosee.pipeline.code_closure import Code, closure
from cosee.structure.enhance import enhance
from cosee.structure.headings.candidate import Candidate
from cosee.structure.headings.model import WEIGHTS, HeadingModel

FOLDS = 5
CUT = 3
"""Pages of the parts that are learned from beside the whole document."""
TYPICAL = 60
"""Candidates from which a document's weight grows with their root alone, so that long ones do not decide all."""


@dataclass
class Example:
    """The candidates of one document: their evidence, whether they are headings, and the weight of each."""

    truth: Truth
    rows: Sequence[Mapping[str, float]]
    labels: list[bool]
    weights: list[float]

    @property
    def fold(self) -> int:
        """The fold of the document's family."""
        return fold_of(self.truth.family, FOLDS)


class _Recorder(HeadingModel):
    """Keeps what a document's candidates look like, and takes none of them."""

    seen: tuple[Sequence[Candidate], Sequence[Mapping[str, float]]] = ((), ())

    def scores(self, candidates: Sequence[Candidate], rows: Sequence[Mapping[str, float]]) -> list[float]:
        """Nothing is a heading."""
        object.__setattr__(self, "seen", (candidates, rows))
        return [-1.0] * len(rows)


def example(truth: Truth, adapted: ContentList) -> Example:
    """What one document teaches."""
    recorder = _Recorder([], 0.0, 0.0, [], [])
    enhance(adapted, heading_model=recorder)
    candidates, rows = recorder.seen
    titles = [Title(candidate.text, candidate.item.page_idx + 1, 1) for candidate in candidates]
    found = {id(title) for _, title in compare(truth.headings, titles).pairs}
    labels = [id(title) in found for title in titles]
    share = min(1.0, TYPICAL / max(1, len(rows))) ** 0.5
    first = labels.index(True) if any(labels) else 0
    weights = []
    for index, (label, row) in enumerate(zip(labels, rows, strict=True)):
        plain = abs(row["size"] - 1.0) < 0.05 and not row["bolder"] and not row["upper"]
        unnumbered = not row["number_depth"]
        known = label or (plain if index < first else truth.complete or (plain and unnumbered))
        weights.append(share if known else 0.0)
    return Example(truth, rows, labels, weights)


def cut(truth: Truth, adapted: ContentList, start: int) -> tuple[Truth, ContentList]:
    """``CUT`` pages of a document as one of its own: short documents have few likes to tell a heading by."""
    pages = range(start, start + CUT)
    part = adapted.model_copy(
        update={
            "pages": [
                page.model_copy(update={"page_idx": page.page_idx - start})
                for page in adapted.pages[start : pages.stop]
            ],
            "items": [
                item.model_copy(update={"page_idx": item.page_idx - start, "regions": []})
                for item in adapted.items
                if item.page_idx in pages and all(region.page_idx in pages for region in item.regions)
            ],
            "dropped": [],
        }
    )
    kept = [replace(title, page=title.page - start) for title in truth.headings if title.page - 1 in pages]
    return replace(truth, headings=kept), part


def examples(documents: Sequence[Truth], reader: Reader) -> list[Example]:
    """What the documents teach, those that cannot be read left out; kept below the reader's folder for each document.

    It is collected anew where the content list, the truth or the code changes; weights change nothing of it.
    """
    modules = (doctree_headings.__file__, __file__)
    reading = Code([path for path in closure("cosee.structure.enhance") if path != WEIGHTS])
    code = [reading.sha256, *(files.sha256_file(Path(path)) for path in modules)]
    found = []
    for number, truth in enumerate(documents, start=1):
        progress("evidence", number, len(documents), truth.doc_id)
        adapted = reader.adapted(truth.pdf)
        if not isinstance(adapted, ContentList):
            continue
        known = [truth.complete, [[title.text, title.page, title.level] for title in truth.headings]]
        key = files.sha256_value([code, known, files.sha256_file(reader.folder(truth.pdf) / CONTENT)])
        path = reader.folder(truth.pdf) / "evidence.json"
        kept = files.read_json(path) if path.exists() else {}
        if kept.get("key") != key:
            kept = {"key": key, "parts": [_table(one) for one in _of_document(truth, adapted)]}
            files.write_json(path, kept)
        for part in kept["parts"]:
            rows = [dict(zip(part["columns"], values, strict=True)) for values in part["rows"]]
            found.append(Example(truth, rows, part["labels"], part["weights"]))
    progress("", 0, 0, "")
    return found


def _of_document(truth: Truth, adapted: ContentList) -> Iterator[Example]:
    """What the whole document teaches, and each of its parts that has headings."""
    middle = len(adapted.pages) // 2
    for part in ((truth, adapted), *(cut(truth, adapted, start) for start in (0, middle, middle + CUT))):
        if part[0].headings and (one := example(*part)).rows:
            yield one


def _table(one: Example) -> dict[str, Any]:
    return {
        "columns": list(one.rows[0]),
        "rows": [list(row.values()) for row in one.rows],
        "labels": one.labels,
        "weights": one.weights,
    }
