"""How deep each line of a printed table of contents stands: by its number, its indent, or its look."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cosee.artifacts.documents.content import ContentItem
from cosee.structure.headings import thresholds
from cosee.structure.headings.style import Style, style_of
from cosee.text.numbering import parse_numbering


@dataclass(frozen=True)
class ContentsEntry:
    """One line of a printed table of contents. ``depth`` from 1 where numbering, indent or look tells it."""

    title: str
    page: str | None
    depth: int | None = None


@dataclass
class PlacedEntry:
    """An entry with the item that it was read from, when it is the item's only one."""

    entry: ContentsEntry
    item: ContentItem | None = None


def join_hanging(placed: Sequence[PlacedEntry]) -> list[PlacedEntry]:
    """Entries whose title fills several lines as one: only the last of them ends in the page number."""
    joined: list[PlacedEntry] = []
    for one in placed:
        if joined and _goes_on(joined[-1], one):
            title = f"{joined[-1].entry.title} {one.entry.title}"
            joined[-1].entry = replace(joined[-1].entry, title=title, page=one.entry.page)
        else:
            joined.append(PlacedEntry(one.entry, one.item))
    return joined


def _goes_on(first: PlacedEntry, second: PlacedEntry) -> bool:
    """Whether ``second`` is the next line of ``first``: no new number, same look, hanging or in mid-sentence."""
    if first.entry.page is not None or first.item is None or second.item is None:
        return False
    if first.item.page_idx != second.item.page_idx or parse_numbering(second.entry.title) is not None:
        return False
    if style_of(first.item)._replace(upper=False) != style_of(second.item)._replace(upper=False):
        return False
    gap = second.item.bbox[1] - first.item.bbox[3]
    if not 0 <= gap + thresholds.ENTRY_LINE_OVERLAP < thresholds.MAX_ENTRY_LINE_STEP:
        return False
    return second.entry.title[:1].islower() or second.item.bbox[0] > first.item.bbox[0] + thresholds.SAME_INDENT / 2


def with_depths(placed: Sequence[PlacedEntry]) -> list[ContentsEntry]:
    """The entries with their depth; None where nothing tells it."""
    numbers = [_decimal_depth(one.entry.title) for one in placed]
    ranks = _indent_ranks(placed)
    if len(set(rank for rank in ranks if rank is not None)) <= 1:
        ranks = _look_ranks(placed)
    of_rank = _depth_of_rank(ranks, numbers)
    depths = [
        number if number is not None else None if rank is None else of_rank.get(rank)
        for number, rank in zip(numbers, ranks, strict=True)
    ]
    depths = _below_parts(placed, depths)
    return [replace(one.entry, depth=depth) for one, depth in zip(placed, depths, strict=True)]


def _below_parts(placed: Sequence[PlacedEntry], depths: Sequence[int | None]) -> list[int | None]:
    """Depths one deeper for what stands below parts (``Part I``) that are set as far left as the rest."""
    numbers = [parse_numbering(one.entry.title) for one in placed]
    parts = [n for n, number in enumerate(numbers) if number is not None and number.kind == "part"]
    if len(parts) < 2:
        return list(depths)
    outer = depths[parts[0]]
    flush = any(depth == outer for n, depth in enumerate(depths) if n > parts[0] and n not in parts)
    return [
        depth if depth is None or n < parts[0] or n in parts or not flush else depth + 1
        for n, depth in enumerate(depths)
    ]


def _decimal_depth(title: str) -> int | None:
    numbering = parse_numbering(title)
    return numbering.depth if numbering is not None and numbering.kind == "decimal" else None


def _indent_ranks(placed: Sequence[PlacedEntry]) -> list[int | None]:
    """0 for the leftmost edge of its page or column, 1 for the next, and so on."""
    groups: dict[tuple[int, bool], list[float]] = defaultdict(list)
    columns = _in_right_column(placed)
    for one, column in zip(placed, columns, strict=True):
        if one.item is not None:
            groups[one.item.page_idx, column].append(one.item.bbox[0])
    steps = {key: _distinct(edges) for key, edges in groups.items()}
    base = {key: edges[0] for key, edges in steps.items()}
    widths = sorted({round(edge - base[key], 4) for key, edges in steps.items() for edge in edges})
    levels = _distinct(widths)
    ranks: list[int | None] = []
    for one, column in zip(placed, columns, strict=True):
        if one.item is None:
            ranks.append(None)
            continue
        indent = one.item.bbox[0] - base[one.item.page_idx, column]
        ranks.append(
            sum(indent > level - thresholds.SAME_INDENT / 2 for level in levels[1:])
            if len(levels) <= thresholds.MOST_INDENTS
            else None
        )
    return ranks


def _in_right_column(placed: Sequence[PlacedEntry]) -> list[bool]:
    """Whether each entry stands in the right one of two columns."""
    ends = [one.item.bbox[2] for one in placed if one.item is not None]
    if not ends or min(ends) > thresholds.LEFT_COLUMN_END:
        return [False] * len(placed)
    return [one.item is not None and one.item.bbox[0] >= thresholds.RIGHT_COLUMN_START for one in placed]


def _distinct(values: Sequence[float]) -> list[float]:
    """The values that are further apart than one indent, ascending."""
    kept: list[float] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > thresholds.SAME_INDENT:
            kept.append(value)
    return kept


def _look_ranks(placed: Sequence[PlacedEntry]) -> list[int | None]:
    """Rank of each entry's look, the most prominent first, where a few looks share all entries."""
    looks: list[Style | None] = [None if one.item is None else style_of(one.item) for one in placed]
    order = sorted({look.prominence for look in looks if look is not None}, reverse=True)
    if not 2 <= len(order) <= thresholds.MOST_LOOKS:
        return [0 if look is not None else None for look in looks]
    return [None if look is None else order.index(look.prominence) for look in looks]


def _depth_of_rank(ranks: Sequence[int | None], numbers: Sequence[int | None]) -> dict[int, int]:
    """Depth for each rank: that of most decimal numbers on it, else one more than the rank before."""
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    for rank, number in zip(ranks, numbers, strict=True):
        if rank is not None:
            votes[rank].update([number] if number is not None else [])
    if len(votes) <= 1 and not any(votes.values()):
        return dict.fromkeys(votes, 1) if votes else {}
    depths: dict[int, int] = {}
    above = 0
    for rank in sorted(votes):
        usual = max(votes[rank], key=lambda depth: (votes[rank][depth], -depth)) if votes[rank] else above + 1
        depths[rank] = max(1, min(usual, above + 1))
        above = depths[rank]
    return depths
