"""The key/value cache that has room to grow."""

from __future__ import annotations

import torch

from cosee.models.local.growing_cache import ROOM, cache_of, growing_layer


def states(start: int, count: int, rows: int = 1) -> tuple[torch.Tensor, torch.Tensor]:
    numbers = torch.arange(start, start + count, dtype=torch.float32)
    keys = numbers.view(1, 1, count, 1).expand(rows, 2, count, 4).clone()
    return keys, -keys


def test_states_stand_in_order_across_the_border_of_a_buffer():
    layer = growing_layer()()
    layer.update(*states(0, 3))
    for place in range(3, ROOM + 40):
        keys, values = layer.update(*states(place, 1))
    assert layer.get_seq_length() == ROOM + 40
    assert keys[0, 1, :, 2].tolist() == list(range(ROOM + 40)) and bool((values == -keys).all())


def test_a_view_taken_before_keeps_its_length_and_content():
    layer = growing_layer()()
    before, _ = layer.update(*states(0, 5))
    copy = before.clone()
    layer.update(*states(5, 7))
    assert before.shape[-2] == 5 and bool((before == copy).all())


def test_a_cache_made_from_known_states_copies_them():
    keys, values = states(0, 4, rows=3)
    cache = cache_of([(keys, values), (keys + 1, values)])
    cache.update(*states(4, 2, rows=3), 0)
    assert cache.layers[0].keys[2, 0, :, 0].tolist() == [0, 1, 2, 3, 4, 5]
    assert cache.layers[1].keys[0, 0, :, 0].tolist() == [1, 2, 3, 4]
    assert keys.shape[-2] == 4 and keys.data_ptr() != cache.layers[0].keys.data_ptr()
