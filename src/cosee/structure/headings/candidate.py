"""What the steps that find headings and their levels hand on to each other."""

from __future__ import annotations

from dataclasses import dataclass

from cosee.artifacts.documents.content import ContentItem
from cosee.structure.headings.contents_depth import ContentsEntry
from cosee.structure.headings.style import Style
from cosee.text.numbering import Numbering


@dataclass(eq=False)
class Candidate:
    """A short text that may be a heading, with what speaks for it."""

    item: ContentItem
    text: str
    style: Style
    numbering: Numbering | None
    outline_level: int | None = None
    contents: ContentsEntry | None = None

    @property
    def kind(self) -> tuple[Style, str, int]:
        """What equal headings of a document have in common: the look, and the kind and depth of their number."""
        number = self.numbering
        return self.style, "" if number is None else number.kind, 0 if number is None else number.depth
