"""A BERT sentence encoder in numpy. Importing torch takes longer than the vectors of a document."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.models.embedding.thresholds import MOST_HEADER_BYTES, ROWS_IN_CACHE

if TYPE_CHECKING:
    from tokenizers import Tokenizer

WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"
MODULES = (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
ERF_SLOPE = 0.3275911
ERF_TERMS = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
"""Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26: erfc to 1.5e-7, the precision of float32."""


def is_plain_bert(folder: Path) -> bool:
    """Whether ``folder`` holds a BERT with mean pooling in float32: what ``BertEncoder`` computes."""
    try:
        config, modules = files.read_json(folder / "config.json"), files.read_json(folder / "modules.json")
        pooling, reading = (
            files.read_json(folder / "1_Pooling" / "config.json"),
            files.read_json(folder / "sentence_bert_config.json"),
        )
        kinds = [str(module["type"]).rsplit(".", 1)[-1] for module in modules]
        dtypes = {entry["dtype"] for name, entry in _header(folder / WEIGHTS).items() if _is_used(name)}
        return (
            config["model_type"] == "bert"
            and config.get("hidden_act") == "gelu"
            and config.get("position_embedding_type", "absolute") == "absolute"
            and kinds in MODULES
            and [name for name, value in pooling.items() if value is True] == ["pooling_mode_mean_tokens"]
            and not reading.get("do_lower_case")
            and dtypes == {"F32"}
            and (folder / TOKENIZER).is_file()
        )
    except (ArtifactError, OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


class BertEncoder:
    """Sentence vectors of a folder for which ``is_plain_bert`` holds; weights load on the first call.

    From then on numpy multiplies on one thread in this process, so that the bytes depend on no thread count.
    """

    def __init__(self, folder: Path, max_tokens: int) -> None:
        self.folder, self.max_tokens = folder, max_tokens
        config = files.read_json(folder / "config.json")
        self._heads, self._layers = int(config["num_attention_heads"]), int(config["num_hidden_layers"])
        self._epsilon = np.float32(config.get("layer_norm_eps", 1e-12))

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self.folder / TOKENIZER))
        tokenizer.no_padding()
        tokenizer.enable_truncation(self.max_tokens)
        return tokenizer

    @cached_property
    def _weights(self) -> dict[str, np.ndarray]:
        from safetensors.numpy import load_file

        threadpool_limits(1, user_api="blas")
        found: dict[str, np.ndarray] = load_file(self.folder / WEIGHTS)
        for layer in range(self._layers):
            parts = [f"encoder.layer.{layer}.attention.self.{name}" for name in ("query", "key", "value")]
            # General knowledge: names of a BERT's parameters.
            for kind in ("weight", "bias"):
                found[f"{layer}.qkv.{kind}"] = np.concatenate([found.pop(f"{part}.{kind}") for part in parts])
        return found

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text, cut at ``max_tokens``."""
        return [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]

    def vectors(self, tokens: Sequence[Sequence[int]], length: int) -> np.ndarray:
        """The mean of the last layer over each text's tokens, padded to ``length``: float32, one row a text."""
        ids = np.zeros((len(tokens), length), dtype=np.int64)
        mask = np.zeros((len(tokens), length), dtype=np.float32)
        for row, each in enumerate(tokens):
            ids[row, : len(each)], mask[row, : len(each)] = each, 1.0
        hidden = self._hidden(ids, np.where(mask > 0, np.float32(0), np.float32(-np.inf))[:, None, None, :])
        pooled: np.ndarray = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return pooled

    def _hidden(self, ids: np.ndarray, attention_mask: np.ndarray) -> np.ndarray:
        """The last layer, texts x tokens x dimensions; ``attention_mask`` is added to the attention scores."""
        weights, (texts, length) = self._weights, ids.shape
        table = weights["embeddings.word_embeddings.weight"]
        found = table[ids] + weights["embeddings.position_embeddings.weight"][:length]
        found += weights["embeddings.token_type_embeddings.weight"][0]
        x = self._normalised(found.reshape(texts * length, -1), "embeddings.LayerNorm")
        for layer in range(self._layers):
            part = f"encoder.layer.{layer}"
            seen = self._attended(self._linear(x, f"{layer}.qkv"), texts, length, attention_mask)
            x = self._normalised(
                self._linear(seen, f"{part}.attention.output.dense") + x, f"{part}.attention.output.LayerNorm"
            )
            inner = _gelu(self._linear(x, f"{part}.intermediate.dense"))
            x = self._normalised(self._linear(inner, f"{part}.output.dense") + x, f"{part}.output.LayerNorm")
        return x.reshape(texts, length, -1)

    def _attended(self, qkv: np.ndarray, texts: int, length: int, attention_mask: np.ndarray) -> np.ndarray:
        query, key, value = qkv.reshape(texts, length, 3, self._heads, -1).transpose(2, 0, 3, 1, 4)
        scores = np.matmul(query, key.swapaxes(-1, -2))
        scores *= np.float32(query.shape[-1] ** -0.5)
        scores += attention_mask
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(-1, keepdims=True)
        mixed: np.ndarray = np.matmul(scores, value).transpose(0, 2, 1, 3).reshape(texts * length, -1)
        return mixed

    def _linear(self, x: np.ndarray, name: str) -> np.ndarray:
        product: np.ndarray = x @ self._weights[f"{name}.weight"].T
        product += self._weights[f"{name}.bias"]
        return product

    def _normalised(self, x: np.ndarray, name: str) -> np.ndarray:
        x -= x.mean(-1, keepdims=True)
        x /= np.sqrt(np.mean(x * x, -1, keepdims=True) + self._epsilon)
        x *= self._weights[f"{name}.weight"]
        x += self._weights[f"{name}.bias"]
        return x


def _gelu(x: np.ndarray) -> np.ndarray:
    """``x * (1 + erf(x / sqrt 2)) / 2``, written as ``max(x, 0) - |x| * erfc(|x| / sqrt 2) / 2``."""
    out = np.empty_like(x)
    for start in range(0, len(x), ROWS_IN_CACHE):
        rows = x[start : start + ROWS_IN_CACHE]
        size = np.abs(rows)
        scaled = size * np.float32(0.5**0.5)
        slope = scaled * np.float32(ERF_SLOPE)
        slope += np.float32(1)
        np.reciprocal(slope, out=slope)
        tail = slope * np.float32(ERF_TERMS[0])
        for term in ERF_TERMS[1:]:
            tail += np.float32(term)
            tail *= slope
        scaled *= scaled
        np.negative(scaled, out=scaled)
        tail *= np.exp(scaled, out=scaled)
        tail *= size
        tail *= np.float32(0.5)
        np.subtract(np.maximum(rows, 0, out=size), tail, out=out[start : start + ROWS_IN_CACHE])
    return out


def _is_used(name: str) -> bool:
    return name.endswith((".weight", ".bias"))


def _header(path: Path) -> dict[str, Any]:
    """Names, types and shapes of a safetensors file's tensors."""
    with path.open("rb") as handle:
        size = int.from_bytes(handle.read(8), "little")
        if size > MOST_HEADER_BYTES:
            raise ValueError(f"{path}: a header of {size} bytes")
        header: dict[str, Any] = json.loads(handle.read(size))
    header.pop("__metadata__", None)
    return header
