"""Numbers that count the lines of running text in the margin: legal sheets, manuscripts, transcripts."""

from __future__ import annotations

import re
from statistics import median

from cosee.parse.layout import thresholds
from cosee.parse.pdf.page_model import Fragment, RawPage

LINE_NUMBER = "line_number"
"""Why such a number is set aside."""


def set_line_numbers_aside(page: RawPage) -> None:
    """Mark the numbers of lines as no text of the page: they are kept with their reason."""
    shown = [f for f in page.fragments if not f.hidden and not f.rotated and not f.ocr]
    numbers = [f for f in shown if re.fullmatch(r"[1-9]\d{0,2}", f.text.strip())]
    if len(numbers) < thresholds.MIN_LINE_NUMBERS:
        return
    columns = [
        sorted(
            (f for f in numbers if abs(f.bbox[edge] - number.bbox[edge]) <= thresholds.LINE_NUMBER_EDGE),
            key=lambda f: f.bbox[1],
        )
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
    if len(column) < thresholds.MIN_LINE_NUMBERS or len(steps) != 1 or not steps <= thresholds.LINE_NUMBER_STEPS:
        return False
    margin = max(f.bbox[2] for f in column)
    text = [f for f in shown if f.bbox[0] > margin]
    if any(f.bbox[0] < margin and not re.fullmatch(r"\d*", f.text.strip()) for f in shown if _within(f, column)):
        return False
    beside = [[f for f in text if _same_line(f, number)] for number in column]
    rows = [row for row in beside if row]
    if len(rows) < thresholds.MIN_LINE_NUMBERS or any(len(row) > 1 for row in rows):
        return False
    going_on = sum(row[0].text.lstrip()[:1].islower() for row in rows)
    words = median(len(row[0].text.split()) for row in rows)
    return going_on >= thresholds.LINES_GOING_ON * len(rows) and words >= thresholds.LINE_WORDS


def _within(fragment: Fragment, column: list[Fragment]) -> bool:
    return column[0].bbox[1] <= fragment.bbox[1] <= column[-1].bbox[3]


def _same_line(fragment: Fragment, number: Fragment) -> bool:
    middle = (number.bbox[1] + number.bbox[3]) / 2
    return fragment.bbox[1] <= middle <= fragment.bbox[3]
