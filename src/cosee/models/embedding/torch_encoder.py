"""A sentence-transformers model through torch: on a GPU, in bfloat16, or of another architecture than BERT."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


class TorchEncoder:
    """Sentence vectors of a folder, on one thread of a CPU or on a GPU; weights load on the first call."""

    def __init__(self, folder: Path, max_tokens: int, precision: str, device: str) -> None:
        self.folder, self.max_tokens, self.precision, self.device = folder, max_tokens, precision, device

    @cached_property
    def bare_model(self) -> Any:
        """The sentence-transformers model by itself."""
        import torch
        from sentence_transformers import SentenceTransformer

        if self.device == "cpu":
            torch.set_num_threads(1)
        model = SentenceTransformer(str(self.folder), device=self.device, local_files_only=True)
        model.max_seq_length = self.max_tokens
        return model.to(getattr(torch, self.precision)).eval()

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text, cut at ``max_tokens``."""
        found = self.bare_model.tokenizer(list(texts), truncation=True, max_length=self.max_tokens)
        ids: list[list[int]] = found["input_ids"]
        return ids

    def vectors(self, tokens: Sequence[Sequence[int]], length: int) -> np.ndarray:
        """Sentence vectors of token ids, padded to ``length``: float32, one row a text."""
        import torch

        features = self.bare_model.tokenizer.pad(
            {"input_ids": list(map(list, tokens))}, padding="max_length", max_length=length, return_tensors="pt"
        )
        with torch.inference_mode():
            found = self.bare_model({name: each.to(self.device) for name, each in features.items()})
            vectors: np.ndarray = found["sentence_embedding"].float().cpu().numpy()
        return vectors
