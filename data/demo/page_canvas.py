"""Drawing on one PDF page: embedded fonts, text that knows its width, lines and shapes.

Coordinates are PDF points from the top-left corner. Everything drawn on a page goes into one content stream, shapes
first and text in the order in which it was written, so that text extraction follows the reading order of the caller.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import pymupdf

Colour = tuple[float, float, float]
Point = tuple[float, float]

INK: Colour = (0.13, 0.15, 0.18)
GREY: Colour = (0.42, 0.45, 0.49)
PALE: Colour = (0.86, 0.88, 0.90)
WHITE: Colour = (1.0, 1.0, 1.0)

SANS, SANS_BOLD, SANS_ITALIC = "helv", "hebo", "heit"
SERIF, SERIF_BOLD, SERIF_ITALIC = "tiro", "tibo", "tiit"
BOLD = {SANS: SANS_BOLD, SERIF: SERIF_BOLD}
ITALIC = {SANS: SANS_ITALIC, SERIF: SERIF_ITALIC}


@cache
def font(code: str) -> pymupdf.Font:
    """One of PyMuPDF's built-in fonts, by its short code."""
    return pymupdf.Font(code)


@cache
def text_width(text: str, code: str, size: float) -> float:
    """Width of a string in points."""
    return float(font(code).text_length(text, fontsize=size))


class Canvas:
    """A page being drawn; call `close` once at the end."""

    def __init__(self, page: pymupdf.Page) -> None:
        """Start drawing on an empty page."""
        self.page = page
        self.width, self.height = page.rect.width, page.rect.height
        self._shape = page.new_shape()
        self._fonts: set[str] = set()

    def text(
        self,
        x: float,
        y: float,
        text: str,
        font: str = SANS,
        size: float = 9.5,
        colour: Colour = INK,
        align: str = "left",
        rotate: int = 0,
    ) -> float:
        """Write one line with its baseline at y and return its width. x is the left, centre or right end."""
        text = text.replace("\u00a0", " ")
        width = text_width(text, font, size)
        shift = {"left": 0.0, "centre": width / 2, "right": width}[align]
        if font not in self._fonts:
            self.page.insert_font(fontname=f"F{font}", fontbuffer=pymupdf.Font(font).buffer)
            self._fonts.add(font)
        start = (x, y + shift) if rotate == 90 else (x - shift, y)
        self._shape.insert_text(start, text, fontname=f"F{font}", fontsize=size, color=colour, rotate=rotate)
        return width

    def line(
        self,
        points: Sequence[Point],
        colour: Colour = INK,
        width: float = 0.6,
        dashes: str | None = None,
    ) -> None:
        """Draw connected straight segments."""
        self._shape.draw_polyline([pymupdf.Point(p) for p in points])
        self._shape.finish(color=colour, width=width, dashes=dashes, closePath=False, lineJoin=1, lineCap=1)

    def curve(self, points: Sequence[Point], colour: Colour = INK, width: float = 0.6) -> None:
        """Draw a Bezier chain: a start point, then two control points and an end point for each piece."""
        for i in range(0, len(points) - 3, 3):
            self._shape.draw_bezier(*(pymupdf.Point(p) for p in points[i : i + 4]))
        self._shape.finish(color=colour, width=width, closePath=False, lineCap=1)

    def polygon(self, points: Sequence[Point], fill: Colour, edge: Colour | None = None, width: float = 0.6) -> None:
        """Draw a filled polygon."""
        self._shape.draw_polyline([pymupdf.Point(p) for p in points])
        self._shape.finish(color=edge, fill=fill, width=width, closePath=True)

    def rect(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        fill: Colour | None = None,
        edge: Colour | None = None,
        width: float = 0.6,
        radius: float | None = None,
    ) -> None:
        """Draw a rectangle, rounded if radius (a share of the shorter side) is given."""
        self._shape.draw_rect(pymupdf.Rect(x0, y0, x1, y1), radius=radius)
        self._shape.finish(color=edge, fill=fill, width=width)

    def circle(self, x: float, y: float, radius: float, fill: Colour | None, edge: Colour | None = None) -> None:
        """Draw a disc."""
        self._shape.draw_circle(pymupdf.Point(x, y), radius)
        self._shape.finish(color=edge, fill=fill, width=0.8)

    def wedge(self, centre: Point, radius: float, start: float, angle: float, fill: Colour) -> None:
        """Draw a pie slice of `angle` degrees clockwise, `start` degrees from twelve o'clock."""
        steps = max(2, round(angle / 2))
        turns = [math.radians(start + angle * i / steps) for i in range(steps + 1)]
        x, y = centre
        arc = [(round(x + radius * math.sin(t), 2), round(y - radius * math.cos(t), 2)) for t in turns]
        self.polygon([centre, *arc], fill, edge=WHITE, width=1.2)

    def arrow(self, start: Point, end: Point, colour: Colour = INK, width: float = 0.9, head: float = 5.0) -> None:
        """Draw a straight arrow with a filled head."""
        dx, dy = end[0] - start[0], end[1] - start[1]
        length = (dx * dx + dy * dy) ** 0.5
        ux, uy = dx / length, dy / length
        neck = (end[0] - ux * head, end[1] - uy * head)
        self.line([start, neck], colour, width)
        side = head * 0.45
        left, right = (neck[0] - uy * side, neck[1] + ux * side), (neck[0] + uy * side, neck[1] - ux * side)
        self.polygon([end, left, right], fill=colour)

    def image(self, rect: tuple[float, float, float, float], data: bytes) -> None:
        """Place an encoded image."""
        self.page.insert_image(pymupdf.Rect(rect), stream=data)

    def paragraph(
        self,
        x: float,
        y: float,
        width: float,
        text: str,
        font: str = SANS,
        size: float = 9.5,
        leading: float | None = None,
        colour: Colour = INK,
    ) -> float:
        """Write wrapped rich text with its first baseline at y; returns the baseline after the last line."""
        leading = leading or size * 1.4
        for line in wrap(parse_rich(text, font, size), width):
            self.words(x, y, line, colour)
            y += leading
        return y

    def words(self, x: float, y: float, line: Line, colour: Colour = INK, fill_to: float | None = None) -> None:
        """Write one wrapped line, stretched to the width `fill_to` if that is given."""
        gap = line.space
        if fill_to is not None and len(line.words) > 1:
            gap += (fill_to - line.width) / (len(line.words) - 1)
        for run, offset in line.runs(gap):
            self.text(x + offset, y - run.rise, run.text, run.font, run.size, colour)

    def close(self) -> None:
        """Write the page's content stream."""
        self._shape.commit()


@dataclass(frozen=True)
class Run:
    """Characters in one font at one size, raised above the baseline by `rise` points."""

    text: str
    font: str
    size: float
    rise: float = 0.0

    @property
    def width(self) -> float:
        """Width in points."""
        return text_width(self.text, self.font, self.size)


@dataclass(frozen=True)
class Word:
    """What stands between two spaces; `note` is the text of a footnote whose marker it carries."""

    runs: tuple[Run, ...]
    note: str | None = None

    @property
    def width(self) -> float:
        """Width in points."""
        return sum(run.width for run in self.runs)


@dataclass(frozen=True)
class Line:
    """A wrapped line; `last` marks the end of its paragraph."""

    words: tuple[Word, ...]
    last: bool

    @property
    def space(self) -> float:
        """Width of a normal word space."""
        run = self.words[0].runs[0]
        return text_width(" ", run.font, run.size)

    @property
    def width(self) -> float:
        """Width with normal word spaces."""
        return sum(word.width for word in self.words) + self.space * (len(self.words) - 1)

    def runs(self, gap: float) -> list[tuple[Run, float]]:
        """Runs with their horizontal offsets; neighbours that look alike are joined if the gap is a normal space."""
        placed: list[tuple[Run, float]] = []
        x = 0.0
        for i, word in enumerate(self.words):
            for j, run in enumerate(word.runs):
                before = placed[-1][0] if placed and j == 0 else None
                alike = before and (before.font, before.size, before.rise) == (run.font, run.size, run.rise)
                if before and alike and abs(gap - self.space) < 1e-6:
                    joined = Run(f"{before.text} {run.text}", run.font, run.size, run.rise)
                    placed[-1] = (joined, placed[-1][1])
                else:
                    ends_word = j == len(word.runs) - 1 and i < len(self.words) - 1
                    stretched = abs(gap - self.space) >= 1e-6
                    text = f"{run.text} " if ends_word and stretched else run.text
                    placed.append((Run(text, run.font, run.size, run.rise), x))
                x += run.width
            x += gap
        return placed


_MARKUP = re.compile(r"(\*\*.+?\*\*|\*[^*\s][^*]*?\*|_\{[^}]*\}|\^\{[^}]*\}|\^\[[^\]]*\])")


def parse_rich(text: str, font: str, size: float, first_note: int = 1) -> list[Word]:
    """Split text with **bold**, *italic*, _{sub}, ^{super} and ^[footnote] into words; notes are counted on."""
    words: list[Word] = []
    runs: list[Run] = []
    note: str | None = None
    counter = first_note

    def end_word() -> None:
        nonlocal note
        if runs:
            words.append(Word(tuple(runs), note))
            runs.clear()
            note = None

    for part in _MARKUP.split(re.sub(r"[ \n]+", " ", text)):
        code, rise, scale, body = font, 0.0, 1.0, part
        if part.startswith("**"):
            code, body = BOLD.get(font, font), part[2:-2]
        elif part.startswith("*") and len(part) > 2:
            code, body = ITALIC.get(font, font), part[1:-1]
        elif part.startswith("_{"):
            rise, scale, body = -0.18 * size, 0.7, part[2:-1]
        elif part.startswith("^{"):
            rise, scale, body = 0.36 * size, 0.7, part[2:-1]
        elif part.startswith("^["):
            note, body, rise, scale = part[2:-1], str(counter), 0.36 * size, 0.68
            counter += 1
        for i, piece in enumerate(body.split(" ")):
            if i:
                end_word()
            if piece:
                runs.append(Run(piece, code, size * scale, rise))
    end_word()
    return words


def wrap(words: Sequence[Word], width: float, hyphenate: bool = False, indent: float = 0.0) -> list[Line]:
    """Break words into lines, greedily; the first is shorter by `indent`; `hyphenate` divides long words."""
    lines: list[Line] = []
    current: list[Word] = []
    used = indent
    queue = list(words)
    while queue:
        word = queue.pop(0)
        space = text_width(" ", word.runs[0].font, word.runs[0].size) if current else 0.0
        room = width - used - space
        if word.width <= room + 0.01:
            current.append(word)
            used += space + word.width
            continue
        parts = _divide(word, room) if hyphenate and room > 0.06 * width else None
        if parts:
            current.append(parts[0])
            queue.insert(0, parts[1])
        elif not current:
            current.append(word)
        else:
            queue.insert(0, word)
        lines.append(Line(tuple(current), last=False))
        current, used = [], 0.0
    if current:
        lines.append(Line(tuple(current), last=True))
    elif lines:
        lines[-1] = Line(lines[-1].words, last=True)
    return lines


_BREAK = re.compile(r"(?<=[aeiouy])[bcdfglmnprst](?=(?!h|r|l)[bcdfglmnprst][aeiouy])|(?<=[aeiou])(?=tion|ment|sure)")


def _divide(word: Word, room: float) -> tuple[Word, Word] | None:
    """Divide a plain long word between two consonants or before a common ending, as late as fits into `room`."""
    if len(word.runs) != 1 or word.note:
        return None
    run = word.runs[0]
    if not re.fullmatch(r"[A-Za-z]{7,}[.,;:)]?", run.text):
        return None
    for match in reversed(list(_BREAK.finditer(run.text))):
        at = match.end()
        if 3 <= at <= len(run.text.rstrip(".,;:)")) - 3:
            head, tail = run.text[:at] + "-", run.text[at:]
            if text_width(head, run.font, run.size) <= room:
                return Word((Run(head, run.font, run.size),)), Word((Run(tail, run.font, run.size),))
    return None
