"""Dark marks on a picture: which of them look like text, how its lines run, and where straight rules are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cosee.artifacts.base import BBox
from cosee.imaging import thresholds

Gray = NDArray[np.uint8]
"""A picture: rows of grey values, 0 is black."""


@dataclass(frozen=True)
class TextLook:
    """What the marks of a picture say without being read.

    ``letters`` counts the marks that stand in a line with others, ``share`` is their part of all marks of a letter's
    size, ``upright`` tells that lines run from side to side, and ``skew`` by how many degrees they fall to the right.
    ``height`` is the median height of the letters in pixels, which is about that of an x.
    """

    letters: int = 0
    share: float = 0.0
    upright: bool = True
    skew: float = 0.0
    height: float = 0.0


def dark(gray: Gray, dpi: float) -> NDArray[np.bool_]:
    """Pixels clearly darker than their surroundings (a third of an inch), whatever the paper's shade."""
    from scipy import ndimage

    size = max(3, round(dpi / thresholds.SURROUNDINGS_IN_AN_INCH) | 1)
    around = ndimage.uniform_filter(gray, size, output=np.float32, mode="nearest")
    return np.asarray(gray < around - thresholds.MIN_CONTRAST, dtype=np.bool_)


def glyphs(ink: NDArray[np.bool_], dpi: float) -> NDArray[np.float64]:
    """Boxes (x0, y0, x1, y1) in pixels of the connected marks that are as high as letters."""
    from scipy import ndimage

    labels, _ = ndimage.label(ink, structure=np.ones((3, 3), dtype=np.int8))
    rows = [(s[1].start, s[0].start, s[1].stop, s[0].stop) for s in ndimage.find_objects(labels)]
    boxes = np.array(rows, dtype=np.float64).reshape(-1, 4)
    wide, high = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    low, top = max(thresholds.MIN_LETTER_PIXELS, thresholds.MIN_LETTER_INCHES * dpi), thresholds.MAX_LETTER_INCHES * dpi
    long, short = np.maximum(wide, high), np.minimum(wide, high)
    longest = thresholds.LETTERS_IN_A_WORD * low + top
    fits = (long >= low) & (short <= top) & (long <= longest) & (short >= thresholds.MIN_STROKE_PIXELS)
    boxes = boxes[fits]
    step = -(-len(boxes) // thresholds.MAX_LETTERS_MEASURED) if len(boxes) else 1
    return boxes[::step] if step > 1 else boxes


def look(boxes: NDArray[np.float64]) -> TextLook:
    """How the marks of ``glyphs`` stand to one another."""
    if len(boxes) < thresholds.MIN_LETTERS_IN_LINES:
        return TextLook()
    across, down = _aligned(boxes), _aligned(boxes[:, [1, 0, 3, 2]])
    upright = int(across.sum()) >= int(down.sum())
    lined = across if upright else down
    letters = int(lined.sum())
    if letters < thresholds.MIN_LETTERS_IN_LINES:
        return TextLook(letters, letters / len(boxes), upright)
    chosen = boxes[lined]
    if upright:
        skew = _skew((chosen[:, 0] + chosen[:, 2]) / 2, chosen[:, 3])
    else:
        skew = -_skew((chosen[:, 1] + chosen[:, 3]) / 2, chosen[:, 2])
    height = _letter_height(chosen, upright)
    return TextLook(letters, letters / len(boxes), upright, skew, height)


def reduced(gray: Gray, dpi: float, wanted: float) -> tuple[Gray, int]:
    """The picture made smaller by a whole factor (the mean of each square of pixels), towards a resolution."""
    factor = max(1, round(dpi / wanted))
    if factor == 1:
        return gray, 1
    high, wide = gray.shape[0] // factor * factor, gray.shape[1] // factor * factor
    if not high or not wide:
        return gray, 1
    squares = gray[:high, :wide].reshape(high // factor, factor, wide // factor, factor)
    return squares.mean(axis=(1, 3), dtype=np.float32).astype(np.uint8), factor


def _letter_height(boxes: NDArray[np.float64], upright: bool) -> float:
    """Median height of letters; words whose letters run into each other are long, and as high as two small letters."""
    wide, high = np.median(boxes[:, 2] - boxes[:, 0]), np.median(boxes[:, 3] - boxes[:, 1])
    short, long = sorted((float(wide), float(high)))
    return short / 2 if long > thresholds.MERGED_LETTERS * short else float(high if upright else wide)


def look_at(gray: Gray, dpi: float, wanted: float) -> TextLook:
    """The look of a picture at about ``wanted`` dots per inch; the height of letters is in its own pixels."""
    small, factor = reduced(gray, dpi, wanted)
    seen = look(glyphs(dark(small, dpi / factor), dpi / factor))
    return replace(seen, height=seen.height * factor)


def _aligned(boxes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which marks have a close neighbour of like size beside them on their own line."""
    from scipy.spatial import cKDTree

    centers = np.stack(((boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2), axis=1)
    near = min(thresholds.NEAREST_MARKS, len(boxes))
    _, others = cKDTree(centers).query(centers, k=near)
    found = np.zeros(len(boxes), dtype=np.bool_)
    closest = np.full(len(boxes), np.inf)
    high = boxes[:, 3] - boxes[:, 1]
    for column in range(1, near):
        other = others[:, column]
        gap = np.maximum(boxes[other, 0] - boxes[:, 2], boxes[:, 0] - boxes[other, 2])
        stack = np.maximum(boxes[other, 1] - boxes[:, 3], boxes[:, 1] - boxes[other, 3])
        tall, short = np.maximum(high, high[other]), np.minimum(high, high[other])
        level = np.minimum(np.abs(boxes[:, 3] - boxes[other, 3]), np.abs(centers[:, 1] - centers[other, 1]))
        beside = (stack < 0) & (gap < thresholds.MAX_LETTER_GAP * tall)
        beside &= (level <= thresholds.MAX_BASELINE_SHIFT * tall) & (short >= thresholds.MIN_LETTER_LIKENESS * tall)
        distance = np.maximum(np.maximum(gap, stack), 0.0)
        found |= beside & (distance <= closest)
        closest = np.minimum(closest, distance)
    return found


def _skew(along: NDArray[np.float64], across: NDArray[np.float64]) -> float:
    """Degrees by which lines through the points (feet of letters) rise with ``along``: the sharpest profile wins."""

    def sharpness(degrees: float) -> float:
        places = across - along * np.tan(np.radians(degrees))
        counts = np.bincount(np.round(places - places.min()).astype(np.int64))
        return float((counts.astype(np.float64) ** 2).sum())

    best = 0.0
    for span, step in thresholds.SKEW_STEPS:
        count = round(span / step)
        tried = [round(best + number * step, 2) for number in range(-count, count + 1)]
        best = max(tried, key=lambda degrees: (sharpness(degrees), -abs(degrees)))
    return best if sharpness(best) > thresholds.MIN_SKEW_GAIN * sharpness(0.0) else 0.0


def rules(ink: NDArray[np.bool_], dpi: float) -> list[BBox]:
    """Straight lines along the sides of a picture, as thin boxes in pixels: at least half an inch long."""
    return sorted(
        [*_runs(ink, dpi), *((y0, x0, y1, x1) for x0, y0, x1, y1 in _runs(np.ascontiguousarray(ink.T), dpi))],
        key=lambda box: (box[1], box[0], box[3], box[2]),
    )


def _runs(ink: NDArray[np.bool_], dpi: float) -> list[BBox]:
    """Lines from left to right: dark almost without a break, and thin."""
    from scipy import ndimage

    length = round(dpi * thresholds.RULE_INCHES)
    thick = max(thresholds.MIN_RULE_THICKNESS, dpi / thresholds.RULES_IN_AN_INCH)
    if ink.shape[1] < length:
        return []
    # A line may lean by a pixel or two over its length: rows are joined with their neighbours first.
    padded = ndimage.maximum_filter1d(ink.astype(np.uint8), 3, axis=0)
    share = ndimage.uniform_filter1d(padded.astype(np.float32), length, axis=1, mode="constant")
    core = share >= thresholds.MIN_RULE_SHARE
    if not core.any():
        return []
    reach = ndimage.maximum_filter1d(core.astype(np.uint8), length, axis=1) > 0
    labels, _ = ndimage.label(reach & (padded > 0), structure=np.ones((3, 3), dtype=np.int8))
    found: list[BBox] = []
    for where in ndimage.find_objects(labels):
        x0, x1, y0, y1 = where[1].start, where[1].stop, where[0].start, where[0].stop
        if x1 - x0 >= length and y1 - y0 <= thick + 2:
            found.append((float(x0), float(y0 + 1), float(x1), float(max(y1 - 1, y0 + 2))))
    return found


def blots(gray: Gray, dpi: float, words: list[BBox], lines: list[BBox]) -> list[BBox]:
    """Boxes of what is neither paper, word nor straight line and as large as a picture; from top to bottom."""
    from scipy import ndimage

    paper = float(np.percentile(gray, thresholds.LIGHT_PERCENTILE))
    marks = gray < paper - 2 * thresholds.MIN_CONTRAST
    for x0, y0, x1, y1 in (*words, *lines):
        marks[max(0, round(y0) - 2) : round(y1) + 3, max(0, round(x0) - 2) : round(x1) + 3] = False
    small, factor = reduced(np.where(marks, np.uint8(255), np.uint8(0)), dpi, dpi / 4)
    reach = max(3, round(thresholds.PICTURE_GAP_INCHES * dpi / factor) | 1)
    grown = ndimage.maximum_filter((small > thresholds.MIN_PICTURE_SHADE).astype(np.uint8), reach)
    labels, _ = ndimage.label(grown)
    found: list[BBox] = []
    for number, where in enumerate(ndimage.find_objects(labels), start=1):
        inside = (labels[where] == number) & (small[where] > thresholds.MIN_PICTURE_SHADE)
        ys, xs = np.nonzero(inside)
        if not len(ys):
            continue
        x0, x1 = where[1].start + int(xs.min()), where[1].start + int(xs.max()) + 1
        y0, y1 = where[0].start + int(ys.min()), where[0].start + int(ys.max()) + 1
        wide, high = (x1 - x0) * factor / dpi, (y1 - y0) * factor / dpi
        large = min(wide, high) >= thresholds.PICTURE_SIDE_INCHES and wide * high >= thresholds.PICTURE_SIDE_INCHES
        if large and len(ys) >= thresholds.MIN_PICTURE_INK * (x1 - x0) * (y1 - y0):
            found.append((float(x0 * factor), float(y0 * factor), float(x1 * factor), float(y1 * factor)))
    return sorted(found, key=lambda box: (box[1], box[0]))


def gray_of(pixmap: Any) -> Gray:
    """The grey values of a ``pymupdf.Pixmap`` in its grey colour space, without alpha."""
    rows = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.stride)
    return np.ascontiguousarray(rows[:, : pixmap.width])
