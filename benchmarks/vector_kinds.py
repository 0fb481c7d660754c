"""What each kind of vector is worth to the recall of pages, and which kinds are best under a number a page.

``python -m benchmarks.vector_kinds --qa DIR --json OUT [--most 12]``. Every document gets all kinds once; a choice of
kinds is then the best cosine over these kinds on each page, beside all that the ranking has otherwise, with the weights
in the code and with weights fitted on other documents. Questions are not split into their parts here, which moves a
figure by less than 0.005 from that of ``benchmarks.retrieval``.

``chosen`` is judged out of fold: documents are in five folds by the sha256 of their id, and for each fold the choice is
the one, among those with at most ``--most`` vectors a page, whose larger loss of recall@1 and recall@5 against all
kinds is least on the other four.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, get_args

import numpy

from benchmarks.common import QaSet, argument_parser, chosen, print_table, write_report
from benchmarks.page_folds import FOLDS, fold_of
from benchmarks.prepare import Prepared, prepare
from benchmarks.regressions_parts import ADAPT
from benchmarks.retrieval import load_retriever, measures
from benchmarks.tune_retrieval import Asked, fitted, ranking
from cosee.artifacts.documents.doctree import split_id
from cosee.artifacts.documents.index import VectorKind
from cosee.artifacts.settings.index import DEFAULT_VECTORS
from cosee.retrieval.page_index import pages_of
from cosee.retrieval.page_weights import PageWeights
from cosee.retrieval.retriever import Retriever

KINDS: tuple[VectorKind, ...] = get_args(VectorKind)
VARIANTS: dict[str | None, VectorKind] = {"h": "heading", "g": "gist", "c": "child", "p": "path", None: "media"}
CUTS = ("recall@1", "recall@5")
Choice = tuple[VectorKind, ...]


@dataclass(frozen=True)
class Compared:
    """A question with each kind's best cosine on each page. Hits are those of all kinds."""

    asked: Asked
    cosines: dict[VectorKind, numpy.ndarray]

    def by(self, kinds: Choice) -> Asked:
        """What is ranked where only ``kinds`` have vectors."""
        none = numpy.zeros(len(self.asked.views["named_page"]))
        best = numpy.max([none, *(self.cosines[kind] for kind in kinds)], axis=0)
        return replace(self.asked, views={**self.asked.views, "vector": numpy.clip(best, 0, 1)})


def rows_of(retriever: Retriever) -> dict[VectorKind, list[tuple[str, int, list[int]]]]:
    """Kind -> view, row and places of pages of each vector."""
    places = {page.page_idx: place for place, page in enumerate(retriever.tree.pages)}
    found: dict[VectorKind, list[tuple[str, int, list[int]]]] = {kind: [] for kind in KINDS}
    for name, view in retriever.index.views.items():
        for row, each in enumerate(view.meta.ids):
            node_id, variant, _ = split_id(each)
            kind: Any = VARIANTS[variant] if name == "coarse" else name
            pages = [places[page] for page in pages_of(retriever.tree.node(node_id)) if page in places]
            found[kind].append((name, row, pages))
    return found


def ask(qa: QaSet, doc_id: str, prepared: Prepared) -> tuple[list[Compared], dict[VectorKind, int], int]:
    """The questions of one document that have gold pages; vectors of each kind; pages."""
    retriever = load_retriever(prepared)
    kinds, pages, found = rows_of(retriever), len(retriever.tree.pages), []
    for question in (each for each in qa.questions if each.doc_id == doc_id and each.evidence_pages):
        views = retriever.page_views(question.question, question_id=question.question_id)
        vector = retriever.question_vector(question.question, question.question_id)
        cosines = {kind: numpy.zeros(pages) for kind in KINDS}
        if vector is not None:
            scores = {name: numpy.round(view.vectors @ vector, 6) for name, view in retriever.index.views.items()}
            for kind, rows in kinds.items():
                for name, row, places in rows:
                    cosines[kind][places] = numpy.maximum(cosines[kind][places], scores[name][row])  # type: ignore[index]
        found.append(Compared(Asked(question, views, retriever.page_links), cosines))
    return found, {kind: len(rows) for kind, rows in kinds.items()}, pages


def recalls(asked: Asked, weights: PageWeights) -> list[float]:
    """``CUTS`` of the ranking."""
    found = measures(asked.question, ranking(asked, weights).pages)
    return [found[name] for name in CUTS]


def main() -> int:
    """Measure and print."""
    parser = argument_parser(__doc__ or "")
    parser.add_argument("--precision", default="auto", help="as index.precision")
    parser.add_argument("--most", type=float, default=12.0, help="vectors a page that a choice may have (12)")
    options = parser.parse_args()
    qa, documents = chosen(parser, options)
    prepared = prepare(qa, documents, options.work, precision=options.precision, vectors="all", adapt=ADAPT)
    asked: list[Compared] = []
    counts, pages = dict.fromkeys(KINDS, 0), 0
    for doc_id in (each for each in documents if prepared[each].failure is None):
        found, number, more = ask(qa, doc_id, prepared[doc_id])
        asked, pages = [*asked, *found], pages + more
        counts = {kind: counts[kind] + number[kind] for kind in KINDS}

    def per_page(kinds: Choice) -> float:
        return sum(counts[kind] for kind in kinds) / pages

    def judged(kinds: Choice) -> numpy.ndarray:
        return numpy.array([recalls(each.by(kinds), PageWeights()) for each in asked])

    default: Choice = tuple(kind for kind in KINDS if kind in DEFAULT_VECTORS)
    without = [tuple(kind for kind in KINDS if kind != left) for left in KINDS]
    alone = [(kind,) for kind in KINDS]
    every = [kinds for size in range(1, len(KINDS)) for kinds in combinations(KINDS, size)]
    few = [kinds for kinds in every if per_page(kinds) <= options.most]
    values = {kinds: judged(kinds) for kinds in {KINDS, default, *without, *alone, *few}}
    table, figures = [], {"vectors_a_page.all": per_page(KINDS), "vectors_a_page.default": per_page(default)}
    for kinds in (KINDS, default, *without, *alone):
        table.append(["+".join(kinds), per_page(kinds), *values[kinds].mean(axis=0)])
    print_table(["vectors of", "a page", *CUTS], table)
    folds = numpy.array([fold_of(each.asked.question.doc_id) for each in asked])
    picked, out_of_fold = _chosen(values, few, folds)
    rows = {"all": values[KINDS], "default": values[default], "chosen": out_of_fold}
    rows |= {f"{name}_fitted": _fitted(asked, kinds, folds) for name, kinds in (("all", KINDS), ("default", default))}
    print()
    print_table(["", *CUTS], [[name, *each.mean(axis=0)] for name, each in rows.items()])
    print("chosen:", "; ".join("+".join(kinds) for kinds in picked))
    figures |= {
        f"{cut}.{name}": float(each.mean(axis=0)[place])
        for name, each in rows.items()
        for place, cut in enumerate(CUTS)
    }
    detail = {"documents": len(documents), "questions": len(asked), "chosen": picked, "counts": counts}
    write_report(options.json, "vector_kinds", figures, detail)
    return 0


def _chosen(
    values: dict[Choice, numpy.ndarray], few: Sequence[Choice], folds: numpy.ndarray
) -> tuple[list[Choice], numpy.ndarray]:
    """The choice of each fold, and the recalls of its questions by it."""
    found, picked = numpy.zeros_like(values[KINDS]), []
    for fold in range(FOLDS):
        others = folds != fold
        gain: Callable[[Choice], float] = lambda kinds, rows=others: float(  # noqa: E731
            (values[kinds][rows].mean(axis=0) - values[KINDS][rows].mean(axis=0)).min()
        )
        picked.append(max(few, key=gain))
        found[~others] = values[picked[-1]][~others]
    return picked, found


def _fitted(asked: Sequence[Compared], kinds: Choice, folds: numpy.ndarray) -> numpy.ndarray:
    """Recalls with weights fitted on the documents of the other folds."""
    rows = [each.by(kinds) for each in asked]
    weights = {
        fold: fitted([row for row, of in zip(rows, folds, strict=True) if of != fold and len(row.gold)])
        for fold in set(folds.tolist())
    }
    return numpy.array([recalls(row, weights[of]) for row, of in zip(rows, folds.tolist(), strict=True)])


if __name__ == "__main__":
    raise SystemExit(main())
