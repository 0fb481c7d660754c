"""Levels of headings, from bookmarks, numbers and styles together; no level jumps by more than one."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence

from cosee.structure.headings import thresholds
from cosee.structure.headings.candidate import Candidate
from cosee.structure.headings.style import BodyLook, Style
from cosee.text.folding import title_key
from cosee.text.numbering import Kind, Numbering

KINDS_ALWAYS_LEVELLED = frozenset({"part", "chapter", "appendix", "item"})
"""Kinds of number that give a level even where the printed contents list none of them."""
BACK_MATTER = frozenset(
    {
        "abstract", "acknowledgements", "acknowledgments", "acknowledgement", "references", "bibliography", "appendix",
        "appendices", "glossary", "conclusion", "conclusions",
        "摘要", "结论", "致谢", "参考文献", "附录", "术语表",
        "要旨", "結論", "謝辞", "付録", "用語集",
    }
)  # fmt: skip
"""Titles that stand on the top level of a numbered document though they carry no number. General knowledge: the front
and back matter that style guides list, in English, Chinese and Japanese."""


def set_levels(headings: Sequence[Candidate], body: BodyLook) -> None:
    """Set role and level of the headings, in reading order."""
    printed = _contents_levels(headings)
    numbered = _from_numbers(headings, printed)
    outline = _outline_levels(headings)
    levels = [own if own is not None else by_number for own, by_number in zip(outline, numbered, strict=True)]
    by_style = _style_levels(headings, levels, body)
    known = [index for index, level in enumerate(levels) if level is not None]
    top = min((level for level in levels if level is not None), default=None)
    inside = _inside_numbered(headings, levels, known)
    listed_styles = {heading.style for heading, level in zip(headings, outline, strict=True) if level is not None}
    bookmark, number = 1, 1
    announced: Candidate | None = None
    final: list[int] = []
    for index, (heading, level) in enumerate(zip(headings, levels, strict=True)):
        if level is None:
            level = by_style[heading.style]
            if heading.style in inside and index > 0:
                level = number + inside[heading.style]
            elif _is_inside(headings, levels, known, index):
                level = number + 1
            elif title_key(heading.text) in BACK_MATTER and index > 0:
                level = top if top is not None else level
            elif listed_styles and heading.style not in listed_styles:
                level = max(level, bookmark + 1)
            elif announced is not None and announced.style.prominence >= heading.style.prominence:
                level = max(level, (announced.contents.depth or 0) + 1 if announced.contents is not None else 1)
        elif heading.outline_level is not None:
            bookmark = number = level
        else:
            number = level
        announced = heading if printed[index] is not None else announced
        final.append(min(level, thresholds.DEEPEST_LEVEL))
    for heading, level in zip(headings, without_jumps(final), strict=True):
        heading.item.role = "heading"
        heading.item.level = min(level, thresholds.MAX_HEADING_LEVEL)


def _inside_numbered(
    headings: Sequence[Candidate], levels: Sequence[int | None], known: Sequence[int]
) -> dict[Style, int]:
    """Styles of headings without a number that mostly stand inside the items of a filing: style -> levels below them.

    What stands between "Item 1" and "Item 2" and is not larger than these belongs to Item 1.
    """
    total: Counter[Style] = Counter()
    within: Counter[Style] = Counter()
    for index, heading in enumerate(headings):
        if levels[index] is None:
            total[heading.style] += 1
            within[heading.style] += _is_inside(headings, levels, known, index)
    styles = [style for style in total if within[style] >= thresholds.MIN_SHARE_INSIDE * total[style]]
    ranked = sorted(styles, key=lambda style: style.prominence, reverse=True)
    return {style: min(rank, thresholds.DEEPEST_INSIDE) for rank, style in enumerate(ranked, start=1)}


def _is_inside(headings: Sequence[Candidate], levels: Sequence[int | None], known: Sequence[int], index: int) -> bool:
    """Whether the nearest headings before and after whose level is ``known`` share it and count on from each other."""
    place = bisect_left(known, index)
    if not 0 < place < len(known) or levels[known[place - 1]] != levels[known[place]]:
        return False
    before, after = known[place - 1], known[place]
    if (headings[index].style.size or 0) > (headings[before].style.size or 0) + thresholds.SAME_SIZE:
        return False
    return _counts_on(headings[before].numbering, headings[after].numbering)


def _counts_on(one: Numbering | None, other: Numbering | None) -> bool:
    """Whether two numbers are those of items of a filing, which have no other numbers below them."""
    if one is None or other is None or not one.kind == other.kind == "item":
        return False
    return other.values[-1] - one.values[-1] in (0, 1)


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


def _from_numbers(headings: Sequence[Candidate], printed: Sequence[int | None]) -> list[int | None]:
    """Level by printed contents, number or source; None where none of them says anything."""
    kinds = Counter(heading.numbering.kind for heading in headings if heading.numbering is not None)
    steps = _steps(kinds, _parts_on_top(headings), _restarts(headings, "letter"))
    offsets: dict[Kind, Counter[int]] = defaultdict(Counter)
    plain_below = _levels_above_plain(headings, kinds)
    by_number: list[int | None] = []
    for heading, depth in zip(headings, printed, strict=True):
        numbering = heading.numbering
        level = None
        if numbering is not None and numbering.kind in steps:
            plain = numbering.kind == "decimal" and numbering.depth == 1
            level = steps[numbering.kind] + (plain_below if plain else 0) + numbering.depth - 1
            if depth is not None:
                offsets[numbering.kind][depth - level] += 1
        by_number.append(level)
    listed = any(depth is not None for depth in printed)
    levels: list[int | None] = []
    for heading, depth, level in zip(headings, printed, by_number, strict=True):
        if depth is None and level is not None and heading.numbering is not None and listed:
            kind = offsets.get(heading.numbering.kind)
            if kind:
                level = max(1, level + max(kind, key=lambda offset: (kind[offset], -abs(offset))))
            elif heading.numbering.kind not in KINDS_ALWAYS_LEVELLED:
                level = None
        if depth is None and level is None and heading.style.size is None:
            level = heading.item.level
        levels.append(depth if depth is not None else level)
    return levels


def _contents_levels(headings: Sequence[Candidate]) -> list[int | None]:
    """Level by the printed contents where they show several; all None where they do not."""
    depths = [heading.contents.depth if heading.contents is not None else None for heading in headings]
    known = [depth for depth in depths if depth is not None]
    if len(known) < thresholds.MIN_CONTENTS or len(set(known)) < 2:
        return [None] * len(depths)
    return [None if depth is None else depth - min(known) + 1 for depth in depths]


def _steps(kinds: Counter[Kind], parts: bool, restarting_letters: bool) -> dict[Kind, int]:
    """Level of each kind of number, given which other kinds the document has."""
    top = 2 if parts else 1
    chapter, section, han = bool(kinds["chapter"]), bool(kinds["section"]), bool(kinds["han"])
    below = top + (1 if chapter or section else 0) + (1 if chapter and section else 0)
    steps: dict[Kind, int] = {
        "chapter": top,
        "appendix": 1,
        "item": top,
        "roman": top,
        "decimal": top,
        "section": top + (1 if chapter else 0),
        "letter": top + (1 if kinds["roman"] or (kinds["decimal"] and restarting_letters) else 0),
        "han": below,
        "han_bracket": below + (1 if han else 0),
        "bracket": top + sum(bool(kinds[kind]) for kind in ("roman", "letter", "decimal")),
        "note": top + 2,
    }
    return {"part": 1, **steps} if parts else steps


def _parts_on_top(headings: Sequence[Candidate]) -> bool:
    """Whether parts hold the other numbered headings: there are several, and the first stands before those."""
    found = [heading.numbering.kind for heading in headings if heading.numbering is not None]
    return found.count("part") >= 2 and found[0] == "part"


def _levels_above_plain(headings: Sequence[Candidate], kinds: Counter[Kind]) -> int:
    """How deep a plain ``1.`` stands below other schemes: Chinese numerals, roman and letters, items of a filing."""
    if kinds["han"] >= 2:
        return 1 + (1 if kinds["han_bracket"] else 0) + (1 if kinds["chapter"] or kinds["section"] else 0)
    if kinds["roman"] >= 2:
        return 1 + (1 if kinds["letter"] else 0)
    if kinds["letter"] >= 2 and _restarts(headings, "decimal") and not _restarts(headings, "letter"):
        return 1
    return 2 if kinds["item"] >= thresholds.MIN_FILING_ITEMS else 0


def _restarts(headings: Sequence[Candidate], kind: Kind) -> bool:
    """Whether the count of a kind begins anew: it counts inside something else."""
    numbers = [heading.numbering for heading in headings if heading.numbering is not None]
    return sum(number.kind == kind and number.values == (1,) for number in numbers) >= 2


def _style_levels(headings: Sequence[Candidate], levels: Sequence[int | None], body: BodyLook) -> dict[Style, int]:
    """A level for each style: the usual one of its known headings, else its rank among the styles."""
    usual = _usual_levels(headings, levels)
    title = _title_style(headings)
    result: dict[Style, int] = {}
    above = 0
    styles = dict.fromkeys(heading.style for heading in headings)
    for style in sorted(styles, key=lambda style: style.prominence, reverse=True):
        if style in usual:
            result[style] = usual[style]
        elif style == title:
            result[style] = 1
            continue
        else:
            lower = [
                level
                for other, level in usual.items()
                if other.prominence < style.prominence and (style.size is None or body.is_outranked(other))
            ]
            result[style] = max(1, min(above + 1, min(lower)) if lower else above + 1)
        above = max(above, result[style])
    return result


def _usual_levels(headings: Sequence[Candidate], levels: Sequence[int | None]) -> dict[Style, int]:
    """Levels of the styles that mostly are of one level; a few known ones of many say nothing about the rest."""
    known: dict[Style, Counter[int]] = defaultdict(Counter)
    total = Counter(heading.style for heading in headings)
    for heading, level in zip(headings, levels, strict=True):
        if level is not None:
            known[heading.style][level] += 1
    usual: dict[Style, int] = {}
    for style, count in known.items():
        if sum(count.values()) < thresholds.MIN_SHARE_KNOWN * total[style]:
            continue
        often = max(count, key=lambda level: (count[level], -level))
        usual[style] = often if len(count) <= 2 or 2 * count[often] > sum(count.values()) else min(count)
    return usual


def _title_style(headings: Sequence[Candidate]) -> Style | None:
    """The style of the document's title: the largest, used once, on the first pages."""
    if not headings:
        return None
    largest = max((heading.style for heading in headings), key=lambda style: style.prominence)
    users = [heading for heading in headings if heading.style == largest]
    alone = len(users) == 1 and len(headings) > 2 and users[0].item.page_idx <= 1
    return largest if alone and users[0] is headings[0] else None
