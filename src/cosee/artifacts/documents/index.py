"""Index files of one document: summaries, dense and sparse records, edges, id maps."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from cosee.artifacts.base import Artifact, Record, SealedArtifact

LeafRole = Literal["paragraph", "list", "caption", "equation", "footnote", "code"]
CoarseRole = Literal["section", "image", "table"]
Variant = Literal["heading", "gist", "child", "path"]
VectorKind = Literal["heading", "gist", "child", "path", "media", "leaf", "leaf_raw", "rows"]
"""Which text of a record a vector is of: a section's variant, a figure's or table's, a chunk's summary or its raw text,
a table's rows."""


ViewName = Literal["coarse", "leaf", "leaf_raw", "rows", "questions"]


class Summaries(Artifact):
    """``summary.json``: node id -> summary of at most about 100 tokens."""

    schema_name: ClassVar[str] = "cosee.summary"

    doc_id: str
    method: Literal["mmr", "llm"] = "mmr"
    summaries: dict[str, str]
    by_model: list[str] = Field(default_factory=list)
    """Ids whose summary the model wrote; the others are sentences of the node."""


class Ref(Record):
    """A mention of a labelled node in a leaf's text."""

    type: Literal["ref"] = "ref"
    label: str
    target: str


class SubtreeSketch(Record):
    """The best of a section's subtree: key words and one representative a kind (ids or None)."""

    keywords_topk: list[str] = Field(default_factory=list)
    representatives: dict[str, str] = Field(default_factory=dict)
    """``top_image``, ``top_table``, ``top_paragraph`` -> id."""


class DenseCoarse(Record):
    """One line of ``dense_coarse.jsonl``; a section has four, told apart by ``variant`` and id suffix."""

    node_id: str
    variant: Variant | None = None
    role: CoarseRole
    dense_text: str
    title: str = ""
    summary: str = ""
    filters: dict[str, Any] = Field(default_factory=dict)
    affordances: dict[str, bool] = Field(default_factory=dict)
    subtree_sketch: SubtreeSketch | None = None


class DenseLeaf(Record):
    """One line of ``dense_leaf.jsonl``: a chunk of a leaf."""

    node_id: str
    orig_node_id: str
    role: LeafRole
    dense_text: str
    raw_text: str
    filters: dict[str, Any] = Field(default_factory=dict)
    refs: list[Ref] = Field(default_factory=list)


class DenseRow(Record):
    """One line of ``dense_rows.jsonl``: a body row of a table, or several neighbours where the table is long."""

    node_id: str
    """``<table>#r<number>``: the first row's place in the table's ``rows``."""
    rows: int = 1
    """How many rows."""
    dense_text: str
    """The caption, the row's name and its cells as ``column: value``."""


class SparseDoc(Record):
    """One line of ``sparse_coarse.jsonl`` or ``sparse_leaf.jsonl``: the BM25F fields of a node."""

    id: str
    role: str
    heading: str = ""
    headings_path: str = ""
    child_labels: str = ""
    child_table_schema: str = ""
    caption_bag: str = ""
    title: str = ""
    caption: str = ""
    table_schema: str = ""
    labels: str = ""
    aliases: str = ""
    body: str = ""
    filters: dict[str, Any] = Field(default_factory=dict)


class GraphEdge(Record):
    """One line of ``graph_edges.jsonl``. Ends are node ids, chunk ids, ``P<page_idx>`` or ``<table>:col:<name>``."""

    src: str
    dst: str
    type: Literal["parent", "child", "same_page", "ref", "prev_next", "has_col"]
    label: str | None = None
    unit: str | None = None


class IdMaps(Artifact):
    """``id_maps.json``: labels and numbers to node ids (the first in reading order), duplicates listed apart."""

    schema_name: ClassVar[str] = "cosee.id_maps"

    label2id: dict[str, str] = Field(default_factory=dict)
    figure: dict[str, str] = Field(default_factory=dict)
    table: dict[str, str] = Field(default_factory=dict)
    duplicates: dict[str, list[str]] = Field(default_factory=dict)
    page_labels: dict[str, int] = Field(default_factory=dict)
    """Printed page label -> 0-based page_idx (the first)."""


class VectorMeta(SealedArtifact):
    """``<view>.meta.json``: which row of ``<view>.vectors.npy`` belongs to which record."""

    schema_name: ClassVar[str] = "cosee.vector_meta"
    schema_version: ClassVar[int] = 2

    view: ViewName
    embedder: str
    revision: str
    dimensions: int
    ids: list[str]
    text_sha256: list[str]
    """sha256 of each row's text: the cache key, and the row checksum."""
    vectors_sha256: str
    """sha256 of the ``.npy`` file."""
    hnsw_above: int = 50_000
    """A search among more vectors than this goes through the HNSW graph in ``<view>.faiss``; any other is exact."""


class IndexManifest(SealedArtifact):
    """``index.meta.json``, written last: the tree that was indexed and the sha256 of every file of its index."""

    schema_name: ClassVar[str] = "cosee.index_manifest"
    schema_version: ClassVar[int] = 2

    doc_id: str
    tree_sha256: str
    """Digest of the nodes' ids, places and texts: an index of another version of the tree is refused."""
    embedder: str
    """``none`` where there are no vectors."""
    revision: str
    dimensions: int
    precision: Literal["float32", "bfloat16"] | None
    """What the embedder computed in; None where it is not ours to choose."""
    files: dict[str, str]
    """Path below the index folder -> sha256."""
    counts: dict[str, int]


class MultiVectorMeta(SealedArtifact):
    """``page_vectors.meta.json`` and ``question_pages.meta.json``: which rows of the ``.npy`` beside it belong to what.

    The ``.npy`` holds int8 rows, each a unit vector times 127 over its largest part.
    """

    schema_name: ClassVar[str] = "cosee.multi_vector_meta"

    view: Literal["page_vectors", "question_pages"]
    model: str
    revision: str
    dimensions: int
    ids: list[str]
    """``P<page_idx>``, or question ids."""
    starts: list[int] = Field(min_length=1)
    """First row of each id, and after them the number of rows."""
    source_sha256: list[str]
    """sha256 of each page's picture, or of each question's text."""
    vectors_sha256: str
    """sha256 of the ``.npy`` file."""


class QuestionPassages(Record):
    """What a reranker says of the pages that one question may need."""

    text_sha256: str
    """Of the question's text: a rewritten question has no scores."""
    pages: dict[int, float]
    """1-based page -> log odds that its passage answers the question; empty where one page is sure to be enough."""


class PassageScores(SealedArtifact):
    """``passage_scores.json``: the part of each page that has most of a question, read with it by a reranker."""

    schema_name: ClassVar[str] = "cosee.passage_scores"
    schema_version: ClassVar[int] = 2

    model: str
    revision: str
    questions: dict[str, QuestionPassages]


class SparseMeta(Artifact):
    """``bm25_coarse/meta.json`` and ``bm25_leaf/meta.json``: how to read ``postings.npy`` beside it.

    That holds rows (document, field, term, count) as int32, sorted; numbers are places in ``ids``, ``fields`` and
    ``vocabulary``.
    """

    schema_name: ClassVar[str] = "cosee.sparse_meta"
    schema_version: ClassVar[int] = 3

    view: Literal["coarse", "leaf"]
    analyzer: int
    """Version of the analyzer that made the terms."""
    ids: list[str]
    fields: list[str]
    vocabulary: list[str]
    """The terms, sorted."""
