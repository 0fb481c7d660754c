"""Words with a line drawn through them, or under a StrikeOut annotation: they do not hold any more."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.imaging.pdf_faults import pdf_faults
from cosee.parse.pdf import thresholds
from cosee.parse.pdf.annotations import NOT_SHOWN
from cosee.parse.pdf.paper import Paper
from cosee.parse.pdf.text_lines import Place, place_of, text_lines
from cosee.parse.pdf.turning import seen_box

STRUCK_OUT = "struck_out"
"""Why such words are left out."""
_STRIKE_OUT = 11
"""MuPDF's number of the annotation."""

Direction = tuple[int, int]
"""Of text: (1, 0) to the right, (0, 1) downwards ..."""
Stroke = tuple[float, int, BBox]
"""Height of a line's middle, its place in the content, its box; held as text of one direction is."""


class _Word(NamedTuple):
    """A word of a line that a stroke may go through, held so that it runs to the right."""

    direction: Direction
    size: float
    base: float
    number: int
    """Its place among MuPDF's words."""
    box: BBox


def struck_words(page: Any, paper: Paper, content: Any, words: Sequence[Any]) -> tuple[list[BBox], set[int]]:
    """Boxes of the words that are struck out, in the coordinates of ``words``; and the places in ``content`` of the
    paths that strike them, which ``paper`` has to show."""
    matrix = page.rotation_matrix if page.rotation else None
    boxes, orders = _struck_by_lines(content, words, lambda box: _is_seen(paper, seen_box(box, matrix)))
    quads = list(_annotated(page))
    for word in words if quads else ():
        if any(geometry.center_inside(word, quad) for quad in quads):
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
        if not flags & NOT_SHOWN:
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
    if across:
        rows = slice(max(rows.start - 1, 0), rows.stop + 1)
    else:
        columns = slice(max(columns.start - 1, 0), columns.stop + 1)
    part = paper.pixels[rows, columns].astype(np.int16)
    margin = thresholds.GROUND_MARGIN
    around = paper.part((box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin))
    if not part.size or around is None:
        return False
    ground = np.median(around.reshape(-1, 3), axis=0).astype(np.int16)
    ink = (np.abs(part - ground) > thresholds.PAGE_INK).any(axis=2)
    return float(ink.any(axis=0 if across else 1).mean()) >= thresholds.STROKE_SEEN


def _struck_by_lines(content: Any, words: Sequence[Any], is_seen: Callable[[Any], bool]) -> tuple[list[BBox], set[int]]:
    """Boxes of the words that painted lines go through, and the places of these lines in ``content``."""
    lines = [
        (order, block["bbox"])
        for order, block in enumerate(content["blocks"])
        if block["type"] == 3 and block.get("alpha", 255) > thresholds.INVISIBLE_ALPHA and _is_line(block["bbox"])
    ]
    boxes: list[BBox] = []
    orders: set[int] = set()
    if not lines:
        return boxes, orders
    strokes_of = cache(partial(_strokes, lines))
    crossed: dict[tuple[Direction, Stroke], list[_Word]] = defaultdict(list)
    for word in _near_words(content, words, strokes_of):
        for stroke in _through(strokes_of(word.direction), word.size, word.base, word.box):
            if geometry.overlap_length_x(stroke[2], word.box) >= thresholds.STRUCK_SHARE * geometry.width(word.box):
                crossed[word.direction, stroke].append(word)
    for (_, (_, order, (x0, _, x1, _))), struck in crossed.items():
        room = thresholds.STROKE_OVERHANG * max(word.size for word in struck)
        whole = geometry.union(word.box for word in struck)
        if x0 >= whole[0] - room and x1 <= whole[2] + room and is_seen(content["blocks"][order]["bbox"]):
            boxes += [tuple(words[word.number][:4]) for word in struck]
            orders.add(order)
    return boxes, orders


def _is_line(box: Any) -> bool:
    shorter, longer = sorted(geometry.sides(box))
    return shorter <= thresholds.LINE_THICKNESS and longer >= thresholds.LINE_LENGTH


def _strokes(lines: Sequence[tuple[int, Any]], direction: Direction) -> list[Stroke]:
    turned = [(order, _turn(box, direction)) for order, box in lines]
    return sorted(((box[1] + box[3]) / 2, order, box) for order, box in turned)


def _through(strokes: Sequence[Stroke], size: float, base: float, box: BBox) -> list[Stroke]:
    """The strokes at the height of a line through the text in a box, thin enough for one."""
    lowest, highest = thresholds.STROKE_ZONE
    first = bisect_left(strokes, (base - highest * size,))
    last = bisect_right(strokes, (base - lowest * size, math.inf))
    thickness = max(thresholds.STROKE_THICKNESS * size, thresholds.STROKE_MIN_THICKNESS)
    return [
        stroke
        for stroke in strokes[first:last]
        if geometry.height(stroke[2]) <= thickness and geometry.overlap_length_x(stroke[2], box) > 0
    ]


def _near_words(content: Any, words: Sequence[Any], strokes_of: Callable[[Direction], list[Stroke]]) -> Iterator[_Word]:
    """The words of the lines that a stroke may go through."""
    of_line: dict[Place, list[int]] = {}
    for place, line in text_lines(content):
        dx, dy = line["dir"]
        direction = round(dx), round(dy)
        if abs(direction[0]) + abs(direction[1]) != 1 or max(abs(dx), abs(dy)) < thresholds.EXACTLY_ALONG_AXIS:
            continue
        strokes = strokes_of(direction)
        whole = _turn(line["bbox"], direction)
        nearest = bisect_left(strokes, (whole[1],))
        if nearest == len(strokes) or strokes[nearest][0] > whole[3]:
            continue
        spans = [
            (span, direction[0] * span["origin"][1] - direction[1] * span["origin"][0])
            for span in line["spans"]
            if span["size"] > 0
        ]
        if not any(_through(strokes, span["size"], base, whole) for span, base in spans):
            continue
        places = [(_turn(span["bbox"], direction), base, span["size"]) for span, base in spans if span["text"].strip()]
        of_line = of_line or _by_line(words)
        for number in of_line.get(place, ()):
            box = _turn(words[number][:4], direction)
            # Parts of a formula may be one line, each with a base line of its own.
            shared, base, size = max(
                ((geometry.intersection(box, each), base, size) for each, base, size in places),
                default=(0.0, 0.0, 0.0),
            )
            if shared > 0:
                yield _Word(direction, size, base, number, box)


def _by_line(words: Sequence[Any]) -> dict[Place, list[int]]:
    """The numbers of the words of each line."""
    found: dict[Place, list[int]] = defaultdict(list)
    for number, word in enumerate(words):
        found[place_of(word)].append(number)
    return found


def _turn(box: Sequence[float], direction: Direction) -> BBox:
    """The box in coordinates in which text of this direction runs to the right and stands upright."""
    dx, dy = direction
    x0, y0, x1, y1 = box
    if dx == 1:
        return x0, y0, x1, y1
    xs, ys = (dx * x0 + dy * y0, dx * x1 + dy * y1), (dx * y0 - dy * x0, dx * y1 - dy * x1)
    return min(xs), min(ys), max(xs), max(ys)
