"""Tables in Markdown and HTML text as olmOCR-bench reads them: cells, their neighbours and their headings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

Place = tuple[int, int]
"""Row and column of a cell's first corner."""


@dataclass(frozen=True)
class Entry:
    """A cell as it is written: a spanning one once."""

    text: str
    heading: bool = False
    rows: int = 1
    columns: int = 1


@dataclass
class CellGraph:
    """Cells by place with their neighbours in the four directions ``up``, ``down``, ``left``, ``right``."""

    texts: dict[Place, str] = field(default_factory=dict)
    headings: set[Place] = field(default_factory=set)
    neighbours: dict[str, dict[Place, set[Place]]] = field(default_factory=dict)

    def heads(self, place: Place, direction: str) -> set[Place]:
        """Heading cells on the way from ``place`` to the table's edge, the last cells on it where there is none."""
        step = self.neighbours[direction]
        waiting, seen = {place}, set[Place]()
        while waiting:
            here = waiting.pop()
            seen.add(here)
            waiting |= step[here] - seen
        seen_headings = (seen & self.headings) - {place}
        return seen_headings or {here for here in seen - {place} if not step[here]}


def graph(rows: Sequence[Sequence[Entry]]) -> CellGraph | None:
    """Lay rows of cells out, spans filled; None for a table without cells."""
    table = CellGraph()
    grid: dict[Place, Place] = {}
    extent: dict[Place, Entry] = {}
    for row, entries in enumerate(rows):
        column = 0
        for entry in entries:
            while (row, column) in grid:
                column += 1
            place = (row, column)
            table.texts[place] = entry.text
            extent[place] = entry
            if entry.heading:
                table.headings.add(place)
            for covered_row in range(row, row + entry.rows):
                for covered in range(column, column + entry.columns):
                    grid.setdefault((covered_row, covered), place)
    if not table.texts:
        return None
    height, width = (1 + max(place[axis] for place in grid) for axis in (0, 1))
    table.neighbours = {direction: {place: set() for place in table.texts} for direction in _STEPS}
    for place, entry in extent.items():
        last_row, last_column = place[0] + entry.rows - 1, place[1] + entry.columns - 1
        for direction, (down, right) in _STEPS.items():
            line = range(place[0], last_row + 1) if right else range(place[1], last_column + 1)
            for across in line:
                here = {"up": (place[0], across), "down": (last_row, across)}.get(
                    direction, (across, place[1] if right < 0 else last_column)
                )
                found = _next(grid, place, here, (down, right), (height, width))
                if found:
                    table.neighbours[direction][place].add(found)
    return table


_STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def _next(grid: dict[Place, Place], own: Place, here: Place, step: Place, size: Place) -> Place | None:
    row, column = here[0] + step[0], here[1] + step[1]
    while 0 <= row < size[0] and 0 <= column < size[1]:
        found = grid.get((row, column))
        if found is not None and found != own:
            return found
        row, column = row + step[0], column + step[1]
    return None


def markdown_tables(text: str) -> list[CellGraph]:
    """Runs of two or more lines with a ``|``; first row and first column are headings."""
    runs: list[list[str]] = [[]]
    for line in text.strip().split("\n"):
        if "|" in line:
            runs[-1].append(line)
        elif runs[-1]:
            runs.append([])
    tables = [graph(_markdown_rows(run)) for run in runs if len(run) >= 2]
    return [table for table in tables if table]


def _markdown_rows(lines: Sequence[str]) -> list[list[Entry]]:
    rows: list[list[Entry]] = []
    for line in lines:
        if line.strip() and all(char in "- :|" for char in line):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        cells = cells[1:] if cells[0] == "" else cells
        cells = cells[:-1] if cells and cells[-1] == "" else cells
        if cells:
            rows.append([Entry(cell, not rows or column == 0) for column, cell in enumerate(cells)])
    return rows


def html_tables(text: str) -> list[CellGraph]:
    """Every ``<table>``; ``<th>`` and cells in a ``<thead>`` are headings."""
    parser = _TableParser()
    parser.feed(text)
    parser.close()
    tables = [graph(rows) for rows in parser.tables]
    return [table for table in tables if table]


class _TableParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[Entry]]] = []
        self._open = False
        self._in_head = False
        self._cell: list[str] | None = None
        self._attributes: dict[str, str | None] = {}
        self._heading = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
            self._open = True
        elif tag == "thead":
            self._in_head = True
        elif tag == "tr" and self._open:
            self._end_cell()
            self.tables[-1].append([])
        elif tag in ("td", "th") and self._open and self.tables[-1]:
            self._end_cell()
            self._cell, self._attributes = [], dict(attrs)
            self._heading = tag == "th" or self._in_head
        elif tag == "br" and self._cell is not None:
            self._cell.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self._end_cell()
        if tag == "table":
            self._open = False
        elif tag == "thead":
            self._in_head = False

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)

    def _end_cell(self) -> None:
        if self._cell is not None:
            spans = [self._attributes.get(name) or "1" for name in ("rowspan", "colspan")]
            rows, columns = (max(1, int(span)) if span.isdigit() else 1 for span in spans)
            self.tables[-1][-1].append(Entry("".join(self._cell).strip(), self._heading, rows, columns))
            self._cell = None
