"""Fit the weights of the page views and of the chances.

``python -m benchmarks.tune_retrieval --qa DIR --json OUT [--write]``. Documents are in five folds by the sha256 of
their id. ``--write`` keeps the weights fitted without each fold, and those fitted on all, in
``benchmarks/page_weights.json``; the latter are the table of ``cosee.retrieval.page_weights``. With the former
``benchmarks.retrieval`` judges each document by weights that were not fitted on it. With ``--reranker FOLDER`` only the
weights of what a model says of the pages that a question may need are fitted, to the other ones as they stand in that
file: it follows a fit of those, which leaves them as they were.

The weights of the views are a conditional logit: the likeliest to give the gold pages (with evidence mode ``any``: any
one of them), found by L-BFGS. First those of the views that read a page by itself, then those of all, with what pages
lead to by the shares of the first. A view that speaks for a page has no weight below zero. The chance that a ranked
page is needed is a logistic regression on what the shares tell. Each document counts as the square root of its
questions. The same input gives the same weights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy
from scipy.optimize import minimize

from benchmarks.common import QaSet, argument_parser, chosen, print_table, write_report
from benchmarks.folds import FOLDS, PAGES, document_key, fold_of
from benchmarks.prepare import Prepared, add_options, prepare_as_asked
from benchmarks.readings import add_reranker_option, readings
from cosee.artifacts import files
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.retrieval.model_views import reranked
from cosee.retrieval.page_chances import chance_features
from cosee.retrieval.page_links import PageLinks
from cosee.retrieval.page_ranking import shares
from cosee.retrieval.page_weights import (
    CHANCE_FEATURES,
    EVIDENCE_VIEWS,
    LINKED_VIEWS,
    NAMED_WEIGHTS,
    RERANKER,
    SUPPORTING_VIEWS,
    PageWeights,
)
from cosee.retrieval.ranking import Ranking
from cosee.retrieval.retriever import Retriever
from cosee.retrieval.thresholds import LEAST_SHARE

RIDGE, CHANCE_RIDGE = 0.01, 0.003
RANKS = 20
"""Ranked pages of a question that the chances are fitted on."""


@dataclass(frozen=True)
class Asked:
    """A question with the views of every page, in the order of the tree's pages."""

    question: Question
    views: dict[str, numpy.ndarray]
    links: PageLinks

    @property
    def gold(self) -> numpy.ndarray:
        """Places of the gold pages."""
        pages = len(self.views["named_page"])
        return numpy.array(sorted({page - 1 for page in self.question.evidence_pages if 0 < page <= pages}), dtype=int)


@dataclass(frozen=True)
class Example:
    """A question with what each fitted weight is multiplied by (rows) on each page (columns), without its weight."""

    question: Question
    values: numpy.ndarray
    fixed: numpy.ndarray
    """What the weights that are not fitted add."""
    gold: numpy.ndarray


def ask(qa: QaSet, doc_id: str, prepared: Prepared) -> list[Asked]:
    """The questions of one document that have gold pages."""
    if prepared.failure is not None:
        return []
    tree = DocTree.load(prepared.doc.data / "doctree.mm.json")
    retriever = Retriever.load(tree, prepared.doc.index, RetrievalSettings())
    found = [
        Asked(each, retriever.page_views(each.question, question_id=each.question_id), retriever.page_links)
        for each in qa.questions
        if each.doc_id == doc_id
    ]
    return [each for each in found if len(each.gold)]


def example(asked: Asked, names: Sequence[str], views: dict[str, numpy.ndarray] | None = None) -> Example:
    """What is fitted for a question by the views of ``names``; a view that takes no part is 0."""
    views = asked.views if views is None else views
    none = numpy.zeros(len(views["named_page"]))
    fixed = sum((views[name] * weight for name, weight in NAMED_WEIGHTS.items()), start=none)
    return Example(asked.question, numpy.stack([views.get(name, none) for name in names]), fixed, asked.gold)


def fit(rows: Sequence[Example], start: Sequence[float], signed: Sequence[bool] | None = None) -> list[float]:
    """The weights that make the gold pages likeliest, shrunk by the spread of what they are multiplied by; below zero
    only where ``signed``."""
    values = numpy.concatenate([row.values for row in rows], axis=1)
    scale = values.std(axis=1) + 1e-9
    values = (values / scale[:, None]).T
    fixed = numpy.concatenate([row.fixed for row in rows])
    sizes = numpy.array([len(row.fixed) for row in rows])
    starts, owner = numpy.cumsum(sizes) - sizes, numpy.repeat(numpy.arange(len(rows)), sizes)
    gold = numpy.zeros(len(fixed))
    for row, first in zip(rows, starts, strict=True):
        gold[first + row.gold] = 1
    golds = numpy.add.reduceat(gold, starts)
    any_of = numpy.array([row.question.evidence_mode == "any" for row in rows])
    share = _shares_of(rows)

    def loss(weights: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        odds = values @ weights + fixed
        odds = odds - numpy.maximum.reduceat(odds, starts)[owner]
        total = numpy.add.reduceat(numpy.exp(odds), starts)
        likely = numpy.exp(odds) / total[owner]
        found = numpy.add.reduceat(likely * gold, starts) + 1e-12
        each = numpy.add.reduceat((odds - numpy.log(total)[owner]) * gold, starts) / golds
        wanted = numpy.where(any_of[owner], likely * gold / found[owner], gold / golds[owner])
        value = -float(share @ numpy.where(any_of, numpy.log(found), each)) + RIDGE * float(weights @ weights)
        return value, values.T @ (share[owner] * (likely - wanted)) + 2 * RIDGE * weights

    bounds = [(None, None) if free else (0, None) for free in signed or [False] * len(start)]
    found = minimize(loss, numpy.array(start) * scale, jac=True, method="L-BFGS-B", bounds=bounds)
    return [round(float(weight), 4) for weight in found.x / scale]


def fit_chances(rows: Sequence[Asked], rankings: Sequence[Ranking]) -> dict[str, float]:
    """The weights of what the rankings of the questions tell."""
    views = numpy.concatenate([chance_features(each.page_scores, each.page_parts, RANKS) for each in rankings])
    needed = numpy.concatenate(
        [needed_pages(row, each.pages[:RANKS]) for row, each in zip(rows, rankings, strict=True)]
    )
    sizes = [min(RANKS, len(each.pages)) for each in rankings]
    share = numpy.repeat(_shares_of(rows), sizes)
    share /= share.sum()
    middle, scale = views.mean(axis=0), views.std(axis=0) + 1e-9
    scaled = numpy.column_stack([numpy.ones(len(views)), (views - middle) / scale])

    def loss(weights: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        odds, shrunk = scaled @ weights, numpy.concatenate([[0], weights[1:]])
        value = float(share @ (numpy.logaddexp(0, odds) - needed * odds)) + CHANCE_RIDGE * float(shrunk @ shrunk) / 2
        return value, scaled.T @ (share * (1 / (1 + numpy.exp(-odds)) - needed)) + CHANCE_RIDGE * shrunk

    found = minimize(loss, numpy.zeros(scaled.shape[1]), jac=True, method="L-BFGS-B").x
    weights = found[1:] / scale
    return {
        "always": round(float(found[0] - weights @ middle), 4),
        **{name: round(float(weight), 4) for name, weight in zip(CHANCE_FEATURES, weights, strict=True)},
    }


def needed_pages(asked: Asked, pages: Sequence[int]) -> numpy.ndarray:
    """1 for each of the ranked pages that is needed, with evidence mode ``any`` for the best of them alone."""
    gold = numpy.isin(numpy.array(pages, dtype=int) - 1, asked.gold).astype(float)
    if asked.question.evidence_mode == "any":
        gold[numpy.flatnonzero(gold)[1:]] = 0
    return gold


def _shares_of(rows: Sequence[Asked] | Sequence[Example]) -> numpy.ndarray:
    """What each question counts: those of a document together as the square root of their number."""
    asked = Counter(row.question.doc_id for row in rows)
    share = numpy.array([asked[row.question.doc_id] ** -0.5 for row in rows])
    found: numpy.ndarray = share / share.sum()
    return found


def all_views(asked: Asked, first: Mapping[str, float]) -> dict[str, numpy.ndarray]:
    """The views of every page with those of what pages lead to, by the shares that the weights ``first`` give."""
    return {**asked.views, **asked.links.views(shares(asked.views, first))}


def ranking(asked: Asked, weights: PageWeights) -> Ranking:
    """The question's pages, with the parts of the first ``RANKS``."""
    views = all_views(asked, weights.first)
    share = shares(views, weights.last)
    order = numpy.argsort(-share, kind="stable").tolist()
    parts = [
        {name: float(weight * views[name][place]) for name, weight in weights.last.items() if name in views}
        for place in order[:RANKS]
    ]
    return Ranking([], [place + 1 for place in order], [float(share[place]) for place in order], parts)


def fitted(rows: Sequence[Asked]) -> PageWeights:
    """All weights, fitted on the given questions."""
    weights = fit([example(row, EVIDENCE_VIEWS) for row in rows], [1.0] * len(EVIDENCE_VIEWS))
    first = dict(zip(EVIDENCE_VIEWS, weights, strict=True)) | NAMED_WEIGHTS
    names = (*EVIDENCE_VIEWS, *SUPPORTING_VIEWS, *LINKED_VIEWS)
    signed = [name not in (*EVIDENCE_VIEWS, "node") for name in names]
    examples = [example(row, names, all_views(row, first)) for row in rows]
    last = dict(zip(names, fit(examples, [1.0] * len(names), signed), strict=True)) | NAMED_WEIGHTS
    ranker = PageWeights(first, last)
    return PageWeights(first, last, fit_chances(rows, [ranking(row, ranker) for row in rows]))


def fitted_reading(
    rows: Sequence[Asked], scores: Mapping[str, Mapping[int, float]], weights: PageWeights
) -> PageWeights:
    """``weights`` with what a reranker's ``scores`` (question id -> 1-based page -> log odds) add, fitted on those of
    the questions with which it read pages."""
    read = [(row, ranking(row, weights), scores[row.question.question_id]) for row in rows]
    examples = [reading_example(row, found, pages) for row, found, pages in read if pages]
    share, reranker = fit([each for each in examples if len(each.gold)], [1.0, 1.0])
    table = {RERANKER: reranker, "share": share}
    found = [(row, reranked(found, pages, table)) for row, found, pages in read if pages]
    return replace(weights, read=table, read_chance=fit_chances(*zip(*found, strict=True)))


def reading_example(asked: Asked, found: Ranking, scores: Mapping[int, float]) -> Example:
    """The pages that were read, the best ranked first, with the log of their shares and what was said of them."""
    read = [(page, share) for page, share in zip(found.pages, found.page_scores, strict=True) if page in scores]
    shares_of = numpy.clip([share for _, share in read], LEAST_SHARE, 1)
    values = numpy.stack([numpy.log(shares_of), numpy.array([scores[page] for page, _ in read])])
    gold = numpy.flatnonzero(numpy.isin([page - 1 for page, _ in read], asked.gold))
    return Example(asked.question, values, numpy.zeros(len(read)), gold)


def main() -> int:
    """Fit, print and, if it is asked for, keep the weights."""
    parser = argument_parser(__doc__ or "")
    add_options(parser)
    add_reranker_option(parser)
    parser.add_argument("--write", action="store_true", help=f"keep the weights in {PAGES.name}")
    options = parser.parse_args()
    qa, documents = chosen(parser, options)
    prepared = prepare_as_asked(qa, documents, options)
    rows = [row for doc_id in documents for row in ask(qa, doc_id, prepared[doc_id])]
    fitted_on = {row.question.doc_id for row in rows}
    if len(fitted_on) < FOLDS:
        parser.error(f"fewer than {FOLDS} documents have questions with gold pages to fit on")
    known = files.read_json(PAGES)
    before = [PageWeights(**each) for each in (*known["folds"], known["all"])]
    parts = [[row for row in rows if fold_of(row.question.doc_id) != fold] for fold in range(FOLDS)]
    if options.reranker is None:
        after = [
            replace(fitted(part), read=old.read, read_chance=old.read_chance)
            for part, old in zip([*parts, rows], before, strict=True)
        ]
    else:
        read = readings(qa, prepared, options.reranker)
        scores = {key: each.pages for one in read.values() for key, each in one.questions.items()}
        after = [fitted_reading(part, scores, old) for part, old in zip([*parts, rows], before, strict=True)]
    *folds, every = after
    print_table(
        ["weight", "in the code", "fitted"],
        [
            [f"{part} {name}", dict(asdict(PageWeights())[part]).get(name), weight]
            for part, table in asdict(every).items()
            for name, weight in table.items()
        ],
    )
    table = {
        "documents": sorted(document_key(doc_id) for doc_id in fitted_on),
        "folds": [asdict(each) for each in folds],
        "all": asdict(every),
    }
    if options.write:
        files.write_json(PAGES, table)
    write_report(options.json, "tune_retrieval", {"documents": len(fitted_on), "questions": len(rows)}, table)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
