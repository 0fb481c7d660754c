"""A short text that may be a heading, with what speaks for it."""

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
    followed: bool = True
    """Whether smaller or lighter text, or a figure or table, follows."""
    runs_on: bool = False
    """Whether its sentence goes on in the next item."""

    @property
    def listed(self) -> bool:
        """Whether bookmarks or the printed contents name it."""
        return self.outline_level is not None or self.contents is not None
