"""The probability that a text is a heading: boosted trees over its evidence, evened out among those that look alike.

``weights/headings.json`` holds the trees with the names of their columns and the folds that they were judged by;
``python -m benchmarks.fit_headings`` fits them and writes it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cosee.artifacts import files
from cosee.structure.headings.candidate import Candidate
from cosee.structure.headings.thresholds import CANDIDATES_AT_ONCE, WEIGHT_OF_ALIKE

WEIGHTS = Path(__file__).parent / "weights" / "headings.json"


@dataclass(frozen=True)
class HeadingModel:
    """Boosted trees. A node is (column, threshold, left, right): left where the value is at most the threshold.

    A number below 0 in place of a node stands for leaf ``-1 - number``.
    """

    columns: Sequence[str]
    base: float
    threshold: float
    """Log odds from which a text is a heading."""
    nodes: Sequence[Sequence[tuple[int, float, int, int]]]
    leaves: Sequence[Sequence[float]]

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> HeadingModel:
        """The model of a table as ``weights/headings.json`` has it."""
        nodes = [[(int(a), float(b), int(c), int(d)) for a, b, c, d in tree["nodes"]] for tree in table["trees"]]
        leaves = [tree["leaves"] for tree in table["trees"]]
        return cls(table["columns"], float(table["base"]), float(table["threshold"]), nodes, leaves)

    def scores(self, candidates: Sequence[Candidate], rows: Sequence[Mapping[str, float]]) -> list[float]:
        """Log odds of each candidate, whose evidence is its row, over the threshold: above 0 it is a heading."""
        parts = [rows[start : start + CANDIDATES_AT_ONCE] for start in range(0, len(rows), CANDIDATES_AT_ONCE)]
        own = [score for part in parts for score in self._own_scores(part)]
        alike: dict[object, list[float]] = defaultdict(list)
        for candidate, score in zip(candidates, own, strict=True):
            alike[candidate.kind].append(score)
        means = {kind: sum(scores) / len(scores) for kind, scores in alike.items()}
        return [
            round((1 - WEIGHT_OF_ALIKE) * score + WEIGHT_OF_ALIKE * means[candidate.kind] - self.threshold, 4)
            for candidate, score in zip(candidates, own, strict=True)
        ]

    def _own_scores(self, rows: Sequence[Mapping[str, float]]) -> list[float]:
        """The sum over the trees for each row, all rows going down all trees at once."""
        flat = self._flat
        values = np.array([[row[name] for name in self.columns] for row in rows], dtype=np.float64)
        first_of_row = np.arange(len(rows))[:, None] * len(self.columns)
        before, at = None, np.broadcast_to(flat.roots, (len(rows), len(flat.roots)))
        while before is None or (at != before).any():
            goes_left = values.take(first_of_row + flat.columns.take(at)) <= flat.thresholds.take(at)
            before, at = at, np.where(goes_left, flat.left.take(at), flat.right.take(at))
        # Added one after the other: the sum of floats depends on their order.
        terms = np.insert(flat.leaves.take(at), 0, self.base, axis=1)
        return [float(total) for total in np.add.accumulate(terms, axis=1)[:, -1]]

    @cached_property
    def _flat(self) -> _FlatTrees:
        flat: list[tuple[int, float, int, int, float]] = []
        roots = []
        for nodes, leaves in zip(self.nodes, self.leaves, strict=True):
            start, first_leaf = len(flat), len(flat) + len(nodes)
            roots.append(start)
            # A leaf is named by a number below 0: the first by the last place, as lists are counted from behind.
            places = [*range(start, first_leaf), *range(first_leaf, first_leaf + len(leaves))[::-1]]
            flat += [(column, limit, places[left], places[right], 0.0) for column, limit, left, right in nodes]
            flat += [(0, math.inf, first_leaf + n, first_leaf + n, leaf) for n, leaf in enumerate(leaves)]
        table = np.array(flat, dtype=np.float64).reshape(-1, 5)
        column, threshold, left, right, leaf = (table[:, n].copy() for n in range(5))
        whole = np.int64
        return _FlatTrees(
            np.array(roots, whole), column.astype(whole), threshold, left.astype(whole), right.astype(whole), leaf
        )


class _FlatTrees(NamedTuple):
    """All trees as one table: a node refers to its children by their places in it, a leaf to itself."""

    roots: NDArray[np.int64]
    columns: NDArray[np.int64]
    thresholds: NDArray[np.float64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    leaves: NDArray[np.float64]


@cache
def heading_model() -> HeadingModel:
    """The model that the package brings."""
    return HeadingModel.of(files.read_json(WEIGHTS))
