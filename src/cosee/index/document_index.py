"""The index of one document as one value, ready for search."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.base import parse_rows
from cosee.artifacts.documents.doctree import split_id
from cosee.artifacts.documents.index import (
    DenseCoarse,
    DenseLeaf,
    DenseRow,
    GraphEdge,
    IdMaps,
    IndexManifest,
    Summaries,
    ViewName,
)
from cosee.index.sparse import SparseIndex
from cosee.index.vectors import VectorView

_NODE_ID = re.compile(rb'"node_id":"([^"#]+)')


@dataclass(frozen=True)
class DocumentIndex:
    """Everything that retrieval reads. There are no ``views`` where the index is sparse only.

    Records, edges and maps are parsed when they are first asked for: most searches need few of them.
    """

    folder: Path
    manifest: IndexManifest
    views: dict[ViewName, VectorView]
    sparse_coarse: SparseIndex
    sparse_leaf: SparseIndex
    contents: Mapping[str, bytes] = field(repr=False)
    """The bytes of every JSON and JSON lines file of the manifest, by its path below ``folder``."""

    @property
    def identity(self) -> tuple[str, str, int]:
        """Name, revision and dimensions of the embedder; ``none`` where the index is sparse only."""
        return self.manifest.embedder, self.manifest.revision, self.manifest.dimensions

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
