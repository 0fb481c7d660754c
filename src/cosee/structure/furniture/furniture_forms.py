"""What page furniture and titles look like by themselves, whatever repeats."""

from __future__ import annotations

import re

from cosee.artifacts.documents.content import ContentItem
from cosee.structure.draft import Draft
from cosee.structure.furniture import thresholds
from cosee.structure.furniture.page_labels import is_page_number

_STAMP = re.compile(
    r"\bwww\.\w|https?://|\bvol(?:ume|\.)?\s*\d|\bissue\s*\d|©|\bcopyright\b|all rights reserved|\bIS[SB]N\b"
    r"|\b(?:doi|arXiv):",
    re.IGNORECASE,
)
"""General knowledge: addresses, marks of copyright, volumes, and the numbers under which works are registered."""
_RUNNING_HEAD = re.compile(
    r"(?!(?:19|20)\d\d\b)\d{1,4}\s+(?P<behind>[^\W\d_]\D{5,60})|(?P<before>[^\W\d_]\D{5,60})\s(?!(?:19|20)\d\d$)\d{1,4}"
)
"""A page number and a title: ``400 HUSBANDRY``. General knowledge: what begins with 19 or 20 is a year."""
_NUMBERED_LINE = re.compile(r"\d{1,4}\s+\D.*|\D.*\D\s+\d{1,4}")


def looks_like_title(item: ContentItem, draft: Draft) -> bool:
    """Whether the item is set larger than the running text, or was marked as a heading by the source."""
    if item.size is not None:
        return item.size >= min(draft.body_size * thresholds.LARGER_THAN_BODY, thresholds.DISPLAY_SIZE)
    return item.role == "heading"


def is_running_head(text: str) -> bool:
    """Whether a line is a title in capitals beside a page number."""
    if (match := _RUNNING_HEAD.fullmatch(text)) is None:
        return False
    letters = [char for char in match["behind"] or match["before"] if char.isalpha()]
    return letters[0].isupper() and sum(map(str.isupper, letters)) >= thresholds.MIN_CAPITALS * len(letters)


def looks_like_furniture(text: str) -> bool:
    """Whether a text is a page number, a line with one at its end, or what publishers and printers stamp on pages."""
    if is_page_number(text) or (len(text) <= thresholds.MAX_STAMP_CHARACTERS and _STAMP.search(text)):
        return True
    return (
        len(text) <= thresholds.MAX_NUMBERED_CHARACTERS
        and bool(_NUMBERED_LINE.fullmatch(text))
        and not text.endswith(":")
    )
