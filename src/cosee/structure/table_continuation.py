"""Tables that go on on the next page become one table with all its regions, by rows or by columns."""

from __future__ import annotations

import re

from cosee.artifacts.documents.content import ContentItem, TableData
from cosee.artifacts.documents.layout import CellSpan
from cosee.parse.tables.text import is_numeric
from cosee.structure import thresholds
from cosee.structure.draft import Draft, regions_of
from cosee.structure.original import FROM_ORIGINAL
from cosee.text.folding import title_key

_CONTINUED = re.compile(r"continued|cont['’]d|fortsetzung|续表|続き", re.IGNORECASE)


def join_tables(draft: Draft) -> None:
    """Append each table to the one at the foot of the page before when it continues it."""
    pages = draft.on_pages()
    last_of: dict[int, ContentItem] = {}
    for page_idx in sorted(pages):
        content = [
            item
            for item in pages[page_idx]
            if item.role not in ("footnote", "caption")
            and not (item.role == "paragraph" and _says_continued(item.text))
        ]
        if not content:
            continue
        previous = last_of.get(page_idx - 1)
        if content[0].role == "table" and previous is not None and _join(draft, previous, content[0], pages):
            content[0] = previous
        if content[-1].role == "table":
            last_of[page_idx] = content[-1]
    draft.sweep()


def _says_continued(text: str) -> bool:
    """Whether the line only says that the table continues."""
    return len(text) <= thresholds.MAX_CONTINUED_CHARACTERS and _CONTINUED.search(text) is not None


def _join(draft: Draft, first: ContentItem, second: ContentItem, pages: dict[int, list[ContentItem]]) -> bool:
    """Append ``second`` to ``first`` where it continues it; whether it does."""
    if FROM_ORIGINAL in first.flags or FROM_ORIGINAL in second.flags:
        return False
    if first.table is None or second.table is None or not first.table.rows or not second.table.rows:
        return False
    if second.label is not None and second.label != first.label:
        return False
    above = regions_of(first)[-1].bbox
    if above[3] < thresholds.TABLE_END or second.bbox[1] > thresholds.TABLE_START:
        return False
    joined = _beside(first.table, second.table) or _below(first.table, second.table)
    if joined is None:
        return False
    edges_agree = all(abs(above[edge] - second.bbox[edge]) <= thresholds.SAME_TABLE_EDGE for edge in (0, 2))
    if not edges_agree and not _same_row(first.table.rows[0], second.table.rows[0]):
        return False
    rows_above, first.table = len(first.table.rows), joined
    for item in pages[second.page_idx]:
        if item.caption_of == second.id:
            item.caption_of = first.id
    draft.absorb(first, [second], "\n".join(text for text in (first.text, second.text) if text))
    if len(joined.rows) > rows_above:
        first.regions[-1] = first.regions[-1].model_copy(update={"begins": rows_above})
    first.flags = list(dict.fromkeys([*first.flags, "continued"]))
    return True


def _same_row(one: list[str], other: list[str]) -> bool:
    keys = [title_key(cell) for cell in one]
    return any(keys) and keys == [title_key(cell) for cell in other]


def _below(first: TableData, second: TableData) -> TableData | None:
    """Rows of ``second`` below those of ``first``, a repeated header left out; None when the columns disagree."""
    if len(first.rows[0]) != len(second.rows[0]):
        return None
    rows = second.rows
    repeated = 0
    while repeated < min(len(rows), max(1, first.header_rows)) and _same_row(first.rows[repeated], rows[repeated]):
        repeated += 1
    if repeated == 0 and _other_header(first, second):
        return None
    above = first.rows
    if _label_goes_on(above[-1], rows[repeated:]):
        above = [*above[:-1], [f"{above[-1][0]} {rows[repeated][0]}", *above[-1][1:]]]
        repeated += 1
    spans = [*first.spans, *_moved(second.spans, down=len(above) - repeated, first_row=repeated)]
    return first.model_copy(update={"rows": [*above, *rows[repeated:]], "spans": spans})


def _label_goes_on(last: list[str], rows: list[list[str]]) -> bool:
    """Whether the first row of a page is the rest of a label that was broken with the page: small letters, no value."""
    return bool(rows and last[0] and any(last[1:]) and rows[0][0][:1].islower() and not any(rows[0][1:]))


def _moved(spans: list[CellSpan], *, down: int = 0, right: int = 0, first_row: int = 0) -> list[CellSpan]:
    return [
        span.model_copy(update={"row": span.row + down, "column": span.column + right})
        for span in spans
        if span.row >= first_row
    ]


def _other_header(first: TableData, second: TableData) -> bool:
    """Whether ``second`` opens with a header of its own: words where the columns hold numbers."""
    body = first.rows[first.header_rows :]
    numeric = [
        index
        for index in range(len(first.rows[0]))
        if body and sum(is_numeric(row[index]) for row in body) >= thresholds.MIN_SHARE_NUMERIC * len(body)
    ]
    words = [index for index in numeric if second.rows[0][index].strip() and not is_numeric(second.rows[0][index])]
    return bool(numeric) and len(words) >= 0.5 * len(numeric)


def _beside(first: TableData, second: TableData) -> TableData | None:
    """Columns of ``second`` beside those of ``first`` when both have the same keys in the first column."""
    if len(first.rows) != len(second.rows) or len(first.rows) < 2 or _same_row(first.rows[0], second.rows[0]):
        return None
    keys = [title_key(row[0]) for row in first.rows]
    if keys != [title_key(row[0]) for row in second.rows] or len(set(keys)) < len(keys) or not all(keys[1:]):
        return None
    rows = [[*row, *other[1:]] for row, other in zip(first.rows, second.rows, strict=True)]
    spans = [*first.spans, *_moved([s for s in second.spans if s.column], right=len(first.rows[0]) - 1)]
    return first.model_copy(update={"rows": rows, "spans": spans})
