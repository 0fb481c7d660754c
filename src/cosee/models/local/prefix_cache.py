"""Key/value states of prompts, kept so that the next prompt computes only what differs."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cosee.models.local.thresholds import MOST_SHARED_PREFIX

if TYPE_CHECKING:
    import torch

Signature = npt.NDArray[np.int64]


def common_prefix(first: Signature, second: Signature) -> int:
    """How many leading positions are equal."""
    length = min(len(first), len(second))
    different = np.flatnonzero(first[:length] != second[:length])
    return int(different[0]) if len(different) else length


@dataclass
class Entry:
    """States of one prompt: ``layers`` holds keys and values, each (1, heads, positions, head size)."""

    signature: Signature
    layers: list[tuple[torch.Tensor, torch.Tensor]] = field(repr=False)

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(int(part.nbytes) for layer in self.layers for part in layer)


class PrefixCache:
    """Entries of one model, one dtype, one attention and one processor, the least recently used dropped first.

    A signature has one number for each prompt position: the token's id, or for a position of a picture a hash of the
    picture and its grid. Equal leading numbers mean equal states, since attention is causal and positions follow from
    what stands before. States are never extended in place: ``find`` gives views that a new cache is built from.
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._entries: OrderedDict[int, Entry] = OrderedDict()
        self._next = 0

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def size(self) -> int:
        """Bytes held."""
        return sum(entry.size for entry in self._entries.values())

    def find(self, signature: Signature) -> tuple[int, list[tuple[torch.Tensor, torch.Tensor]]]:
        """The longest known prefix, at most all but the last position, and its states per layer."""
        best, best_key = 0, None
        for key, entry in self._entries.items():
            length = min(common_prefix(entry.signature, signature), len(signature) - 1)
            if length > best:
                best, best_key = length, key
        if best_key is None:
            return 0, []
        self._entries.move_to_end(best_key)
        layers = self._entries[best_key].layers
        return best, [(keys[:, :, :best], values[:, :, :best]) for keys, values in layers]

    def store(self, signature: Signature, layers: list[tuple[Any, Any]]) -> None:
        """Keep the states of a whole prompt; nothing is kept that alone is larger than the bound."""
        entry = Entry(signature, layers)
        if entry.size > self.max_bytes:
            return
        for key, other in list(self._entries.items()):
            if common_prefix(other.signature, signature) >= MOST_SHARED_PREFIX * len(other.signature):
                del self._entries[key]
        self._entries[self._next] = entry
        self._next += 1
        while self.size > self.max_bytes:
            self._entries.popitem(last=False)

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()
