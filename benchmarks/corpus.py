"""Which page answers a question, of all documents pooled: the index of a collection beside BM25 over all pages.

``python -m benchmarks.corpus --qa DIR --json OUT``. The question names no document. ``bm25`` ranks every page by its
words (rank_bm25, lower-case words of PyMuPDF's text). ``collection`` takes the documents that the collection's index
gives and ranks their pages, as a run does; its weights are those fitted on the questions of other documents (five folds
by the document's id). ``given`` is told the document: what a choice of documents without fault would reach.

The text of some questions cannot tell its document ("What is the title?"). Such a question is one for which a tenth of
the documents or more have a page that holds at least as many of its search terms as any page of its own document; these
are reported apart as ``untold``, the others as ``told``.

``--fit`` prints the weights fitted on all questions: those of ``DocumentWeights``. With ``--rows N`` an index of N rows
is made of the same rows over and over, in shards of 1,000 pages, and searched: time, memory and disk.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy
import pymupdf
from rank_bm25 import BM25Okapi
from scipy.optimize import minimize

from benchmarks.common import QaSet, argument_parser, chosen, interval, print_table, write_report
from benchmarks.corpus_scale import scale
from benchmarks.folds import FOLDS, fold_of
from benchmarks.page_peers import words_of
from benchmarks.prepare import DATASET, Prepared, add_options, failures, prepare_as_asked
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.evaluation.retrieval_metrics import score_pages
from cosee.index.vectors import VectorView, load_view
from cosee.retrieval.collection.joined import Chosen, CollectionRetriever
from cosee.retrieval.collection.rows import DocumentRows, document_rows
from cosee.retrieval.collection.search import FEATURES, CollectionSearch, DocumentWeights, Scored, searched_terms
from cosee.retrieval.collection.store import Member, Shard, arrays_of, save_shard
from cosee.retrieval.retriever import Retriever
from cosee.runs.collection import likeliest
from cosee.text.tokens import analyze

CUTS = (1, 3, 5, 10)
UNTOLD_SHARE = 0.1
SAMPLE = 20
"""Every so many questions are asked of the large index."""
RIDGE = 0.0005
SETTINGS = RetrievalSettings()
Page = tuple[str, int]
"""Document and 1-based page."""


@dataclass(frozen=True)
class Asked:
    """A question with what is worked out once: ``features`` of each document, ``untold`` as above."""

    question: Question
    terms: dict[str, float]
    features: numpy.ndarray
    untold: bool
    seconds: float
    """CPU seconds of the features."""

    @property
    def fold(self) -> int:
        """The part of the documents that its own is in."""
        return fold_of(self.question.doc_id)


class Pool:
    """The documents of a question folder, searched as one collection."""

    def __init__(self, qa: QaSet, prepared: Mapping[str, Prepared], folder: Path) -> None:
        self.qa = qa
        self.retrievers: dict[str, Retriever] = {}
        self.rows: dict[str, DocumentRows] = {}
        self.views: dict[str, VectorView] = {}
        members = []
        for doc_id, each in prepared.items():
            if each.failure is None:
                tree = DocTree.load(each.doc.data / "doctree.mm.json")
                loaded = Retriever.load(tree, each.doc.index, SETTINGS)
                self.retrievers[doc_id] = loaded.with_settings(SETTINGS)
                self.rows[doc_id] = document_rows(tree, loaded.index)
                self.views[doc_id] = load_view(each.doc.index, "questions")
                members.append(Member(doc_id, self.rows[doc_id], "", ""))
        self.identity = next(iter(self.retrievers.values())).index.identity
        save_shard(folder / "0000.json", members, [], self.identity)
        self.search = CollectionSearch([(DATASET, Shard(folder / "0000.json"))])
        self.disk = arrays_of(folder / "0000.json").stat().st_size

    @cached_property
    def page_terms(self) -> dict[str, list[frozenset[str]]]:
        """Document -> the terms of each page's text as PyMuPDF gives it."""
        return {doc_id: [frozenset(analyze(text)) for text in self.texts[doc_id]] for doc_id in self.qa.documents}

    @cached_property
    def texts(self) -> dict[str, list[str]]:
        """Document -> each page's text as PyMuPDF gives it."""
        found = {}
        for doc_id in self.qa.documents:
            with pymupdf.open(self.qa.pdf(doc_id)) as document:
                found[doc_id] = [page.get_text() for page in document]
        return found

    def is_untold(self, question: Question) -> bool:
        """Whether the text cannot tell the document, by the rule above."""
        terms = set(searched_terms(question.question))
        held = {
            doc_id: max((len(terms & page) for page in pages), default=0) for doc_id, pages in self.page_terms.items()
        }
        own = held.pop(question.doc_id)
        return sum(count >= own for count in held.values()) >= UNTOLD_SHARE * (len(held) + 1)

    def asked(self, question: Question) -> Asked:
        """A question with its features."""
        terms = searched_terms(question.question)
        own = self.retrievers.get(question.doc_id)
        vector = own.question_vector(question.question, question.question_id) if own else None
        self.search.features(terms, vector)  # what is read for the first time is not measured
        started = time.process_time()
        found = self.search.features(terms, vector)
        return Asked(question, terms, found, self.is_untold(question), time.process_time() - started)

    def pages(self, asked: Asked, scored: Sequence[Scored]) -> tuple[list[Page], float]:
        """The pages of the documents that a question needs, and the CPU seconds of the search in these documents."""
        own = self.retrievers.get(asked.question.doc_id)
        view = self.views.get(asked.question.doc_id)
        chosen = []
        for each in likeliest(scored, SETTINGS.documents):
            retriever = self.retrievers[each.doc_id]
            if own is not None and view is not None and retriever.index.views:
                retriever = retriever.with_questions(view, own.index.folder)
            chosen.append(Chosen(each.doc_id, retriever, each.chance))
        collection = CollectionRetriever(chosen, {}, in_turns=False)
        started = time.process_time()
        ranking = collection.search(asked.question.question, question_id=asked.question.question_id)
        seconds = time.process_time() - started
        places = (collection.pages.of_page(page) for page in ranking.pages)
        return [(chosen[place[0]].name, place[1]) for place in places if place is not None], seconds

    def queries(self, step: int) -> list[tuple[dict[str, float], numpy.ndarray | None]]:
        """Terms and vector of every so many questions."""
        return [
            (searched_terms(each.question), own.question_vector(each.question, each.question_id))
            for each in self.qa.questions[::step]
            if (own := self.retrievers.get(each.doc_id)) is not None
        ]

    def given(self, question: Question) -> list[Page]:
        """The pages of the question's own document."""
        retriever = self.retrievers.get(question.doc_id)
        if retriever is None:
            return []
        ranking = retriever.search(question.question, question_id=question.question_id)
        return [(question.doc_id, page) for page in ranking.pages]


def bm25(pool: Pool, questions: Sequence[Question]) -> dict[str, list[Page]]:
    """Question -> the best 50 of all pages by BM25 over their words."""
    pages = [(doc_id, page) for doc_id, texts in pool.texts.items() for page in range(1, len(texts) + 1)]
    index = BM25Okapi([words_of(text) or [""] for texts in pool.texts.values() for text in texts])
    found = {}
    for question in questions:
        order = numpy.argsort(-index.get_scores(words_of(question.question)), kind="stable")
        found[question.question_id] = [pages[place] for place in order[:50]]
    return found


def fit(rows: Sequence[Asked], documents: Sequence[tuple[str, str]]) -> DocumentWeights:
    """The weights that make the questions' own documents likeliest, none below zero; each document counts as the square
    root of its questions."""
    place = {doc_id: number for number, (_, doc_id) in enumerate(documents)}
    rows = [row for row in rows if row.question.doc_id in place]
    count = Counter(row.question.doc_id for row in rows)
    shares = numpy.array([count[row.question.doc_id] ** -0.5 for row in rows])
    shares /= shares.sum()

    def loss(weights: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        total, slope = RIDGE * float(weights @ weights), 2 * RIDGE * weights
        for row, share in zip(rows, shares, strict=True):
            odds = weights @ row.features
            likely = numpy.exp(odds - odds.max())
            likely /= likely.sum()
            own = place[row.question.doc_id]
            total -= share * float(numpy.log(likely[own] + 1e-12))
            likely[own] -= 1
            slope = slope + share * (row.features @ likely)
        return total, slope

    start = numpy.array([getattr(DocumentWeights(), name) for name in FEATURES])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(start))
    return DocumentWeights(**{name: round(float(value), 3) for name, value in zip(FEATURES, found.x, strict=True)})


def measure(
    questions: Sequence[Question], rankings: Mapping[str, Sequence[Page]], documents: Mapping[str, Sequence[str]]
) -> dict[str, list[float]]:
    """Measure -> one value a question; ``document@k`` where the documents of a ranking are known."""
    found: dict[str, list[float]] = {}
    for question in questions:
        gold = [(question.doc_id, page) for page in question.evidence_pages]
        any_of = question.evidence_mode == "any"
        scores = score_pages(rankings[question.question_id], gold, CUTS, any_of=any_of)
        ranked = documents.get(question.question_id)
        ranked = list(dict.fromkeys(name for name, _ in rankings[question.question_id])) if ranked is None else ranked
        for k in CUTS:
            found.setdefault(f"recall@{k}", []).append(scores.recall[k])
            found.setdefault(f"document@{k}", []).append(float(question.doc_id in ranked[:k]))
        found.setdefault("mrr", []).append(scores.reciprocal_rank)
    return found


def main() -> int:
    """Run the benchmark."""
    parser = argument_parser((__doc__ or "").split("\n")[0])
    add_options(parser)
    parser.add_argument("--fit", action="store_true", help="print the weights fitted on all questions")
    parser.add_argument("--rows", type=int, default=0, help="rows of the index that is searched for time and memory")
    options = parser.parse_args()
    qa, documents = chosen(parser, options)
    prepared = prepare_as_asked(qa, documents, options)
    figures: dict[str, float] = {}
    with TemporaryDirectory(dir=options.work) as scratch:
        pool = Pool(qa, prepared, Path(scratch))
        detail = run(pool, figures, fitted=options.fit)
        if options.rows:
            found = scale(pool.rows, pool.identity, pool.queries(SAMPLE), options.rows, Path(scratch))
            print()
            print_table(["", "value"], [[name, value] for name, value in found.items()])
            figures |= {f"scale.{name}": value for name, value in found.items()}
    detail["failed"] = failures(prepared)
    write_report(options.json, "corpus", figures, detail)
    return 0


def run(pool: Pool, figures: dict[str, float], *, fitted: bool) -> dict[str, Any]:
    """Fill in the figures and print them; what stands beside them."""
    questions = [each for each in pool.qa.questions if each.evidence_pages]
    asked = [pool.asked(each) for each in questions]
    folds = {fold: fit([each for each in asked if each.fold != fold], pool.search.documents) for fold in range(FOLDS)}
    rankings: dict[str, dict[str, list[Page]]] = {"bm25": bm25(pool, questions), "collection": {}}
    rankings["given"] = {each.question_id: pool.given(each) for each in questions}
    found_documents: dict[str, list[str]] = {}
    counts, seconds = [], []
    for each in asked:
        scored = pool.search.ranked(each.features, folds[each.fold])
        pages, taken = pool.pages(each, scored)
        rankings["collection"][each.question.question_id] = pages
        found_documents[each.question.question_id] = [one.doc_id for one in scored[: max(CUTS)]]
        counts.append(len(likeliest(scored, SETTINGS.documents)))
        seconds.append(each.seconds + taken)
    intervals: dict[str, list[float] | None] = {}
    groups = {
        "all": questions,
        "told": [each.question for each in asked if not each.untold],
        "untold": [each.question for each in asked if each.untold],
    }
    for group, members in groups.items():
        print(f"\n{group}: {len(members)} questions about {len({each.doc_id for each in members})} documents")
        owners = [each.doc_id for each in members]
        values = {
            name: measure(members, ranked, found_documents if name == "collection" else {})
            for name, ranked in rankings.items()
        }
        names = [f"recall@{k}" for k in CUTS] + [f"document@{k}" for k in CUTS] + ["mrr"]
        for method, row in values.items():
            for name in names:
                figures[f"{name}.{group}.{method}"] = float(numpy.mean(row[name])) if members else 0.0
        for name in names:
            differences = [a - b for a, b in zip(values["collection"][name], values["bm25"][name], strict=True)]
            intervals[f"{name}.{group}.collection-bm25"] = interval(differences, owners)
        print_table(
            ["ranking", *names],
            [[method, *(figures[f"{name}.{group}.{method}"] for name in names)] for method in values],
        )
    figures |= {
        "documents.mean": float(numpy.mean(counts)),
        "query_ms.mean": 1000 * float(numpy.mean(seconds)),
        "query_ms.p95": 1000 * float(numpy.quantile(seconds, 0.95)),
        "query_ms.index": 1000 * float(numpy.mean([each.seconds for each in asked])),
        "index_mb": pool.disk / 1e6,
    }
    print()
    shown = ("documents.mean", "query_ms.mean", "query_ms.p95", "query_ms.index", "index_mb")
    print_table(["figure", "value"], [[name, figures[name]] for name in shown])
    told = {f"fold {fold}": weights for fold, weights in folds.items()} | {"in code": DocumentWeights()}
    if fitted:
        told["all"] = fit(asked, pool.search.documents)
    print()
    table: list[list[str | float | int | None]] = []
    for name, each_weights in told.items():
        table.append([name, *(float(getattr(each_weights, field)) for field in FEATURES)])
    print_table(["weights", *FEATURES], table)
    return {
        "documents": len(pool.retrievers), "pages": sum(each.rows - 1 for each in pool.rows.values()),
        "questions": {group: len(members) for group, members in groups.items()}, "intervals": intervals,
        "weights": {name: {each.name: getattr(weights, each.name) for each in fields(weights)}
                    for name, weights in told.items()},
    }  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
