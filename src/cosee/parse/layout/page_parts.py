"""The parts of a page in reading order: blocks of text, tables and figures, boxes with text of their own."""

from __future__ import annotations

import re
from statistics import median

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.layout import thresholds
from cosee.parse.layout.enclosures import find_enclosures, horizontal_rules
from cosee.parse.layout.gutters import Atom
from cosee.parse.layout.reading_order import reading_order
from cosee.parse.pdf.formulas import FORMULA_NUMBER, fraction_bars, with_formulas
from cosee.parse.pdf.page_model import FigureFound, Fragment, RawPage, Rule, TableFound
from cosee.parse.tables.columns import find_aligned
from cosee.parse.tables.text import is_numeric
from cosee.text.caption_words import CAPTION, PART_LABEL

Part = list[int] | TableFound | FigureFound
"""Fragments of a text block, or a float."""


class PageParts:
    """Puts the free fragments (indexes) and the floats of a page in order.

    Borderless tables are looked for where ``table_rules``, the page's horizontal ones, are given.
    """

    def __init__(
        self, page: RawPage, free: list[int], floats: list[TableFound | FigureFound], table_rules: list[Rule] | None
    ) -> None:
        self.fragments = page.fragments
        self.page = page
        self.free = free
        self.floats = floats
        self.table_rules = table_rules
        boxes = [found.bbox for found in floats]
        self.atoms = [_atom(page.fragments[n]) for n in free] + [Atom(box) for box in boxes]
        self.rules = horizontal_rules(page.vectors, boxes)
        self.bars = fraction_bars(page.vectors)

    def ordered(self) -> list[Part]:
        """Every free fragment and float once."""
        return self._arranged(list(range(len(self.atoms))), 0)

    def _arranged(self, indexes: list[int], depth: int) -> list[Part]:
        """Parts made of some atoms; a box drawn around text takes part as one float and is ordered by itself."""
        atoms = [self.atoms[i] for i in indexes]
        floats = [found.bbox for found in self.floats]
        boxes = (
            find_enclosures(self.page.vectors, self.page.bbox, atoms, floats) if depth < thresholds.MAX_NESTING else []
        )
        held = {i for _, inside in boxes for i in inside}
        outside = [i for i in range(len(atoms)) if i not in held]
        outer = [atoms[i] for i in outside] + [Atom(box, enclosure=True) for box, _ in boxes]
        parts: list[Part] = []
        regions = reading_order(outer, self.rules)
        for region in _tables_whole(outer, regions) if self.table_rules is not None else regions:
            texts = [n for n in region if outer[n].is_text]
            placed: dict[int, list[Part]] = {}
            for n in region:
                if n >= len(outside):
                    inside = boxes[n - len(outside)][1]
                    placed[n] = self._arranged([indexes[i] for i in inside], depth + 1)
                elif not outer[n].is_text:
                    placed[n] = [self.floats[indexes[outside[n]] - len(self.free)]]
            parts += self._region(region, {n: self.free[indexes[outside[n]]] for n in texts}, placed, outer)
        return parts

    def _region(
        self, region: list[int], texts: dict[int, int], placed: dict[int, list[Part]], atoms: list[Atom]
    ) -> list[Part]:
        """Parts of a region in order; a float beside lines of text waits for the end of their block."""
        fragments = [texts[n] for n in region if n in texts]
        rules = self.table_rules
        enough = len(fragments) >= thresholds.MIN_ALIGNED
        found = find_aligned(self.fragments, fragments, rules) if rules is not None and enough else []
        swallowed = {n: table for table in found for n in table.fragments}
        parts: list[Part] = []
        run: list[int] = []
        waiting: list[tuple[BBox, list[Part]]] = []
        done: set[int] = set()
        for position, n in enumerate(region):
            table = swallowed.get(texts[n]) if n in texts else None
            if n in texts and table is None:
                run.append(texts[n])
                continue
            if table is None and self._is_beside(atoms[n].bbox, run, region[position + 1 :], texts):
                waiting.append((atoms[n].bbox, placed[n]))
                continue
            if table is not None and id(table) in done:
                continue
            parts += self._blocks(run, waiting)
            run, waiting = [], []
            parts += placed[n] if table is None else [table]
            done.add(id(table))
        return parts + self._blocks(run, waiting)

    def _is_beside(self, box: BBox, run: list[int], following: list[int], texts: dict[int, int]) -> bool:
        """Whether text before and after a float stands beside or upon it, so that it would cut lines apart."""
        after = next((texts[n] for n in following if n in texts), None)
        if not run or after is None:
            return False
        around = [self.fragments[run[-1]].bbox, self.fragments[after].bbox]
        return all(geometry.overlap_length_y(box, other) > 0 for other in around)

    def _blocks(self, run: list[int], waiting: list[tuple[BBox, list[Part]]]) -> list[Part]:
        """Blocks of a run of text, each float that waits behind the block at the height of its middle."""
        parts: list[Part] = []
        left = sorted(waiting, key=lambda each: each[0][1] + each[0][3])
        for block in _text_parts(self.fragments, with_formulas(self.fragments, run, self.bars)):
            parts.append(block)
            bottom = max(self.fragments[n].bbox[3] for n in block)
            while left and left[0][0][1] + left[0][0][3] <= 2 * bottom:
                parts += left.pop(0)[1]
        return parts + [part for _, each in left for part in each]


def _atom(fragment: Fragment) -> Atom:
    text = fragment.text
    return Atom(fragment.bbox, max(1, text.count(" ") + 1), len(text) < thresholds.NUMERIC_LENGTH and is_numeric(text))


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
    if not last or not first or atoms[first[0]].numeric:
        return False
    ends, lower_ends = ([atoms[i].bbox[2] for i in row if atoms[i].numeric] for row in (last, first))
    if min(len(ends), len(lower_ends)) < thresholds.MIN_NUMBERS:
        return False
    if any(min(abs(x - other) for other in ends) >= thresholds.SAME_COLUMN for x in lower_ends):
        return False
    one, other = (geometry.union(atoms[i].bbox for i in row) for row in (last, first))
    near = 0 <= other[1] - one[3] <= thresholds.ROW_GAP * geometry.height(other)
    return near and abs(one[0] - other[0]) < thresholds.SAME_LABEL


def _edge_row(atoms: list[Atom], region: list[int], step: int) -> list[int]:
    """The topmost (1) or lowest (-1) row of a region, from left to right; empty where a float stands there."""
    middles = {i: (atoms[i].bbox[1] + atoms[i].bbox[3]) / 2 for i in region}
    edge = min(middles.values()) if step > 0 else max(middles.values())
    row = sorted((i for i in region if abs(middles[i] - edge) <= thresholds.ROW_EDGE), key=lambda i: atoms[i].bbox[0])
    return row if all(atoms[i].is_text for i in row) else []


def _text_parts(fragments: list[Fragment], run: list[int]) -> list[list[int]]:
    """Fragments of one region in order, cut into blocks at formulas and at gaps wider than those between lines."""
    if not run:
        return []
    lines = _line_groups(fragments, run)
    boxes = [geometry.union(fragments[n].bbox for n in line) for line in lines]
    gaps = [boxes[n + 1][1] - boxes[n][3] for n in range(len(lines) - 1)]
    heights = [geometry.height(box) for box in boxes]
    close = [gap for gap, high in zip(gaps, heights, strict=False) if gap < thresholds.CLOSE_GAP * high]
    usual = median(close) if close else 0.0
    parts = [list(lines[0])]
    for n, line in enumerate(lines[1:]):
        limit = usual + thresholds.PARAGRAPH_GAP * min(heights[n], heights[n + 1])
        beside = gaps[n] < -thresholds.STEP_BACK * heights[n]
        formula = fragments[line[0]].formula or fragments[parts[-1][-1]].formula
        if gaps[n] > max(limit, thresholds.MIN_PARAGRAPH_GAP) or beside or formula:
            parts.append([])
        parts[-1].extend(line)
    return parts


def _line_groups(fragments: list[Fragment], run: list[int]) -> list[list[int]]:
    """Consecutive fragments that share a baseline."""
    groups: list[list[int]] = []
    for n in run:
        if groups and _is_one_line(fragments[groups[-1][-1]], fragments[n]):
            groups[-1].append(n)
        else:
            groups.append([n])
    return groups


def _is_one_line(last: Fragment, fragment: Fragment) -> bool:
    low = min(geometry.height(last.bbox), geometry.height(fragment.bbox))
    shared = geometry.overlap_length_y(last.bbox, fragment.bbox)
    if shared < thresholds.SAME_LINE * low or fragment.bbox[0] < last.bbox[0] or last.formula or fragment.formula:
        return False
    gap, text = fragment.bbox[0] - last.bbox[2], fragment.text
    far = gap > thresholds.SAME_LINE_GAP * low and " " in text and fragment.source != "form_value"
    if far and not re.fullmatch(FORMULA_NUMBER, last.text):
        return False
    return not (CAPTION.match(text) or (gap > thresholds.PART_LABEL_GAP * low and PART_LABEL.match(text)))
