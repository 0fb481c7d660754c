"""A BM25F index of whole pages, made from the postings of the nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from cosee.artifacts.documents.doctree import DocTree, Node, split_id
from cosee.index.document_index import DocumentIndex
from cosee.index.sparse import FieldScoring, SparseIndex
from cosee.text.tokens import analyze

if TYPE_CHECKING:
    import numpy as np

FURNITURE = ("header", "footer")
"""Reasons of dropped items that say something about their page."""

PAGE_SCORING = FieldScoring(
    weights={"body": 1.0, "headings": 0.35, "furniture": 0.7},
    length_normalisation={"headings": 0.3, "furniture": 0.2},
    default_normalisation=0.6,
    k1=2.0,
)


def pages_of(node: Node) -> list[int]:
    """0-based pages that a node has a region on."""
    return list(dict.fromkeys([node.page_idx, *(region.page_idx for region in node.regions)]))


def page_index(tree: DocTree, index: DocumentIndex) -> SparseIndex:
    """A BM25F index of whole pages, made from the postings of the nodes: no text is analysed again.

    ``body`` holds the leaves, headings, and texts of images and tables on a page; ``headings`` each word of the
    headings above them once; ``furniture`` its running header and footer, which the tree dropped (the company's name
    over its balance sheet can be one).
    """
    import numpy

    furniture = [(each.page_idx, analyze(each.text)) for each in tree.dropped if each.reason in FURNITURE]
    words = {word for _, terms in furniture for word in terms}
    vocabulary = sorted({*index.sparse_leaf.vocabulary, *index.sparse_coarse.vocabulary, *words})
    place_of = {term: place for place, term in enumerate(vocabulary)}
    pages = {page.page_idx: place for place, page in enumerate(tree.pages)}
    tables: list[np.ndarray] = []
    for part in (index.sparse_leaf, index.sparse_coarse):
        if not len(part.postings):
            continue
        terms = numpy.array([place_of[term] for term in part.vocabulary], dtype=numpy.int64)
        links = [
            (place, pages[page])
            for place, each in enumerate(part.ids)
            for page in pages_of(tree.node(split_id(each)[0]))
            if page in pages
        ]
        for field, rows in _page_fields(tree, part):
            page, term, count = _join(rows, links, len(part.ids)).T
            tables.append(numpy.column_stack([page, numpy.full(len(page), field), terms[term], count]))
    running = [(pages[page], 2, place_of[term], 1) for page, found in furniture if page in pages for term in found]
    table = numpy.concatenate([*tables, numpy.array(running, dtype=numpy.int64).reshape(-1, 4)])
    # One number for page, field and term: sorting rows takes three times as long.
    size = max(1, len(vocabulary))
    cells, cell_of = numpy.unique((table[:, 0] * 3 + table[:, 1]) * size + table[:, 2], return_inverse=True)
    counts = numpy.bincount(cell_of.reshape(-1), weights=table[:, 3], minlength=len(cells)).astype(numpy.int64)
    page_fields, cell_terms = numpy.divmod(cells, size)
    cell_pages, cell_fields = numpy.divmod(page_fields, 3)
    counts[cell_fields == 1] = 1
    postings = numpy.column_stack([cell_pages, cell_fields, cell_terms, counts]).astype(numpy.int32)
    ids = [f"P{page.page_idx}" for page in tree.pages]
    return SparseIndex(ids, ("body", "headings", "furniture"), vocabulary, postings, PAGE_SCORING)


def _page_fields(tree: DocTree, part: SparseIndex) -> Iterable[tuple[int, np.ndarray]]:
    """(field of the page: 0 body, 1 headings; postings) of what belongs on a page; an image's title only where no
    caption leaf repeats it."""
    import numpy

    uncaptioned = numpy.array([not tree.node(split_id(each)[0]).caption_ids for each in part.ids])
    is_section = numpy.array([tree.node(split_id(each)[0]).type == "section" for each in part.ids])
    for number, name in enumerate(part.fields):
        rows = part.postings[part.postings[:, 1] == number]
        if name == "body":
            rows = rows[~is_section[rows[:, 0]]]
        elif name == "title":
            rows = rows[uncaptioned[rows[:, 0]]]
        elif name not in ("heading", "headings_path"):
            continue
        yield int(name == "headings_path"), rows[:, [0, 2, 3]].astype(numpy.int64)


def _join(rows: np.ndarray, links: Sequence[tuple[int, int]], documents: int) -> np.ndarray:
    """Rows (document, term, count) and links (document, page) -> rows (page, term, count)."""
    import numpy

    table = numpy.array(links, dtype=numpy.int64).reshape(-1, 2)
    starts = numpy.searchsorted(table[:, 0], numpy.arange(documents + 1))
    repeats = numpy.diff(starts)[rows[:, 0]]
    expanded = numpy.repeat(rows, repeats, axis=0)
    offsets = numpy.arange(len(expanded)) - numpy.repeat(numpy.cumsum(repeats) - repeats, repeats)
    expanded[:, 0] = table[starts[expanded[:, 0]] + offsets, 1]
    return expanded
