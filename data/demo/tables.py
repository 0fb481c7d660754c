"""Tables: what they hold and how one row is drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from page_canvas import BOLD, INK, PALE, SANS, WHITE, Canvas, Colour, Line, parse_rich, wrap

Look = Literal["ruled", "grid", "plain", "booktabs"]


@dataclass(frozen=True)
class Column:
    """A column: its header, its share of the table's width and its alignment."""

    title: str
    share: float
    align: Literal["left", "right", "centre"] = "right"


_COLUMN = re.compile(r"(.*?) ?([\d.]+)(?: (left|centre))?")


def columns(*written: str) -> tuple[Column, ...]:
    """Columns by title, share and, where it is not to the right, alignment: ``Energy class 1.4 centre``."""
    parts = [match.groups() for each in written if (match := _COLUMN.fullmatch(each))]
    return tuple(Column(title, float(share), align or "right") for title, share, align in parts)


@dataclass(frozen=True)
class Table:
    """A table. `strong` rows (by index) are totals; `splits` allows a page break between rows."""

    caption: str
    columns: tuple[Column, ...]
    rows: list[list[str]]
    look: Look = "ruled"
    strong: frozenset[int] = field(default_factory=frozenset)
    splits: bool = False
    note: str = ""
    span: bool = False


@dataclass(frozen=True)
class TablePainter:
    """Draws a table's rows at a given width, font and colour."""

    table: Table
    width: float
    font: str = SANS
    size: float = 8.4
    accent: Colour = INK
    padding: float = 3.6

    @property
    def leading(self) -> float:
        """Distance between the lines of a cell."""
        return self.size * 1.28

    def _cells(self, texts: list[str], code: str) -> list[list[Line]]:
        shares = [column.share for column in self.table.columns]
        widths = [self.width * share / sum(shares) - 2 * self.padding for share in shares]
        return [wrap(parse_rich(text, code, self.size), width) for text, width in zip(texts, widths, strict=True)]

    def row_height(self, index: int) -> float:
        """Height of a row; -1 is the header."""
        lines = max(len(cell) for cell in self._cells(*self._row(index)))
        return lines * self.leading + 2 * self.padding - 0.5

    def _row(self, index: int) -> tuple[list[str], str]:
        if index < 0:
            return [column.title for column in self.table.columns], BOLD[self.font]
        strong = index in self.table.strong
        return self.table.rows[index], BOLD[self.font] if strong else self.font

    @property
    def height(self) -> float:
        """Height of header and rows."""
        return sum(self.row_height(i) for i in range(-1, len(self.table.rows)))

    def draw_row(self, canvas: Canvas, x: float, y: float, index: int, last: bool = False) -> float:
        """Draw one row with its rules at y and return the y below it."""
        texts, code = self._row(index)
        height = self.row_height(index)
        bottom, right = y + height, x + self.width
        look, header = self.table.look, index < 0
        if look == "grid":
            fill = self.accent if header else (0.955, 0.965, 0.972) if index % 2 else WHITE
            canvas.rect(x, y, right, bottom, fill=fill, edge=PALE, width=0.5)
        elif look == "ruled":
            if header:
                canvas.line([(x, bottom), (right, bottom)], self.accent, 1.1)
            else:
                if index in self.table.strong:
                    canvas.line([(x, y), (right, y)], self.accent, 0.7)
                canvas.line([(x, bottom), (right, bottom)], self.accent if last else PALE, 0.8 if last else 0.5)
        elif look == "booktabs":
            if header:
                canvas.line([(x, y), (right, y)], INK, 0.9)
                canvas.line([(x, bottom), (right, bottom)], INK, 0.5)
            elif last:
                canvas.line([(x, bottom), (right, bottom)], INK, 0.9)
        colour = WHITE if header and look == "grid" else self.accent if header and look == "ruled" else INK
        self._draw_texts(canvas, x, y, texts, code, colour)
        return bottom

    def _draw_texts(self, canvas: Canvas, x: float, y: float, texts: list[str], code: str, colour: Colour) -> None:
        total = sum(column.share for column in self.table.columns)
        cells = self._cells(texts, code)
        bottom = y + max(len(cell) for cell in cells) * self.leading + 2 * self.padding - 0.5
        left = x
        for column, cell in zip(self.table.columns, cells, strict=True):
            width = self.width * column.share / total
            if self.table.look == "grid" and left > x:
                canvas.line([(left, y), (left, bottom)], PALE, 0.5)
            baseline = y + self.padding + self.size * 0.86
            for line in cell:
                slack = width - 2 * self.padding - line.width
                offset = {"left": 0.0, "right": slack, "centre": slack / 2}[column.align]
                canvas.words(left + self.padding + offset, baseline, line, colour)
                baseline += self.leading
            left += width
