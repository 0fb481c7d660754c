"""A raw page becomes layout blocks in reading order: figures and tables first, then columns, lines and text blocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median

from cosee.adapter import geometry
from cosee.adapter.caption_join import CAPTION
from cosee.adapter.direction import is_rtl_page, mirror, mirror_back, turn_back
from cosee.adapter.figures import find_figures
from cosee.adapter.gutters import Atom
from cosee.adapter.page_model import FigureFound, Fragment, RawPage, Rule, TableFound
from cosee.adapter.reading_order import reading_order
from cosee.adapter.table_columns import find_aligned
from cosee.adapter.table_grid import find_rules
from cosee.adapter.table_text import is_numeric
from cosee.adapter.tables import find_ruled
from cosee.artifacts.base import BBox
from cosee.artifacts.layout import LayoutBlock, Line, Span

MAX_GAP = 8.0
"""Text further to the right than this many line heights is not the same line."""
MAX_BLOCKS = 3_000
"""Blocks kept of one page; more is recorded as ``truncated``."""


_ASIDE = {"background", "page_scan", "page_image", "decoration"}
"""Pictures that have no place in the reading order."""


@dataclass
class PageBlocks:
    """Blocks of one page, and for blocks to be cropped (by block index) the figure they come from."""

    blocks: list[LayoutBlock]
    figures: dict[int, FigureFound] = field(default_factory=dict)


def lay_out(page: RawPage, page_idx: int, *, with_tables: bool) -> PageBlocks:
    """Blocks of a page in reading order, ids ``b<page_idx>_<n>``; hidden and rotated text comes last."""
    mirrored = is_rtl_page(page)
    if mirrored:
        mirror(page)
    result = _lay_out(page, page_idx, with_tables=with_tables)
    if mirrored:
        mirror_back(page, result.blocks, list(result.figures.values()))
    if page.turn:
        turn_back(page, result.blocks, list(result.figures.values()))
    return result


def _lay_out(page: RawPage, page_idx: int, *, with_tables: bool) -> PageBlocks:
    horizontal, vertical = find_rules(page.vectors) if with_tables else ([], [])
    tables = find_ruled(page.fragments, page.vectors, horizontal, vertical) if with_tables else []
    figures = find_figures(page, tables)
    taken = {n for table in tables for n in table.fragments} | {n for figure in figures for n in figure.fragments}
    free = [n for n, f in enumerate(page.fragments) if n not in taken and not f.hidden and not f.rotated]
    aside = [f for f in figures if _ASIDE & set(f.flags)]
    floats: list[TableFound | FigureFound] = [*tables, *(f for f in figures if not _ASIDE & set(f.flags))]
    parts = _ordered(page, free, floats, horizontal if with_tables else None)
    result = PageBlocks([])
    for part in [*aside, *parts]:
        _add(result, page, page_idx, part)
    for flag, members in _set_aside(page, taken):
        _add_text(result, page_idx, [page.fragments[n] for n in members], [flag])
    if len(result.blocks) > MAX_BLOCKS:
        del result.blocks[MAX_BLOCKS:]
        result.figures = {n: f for n, f in result.figures.items() if n < MAX_BLOCKS}
        page.flags.append("truncated")
    return result


Part = list[int] | TableFound | FigureFound
"""Fragments of a text block, or a float."""


def _ordered(
    page: RawPage, free: list[int], floats: list[TableFound | FigureFound], rules: list[Rule] | None
) -> list[Part]:
    """The page's parts in reading order; borderless tables are looked for where ``rules`` (horizontal) are given."""
    fragments = page.fragments
    atoms = [_atom(fragments[n]) for n in free]
    atoms += [Atom(found.bbox) for found in floats]
    parts: list[Part] = []
    for region in _tables_whole(atoms, reading_order(atoms)) if rules is not None else reading_order(atoms):
        texts = [free[i] for i in region if i < len(free)]
        found = find_aligned(fragments, texts, rules) if rules is not None and len(texts) >= 4 else []
        swallowed = {n: table for table in found for n in table.fragments}
        placed: set[int] = set()
        run: list[int] = []
        for i in region:
            item = floats[i - len(free)] if i >= len(free) else swallowed.get(free[i])
            if item is None:
                run.append(free[i])
                continue
            if id(item) not in placed:
                placed.add(id(item))
                parts += _text_parts(fragments, run)
                run = []
                parts.append(item)
        parts += _text_parts(fragments, run)
    return parts


def _atom(fragment: Fragment) -> Atom:
    text = fragment.text
    return Atom(fragment.bbox, max(1, text.count(" ") + 1), len(text) < 24 and is_numeric(text))


def _tables_whole(atoms: list[Atom], regions: list[list[int]]) -> list[list[int]]:
    """The regions, with those joined between which only an empty row of one table lies.

    Below the gap a row of data follows (a label and as many numbers as above): no new header, no new table.
    """
    joined: list[list[int]] = []
    for region in regions:
        if joined and _goes_on(atoms, joined[-1], region):
            joined[-1] = joined[-1] + region
        else:
            joined.append(region)
    return joined


def _goes_on(atoms: list[Atom], above: list[int], below: list[int]) -> bool:
    last, first = _edge_row(atoms, above, -1), _edge_row(atoms, below, 1)
    if not last or not first or sum(atoms[i].numeric for i in first) < 2 or atoms[first[0]].numeric:
        return False
    if sum(atoms[i].numeric for i in last) < 2:
        return False
    ends = [[atoms[i].bbox[2] for i in row if atoms[i].numeric] for row in (last, first)]
    hits = sum(1 for x in ends[1] if any(abs(x - other) < 14.0 for other in ends[0]))
    one, other = (geometry.union(atoms[i].bbox for i in row) for row in (last, first))
    return (
        hits == len(ends[1]) and 0 <= other[1] - one[3] <= 2.2 * geometry.height(other) and abs(one[0] - other[0]) < 24
    )


def _edge_row(atoms: list[Atom], region: list[int], step: int) -> list[int]:
    """The topmost (1) or lowest (-1) row of a region, from left to right; empty where a float stands there."""
    middles = {i: (atoms[i].bbox[1] + atoms[i].bbox[3]) / 2 for i in region}
    edge = min(middles.values()) if step > 0 else max(middles.values())
    row = sorted((i for i in region if abs(middles[i] - edge) <= 3.0), key=lambda i: atoms[i].bbox[0])
    return row if all(atoms[i].is_text for i in row) else []


def _set_aside(page: RawPage, taken: set[int]) -> list[tuple[str, list[int]]]:
    hidden = [n for n, f in enumerate(page.fragments) if f.hidden and not f.noise and n not in taken]
    noise = [n for n, f in enumerate(page.fragments) if f.noise and n not in taken]
    rotated = [n for n, f in enumerate(page.fragments) if f.rotated and not f.hidden and n not in taken]
    groups: list[tuple[str, list[int]]] = []
    for flag, members in (("rotated", rotated), ("hidden", hidden), ("ocr_noise", noise)):
        boxes = [page.fragments[n].bbox for n in members]
        groups += [(flag, [members[i] for i in group]) for group in geometry.clusters(boxes, 6.0)]
    return groups


def _text_parts(fragments: list[Fragment], run: list[int]) -> list[Part]:
    """Fragments of one region in order, cut into blocks where the vertical gap is wider than between lines."""
    if not run:
        return []
    lines = _line_groups(fragments, run)
    boxes = [geometry.union(fragments[n].bbox for n in line) for line in lines]
    gaps = [boxes[n + 1][1] - boxes[n][3] for n in range(len(lines) - 1)]
    heights = [geometry.height(box) for box in boxes]
    close = [gap for gap, high in zip(gaps, heights, strict=False) if gap < 0.8 * high]
    usual = median(close) if close else 0.0
    parts: list[Part] = [list(lines[0])]
    for n, line in enumerate(lines[1:]):
        limit = usual + 0.35 * min(heights[n], heights[n + 1])
        beside = gaps[n] < -0.5 * heights[n]
        apart = gaps[n] > max(limit, 1.0) or beside
        if apart:
            parts.append([])
        part = parts[-1]
        assert isinstance(part, list)
        part.extend(line)
    return parts


def _line_groups(fragments: list[Fragment], run: list[int]) -> list[list[int]]:
    """Consecutive fragments that share a baseline."""
    groups: list[list[int]] = []
    for n in run:
        if groups:
            last = fragments[groups[-1][-1]].bbox
            box = fragments[n].bbox
            low = min(geometry.height(last), geometry.height(box))
            same = geometry.overlap_y(last, box) >= 0.5 * low and box[0] >= last[0]
            far = box[0] - last[2] > MAX_GAP * low and fragments[n].text.count(" ") >= 1
            if same and not far and not CAPTION.match(fragments[n].text):
                groups[-1].append(n)
                continue
        groups.append([n])
    return groups


def _add(result: PageBlocks, page: RawPage, page_idx: int, part: Part) -> None:
    if isinstance(part, list):
        _add_text(result, page_idx, [page.fragments[n] for n in part], [])
        return
    inside = [page.fragments[n] for n in sorted(part.fragments)]
    block = LayoutBlock(
        id=f"b{page_idx}_{len(result.blocks)}",
        kind="table" if isinstance(part, TableFound) else "image" if part.kind == "image" else "drawing",
        bbox=geometry.rounded(geometry.clamp(part.bbox, page.bbox)),
        lines=_lines(inside),
        rows=part.rows if isinstance(part, TableFound) else None,
        spans=part.spans if isinstance(part, TableFound) else [],
        flags=["ruled"] * part.ruled if isinstance(part, TableFound) else sorted(part.flags),
    )
    if isinstance(part, FigureFound):
        result.figures[len(result.blocks)] = part
    if any(fragment.ocr for fragment in inside):
        block.flags.append("ocr")
        block.confidence = _confidence(inside)
    result.blocks.append(block)


def _add_text(result: PageBlocks, page_idx: int, fragments: list[Fragment], flags: list[str]) -> None:
    if not fragments:
        return
    lines = _lines(fragments)
    block = LayoutBlock(
        id=f"b{page_idx}_{len(result.blocks)}",
        kind="text",
        bbox=geometry.rounded(geometry.union(line.bbox for line in lines)),
        lines=lines,
        flags=flags,
    )
    if any(fragment.ocr for fragment in fragments):
        block.flags.append("ocr")
        block.confidence = _confidence(fragments)
    result.blocks.append(block)


def _confidence(fragments: list[Fragment]) -> float | None:
    values = [f.confidence for f in fragments if f.confidence is not None]
    return round(sum(values) / len(values), 4) if values else None


def _lines(fragments: list[Fragment]) -> list[Line]:
    """Fragments as lines; those of one baseline become one line, in their own order."""
    lines: list[Line] = []
    last: BBox | None = None
    for fragment in fragments:
        low = min(geometry.height(fragment.bbox), geometry.height(last)) if last else 0.0
        same = (
            last is not None
            and not fragment.rotated
            and geometry.overlap_y(last, fragment.bbox) >= 0.5 * max(low, 0.1)
            and fragment.bbox[0] >= last[0]
        )
        if same:
            line = lines[-1]
            if not _touching(last, fragment.bbox):
                line.spans[-1] = line.spans[-1].model_copy(update={"text": line.spans[-1].text + " "})
            line.spans += fragment.spans
            line.bbox = geometry.rounded(geometry.union((line.bbox, fragment.bbox)))
        else:
            lines.append(Line(bbox=geometry.rounded(fragment.bbox), spans=_copied(fragment.spans)))
        last = fragment.bbox
    return lines


def _copied(spans: list[Span]) -> list[Span]:
    return list(spans)


def _touching(one: BBox | None, other: BBox) -> bool:
    """Whether two pieces of a line are so close that no space stands between them."""
    return one is not None and other[0] - one[2] < 0.1 * geometry.height(other)
