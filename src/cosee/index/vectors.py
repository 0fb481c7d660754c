"""Vectors of records: made, saved, read back, and searched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cosee.artifacts import files
from cosee.artifacts.base import REDO
from cosee.artifacts.documents.doctree import split_id
from cosee.artifacts.documents.index import VectorMeta, ViewName
from cosee.artifacts.files import ArtifactError
from cosee.index.int8 import dequantize, quantize
from cosee.index.thresholds import HNSW_ABOVE, HNSW_BUILD, HNSW_LINKS, HNSW_SEARCH

if TYPE_CHECKING:
    import numpy as np

Encoder = Callable[[Sequence[str]], "np.ndarray"]


@dataclass(frozen=True)
class VectorView:
    """One view's vectors: row ``i`` of ``vectors`` (float32, unit norm or zero) belongs to ``meta.ids[i]``.

    ``faiss`` holds the bytes of ``<view>.faiss``, a graph without vectors; they are read when a search is large enough
    to go through it.
    """

    meta: VectorMeta
    vectors: np.ndarray
    faiss: bytes = b""

    @cached_property
    def _rows(self) -> dict[str | None, int]:
        return {record_id: row for row, record_id in enumerate(self.meta.ids)}

    def of(self, record_id: str | None, text: str) -> np.ndarray | None:
        """The vector of one id, where there is one and it was made of this very text."""
        row = self._rows.get(record_id)
        if row is None or self.meta.text_sha256[row] != files.sha256_bytes(text.encode("utf-8")):
            return None
        vector: np.ndarray = self.vectors[row]
        return vector

    @cached_property
    def groups(self) -> list[np.ndarray]:
        """Rows of each section variant apart, and of everything else together."""
        import numpy

        rows: dict[str | None, list[int]] = {}
        for row, record_id in enumerate(self.meta.ids):
            rows.setdefault(split_id(record_id)[1], []).append(row)
        return [numpy.array(each) for each in rows.values()]

    def search(self, query: np.ndarray, count: int, rows: np.ndarray | None = None) -> list[tuple[str, float]]:
        """The ``count`` ids nearest to one query vector with their cosine, best first; ties in order of id.

        ``rows`` restricts the search. Among more than ``meta.hnsw_above`` vectors the candidates come from the HNSW
        index, otherwise from all; the scores are those of the ``.npy`` vectors either way.

        Raises:
            ArtifactError: the query has other dimensions than the index.
        """
        import numpy

        query = numpy.ascontiguousarray(query, dtype=numpy.float32).reshape(-1)
        if not self.meta.ids or count <= 0:
            return []
        if query.shape[0] != self.meta.dimensions:
            raise ArtifactError(
                f"a query vector of {query.shape[0]} dimensions cannot be searched in {self.meta.view} vectors of "
                f"{self.meta.dimensions} dimensions made by {self.meta.embedder} ({self.meta.revision})"
            )
        candidates = numpy.arange(len(self.meta.ids)) if rows is None else rows
        count = min(count, len(candidates))
        if not count:
            return []
        if self.faiss and len(candidates) > self.meta.hnsw_above:
            candidates = self._near(query, count, candidates)
            products = self.vectors[candidates] @ query
        else:
            products = (self.vectors @ query)[candidates]
        scores = numpy.round(numpy.nan_to_num(products, nan=-1.0).astype(float), 6)
        count = min(count, len(candidates))
        border = numpy.partition(scores, len(scores) - count)[len(scores) - count]
        near = numpy.flatnonzero(scores >= border)
        ids = [self.meta.ids[row] for row in candidates[near].tolist()]
        ranked = sorted(zip(ids, scores[near].tolist(), strict=True), key=lambda pair: (-pair[1], pair[0]))
        return ranked[:count]

    def _near(self, query: np.ndarray, count: int, candidates: np.ndarray) -> np.ndarray:
        """The rows among ``candidates`` that the HNSW index finds nearest, in order of row."""
        import faiss
        import numpy

        # A restricted search passes through rows that it may not return, and so looks at as many more.
        share = len(candidates) / len(self.meta.ids)
        wanted = max(count, HNSW_SEARCH)
        selector = faiss.IDSelectorBatch(candidates.astype(numpy.int64)) if share < 1 else None
        settings = faiss.SearchParametersHNSW(  # type: ignore[attr-defined]
            efSearch=int(wanted / share), sel=selector
        )
        _, found = self._hnsw.search(query.reshape(1, -1), wanted, params=settings)
        return numpy.unique(found[0][found[0] >= 0])

    @cached_property
    def _hnsw(self) -> Any:
        import faiss
        import numpy

        graph: Any = faiss.deserialize_index(numpy.frombuffer(self.faiss, dtype=numpy.uint8))
        storage: Any = faiss.IndexFlatIP(self.vectors.shape[1])
        storage.add(self.vectors)
        graph.storage, graph.own_fields = storage, True
        storage.this.disown()
        return graph


def make_view(
    name: ViewName, ids: Sequence[str], texts: Sequence[str], encode: Encoder | None, identity: tuple[str, str, int]
) -> VectorView:
    """Vectors of ``texts``; without an encoder a view without rows. ``identity``: embedder, revision, dimensions.

    Raises:
        ArtifactError: a vector is not finite, or has other dimensions than promised.
    """
    import numpy

    embedder, revision, dimensions = identity
    if encode is None:
        ids, texts = [], []
    vectors = numpy.zeros((0, dimensions), dtype=numpy.float32)
    if encode is not None and texts:
        vectors = numpy.ascontiguousarray(encode(texts), dtype=numpy.float32)
    if vectors.shape != (len(ids), dimensions):
        raise ArtifactError(f"{name}: {embedder} gave vectors of shape {vectors.shape}, not {(len(ids), dimensions)}")
    faulty = numpy.flatnonzero(~numpy.isfinite(vectors).all(axis=1))
    if len(faulty):
        raise ArtifactError(f"{name}: the vector of {ids[int(faulty[0])]} is not finite")
    meta = VectorMeta(
        view=name,
        embedder=embedder,
        revision=revision,
        dimensions=dimensions,
        ids=list(ids),
        text_sha256=[files.sha256_bytes(text.encode("utf-8")) for text in texts],
        vectors_sha256="",
    )
    return VectorView(meta, vectors)


def save_view(
    folder: Path, view: VectorView, *, int8: bool = False, flat_faiss: bool = False, hnsw_above: int = HNSW_ABOVE
) -> list[Path]:
    """Write ``<view>.vectors.npy`` and ``.meta.json``; the files written.

    With ``int8`` a number takes one byte. Above ``hnsw_above`` vectors also ``<view>.faiss``: an HNSW graph built by
    one thread, without the vectors, which stand in the ``.npy``. With ``flat_faiss`` up to that many give a flat FAISS
    index, which holds the same vectors again.
    """
    import numpy

    name = view.meta.view
    vectors_path, meta_path = folder / f"{name}.vectors.npy", folder / f"{name}.meta.json"
    vectors = numpy.ascontiguousarray(view.vectors, dtype=numpy.float32)
    rows = quantize(vectors) if int8 else vectors
    files.write_npy(vectors_path, rows)
    written_as = {"vectors_sha256": files.sha256_file(vectors_path), "hnsw_above": hnsw_above}
    view.meta.model_copy(update=written_as).save(meta_path)
    written = [vectors_path, meta_path]
    if flat_faiss or len(vectors) > hnsw_above:
        files.write_bytes(folder / f"{name}.faiss", _faiss_bytes(dequantize(rows) if int8 else vectors, hnsw_above))
        written.append(folder / f"{name}.faiss")
    return written


def _faiss_bytes(vectors: np.ndarray, hnsw_above: int) -> bytes:
    import faiss

    dimensions = max(1, vectors.shape[1])
    if len(vectors) <= hnsw_above:
        flat = faiss.IndexFlatIP(dimensions)
        flat.add(vectors)
        return bytes(faiss.serialize_index(flat).tobytes())
    faiss.omp_set_num_threads(1)
    index: Any = faiss.IndexHNSWFlat(dimensions, HNSW_LINKS, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction, index.hnsw.efSearch = HNSW_BUILD, HNSW_SEARCH
    index.add(vectors)
    return bytes(faiss.serialize_index(index, faiss.IO_FLAG_SKIP_STORAGE).tobytes())


def load_view(folder: Path, name: ViewName) -> VectorView:
    """Read the vectors of ``<view>.meta.json`` and ``<view>.vectors.npy``, and check them.

    Raises:
        ArtifactError: a file is missing or damaged, or rows, ids and dimensions do not fit; says what to redo.
    """
    path = folder / f"{name}.vectors.npy"
    try:
        meta = VectorMeta.load(folder / f"{name}.meta.json")
        data = files.read_bytes(path)
        if files.sha256_bytes(data) != meta.vectors_sha256:
            raise ArtifactError(f"{path}: not the vectors that {name}.meta.json describes")
        return view_of(meta, data, b"", str(path))
    except ArtifactError as error:
        stage = "questions" if name == "questions" else "index"
        raise ArtifactError(f"{str(error).removesuffix(REDO)}; redo the {stage} stage") from error


def view_of(meta: VectorMeta, npy: bytes, faiss: bytes, where: str) -> VectorView:
    """A view from the bytes of its files.

    Raises:
        ArtifactError: rows, ids and dimensions do not fit; begins with ``where``.
    """
    vectors = files.parse_npy(npy, where)
    if vectors.shape != (len(meta.ids), meta.dimensions) or len(meta.text_sha256) != len(meta.ids):
        raise ArtifactError(f"{where}: vectors of shape {vectors.shape} for {len(meta.ids)} ids of {meta.dimensions}")
    return VectorView(meta, dequantize(vectors) if vectors.dtype == "int8" else vectors, faiss)
