"""The probability that a text is a heading: boosted trees over its evidence, evened out among its likes.

``weights/headings.json`` holds the trees with the names of their columns and the folds that they were judged by;
``python -m benchmarks.fit_headings`` fits them and writes it. Reading needs no library: sums of plain floats in the
file's order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.structure.headings.candidate import Candidate

WEIGHTS = Path(__file__).parent / "weights" / "headings.json"
LIKES = 0.7
"""Share of a candidate's log odds that is the mean of all that look and count like it, so that equal things get equal
roles over the document."""


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
        own = [self._score(row) for row in rows]
        likes: dict[object, list[float]] = defaultdict(list)
        for candidate, score in zip(candidates, own, strict=True):
            likes[candidate.kind].append(score)
        means = {kind: sum(scores) / len(scores) for kind, scores in likes.items()}
        return [
            round((1 - LIKES) * score + LIKES * means[candidate.kind] - self.threshold, 4)
            for candidate, score in zip(candidates, own, strict=True)
        ]

    def _score(self, row: Mapping[str, float]) -> float:
        values = [row[name] for name in self.columns]
        total = self.base
        for nodes, leaves in zip(self.nodes, self.leaves, strict=True):
            at = 0 if nodes else -1
            while at >= 0:
                column, threshold, left, right = nodes[at]
                at = left if values[column] <= threshold else right
            total += leaves[-1 - at]
        return total


@cache
def heading_model() -> HeadingModel:
    """The model that the package brings."""
    return HeadingModel.of(files.read_json(WEIGHTS))
