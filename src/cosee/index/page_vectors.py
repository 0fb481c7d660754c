"""Several vectors a page (or a question) on disk, one byte a number, and late interaction between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cosee.artifacts import files
from cosee.artifacts.documents.index import MultiVectorMeta
from cosee.artifacts.files import ArtifactError
from cosee.index.int8 import dequantize, quantize
from cosee.index.thresholds import DECODED_ROWS, MAPPED_BYTES

if TYPE_CHECKING:
    import numpy as np

MultiViewName = Literal["page_vectors", "question_pages"]


@dataclass(frozen=True)
class MultiVectors:
    """Rows ``meta.starts[i]`` up to ``meta.starts[i + 1]`` of ``rows`` belong to ``meta.ids[i]``.

    The rows are those of ``int8``.
    """

    meta: MultiVectorMeta
    rows: np.ndarray

    def of(self, record_id: str | None, text: str) -> np.ndarray | None:
        """The unit vectors of one id as float32, where it is there and they were made of this very text."""
        if record_id is None or record_id not in self.meta.ids:
            return None
        place = self.meta.ids.index(record_id)
        if self.meta.source_sha256[place] != files.sha256_bytes(text.encode("utf-8")):
            return None
        return dequantize(self.rows[self.meta.starts[place] : self.meta.starts[place + 1]])

    def max_sim(self, question: np.ndarray) -> np.ndarray:
        """MaxSim of a question's unit vectors with every id, in the order of ``meta.ids``, to 6 digits.

        For each vector of the question the highest cosine to one of the page's, averaged over the question's vectors
        (ColBERT and ColPali sum them, which ranks the same). Whole pages are decoded in chunks, so that memory does
        not grow with the document.

        Raises:
            ArtifactError: the question has other dimensions.
        """
        import numpy

        if question.shape[1:] != (self.meta.dimensions,):
            raise ArtifactError(
                f"question vectors of {question.shape[-1]} dimensions cannot be compared with {self.meta.view} of "
                f"{self.meta.dimensions} dimensions made by {self.meta.model} ({self.meta.revision})"
            )
        starts, scores = self.meta.starts, numpy.zeros(len(self.meta.ids))
        first = 0
        while first < len(scores):
            last = first + 1
            while last < len(scores) and starts[last + 1] - starts[first] <= DECODED_ROWS:
                last += 1
            cosines = dequantize(self.rows[starts[first] : starts[last]]) @ question.T
            places = numpy.array(starts[first:last]) - starts[first]
            scores[first:last] = numpy.maximum.reduceat(cosines, places, axis=0).mean(axis=1)
            first = last
        return numpy.round(scores, 6)


def quantize_nonzero(vectors: np.ndarray) -> np.ndarray:
    """Unit vectors as int8 rows. Raises ArtifactError for one that is zero."""
    if not bool(vectors.any(axis=1).all()):
        raise ArtifactError("a vector without direction among those of a page or question")
    return quantize(vectors)


def make_multi_vectors(
    name: MultiViewName, identity: tuple[str, str, int], ids: Sequence[str], rows: Sequence[np.ndarray],
    sources: Sequence[str],
) -> MultiVectors:  # fmt: skip
    """One view of encoded ``rows`` an id; ``identity``: model, revision, dimensions; ``sources``: sha256 an id."""
    import numpy

    model, revision, dimensions = identity
    starts = [0]
    for each in rows:
        starts.append(starts[-1] + len(each))
    together = numpy.concatenate([numpy.zeros((0, dimensions), dtype=numpy.int8), *rows])
    meta = MultiVectorMeta(
        view=name, model=model, revision=revision, dimensions=dimensions, ids=list(ids), starts=starts,
        source_sha256=list(sources), vectors_sha256="",
    )  # fmt: skip
    return MultiVectors(meta, together)


def save_multi_vectors(folder: Path, view: MultiVectors) -> list[Path]:
    """Write ``<view>.npy`` and ``<view>.meta.json``; the files written."""
    vectors, meta = folder / f"{view.meta.view}.npy", folder / f"{view.meta.view}.meta.json"
    files.write_npy(vectors, view.rows)
    view.meta.model_copy(update={"vectors_sha256": files.sha256_file(vectors)}).save(meta)
    return [vectors, meta]


def load_multi_vectors(folder: Path, name: MultiViewName) -> MultiVectors | None:
    """Read a view and check it, the vectors mapped from the file; None where the document has none.

    Raises:
        ArtifactError: one file without the other, a damaged one, or rows that do not fit the ids.
    """
    import numpy

    path, meta_path = folder / f"{name}.npy", folder / f"{name}.meta.json"
    if not meta_path.exists() and not path.exists():
        return None
    meta = MultiVectorMeta.load(meta_path)
    redo = "redo the stage that made them"
    if not path.is_file() or files.sha256_file(path) != meta.vectors_sha256:
        raise ArtifactError(f"{path}: not the vectors that {meta_path.name} describes; {redo}")
    try:
        rows = numpy.load(path, mmap_mode="r" if path.stat().st_size > MAPPED_BYTES else None, allow_pickle=False)
    except (ValueError, OSError) as error:
        raise ArtifactError(f"{path}: not a readable .npy file ({error}); {redo}") from error
    sizes = [after - before for before, after in zip(meta.starts, meta.starts[1:], strict=False)]
    fits = (
        rows.dtype == numpy.int8
        and rows.shape == (meta.starts[-1], meta.dimensions)
        and meta.starts[0] == 0
        and min(sizes, default=1) > 0
        and len(sizes) == len(meta.ids) == len(set(meta.ids)) == len(meta.source_sha256)
    )
    if not fits:
        raise ArtifactError(f"{path}: {rows.dtype} rows of shape {rows.shape} do not fit {meta_path.name}; {redo}")
    return MultiVectors(meta, rows)
