"""Numbers that count the lines of running text in the margin: legal sheets, manuscripts, transcripts."""

from __future__ import annotations

import re
from statistics import median

from cosee.parse.pdf.page_model import Fragment, RawPage

LINE_NUMBER = "line_number"
"""Why such a number is set aside."""
MIN_NUMBERS = 10
MIN_WORDS = 4.0
"""Fewer words beside the numbers are entries of a list."""
MIN_GOING_ON = 0.2
"""Share of the lines that begin with a small letter; entries of a numbered list or table seldom do."""
OFF = 2.0
"""Points by which the right edges, or the left ones, of the numbers differ at most."""


def set_line_numbers_aside(page: RawPage) -> None:
    """Mark the numbers of lines as no text of the page: they are kept with their reason."""
    shown = [f for f in page.fragments if not f.hidden and not f.rotated and not f.ocr]
    numbers = [f for f in shown if re.fullmatch(r"[1-9]\d{0,2}", f.text.strip())]
    if len(numbers) < MIN_NUMBERS:
        return
    columns = [
        sorted((f for f in numbers if abs(f.bbox[edge] - number.bbox[edge]) <= OFF), key=lambda f: f.bbox[1])
        for edge in (0, 2)
        for number in numbers
    ]
    column = max(columns, key=len, default=[])
    if _count_lines(column, shown):
        for number in column:
            number.hidden, number.hidden_reason = True, LINE_NUMBER


def _count_lines(column: list[Fragment], shown: list[Fragment]) -> bool:
    values = [int(f.text) for f in column]
    steps = {after - before for before, after in zip(values, values[1:], strict=False)}
    if len(column) < MIN_NUMBERS or len(steps) != 1 or not steps <= {1, 2, 5, 10}:
        return False
    margin = max(f.bbox[2] for f in column)
    text = [f for f in shown if f.bbox[0] > margin]
    if any(f.bbox[0] < margin and not re.fullmatch(r"\d*", f.text.strip()) for f in shown if _within(f, column)):
        return False
    beside = [[f for f in text if _same_line(f, number)] for number in column]
    rows = [row for row in beside if row]
    if len(rows) < MIN_NUMBERS or any(len(row) > 1 for row in rows):
        return False
    going_on = sum(row[0].text.lstrip()[:1].islower() for row in rows)
    return going_on >= MIN_GOING_ON * len(rows) and median(len(row[0].text.split()) for row in rows) >= MIN_WORDS


def _within(fragment: Fragment, column: list[Fragment]) -> bool:
    return column[0].bbox[1] <= fragment.bbox[1] <= column[-1].bbox[3]


def _same_line(fragment: Fragment, number: Fragment) -> bool:
    middle = (number.bbox[1] + number.bbox[3]) / 2
    return fragment.bbox[1] <= middle <= fragment.bbox[3]
