"""Headings that stand in several items become one: a number and its title, the lines of one title."""

from __future__ import annotations

from bisect import bisect_right

from cosee import geometry
from cosee.artifacts.documents.content import ContentItem
from cosee.structure.draft import Draft, is_visible
from cosee.structure.headings import thresholds
from cosee.structure.headings.matches import titles_of
from cosee.structure.headings.style import BodyLook, style_of
from cosee.structure.roles import is_bullet
from cosee.text.numbering import parse_numbering
from cosee.text.words import SENTENCE_ENDS, goes_on_after, is_upper, one_line


def join_heading_lines(draft: Draft, listed: set[str]) -> None:
    """Join a heading's number with its title ("3" + "Method", "Chapter 3" + title), and the lines of one title.

    ``listed`` are folded titles known from elsewhere: what together reads like one of them is one.
    """
    body = BodyLook.of(draft.items, draft.body_size)
    _complete_listed(draft, listed)
    on_pages = draft.on_pages()
    previous: ContentItem | None = None
    for item in draft.items:
        if item.role not in ("paragraph", "heading") or not is_visible(item):
            previous = None
            continue
        if (
            previous is not None
            and _is_one_heading(previous, item, body, on_pages[item.page_idx])
            and not _ends_listed(previous, item, listed)
        ):
            if _bare_number(previous.text) and (item.size or 0) > (previous.size or 0):
                # the look is the larger title's, whose next line has it too
                previous.size, previous.bold, previous.font = item.size, item.bold, item.font
            draft.absorb(previous, [item], f"{previous.text.rstrip()} {item.text.lstrip()}")
            continue
        previous = item
    draft.sweep()


def _ends_listed(first: ContentItem, second: ContentItem, listed: set[str]) -> bool:
    """Whether ``first`` is all of a listed title, and no listed one goes on with ``second``."""
    whole = f"{first.text.rstrip()} {second.text.lstrip()}"
    return bool(titles_of(first.text) & listed) and not titles_of(whole) & listed


def _complete_listed(draft: Draft, listed: set[str]) -> None:
    """Join items that only together read like a listed title: its lines, beside or below each other."""
    solid = sorted({title.replace(" ", "") for title in listed})
    taken: set[str] = set()
    for index, item in enumerate(draft.items if listed else []):
        if item.id in taken or not _may_be_part_of_title(item):
            continue
        if titles_of(item.text) & listed or not _begins_listed(item.text, solid):
            continue
        parts = [item]
        text = item.text.rstrip()
        for other in draft.items[index + 1 : index + 1 + thresholds.TITLE_LINES_AHEAD]:
            whole = f"{text} {other.text.strip()}"
            if other.page_idx != item.page_idx or len(whole) > thresholds.MAX_HEADING_CHARACTERS:
                break
            if not _may_be_part_of_title(other) or other.id in taken or not _same_line_of_title(parts[-1], other):
                continue
            if titles_of(whole) & listed or _begins_listed(whole, solid):
                parts.append(other)
                text = whole
        if len(parts) > 1 and titles_of(text) & listed:
            draft.absorb(item, parts[1:], text)
            taken.update(part.id for part in parts)
    draft.sweep()


def _begins_listed(text: str, solid: list[str]) -> bool:
    """Whether one of the titles, sorted and without spaces, goes on after the text."""
    for own in titles_of(text):
        at = bisect_right(solid, own)
        if " " not in own and at < len(solid) and solid[at].startswith(own):
            return True
    return False


def _may_be_part_of_title(item: ContentItem) -> bool:
    return (
        item.role in ("paragraph", "heading")
        and is_visible(item)
        and len(item.text) <= thresholds.MAX_HEADING_CHARACTERS
    )


def _same_line_of_title(first: ContentItem, second: ContentItem) -> bool:
    """Whether both look alike, and ``second`` stands right of or below ``first`` with no room between."""
    height = _line_height(first)
    not_above = second.bbox[3] >= first.bbox[3] - thresholds.LINE_OVERLAP * height
    return _set_alike(first, second) and geometry.gap_y(first.bbox, second.bbox) < height and not_above


def _set_alike(first: ContentItem, second: ContentItem) -> bool:
    """Whether size and weight of both are known to be those of one title."""
    if first.size is None or second.size is None:
        return False
    return abs(first.size - second.size) <= thresholds.SAME_SIZE_OF_LINES and first.bold == second.bold


def _line_height(item: ContentItem) -> float:
    return max(geometry.height(item.bbox), thresholds.MIN_LINE_HEIGHT) / (item.text.count("\n") + 1)


def _is_one_heading(first: ContentItem, second: ContentItem, body: BodyLook, page: list[ContentItem]) -> bool:
    if first.page_idx != second.page_idx or len(first.text) + len(second.text) > thresholds.MAX_HEADING_CHARACTERS:
        return False
    if _number_and_title(first, second, body):
        return parse_numbering(second.text) is None
    if not _set_alike(first, second):
        return False
    plain = parse_numbering(second.text) is None and not is_bullet(second.text)
    alike = plain and is_upper(first.text) == is_upper(second.text)
    if not alike or not _right_below(first, second) or first.text.rstrip().endswith((*SENTENCE_ENDS, ":")):
        return False
    capitals = is_upper(first.text) and parse_numbering(one_line(first.text)) is not None
    if (first.size or 0.0) >= thresholds.DISPLAY_TYPE * body.size:
        return True
    prominent = capitals or body.is_outranked(style_of(first))
    return prominent and (_goes_on(first, second) or _is_full(first, second, page))


def _number_and_title(first: ContentItem, second: ContentItem, body: BodyLook) -> bool:
    """Whether ``first`` is only a heading's number, and ``second`` the title beside or below it."""
    if not _bare_number(first.text):
        return False
    gap = second.bbox[0] - first.bbox[2]
    same_line = geometry.overlap_share_y(first.bbox, second.bbox) > 0.5 and 0 <= gap < thresholds.MAX_GAP_BESIDE_NUMBER
    larger = (second.size or 0) >= thresholds.LARGER_THAN_BODY * body.size or second.bold
    if not larger or same_line:
        return larger
    alike = is_upper(first.text) == is_upper(second.text)
    grown = (second.size or 0) > (first.size or 0) + thresholds.LARGER_THAN_NUMBER
    return (alike or grown) and geometry.gap_y(first.bbox, second.bbox) < thresholds.MAX_GAP_BELOW_NUMBER


def _right_below(first: ContentItem, second: ContentItem) -> bool:
    height, gap = _line_height(first), second.bbox[1] - first.bbox[3]
    near = -thresholds.LINE_OVERLAP * height <= gap < thresholds.MAX_LINE_GAP * height
    return near and geometry.overlap_share_x(first.bbox, second.bbox) > 0.5


def _goes_on(first: ContentItem, second: ContentItem) -> bool:
    """Whether the title goes on by its words, or by hanging below the title that follows the number."""
    if second.text.lstrip()[:1].islower() or goes_on_after(one_line(first.text).casefold()):
        return True
    numbered = parse_numbering(one_line(first.text)) is not None
    return numbered and second.bbox[0] > first.bbox[0] + thresholds.MIN_HANGING_INDENT


def _is_full(first: ContentItem, second: ContentItem, page: list[ContentItem]) -> bool:
    """Whether the first word of ``second`` had no room behind ``first`` in its column."""
    right = max(item.bbox[2] for item in page if geometry.overlap_share_x(item.bbox, first.bbox) > 0.5)
    character = (second.bbox[2] - second.bbox[0]) / max(map(len, second.text.split("\n")))
    return right - first.bbox[2] < character * (len(second.text.split(maxsplit=1)[0]) + 1)


def _bare_number(text: str) -> bool:
    """Whether the text is only a heading's number: ``3``, ``2.1``, ``Chapter 4``, ``Appendix A``, ``第二章``."""
    line = one_line(text)
    numbering = parse_numbering(f"{line} Title")
    return len(line) <= thresholds.MAX_NUMBER_CHARACTERS and numbering is not None and numbering.title == "Title"
