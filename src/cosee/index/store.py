"""The index of one document as one value: read, checked, ready for search."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cosee.artifacts.base import load_rows
from cosee.artifacts.doctree import DocTree
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.index import DenseCoarse, DenseLeaf, GraphEdge, IdMaps
from cosee.index.dense import VectorView, load_view
from cosee.index.self_check import check_graph, check_records, check_views
from cosee.index.sparse import SparseIndex, load_sparse

VIEWS = ("coarse", "leaf", "leaf_raw")


@dataclass(frozen=True)
class DocumentIndex:
    """Everything that retrieval reads. ``views`` have no rows where the index is sparse only."""

    coarse: list[DenseCoarse]
    leaves: list[DenseLeaf]
    views: dict[str, VectorView]
    sparse_coarse: SparseIndex
    sparse_leaf: SparseIndex
    edges: list[GraphEdge]
    maps: IdMaps

    @property
    def has_vectors(self) -> bool:
        """Whether there is a dense channel."""
        return any(view.meta.ids for view in self.views.values())


def load_index(folder: Path, tree: DocTree) -> DocumentIndex:
    """Read the index of ``tree`` from ``folder``.

    Raises:
        ArtifactError: a file is missing or damaged, or the files do not fit the tree or each other; says what to do.
    """
    index = DocumentIndex(
        coarse=load_rows(DenseCoarse, folder / "dense_coarse.jsonl"),
        leaves=load_rows(DenseLeaf, folder / "dense_leaf.jsonl"),
        views={name: load_view(folder, name) for name in VIEWS},  # type: ignore[arg-type]
        sparse_coarse=load_sparse(folder, "coarse"),
        sparse_leaf=load_sparse(folder, "leaf"),
        edges=load_rows(GraphEdge, folder / "graph_edges.jsonl"),
        maps=IdMaps.load(folder / "id_maps.json"),
    )
    problems = [
        *check_records(tree, index.coarse, index.leaves, index.sparse_coarse, index.sparse_leaf),
        *check_views(index.views, index.coarse, index.leaves),
        *check_graph(tree, index.leaves, index.edges, index.maps),
    ]
    if problems:
        raise ArtifactError(f"{folder}: the index is not sound: {'; '.join(problems[:3])}; redo the index stage")
    return index
