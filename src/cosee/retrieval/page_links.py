"""What one page of a document leads to: the pages beside it, and a figure or table that it refers to.

Sections that a page names are in the index's graph and not here: their pages are ranked no better for it on documents
that were not fitted on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cosee.artifacts.documents.doctree import DocTree, Node
from cosee.index.document_index import DocumentIndex

if TYPE_CHECKING:
    import numpy as np


class PageLinks:
    """The links between one document's pages, by their places in ``tree.pages``."""

    def __init__(self, tree: DocTree, index: DocumentIndex, places_of: Callable[[Node], Sequence[int]]) -> None:
        import numpy

        self._pages = len(tree.pages)
        referring = [
            (place, target)
            for node_id, sources in index.referring.items()
            if node_id in tree.by_id and tree.node(node_id).type != "section"
            for target in places_of(tree.node(node_id))
            for source in sources
            for place in places_of(tree.node(source))
        ]
        links = sorted({(source, target) for source, target in referring if source != target})
        self._referring = numpy.array(links, dtype=numpy.int64).reshape(-1, 2)

    def views(self, share: np.ndarray) -> dict[str, np.ndarray]:
        """Of each page, by the ``share`` of every page: that of the page before, that of the page behind, and the
        largest of those that refer to a figure or table on it."""
        import numpy

        before, after, referred = (numpy.zeros(self._pages) for _ in range(3))
        before[1:], after[:-1] = share[:-1], share[1:]
        numpy.maximum.at(referred, self._referring[:, 1], share[self._referring[:, 0]])
        return {"before": before, "after": after, "referred": referred}
