"""Tables that go on on the next page become one table with all its regions, by rows or by columns."""

from __future__ import annotations

import re

from cosee.artifacts.documents.content import ContentItem, TableData
from cosee.artifacts.documents.layout import CellSpan
from cosee.parse.tables.text import is_numeric
from cosee.structure.draft import Draft, regions_of
from cosee.structure.original import FROM_ORIGINAL
from cosee.text.folding import title_key

SAME_EDGE = 0.04
"""Left and right edges agree within this share of the page width."""


def join_tables(draft: Draft) -> None:
    """Append each table to the one at the foot of the page before when it continues it."""
    pages = draft.on_pages()
    last_of: dict[int, ContentItem] = {}
    for page_idx in sorted(pages):
        content = [item for item in pages[page_idx] if item.role not in ("footnote", "caption")]
        content = [item for item in content if not (item.role == "paragraph" and _continued_note(item.text))]
        previous = last_of.get(page_idx - 1)
        if (
            content
            and content[0].role == "table"
            and previous is not None
            and _continue(draft, previous, content[0], pages)
        ):
            content[0] = previous
        if content and content[-1].role == "table":
            last_of[page_idx] = content[-1]
    draft.sweep()


def _continued_note(text: str) -> bool:
    """Whether the line only says that the table continues."""
    return len(text) <= 80 and re.search(r"continued|cont['’]d|fortsetzung|续表|続き", text, re.IGNORECASE) is not None


def _continue(draft: Draft, first: ContentItem, second: ContentItem, pages: dict[int, list[ContentItem]]) -> bool:
    if FROM_ORIGINAL in first.flags or FROM_ORIGINAL in second.flags:
        return False
    if first.table is None or second.table is None or not first.table.rows or not second.table.rows:
        return False
    if second.label is not None and second.label != first.label:
        return False
    above = regions_of(first)[-1].bbox
    if above[3] < 0.6 or second.bbox[1] > 0.35:
        return False
    joined = _beside(first.table, second.table) or _below(first.table, second.table)
    if joined is None:
        return False
    edges_agree = abs(above[0] - second.bbox[0]) <= SAME_EDGE and abs(above[2] - second.bbox[2]) <= SAME_EDGE
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
    return [title_key(cell) for cell in one] == [title_key(cell) for cell in other] and any(
        title_key(cell) for cell in one
    )


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
        if body and sum(is_numeric(row[index]) for row in body) >= 0.6 * len(body)
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
