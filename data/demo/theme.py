"""What a flowing document is made of: its page geometry and typography, its figures, equations and headings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from page_canvas import INK, Canvas, Colour
from tables import Table

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Figure:
    """A drawing with its caption; `span` lets it cross all columns at the top of a page."""

    caption: str
    height: float
    draw: Callable[[Canvas, Box], None]
    span: bool = False


@dataclass(frozen=True)
class Equation:
    """A displayed formula as rich text; its number is set at the right margin."""

    text: str


Item = Figure | Table | Equation


@dataclass(frozen=True)
class HeadingLook:
    """How a heading level is set."""

    font: str
    size: float
    before: float
    after: float
    colour: Colour = INK


@dataclass(frozen=True)
class Theme:
    """Page geometry and typography of a flowing document."""

    columns: tuple[Box, ...]
    headings: tuple[HeadingLook, ...]
    font: str
    size: float
    leading: float
    paragraph_gap: float
    indent: float = 0.0
    justify: bool = False
    caption_size: float = 8.4
    caption_bold: bool = True
    table_size: float = 8.4
    figure_word: str = "Figure"
    caption_mark: str = ":"
    accent: Colour = INK
    chapter_starts_page: bool = False


@dataclass(frozen=True)
class Heading:
    """A heading as it was placed: level 1-3, number ("" if none), title and page index."""

    level: int
    number: str
    title: str
    page: int
