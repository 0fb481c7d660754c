"""Kept prompt states: what is found, what replaces what, and the bound on memory."""

from __future__ import annotations

import numpy as np
import torch

from cosee.models.local.prefix_cache import PrefixCache, common_prefix


def signature(*values):
    return np.array(values, dtype=np.int64)


def states(length, fill=0.0):
    return [(torch.full((1, 2, length, 4), fill), torch.full((1, 2, length, 4), fill)) for _ in range(3)]


def test_the_common_prefix_ends_at_the_first_difference():
    assert common_prefix(signature(1, 2, 3), signature(1, 2, 4, 5)) == 2
    assert common_prefix(signature(1, 2), signature(1, 2, 4)) == 2
    assert common_prefix(signature(), signature(1)) == 0


def test_the_longest_prefix_is_found_and_one_position_is_left_to_compute():
    cache = PrefixCache(1 << 20)
    cache.store(signature(1, 2, 3, 4), states(4, 1.0))
    cache.store(signature(1, 9), states(2, 2.0))
    length, layers = cache.find(signature(1, 2, 3, 7, 8))
    assert length == 3 and layers[0][0].shape == (1, 2, 3, 4) and float(layers[2][1].max()) == 1.0
    assert cache.find(signature(1, 2, 3, 4))[0] == 3
    assert cache.find(signature(5, 6)) == (0, [])


def test_a_longer_prompt_replaces_the_one_it_contains():
    cache = PrefixCache(1 << 20)
    cache.store(signature(*range(20)), states(20))
    cache.store(signature(*range(19), 77, 78), states(21))
    assert len(cache) == 1
    cache.store(signature(*range(10)), states(10))
    assert len(cache) == 2


def test_the_least_recently_used_goes_first_and_a_giant_is_not_kept():
    one = 3 * 2 * 2 * 10 * 4 * 4
    cache = PrefixCache(2 * one)
    cache.store(signature(*range(10)), states(10))
    cache.store(signature(*range(100, 110)), states(10))
    cache.find(signature(*range(5), 0))
    cache.store(signature(*range(200, 210)), states(10))
    assert cache.size <= 2 * one
    assert cache.find(signature(0, 1, 5))[0] == 2
    assert cache.find(signature(100, 101, 5))[0] == 0
    cache.store(signature(*range(300, 330)), states(30))
    assert cache.find(signature(300, 301, 5))[0] == 0
