"""ColQwen2 from a local folder: several vectors of a page's picture and of a question, for late interaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.index import PageEmbedderSettings
from cosee.machine import cache_root
from cosee.models.blocks import PageImage
from cosee.models.calls import ModelError
from cosee.models.local.qwen_vl_encoding import padded
from cosee.models.local.transformers_loading import (
    check_torchvision,
    load,
    load_part,
    model_folder,
    resolve_device,
    revision,
    stay_offline,
)

if TYPE_CHECKING:
    import numpy as np


class PageEmbedder:
    """ColQwen2 or ColQwen2.5 in the form of transformers (``ColQwen2ForRetrieval``), loaded on the first call.

    On a CPU pictures and questions are encoded one at a time, so that a vector depends on its picture alone; on a GPU
    ``settings.batch`` at a time, padded on the right (padding on the left gives NaN there).
    """

    def __init__(self, settings: PageEmbedderSettings) -> None:
        assert settings.model_path is not None
        self.folder = model_folder(settings.model_path)
        try:
            config = json.loads(files.read_bytes(self.folder / "config.json"))
            kind, dimensions = config["model_type"], config.get("embedding_dim", 128)
        except (ValueError, KeyError, TypeError, ArtifactError) as error:
            raise ModelError(f"{self.folder / 'config.json'}: no usable 'model_type' ({error})") from error
        if kind != "colqwen2":
            raise ModelError(
                f"the model folder {settings.model_path!r} holds a {kind!r} model; a ColQwen2 in the form of "
                "transformers is expected (model_type 'colqwen2', as in vidore/colqwen2-v1.0-hf)"
            )
        self.settings = settings
        self.name = self.folder.resolve().name
        self.dimensions = int(dimensions)
        self.revision = revision(self.folder, settings.dtype, settings.max_patches)

    @cached_property
    def _device(self) -> str:
        return resolve_device(self.settings.device)

    @property
    def batch(self) -> int:
        """Pictures or questions that are encoded together."""
        return 1 if self._device == "cpu" else self.settings.batch

    @cached_property
    def _processor(self) -> Any:
        stay_offline()
        check_torchvision()
        from transformers import AutoProcessor

        processor: Any = load_part("processor", AutoProcessor, self.folder)
        processor.tokenizer.padding_side = "right"
        images = processor.image_processor
        patch = (images.patch_size * images.merge_size) ** 2
        images.size = {"shortest_edge": 4 * patch, "longest_edge": self.settings.max_patches * patch}
        return processor

    @cached_property
    def _model(self) -> Any:
        stay_offline()
        check_torchvision()
        import torch
        from transformers import ColQwen2ForRetrieval

        if self._device == "cpu":
            torch.set_num_threads(1)
        return load(ColQwen2ForRetrieval, self.folder, device=self._device, dtype=self.settings.dtype)

    def encode_pictures(self, pictures: Sequence[PageImage]) -> list[np.ndarray]:
        """Unit vectors of each picture, float32: one for each of at most ``max_patches`` patches and for each token of
        the model's prompt.

        Raises:
            ModelError: the model does not load, or gives vectors that are not finite.
        """
        return self._encode(
            [padded(picture.load()) for picture in pictures],
            lambda some: self._processor.process_images(images=some),
        )

    def encode_questions(self, questions: Sequence[str]) -> list[np.ndarray]:
        """Unit vectors of each question's tokens, float32. Raises ModelError as ``encode_pictures`` does."""
        return self._encode(list(questions), lambda some: self._processor.process_queries(text=some))

    def _encode(self, items: list[Any], inputs_of: Callable[[list[Any]], Any]) -> list[np.ndarray]:
        import numpy
        import torch

        found: list[np.ndarray] = []
        for start in range(0, len(items), self.batch):
            try:
                inputs = inputs_of(items[start : start + self.batch]).to(self._device)
                with torch.inference_mode():
                    vectors = self._model(**inputs).embeddings.float().cpu().numpy()
            except (RuntimeError, ValueError) as error:
                raise ModelError(f"{self.name}: {type(error).__name__}: {error}") from error
            masks = inputs["attention_mask"].cpu().numpy().astype(bool)
            found += [rows[mask] for rows, mask in zip(vectors, masks, strict=True)]
        faulty = [rows for rows in found if not len(rows) or not bool(numpy.isfinite(rows).all())]
        if faulty or any(rows.shape[1] != self.dimensions for rows in found):
            raise ModelError(f"{self.name}: vectors that are not finite, or not of {self.dimensions} dimensions")
        return found


@lru_cache(maxsize=2)
def _loaded(settings: str) -> PageEmbedder:
    return PageEmbedder(PageEmbedderSettings.model_validate_json(settings))


def load_page_embedder(settings: PageEmbedderSettings) -> PageEmbedder | None:
    """The page embedder of the configuration, once a process; None where none is named.

    Raises:
        ModelError: the folder holds no ColQwen2.
    """
    return None if settings.model_path is None else _loaded(settings.model_dump_json())


class PageVectorCache:
    """Vectors of page pictures by the sha256 of the picture, one file each, as int8 rows.

    It lets a killed job and a rebuilt index encode no picture twice. A file that cannot be read counts as absent.
    """

    def __init__(self, embedder: PageEmbedder) -> None:
        self.folder = cache_root() / "page_vectors" / f"{embedder.name}-{embedder.revision}"
        self._dimensions = embedder.dimensions

    def get(self, sha256: str) -> np.ndarray | None:
        """The rows of a picture; None where they are not there."""
        try:
            rows = files.read_npy(self._path(sha256))
        except ArtifactError:
            return None
        return rows if rows.dtype == "int8" and rows.ndim == 2 and rows.shape[1] == self._dimensions else None

    def put(self, sha256: str, rows: np.ndarray) -> None:
        """Keep the rows of a picture."""
        files.write_npy(self._path(sha256), rows)

    def _path(self, sha256: str) -> Path:
        return self.folder / sha256[:2] / f"{sha256}.npy"
