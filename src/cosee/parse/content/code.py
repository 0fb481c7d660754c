"""Program text: fonts of a fixed pitch, told by name or by the widths of their characters, and signs of code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import median

from cosee import geometry
from cosee.artifacts.documents.layout import LayoutBlock, Line, Span
from cosee.parse.content import thresholds

# General knowledge: the names of typewriter fonts.
_MONO_FONT = re.compile(
    r"mono|mon[lr]\b|courier|consol|cmtt|[ls]mtt|typewriter|menlo|monaco|inconsolata|letter ?gothic|source ?code"
    r"|fira ?code|cousine|andale|prestige|ocr-?[ab]\b",
    re.IGNORECASE,
)
_CODE_SIGN = re.compile(r"[{}();=$<>\\|#]|\s--?\w|\w[_/]\w|::|^\s*(?:def|class|import|return|for|if|else)\b.*[:;]?$")


@lru_cache(maxsize=4096)
def _is_mono(font: str) -> bool:
    return _MONO_FONT.search(font) is not None


@dataclass(frozen=True)
class FixedPitch:
    """The fonts of a document that have a fixed pitch beside those whose name says so.

    In a ``typewritten`` document most running text is set in them, so that the pitch alone makes no code.
    """

    fonts: frozenset[str] = frozenset()
    typewritten: bool = False

    def covers(self, span: Span) -> bool:
        """Whether a span is set in such a font."""
        return span.font in self.fonts or _is_mono(span.font)


@dataclass
class FontsSeen:
    """How wide each font is set in a document, and which set its running text; pages come one by one."""

    widths: dict[str, tuple[int, float, float]] = field(default_factory=dict)
    """Font -> spans measured, least and greatest width of a character in font sizes."""
    running: Counter[str] = field(default_factory=Counter)
    """Lines of several words that fill a column, by font."""

    def add(self, blocks: Iterable[LayoutBlock]) -> None:
        """Note the text blocks of a page; what was recognised says nothing about fonts."""
        for block in blocks:
            if block.kind == "text" and "ocr" not in block.flags:
                for line in block.lines:
                    self._add_line(line, geometry.width(block.bbox))

    def _add_line(self, line: Line, column: float) -> None:
        for span in line.spans:
            if len(span.text) >= thresholds.MIN_PITCH_LENGTH and span.size and span.text.isascii():
                width = geometry.width(span.bbox) / (len(span.text) * span.size)
                count, low, high = self.widths.get(span.font, (0, width, width))
                self.widths[span.font] = count + 1, min(low, width), max(high, width)
        text = line.spans[0].text
        full = geometry.width(line.bbox) >= thresholds.RUNNING_WIDTH * column
        if full and text.count(" ") >= thresholds.RUNNING_SPACES and not _CODE_SIGN.search(text):
            self.running[line.spans[0].font] += 1

    def fixed_pitch(self) -> FixedPitch:
        """What the document says about pitch."""
        same = thresholds.SAME_WIDTH
        measured = [(low, high) for count, low, high in self.widths.values() if count >= thresholds.MIN_PITCH_SPANS]
        known = [(low, high) for low, high in measured if high <= same * low]
        # The bold of such a font, seen in a few words only, has its pitch.
        fonts = frozenset(
            font
            for font, (_, low, high) in self.widths.items()
            if any(max(high, other[1]) <= same * min(low, other[0]) for other in known)
        )
        mono = sum(count for font, count in self.running.items() if font in fonts or _is_mono(font))
        return FixedPitch(fonts, mono > thresholds.TYPEWRITTEN * self.running.total())


def is_code(lines: list[Line], pitch: FixedPitch) -> bool:
    """Whether lines are program text: a fixed pitch, and signs of code where the pitch says little."""
    spans = [span for line in lines for span in line.spans]
    letters = sum(len(span.text) for span in spans)
    mono = sum(len(span.text) for span in spans if pitch.covers(span))
    if mono < thresholds.CODE_SHARE * letters:
        return False
    signs = sum(1 for line in lines if _CODE_SIGN.search(line.text))
    if letters < thresholds.CODE_LETTERS and not signs:
        return False
    if pitch.typewritten:
        return signs >= thresholds.CODE_SIGNS * len(lines)
    return len(lines) >= 2 or signs > 0


def character_width(lines: list[Line]) -> float:
    """Width of a character of lines with a fixed pitch, in points."""
    spans = [span for line in lines for span in line.spans if len(span.text) > thresholds.MEASURED_LENGTH]
    widths = [geometry.width(span.bbox) / len(span.text) for span in spans]
    return max(median(widths) if widths else thresholds.DEFAULT_WIDTH, 1.0)


def indented(lines: list[Line], pitch: float) -> list[str]:
    """Code lines with their indentation as spaces, from the x of each line and the ``pitch`` of its characters."""
    left = min(line.bbox[0] for line in lines)
    indents = [min(thresholds.MAX_INDENT, round((line.bbox[0] - left) / pitch)) for line in lines]
    return [" " * indent + line.text.rstrip() for indent, line in zip(indents, lines, strict=True)]
