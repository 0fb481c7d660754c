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
from cosee.index.int8 import quantize
from cosee.retrieval.collection.rows import DocumentRows, term_hash
from cosee.retrieval.collection.thresholds import ALIGNMENT
from cosee.text.tokens import ANALYZER_VERSION

if TYPE_CHECKING:
    import numpy as np

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
    vectors: list[np.ndarray] = []
    first = 0
    for member in members:
        codes = [hashes.setdefault(term, len(hashes)) for term in member.terms]
        known = numpy.array(codes, dtype=numpy.int64)
        cells = member.cells
        tables.append(numpy.column_stack([known[cells[:, 1]], cells[:, 0] + first, cells[:, 2]]).astype(numpy.uint32))
        known_vectors = member.vectors.shape[1] == dimensions
        vectors.append(
            quantize(member.vectors) if known_vectors else numpy.zeros((member.rows, dimensions), dtype=numpy.int8)
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
    return {
        "terms": names[order],
        "starts": numpy.searchsorted(columns, numpy.arange(len(order) + 1)).astype(numpy.uint64),
        "rows": rows,
        "weights": weights.astype(numpy.uint8),
        "vectors": numpy.concatenate(vectors) if vectors else numpy.zeros((0, dimensions), dtype=numpy.int8),
    }


def save_shard(
    path: Path, members: Sequence[Member], missing: Sequence[MissingDocument], identity: tuple[str, str, int]
) -> CollectionShard:
    """Write ``path``, the table of contents, and its arrays beside it. ``identity``: embedder, revision, dimensions."""
    import numpy

    documents, first = [], 0
    for each in members:
        documents.append(
            CollectionDocument(
                doc_id=each.doc_id, title=each.rows.title, first_row=first, rows=each.rows.rows,
                tree_sha256=each.tree_sha256, index_sha256=each.index_sha256,
            )
        )  # fmt: skip
        first += each.rows.rows
    data, places = bytearray(), {}
    for name, array in shard_arrays((each.rows for each in members), identity[2]).items():
        data += bytes(-len(data) % ALIGNMENT)
        places[name] = ArrayPlace(dtype=array.dtype.str, shape=list(array.shape), offset=len(data))
        data += numpy.ascontiguousarray(array).tobytes()
    data += bytes(1)  # an empty file cannot be mapped
    files.write_bytes(arrays_of(path), bytes(data))
    embedder, revision, dimensions = identity
    shard = CollectionShard(
        analyzer=ANALYZER_VERSION, embedder=embedder, revision=revision, dimensions=dimensions,
        documents=documents, missing=list(missing), arrays=places,
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
            self.vectors = found["vectors"]
            self.count = sum(each.rows for each in self.meta.documents)
            self.first_rows = numpy.array([each.first_row for each in self.meta.documents], dtype=numpy.int64)
        except (KeyError, TypeError, ValueError) as error:
            raise ArtifactError(f"{arrays_of(path)}: not the arrays that {path.name} describes; {REMEDY}") from error

    def spans(self, hashes: np.ndarray) -> np.ndarray:
        """For each term where its rows begin and end in ``rows`` and ``weights``; equal for one that is not there."""
        import numpy

        if not len(self.terms):
            return numpy.zeros((len(hashes), 2), dtype=numpy.int64)
        places = numpy.minimum(numpy.searchsorted(self.terms, hashes), len(self.terms) - 1)
        starts, ends = self.starts[places], self.starts[places + 1]
        return numpy.stack([starts, numpy.where(self.terms[places] == hashes, ends, starts)], axis=1).astype(
            numpy.int64
        )
