"""Unit vectors in one byte a number.

A row is a unit vector times 127 over its largest part, rounded; since its norm is known to be 1, no scale is kept. A
row of zeros stays one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def quantize(vectors: np.ndarray) -> np.ndarray:
    """Unit vectors as int8 rows."""
    import numpy

    largest = numpy.abs(vectors).max(axis=1, keepdims=True, initial=0)
    rows: np.ndarray = numpy.rint(vectors * (127 / numpy.where(largest > 0, largest, 1))).astype(numpy.int8)
    return rows


def dequantize(rows: np.ndarray) -> np.ndarray:
    """Unit vectors as float32 from int8 rows."""
    import numpy

    vectors = rows.astype(numpy.float32)
    norms = numpy.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= numpy.where(norms > 0, norms, 1)
    return vectors
