"""Pages that print the table of contents: each of its lines becomes a block of its own, with its own left edge.

Entries are lines that end in a page number, set apart by leaders or aligned on the right. What a table detector or
a paragraph has taken in is given back, so that a later stage sees the lines as printed, indents included.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from cosee.artifacts.documents.layout import LayoutBlock, LayoutPage, Line
from cosee.parse.content import thresholds
from cosee.parse.tables.title import text_block

PAGE_NUMBER = r"(?:\d{1,4}(?: ?[-–] ?\d{1,4})?|[ivxlc]{1,6}|[A-Z]{1,2}-\d{1,3})"
"""Pattern of a page as contents name it: a number, a range, ``xii``, ``F-3``."""
_PAGE = re.compile(rf"{PAGE_NUMBER}$")
_LEADER_PAGE = re.compile(rf"(?:(?:[.·•…‥_．]\s?){{3,}}|…)\s*{PAGE_NUMBER}\s*$")
CONTENTS_TITLE = re.compile(
    r"\W*(?:(?:(?:[\w-]+ )?table of |brief )?contents|inhalt(?:sverzeichnis|sübersicht)?|sommaire|table des matières|"
    r"índice|contenido|indice|sumário|目\s*录|目\s*錄|目\s*次|もくじ|차\s*례|목\s*차|المحتويات|الفهرس|"
    r"فهرس المحتويات)\W*",
    re.IGNORECASE,
)
"""The heading of a table of contents."""
CONTENTS = "contents"
"""Flag of a block that is one line of a table of contents."""


@dataclass
class _Row:
    """A line of the page: the block it is in, and the printed page number that it ends in, if any."""

    block: LayoutBlock
    line: Line
    page: str | None
    leader: bool


def split_contents(page: LayoutPage, goes_on_from: int | None) -> tuple[list[LayoutBlock], int | None]:
    """The page's blocks, contents lines as blocks of one line (flag ``contents``); and the last number when it has any.

    ``goes_on_from`` is the last number of the contents on the page before, None when that page had none. Blocks that
    are split keep their id.
    """
    rows = [row for block in page.blocks if block.kind in ("text", "table") for row in _rows(block)]
    span = _extent(rows, goes_on_from)
    if span is None:
        return page.blocks, None
    first, last = span
    inside = {id(row.line) for row in rows[first : last + 1]}
    blocks: list[LayoutBlock] = []
    for block in page.blocks:
        taken = [id(line) in inside for line in block.lines]
        if block.kind in ("image", "drawing") or not any(taken):
            blocks.append(block)
            continue
        blocks += _pieces(block, taken)
    numbers = [int(row.page) for row in rows[first : last + 1] if row.page is not None and row.page.isdigit()]
    return blocks, max(numbers, default=0)


def _pieces(block: LayoutBlock, taken: list[bool]) -> list[LayoutBlock]:
    """One block for each contents line, and one for each run of other lines."""
    pieces: list[LayoutBlock] = []
    rest: list[Line] = []
    for line, own in zip(block.lines, taken, strict=True):
        if not own:
            rest.append(line)
            continue
        if rest:
            pieces.append(text_block(block, rest, []))
            rest = []
        pieces.append(text_block(block, [line], [CONTENTS]))
    if rest:
        pieces.append(text_block(block, rest, []))
    return pieces


def _rows(block: LayoutBlock) -> list[_Row]:
    if "hidden" in block.flags or "rotated" in block.flags:
        return []
    return [_Row(block, line, *_printed_page(line)) for line in block.lines]


def _printed_page(line: Line) -> tuple[str | None, bool]:
    """(page number that ends the line, whether leaders stand before it)."""
    text = line.text.strip()
    if not text or not (text[-1].isdigit() or text[-1] in "ivxlc") or len(text) > thresholds.MAX_ENTRY:
        return None, False
    if _LEADER_PAGE.search(text):
        page = _PAGE.search(text)
        return (page[0] if page else None), True
    last = line.spans[-1]
    if len(line.spans) < 2 or not _PAGE.fullmatch(last.text.strip()):
        return None, False
    before = line.spans[-2]
    if last.bbox[0] - before.bbox[2] < thresholds.CONTENTS_GAP * last.size or not any(map(str.isalpha, text)):
        return None, False
    return last.text.strip(), False


def _extent(rows: list[_Row], goes_on_from: int | None) -> tuple[int, int] | None:
    """Indexes of the first and the last row of the table of contents; None when the page has none."""
    title = next((n for n, row in enumerate(rows) if CONTENTS_TITLE.fullmatch(row.line.text.strip())), None)
    leaders = sum(row.leader for row in rows)
    entries = [n for n, row in enumerate(rows) if row.page is not None]
    if leaders < thresholds.CONTENTS_FEW and title is None and goes_on_from is None:
        # Rising values in the last column of a ruled table are data where nothing else speaks of contents.
        entries = [n for n in entries if "ruled" not in rows[n].block.flags]
    if leaders < thresholds.CONTENTS_FEW:
        edges = {n: round(rows[n].line.bbox[2] / thresholds.CONTENTS_EDGE) for n in entries}
        counts = Counter(edges.values())
        edge = max(counts, key=lambda value: (counts[value], value), default=0)
        entries = [n for n in entries if abs(edges[n] - edge) <= 1 or rows[n].leader]
    numbers = [int(page) for n in entries if (page := rows[n].page or "").isdigit()]
    goes_on = goes_on_from is not None and bool(numbers) and numbers[0] >= goes_on_from
    few = thresholds.CONTENTS_FEW
    if len(entries) < (few if leaders >= few or title is not None or goes_on else thresholds.CONTENTS_MANY):
        return None
    rising = sum(a <= b for a, b in zip(numbers, numbers[1:], strict=False))
    if rising < thresholds.CONTENTS_ASCENDING * (len(numbers) - 1):
        return None
    if len(set(numbers)) < min(thresholds.CONTENTS_NUMBERS, len(numbers)):
        return None
    first, last = entries[0], entries[-1]
    if len(entries) < thresholds.CONTENTS_SHARE * (last - first + 1):
        return None
    if title is not None and 0 < first - title <= thresholds.CONTENTS_MANY:
        return title + 1, last
    return _with_chapter_line(rows, first), last


def _with_chapter_line(rows: list[_Row], first: int) -> int:
    """The line right above the first entry belongs to it where it is a short title without a number of its own."""
    if first == 0:
        return first
    above, line = rows[first - 1].line, rows[first].line
    near = 0 <= line.bbox[1] - above.bbox[3] < thresholds.CHAPTER_GAP * (line.bbox[3] - line.bbox[1])
    starts = above.bbox[0] <= line.bbox[0] + 1 and above.bbox[2] < line.bbox[2]
    short = len(above.text.strip()) <= thresholds.MAX_CHAPTER_LINE
    return first - 1 if near and starts and short else first
