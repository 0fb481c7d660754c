"""Which pages are found for a question: CoSee beside BM25 and dense vectors over plain page texts.

``python -m benchmarks.retrieval --qa DIR --json OUT``. Questions without gold pages do not count. Recall is the share
of gold pages among the first k (with evidence mode ``any``: whether there is one of them), the reciprocal rank that of
the first gold page. A document that could not be parsed counts 0 for CoSee. The peers read each page's text as PyMuPDF
gives it, by itself: BM25 (rank_bm25, lower-case words) over pages; the best cosine of a page's 110-word pieces, with
the embedder of the index; reciprocal rank fusion (k = 60) of both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import pymupdf
from rank_bm25 import BM25Okapi

from benchmarks.common import QaSet, argument_parser, print_table, read_qa, write_report
from benchmarks.prepare import Prepared, prepare
from cosee.artifacts.doctree import DocTree
from cosee.artifacts.questions import Question
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.index.sentences import chunk_ranges
from cosee.models.embedders import Embedder, encode_texts, load_embedder
from cosee.retrieval.retriever import Retriever

CUTS = (1, 3, 5, 10)
PEERS = ("page_bm25", "page_dense", "page_rrf")
LADDER = {"cosee": None, "cosee_sparse": ("sparse",), "cosee_dense": ("dense",)}
"""CoSee with both channels and with one alone."""


class PagePeers:
    """The peers on one document; every ranking holds 1-based pages, best first."""

    def __init__(self, pdf: Path, embedder: Embedder | None) -> None:
        with pymupdf.open(pdf) as document:
            texts = [page.get_text() for page in document]
        self._bm25 = BM25Okapi([_words(text) or [""] for text in texts])
        self._embedder = embedder
        self._pages = len(texts)
        pieces = [(page, text[a:b]) for page, text in enumerate(texts) for a, b in chunk_ranges(text, 110, 20)]
        pieces = [(page, text) for page, text in pieces if text.strip()]
        self._owner = numpy.array([page for page, _ in pieces], dtype=int)
        self._vectors = encode_texts(embedder, [text for _, text in pieces]) if embedder and pieces else None

    def rankings(self, question: str) -> dict[str, list[int]]:
        """Pages by peer; those that need vectors only where there is an embedder."""
        found = {"page_bm25": _ranked(self._bm25.get_scores(_words(question)))}
        if self._embedder is not None:
            scores = numpy.full(self._pages, -1.0)
            if self._vectors is not None:
                numpy.maximum.at(scores, self._owner, self._vectors @ encode_texts(self._embedder, [question])[0])
            found["page_dense"] = _ranked(scores)
            fused = numpy.zeros(self._pages)
            for ranking in list(found.values()):
                for rank, page in enumerate(ranking, start=1):
                    fused[page - 1] += 1 / (60 + rank)
            found["page_rrf"] = _ranked(fused)
        return found


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _ranked(scores: Sequence[float] | numpy.ndarray) -> list[int]:
    return sorted(range(1, len(scores) + 1), key=lambda page: (-scores[page - 1], page))


def measures(question: Question, pages: Sequence[int]) -> dict[str, float]:
    """Recall at each cut and reciprocal rank of one ranking."""
    gold = set(question.evidence_pages)
    found: dict[str, float] = {}
    for cut in CUTS:
        hit = len(gold & set(pages[:cut]))
        found[f"recall@{cut}"] = float(hit > 0) if question.evidence_mode == "any" else hit / len(gold)
    found["mrr"] = next((1 / rank for rank, page in enumerate(pages, start=1) if page in gold), 0.0)
    return found


def run_document(
    qa: QaSet, doc_id: str, prepared: Prepared, embedder: Embedder | None
) -> dict[str, dict[str, list[int]]]:
    """Question id -> method -> pages, for the questions of one document that have gold pages."""
    peers = PagePeers(qa.pdf(doc_id), embedder)
    retriever = None
    if prepared.failure is None:
        tree = DocTree.load(prepared.doc.data / "doctree.mm.json")
        retriever = Retriever.load(tree, prepared.doc.index, RetrievalSettings())
    found: dict[str, dict[str, list[int]]] = {}
    for question in qa.questions:
        if question.doc_id != doc_id or not question.evidence_pages:
            continue
        rankings = peers.rankings(question.question)
        for name, channels in LADDER.items():
            if embedder is None and channels == ("dense",):
                continue
            rankings[name] = (
                retriever.search(question.question, question_id=question.question_id, channels=channels).pages
                if retriever
                else []
            )
        found[question.question_id] = rankings
    return found


def summarise(qa: QaSet, rankings: dict[str, dict[str, list[int]]]) -> tuple[dict[str, float], dict[str, int]]:
    """Figures ``<measure>.<source dataset or all>.<method>``, and the questions of each dataset."""
    values: dict[str, list[float]] = {}
    counts: dict[str, int] = {}
    for question in qa.questions:
        for group in (question.source_dataset, "all") if question.question_id in rankings else ():
            counts[group] = counts.get(group, 0) + 1
            for method, pages in rankings[question.question_id].items():
                for name, value in measures(question, pages).items():
                    values.setdefault(f"{name}.{group}.{method}", []).append(value)
    return {name: sum(each) / len(each) for name, each in values.items()}, counts


def main() -> int:
    """Run the benchmark."""
    parser = argument_parser(__doc__ or "")
    parser.add_argument(
        "--embedder", default="minilm", help="as index.embedder in the configuration; 'none' for no vectors"
    )
    parser.add_argument(
        "--any-code", action="store_true", help="use artifacts in the work folder whatever code made them"
    )
    options = parser.parse_args()
    qa = read_qa(options.qa).only(dataset=options.dataset)
    documents = qa.documents[: options.limit]
    qa = qa.only(documents=documents)
    prepared = prepare(
        qa, documents, options.work, options.embedder, precision=options.precision, any_code=options.any_code
    )
    embedder = load_embedder(options.embedder, options.precision)
    rankings: dict[str, dict[str, list[int]]] = {}
    for doc_id in documents:
        rankings.update(run_document(qa, doc_id, prepared[doc_id], embedder))
    figures, counts = summarise(qa, rankings)
    methods = [name for name in (*LADDER, *PEERS) if f"mrr.all.{name}" in figures]
    names = [*(f"recall@{cut}" for cut in CUTS), "mrr"]
    for group, count in sorted(counts.items(), key=lambda item: (item[0] == "all", item[0])):
        print(f"\n{group}: {count} questions")
        print_table(
            ["method", *names],
            [[method, *(figures[f"{name}.{group}.{method}"] for name in names)] for method in methods],
        )
    detail: dict[str, Any] = {
        "questions": counts,
        "documents": len(documents),
        "failed": {doc_id: each.failure for doc_id, each in prepared.items() if each.failure},
        "embedder": f"{embedder.name} {embedder.revision}" if embedder else "none",
    }
    write_report(options.json, "retrieval", figures, detail)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
