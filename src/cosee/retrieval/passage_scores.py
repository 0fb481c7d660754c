"""What a reranker says of the pages that a question may need: of the part of each that has most of the question.

It reads when M2 runs, so that answering loads no model.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable

from cosee.artifacts import files
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.index import PassageScores, QuestionPassages
from cosee.index.sparse import SparseIndex
from cosee.models.embedding.rerankers import PassageReranker
from cosee.question.instructions import without_instructions
from cosee.retrieval.page_chances import enough
from cosee.retrieval.retriever import Retriever
from cosee.retrieval.thresholds import (
    FURTHER_TERM,
    FURTHER_TERMS,
    PASSAGE_STEP,
    PASSAGE_WORDS,
    READ_CHANCE,
    TOP_WORDS,
)
from cosee.text.scripts import UNSPACED
from cosee.text.tokens import analyze

_WORD = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")


class PagePassages:
    """Finds the passages of one document's pages."""

    def __init__(self, tree: DocTree, pages: SparseIndex) -> None:
        """``pages`` has a document for each page, as ``page_index`` makes it."""
        self._tree, self._pages = tree, pages

    def best(self, page: int, question: str) -> str:
        """The ``PASSAGE_WORDS`` words in a row of the 1-based ``page`` that hold most of the question, each of its
        terms counted by how few pages have it; above them the page's first ``TOP_WORDS`` where it begins earlier."""
        text = self._tree.page_text(page - 1)
        words = [found.span() for found in _WORD.finditer(text)]
        if not words:
            return ""
        weights = {term: self._rarity(term) for term in analyze(question)}

        def part(first: int, count: int) -> str:
            return " ".join(text[words[first][0] : words[min(first + count, len(words)) - 1][1]].split())

        def weight(first: int) -> float:
            counts = Counter(term for term in analyze(part(first, PASSAGE_WORDS)) if term in weights)
            return sum(weights[term] * (1 + FURTHER_TERM * min(n - 1, FURTHER_TERMS)) for term, n in counts.items())

        starts = range(0, max(1, len(words) - PASSAGE_WORDS + PASSAGE_STEP), PASSAGE_STEP)
        best = max(starts, key=lambda first: (round(weight(first), 6), -first))
        passage = part(best, PASSAGE_WORDS)
        return f"{part(0, TOP_WORDS)}\n{passage}" if best >= TOP_WORDS else passage

    def _rarity(self, term: str) -> float:
        column, starts = self._pages.terms.get(term), self._pages.weights.starts
        pages = 0 if column is None else int(starts[column + 1] - starts[column])
        return math.log((len(self._pages.ids) + 1) / (pages + 0.5))


def passage_scores(reranker: PassageReranker, retriever: Retriever, questions: Iterable[Question]) -> PassageScores:
    """Reads each question with the pages whose chance to be needed reaches ``READ_CHANCE`` and those ranked before
    them, ``MOST_PAGES`` at most, but for pages without text; with none where that leaves one. ``retriever`` ranks
    without what a reranker said.

    Raises:
        ModelError: the reranker failed.
    """
    passages = PagePassages(retriever.tree, retriever.page_images.page_index)
    read: dict[str, QuestionPassages] = {}
    for question in questions:
        text = question.question
        asked = without_instructions(text)
        found = retriever.search(text, question_id=question.question_id)
        pages = sorted(found.pages[: enough(found.page_chances, bound=READ_CHANCE)])
        texts = {page: passage for page in pages if (passage := passages.best(page, asked))} if len(pages) > 1 else {}
        texts = texts if len(texts) > 1 else {}
        scores = reranker.scores(asked, list(texts.values())) if texts else []
        digest = files.sha256_bytes(text.encode("utf-8"))
        read[question.question_id] = QuestionPassages(text_sha256=digest, pages=dict(zip(texts, scores, strict=True)))
    return PassageScores(model=reranker.name, revision=reranker.revision, questions=read)
