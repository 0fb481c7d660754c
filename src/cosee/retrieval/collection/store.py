"""The index of a collection on disk, a shard at a time, and mapped into memory."""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cosee.artifacts import files
from cosee.artifacts.documents.collection import ArrayPlace, CollectionDocument, CollectionShard, MissingDocument
from cosee.artifacts.files import ArtifactError
from cosee.index.int8 import encode
from cosee.retrieval.collection.rows import DocumentRows, term_hash
from cosee.text.tokens import ANALYZER_VERSION

if TYPE_CHECKING:
    import numpy as np

ALIGNED = 64
REMEDY = "redo the collection stage"


@dataclass(frozen=True)
class Member:
    """A document that goes into a shard, with what says which version of it."""

    doc_id: str
    rows: DocumentRows
    tree_sha256: str
    index_sha256: str


def shard_arrays(members: Iterable[DocumentRows], dimensions: int) -> dict[str, np.ndarray]:
    """The arrays of a shard, see ``CollectionShard``."""
    import numpy

    hashes: dict[str, int] = {}
    tables: list[np.ndarray] = []
    owners: list[np.ndarray] = []
    vectors: list[np.ndarray] = []
    first = 0
    for number, member in enumerate(members):
        codes = [hashes.setdefault(term, len(hashes)) for term in member.terms]
        known = numpy.array(codes, dtype=numpy.int64)
        cells = member.cells
        tables.append(numpy.column_stack([known[cells[:, 1]], cells[:, 0] + first, cells[:, 2]]).astype(numpy.uint32))
        owners.append(numpy.full(member.rows, number, dtype=numpy.uint32))
        known_vectors = member.vectors.shape[1] == dimensions
        vectors.append(
            encode(member.vectors) if known_vectors else numpy.zeros((member.rows, dimensions), dtype=numpy.int8)
        )
        first += member.rows
    names = numpy.array([term_hash(term) for term in hashes], dtype=numpy.uint64)
    order = numpy.argsort(names, kind="stable")
    rank = numpy.empty(len(order), dtype=numpy.int64)
    rank[order] = numpy.arange(len(order))
    table = numpy.concatenate(tables) if tables else numpy.zeros((0, 3), dtype=numpy.uint32)
    columns = rank[table[:, 0]] if len(table) else numpy.zeros(0, dtype=numpy.int64)
    by_term = numpy.argsort(columns, kind="stable")
    columns, rows, weights = columns[by_term], table[by_term, 1], table[by_term, 2]
    owner = numpy.concatenate(owners) if owners else numpy.zeros(0, dtype=numpy.uint32)
    pairs = numpy.unique(columns * max(1, len(owners)) + owner[rows]) // max(1, len(owners))
    return {
        "terms": names[order],
        "starts": numpy.searchsorted(columns, numpy.arange(len(order) + 1)).astype(numpy.uint64),
        "rows": rows,
        "weights": weights.astype(numpy.uint8),
        "documents": numpy.bincount(pairs.astype(numpy.int64), minlength=len(order)).astype(numpy.uint32),
        "owners": owner,
        "vectors": numpy.concatenate(vectors) if vectors else numpy.zeros((0, dimensions), dtype=numpy.int8),
    }


def save_shard(
    path: Path, members: Sequence[Member], missing: Sequence[MissingDocument], identity: tuple[str, str, int]
) -> CollectionShard:
    """Write ``path``, the table of contents, and its arrays beside it. ``identity``: embedder, revision, dimensions."""
    documents, first = [], 0
    for each in members:
        documents.append(
            CollectionDocument(
                doc_id=each.doc_id, title=each.rows.title, first_row=first, rows=each.rows.rows,
                tree_sha256=each.tree_sha256, index_sha256=each.index_sha256,
            )
        )  # fmt: skip
        first += each.rows.rows
    arrays = shard_arrays((each.rows for each in members), identity[2])
    return write_shard(path, documents, missing, identity, arrays)


def write_shard(
    path: Path,
    documents: Sequence[CollectionDocument],
    missing: Sequence[MissingDocument],
    identity: tuple[str, str, int],
    arrays: dict[str, np.ndarray],
) -> CollectionShard:
    """The same of arrays that are made already."""
    import numpy

    data, places = bytearray(), {}
    for name, array in arrays.items():
        data += bytes(-len(data) % ALIGNED)
        places[name] = ArrayPlace(dtype=array.dtype.str, shape=list(array.shape), offset=len(data))
        data += numpy.ascontiguousarray(array).tobytes()
    data += bytes(1)  # an empty file cannot be mapped
    files.write_bytes(arrays_of(path), bytes(data))
    embedder, revision, dimensions = identity
    shard = CollectionShard(
        analyzer=ANALYZER_VERSION, embedder=embedder, revision=revision, dimensions=dimensions,
        documents=list(documents), missing=list(missing), arrays=places,
        arrays_sha256=files.sha256_bytes(bytes(data)),
    )  # fmt: skip
    shard.save(path)
    return shard


def arrays_of(path: Path) -> Path:
    """The file of arrays beside a table of contents."""
    return path.with_suffix(".bin")


class Shard:
    """A shard of the index, its arrays mapped from the file: what is not searched is not read."""

    def __init__(self, path: Path) -> None:
        """Raises ArtifactError where a file is missing, or its arrays are not what the table of contents says."""
        import numpy

        self.meta = CollectionShard.load(path)
        if self.meta.analyzer != ANALYZER_VERSION:
            raise ArtifactError(f"{path}: of analyzer {self.meta.analyzer}, not {ANALYZER_VERSION}; {REMEDY}")
        try:
            with open(arrays_of(path), "rb") as handle:
                mapped = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise ArtifactError(f"{arrays_of(path)}: cannot be read ({error}); {REMEDY}") from error
        found = {}
        try:
            for name, place in self.meta.arrays.items():
                size = int(numpy.prod(place.shape))
                array = numpy.frombuffer(mapped, dtype=place.dtype, count=size, offset=place.offset)
                found[name] = array.reshape(place.shape)
            self.terms, self.starts = found["terms"], found["starts"]
            self.rows, self.weights = found["rows"], found["weights"]
            self.documents, self.owners, self.vectors = found["documents"], found["owners"], found["vectors"]
            self.first_rows = numpy.array([each.first_row for each in self.meta.documents], dtype=numpy.int64)
        except (KeyError, TypeError, ValueError) as error:
            raise ArtifactError(f"{arrays_of(path)}: not the arrays that {path.name} describes; {REMEDY}") from error

    def columns(self, hashes: np.ndarray) -> np.ndarray:
        """The place of each term among ``terms``; -1 for one that the shard does not have."""
        import numpy

        places = numpy.searchsorted(self.terms, hashes)
        known = numpy.minimum(places, max(0, len(self.terms) - 1))
        found = self.terms[known] == hashes if len(self.terms) else numpy.zeros(len(hashes), dtype=bool)
        places_found: np.ndarray = numpy.where(found, known, -1)
        return places_found
