"""A sparse matrix by columns, in numpy alone: importing scipy's takes longer than a question to answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Columns:
    """Column ``c`` has ``values[starts[c]:starts[c + 1]]`` in the rows ``rows[starts[c]:starts[c + 1]]``."""

    starts: np.ndarray
    rows: np.ndarray
    values: np.ndarray

    def part(self, column: int) -> slice:
        """Where a column stands in ``rows`` and ``values``."""
        return slice(int(self.starts[column]), int(self.starts[column + 1]))


def columns_of(column: np.ndarray, row: np.ndarray, values: np.ndarray, count: int) -> Columns:
    """``count`` columns of cells in any order; within a column they keep theirs."""
    import numpy

    order = numpy.argsort(column, kind="stable")
    starts = numpy.searchsorted(column[order], numpy.arange(count + 1))
    return Columns(starts, row[order], values[order])
