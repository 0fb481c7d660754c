"""Words with a line drawn through them, or under a StrikeOut annotation: they do not hold any more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.imaging.pdf_faults import pdf_faults

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
BAND = 20.0
_STRIKE_OUT = 11
"""MuPDF's number of the annotation."""


def struck_words(page: Any, content: Any, words: Sequence[Any]) -> tuple[list[BBox], set[int]]:
    """Boxes of the words that are struck out, in the coordinates of ``words``; and the places in ``content`` of the
    paths that strike them."""
    boxes, orders = _by_lines(content, words)
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


def _by_lines(content: Any, words: Sequence[Any]) -> tuple[list[BBox], set[int]]:
    flat = [
        (order, block["bbox"])
        for order, block in enumerate(content["blocks"])
        if block["type"] == 3 and block.get("alpha", 255) > 8 and _is_line(block["bbox"])
    ]
    boxes: list[BBox] = []
    orders: set[int] = set()
    if not flat:
        return boxes, orders
    for turned, rows in _rows(content, words).items():
        strokes = [(order, _turn(box, turned)) for order, box in flat]
        for order, (x0, y0, x1, y1) in strokes:
            crossed = []
            for size, base, place, box in rows.get(int((y0 + y1) / 2 // BAND), ()):
                above = (base - (y0 + y1) / 2) / size
                inside = min(x1, box[2]) - max(x0, box[0])
                if ZONE[0] <= above <= ZONE[1] and y1 - y0 <= max(THICK * size, 1.0) and inside > 0:
                    crossed.append((size, place, box, inside >= COVERED * (box[2] - box[0])))
            through = [each for each in crossed if each[3]]
            if not through:
                continue
            room = ENDS * max(size for size, *_ in through)
            whole = geometry.union(box for _, _, box, _ in through)
            if x0 >= whole[0] - room and x1 <= whole[2] + room:
                boxes += [tuple(words[place][:4]) for _, place, _, _ in through]
                orders.add(order)
    return boxes, orders


def _is_line(box: Any) -> bool:
    across, down = box[2] - box[0], box[3] - box[1]
    return bool(min(across, down) <= 4.0 and max(across, down) >= 3.0)


Row = tuple[float, float, int, BBox]
"""Size, base line, place of the word, its box; of a line that is held so that it runs to the right."""


def _rows(content: Any, words: Sequence[Any]) -> dict[tuple[int, int], dict[int, list[Row]]]:
    """Direction of text -> band of the page -> the words whose base line is near it."""
    of_line: dict[tuple[int, int], list[int]] = {}
    for place, word in enumerate(words):
        of_line.setdefault((word[5], word[6]), []).append(place)
    found: dict[tuple[int, int], dict[int, list[Row]]] = {}
    number = -1
    for block in content["blocks"]:
        if block["type"] != 0:
            continue
        number += 1
        for line_number, line in enumerate(block["lines"]):
            turned = round(line["dir"][0]), round(line["dir"][1])
            if abs(turned[0]) + abs(turned[1]) != 1 or max(map(abs, line["dir"])) < 0.999:
                continue
            spans = [
                (_turn(span["bbox"], turned), _turn((*span["origin"], *span["origin"]), turned)[1], span["size"])
                for span in line["spans"]
                if span["text"].strip() and span["size"] > 0
            ]
            bands = found.setdefault(turned, {})
            for place in of_line.get((number, line_number), ()):
                box = _turn(words[place][:4], turned)
                # Parts of a formula may be one line, each with a base line of its own.
                shared, base, size = max(
                    ((geometry.intersection(box, each), base, size) for each, base, size in spans), default=(0.0, 0, 0)
                )
                for band in range(int((base - size) // BAND), int(base // BAND) + 1) if shared > 0 else ():
                    bands.setdefault(band, []).append((size, base, place, box))
    return found


def _turn(box: Sequence[float], direction: tuple[int, int]) -> BBox:
    """The box in coordinates in which text of this direction runs to the right and stands upright."""
    dx, dy = direction
    x0, y0, x1, y1 = box
    xs, ys = (dx * x0 + dy * y0, dx * x1 + dy * y1), (dx * y0 - dy * x0, dx * y1 - dy * x1)
    return min(xs), min(ys), max(xs), max(ys)
