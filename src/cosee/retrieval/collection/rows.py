"""From a document's own index to its rows in the index of a collection: one for its title, one for each page."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from cosee.artifacts.documents.doctree import DocTree, split_id
from cosee.index.document_index import DocumentIndex
from cosee.retrieval.collection.thresholds import LARGEST_WEIGHT, OPENING_PAGES, TITLE_LENGTH, USUAL_LENGTHS
from cosee.retrieval.page_index import PAGE_SCORING, page_index, pages_of
from cosee.text.tokens import analyze

if TYPE_CHECKING:
    import numpy as np


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
    usual_lengths = numpy.array([USUAL_LENGTHS[name] for name in pages.fields])
    page_rows, page_terms, page_counts = pages.normalised_counts(usual_lengths)
    b = PAGE_SCORING.default_normalisation
    norm = 1 - b + b * sum(words.values()) / TITLE_LENGTH
    counts = numpy.concatenate([[words[term] / norm for term in sorted(words)], page_counts])
    cells = numpy.column_stack(
        [
            numpy.concatenate([numpy.zeros(len(words)), 1 + page_rows]),
            numpy.concatenate([[place[term] for term in sorted(words)], known[page_terms]]),
            numpy.maximum(1, numpy.rint(LARGEST_WEIGHT * counts / (PAGE_SCORING.k1 + counts))),
        ]
    )
    return DocumentRows(title, 1 + len(tree.pages), terms, cells.astype(numpy.int64), _vectors(tree, index))


def title_of(tree: DocTree) -> str:
    """The document's name and what it calls itself."""
    name = re.sub(r"[_\-.]+", " ", tree.doc_id)
    return f"{tree.title} ({name})" if tree.title else name


def _opening(tree: DocTree) -> str:
    """The headings of the first pages."""
    return "\n".join(
        node.title or "" for node in tree.of_type("section") if node.page_idx < OPENING_PAGES and node.readable
    )


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
