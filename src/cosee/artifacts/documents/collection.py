"""Index of a collection: for each shard of a dataset one table of contents and one file of arrays."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from cosee.artifacts.base import Artifact, Record


class CollectionDocument(Record):
    """A document of the shard. Its rows are ``first_row`` to ``first_row + rows - 1``: its title, then its pages."""

    doc_id: str
    title: str
    first_row: int
    rows: int
    tree_sha256: str
    index_sha256: str
    """Of the document's ``index.meta.json``, which holds the sha256 of every other file of its index."""


class MissingDocument(Record):
    """A document of the shard that has no index, and so is not searched."""

    doc_id: str
    reason: str
    """``<stage>:<reason>`` of the first stage that could not process it."""


class ArrayPlace(Record):
    """Where an array stands in the file of arrays: ``dtype`` as numpy names it, ``offset`` in bytes."""

    dtype: str
    shape: list[int]
    offset: int


class CollectionShard(Artifact):
    """``indexes/<dataset>/.collection/<shard>.json``: what stands in ``<shard>.bin`` beside it.

    ``terms``: the hash of each term, ascending; the rows of term ``i`` are ``rows[starts[i]:starts[i + 1]]`` with their
    ``weights`` (saturated BM25F, 255 for 1). ``vectors``: a row's mean vector in one byte a number, zero where it
    has none.
    """

    schema_name: ClassVar[str] = "cosee.collection"

    analyzer: int
    embedder: str
    revision: str
    dimensions: int
    documents: list[CollectionDocument]
    missing: list[MissingDocument] = Field(default_factory=list)
    arrays: dict[str, ArrayPlace]
    arrays_sha256: str
