"""A key/value cache with room to grow, so that a drawn token costs no copy of the whole context.

transformers' own growing cache concatenates at every token: at 13,000 positions of Qwen3-VL-4B that moves 4 GB a
token, through blocks of memory that differ in size each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

ROOM = 256
"""Positions that a buffer has more than are needed when it is made."""


@cache
def growing_layer() -> type[Any]:
    """The class of one layer's states: ``keys`` and ``values`` (rows, heads, positions, head size), views of buffers.

    A view that was taken before stays as it was: later positions are written behind it.
    """
    from transformers.cache_utils import DynamicLayer

    class GrowingLayer(DynamicLayer):  # type: ignore[misc]  # transformers has no types
        keys: torch.Tensor
        values: torch.Tensor
        _buffers: tuple[torch.Tensor, torch.Tensor] | None = None

        def update(
            self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any
        ) -> tuple[torch.Tensor, torch.Tensor]:
            if not self.is_initialized:
                self.lazy_initialization(key_states, value_states)
            known = self.get_seq_length()
            needed = known + key_states.shape[-2]
            if self._buffers is None or needed > self._buffers[0].shape[-2]:
                self._buffers = (
                    _larger(key_states, self.keys, known, needed),
                    _larger(value_states, self.values, known, needed),
                )
            keys, values = self._buffers
            keys[:, :, known:needed] = key_states
            values[:, :, known:needed] = value_states
            self.keys, self.values = keys[:, :, :needed], values[:, :, :needed]
            return self.keys, self.values

    return GrowingLayer


def _larger(states: torch.Tensor, held: torch.Tensor, known: int, needed: int) -> torch.Tensor:
    rows, heads, _, size = states.shape
    buffer = states.new_empty(rows, heads, needed + ROOM, size)
    if known:
        buffer[:, :, :known] = held
    return buffer


def cache_of(layers: Sequence[tuple[torch.Tensor, torch.Tensor]]) -> Any:
    """A transformers ``Cache`` that begins with a copy of the given states, one pair of keys and values a layer."""
    from transformers import Cache

    grown = Cache(layer_class_to_replicate=growing_layer())
    for number, (keys, values) in enumerate(layers):
        grown.update(keys, values, number)
    return grown
