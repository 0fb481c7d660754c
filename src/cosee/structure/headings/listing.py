"""Headings that contradict bookmarks or printed contents: an author's own list leaves nothing of its rank out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cosee.structure.headings.candidate import Candidate
from cosee.structure.headings.style import BodyLook

MIN_OUTLINE, OUTLINE_SHARE = 4, 0.6
"""Bookmarks are trusted when so many of them, and such a share, are printed where they point."""
MIN_CONTENTS, CONTENTS_SHARE = 5, 0.6
"""The same for lines of the printed contents."""
SUPPORT, STYLE_SHARE = 0.1, 0.25
"""A listed style counts when it holds so much of what is listed, and so much of it is listed."""
DENSE = 0.5
"""Found bookmarks a page from which they are the whole tree of headings, not only its upper part."""


def without_contradicted(
    headings: Sequence[Candidate], bookmarks: int, contents_lines: int, pages: int, body: BodyLook
) -> list[Candidate]:
    """The headings without those that a trusted list would have to name and does not.

    Dense bookmarks leave room for the document's title alone. A sparser list, such as the printed contents, leaves
    room for what is set less prominently than all that it names.
    """
    by_outline = [one for one in headings if one.outline_level is not None]
    if len(by_outline) >= MIN_OUTLINE and len(by_outline) >= OUTLINE_SHARE * bookmarks:
        if len(by_outline) >= DENSE * pages:
            title = headings[0] if headings[0].style.prominence > by_outline[0].style.prominence else None
            return [one for one in headings if one.outline_level is not None or one is title]
        return _below(headings, {one.item.id for one in by_outline}, body)
    by_contents = [one for one in headings if one.contents is not None]
    if len(by_contents) >= MIN_CONTENTS and len(by_contents) >= CONTENTS_SHARE * contents_lines:
        return _below(headings, {one.item.id for one in by_contents}, body)
    return list(headings)


def _below(headings: Sequence[Candidate], listed: set[str], body: BodyLook) -> list[Candidate]:
    """The headings without those of a style no member of which is listed, but less prominent ones are."""
    total = Counter(one.style for one in headings)
    named = Counter(one.style for one in headings if one.item.id in listed)
    enough = max(2, SUPPORT * len(listed))
    least = [
        style
        for style, count in named.items()
        if count >= enough and count >= STYLE_SHARE * total[style] and body.is_outranked(style)
    ]
    first = next(number for number, one in enumerate(headings) if one.item.id in listed)
    return [
        one
        for number, one in enumerate(headings)
        if number < first or named[one.style] or not any(one.style.dominates(style) for style in least)
    ]
