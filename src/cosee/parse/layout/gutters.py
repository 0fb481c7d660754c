"""Gutters: vertical strips that hardly any text crosses while text columns stand on both sides."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.layout import thresholds
from cosee.parse.layout.thresholds import MIN_LINES


@dataclass(frozen=True, slots=True)
class Atom:
    """A box to be ordered. ``words`` is 0 for a float (table, figure); ``numeric`` marks a number alone,
    ``enclosure`` a box drawn around text."""

    bbox: BBox
    words: int = 0
    numeric: bool = False
    enclosure: bool = False

    @property
    def is_text(self) -> bool:
        """Whether this is a fragment of text."""
        return self.words > 0


def text_indexes(atoms: list[Atom], indexes: list[int]) -> list[int]:
    """Those that are fragments of text."""
    return [i for i in indexes if atoms[i].words > 0]  # asked most often of all, so that ``is_text`` takes time


def line_height(atoms: list[Atom], indexes: list[int]) -> float:
    """Median height of the text among ``indexes``, in points."""
    heights = [geometry.height(atoms[i].bbox) for i in text_indexes(atoms, indexes)]
    return max(median(heights), 1.0) if heights else thresholds.DEFAULT_LINE


def best_gutter(atoms: list[Atom], indexes: list[int]) -> tuple[float, float] | None:
    """The strip ``(x0, x1)`` that separates columns, or None."""
    texts = text_indexes(atoms, indexes)
    if len(texts) < 2 * MIN_LINES:
        return None
    line = line_height(atoms, texts)
    best: tuple[float, tuple[float, float]] | None = None
    for strip, margin in _strips(atoms, texts, minimum=thresholds.GUTTER_WIDTH * line):
        score = gutter_score(atoms, texts, strip, line, margin=margin)
        if score is not None and (best is None or score > best[0]):
            best = score, strip
    return best[1] if best else None


def float_gutter(atoms: list[Atom], indexes: list[int]) -> tuple[float, float] | None:
    """The strip between a column of text and one that a table or figure fills, or None.

    At least three lines of running text stand beside the float, and hardly a line of the region crosses the strip:
    else the text only flows around the float.
    """
    texts = text_indexes(atoms, indexes)
    if len(texts) < MIN_LINES:
        return None
    line = line_height(atoms, texts)
    for i in indexes:
        box = atoms[i].bbox
        if atoms[i].is_text or atoms[i].enclosure or geometry.height(box) < MIN_LINES * line:
            continue
        beside = [j for j in texts if geometry.overlap_length_y(atoms[j].bbox, box) > 0]
        left = [j for j in beside if atoms[j].bbox[2] <= box[0] + thresholds.EDGE_TOLERANCE]
        right = [j for j in beside if atoms[j].bbox[0] >= box[2] - thresholds.EDGE_TOLERANCE]
        for side, is_left in ((left, True), (right, False)):
            if len(_baselines(atoms, side)) < MIN_LINES or len(side) + 1 < len(beside):
                continue
            column = geometry.union(atoms[j].bbox for j in side)
            strip = (column[2], box[0]) if is_left else (box[2], column[0])
            crossing = sum(1 for j in texts if atoms[j].bbox[0] < strip[0] and atoms[j].bbox[2] > strip[1])
            if (
                strip[1] - strip[0] >= thresholds.GUTTER_WIDTH * line
                and crossing <= thresholds.FLOAT_CROSSING * len(texts)
                and _fill(atoms, side, column, line) >= thresholds.PROSE_FILL
            ):
                return strip
    return None


def _strips(atoms: list[Atom], texts: list[int], minimum: float) -> list[tuple[tuple[float, float], bool]]:
    """Vertical strips that few boxes cover, from a sweep over their left and right edges.

    With each goes whether few boxes stand between it and the edge, as beside notes in the margin.
    """
    events: list[tuple[float, float]] = []
    for i in texts:
        box = atoms[i].bbox
        events += [(box[0], geometry.height(box)), (box[2], -geometry.height(box))]
    events.sort()
    few = thresholds.GUTTER_COVERED * sum(geometry.height(atoms[i].bbox) for i in texts)
    strips: list[tuple[tuple[float, float], bool]] = []
    covered, start, margin = 0.0, events[0][0], True
    for x, change in events:
        low_before = covered <= few
        covered += change
        low_after = covered <= few
        if low_after and not low_before:
            start = x
        elif low_before and not low_after:
            if x - start >= minimum:
                strips += [(strip, margin) for strip in _narrowest(atoms, texts, start, x, minimum)]
            margin = False
    end = events[-1][0]
    if end - start >= 2 * minimum:
        strips += [(strip, True) for strip in _narrowest(atoms, texts, start, end, minimum)]
    return strips


def _narrowest(atoms: list[Atom], texts: list[int], x0: float, x1: float, minimum: float) -> list[tuple[float, float]]:
    """Inside a sparsely covered strip, the sub-strips with the fewest crossings."""
    edges = sorted({x0, x1, *(x for i in texts for x in (atoms[i].bbox[0], atoms[i].bbox[2]) if x0 < x < x1)})
    counted = [
        (sum(1 for i in texts if atoms[i].bbox[0] < (a + b) / 2 < atoms[i].bbox[2]), a, b)
        for a, b in zip(edges, edges[1:], strict=False)
        if b - a >= minimum
    ]
    counted.sort(key=lambda item: (item[0], item[1] - item[2]))
    return [(a, b) for _, a, b in counted[: thresholds.NARROWEST_STRIPS]]


def gutter_score(
    atoms: list[Atom], texts: list[int], strip: tuple[float, float], line: float, *, margin: bool = False
) -> float | None:
    """How good a gutter ``strip`` is for the fragments ``texts`` (higher is better), or None when it is none.

    One beside the ``margin`` has to part notes from running text.
    """
    middle = (strip[0] + strip[1]) / 2
    left = [i for i in texts if atoms[i].bbox[2] <= middle]
    right = [i for i in texts if atoms[i].bbox[0] >= middle]
    crossing = len(texts) - len(left) - len(right)
    rows = min(len(_baselines(atoms, left)), len(_baselines(atoms, right)))
    fewest = 1 if margin else MIN_LINES
    if rows < fewest or crossing > thresholds.CROSSING * rows + 1:
        return None
    left_box, right_box = (geometry.union(atoms[i].bbox for i in side) for side in (left, right))
    shared = geometry.overlap_length_y(left_box, right_box)
    noted = not crossing and shared > 0 and _notes_beside(atoms, left, right, line, margin=margin)
    if noted or margin:
        return thresholds.NOTES_SCORE * shared if noted else None
    column = not crossing and _column_beside(atoms, left, right, line)
    if shared < thresholds.MIN_SHARED_LINES * line or (
        2 * sum(atoms[i].numeric for i in right) > len(right) and not column
    ):
        return None
    prose = min(
        max(_fill(atoms, left, left_box, line), _fill_beside(atoms, left, -1, line)),
        max(_fill(atoms, right, right_box, line), _fill_beside(atoms, right, 1, line)),
    )
    aligned = _aligned(atoms, left, right, line)
    width = strip[1] - strip[0]
    narrow = width < thresholds.WIDE_GUTTER * line
    if prose < thresholds.PROSE_FILL and (aligned > _aligned_limit(atoms, left, right) or narrow):
        long_lines = min(_long_lines(atoms, left, left_box), _long_lines(atoms, right, right_box))
        headed = all(_prose_over_pairs(atoms, side, line) for side in (left, right))
        if crossing or not (long_lines >= thresholds.MIN_LONG_LINES or headed or column):
            return None
    doubt = thresholds.ALIGNED_SCORE * aligned * (prose < thresholds.SURE_FILL)
    height = shared * (thresholds.BASE_SCORE + prose) * (1.0 - doubt)
    return height - thresholds.CROSSING_SCORE * line * crossing + width


def _notes_beside(atoms: list[Atom], left: list[int], right: list[int], line: float, *, margin: bool) -> bool:
    """Whether one side is a narrow column of small notes, or of line numbers, in the margin of running text."""
    left_box, right_box = (geometry.union(atoms[i].bbox for i in side) for side in (left, right))
    notes, prose, box = (left, right, right_box)
    if geometry.width(left_box) > geometry.width(right_box):
        notes, prose, box = (right, left, left_box)
    narrow = min(geometry.width(left_box), geometry.width(right_box)) <= thresholds.NOTES_WIDTH * geometry.width(box)
    small = line_height(atoms, notes) <= thresholds.NOTES_SIZE * line_height(atoms, prose)
    counted = len(notes) > MIN_LINES and all(atoms[i].numeric for i in notes)
    apart = counted or (margin and _aligned(atoms, left, right, line) < 1.0)
    filled = len(prose) >= 2 * MIN_LINES and _fill(atoms, prose, box, line) >= thresholds.NOTED_FILL
    return narrow and small and apart and filled


def _column_beside(atoms: list[Atom], left: list[int], right: list[int], line: float) -> bool:
    """Whether one side is a column of running text whose lines do not stand on the baselines of the other side.

    The other side may then be anything, a table without rules too; rows of one table would share their baselines.
    """
    for side, other in ((left, right), (right, left)):
        rows = _baselines(atoms, side)
        box = geometry.union(atoms[i].bbox for i in side)
        if len(rows) < thresholds.COLUMN_LINES or _fill(atoms, side, box, line) < thresholds.COLUMN_FILL:
            continue
        top, bottom = rows[0] - line, rows[-1] + line
        beside = [i for i in other if top <= atoms[i].bbox[3] <= bottom]
        aligned = _aligned(atoms, side, beside, line, thresholds.CLOSELY_ALIGNED)
        if len(_baselines(atoms, beside)) >= MIN_LINES and aligned <= thresholds.MAX_ALIGNED_COLUMN:
            return True
    return False


def _long_lines(atoms: list[Atom], side: list[int], box: BBox) -> int:
    """Lines of several words that fill their side: cells of a table seldom are."""
    least = thresholds.LONG_LINE_WIDTH * geometry.width(box)
    return sum(_is_long(atoms[i]) and geometry.width(atoms[i].bbox) >= least for i in side)


def _is_long(atom: Atom) -> bool:
    return atom.words >= thresholds.LONG_LINE_WORDS


def _prose_over_pairs(atoms: list[Atom], side: list[int], line: float) -> bool:
    """Whether a line of prose starts a side and reaches over a gap inside it: pairs or a table below running text.

    Where both sides have one, each is a column with a table of its own, not the half of one table.
    """
    start = min(atoms[i].bbox[0] for i in side)
    indent, reach = start + thresholds.PAIR_INDENT * line, thresholds.PAIR_REACH * line
    prose = [i for i in side if _is_long(atoms[i]) and atoms[i].bbox[0] <= start + thresholds.PROSE_INDENT * line]
    inner = [i for i in side if atoms[i].bbox[0] > indent and atoms[i].words <= thresholds.PAIR_WORDS]
    reached = (sum(atoms[i].bbox[2] > atoms[j].bbox[0] + reach for j in inner) for i in prose)
    return any(count >= thresholds.PAIRS_REACHED for count in reached)


def _aligned_limit(atoms: list[Atom], left: list[int], right: list[int]) -> float:
    """How many shared baselines two sides that are not prose may have; cells of one or two words are a table."""
    words = min(sum(atoms[i].words for i in side) / len(side) for side in (left, right))
    return thresholds.MAX_ALIGNED_WORDS if words >= thresholds.CELL_WORDS else thresholds.MAX_ALIGNED_CELLS


def _baselines(atoms: list[Atom], side: list[int]) -> list[float]:
    """Where the lines of a side stand, fragments on one baseline counted once."""
    bottoms = sorted(atoms[i].bbox[3] for i in side)
    return [y for n, y in enumerate(bottoms) if n == 0 or y - bottoms[n - 1] > thresholds.SAME_BASELINE]


def _fill(atoms: list[Atom], side: list[int], box: BBox, line: float) -> float:
    """How much the lines of a side look like prose: share of its lines with several words that fill its width.

    A row that is broken into several fragments is table-like and counts as not filled.
    """
    width = max(geometry.width(box), 1.0)
    filled = _full_lines(atoms, side, thresholds.FILL_WIDTH * width)
    return filled / max(len(side), 1) if width > thresholds.FILL_LINES * line else 0.0


def _full_lines(atoms: list[Atom], side: list[int], width: float) -> int:
    return sum(atoms[i].words >= thresholds.FILL_WORDS and geometry.width(atoms[i].bbox) >= width for i in side)


def _fill_beside(atoms: list[Atom], side: list[int], step: int, line: float) -> float:
    """As ``_fill``, of the column next to the gutter, where the side (right of it for ``step`` 1) holds several.

    Cells of a table are seldom so full, so that more is asked of a line here.
    """
    rows: dict[int, int] = {}
    for i in sorted(side, key=lambda i: step * (atoms[i].bbox[0] + atoms[i].bbox[2])):
        rows.setdefault(round(atoms[i].bbox[3] / (thresholds.NEAR_ROW * line)), i)
    nearest = list(rows.values())
    widths = sorted(geometry.width(atoms[i].bbox) for i in nearest)
    width = widths[int(thresholds.NEAR_WIDTH_RANK * len(widths))] if widths else 0.0
    if width <= thresholds.FILL_LINES * line or len(side) < thresholds.NEAR_FRAGMENTS * len(nearest):
        return 0.0
    filled = _full_lines(atoms, nearest, thresholds.NEAR_FILL_WIDTH * width)
    return filled / len(nearest) if filled >= thresholds.NEAR_FILL_SHARE * len(nearest) else 0.0


def _aligned(
    atoms: list[Atom], left: list[int], right: list[int], line: float, share: float = thresholds.ALIGNED
) -> float:
    """Share of the lines of the shorter side that have a partner on the same baseline of the other.

    Baselines are the same up to ``share`` of a line's height.
    """
    baselines = [_baselines(atoms, side) for side in (left, right)]
    one, partners = sorted(baselines, key=len)
    hits = 0
    position = 0
    for y in one:
        while position < len(partners) and partners[position] < y - share * line:
            position += 1
        hits += position < len(partners) and abs(partners[position] - y) <= share * line
    return hits / max(len(one), 1)
