"""Headings that stand in several items become one: a number and its title, the lines of one title."""

from __future__ import annotations

from cosee.artifacts.content import ContentItem
from cosee.enhancer import geometry
from cosee.enhancer.draft import Draft, is_visible
from cosee.enhancer.heading_matches import titles_of
from cosee.enhancer.heading_style import LARGER, BodyLook, style_of
from cosee.enhancer.numbering import parse_numbering
from cosee.enhancer.roles import is_bullet
from cosee.enhancer.words import SENTENCE_ENDS, is_upper, one_line

MAX_CHARACTERS = 200
_JOINERS = (
    "a", "an", "the", "of", "and", "or", "to", "for", "with", "in", "from", "by", "on", "at", "as", "und", "der", "die",
    "des", "für", "mit", "von", "zur", "zum", "et", "de", "du", "la", "le", "les", "y", "del", "&", "/", "–", "—",
)  # fmt: skip
"""A title's line that ends in one of these goes on in the next."""


def join_heading_lines(draft: Draft, listed: set[str]) -> None:
    """Join a heading's number with its title ("3" + "Method", "Chapter 3" + title), and the lines of one title.

    ``listed`` are folded titles known from elsewhere: what together reads like one of them is one.
    """
    body = BodyLook.of(draft.items, draft.body_size)
    previous: ContentItem | None = None
    for item in draft.items:
        if item.role not in ("paragraph", "heading") or not is_visible(item):
            previous = None
            continue
        if previous is not None and _one_heading(previous, item, body, listed):
            draft.absorb(previous, [item], f"{previous.text.rstrip()} {item.text.lstrip()}")
            continue
        previous = item
    draft.sweep()


def _one_heading(first: ContentItem, second: ContentItem, body: BodyLook, listed: set[str]) -> bool:
    if first.page_idx != second.page_idx or len(first.text) + len(second.text) > MAX_CHARACTERS:
        return False
    if _number_and_title(first, second, body):
        return parse_numbering(second.text) is None
    if first.size is None or second.size is None or abs(first.size - second.size) > 0.6 or first.bold != second.bold:
        return False
    if _near(first, second) and _is_listed(first, second, listed):
        return True
    plain = parse_numbering(second.text) is None and not is_bullet(second.text)
    alike = plain and is_upper(first.text) == is_upper(second.text)
    if not alike or not _right_below(first, second) or first.text.rstrip().endswith((*SENTENCE_ENDS, ":")):
        return False
    return first.size >= 1.25 * body.size or (body.is_outranked(style_of(first)) and _goes_on(first, second))


def _number_and_title(first: ContentItem, second: ContentItem, body: BodyLook) -> bool:
    """Whether ``first`` is only a heading's number, and ``second`` the title beside or below it."""
    if not _bare_number(first.text):
        return False
    same_line = geometry.overlap_y(first.bbox, second.bbox) > 0.5 and 0 <= second.bbox[0] - first.bbox[2] < 0.08
    larger = (second.size or 0) >= LARGER * body.size or second.bold
    alike = is_upper(first.text) == is_upper(second.text) or (second.size or 0) > (first.size or 0) + 0.5
    return larger and (same_line or alike and geometry.gap_y(first.bbox, second.bbox) < 0.05)


def _is_listed(first: ContentItem, second: ContentItem, listed: set[str]) -> bool:
    if not listed:
        return False
    whole = titles_of(f"{first.text} {second.text}") & listed
    return bool(whole) and not titles_of(first.text) & listed


def _near(first: ContentItem, second: ContentItem) -> bool:
    """Whether ``second`` stands right of or below ``first`` without room for anything between."""
    height = max(first.bbox[3] - first.bbox[1], 0.005) / max(1, first.text.count("\n") + 1)
    return geometry.gap_y(first.bbox, second.bbox) < height and second.bbox[3] >= first.bbox[3] - 0.2 * height


def _right_below(first: ContentItem, second: ContentItem) -> bool:
    height = max(first.bbox[3] - first.bbox[1], 0.005) / max(1, first.text.count("\n") + 1)
    gap = second.bbox[1] - first.bbox[3]
    return -0.2 * height <= gap < 0.6 * height and geometry.overlap_x(first.bbox, second.bbox) > 0.5


def _goes_on(first: ContentItem, second: ContentItem) -> bool:
    """Whether the title goes on by its words, or by hanging below the title that follows the number."""
    if second.text.lstrip()[:1].islower() or one_line(first.text).casefold().endswith(_JOINERS_AT_END):
        return True
    numbered = parse_numbering(one_line(first.text)) is not None
    return numbered and second.bbox[0] > first.bbox[0] + 0.015


_JOINERS_AT_END = tuple(f" {word}" for word in _JOINERS)


def _bare_number(text: str) -> bool:
    """Whether the text is only a heading's number: ``3``, ``2.1``, ``Chapter 4``, ``Appendix A``, ``第二章``."""
    line = one_line(text)
    numbering = parse_numbering(f"{line} Title")
    return len(line) <= 14 and numbering is not None and numbering.title == "Title"
