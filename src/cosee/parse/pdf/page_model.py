"""What a page consists of before it is laid out: fragments of text, vector drawings, pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.chart import ChartData
from cosee.artifacts.documents.layout import CellSpan, Span
from cosee.artifacts.documents.picture_quality import PictureQuality
from cosee.imaging.upright import Turn
from cosee.parse.pdf.paper import Paper

Point = tuple[float, float]
PART = "part"
"""Flag of a block that is a strip or tile of the picture before it."""


@dataclass(slots=True)
class Word:
    """A run of characters without space. Boxes of this module are page points of the page as seen."""

    text: str
    bbox: BBox


@dataclass(slots=True)
class Fragment:
    """A piece of a visual line without a wide gap inside: the atom of layout analysis."""

    bbox: BBox
    spans: list[Span]
    words: list[Word] = field(default_factory=list)
    hidden: bool = False
    ocr: bool = False
    hidden_reason: str | None = None
    """Why a hidden fragment is left out where it is not for being invisible: ``ocr_noise``, ``replaced`` by what was
    recognised, ``comment``, ``struck_out``, ``line_number``."""
    source: str | None = None
    """``annotation`` or ``form_value`` where the text comes from one."""
    rotated: bool = False
    space_before: bool = False
    space_after: bool = False
    """White space was set before it, or behind it, in the file."""
    formula: bool = False
    """A displayed formula, written in one line."""
    latex: str | None = None
    """Such a formula as LaTeX, where all of its signs are known."""
    confidence: float | None = None

    @property
    def text(self) -> str:
        """The characters of all spans."""
        if len(self.spans) == 1:
            return self.spans[0].text
        return "".join(span.text for span in self.spans)

    @property
    def size(self) -> float:
        """Font size of the longest span."""
        if len(self.spans) == 1:
            return self.spans[0].size
        return max(self.spans, key=lambda span: len(span.text)).size

    @property
    def bold(self) -> bool:
        """Whether most characters are bold."""
        return 2 * sum(len(span.text) for span in self.spans if span.bold) > len(self.text)

    def span_at(self, x: float) -> Span:
        """The span at a horizontal position, or the nearest one."""
        return min(self.spans, key=lambda span: max(span.bbox[0] - x, x - span.bbox[2], 0.0))


def append_span(spans: list[Span], span: Span) -> None:
    """Append ``span``, or extend the last one where it looks the same or ``span`` is white space."""
    if spans:
        last = spans[-1]
        same = (last.font, last.size, last.superscript) == (span.font, span.size, span.superscript)
        if same or not span.text.strip():
            last.text += span.text
            last.bbox = geometry.union((last.bbox, span.bbox)) if span.text.strip() else last.bbox
            return
    spans.append(span)


@dataclass(slots=True)
class Vector:
    """One painted path. ``color`` is 0xRRGGBB; ``rectangular`` covers axis-parallel lines too."""

    bbox: BBox
    rectangular: bool
    stroked: bool
    color: int
    order: int


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line: ``at`` on its own axis, from ``start`` to ``end`` on the other."""

    at: float
    start: float
    end: float


@dataclass(slots=True)
class DrawnPath:
    """The outline of a painted path: runs of connected points (a curve gives its ends), colours 0xRRGGBB or None."""

    bbox: BBox
    runs: list[list[Point]]
    fill: int | None
    stroke: int | None
    curves: int = 0
    """How many of its segments are curves."""


@dataclass(slots=True)
class Picture:
    """One raster placement. ``identity`` is equal for placements of one picture in a document, empty where unknown."""

    bbox: BBox
    identity: tuple[int, ...]
    pixels: int | None = None
    """Width times height of the bitmap."""
    is_text: bool = False
    """Whether it is a picture of running text or of a table, which takes its place on the page."""
    parts: tuple[BBox, ...] = ()
    """The strips or tiles that it is stored in, where these are several."""


@dataclass(slots=True)
class RawPage:
    """One page as read. Boxes are those of the page as seen, until ``turn`` says otherwise."""

    width: float
    height: float
    fragments: list[Fragment]
    vectors: list[Vector]
    pictures: list[Picture]
    flags: list[str] = field(default_factory=list)
    turn: Turn | None = None
    """The turn that made the page upright where it is seen otherwise; all boxes are those of the upright page."""
    text_angle: int = 0
    """Degrees clockwise (0, 90, 180, 270) by which most of the text is turned on the page as seen."""
    outlines: Callable[[], list[DrawnPath]] = list
    """Reads the outlines of the page's paths, once; only pages with drawings need them."""
    quality: PictureQuality | None = None
    """Of the page's picture, where it was read as one."""
    paper: Paper | None = None
    """The page as it is drawn, where it comes from a PDF."""
    mirrored: bool = False
    """Laid out from the right: x runs from the right edge of the page."""

    @property
    def bbox(self) -> BBox:
        """The page's own box."""
        return 0.0, 0.0, self.width, self.height


@dataclass(slots=True)
class TableFound:
    """A table: its box, its cells as text, and the indexes of the fragments that it swallowed."""

    bbox: BBox
    rows: list[list[str]]
    fragments: set[int]
    ruled: bool = False
    spans: list[CellSpan] = field(default_factory=list)
    """Cells over several rows or columns, whose text ``rows`` repeats."""


@dataclass(slots=True)
class FigureFound:
    """A picture or a group of drawn paths with the labels inside it (indexes of fragments)."""

    bbox: BBox
    kind: str
    """``image``, ``drawing`` or ``formula``."""
    fragments: set[int]
    flags: list[str] = field(default_factory=list)
    identity: tuple[int, ...] | None = None
    crop: bool = True
    chart: ChartData | None = None
    parts: tuple[BBox, ...] = ()
    """The strips or tiles of a picture that is stored in several."""
