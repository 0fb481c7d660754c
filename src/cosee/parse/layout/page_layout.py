"""A raw page becomes layout blocks in reading order: figures and tables first, then columns, lines and text blocks."""

from __future__ import annotations

from dataclasses import dataclass, field

from cosee import geometry
from cosee.artifacts.documents.layout import LayoutBlock, Line
from cosee.parse.figures.caption_join import caption_between_columns
from cosee.parse.figures.figures import find_figures
from cosee.parse.layout import thresholds
from cosee.parse.layout.line_numbers import set_line_numbers_aside
from cosee.parse.layout.page_parts import PageParts, Part
from cosee.parse.layout.ticks import join_ticks
from cosee.parse.pdf.direction import is_rtl_page, mirror, mirror_back
from cosee.parse.pdf.page_model import PART, FigureFound, Fragment, RawPage, TableFound
from cosee.parse.tables.grid import find_rules
from cosee.parse.tables.tables import find_ruled

_ASIDE = {"background", "page_scan", "page_image", "decoration"}
"""Pictures that have no place in the reading order."""


@dataclass
class PageBlocks:
    """Blocks of one page, and for blocks to be cropped (by block index) the figure they come from."""

    blocks: list[LayoutBlock]
    figures: dict[int, FigureFound] = field(default_factory=dict)


def lay_out(page: RawPage, page_idx: int, *, with_tables: bool) -> PageBlocks:
    """Blocks of a page in reading order, ids ``b<page_idx>_<n>``; hidden and rotated text comes last."""
    set_line_numbers_aside(page)
    join_ticks(page)
    backwards = is_rtl_page(page)
    if backwards:
        mirror(page)
    result = _lay_out(page, page_idx, with_tables=with_tables)
    if backwards:
        mirror_back(page, result.blocks, list(result.figures.values()))
    return result


def _lay_out(page: RawPage, page_idx: int, *, with_tables: bool) -> PageBlocks:
    horizontal, vertical = find_rules(page.vectors) if with_tables else ([], [])
    tables = find_ruled(page.fragments, page.vectors, horizontal, vertical) if with_tables else []
    figures = find_figures(page, tables)
    taken = {n for table in tables for n in table.fragments} | {n for figure in figures for n in figure.fragments}
    free = [n for n, f in enumerate(page.fragments) if n not in taken and not f.hidden and not f.rotated]
    aside = [f for f in figures if _ASIDE & set(f.flags)]
    floats: list[TableFound | FigureFound] = [*tables, *(f for f in figures if not _ASIDE & set(f.flags))]
    captions = {id(figure): caption_between_columns(page, free, figure) for figure in floats}
    apart = {n for caption in captions.values() for n in caption}
    free = [n for n in free if n not in apart]
    parts = PageParts(page, free, floats, horizontal if with_tables else None).ordered()
    result = PageBlocks([])
    for part in [*aside, *parts]:
        add_part(result, page, page_idx, part)
        if caption := captions.get(id(part)):
            add_part(result, page, page_idx, caption)
    for flag, members in _set_aside(page, taken):
        _add_text(result, page_idx, [page.fragments[n] for n in members], [flag])
    most = thresholds.MAX_BLOCKS
    if len(result.blocks) > most:
        del result.blocks[most:]
        result.figures = {n: f for n, f in result.figures.items() if n < most}
        page.flags.append("truncated")
    return result


def _set_aside(page: RawPage, taken: set[int]) -> list[tuple[str, list[int]]]:
    reasons: dict[str, list[int]] = {"rotated": [], "hidden": []}
    for n, fragment in enumerate(page.fragments):
        if n not in taken and (fragment.hidden or fragment.rotated):
            reasons.setdefault((fragment.hidden_reason or "hidden") if fragment.hidden else "rotated", []).append(n)
    groups: list[tuple[str, list[int]]] = []
    for flag, members in reasons.items():
        boxes = [page.fragments[n].bbox for n in members]
        groups += [(flag, [members[i] for i in group]) for group in geometry.clusters(boxes, thresholds.ASIDE_DISTANCE)]
    return groups


def add_part(result: PageBlocks, page: RawPage, page_idx: int, part: Part) -> None:
    """Append the block of a table, a figure or some fragments of text, and those of a picture's strips or tiles."""
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
        block.chart = part.chart
        result.figures[len(result.blocks)] = part
    _tell_sources(block, inside)
    result.blocks.append(block)
    for box in part.parts if isinstance(part, FigureFound) and part.crop else ():
        place = geometry.rounded(geometry.clamp(box, page.bbox))
        result.blocks.append(
            LayoutBlock(id=f"b{page_idx}_{len(result.blocks)}", kind="image", bbox=place, flags=[PART])
        )


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
    _tell_sources(block, fragments)
    if fragments[0].formula:
        block.flags.append("formula")
        block.latex = fragments[0].latex
    result.blocks.append(block)


def _tell_sources(block: LayoutBlock, fragments: list[Fragment]) -> None:
    """Flag what was recognised, how far it can be trusted, and what comes from annotations and form fields."""
    block.flags += sorted({fragment.source for fragment in fragments if fragment.source})
    if not any(fragment.ocr for fragment in fragments):
        return
    block.flags.append("ocr")
    known = [(f.confidence, len(f.text)) for f in fragments if f.confidence is not None]
    if known:
        block.confidence = round(sum(c * n for c, n in known) / max(sum(n for _, n in known), 1), 4)
        if block.confidence < thresholds.LOW_CONFIDENCE:
            block.flags.append("low_confidence")


def _lines(fragments: list[Fragment]) -> list[Line]:
    """Fragments as lines; those of one baseline become one line, in their own order."""
    lines: list[Line] = []
    last: Fragment | None = None
    for fragment in fragments:
        box = fragment.bbox
        low = min(geometry.height(box), geometry.height(last.bbox)) if last else 0.0
        same = (
            last is not None
            and not fragment.rotated
            and geometry.overlap_length_y(last.bbox, box) >= thresholds.SAME_LINE * max(low, 0.1)
            and box[0] >= last.bbox[0]
        )
        if same and last is not None:
            line = lines[-1]
            spaced = box[0] - last.bbox[2] >= thresholds.TOUCHING * geometry.height(box)
            if last.space_after or fragment.space_before or spaced:
                line.spans[-1] = line.spans[-1].model_copy(update={"text": line.spans[-1].text + " "})
            line.spans += fragment.spans
            line.bbox = geometry.rounded(geometry.union((line.bbox, box)))
        else:
            lines.append(Line(bbox=geometry.rounded(box), spans=list(fragment.spans)))
        last = fragment
    return lines
