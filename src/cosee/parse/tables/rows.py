"""Lines of cells on one baseline, and the runs of lines that may be a table."""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import median

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf.page_model import Fragment, Word
from cosee.parse.tables import thresholds
from cosee.parse.tables.text import LEADER, fragment_text, has_leader, is_numeric, is_row_of_numbers, is_text_rule

_CURRENCY = re.compile(r"^(?:[$€£¥₹]|US\$|Rs\.?|EUR|USD|RMB|\(|\(\$|\$ ?\()+$")
_MARK_BEHIND = re.compile(r"^(?:[)%‰*†‡]|\)%|\)\*|bps|x|pts?|\([0-9a-z]\)|\[[0-9a-z]\])+$")
_MARKER = re.compile(r"^(?:[•●○◦▪▫■□–—·*➢➤✓✔»-]|\(?(?:\d{1,2}|[A-Za-z]|[ivxIVX]{1,4})[.)]|\(\d{1,2}\)|[a-z]\))$")
_NOTE_NUMBER = re.compile(r"^(?:[A-Z]{1,3}\d{1,3}\.|\[\d{1,3}\]|\d{1,3}\.)$")


@dataclass(slots=True)
class Cell:
    """One cell of a row: its text, its words and the fragments it was made from."""

    bbox: BBox
    text: str
    fragments: list[int]
    words: list[Word]
    size: float
    leader: bool = False
    """Whether dots led from the text to the next cell; they are not part of it."""


@dataclass(slots=True)
class Row:
    """Cells on one baseline, from left to right."""

    cells: list[Cell]
    bbox: BBox

    @property
    def tabular(self) -> bool:
        """Whether the row has several cells."""
        return len(self.cells) >= 2


def rows_of(fragments: list[Fragment], indexes: list[int]) -> list[Row]:
    """Fragments grouped to rows from top to bottom; currency signs, trailing marks and bullets join their cell.

    Rules set as text (rows of dashes) and rows of nothing but leaders are left out.
    """
    groups: list[list[int]] = []
    first: BBox = (0.0, 0.0, 0.0, 0.0)
    for i in sorted(indexes, key=lambda i: ((fragments[i].bbox[1] + fragments[i].bbox[3]) / 2, i)):
        box = fragments[i].bbox
        if is_text_rule(fragments[i].text):
            continue
        lower = min(geometry.height(first), geometry.height(box))
        if groups and geometry.overlap_length_y(first, box) >= thresholds.SAME_ROW * lower:
            groups[-1].append(i)
        else:
            groups.append([i])
            first = box
    rows = []
    for group in groups:
        cells = _cells(fragments, sorted(group, key=lambda i: fragments[i].bbox[0]))
        if cells:
            rows.append(Row(cells, geometry.union(cell.bbox for cell in cells)))
    return rows


def _cells(fragments: list[Fragment], group: list[int]) -> list[Cell]:
    cells: list[Cell] = []
    for i in group:
        for cell in (part for piece in _cut_at_leaders(fragments[i], i) for part in _with_numbers_apart(piece)):
            if cells and (not cell.text or _are_one_cell(cells[-1], cell)):
                _append(cells[-1], cell)
            elif cell.text:
                cells.append(cell)
    return cells


def _with_numbers_apart(cell: Cell) -> list[Cell]:
    """A cell for each of several numbers that stand side by side; one in parentheses goes with the number before."""
    if len(cell.words) < 2 or any(map(str.isalpha, cell.text)):
        return [cell]
    tokens = [word.text for word in cell.words]
    if " ".join(tokens) != cell.text or not is_row_of_numbers(tokens):
        return [cell]
    groups: list[list[Word]] = []
    for word in cell.words:
        if groups and word.text[0] in "([":
            groups[-1].append(word)
        else:
            groups.append([word])
    return [
        Cell(geometry.union(w.bbox for w in group), " ".join(w.text for w in group), cell.fragments, group, cell.size)
        for group in groups
    ]


def _cut_at_leaders(fragment: Fragment, index: int) -> list[Cell]:
    """The fragment as a cell, or where leaders run through it as one before and one after them."""
    text = fragment_text(fragment)
    size = max(fragment.size, 1.0)
    if not has_leader(text):
        return [Cell(fragment.bbox, text, [index], fragment.words, size)]
    groups: list[list[Word]] = [[]]
    for word in fragment.words:
        if word.text.strip(".…_"):
            groups[-1].append(word)
        elif groups[-1]:
            groups.append([])
    cells = [
        Cell(geometry.union(w.bbox for w in group), _without_leaders(group), [index], group, size, leader=True)
        for group in groups
        if group
    ]
    return cells or [Cell(fragment.bbox, "", [index], [], size, leader=True)]


def _without_leaders(words: list[Word]) -> str:
    return LEADER.sub(" ", " ".join(word.text for word in words)).strip()


def _append(last: Cell, cell: Cell) -> None:
    last.fragments = [*last.fragments, *cell.fragments]
    last.leader = last.leader or cell.leader
    if not cell.text:
        return
    sign = bool(_CURRENCY.match(last.text))
    space = "" if _MARK_BEHIND.match(cell.text) or sign else " "
    last.text = f"{last.text}{space}{cell.text}"
    # A sign may stand far to the left of its amount: the amount alone says which column it is in.
    last.bbox = cell.bbox if sign else geometry.union((last.bbox, cell.bbox))
    last.words = [*last.words, *cell.words]


def _are_one_cell(last: Cell, cell: Cell) -> bool:
    """Whether a sign, mark or bullet belongs to what stands beside it."""
    gap = cell.bbox[0] - last.bbox[2]
    if _CURRENCY.match(last.text):
        return is_numeric(cell.text)
    if _MARK_BEHIND.match(cell.text):
        return gap < thresholds.MARK_GAP * cell.size and is_numeric(last.text)
    return bool(_MARKER.match(last.text)) and gap < thresholds.BULLET_GAP * cell.size and not is_numeric(cell.text)


def is_item_marker(text: str) -> bool:
    """Whether a cell holds only a bullet, a number or a letter that opens an item of a list."""
    return bool(_MARKER.match(text) or _NOTE_NUMBER.match(text))


def runs_of(rows: list[Row], *, framed: bool = False) -> list[list[Row]]:
    """Maximal sequences of rows that may be one table; they start and end with a row of several cells.

    Between rules (``framed``) the lines of a long cell may stand further from those of its neighbours.
    """
    if not rows:
        return []
    region = geometry.union(row.bbox for row in rows)
    label_break = thresholds.FRAMED_BREAK if framed else thresholds.LABEL_BREAK
    runs: list[list[Row]] = []
    run: list[Row] = []
    for n, row in enumerate(rows):
        following = rows[n + 1 : n + 1 + thresholds.MAX_LABEL_ROWS]
        if run and (_ends_before(run, row, region, following, label_break) or _repeats_header(run, row)):
            runs.append(run)
            run = []
        if not run and row.tabular:
            run = _spanning_header(rows, n, region)
        if run or row.tabular:
            run.append(row)
    runs.append(run)
    trimmed = []
    for run in runs:
        while run and not run[-1].tabular:
            run.pop()
        if sum(1 for row in run if row.tabular) >= 2:
            trimmed.append(run)
    return trimmed


def _repeats_header(run: list[Row], row: Row) -> bool:
    """Whether the row repeats the first one below a gap: another table with the same header."""
    first = run[0].cells
    apart = row.bbox[1] - run[-1].bbox[3] >= thresholds.REPEAT_GAP * geometry.height(row.bbox)
    same = len(first) == len(row.cells) and all(a.text == b.text for a, b in zip(first, row.cells, strict=True))
    return len(run) >= thresholds.MIN_ROWS_BEFORE_REPEAT and apart and same and not is_numeric(first[-1].text)


def _spanning_header(rows: list[Row], first: int, region: BBox) -> list[Row]:
    """The row above a table that holds one heading over its value columns (``Year ended December 31``)."""
    if not first:
        return []
    above, row = rows[first - 1], rows[first]
    indent = region[0] + thresholds.HEADING_INDENT * geometry.width(region)
    indented = above.bbox[0] > max(indent, row.cells[0].bbox[0] + thresholds.HEADING_OVER_LABELS)
    near = row.bbox[1] - above.bbox[3] <= thresholds.HEADING_GAP * geometry.height(row.bbox)
    short = len(above.cells[0].text) < thresholds.MAX_HEADING
    return [above] if not above.tabular and indented and near and short else []


def _ends_before(run: list[Row], row: Row, region: BBox, following: list[Row], label_break: float) -> bool:
    """Whether the table ends before ``row``; ``label_break`` is the gap before a row of one cell that ends it."""
    height = median(geometry.height(r.bbox) for r in run)
    gap = row.bbox[1] - run[-1].bbox[3]
    if gap > thresholds.MAX_BREAK * height:
        return True
    if row.tabular:
        return False
    values = [cell.bbox[0] for other in run[-thresholds.ROWS_WITH_VALUES :] for cell in other.cells[1:]]
    if values and row.bbox[0] >= min(values) - thresholds.VALUE_EDGE:
        return gap > label_break * height
    text = row.cells[0].text
    wide = geometry.width(row.bbox) > thresholds.TEXT_LINE * geometry.width(region)
    if wide and text.count(" ") >= thresholds.TEXT_SPACES and (not values or row.bbox[2] > min(values)):
        return True
    labels = bool(values) and row.bbox[2] <= min(values) and gap <= thresholds.LABEL_ROW_GAP * height
    going_on = following if labels else following[: thresholds.MAX_STRAY_ROWS]
    return not any(other.tabular for other in going_on) or gap > thresholds.LABEL_BREAK * height
