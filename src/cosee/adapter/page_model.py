"""What a page consists of before it is laid out: fragments of text, vector drawings, pictures."""

from __future__ import annotations

from dataclasses import dataclass, field

from cosee.artifacts.base import BBox
from cosee.artifacts.layout import CellSpan, Span


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
    noise: bool = False
    """Recognised where there is no text, as far as the engine's confidence tells; ``hidden`` as well."""
    rotated: bool = False
    confidence: float | None = None

    @property
    def text(self) -> str:
        """The characters of all spans."""
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
class Picture:
    """One raster placement. ``identity`` is equal for placements of one picture in a document, empty where unknown."""

    bbox: BBox
    identity: tuple[int, ...]


@dataclass(slots=True)
class RawPage:
    """One page as read."""

    width: float
    height: float
    fragments: list[Fragment]
    vectors: list[Vector]
    pictures: list[Picture]
    flags: list[str] = field(default_factory=list)
    turn: int = 0
    """Quarter turns clockwise that were made to the page because its text does not run to the right; else 0."""

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
    """A picture or a cluster of drawings with the labels inside it (indexes of fragments)."""

    bbox: BBox
    kind: str
    """``image`` or ``drawing``."""
    fragments: set[int]
    flags: list[str] = field(default_factory=list)
    identity: tuple[int, ...] | None = None
    crop: bool = True
