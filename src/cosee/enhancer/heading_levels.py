"""Levels of headings, from bookmarks, numbers and styles together; no level jumps by more than one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from cosee.enhancer.draft import Draft
from cosee.enhancer.heading_candidate import Candidate, Style
from cosee.enhancer.numbering import Kind

DEEPEST = 9


def set_levels(headings: Sequence[Candidate], draft: Draft, max_level: int) -> None:
    """Set role and level of the headings, in reading order."""
    raw = _from_numbers(headings, draft)
    outline = _outline_levels(headings)
    levels = [own if own is not None else by_number for own, by_number in zip(outline, raw, strict=True)]
    by_style = _style_levels(headings, levels, draft)
    current = 1
    final: list[int] = []
    for heading, level in zip(headings, levels, strict=True):
        if level is None:
            level = by_style[heading.style]
            if outline.count(None) < len(outline) and heading.style not in _listed_styles(headings, outline):
                level = max(level, current + 1)
        elif heading.outline_level is not None:
            current = level
        final.append(min(level, DEEPEST))
    for heading, level in zip(headings, without_jumps(final), strict=True):
        heading.item.role = "heading"
        heading.item.level = min(level, max_level)


def without_jumps(levels: Sequence[int]) -> list[int]:
    """Depth of each heading in the nesting that the levels ask for: starts at 1, grows by at most 1."""
    stack: list[int] = []
    depths: list[int] = []
    for level in levels:
        while stack and stack[-1] >= level:
            stack.pop()
        stack.append(level)
        depths.append(len(stack))
    return depths


def _listed_styles(headings: Sequence[Candidate], outline: Sequence[int | None]) -> set[Style]:
    return {heading.style for heading, level in zip(headings, outline, strict=True) if level is not None}


def _outline_levels(headings: Sequence[Candidate]) -> list[int | None]:
    """Level by bookmark; a single top entry that holds all others (the document's title) is taken off."""
    levels = [heading.outline_level for heading in headings]
    known = [level for level in levels if level is not None]
    if len(known) < 2:
        return [None] * len(levels)
    top = min(known)
    if known.count(top) == 1 and known[0] == top and len(known) > 2:
        return [None if level is None else max(1, level - top) for level in levels]
    return [None if level is None else level - top + 1 for level in levels]


def _from_numbers(headings: Sequence[Candidate], draft: Draft) -> list[int | None]:
    """Level by number or source; None where neither says anything."""
    kinds = Counter(heading.numbering.kind for heading in headings if heading.numbering is not None)
    parts = 1 if kinds["part"] >= 2 else 0
    chapters = kinds["chapter"] > 0
    han = 1 if kinds["chapter"] or kinds["section"] else 0
    levels: list[int | None] = []
    for heading in headings:
        numbering = heading.numbering
        level: int | None = None
        if numbering is None:
            level = heading.contents.depth if heading.contents is not None else None
            if level is None and heading.style[0] is None:
                level = heading.item.level
        elif numbering.kind == "part":
            level = 1
        elif numbering.kind in ("chapter", "appendix", "item", "roman"):
            level = 1 + parts
        elif numbering.kind == "section":
            level = 1 + parts + (1 if chapters else 0)
        elif numbering.kind == "decimal":
            level = numbering.depth + parts
        elif numbering.kind == "letter":
            level = 1 + parts + (1 if kinds["roman"] else 0)
        elif numbering.kind == "han":
            level = 1 + parts + han + (1 if kinds["chapter"] and kinds["section"] else 0)
        else:
            level = 1 + parts + han + (1 if kinds["han"] else 0) + (1 if kinds["chapter"] and kinds["section"] else 0)
        if numbering is not None and numbering.kind == "decimal" and numbering.depth == 1:
            level = (level or 1) + _inner(kinds)
        levels.append(level)
    return levels


def _inner(kinds: Counter[Kind]) -> int:
    """How deep a plain ``1.`` stands below other schemes: under roman and letters, or under Chinese numerals."""
    if kinds["han"] >= 2:
        return 1 + (1 if kinds["han_bracket"] else 0) + (1 if kinds["chapter"] or kinds["section"] else 0)
    if kinds["roman"] >= 2:
        return 1 + (1 if kinds["letter"] else 0)
    return 1 if kinds["item"] >= 3 else 0


def _style_levels(headings: Sequence[Candidate], levels: Sequence[int | None], draft: Draft) -> dict[Style, int]:
    """A level for each style: the usual one of its known headings, else its rank among the styles."""
    known: dict[Style, Counter[int]] = defaultdict(Counter)
    for heading, level in zip(headings, levels, strict=True):
        if level is not None:
            known[heading.style][level] += 1
    usual = {style: max(count, key=lambda level: (count[level], -level)) for style, count in known.items()}
    mixed = {style for style, count in known.items() if len(count) > 2}
    usual.update((style, min(known[style])) for style in mixed)
    title = _title_style(headings)
    result: dict[Style, int] = {}
    above = 0
    for style in sorted({heading.style for heading in headings}, key=_prominence, reverse=True):
        if style in usual:
            result[style] = usual[style]
        elif style == title:
            result[style] = 1
            continue
        else:
            lower = [level for other, level in usual.items() if _prominence(other) < _prominence(style)]
            result[style] = max(1, min(above + 1, min(lower)) if lower else above + 1)
        above = max(above, result[style])
    return result


def _prominence(style: Style) -> tuple[float, bool, bool]:
    size, bold, upper = style
    return size or 0.0, bold, upper


def _title_style(headings: Sequence[Candidate]) -> Style | None:
    """The style of the document's title: the largest, used once, on the first pages."""
    if not headings:
        return None
    largest = max((heading.style for heading in headings), key=_prominence)
    users = [heading for heading in headings if heading.style == largest]
    alone = len(users) == 1 and len(headings) > 2 and users[0].item.page_idx <= 1
    return largest if alone and users[0] is headings[0] else None
