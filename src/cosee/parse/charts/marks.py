"""The marks of a chart among a drawing's paths: bars, lines, sectors, markers, and the swatches of its legend."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf.page_model import DrawnPath, Point

SAME = 1.2
"""Coordinates this close are equal, in points."""
MIN_BAR, MAX_MARKER = 2.0, 12.0
MIN_DIFFERENCE = 2.5
"""Points by which the longest bar exceeds the shortest; squares of one size are no bars."""
MIN_MARKERS = 5
MIN_REACH = 0.3
"""A line reaches over at least this share of the plot ..."""
SHORT_TRACE = 24.0
"""... or, in one of several panels, over this many points with at least four vertices."""
SWATCH = 14.0
_WHITE = 0xFFFFFF


@dataclass(frozen=True)
class Bar:
    """A filled rectangle from the base line (``start``) to its end, coordinates along the value axis."""

    bbox: BBox
    color: int
    start: float
    end: float


@dataclass(frozen=True)
class Sector:
    """A slice of a pie: its angle in radians, the middle of its arc and its radius."""

    color: int
    angle: float
    tip: Point
    radius: float


@dataclass
class Marks:
    """What was found; ``lying`` says that bars run from left to right. Lines and points come by series."""

    bars: list[Bar] = field(default_factory=list)
    lying: bool = False
    lines: list[tuple[int, list[Point]]] = field(default_factory=list)
    sectors: list[Sector] = field(default_factory=list)
    points: list[tuple[int, list[Point]]] = field(default_factory=list)
    swatches: list[tuple[int, BBox]] = field(default_factory=list)


def find_marks(box: BBox, paths: list[DrawnPath]) -> Marks:
    """The marks of the chart in ``box``."""
    marks = Marks()
    marks.sectors = _sectors(paths)
    if len(marks.sectors) >= 2:
        return marks
    rectangles = [(rect, path.fill) for path in paths if path.fill not in (None, _WHITE) for rect in _rectangles(path)]
    filled = [(rect, fill) for rect, fill in rectangles if fill is not None]
    filled = [(rect, fill) for rect, fill in filled if geometry.area(rect) < 0.5 * geometry.area(box)]
    marks.bars, marks.lying = _bars(filled)
    used = {bar.bbox for bar in marks.bars}
    small = [(fill, rect) for rect, fill in filled if rect not in used and max(geometry.sides(rect)) <= SWATCH]
    marks.lines = _lines(box, paths)
    marks.points, taken = _markers(paths)
    marks.swatches = [(fill, rect) for fill, rect in small if rect not in taken]
    marks.swatches += _line_swatches(box, paths)
    return marks


def _rectangles(path: DrawnPath) -> list[BBox]:
    """Axis-parallel rectangles of a path."""
    found = []
    for run in path.runs:
        corners = [point for n, point in enumerate(run) if math.dist(point, run[n - 1]) > 0.1]
        if len(corners) != 4 or path.curves:
            continue
        xs, ys = sorted(p[0] for p in corners), sorted(p[1] for p in corners)
        if xs[1] - xs[0] < 0.2 and xs[3] - xs[2] < 0.2 and ys[1] - ys[0] < 0.2 and ys[3] - ys[2] < 0.2:
            found.append((xs[0], ys[0], xs[3], ys[3]))
    return found


def _bars(filled: list[tuple[BBox, int]]) -> tuple[list[Bar], bool]:
    """Rectangles of one thickness on one base line, in the direction that more of them agree on."""
    upright, lying = _on_base(filled, 0, 1), _on_base(filled, 1, 0)
    return (lying, True) if len(lying) > len(upright) else (upright, False)


def _on_base(filled: list[tuple[BBox, int]], across: int, along: int) -> list[Bar]:
    """Bars whose thickness runs over axis ``across``; stacked segments follow the bar on the base line."""
    thick: dict[int, list[tuple[BBox, int]]] = {}
    for rect, color in filled:
        if min(geometry.sides(rect)) >= MIN_BAR:
            thick.setdefault(round(rect[across + 2] - rect[across]), []).append((rect, color))
    best: list[Bar] = []
    for thickness in sorted(thick):
        own = [pair for t in (thickness, thickness + 1) for pair in thick.get(t, [])]
        for end in (along + 2, along):
            bars = _one_base(own, across, along, end)
            if len(bars) > len(best):
                best = bars
    return best


def _one_base(own: list[tuple[BBox, int]], across: int, along: int, base: int) -> list[Bar]:
    """Bars on the base coordinate that most rectangles share: at least two places, of different lengths."""
    counts: dict[int, set[int]] = {}
    for rect, _ in own:
        counts.setdefault(round(rect[base]), set()).add(round(rect[across]))
    if not counts:
        return []
    key = max(counts, key=lambda at: (len(counts[at] | counts.get(at + 1, set())), -at))
    on_base = [rect for rect, _ in own if key - SAME <= rect[base] <= key + 1 + SAME]
    far = along if base == along + 2 else along + 2
    places = {round(rect[across]) for rect in on_base}
    lengths = [abs(rect[far] - rect[base]) for rect in on_base]
    if len(places) < 2 or max(lengths) < min(lengths) + MIN_DIFFERENCE:
        return []
    at = min(rect[base] for rect in on_base) if base == along else max(rect[base] for rect in on_base)
    bars = []
    for rect, color in own:
        if not any(abs(rect[across] - place) <= SAME for place in places):
            continue
        if abs(rect[base] - at) <= SAME:
            start, end = at, rect[far]
        elif abs(rect[far] - at) <= SAME:
            start, end = at, rect[base]
        else:
            # A stacked segment: it runs away from the base line.
            near, other = sorted((rect[along], rect[along + 2]), key=lambda value: abs(value - at))
            start, end = near, other
        bars.append(Bar(rect, color, start, end))
    return bars


def _sectors(paths: list[DrawnPath]) -> list[Sector]:
    """Filled slices round one centre: two straight sides from it, an arc between their ends."""
    found: list[tuple[Point, Sector]] = []
    for path in paths:
        if (
            path.fill is None
            or not path.curves
            or path.curves > 12
            or len(path.runs) > 2
            or min(geometry.sides(path.bbox)) < 4
        ):
            continue
        points = list(dict.fromkeys(point for run in path.runs for point in run))
        if not 3 <= len(points) <= 14:
            continue
        sector = _sector(path, points)
        if sector is not None:
            found.append(sector)
    best: list[Sector] = []
    for center, _ in found:
        own = [one for other, one in found if math.dist(other, center) <= 0.12 * one.radius + 1]
        if len(own) > len(best):
            best = own
    total = sum(sector.angle for sector in best)
    return best if len(best) >= 2 and 1.6 * math.pi <= total <= 2.05 * math.pi else []


def _sector(path: DrawnPath, points: list[Point]) -> tuple[Point, Sector] | None:
    """The slice whose apex is the point from which all other points are equally far."""
    for apex in points:
        rest = [point for point in points if point != apex]
        radii = [math.dist(apex, point) for point in rest]
        if len(rest) < 2 or min(radii) < 6 or max(radii) - min(radii) > 0.03 * max(radii) + 0.3:
            continue
        start = points.index(apex)
        order = points[start + 1 :] + points[:start]
        turns = [_turn(apex, a, b) for a, b in zip(order, order[1:], strict=False)]
        angle = abs(sum(turns))
        if len({turn > 0 for turn in turns if abs(turn) > 1e-3}) > 1 or not 0.01 < angle < 2 * math.pi:
            continue
        first = math.atan2(order[0][1] - apex[1], order[0][0] - apex[0]) + sum(turns) / 2
        radius = max(radii)
        tip = (apex[0] + radius * math.cos(first), apex[1] + radius * math.sin(first))
        assert path.fill is not None
        return apex, Sector(path.fill, angle, tip, radius)
    return None


def _turn(center: Point, one: Point, other: Point) -> float:
    """The angle from ``one`` to ``other`` seen from ``center``, -pi..pi."""
    angle = math.atan2(other[1] - center[1], other[0] - center[0]) - math.atan2(one[1] - center[1], one[0] - center[0])
    return (angle + math.pi) % (2 * math.pi) - math.pi


def _lines(box: BBox, paths: list[DrawnPath]) -> list[tuple[int, list[Point]]]:
    """Stroked runs that go from left to right over the plot, segments of one colour joined where they meet."""
    chains: dict[int, list[list[Point]]] = {}
    for path in paths:
        if path.stroke in (None, _WHITE) or path.fill is not None:
            continue
        assert path.stroke is not None
        own = chains.setdefault(path.stroke, [])
        for run in path.runs:
            if len(run) > 3 and run[0] == run[-1]:
                continue
            points = run if run[0][0] <= run[-1][0] else run[::-1]
            if own and math.dist(own[-1][-1], points[0]) <= SAME:
                own[-1] = own[-1] + points[1:]
            else:
                own.append(list(points))
    found = []
    for color, runs in chains.items():
        for points in _linked(runs):
            if _is_trace(points, geometry.width(box)):
                found.append((color, points))
    return found


def _linked(runs: list[list[Point]]) -> list[list[Point]]:
    """Runs of one colour chained where one ends and the next begins, whatever their painting order."""
    if len(runs) > 2_000:
        return runs
    runs = sorted(runs, key=lambda run: run[0])
    starts: dict[tuple[int, int], list[int]] = {}
    for n, run in enumerate(runs):
        starts.setdefault((round(run[0][0]), round(run[0][1])), []).append(n)
    used: set[int] = set()
    chained = []
    for n, run in enumerate(runs):
        if n in used:
            continue
        used.add(n)
        chain = list(run)
        while True:
            x, y = round(chain[-1][0]), round(chain[-1][1])
            near = (m for dx in (0, -1, 1) for dy in (0, -1, 1) for m in starts.get((x + dx, y + dy), ()))
            following = next((m for m in near if m not in used and math.dist(runs[m][0], chain[-1]) <= SAME), None)
            if following is None:
                break
            used.add(following)
            chain += runs[following][1:]
        chained.append(chain)
    return chained


def _is_trace(points: list[Point], width: float) -> bool:
    """Whether a run is a data line: over much of the plot, never far back, with a slope or several steps."""
    reach = points[-1][0] - points[0][0]
    if reach < max(MIN_REACH * width, 12.0) and (reach < SHORT_TRACE or len(points) < 4):
        return False
    back = sum(max(a[0] - b[0], 0.0) for a, b in zip(points, points[1:], strict=False))
    if back > 0.05 * reach:
        return False
    pairs = list(zip(points, points[1:], strict=False))
    slanted = sum(1 for a, b in pairs if abs(a[0] - b[0]) > 1.0 and abs(a[1] - b[1]) > 0.4)
    steps = sum(1 for a, b in pairs if abs(a[0] - b[0]) <= 0.2 and abs(a[1] - b[1]) > 1.0)
    return slanted >= 1 or steps >= 3


def _markers(paths: list[DrawnPath]) -> tuple[list[tuple[int, list[Point]]], set[BBox]]:
    """Small shapes of one size and colour, spread over the plot: (colour, middles) by series, and their boxes."""
    kinds: dict[tuple[int, int], list[DrawnPath]] = {}
    for path in paths:
        wide, high = geometry.sides(path.bbox)
        color = path.fill if path.fill not in (None, _WHITE) else path.stroke
        if color is None or not (1.0 < wide <= MAX_MARKER and 1.0 < high <= MAX_MARKER and 0.6 < wide / high < 1.7):
            continue
        kinds.setdefault((color, round(wide)), []).append(path)
    series, boxes = [], set()
    for (color, _), own in kinds.items():
        columns = {round(path.bbox[0] / 3) for path in own}
        levels = {round(path.bbox[1] / 3) for path in own}
        if len(own) >= MIN_MARKERS and min(len(columns), len(levels)) >= 3:
            middles = [((p.bbox[0] + p.bbox[2]) / 2, (p.bbox[1] + p.bbox[3]) / 2) for p in own]
            series.append((color, middles))
            boxes |= {path.bbox for path in own}
    return series, boxes


def _line_swatches(box: BBox, paths: list[DrawnPath]) -> list[tuple[int, BBox]]:
    """Short level strokes, as a legend has them before the name of a line."""
    found = []
    for path in paths:
        wide, high = geometry.sides(path.bbox)
        if path.stroke is not None and 6 <= wide <= min(40.0, 0.2 * geometry.width(box)) and high <= 1.0:
            found.append((path.stroke, path.bbox))
    return found
