"""Sentence embedders behind one interface: text in, unit-norm float32 vectors out."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from cosee.artifacts import files
from cosee.machine import cache_root, fetched_root
from cosee.models import weights
from cosee.models.calls import ModelError
from cosee.models.embedding.bert import BertEncoder, is_plain_bert
from cosee.models.embedding.thresholds import (
    BLOCK_LENGTHS,
    BLOCK_ROWS,
    GPU_LENGTHS,
    GPU_ROWS,
    TEXT_TOKENS,
    TEXTS_OF_A_STEP,
)
from cosee.models.embedding.vector_cache import VectorCache
from cosee.models.local.transformers_loading import resolve_device

if TYPE_CHECKING:
    import numpy as np

LOGGER = logging.getLogger(__name__)

Precision = Literal["float32", "bfloat16"]

CPU_FILE = Path("/proc/cpuinfo")
BFLOAT16_FLAGS = frozenset(("avx512_bf16", "amx_bf16", "bf16"))
"""Of x86 and ARM, in ``CPU_FILE``."""


class Embedder(Protocol):
    """A model from text to vectors. ``revision`` changes whenever a vector could."""

    name: str
    revision: str
    dimensions: int
    precision: Precision | None
    """What it computes in; None where that is not ours to choose."""

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """One row a text: float32, unit norm (a text without content may give a zero row)."""
        ...


def resolve_precision(precision: Precision | Literal["auto"], device: str = "cpu") -> Precision:
    """``auto`` is bfloat16 where ``device``, as torch names it, computes in it (AVX512-BF16, AMX, a newer GPU), else
    float32."""
    if precision != "auto":
        return precision
    if device != "cpu":
        import torch

        return "bfloat16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float32"
    try:
        lines = CPU_FILE.read_text("utf-8", "replace").splitlines()
    except OSError:
        return "float32"
    told = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return "bfloat16" if BFLOAT16_FLAGS & set(told.split()) else "float32"


class Encoder(Protocol):
    """What a sentence-transformers model is asked: token ids of texts, and sentence vectors of token ids."""

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text, cut at ``TEXT_TOKENS``."""
        ...

    def vectors(self, tokens: Sequence[Sequence[int]], length: int) -> np.ndarray:
        """Sentence vectors of token ids, padded to ``length``: float32, one row a text, of any norm."""
        ...


class SentenceTransformerEmbedder:
    """A sentence-transformers model in a local folder, on one CPU thread or a GPU.

    A BERT with mean pooling in float32, as the default model is, is computed by numpy on a CPU; whatever else by torch,
    which takes seconds to import. Their vectors are equal to six digits.

    ``precision`` bfloat16 is about three times as fast where the CPU computes in it, with vectors at a cosine of 0.998
    or more to those of float32; elsewhere it is slower. ``auto`` goes by the machine.

    On a CPU a vector depends on its text alone, bit for bit: a short text is always encoded in a block of the same
    shape (padded to the next of a few lengths, filled up where texts are missing), a long one by itself. Blocks
    of varying shape differ in the last bits, and then equal documents would not give equal files. A GPU differs in them
    anyway, and is given larger blocks. Weights load on the first call.
    """

    def __init__(self, folder: Path, precision: Precision | Literal["auto"] = "float32", device: str = "cpu") -> None:
        self.folder = folder
        self.device = device if device == "cpu" else resolve_device(device)
        self.precision: Precision | None = resolve_precision(precision, self.device)
        weight_files = sorted(path for path in folder.glob("*") if path.suffix in (".safetensors", ".bin"))
        configuration = folder / "config.json"
        if not weight_files or not configuration.is_file():
            raise ModelError(f"{folder}: not a sentence-transformers folder (config.json and weights expected)")
        try:
            self.dimensions = int(json.loads(files.read_bytes(configuration))["hidden_size"])
        except (ValueError, KeyError, TypeError) as error:
            raise ModelError(f"{configuration}: no usable 'hidden_size' ({error})") from error
        self.name = folder.name
        self._in_numpy = self.precision == "float32" and is_plain_bert(folder)
        # Of the model, not of the device: questions may be encoded on another machine than the document was.
        made_by = "numpy" if self._in_numpy else "torch"
        digest = hashlib.sha256(f"{self.precision} {TEXT_TOKENS} {made_by}".encode())
        for path in [*weight_files, folder / "tokenizer.json", folder / "1_Pooling" / "config.json"]:
            digest.update(files.sha256_file(path).encode() if path.is_file() else b"absent")
        self.revision = digest.hexdigest()[:16]

    @cached_property
    def encoder(self) -> Encoder:
        """The model, loaded."""
        if self._in_numpy and self.device == "cpu":
            return BertEncoder(self.folder, TEXT_TOKENS)
        from cosee.models.embedding.torch_encoder import TorchEncoder

        return TorchEncoder(self.folder, TEXT_TOKENS, self.precision or "float32", self.device)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """One unit-norm row a text."""
        import numpy

        rows = numpy.zeros((len(texts), self.dimensions), dtype=numpy.float32)
        if not texts:
            return rows
        tokens = self.encoder.tokens(texts)
        height, lengths = (BLOCK_ROWS, BLOCK_LENGTHS) if self.device == "cpu" else (GPU_ROWS, GPU_LENGTHS)
        blocks: dict[int, list[int]] = {}
        for row in sorted(range(len(texts)), key=lambda row: (len(tokens[row]), row)):
            length = next((length for length in lengths if len(tokens[row]) <= length), None)
            if length is None:
                rows[row] = self.encoder.vectors([tokens[row]], len(tokens[row]))[0]
            else:
                blocks.setdefault(length, []).append(row)
        for length, members in blocks.items():
            for start in range(0, len(members), height):
                part = members[start : start + height]
                filled = part + part[-1:] * (height - len(part))
                rows[part] = self.encoder.vectors([tokens[row] for row in filled], length)[: len(part)]
        return unit_rows(rows)


def unit_rows(rows: np.ndarray) -> np.ndarray:
    """The rows at unit norm, float32; a row of zeros stays as it is."""
    import numpy

    norms = numpy.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / numpy.where(norms > 0, norms, 1.0)).astype(numpy.float32)


@lru_cache(maxsize=4)
def load_embedder(name: str, precision: Precision | Literal["auto"] = "auto", device: str = "cpu") -> Embedder | None:
    """The embedder that the configuration names, once a process; None for ``none`` or where the weights are absent.

    Raises:
        ModelError: a folder was named that holds no model.
    """
    if name == "none":
        return None
    if name not in weights.PACKAGES:
        return SentenceTransformerEmbedder(Path(name), precision, device)
    folder = weights.find(name)
    if folder is None:
        LOGGER.info(
            "no weights of %s in %s or %s: indexes are sparse only; to have vectors run "
            "'python -m cosee.models.weights --fetch %s' and redo the index stage",
            name, cache_root() / "models", fetched_root(), name,
        )  # fmt: skip
        return None
    return SentenceTransformerEmbedder(folder, precision, device)


@lru_cache(maxsize=8)
def _cache(path: Path, dimensions: int) -> VectorCache:
    return VectorCache(path, dimensions)


def _cache_file(embedder: Embedder) -> Path:
    """Of one embedder's vectors; those of a GPU, which differ in the last bits, stand apart."""
    on_gpu = getattr(embedder, "device", "cpu") != "cpu"
    name = files.safe_name(f"{embedder.name}-{embedder.revision}{'-gpu' if on_gpu else ''}")
    return cache_root() / "vectors" / f"{name}.vectors"


def encode_texts(embedder: Embedder, texts: Sequence[str]) -> np.ndarray:
    """``embedder.encode`` with equal texts encoded once and vectors of earlier runs taken from the cache.

    Raises:
        ModelError: the model gave a vector of the wrong size or with NaN or infinity.
    """
    import numpy

    keys = [files.sha256_bytes(text.encode("utf-8")) for text in texts]
    first = {key: text for key, text in zip(reversed(keys), reversed(texts), strict=True)}
    cache = _cache(_cache_file(embedder), embedder.dimensions)
    known = cache.get(list(first))
    # By length, so that the order of work (and the cache file) does not depend on the order of the document.
    missing = sorted((key for key in first if key not in known), key=lambda key: (len(first[key]), key))
    for start in range(0, len(missing), TEXTS_OF_A_STEP):
        part = missing[start : start + TEXTS_OF_A_STEP]
        rows = embedder.encode([first[key] for key in part])
        if rows.shape != (len(part), embedder.dimensions) or not bool(numpy.isfinite(rows).all()):
            raise ModelError(f"{embedder.name}: vectors of shape {rows.shape} or not finite, for {len(part)} texts")
        fresh = dict(zip(part, rows, strict=True))
        known.update(fresh)
        cache.put(fresh)
    result = numpy.zeros((len(texts), embedder.dimensions), dtype=numpy.float32)
    for row, key in enumerate(keys):
        result[row] = known[key]
    return result
