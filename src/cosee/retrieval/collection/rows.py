"""From a document's own index to its rows in the index of a collection: one for its title, one for each page."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from cosee.artifacts.documents.doctree import DocTree, split_id
from cosee.index.document_index import DocumentIndex
from cosee.index.sparse import SparseIndex
from cosee.retrieval.page_index import PAGE_SCORING, page_index, pages_of
from cosee.text.tokens import analyze

if TYPE_CHECKING:
    import numpy as np

USUAL_LENGTHS = {"body": 250.0, "headings": 12.0, "furniture": 8.0}
"""Terms of a usual page by field, in the place of the collection's mean: rows of one shard must not hang on another."""
TITLE_LENGTH = 12.0
OPENING_PAGES = 2
"""Pages whose headings belong to the title of a document, beside its name: few files say what they are called."""


@dataclass(frozen=True)
class DocumentRows:
    """``cells``: columns row, term (a place in ``terms``), weight 1..255; ``vectors``: float32 of each row."""

    title: str
    rows: int
    terms: list[str]
    cells: np.ndarray
    vectors: np.ndarray


def term_hash(term: str) -> int:
    """What stands for a term in the index: 64 bits, the same on every machine."""
    return int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def document_rows(tree: DocTree, index: DocumentIndex) -> DocumentRows:
    """The rows of a document: the first its title, then a row for each page, in order."""
    import numpy

    pages = page_index(tree, index)
    title = title_of(tree)
    words = Counter(analyze(f"{title}\n{_opening(tree)}"))
    terms = sorted({*pages.vocabulary, *words})
    place = {term: number for number, term in enumerate(terms)}
    known = numpy.array([place[term] for term in pages.vocabulary], dtype=numpy.int64)
    found = _page_cells(pages)
    found[:, 1] = known[found[:, 1]] if len(found) else 0
    found[:, 0] += 1
    norm = 0.4 + 0.6 * sum(words.values()) / TITLE_LENGTH
    head = [[0, place[term], _byte(count / norm)] for term, count in sorted(words.items())]
    cells = numpy.concatenate([numpy.array(head, dtype=numpy.int64).reshape(-1, 3), found])
    return DocumentRows(title, 1 + len(tree.pages), terms, cells, _vectors(tree, index))


def title_of(tree: DocTree) -> str:
    """The document's name and what it calls itself."""
    name = re.sub(r"[_\-.]+", " ", tree.doc_id)
    return f"{tree.title} ({name})" if tree.title else name


def _opening(tree: DocTree) -> str:
    """The headings of the first pages."""
    return "\n".join(
        node.title or "" for node in tree.of_type("section") if node.page_idx < OPENING_PAGES and node.readable
    )


def _byte(value: float) -> int:
    return max(1, round(255 * value / (PAGE_SCORING.k1 + value)))


def _page_cells(pages: SparseIndex) -> np.ndarray:
    """Rows (page, term, weight 1..255) of BM25F without the inverse document frequency."""
    import numpy

    scoring, fields = PAGE_SCORING, pages.fields
    usual = numpy.array([USUAL_LENGTHS[name] for name in fields])
    b = numpy.array([scoring.length_normalisation.get(name, scoring.default_normalisation) for name in fields])
    weight = numpy.array([scoring.weights[name] for name in fields])
    norm = 1 - b + b * pages.lengths / usual
    place, field, term, count = pages.postings.T
    cells, cell_of = numpy.unique(place.astype(numpy.int64) * max(1, len(pages.vocabulary)) + term, return_inverse=True)
    values = numpy.bincount(cell_of.reshape(-1), weight[field] * count / norm[place, field], minlength=len(cells))
    bytes_ = numpy.maximum(1, numpy.rint(255 * values / (scoring.k1 + values)))
    rows, terms = numpy.divmod(cells, max(1, len(pages.vocabulary)))
    return numpy.column_stack([rows, terms, bytes_.astype(numpy.int64)])


def _vectors(tree: DocTree, index: DocumentIndex) -> np.ndarray:
    """Of each row the mean of the vectors on its page, of the first that of all pages; unit length or zero."""
    import numpy

    places = {page.page_idx: number for number, page in enumerate(tree.pages, start=1)}
    total = numpy.zeros((1 + len(tree.pages), index.identity[2]), dtype=numpy.float64)
    for view in index.views.values():
        links = [
            (places[page], row)
            for row, each in enumerate(view.meta.ids)
            for node in [tree.node(split_id(each)[0])]
            if node.type != "section"
            for page in pages_of(node)
            if page in places
        ]
        if links:
            rows, records = numpy.array(links).T
            numpy.add.at(total, rows, view.vectors[records])
    total[1:] = _unit(total[1:])
    total[0] = total[1:].sum(axis=0)
    total[:1] = _unit(total[:1])
    return total.astype(numpy.float32)


def _unit(vectors: np.ndarray) -> np.ndarray:
    import numpy

    norms = numpy.linalg.norm(vectors, axis=1, keepdims=True)
    found: np.ndarray = vectors / numpy.where(norms > 0, norms, 1)
    return found
