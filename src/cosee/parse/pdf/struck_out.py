"""Words with a line drawn through them, or under a StrikeOut annotation: they do not hold any more."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.imaging.pdf_faults import pdf_faults
from cosee.parse.pdf.paper import INK, Paper
from cosee.parse.pdf.turning import seen_box

SEEN = 0.9
"""Share of its length that a stroke is seen on."""
STRUCK_OUT = "struck_out"
"""Why such words are left out."""
ZONE = 0.14, 0.45
"""How far above its base line a line goes through text, in font sizes: an underline lies below, a rule above."""
THICK = 0.16
"""Height of a line at most, in font sizes."""
ENDS = 0.8
"""Font sizes by which a line and the words that it goes through end apart at most: a longer one is a rule."""
COVERED = 0.7
"""Share of a word that a line goes through."""
_STRIKE_OUT = 11
"""MuPDF's number of the annotation."""


def struck_words(page: Any, paper: Paper, content: Any, words: Sequence[Any]) -> tuple[list[BBox], set[int]]:
    """Boxes of the words that are struck out, in the coordinates of ``words``; and the places in ``content`` of the
    paths that strike them, which ``paper`` has to show."""
    matrix = page.rotation_matrix if page.rotation else None
    boxes, orders = _by_lines(content, words, lambda box: _is_seen(paper, seen_box(box, matrix)))
    quads = list(_annotated(page))
    for word in words if quads else ():
        middle = ((word[0] + word[2]) / 2, (word[1] + word[3]) / 2)
        if any(x0 <= middle[0] <= x1 and y0 <= middle[1] <= y1 for x0, y0, x1, y1 in quads):
            boxes.append(tuple(word[:4]))
    return boxes, orders


def _annotated(page: Any) -> Iterator[BBox]:
    """Boxes of the quads of StrikeOut annotations that are shown."""
    if page.first_annot is None:
        return
    try:
        found = [(each.flags, list(each.vertices or [])) for each in page.annots(types=(_STRIKE_OUT,))]
    except pdf_faults():
        return
    for flags, points in found:
        if not flags & (2 | 32):
            for start in range(0, len(points) - 3, 4):
                xs, ys = zip(*points[start : start + 4], strict=True)
                yield min(xs), min(ys), max(xs), max(ys)


def _is_seen(paper: Paper, box: BBox) -> bool:
    """Whether a stroke is drawn from end to end; one behind a label is not seen where the label is."""
    import numpy as np

    if paper.pixels is None:
        return False
    across = geometry.width(box) >= geometry.height(box)
    rows, columns = paper.place(box)
    near = (slice(max(rows.start - 1, 0), rows.stop + 1), columns) if across else (
        rows, slice(max(columns.start - 1, 0), columns.stop + 1)
    )  # fmt: skip
    wide = paper.part((box[0] - 4, box[1] - 4, box[2] + 4, box[3] + 4))
    part = paper.pixels[near].astype(np.int16)
    if not part.size or wide is None:
        return False
    ground = np.median(wide.reshape(-1, 3), axis=0).astype(np.int16)
    ink = (np.abs(part - ground) > INK).any(axis=2)
    return float(ink.any(axis=0 if across else 1).mean()) >= SEEN


def _by_lines(content: Any, words: Sequence[Any], is_seen: Callable[[Any], bool]) -> tuple[list[BBox], set[int]]:
    flat = [
        (order, block["bbox"])
        for order, block in enumerate(content["blocks"])
        if block["type"] == 3 and block.get("alpha", 255) > 8 and _is_line(block["bbox"])
    ]
    boxes: list[BBox] = []
    orders: set[int] = set()
    for direction, rows in (_rows(content, words, flat) if flat else {}).items():
        crossed: dict[int, list[tuple[Row, float]]] = {}
        strokes = _strokes(flat, direction)
        for row in rows:
            for _, order, (x0, _, x1, _) in _through(strokes, row.size, row.base, row.box):
                inside = min(x1, row.box[2]) - max(x0, row.box[0])
                if inside >= COVERED * (row.box[2] - row.box[0]):
                    crossed.setdefault(order, []).append((row, row.size))
        by_order = {order: box for _, order, box in strokes}
        for order, found in crossed.items():
            x0, _, x1, _ = by_order[order]
            room = ENDS * max(size for _, size in found)
            whole = geometry.union(row.box for row, _ in found)
            if x0 >= whole[0] - room and x1 <= whole[2] + room and is_seen(content["blocks"][order]["bbox"]):
                boxes += [tuple(words[row.place][:4]) for row, _ in found]
                orders.add(order)
    return boxes, orders


def _is_line(box: Any) -> bool:
    across, down = box[2] - box[0], box[3] - box[1]
    return bool(min(across, down) <= 4.0 and max(across, down) >= 3.0)


class Row(NamedTuple):
    """A word of a line that is held so that it runs to the right."""

    size: float
    base: float
    place: int
    box: BBox


Stroke = tuple[float, int, BBox]
"""Height of a line's middle, its place in the content, its box; held as the text is."""


def _strokes(flat: Sequence[tuple[int, Any]], direction: tuple[int, int]) -> list[Stroke]:
    turned = [(order, _turn(box, direction)) for order, box in flat]
    return sorted(((box[1] + box[3]) / 2, order, box) for order, box in turned)


def _through(strokes: Sequence[Stroke], size: float, base: float, box: BBox) -> list[Stroke]:
    """The strokes at the height of a line through the text in a box, thin enough for one."""
    first = bisect_left(strokes, (base - ZONE[1] * size,))
    last = bisect_right(strokes, (base - ZONE[0] * size, math.inf))
    return [
        stroke
        for stroke in strokes[first:last]
        if geometry.height(stroke[2]) <= max(THICK * size, 1.0) and geometry.overlap_length_x(stroke[2], box) > 0
    ]


def _rows(content: Any, words: Sequence[Any], flat: Sequence[tuple[int, Any]]) -> dict[tuple[int, int], list[Row]]:
    """Direction of text -> the words of the lines that a stroke may go through."""
    of_line: dict[tuple[int, int], list[int]] = {}
    for place, word in enumerate(words):
        of_line.setdefault((word[5], word[6]), []).append(place)
    strokes: dict[tuple[int, int], list[Stroke]] = {}
    found: dict[tuple[int, int], list[Row]] = {}
    number = -1
    for block in content["blocks"]:
        if block["type"] != 0:
            continue
        number += 1
        for line_number, line in enumerate(block["lines"]):
            dx, dy = line["dir"]
            turned = round(dx), round(dy)
            if abs(turned[0]) + abs(turned[1]) != 1 or max(abs(dx), abs(dy)) < 0.999:
                continue
            if turned not in strokes:
                strokes[turned] = _strokes(flat, turned)
            whole = _turn(line["bbox"], turned)
            nearest = bisect_left(strokes[turned], (whole[1],))
            if nearest == len(flat) or strokes[turned][nearest][0] > whole[3]:
                continue
            spans = [
                (span, turned[0] * span["origin"][1] - turned[1] * span["origin"][0])
                for span in line["spans"]
                if span["size"] > 0
            ]
            if not any(_through(strokes[turned], span["size"], base, whole) for span, base in spans):
                continue
            places = [(_turn(span["bbox"], turned), base, span["size"]) for span, base in spans if span["text"].strip()]
            for place in of_line.get((number, line_number), ()):
                box = _turn(words[place][:4], turned)
                # Parts of a formula may be one line, each with a base line of its own.
                shared, base, size = max(
                    ((geometry.intersection(box, each), base, size) for each, base, size in places),
                    default=(0.0, 0.0, 0.0),
                )
                if shared > 0:
                    found.setdefault(turned, []).append(Row(size, base, place, box))
    return found


def _turn(box: Sequence[float], direction: tuple[int, int]) -> BBox:
    """The box in coordinates in which text of this direction runs to the right and stands upright."""
    dx, dy = direction
    x0, y0, x1, y1 = box
    if dx == 1:
        return x0, y0, x1, y1
    xs, ys = (dx * x0 + dy * y0, dx * x1 + dy * y1), (dx * y0 - dy * x0, dx * y1 - dy * x1)
    return min(xs), min(ys), max(xs), max(ys)
