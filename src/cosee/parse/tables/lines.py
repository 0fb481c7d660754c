"""Lines of a table's body become rows: wrapped cells are joined, by rules, by gaps, by what would have fitted."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.tables import thresholds
from cosee.parse.tables.cells import Slots, TableCell, cells_in, joined_rows
from cosee.parse.tables.text import is_numeric, is_value


@dataclass(frozen=True, slots=True)
class _Body:
    """Lines with the box around each, and how far right the text of each column may reach."""

    lines: list[Slots]
    boxes: list[BBox]
    limits: list[float]


def join_lines(lines: list[Slots], separators: list[float]) -> list[Slots]:
    """The rows of a table's body. ``separators`` are the heights of rules between its lines."""
    if len(lines) < 2:
        return lines
    boxes = [geometry.union(cell.bbox for cell in cells_in(line)) for line in lines]
    body = _Body(lines, boxes, _right_limits(lines))
    together = _joined_by_rules(body, separators) or _joined_by_gaps(body) or _joined_by_words(body)
    rows: list[Slots] = [lines[0]]
    for line, joins in zip(lines[1:], together, strict=True):
        if joins:
            rows[-1] = joined_rows(rows[-1], line)
        else:
            rows.append(line)
    return rows


def _right_limits(lines: list[Slots]) -> list[float]:
    """How far right the text of each column may reach before it wraps.

    Columns of sentences reach it; short names may go on until shortly before the next column.
    """
    cells = [
        [cell for line in lines if (cell := line[c]) is not None and line.count(cell) == 1]
        for c in range(len(lines[0]))
    ]
    limits = []
    for column, found in enumerate(cells):
        limit = max((cell.bbox[2] for cell in found), default=0.0)
        following = [cell.bbox[0] for other in cells[column + 1 : column + 2] for cell in other]
        if following and all(cell.text.count(" ") < thresholds.MAX_NAME_SPACES for cell in found):
            line = median(geometry.height(cell.bbox) for other in cells[column : column + 2] for cell in other)
            limit = max(limit, min(following) - line)
        limits.append(limit)
    return limits


def _joined_by_rules(body: _Body, separators: list[float]) -> list[bool] | None:
    """Lines joined to what stands between two rules, where rules divide all rows."""
    bands = [sum(1 for at in separators if at <= (box[1] + box[3]) / 2) for box in body.boxes]
    if len(set(bands)) < thresholds.MIN_BANDS:
        return None
    together = [bands[n] == bands[n - 1] for n in range(1, len(bands))]
    return together if _all_read_on(body, together) else None


def _all_read_on(body: _Body, together: list[bool]) -> bool:
    """Whether lines that belong together by their places read on from each other, in their labels without exception."""
    pairs = [n for n in range(1, len(body.lines)) if together[n - 1]]
    if not pairs or any(_two_values(body.lines[n - 1], body.lines[n]) for n in pairs):
        return False
    wrapped = sum(1 for n in pairs if _wraps(body, n))
    if wrapped < thresholds.WRAPPED_PAIRS * len(pairs):
        return False
    label = body.lines[0][0]
    for n, line in enumerate(body.lines[1:], start=1):
        if not together[n - 1]:
            label = line[0]
        elif line[0] is not None:
            if label is not None and not _reads_on(label, line[0], body.limits[0]):
                return False
            label = line[0]
    return True


def _joined_by_gaps(body: _Body) -> list[bool] | None:
    """Lines joined where they stand closer than rows do, where the gaps are of two kinds."""
    line = median(geometry.height(box) for box in body.boxes)
    gaps = [b[1] - a[3] for a, b in zip(body.boxes, body.boxes[1:], strict=False)]
    ordered = sorted(gaps)
    jumps = [(b - a, (a + b) / 2) for a, b in zip(ordered, ordered[1:], strict=False)]
    jump, limit = max(jumps, default=(0.0, 0.0))
    if jump < thresholds.MIN_JUMP * line or limit > thresholds.MAX_JUMP_GAP * line:
        return None
    together = [gap < limit for gap in gaps]
    return together if _all_read_on(body, together) else None


def _two_values(upper: Slots, lower: Slots) -> bool:
    """Whether both lines hold a number in one column."""
    return any(
        a is not None and b is not None and is_numeric(a.text) and is_numeric(b.text)
        for a, b in zip(upper[1:], lower[1:], strict=True)
    )


def _wraps(body: _Body, n: int) -> bool:
    """Whether most cells of line ``n`` read on from the line above, which had no room for their first word."""
    pairs = [
        (a, b, limit)
        for a, b, limit in zip(body.lines[n - 1], body.lines[n], body.limits, strict=True)
        if a is not None and b is not None
    ]
    return bool(pairs) and sum(1 for pair in pairs if _reads_on(*pair)) > thresholds.WRAPPED_CELLS * len(pairs)


def _reads_on(upper: TableCell, lower: TableCell, limit: float) -> bool:
    """Whether a cell goes on with the one above: by its words, or because its first word had no room there."""
    text = lower.text
    if is_value(text):
        return False
    if _starts_inside_sentence(text) or upper.text[-1:] in "-–—/,&":
        return True
    first = text.split()[0]
    letter = geometry.width(lower.bbox) / len(text)
    return upper.text.count(" ") >= 1 and upper.bbox[2] + letter * (len(first) + 1) > limit


def _starts_inside_sentence(text: str) -> bool:
    """Whether a text starts inside a sentence: with a small letter that is no mark of its own (``a  65-69``)."""
    return text[0] in "(&+/" or (text[0].islower() and len(text.split()[0]) > 1)


def _joined_by_words(body: _Body) -> list[bool]:
    """Lines joined where they only go on with cells of the line above."""
    gaps = [max(0.0, b[1] - a[3]) for a, b in zip(body.boxes, body.boxes[1:], strict=False)]
    typical = median(gaps)
    return [_continues(body, n, gap, typical) for n, gap in enumerate(gaps, start=1)]


def _continues(body: _Body, n: int, gap: float, typical: float) -> bool:
    """Whether line ``n`` only continues cells of the line above: a wrapped label, or wrapped cells without a label."""
    upper, lower = body.lines[n - 1], body.lines[n]
    if _two_values(upper, lower) or gap > typical + thresholds.USUAL_GAP:
        return False
    label, above = lower[0], upper[0]
    if label is None:
        tight = gap < max(typical - thresholds.USUAL_GAP, thresholds.TIGHT_GAP)
        under = all(a is not None for a, b in zip(upper, lower, strict=True) if b is not None)
        if not under or any(is_numeric(cell.text) for cell in cells_in(lower)):
            return False
        return tight or _wraps(body, n)
    if above is None:
        return False
    alone = len(cells_in(lower)) == 1
    starts_low = _starts_inside_sentence(label.text)
    if len(cells_in(upper)) == 1 and not alone:
        return starts_low or gap < typical - thresholds.USUAL_GAP
    if not alone or starts_low:
        return alone
    indented = label.bbox[0] > above.bbox[0] + thresholds.LABEL_INDENT
    return indented and _outdents(body, n) and _reads_on(above, label, body.limits[0])


def _outdents(body: _Body, n: int) -> bool:
    """Whether the label after line ``n`` starts to the left of it: line ``n`` heads no rows below."""
    label = body.lines[n][0]
    following = next((line[0] for line in body.lines[n + 1 :] if line[0] is not None), None)
    return label is not None and (following is None or following.bbox[0] < label.bbox[0] - thresholds.LABEL_OUTDENT)
