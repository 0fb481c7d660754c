"""Fit the weights of the page views on development documents, and report them on held-out ones.

``python -m benchmarks.tune_retrieval --qa DIR --json OUT``. Questions are fitted where their ``split`` is ``dev``, and
held out where it is any other. In a set without splits a document is held out where the sha256 of its id is odd: every
question about it is on one side, and another set of documents divides by itself. The weights are those of
``PageWeights`` as a conditional logit: the likeliest to give the gold pages, found by L-BFGS from the weights in the
code, none below zero, each document counting as the square root of its questions. The same input gives the same
weights.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy
from scipy.optimize import minimize

from benchmarks.common import QaSet, argument_parser, chosen, print_table, write_report
from benchmarks.prepare import Prepared, prepare
from benchmarks.retrieval import measures
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.retrieval.page_ranking import PageWeights
from cosee.retrieval.retriever import Retriever

DEVELOPMENT = "dev"
"""The split that weights may be fitted on."""
FITTED = ("page", "media", "pairs", "vector", "statement")
FIXED = ("named_node", "named_section", "named_page")
RIDGE = 0.01
MEASURES = ("recall@1", "recall@5", "mrr")


@dataclass(frozen=True)
class Example:
    """A question with what each fitted weight is multiplied by (rows) on each page (columns), without its weight."""

    question: Question
    values: numpy.ndarray
    fixed: numpy.ndarray
    """What the weights that are not fitted add."""
    gold: numpy.ndarray


def is_held_out(question: Question) -> bool:
    """Whether a question is used for reporting only: by its split, else by its document."""
    if question.split is not None:
        return question.split != DEVELOPMENT
    return hashlib.sha256(question.doc_id.encode()).digest()[-1] % 2 == 1


def examples(qa: QaSet, doc_id: str, prepared: Prepared) -> list[Example]:
    """The questions of one document that have gold pages."""
    if prepared.failure is not None:
        return []
    tree = DocTree.load(prepared.doc.data / "doctree.mm.json")
    retriever = Retriever.load(tree, prepared.doc.index, RetrievalSettings())
    found = []
    for question in qa.questions:
        gold = numpy.array([page - 1 for page in question.evidence_pages if 0 < page <= len(tree.pages)], dtype=int)
        if question.doc_id == doc_id and len(gold):
            views = retriever.page_views(question.question, question_id=question.question_id)
            none = numpy.zeros(len(tree.pages))
            values = numpy.stack([views.get(name, none) for name in FITTED])
            fixed = sum((views[name] * getattr(PageWeights(), name) for name in FIXED), start=none)
            found.append(Example(question, values, fixed, gold))
    return found


def fit(rows: Sequence[Example], start: Sequence[float]) -> list[float]:
    """The weights of ``FITTED`` that make the gold pages likeliest."""
    asked = Counter(row.question.doc_id for row in rows)
    shares = numpy.array([asked[row.question.doc_id] ** -0.5 for row in rows])
    shares /= shares.sum()

    def loss(weights: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        total, slope = RIDGE * float(weights @ weights) / 100, 2 * RIDGE * weights / 100
        for row, share in zip(rows, shares, strict=True):
            odds = weights @ row.values + row.fixed
            odds = odds - odds.max()
            likely = numpy.exp(odds) / numpy.exp(odds).sum()
            wanted = numpy.zeros(len(likely))
            wanted[row.gold] = 1 / len(row.gold)
            total -= share * float(wanted[row.gold] @ numpy.log(likely[row.gold] + 1e-12))
            slope = slope - share * (row.values @ (wanted - likely))
        return total, slope

    found = minimize(loss, numpy.array(start), jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(start))
    return [float(weight) for weight in found.x]


def scores(rows: Sequence[Example], weights: Sequence[float]) -> dict[str, float]:
    """Mean measures of the rankings that ``weights`` give."""
    total: Counter[str] = Counter()
    for row in rows:
        odds = numpy.round(numpy.array(weights) @ row.values + row.fixed, 6)
        pages = sorted(range(1, len(odds) + 1), key=lambda page: (-odds[page - 1], page))
        total.update(measures(row.question, pages))
    return {name: total[name] / max(1, len(rows)) for name in MEASURES}


def main() -> int:
    """Fit and report."""
    parser = argument_parser(__doc__ or "")
    parser.add_argument("--precision", default="float32", help="as index.precision")
    parser.add_argument(
        "--any-code", action="store_true", help="use artifacts in the work folder whatever code made them"
    )
    options = parser.parse_args()
    qa, documents = chosen(parser, options)
    prepared = prepare(qa, documents, options.work, precision=options.precision, any_code=options.any_code)
    rows = [row for doc_id in documents for row in examples(qa, doc_id, prepared[doc_id])]
    development = [row for row in rows if not is_held_out(row.question)]
    held_out = [row for row in rows if is_held_out(row.question)]
    if not development:
        parser.error("no development question with gold pages to fit on")
    defaults = dataclasses.asdict(PageWeights())
    before = [defaults[name] for name in FITTED]
    after = fit(development, before)
    print_table(["weight", "in the code", "fitted"], [[*row] for row in zip(FITTED, before, after, strict=True)])
    figures: dict[str, float] = {}
    table: list[list[str | float | int | None]] = []
    for part, members in (("development", development), ("held_out", held_out)):
        for name, weights in (("in_code", before), ("fitted", after)):
            found = scores(members, weights)
            figures |= {f"{measure}.{part}.{name}": value for measure, value in found.items()}
            table.append([f"{part} {name}", len(members), *found.values()])
    print()
    print_table(["", "questions", *MEASURES], table)
    detail = {"fitted": dict(zip(FITTED, after, strict=True)), "documents": len(documents)}
    write_report(options.json, "tune_retrieval", figures, detail)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
