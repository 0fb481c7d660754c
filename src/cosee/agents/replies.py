"""Values that replies of all methods hold in whatever type a model wrote them: answers, confidences and boxes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from cosee.artifacts.base import BBox

CONFIDENCE_WORDS = {"high": 0.9, "medium": 0.6, "low": 0.3}


def read_confidence(value: Any) -> float | None:
    """Confidence in 0..1, or None for what cannot be read.

    ``high`` is 0.9, ``medium`` 0.6, ``low`` 0.3. A number from 2 to 100 and anything with ``%`` is read as a
    percentage; every other number is clamped to 0..1.
    """
    percent = False
    if isinstance(value, str):
        word = value.strip().lower()
        if word in CONFIDENCE_WORDS:
            return CONFIDENCE_WORDS[word]
        number = re.fullmatch(r"([+-]?\d{1,12}(?:\.\d{1,12})?)\s*(%?)", word)
        if not number:
            return None
        value, percent = float(number.group(1)), bool(number.group(2))
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    if percent or 2 <= value <= 100:
        value = value / 100
    return round(min(max(float(value), 0.0), 1.0), 6)


def answer_text(value: Any) -> str | None:
    """An answer of any type as text: ``Yes``, ``12``, ``['a', 'b']``; None for none."""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list | tuple):
        return str([str(part) for part in value]) if value else None
    return value.strip() or None if isinstance(value, str) else None


def four_numbers(value: Any) -> tuple[float, float, float, float]:
    """``value`` as a box; raises ValueError for anything but four finite numbers."""
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 4:
        raise ValueError(f"a bbox is four numbers, found {value!r}")
    if any(isinstance(part, bool) or not isinstance(part, int | float) or not math.isfinite(part) for part in value):
        raise ValueError(f"a bbox is four finite numbers, found {value!r}")
    left, top, right, bottom = (float(part) for part in value)
    return left, top, right, bottom


def unit_box(value: Any, box_grid: float | None) -> BBox | None:
    """A model's box in 0..1, or None for one that is absent, empty or outside its grid.

    Without a grid there is no box: its model sees no pictures, and what it says of places on them is made up. A box
    within 0..1 in a wider grid is a share of the page already: none is as small as that.
    """
    if box_grid is None:
        return None
    try:
        box = four_numbers(value)
    except ValueError:
        return None
    grid = 1.0 if max(box) <= 1.0 else box_grid
    left, top, right, bottom = (round(part / grid, 6) for part in box)
    return (left, top, right, bottom) if 0 <= left < right <= 1 and 0 <= top < bottom <= 1 else None
