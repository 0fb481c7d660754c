"""Tables from and to markup: HTML as a rule, Markdown or LaTeX from some versions of a source."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser

from cosee.artifacts.documents.content import TableData
from cosee.artifacts.documents.layout import CellSpan
from cosee.parse.tables.text import header_row_count
from cosee.parse.tables.thresholds import MAX_CELLS, MAX_SPAN
from cosee.text.cleaning import one_line

# General knowledge: the elements of HTML whose text is not shown.
_SKIPPED = frozenset(("script", "style", "head", "template"))
_BREAKS = frozenset(("br", "p", "div", "li"))
_RULE_ROW = re.compile(r"^[\s|:\-+=]+$")
_PIPE = re.compile(r"(?<!\\)\|")
_LATEX_ROW = re.compile(r"\\\\(?:\[[^\]]*\])?")
_LATEX_CELL = re.compile(r"(?<!\\)&")
_LATEX_BODY = re.compile(r"\\begin\{(?:tabular[xy*]?|array|longtable)\}(.*?)\\end\{", re.DOTALL)
_LATEX_RULE = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|cline\{[^{}]*\}|cmidrule(?:\([^()]*\))?\{[^{}]*\}|centering)"
)
_LATEX_SPAN = re.compile(r"\\multi(column|row)\{(\d{1,3})\}(?:\[[^\]]*\])?\{[^{}]*\}\{((?:[^{}]|\{[^{}]*\})*)\}")
_LATEX_STYLE = re.compile(r"\\(?:text(?:bf|it|tt)|mathbf|emph|underline)\s*\{([^{}]*)\}")


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
        self.inner = 0
        """Tables open inside a cell; what they hold is text of that cell."""
        self.loose: list[str] = []
        """Text outside of all cells."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self.skipping += 1
        elif tag == "table" and self.cell is not None:
            self.inner += 1
        elif self.inner and self.cell is not None:
            self.cell.text.append(" ")
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
        elif tag == "table" and self.inner:
            self.inner -= 1
        elif tag in ("td", "th", "tr", "table") and not self.inner:
            self.cell = None

    def handle_data(self, data: str) -> None:
        if not self.skipping:
            (self.loose if self.cell is None else self.cell.text).append(data)


def table_from_markup(markup: str) -> TableData:
    """The table's cells from HTML, a Markdown table or a LaTeX tabular; without rows where none of them is found."""
    if "<" in markup and (table := table_from_html(markup)).rows:
        return table
    lines = [line.strip() for line in markup.strip().split("\n")]
    if body := _LATEX_BODY.search(markup):
        rows = [_latex_row(row) for row in _LATEX_ROW.split(_LATEX_RULE.sub("", body.group(1).partition("}")[2]))]
    elif len(lines) >= 2 and all("|" in line for line in lines[:2]):
        rows = [_pipe_row(line) for line in lines if not _RULE_ROW.match(line)]
    else:
        rows = []
    rows = _square([row for row in rows if any(row)])
    return TableData(rows=rows, header_rows=header_row_count(rows), html=markup)


def _pipe_row(line: str) -> list[str]:
    cells = _PIPE.split(line.removeprefix("|").removesuffix("|"))
    return [one_line(cell.replace("\\|", "|")) for cell in cells]


def _latex_row(row: str) -> list[str]:
    cells: list[str] = []
    for cell in _LATEX_CELL.split(row):
        span = _LATEX_SPAN.search(cell)
        text = _LATEX_SPAN.sub(r"\3", cell)
        text = one_line(_LATEX_STYLE.sub(r"\1", text).replace("\\&", "&").replace("\\%", "%").replace("\\$", "$"))
        cells += [text] * (min(int(span.group(2)), MAX_SPAN) if span and span.group(1) == "column" else 1)
    return cells


def _square(rows: list[list[str]]) -> list[list[str]]:
    width = max(map(len, rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows] if width else []


def table_from_html(html: str) -> TableData:
    """The table's cells as text, every row of equal length; a cell over several rows or columns is repeated.

    Header rows are those of ``<th>`` cells, else as the cells say. HTML without a cell gives a table without rows.
    """
    reader = _read(html)
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
    rows = _square(grid)
    marked = next((n for n, header in enumerate(headers) if not header), len(headers))
    header_rows = marked if 0 < marked < len(rows) else header_row_count(rows)
    return TableData(rows=rows, spans=_inside(spans, len(rows)), header_rows=header_rows, html=html)


def _inside(spans: list[CellSpan], height: int) -> list[CellSpan]:
    """The spans, cut at the table's last row."""
    cut = [span.model_copy(update={"rows": min(span.rows, height - span.row)}) for span in spans if span.row < height]
    return [span for span in cut if span.rows > 1 or span.columns > 1]


def text_outside_cells(markup: str) -> str:
    """What HTML says outside of its cells: a table's caption, stray lines; all of it where there are no cells."""
    return one_line(" ".join(_read(markup).loose)) if "<" in markup else ""


def _read(html: str) -> _Reader:
    reader = _Reader()
    try:
        reader.feed(html)
        reader.close()
    except AssertionError:
        # The parser's own answer to a malformed declaration; what came before it is kept.
        pass
    return reader


def _fill_pending(row: list[str], pending: dict[int, tuple[int, str]]) -> None:
    """Take over the cells that reach down from rows above."""
    while len(row) in pending:
        left, text = pending.pop(len(row))
        if left > 1:
            pending[len(row)] = left - 1, text
        row.append(text)


def _span(value: str | None) -> int:
    digits = value.lstrip("0") if value and value.isascii() and value.isdigit() else ""
    # Python refuses to read thousands of digits.
    return min(int(digits[:9]), MAX_SPAN) if digits else 1


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
