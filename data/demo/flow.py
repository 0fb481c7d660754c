"""Flows a marked-up text with figures, tables, equations and footnotes through columns and pages.

The markup: `# `, `## `, `### ` numbered headings (`#* ` without a number), `- ` bullets, `> ` a call-out, a line of its
own for `[figure: key]`, `[table: key]`, `[equation: key]` and `[new page]`, and anything else a paragraph. `@key` in a
text becomes "Figure 2", "Table 3" or "(4)"; numbers follow the order in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pymupdf
from page_canvas import GREY, INK, Canvas, Line, parse_rich, wrap
from tables import Table, TablePainter
from theme import Equation, Figure, Heading, Item, Theme


class Flow:
    """Fills pages of a document with a marked-up text."""

    def __init__(
        self,
        document: pymupdf.Document,
        theme: Theme,
        items: dict[str, Item],
        page_size: tuple[float, float],
        furniture: Callable[[Canvas, int, str], None],
    ) -> None:
        """`furniture` draws header and footer; it gets the canvas, the page index and the current chapter title."""
        self.document, self.theme, self.items = document, theme, items
        self.page_size, self.furniture = page_size, furniture
        self.headings: list[Heading] = []
        self.canvas: Canvas | None = None
        self._chapter = ""
        self._numbers = [0, 0, 0]
        self._labels: dict[str, str] = {}
        self._floats: list[str] = []
        self._notes: list[list[Line]] = []
        self._note_count = 0
        self._column = 0
        self._column_top = 0.0
        self._after_heading = False

    def run(self, source: str, top: float | None = None) -> None:
        """Set the whole text; `top` lowers the columns of the first page below what the caller has drawn there."""
        self._number_items(source)
        if top is not None:
            self._page_top = top
            self._open_column(0, top)
        for block in re.split(r"\n\s*\n", source.strip()):
            self._block(block.strip())
        self._flush_floats()
        self.finish_page()

    def start_page(self) -> Canvas:
        """Add a page and start drawing on it."""
        self.canvas = Canvas(self.document.new_page(width=self.page_size[0], height=self.page_size[1]))
        return self.canvas

    def finish_page(self) -> None:
        """Close the current page with its footnotes and furniture."""
        if self.canvas is not None:
            self._draw_notes()
            self.furniture(self.canvas, self.canvas.page.number, self._chapter)
            self.canvas.close()
            self.canvas = None

    def _number_items(self, source: str) -> None:
        counts = {Figure: 0, Table: 0, Equation: 0}
        forms = {Figure: f"{self.theme.figure_word} {{}}", Table: "Table {}", Equation: "({})"}
        for key in re.findall(r"^\[(?:figure|table|equation): (.+?)\]$", source, re.MULTILINE):
            kind = type(self.items[key])
            counts[kind] += 1
            self._labels[key] = forms[kind].format(counts[kind])

    def _resolve(self, text: str) -> str:
        return re.sub(r"@([a-z][a-z-]*[a-z])", lambda match: self._labels[match[1]].replace(" ", "\u00a0"), text)

    # Columns and pages

    def _open_column(self, index: int, top: float | None = None) -> None:
        x0, y0, x1, y1 = self.theme.columns[index]
        self._column, self._x, self._width = index, x0, x1 - x0
        self._y = self._column_top = max(y0, top or y0)
        self._bottom = y1

    def _next_column(self) -> None:
        if self.canvas is not None and self._column + 1 < len(self.theme.columns):
            self._draw_notes()
            self._open_column(self._column + 1, self._page_top)
        else:
            self.finish_page()
            self._new_page()
        self._place_floats()

    def _new_page(self) -> None:
        self.start_page()
        self._page_top = self.theme.columns[0][1]
        while self._floats and self._captioned(self._floats[0]).span:
            self._x, self._y = self.theme.columns[0][0], self._page_top
            self._width = self.theme.columns[-1][2] - self._x
            self._bottom = self.theme.columns[0][3]
            self._draw_item(self._floats.pop(0))
            self._page_top = self._y + 4
        self._open_column(0, self._page_top)

    def _room(self) -> float:
        return self._bottom - self._y

    def _ensure_page(self) -> None:
        if self.canvas is None:
            self._new_page()

    @property
    def _at_top(self) -> bool:
        return self._y <= self._column_top + 0.1

    # Blocks

    def _block(self, block: str) -> None:
        if directive := re.fullmatch(r"\[(?:figure|table|equation): (.+?)\]", block):
            self._ensure_page()
            self._item(directive[1])
        elif block == "[new page]":
            self._flush_floats()
            self.finish_page()
        elif heading := re.match(r"(#{1,3})(\*?) (.+)", block):
            self._heading(len(heading[1]), heading[3], numbered=not heading[2])
        else:
            self._ensure_page()
            text = self._resolve(block)
            if text.startswith("- "):
                for entry in re.split(r"^- ", text, flags=re.MULTILINE)[1:]:
                    self._paragraph(entry, left=14, bullet="•", gap=self.theme.paragraph_gap * 0.5)
                self._y += self.theme.paragraph_gap * 0.5
            elif text.startswith("> "):
                self._callout(text[2:].replace("\n> ", " "))
            elif entry := re.match(r"\[(\d+)\] ", text):
                self._paragraph(text[entry.end() :], left=21, bullet=f"[{entry[1]}]", gap=1.5)
            else:
                indent = 0.0 if self._after_heading or self._at_top else self.theme.indent
                self._paragraph(text, indent=indent)
            self._after_heading = False

    def _heading(self, level: int, title: str, numbered: bool) -> None:
        look = self.theme.headings[level - 1]
        if level == 1:
            if self.theme.chapter_starts_page:
                self._flush_floats()
                self.finish_page()
            self._chapter = title
        number = ""
        if numbered:
            self._numbers[level - 1] += 1
            self._numbers[level:] = [0] * (3 - level)
            number = ".".join(str(n) for n in self._numbers[:level])
        self._ensure_page()
        if self._room() < look.before + look.size + look.after + (5 if level == 1 else 3) * self.theme.leading:
            self._next_column()
        assert self.canvas is not None
        self._y += 0 if self._at_top else look.before
        self.headings.append(Heading(level, number, title, self.canvas.page.number))
        text = f"{number}  {title}" if number else title
        for line in wrap(parse_rich(text, look.font, look.size), self._width):
            self._y += look.size * 1.2
            self.canvas.words(self._x, self._y - look.size * 0.22, line, look.colour)
        if level == 1 and self.theme.chapter_starts_page:
            self.canvas.rect(self._x, self._y + 7, self._x + 46, self._y + 9.5, fill=self.theme.accent)
        self._y += look.after
        self._after_heading = True

    def _paragraph(
        self, text: str, left: float = 0, bullet: str = "", gap: float | None = None, indent: float = 0
    ) -> None:
        theme = self.theme
        words = parse_rich(text, theme.font, theme.size, self._note_count + 1)
        lines = wrap(words, self._width - left, hyphenate=theme.justify, indent=indent)
        for i, line in enumerate(lines):
            notes = [self._note_lines(word.note) for word in line.words if word.note]
            left_over = len(lines) - i
            together = lines[i : i + 2] if i == 0 or left_over == 2 else [line]
            need = sum(theme.leading + self._notes_height(part) for part in together)
            if self._room() < need:
                self._next_column()
            assert self.canvas is not None
            if notes and not self._notes:
                self._bottom -= 8
            for note in notes:
                self._notes.append(note)
                self._bottom -= self._note_height(note)
            self._y += theme.leading
            baseline = self._y - theme.leading * 0.25
            if bullet and i == 0:
                self.canvas.text(self._x + (0 if bullet != "•" else 3), baseline, bullet, theme.font, theme.size)
            first = indent if i == 0 else 0
            fill = None if line.last or bullet or not theme.justify else self._width - left - first
            self.canvas.words(self._x + left + first, baseline, line, fill_to=fill)
        self._y += theme.paragraph_gap if gap is None else gap

    def _callout(self, text: str) -> None:
        assert self.canvas is not None
        look, size = self.theme.headings[-1], self.theme.size + 0.6
        lines = wrap(parse_rich(text, self.theme.font, size), self._width - 28)
        height = len(lines) * size * 1.42 + 18
        if self._room() < height:
            self._next_column()
        self.canvas.rect(self._x, self._y, self._x + self._width, self._y + height, fill=(0.945, 0.957, 0.965))
        self.canvas.rect(self._x, self._y, self._x + 3, self._y + height, fill=self.theme.accent)
        y = self._y + 9 + size
        for line in lines:
            self.canvas.words(self._x + 16, y, line, look.colour)
            y += size * 1.42
        self._y += height + self.theme.paragraph_gap + 3

    # Footnotes

    def _note_lines(self, note: str) -> list[Line]:
        self._note_count += 1
        size = self.theme.size * 0.82
        return wrap(parse_rich(f"^{{{self._note_count}}} {note}", self.theme.font, size), self._width)

    def _notes_height(self, line: Line) -> float:
        size = self.theme.size * 0.82
        texts = [f"0 {word.note}" for word in line.words if word.note]
        notes = [wrap(parse_rich(text, self.theme.font, size), self._width) for text in texts]
        return sum(self._note_height(note) for note in notes) + (8 if notes else 0)

    def _note_height(self, lines: list[Line]) -> float:
        return len(lines) * self.theme.size * 0.82 * 1.25

    def _draw_notes(self) -> None:
        if not self._notes or self.canvas is None:
            return
        y = self._bottom + 4
        self.canvas.line([(self._x, y), (self._x + 70, y)], GREY, 0.5)
        for line in (line for note in self._notes for line in note):
            y += self.theme.size * 0.82 * 1.25
            self.canvas.words(self._x, y + 1, line, INK)
        self._notes.clear()

    # Figures, tables, equations

    def _item(self, key: str) -> None:
        item = self.items[key]
        if isinstance(item, Equation):
            self._equation(item, self._labels[key])
        elif isinstance(item, Table) and item.splits and not self._floats:
            self._draw_item(key)
        elif item.span or self._floats or self._room() < self._item_height(key):
            self._floats.append(key)
        else:
            self._draw_item(key)

    def _captioned(self, key: str) -> Figure | Table:
        item = self.items[key]
        assert not isinstance(item, Equation)
        return item

    def _flush_floats(self) -> None:
        while self._floats:
            self._next_column()

    def _place_floats(self) -> None:
        while (
            self._floats
            and not self._captioned(self._floats[0]).span
            and (self._at_top or self._room() >= self._item_height(self._floats[0]))
        ):
            self._draw_item(self._floats.pop(0))

    def _caption_lines(self, key: str, suffix: str = "") -> list[Line]:
        theme, item = self.theme, self._captioned(key)
        label = self._labels[key] + theme.caption_mark
        label = f"**{label}**" if theme.caption_bold else label
        text = f"{label} {self._resolve(item.caption)}{suffix}"
        return wrap(parse_rich(text, theme.font, theme.caption_size), self._width)

    def _item_height(self, key: str) -> float:
        item = self._captioned(key)
        caption = len(self._caption_lines(key)) * self.theme.caption_size * 1.3 + 8
        if isinstance(item, Figure):
            return item.height + caption + 16
        return self._painter(item).height + caption + 16 + (self.theme.caption_size * 1.5 if item.note else 0)

    def _painter(self, table: Table) -> TablePainter:
        return TablePainter(table, self._width, self.theme.font, self.theme.table_size, self.theme.accent)

    def _draw_item(self, key: str) -> None:
        self._y += 0 if self._at_top else 6
        item = self.items[key]
        if isinstance(item, Figure):
            self._draw_figure(key, item)
        elif isinstance(item, Table):
            self._draw_table(key, item)
        self._after_heading = True

    def _draw_caption(self, key: str, suffix: str = "") -> None:
        assert self.canvas is not None
        for line in self._caption_lines(key, suffix):
            self._y += self.theme.caption_size * 1.3
            self.canvas.words(self._x, self._y - 2, line)

    def _draw_figure(self, key: str, figure: Figure) -> None:
        assert self.canvas is not None
        figure.draw(self.canvas, (self._x, self._y, self._x + self._width, self._y + figure.height))
        self._y += figure.height + 4
        self._draw_caption(key)
        self._y += 12

    def _draw_table(self, key: str, table: Table) -> None:
        painter = self._painter(table)
        self._draw_caption(key)
        assert self.canvas is not None
        self._y = painter.draw_row(self.canvas, self._x, self._y + 4, -1)
        for i in range(len(table.rows)):
            if table.splits and self._room() < painter.row_height(i):
                self._next_column()
                self._draw_caption(key, " (continued)")
                self._y = painter.draw_row(self.canvas, self._x, self._y + 4, -1)
            self._y = painter.draw_row(self.canvas, self._x, self._y, i, last=i == len(table.rows) - 1)
        if table.note:
            self._y += self.theme.caption_size * 1.4
            size = self.theme.caption_size - 0.8
            for line in wrap(parse_rich(table.note, self.theme.font, size), self._width):
                self.canvas.words(self._x, self._y, line, GREY)
                self._y += size * 1.25
        self._y += 12

    def _equation(self, equation: Equation, label: str) -> None:
        if self._room() < 30:
            self._next_column()
        assert self.canvas is not None
        size = self.theme.size + 0.6
        line = wrap(parse_rich(equation.text, self.theme.font, size), 10_000)[0]
        self._y += size + 6
        self.canvas.words(self._x + (self._width - 20 - line.width) / 2, self._y, line)
        self.canvas.text(self._x + self._width, self._y, label, self.theme.font, self.theme.size, align="right")
        self._y += 10
        self._after_heading = True
