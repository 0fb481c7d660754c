"""Vectors of a document's page pictures and of its questions, made by a page embedder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from cosee.artifacts import files
from cosee.imaging.render import RenderError, render_pages_isolated
from cosee.index.page_vectors import MultiVectors, make_multi_vectors, quantize_nonzero
from cosee.index.thresholds import PAGE_DPI, PAGES_AT_A_TIME
from cosee.models.blocks import PageImage
from cosee.models.embedding.page_embedders import PageEmbedder, PageVectorCache

if TYPE_CHECKING:
    import numpy as np


def page_vectors(embedder: PageEmbedder, pdf: Path, pages: Sequence[int]) -> tuple[MultiVectors, list[str]]:
    """The ``page_vectors`` view of 0-based ``pages``, and a warning for each page that could not be rendered.

    A picture that was encoded before, by whatever run, is not encoded again.

    Raises:
        ModelError: the model failed.
    """
    cache, warnings = PageVectorCache(embedder), []
    digests: dict[int, str] = {}
    rows: dict[str, np.ndarray] = {}
    for start in range(0, len(pages), PAGES_AT_A_TIME):
        part = [page + 1 for page in pages[start : start + PAGES_AT_A_TIME]]
        with TemporaryDirectory(prefix="cosee-pages-") as folder:
            missing: dict[str, PageImage] = {}
            for number, found in render_pages_isolated(pdf, part, PAGE_DPI, Path(folder)).items():
                if isinstance(found, RenderError):
                    warnings.append(str(found))
                    continue
                picture = PageImage(number, found)
                digests[number - 1] = picture.sha256
                known = cache.get(picture.sha256)
                if known is None:
                    missing[picture.sha256] = picture
                else:
                    rows[picture.sha256] = known
            while missing:
                batch = list(missing)[: embedder.batch]
                vectors = embedder.encode_pictures([missing.pop(sha256) for sha256 in batch])
                for sha256, each in zip(batch, vectors, strict=True):
                    rows[sha256] = quantize_nonzero(each)
                    cache.put(sha256, rows[sha256])
    identity = (embedder.name, embedder.revision, embedder.dimensions)
    ids, sources = [f"P{page}" for page in digests], list(digests.values())
    return make_multi_vectors("page_vectors", identity, ids, [rows[each] for each in sources], sources), warnings


def question_vectors(embedder: PageEmbedder, ids: Sequence[str], texts: Sequence[str]) -> MultiVectors:
    """The ``question_pages`` view of questions. Raises ModelError where the model failed."""
    rows = [quantize_nonzero(vectors) for vectors in embedder.encode_questions(texts)]
    sources = [files.sha256_bytes(text.encode("utf-8")) for text in texts]
    return make_multi_vectors(
        "question_pages", (embedder.name, embedder.revision, embedder.dimensions), ids, rows, sources
    )
