"""What of a document is searched and read at all: the index and the tree without what the settings leave out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cosee.artifacts.documents.doctree import DocTree, Node, split_id
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.index.document_index import DocumentIndex
from cosee.index.sparse import SparseIndex
from cosee.index.vectors import VectorView

EXCLUSIONS = ("sections", "section_variants", "ocr")
"""The settings that leave something out where they are off."""


def without_excluded(tree: DocTree, index: DocumentIndex, settings: RetrievalSettings) -> tuple[DocTree, DocumentIndex]:
    """Tree and index as the settings want them; the same objects where they leave nothing out."""
    if all(getattr(settings, name) for name in EXCLUSIONS):
        return tree, index
    blank = set() if settings.ocr else {node.id for node in tree.nodes if "ocr" in node.flags}

    def keep(record_id: str) -> bool:
        node_id, variant, _ = split_id(record_id)
        if node_id in blank:
            return False
        if tree.node(node_id).type != "section":
            return True
        return settings.sections and (settings.section_variants or variant in (None, "h"))

    left = replace(
        index,
        views={name: _part_of_view(view, keep) for name, view in index.views.items()},
        sparse_coarse=_part_of_sparse(index.sparse_coarse, keep),
        sparse_leaf=_part_of_sparse(index.sparse_leaf, keep),
    )
    if not blank:
        return tree, left
    nodes = [_blank(node) if node.id in blank else node for node in tree.nodes]
    # No model_copy: it would take along the lookups that were made of the old nodes.
    fields = {name: getattr(tree, name) for name in DocTree.model_fields}
    return DocTree.model_construct(**{**fields, "nodes": nodes}), left


def _blank(node: Node) -> Node:
    """The node as if OCR had read nothing there; its place, and a figure's picture, stay."""
    gone = {"text": "", "title": None, "table": None, "description": None, "chart": None, "label": None}
    return node.model_copy(update={**gone, "flags": [*node.flags, "hidden"]})


def _part_of_view(view: VectorView, keep: Callable[[str], bool]) -> VectorView:
    """A view with some of its rows; without its FAISS index, whose rows are all of them."""
    rows = [row for row, record_id in enumerate(view.meta.ids) if keep(record_id)]
    if len(rows) == len(view.meta.ids):
        return view
    kept = {name: [getattr(view.meta, name)[row] for row in rows] for name in ("ids", "text_sha256")}
    return VectorView(view.meta.model_copy(update=kept), view.vectors[rows])


def _part_of_sparse(index: SparseIndex, keep: Callable[[str], bool]) -> SparseIndex:
    """An inverted index of some of its documents, with the document frequencies of these alone."""
    import numpy

    rows = [row for row, record_id in enumerate(index.ids) if keep(record_id)]
    if len(rows) == len(index.ids):
        return index
    place = numpy.full(len(index.ids), -1, dtype=index.postings.dtype)
    place[rows] = numpy.arange(len(rows))
    postings = index.postings[place[index.postings[:, 0]] >= 0].copy()
    postings[:, 0] = place[postings[:, 0]]
    ids = [index.ids[row] for row in rows]
    return SparseIndex(ids, index.fields, index.vocabulary, postings, index.scoring)
