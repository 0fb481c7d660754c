"""Tables from and to HTML."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser

from cosee.adapter.table_text import header_row_count
from cosee.adapter.text import one_line
from cosee.artifacts.content import TableData
from cosee.artifacts.layout import CellSpan

MAX_CELLS = 200_000
MAX_SPAN = 200
_SKIPPED = frozenset(("script", "style", "head", "template"))
_BREAKS = frozenset(("br", "p", "div", "li"))


@dataclass
class _Cell:
    text: list[str] = field(default_factory=list)
    columns: int = 1
    rows: int = 1
    header: bool = False


class _Reader(HTMLParser):
    """Collects cells; tags and attributes other than spans say nothing, and what scripts hold is left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[_Cell]] = []
        self.cell: _Cell | None = None
        self.skipping = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self.skipping += 1
        elif tag == "tr":
            self.rows.append([])
            self.cell = None
        elif tag in ("td", "th"):
            if not self.rows:
                self.rows.append([])
            spans = dict(attrs)
            self.cell = _Cell([], _span(spans.get("colspan")), _span(spans.get("rowspan")), tag == "th")
            self.rows[-1].append(self.cell)
        elif tag in _BREAKS and self.cell is not None:
            self.cell.text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED:
            self.skipping = max(0, self.skipping - 1)
        elif tag in ("td", "th", "tr"):
            self.cell = None

    def handle_data(self, data: str) -> None:
        if self.cell is not None and not self.skipping:
            self.cell.text.append(data)


def table_from_html(html: str) -> TableData:
    """The table's cells as text, every row of equal length; a cell over several rows or columns is repeated.

    Header rows are those of ``<th>`` cells, else as the cells say. HTML without a cell gives a table without rows.
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    grid: list[list[str]] = []
    spans: list[CellSpan] = []
    pending: dict[int, tuple[int, str]] = {}
    headers = [bool(cells) and all(cell.header for cell in cells) for cells in reader.rows]
    count = 0
    for cells in reader.rows:
        row: list[str] = []
        for cell in cells:
            _fill_pending(row, pending)
            text = one_line("".join(cell.text))
            if text and (cell.rows > 1 or cell.columns > 1):
                spans.append(CellSpan(row=len(grid), column=len(row), rows=cell.rows, columns=cell.columns))
            for _ in range(cell.columns):
                if cell.rows > 1:
                    pending[len(row)] = cell.rows - 1, text
                row.append(text)
        _fill_pending(row, pending)
        count += len(row)
        if count > MAX_CELLS:
            break
        grid.append(row)
    width = max(map(len, grid), default=0)
    rows = [row + [""] * (width - len(row)) for row in grid if width]
    marked = next((n for n, header in enumerate(headers) if not header), len(headers))
    header_rows = marked if 0 < marked < len(rows) else header_row_count(rows)
    return TableData(rows=rows, spans=_inside(spans, len(rows)), header_rows=header_rows, html=html)


def _inside(spans: list[CellSpan], height: int) -> list[CellSpan]:
    """The spans, cut at the table's last row."""
    cut = [span.model_copy(update={"rows": min(span.rows, height - span.row)}) for span in spans if span.row < height]
    return [span for span in cut if span.rows > 1 or span.columns > 1]


def _fill_pending(row: list[str], pending: dict[int, tuple[int, str]]) -> None:
    """Take over the cells that reach down from rows above."""
    while len(row) in pending:
        left, text = pending.pop(len(row))
        if left > 1:
            pending[len(row)] = left - 1, text
        row.append(text)


def _span(value: str | None) -> int:
    return min(int(value), MAX_SPAN) if value and value.isascii() and value.isdigit() and int(value) > 0 else 1


def table_html(rows: list[list[str]], spans: list[CellSpan]) -> str:
    """Rows as an HTML table, cell text escaped; a spanning cell stands once, with ``rowspan`` and ``colspan``."""
    tops = {(span.row, span.column): span for span in spans}
    covered = {
        (span.row + r, span.column + c) for span in spans for r in range(span.rows) for c in range(span.columns)
    } - tops.keys()
    body = ""
    for r, row in enumerate(rows):
        cells = (
            f"<td{_html_span(tops.get((r, c)))}>{escape(cell)}</td>"
            for c, cell in enumerate(row)
            if (r, c) not in covered
        )
        body += f"<tr>{''.join(cells)}</tr>"
    return f"<table>{body}</table>"


def _html_span(span: CellSpan | None) -> str:
    if span is None:
        return ""
    wide = f' colspan="{span.columns}"' if span.columns > 1 else ""
    return (f' rowspan="{span.rows}"' if span.rows > 1 else "") + wide
