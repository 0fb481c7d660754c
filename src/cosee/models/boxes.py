"""Boxes of replies: from the grid that a model answers in to 0..1 of the page, once, where a reply is read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from pydantic import BaseModel

from cosee.artifacts.base import BBox
from cosee.models.blocks import Message, PageImage, pictures_of

Grid = float | Literal["pixels"]
"""How far boxes count across a picture, or that they count its pixels as it was sent."""
Size = tuple[int, int]
DROPPED = "box_dropped"
"""What is noted of a reply with a box outside of its page, or in no grid that is known."""


def four_numbers(value: Any) -> tuple[float, float, float, float]:
    """``value`` as a box; raises ValueError for anything but four finite numbers."""
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 4:
        raise ValueError(f"a bbox is four numbers, found {value!r}")
    if any(isinstance(part, bool) or not isinstance(part, int | float) or not math.isfinite(part) for part in value):
        raise ValueError(f"a bbox is four finite numbers, found {value!r}")
    left, top, right, bottom = (float(part) for part in value)
    return left, top, right, bottom


def as_box(value: Sequence[float] | None) -> BBox | None:
    """A box that ``in_shares`` left in a reply; None for none."""
    return None if value is None else four_numbers(value)


def unit_box(value: Any, grid: Grid | None, size: Size | None = None) -> BBox | None:
    """A model's box in 0..1, or None for one that is absent, empty or outside its grid.

    Without a grid there is no box: its model sees no pictures, and what it says of places on them is made up. A box
    within 0..1 in a wider grid is a share of the page already: none is as small as that. ``size`` is that of the
    picture in pixels, without which a box in pixels says nothing.
    """
    if grid is None:
        return None
    try:
        box = four_numbers(value)
    except ValueError:
        return None
    if max(box) <= 1.0:
        across, down = 1.0, 1.0
    elif grid == "pixels":
        if size is None:
            return None
        across, down = size
    else:
        across = down = float(grid)
    left, top, right, bottom = (
        round(part / side, 6) for part, side in zip(box, (across, down, across, down), strict=True)
    )
    return (left, top, right, bottom) if 0 <= left < right <= 1 and 0 <= top < bottom <= 1 else None


def shown_box(box: BBox, grid: Grid, size: Size | None = None) -> list[float]:
    """A box of 0..1 as a model is told it: the inverse of ``unit_box``, whole numbers in a grid wider than 1."""
    across, down = (size or (1, 1)) if grid == "pixels" else (grid, grid)
    parts = [part * side for part, side in zip(box, (across, down, across, down), strict=True)]
    return [round(part, 4) if grid == 1 else round(part) for part in parts]


def in_shares(
    value: BaseModel, messages: Sequence[Message], grid: Grid | None, sent_size: Callable[[PageImage], Size]
) -> list[str]:
    """Turn every box of a typed reply into 0..1, in place; what was dropped, in a word each.

    A box lies on the page that is named beside it, else on the only picture of the prompt.
    """
    notes: list[str] = []
    pictures: dict[int, PageImage] = {}
    for image in pictures_of(messages):
        pictures.setdefault(image.page, image)
    for holder, name in _boxes(value):
        said = getattr(holder, name)
        picture = _picture(getattr(holder, "page", None), pictures)
        box = unit_box(said, grid, sent_size(picture) if grid == "pixels" and picture is not None else None)
        setattr(holder, name, None if box is None else list(box))
        if said and box is None and grid is not None:
            notes.append(DROPPED)
    return notes


def _picture(page: Any, pictures: dict[int, PageImage]) -> PageImage | None:
    if isinstance(page, str) and page.strip().isdecimal():
        page = int(page)
    if page is None and len(pictures) == 1:
        return next(iter(pictures.values()))
    return pictures.get(page) if isinstance(page, int) else None


def _boxes(value: Any) -> Iterator[tuple[BaseModel, str]]:
    """Every field of a reply that is a box, with the object that holds it."""
    if isinstance(value, BaseModel):
        for name, field in type(value).model_fields.items():
            extra = field.json_schema_extra
            if isinstance(extra, dict) and extra.get("asked") == "box":
                yield value, name
            else:
                yield from _boxes(getattr(value, name))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _boxes(each)
