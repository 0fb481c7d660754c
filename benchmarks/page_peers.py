"""Peers that rank pages from each page's text as PyMuPDF gives it, by itself.

BM25 (rank_bm25, lower-case words) over pages; the best cosine of a page's 110-word pieces; reciprocal rank fusion
(k = 60) of both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy
import pymupdf
from rank_bm25 import BM25Okapi

from cosee.models.embedding.embedders import Embedder, encode_texts
from cosee.text.sentences import chunk_ranges

PEERS = ("page_bm25", "page_dense", "page_rrf")


class PagePeers:
    """The peers on one document; every ranking holds 1-based pages, best first."""

    def __init__(self, pdf: Path, embedder: Embedder | None) -> None:
        with pymupdf.open(pdf) as document:
            texts = [page.get_text() for page in document]
        self._bm25 = BM25Okapi([words_of(text) or [""] for text in texts])
        self._embedder = embedder
        self._pages = len(texts)
        if embedder is None:
            return
        pieces = [(page, text[a:b]) for page, text in enumerate(texts) for a, b in chunk_ranges(text, 110, 20)]
        pieces = [(page, text) for page, text in pieces if text.strip()]
        self._owner = numpy.array([page for page, _ in pieces], dtype=int)
        self._vectors = encode_texts(embedder, [text for _, text in pieces]) if pieces else None

    def rankings(self, question: str) -> dict[str, list[int]]:
        """Pages by peer; those that need vectors only where there is an embedder."""
        found = {"page_bm25": _ranked(self._bm25.get_scores(words_of(question)))}
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


def words_of(text: str) -> list[str]:
    """Words in lower case."""
    return re.findall(r"\w+", text.lower())


def _ranked(scores: Sequence[float] | numpy.ndarray) -> list[int]:
    return sorted(range(1, len(scores) + 1), key=lambda page: (-scores[page - 1], page))
