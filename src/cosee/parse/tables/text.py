"""Text of table cells: numbers, footnote marks, wrapped lines."""

from __future__ import annotations

import re

from cosee.artifacts.base import BBox
from cosee.artifacts.documents.layout import Span
from cosee.parse.pdf.page_model import Fragment, Word
from cosee.parse.tables import thresholds
from cosee.text.cleaning import one_line
from cosee.text.scripts import is_cjk

_NUMBER = re.compile(
    r"^[\s$€£¥₹(\[*†‡+\-−–—~≈<>≤≥±]*(?:US\$|Rs\.?|EUR|USD|RMB)?\s*[\d０-９][\d.,'’\s/:×x%‰\-−–—()\]*†‡]*"
    r"(?:%|bps|x|pts?|[KMBkmb]n?|million|billion|万|亿|元)?[)\]*†‡]*$"
)
LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}|_{6,}")
"""Dots or strokes that lead the eye from a label to its value."""
_TEXT_RULE = re.compile(r"[-–—_=]{6,}")
UNITS = re.compile(
    r"\(?(?:(?:\S+ ){0,3}in (?:\S+ (?:of )?)?"
    r"(?:thousands?|millions?|billions?|percent|%|dollars|euros?)|unaudited\b)",
    re.IGNORECASE,
)
"""A line below the names of columns that says in what units all values are. General knowledge: magnitudes and
currencies."""
_DASH = re.compile(r"^[\s$€£()]*[-−–—][\s)%]*$|^(?:n/?a|n\.a\.|nm|N/?A|NM|—|–|-|\([XDSZ]\)|\(NA\))$")


def has_leader(text: str) -> bool:
    """Whether there are leaders in a text; the three signs are looked for first, which is faster than the pattern."""
    return ("." in text or "…" in text or "_" in text) and LEADER.search(text) is not None


def is_numeric(text: str) -> bool:
    """Whether a cell holds a number, an amount, a percentage or a dash for none."""
    text = text.strip()
    return bool(text) and (bool(_NUMBER.match(text)) or bool(_DASH.match(text)))


def is_value(text: str) -> bool:
    """Whether a cell holds a number that is no year: years name columns and rows."""
    return is_numeric(text) and not is_year(text)


def is_row_of_numbers(tokens: list[str]) -> bool:
    """Whether tokens are values of their own: no range (``5 - 10``), telephone number or grouped amount (``3 400``)."""
    if not all(is_numeric(token) for token in tokens) or not any(map(str.isdigit, tokens[0])):
        return False
    if any(re.search(r"\d-\d", token) for token in tokens):
        return False
    dashes = [token for token in tokens[1:-1] if not any(map(str.isdigit, token))]
    grouped = all(re.fullmatch(r"\d{3}", token) for token in tokens[1:]) and len(tokens[0]) <= 3
    return not grouped and not (dashes and len(tokens) == 3)


def is_text_rule(text: str) -> bool:
    """Whether a line of characters stands for a rule (``------``)."""
    return text[:1] in "-–—_=" and bool(_TEXT_RULE.fullmatch("".join(text.split())))


def join_texts(one: str, other: str) -> str:
    """The text of two lines of one cell; Chinese and Japanese lines are joined without a space."""
    if not one or not other:
        return one or other
    return f"{one}{other}" if is_cjk(one[-1]) and is_cjk(other[0]) else f"{one} {other}"


def is_footnote_mark(span: Span) -> bool:
    """Whether a span is a footnote mark and no part of a cell's text: superscript and short."""
    return span.superscript and len(span.text.strip()) <= thresholds.MAX_FOOTNOTE_MARK


def footnote_mark_boxes(fragment: Fragment) -> set[BBox]:
    """Boxes of the words that are a footnote mark."""
    found: set[BBox] = set()
    for span in filter(is_footnote_mark, fragment.spans):
        for word in fragment.words:
            center = (word.bbox[0] + word.bbox[2]) / 2
            if word.text == span.text.strip() and span.bbox[0] - 1 <= center <= span.bbox[2] + 1:
                found.add(word.bbox)
    return found


def fragment_text(fragment: Fragment) -> str:
    """Text of a cell's fragment without superscript footnote marks (``1,234.5a`` is ``1,234.5``)."""
    first, *others = fragment.spans
    return one_line("".join([first.text, *(span.text for span in others if not is_footnote_mark(span))]))


def cell_text(lines: list[list[Word]]) -> str:
    """Words of a cell, line by line, on one line; Chinese and Japanese lines are joined without a space."""
    text = ""
    for line in lines:
        text = join_texts(text, " ".join(word.text for word in line))
    return one_line(text)


def header_row_count(rows: list[list[str]]) -> int:
    """Number of header rows: leading rows without numbers above rows with numbers; 0 when the first row is data.

    Years count as header text. Without any number below, the first row is the header when none of its cells is long
    and the table has at least three columns.
    """
    if len(rows) < 2:
        return 0
    numeric = [sum(1 for cell in row[1:] if is_value(cell)) for row in rows]
    filled = [sum(1 for cell in row[1:] if cell) for row in rows]
    if numeric[0] and numeric[0] >= thresholds.MOSTLY_NUMBERS * filled[0]:
        return 0
    least = thresholds.FIRST_DATA_ROW
    first_data = next((n for n in range(len(rows)) if numeric[n] and numeric[n] >= least * filled[n]), None)
    if first_data is None:
        names = all(len(cell) <= thresholds.MAX_NAME for cell in rows[0])
        return 1 if names and len(rows[0]) >= thresholds.MIN_NAMED_COLUMNS else 0
    header = 0
    while header < min(first_data, thresholds.MAX_HEADER_ROWS) and any(rows[header][1:]):
        header += 1
    return max(header, 1)


def is_year(text: str) -> bool:
    """Whether a cell holds a year (``2021``, ``FY'21``, ``2024E``), which names a column or row."""
    return bool(re.fullmatch(r"\(?(?:FY|Q[1-4])?\s?'?(?:1[89]|20)\d\d[AEe]?\)?", text.strip()))
