"""Records of table rows, so that a question about one cell finds its row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cosee.artifacts.documents.doctree import Node
from cosee.artifacts.documents.index import DenseRow
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.summarizer import shorten
from cosee.index.thresholds import CAPTION_WORDS, TABLE_ROWS
from cosee.index.view import IndexView, column_names


def row_records(view: IndexView, settings: IndexSettings) -> list[DenseRow]:
    """At most ``TABLE_ROWS`` records of every table, in reading order; together they hold every body row."""
    return [record for node in view.media if node.type == "table" for record in _table_records(view, node, settings)]


def _table_records(view: IndexView, table: Node, settings: IndexSettings) -> Iterator[DenseRow]:
    if table.table is None:
        return
    rows, start = table.table.rows, table.table.header_rows
    names = column_names(table.table)
    caption = shorten(table.title or view.title(view.parent_section[table.id]), CAPTION_WORDS)
    texts = list(_row_texts(rows, start, names))
    size = -(-len(texts) // TABLE_ROWS)
    for first in range(0, len(texts), max(1, size)):
        part = texts[first : first + size]
        words = settings.chunk_words if len(part) > 1 else settings.summary_words
        text = shorten("\n".join([caption, *(text for _, text in part)]).strip(), CAPTION_WORDS + words)
        yield DenseRow(node_id=f"{table.id}#r{part[0][0]}", rows=part[-1][0] - part[0][0] + 1, dense_text=text)


def _row_texts(rows: list[list[str]], start: int, names: Sequence[str]) -> Iterator[tuple[int, str]]:
    """(place, text) of every body row that says something; a line over a group of rows goes into each of them."""
    group, unused = "", -1
    for place, row in enumerate(rows[start:], start=start):
        cells = [cell.strip() for cell in row]
        if len(row) > 1 and cells[0] and not any(cell and cell != cells[0] for cell in cells):
            if unused >= 0:
                yield unused, group
            group, unused = cells[0], place
        elif any(cells):
            unused = -1
            yield place, row_text(names, cells, group)
    if unused >= 0:
        yield unused, group


def row_text(names: Sequence[str], cells: Sequence[str], group: str) -> str:
    """``Operating expenses: Marketing; 2022: 1,234; 2023: 1,301``: the group line above, the row's name, its cells.

    A cell without a column name stands alone; one that repeats its left neighbour (a merged cell) is given once.
    """
    name, *values = cells
    parts = [f"{group.rstrip(':')}: {name}" if group and name else group or name]
    for place, value in enumerate(values, start=1):
        column = names[place] if place < len(names) else ""
        if value and not (value == cells[place - 1] and column == (names[place - 1] if names else "")):
            parts.append(f"{column}: {value}" if column and column != value else value)
    return "; ".join(part for part in parts if part)
