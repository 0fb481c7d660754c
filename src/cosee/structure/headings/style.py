"""How text looks, as far as headings are told apart by it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from cosee.artifacts.documents.content import ContentItem
from cosee.structure.draft import half_points, is_running_text
from cosee.structure.headings import thresholds
from cosee.structure.thresholds import SMALL_TYPE
from cosee.text.words import SENTENCE_ENDS, is_upper, letter_count

_FAMILY = re.compile(r"[A-Za-z]{3,}")


class Style(NamedTuple):
    """The look of a text, as far as headings are told apart by it."""

    size: float | None
    """In half points."""
    bold: bool = False
    upper: bool = False
    italic: bool = False
    color: str | None = None
    family: str | None = None
    """First word of the font's name."""

    @property
    def prominence(self) -> tuple[float, bool, bool]:
        """Sort key: what is set larger, bolder, in capitals stands above."""
        return self.size or 0.0, self.bold, self.upper

    def dominates(self, other: Style) -> bool:
        """Whether the style is at least as prominent in everything: size, weight and capitals."""
        size, least = self.size or 0.0, other.size or 0.0
        if size > least + thresholds.SAME_SIZE:
            return self.bold >= other.bold
        return size >= least - thresholds.SAME_SIZE and self.bold >= other.bold and self.upper >= other.upper


def style_of(item: ContentItem) -> Style:
    """The item's look."""
    size = None if item.size is None else half_points(item.size)
    family = _FAMILY.match(item.font) if item.font else None
    upper = (
        is_upper(item.text)
        and letter_count(item.text) >= thresholds.MIN_LOOK_CAPITALS
        and not (len(item.text) > thresholds.MIN_SENTENCE_CAPITALS and item.text.rstrip().endswith(SENTENCE_ENDS))
    )
    return Style(size, item.bold, upper, item.italic, item.color, family[0] if family else None)


@dataclass(frozen=True)
class BodyLook:
    """The look of running text, from which headings differ."""

    size: float
    style: Style = Style(None)

    @classmethod
    def of(cls, items: Iterable[ContentItem], size: float) -> BodyLook:
        """The look that most characters of about the body size have."""
        looks: Counter[Style] = Counter()
        for item in items:
            if is_running_text(item) and item.size and abs(item.size - size) < thresholds.BODY_SIZE_TOLERANCE * size:
                looks[style_of(item)._replace(upper=False)] += len(item.text)
        return cls(size, max(looks, key=lambda look: looks[look], default=Style(None)))

    def is_outranked(self, style: Style) -> bool:
        """Whether the style is larger than the body, or bold at its size."""
        size = style.size or 0.0
        return size >= thresholds.LARGER_THAN_BODY * self.size or (
            style.bold and not self.style.bold and size >= SMALL_TYPE * self.size
        )

    def outranks(self, style: Style) -> bool:
        """Whether the style is smaller than the body, and neither bold nor in capitals."""
        return style.size is not None and style.size < SMALL_TYPE * self.size and not style.bold and not style.upper

    def looks_like(self, style: Style) -> bool:
        """Whether nothing sets the style off from the body: size, weight, slant, colour, capitals or typeface."""
        return (
            not self.is_outranked(style)
            and not style.upper
            and (style.bold <= self.style.bold)
            and (style.italic, style.color, style.family) == (self.style.italic, self.style.color, self.style.family)
        )
