"""The index of one document as one value: sealed when it is written, checked when it is read, ready for search."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.base import REDO, parse_rows
from cosee.artifacts.documents.doctree import DocTree, split_id
from cosee.artifacts.documents.index import (
    DenseCoarse,
    DenseLeaf,
    DenseRow,
    GraphEdge,
    IdMaps,
    IndexManifest,
    Summaries,
    VectorMeta,
)
from cosee.artifacts.files import ArtifactError
from cosee.index.self_check import PROBES_AT_LOAD, check_numbers, check_titles
from cosee.index.sparse import SparseIndex, sparse_of
from cosee.index.vectors import VectorView, view_of

MANIFEST = "index.meta.json"
VIEWS = ("coarse", "leaf", "leaf_raw", "rows")
REMEDY = "redo the index stage"
_NODE_ID = re.compile(rb'"node_id":"([^"#]+)')


@dataclass(frozen=True)
class DocumentIndex:
    """Everything that retrieval reads. ``views`` have no rows where the index is sparse only.

    Records, edges and maps are parsed when they are first asked for: most searches need few of them.
    """

    folder: Path
    manifest: IndexManifest
    views: dict[str, VectorView]
    sparse_coarse: SparseIndex
    sparse_leaf: SparseIndex
    contents: Mapping[str, bytes] = field(repr=False)
    """The bytes of every JSON and JSON lines file of the manifest, by its path below ``folder``."""

    @property
    def has_vectors(self) -> bool:
        """Whether there is a dense channel."""
        return any(view.meta.ids for view in self.views.values())

    @cached_property
    def coarse(self) -> list[DenseCoarse]:
        """The lines of ``dense_coarse.jsonl``."""
        return self._rows(DenseCoarse, "dense_coarse.jsonl")

    @cached_property
    def nodes(self) -> dict[str, DenseCoarse]:
        """Section, image or table -> its first record; the other variants of a section differ in their text alone."""
        lines: dict[bytes, bytes] = {}
        for line in self.contents["dense_coarse.jsonl"].split(b"\n"):
            if found := _NODE_ID.search(line):
                lines.setdefault(found[1], line)
        records = parse_rows(DenseCoarse, b"\n".join(lines.values()), str(self.folder / "dense_coarse.jsonl"))
        return {split_id(record.node_id)[0]: record for record in records}

    @cached_property
    def leaves(self) -> list[DenseLeaf]:
        """The lines of ``dense_leaf.jsonl``."""
        return self._rows(DenseLeaf, "dense_leaf.jsonl")

    @cached_property
    def rows(self) -> list[DenseRow]:
        """The lines of ``dense_rows.jsonl``."""
        return self._rows(DenseRow, "dense_rows.jsonl")

    @cached_property
    def edges(self) -> list[GraphEdge]:
        """The lines of ``graph_edges.jsonl``."""
        return self._rows(GraphEdge, "graph_edges.jsonl")

    @cached_property
    def maps(self) -> IdMaps:
        """``id_maps.json``."""
        return IdMaps.parse(self.contents["id_maps.json"], str(self.folder / "id_maps.json"))

    @cached_property
    def summaries(self) -> Summaries:
        """``summary.json``."""
        return Summaries.parse(self.contents["summary.json"], str(self.folder / "summary.json"))

    @cached_property
    def node_ids(self) -> list[str]:
        """The nodes that are indexed, each once: sections and media first, then leaves."""
        ids = (split_id(each)[0] for each in (*self.sparse_coarse.ids, *self.sparse_leaf.ids))
        return list(dict.fromkeys(ids))

    @cached_property
    def affordances(self) -> dict[str, dict[str, bool]]:
        """Section, image or table -> what it can be used for."""
        return {node_id: record.affordances for node_id, record in self.nodes.items()}

    @cached_property
    def units(self) -> dict[str, set[str]]:
        """Node -> the units that it uses."""
        found: dict[str, set[str]] = {}
        filters = [(each.node_id, each.filters) for each in self.nodes.values()]
        filters += [(each.node_id, each.filters) for each in self.leaves]
        for record_id, values in filters:
            found.setdefault(split_id(record_id)[0], set()).update(values.get("units_set") or ())
        return found

    @cached_property
    def referring(self) -> dict[str, list[str]]:
        """Node -> the leaves that mention it by its label, in reading order."""
        found: dict[str, list[str]] = {}
        for edge in files.parse_jsonl(self.contents["graph_edges.jsonl"]):
            if edge["type"] == "ref":
                found.setdefault(edge["dst"], []).append(split_id(edge["src"])[0])
        return found

    def _rows(self, model: Any, name: str) -> list[Any]:
        return parse_rows(model, self.contents[name], str(self.folder / name))


def tree_digest(tree: DocTree) -> str:
    """sha256 of everything in a tree that its index is made from."""
    nodes = [
        (node.id, node.type, node.parent, node.page_idx, node.page_span, node.level, node.flags, node.label, node.title,
         node.text, node.description, node.kind, node.chart_form, node.caption_ids, node.caption_of,
         [region.page_idx for region in node.regions],
         (node.table.header_rows, node.table.rows) if node.table else None)
        for node in tree.nodes
    ]  # fmt: skip
    pages = [(page.page_idx, page.page_label, page.flags) for page in tree.pages]
    return files.sha256_bytes(repr((nodes, pages)).encode("utf-8", "surrogatepass"))


def seal_index(folder: Path, tree: DocTree, outputs: Iterable[Path], counts: dict[str, int]) -> Path:
    """Write ``index.meta.json`` over the files of a new index; its path."""
    digests = {str(path.relative_to(folder)): files.sha256_file(path) for path in outputs}
    manifest = IndexManifest(doc_id=tree.doc_id, tree_sha256=tree_digest(tree), files=digests, counts=counts)
    manifest.save(folder / MANIFEST)
    return folder / MANIFEST


def load_index(folder: Path, tree: DocTree) -> DocumentIndex:
    """Read the index of ``tree`` from ``folder``: every file is the one that was written and checked, of this tree.

    Raises:
        ArtifactError: a file is missing or changed, or the index is of another tree; names it and says what to do.
    """
    try:
        manifest = IndexManifest.load(folder / MANIFEST)
        if (manifest.doc_id, manifest.tree_sha256) != (tree.doc_id, tree_digest(tree)):
            raise ArtifactError(f"{folder}: the index of {manifest.doc_id!r} is not of this version of its tree")
        contents = {name: _checked(folder / name, digest) for name, digest in manifest.files.items()}
        index = _index_of(folder, manifest, contents)
    except ArtifactError as error:
        said = str(error).removesuffix(REDO)
        raise ArtifactError(said if "redo the" in said else f"{said}; {REMEDY}") from error
    if problems := [*check_numbers(index), *check_titles(index, PROBES_AT_LOAD)]:
        raise ArtifactError(f"{folder}: the index is not sound: {'; '.join(problems[:3])}; {REMEDY}")
    return index


def _checked(path: Path, digest: str) -> bytes:
    data = files.read_bytes(path)
    if files.sha256_bytes(data) != digest:
        raise ArtifactError(f"{path}: not the file that {MANIFEST} describes; it changed since the index was built")
    return data


def _index_of(folder: Path, manifest: IndexManifest, contents: Mapping[str, bytes]) -> DocumentIndex:
    views: dict[str, VectorView] = {}
    try:
        for name in VIEWS:
            meta = VectorMeta.parse(contents[f"{name}.meta.json"], str(folder / f"{name}.meta.json"))
            ann = contents[f"{name}.faiss"] if len(meta.ids) > meta.hnsw_above else b""
            views[name] = view_of(meta, contents[f"{name}.vectors.npy"], ann, str(folder / f"{name}.vectors.npy"))
        coarse, leaf = sparse_of(contents, "coarse", folder), sparse_of(contents, "leaf", folder)
    except KeyError as error:
        raise ArtifactError(f"{folder / MANIFEST}: does not list {error}") from error
    texts = {name: data for name, data in contents.items() if name.endswith((".json", ".jsonl"))}
    return DocumentIndex(folder, manifest, views, coarse, leaf, texts)
