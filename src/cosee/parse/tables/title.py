"""The first row of a table by its look: a heading that a detector took for a row, or the names of the columns."""

from __future__ import annotations

from collections.abc import Set
from statistics import median

from cosee import geometry
from cosee.artifacts.documents.layout import LayoutBlock, Line
from cosee.parse.pdf.bookmark_titles import is_title
from cosee.parse.tables import thresholds
from cosee.parse.tables.text import is_value
from cosee.text.caption_words import CAPTION


def without_titles(block: LayoutBlock, titles: Set[str] = frozenset()) -> list[LayoutBlock]:
    """The table in parts: rows that are a heading become text blocks, what stands between them stays tables.

    A heading is a first row of one line in larger type, or rows that together read like one of ``titles``, the
    bookmarks of the page.
    """
    rows, lines = block.rows or [], block.lines
    if min(len(rows), len(lines)) >= thresholds.MIN_TITLED_ROWS:
        first = min(lines, key=lambda line: line.bbox[1])
        rest = [line for line in lines if line is not first]
        larger = first.size >= thresholds.TITLE_SIZE * median(line.size for line in rest)
        if larger and not _names_columns(rows[0]) and _letters(_words(rows[:1])) == _letters(first.text) != "":
            return [text_block(block, [first], []), *without_titles(_part(block, rest, 1, len(rows)), titles)]
    for start in range(len(rows) if titles else 0):
        for end in range(start + 1, min(start + thresholds.MAX_TITLE_ROWS, len(rows)) + 1):
            if not is_title([_words(rows[start:end])], titles):
                continue
            title = _lines_of(lines, rows[start:end])
            if title is not None:
                return _around(block, title, start, end, titles)
    return [block]


def _names_columns(row: list[str]) -> bool:
    """Whether each column has words of its own; a title cut by columns is a number and one text, and captions of two
    figures stand beside each other."""
    return len({cell for cell in row if any(map(str.isalpha, cell)) and not CAPTION.match(cell)}) == len(row)


def has_bold_names(block: LayoutBlock) -> bool:
    """Whether the first row of a table alone is bold, each column filled, with no values and not with one text over
    all: the names of the columns."""
    rows, lines = block.rows or [], sorted(block.lines, key=lambda line: line.bbox[1])
    if len(rows) < 2 or not lines or not all(rows[0]) or len(set(rows[0])) == 1 or any(map(is_value, rows[0][1:])):
        return False
    first = [line for line in lines if line.bbox[1] < (lines[0].bbox[1] + lines[0].bbox[3]) / 2]
    return all(map(_is_bold, first)) and sum(map(_is_bold, lines)) <= thresholds.MAX_BOLD_LINES * len(lines)


def _is_bold(line: Line) -> bool:
    return 2 * sum(len(span.text) for span in line.spans if span.bold) > len(line.text)


def _around(block: LayoutBlock, title: list[Line], start: int, end: int, titles: Set[str]) -> list[LayoutBlock]:
    """The table above a title, the title, and what stands below it."""
    rows, own = block.rows or [], {id(line) for line in title}
    top = min(line.bbox[1] for line in title)
    above = [line for line in block.lines if line.bbox[1] < top and id(line) not in own]
    below = [line for line in block.lines if line.bbox[1] >= top and id(line) not in own]
    parts = [_part(block, above, 0, start)] if start and above else []
    parts.append(text_block(block, title, []))
    if end < len(rows) and below:
        parts += without_titles(_part(block, below, end, len(rows)), titles)
    return parts


def _lines_of(lines: list[Line], rows: list[list[str]]) -> list[Line] | None:
    """The lines, next to each other from top to bottom, that hold the rows' text; None where there are none."""
    wanted = _letters(_words(rows))
    ordered = sorted(lines, key=lambda line: (round(line.bbox[1]), line.bbox[0]))
    for start in range(len(ordered)):
        text = ""
        for end in range(start, len(ordered)):
            text += _letters(ordered[end].text)
            if text == wanted:
                return ordered[start : end + 1]
            if not wanted.startswith(text):
                break
    return None


def _words(rows: list[list[str]]) -> str:
    """The cells' text, once where a cell spans several."""
    return " ".join(word for row in rows for word in dict.fromkeys(cell.strip() for cell in row if cell.strip()))


def _part(block: LayoutBlock, lines: list[Line], start: int, end: int) -> LayoutBlock:
    """The rows from ``start`` to ``end`` with their lines, as a table of its own."""
    x0, y0, x1, y1 = block.bbox
    top = y0 if start == 0 else max(y0, min(line.bbox[1] for line in lines))
    bottom = y1 if end == len(block.rows or []) else min(y1, max(line.bbox[3] for line in lines))
    spans = [
        span.model_copy(update={"row": span.row - start, "rows": min(span.rows, end - span.row)})
        for span in block.spans
        if start <= span.row < end
    ]
    rows = (block.rows or [])[start:end]
    return block.model_copy(update={"rows": rows, "spans": spans, "lines": lines, "bbox": (x0, top, x1, bottom)})


def text_block(table: LayoutBlock, lines: list[Line], flags: list[str]) -> LayoutBlock:
    """Lines of a block, a table as a rule, as a text block with the same id and with more flags."""
    box = geometry.union(line.bbox for line in lines)
    kept = [flag for flag in table.flags if flag != "ruled"]
    return table.model_copy(
        update={"kind": "text", "rows": None, "spans": [], "lines": lines, "bbox": box, "flags": [*kept, *flags]}
    )


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))
