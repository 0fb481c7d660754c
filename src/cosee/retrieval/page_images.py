"""The page-image view of a document: which pages look like what a question asks for."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.files import ArtifactError
from cosee.index.document_index import DocumentIndex
from cosee.index.page_vectors import MultiVectors, load_multi_vectors
from cosee.index.sparse import SparseIndex
from cosee.retrieval.page_index import page_index
from cosee.retrieval.page_words import PageWords
from cosee.text.tokens import query_weights

if TYPE_CHECKING:
    import numpy as np

PageViewKind = Literal["colqwen2", "text_tokens"]
"""``colqwen2`` compares a question with the pictures of pages; ``text_tokens`` with the words that were read on them
(text layer, OCR, words in figures), and sees no picture."""


class PageImageSearch:
    """Late interaction (MaxSim) between a question and each page of one document.

    Of its pictures where M2 made vectors of them (``index.page_embedder``), else of its words.
    """

    def __init__(
        self,
        tree: DocTree,
        index: DocumentIndex,
        vectors: MultiVectors | None = None,
        questions: MultiVectors | None = None,
    ) -> None:
        """Vectors of the pages and of the questions as M2 wrote them, see ``load_page_vectors``.

        Raises:
            ArtifactError: vectors of other pages, or of another model than the questions'.
        """
        self._page_ids = [f"P{page.page_idx}" for page in tree.pages]
        if vectors is not None and not set(vectors.meta.ids) <= set(self._page_ids):
            raise ArtifactError("page_vectors: of other pages than the tree's; redo the index stage")
        if vectors is not None and questions is not None:
            theirs, ours = questions.meta, vectors.meta
            if (theirs.model, theirs.revision) != (ours.model, ours.revision):
                raise ArtifactError(
                    f"question_pages: made by {theirs.model} {theirs.revision}, the pages' vectors by {ours.model} "
                    f"{ours.revision}; redo the questions stage"
                )
        if vectors is not None and not vectors.meta.ids:
            vectors = None  # no page could be rendered
        self._tree, self._index, self._vectors, self._questions = tree, index, vectors, questions

    @cached_property
    def page_index(self) -> SparseIndex:
        """The words of whole pages, see ``page_index``; the ranking of pages by words uses them too."""
        return page_index(self._tree, self._index)

    @cached_property
    def _words(self) -> PageWords:
        return PageWords(self.page_index)

    def kind_for(self, text: str, question_id: str | None = None) -> PageViewKind:
        """What ``search`` compares this very text with.

        Answering loads no model, so that a rewritten question has no vectors and is searched by its words.
        """
        return "text_tokens" if self._question(text, question_id) is None else "colqwen2"

    def search(self, text: str, question_id: str | None = None, limit: int = 3) -> list[tuple[int, float]]:
        """At most ``limit`` pages as (1-based page, score above 0), best first; ties in order of page.

        ``question_id`` names the vectors that M2 made of this very text. Scores of the two kinds do not compare.
        """
        rows = [(page_idx + 1, score) for page_idx, score in self.scores(text, question_id).items() if score > 0]
        return sorted(rows, key=lambda row: (-row[1], row[0]))[: max(0, limit)]

    def scores(self, text: str, question_id: str | None = None) -> dict[int, float]:
        """0-based page -> its score; pages without vectors (they could not be rendered) have none."""
        question = self._question(text, question_id)
        if question is None or self._vectors is None:
            ids = self._page_ids
            scores = self._words.scores(query_weights(text))
        else:
            ids, scores = self._vectors.meta.ids, self._vectors.max_sim(question)
        return {int(each[1:]): float(score) for each, score in zip(ids, scores, strict=True)}

    def _question(self, text: str, question_id: str | None) -> np.ndarray | None:
        if self._vectors is None or self._questions is None:
            return None
        return self._questions.of(question_id, text)


def load_page_vectors(index_folder: Path) -> tuple[MultiVectors | None, MultiVectors | None]:
    """Vectors of the document's pages and of its questions, where M2 made them; see ``load_multi_vectors``."""
    vectors = load_multi_vectors(index_folder, "page_vectors")
    return vectors, None if vectors is None else load_multi_vectors(index_folder, "question_pages")
