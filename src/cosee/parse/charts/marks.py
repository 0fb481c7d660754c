"""The marks of a chart among a drawing's paths: bars, lines, sectors, markers, and the swatches of its legend."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.charts import thresholds
from cosee.parse.pdf.page_model import DrawnPath, Point

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
    """What was found; ``lying`` says that bars run from left to right. Lines and markers are colour and points."""

    bars: list[Bar] = field(default_factory=list)
    lying: bool = False
    lines: list[tuple[int, list[Point]]] = field(default_factory=list)
    sectors: list[Sector] = field(default_factory=list)
    markers: list[tuple[int, list[Point]]] = field(default_factory=list)
    swatches: list[tuple[int, BBox]] = field(default_factory=list)


def find_marks(box: BBox, paths: list[DrawnPath]) -> Marks:
    """The marks of the chart in ``box``."""
    if sectors := _sectors(paths):
        return Marks(sectors=sectors)
    filled = [
        (rect, path.fill)
        for path in paths
        if path.fill is not None and path.fill != _WHITE
        for rect in _rectangles(path)
        if geometry.area(rect) < thresholds.FRAME_SHARE * geometry.area(box)
    ]
    bars, lying = _bars(filled)
    markers, taken = _markers(paths)
    taken |= {bar.bbox for bar in bars}
    small = [pair for pair in filled if max(geometry.sides(pair[0])) <= thresholds.MAX_SWATCH]
    swatches = [(fill, rect) for rect, fill in small if rect not in taken] + _line_swatches(box, paths)
    return Marks(bars, lying, _lines(box, paths), markers=markers, swatches=swatches)


def _rectangles(path: DrawnPath) -> list[BBox]:
    """Axis-parallel rectangles of a path."""
    found = []
    for run in path.runs:
        corners = [point for n, point in enumerate(run) if math.dist(point, run[n - 1]) > thresholds.SAME_POINT]
        if len(corners) != 4 or path.curves:
            continue
        xs, ys = sorted(p[0] for p in corners), sorted(p[1] for p in corners)
        if max(xs[1] - xs[0], xs[3] - xs[2], ys[1] - ys[0], ys[3] - ys[2]) < thresholds.STRAIGHT:
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
        if min(geometry.sides(rect)) >= thresholds.MIN_BAR:
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
    on_base = [rect for rect, _ in own if key - thresholds.SAME <= rect[base] <= key + 1 + thresholds.SAME]
    far = along if base == along + 2 else along + 2
    places = {round(rect[across]) for rect in on_base}
    lengths = [abs(rect[far] - rect[base]) for rect in on_base]
    if len(places) < thresholds.MIN_PLACES or max(lengths) < min(lengths) + thresholds.MIN_DIFFERENCE:
        return []
    at = min(rect[base] for rect in on_base) if base == along else max(rect[base] for rect in on_base)
    bars = []
    for rect, color in own:
        if not any(abs(rect[across] - place) <= thresholds.SAME for place in places):
            continue
        if abs(rect[base] - at) <= thresholds.SAME:
            start, end = at, rect[far]
        elif abs(rect[far] - at) <= thresholds.SAME:
            start, end = at, rect[base]
        else:
            # A stacked segment: it runs away from the base line.
            start, end = sorted((rect[along], rect[along + 2]), key=lambda value: abs(value - at))
        bars.append(Bar(rect, color, start, end))
    return bars


def _sectors(paths: list[DrawnPath]) -> list[Sector]:
    """Filled slices round one centre: two straight sides from it, an arc between their ends."""
    found = [sector for path in paths if (sector := _sector(path)) is not None]
    best: list[Sector] = []
    for center, _ in found:
        own = [
            one
            for other, one in found
            if math.dist(other, center) <= thresholds.CENTRE_SHARE * one.radius + thresholds.CENTRE_ROOM
        ]
        if len(own) > len(best):
            best = own
    full = thresholds.MIN_FULL * math.pi <= sum(sector.angle for sector in best) <= thresholds.MAX_FULL * math.pi
    return best if full and len(best) >= thresholds.MIN_SECTORS else []


def _sector(path: DrawnPath) -> tuple[Point, Sector] | None:
    """The slice that a path fills, and its apex: the point from which all other points are equally far."""
    simple = 1 <= path.curves <= thresholds.MAX_CURVES and len(path.runs) <= thresholds.MAX_RUNS_OF_SECTOR
    if path.fill is None or not simple or min(geometry.sides(path.bbox)) < thresholds.MIN_SECTOR_SIDE:
        return None
    points = list(dict.fromkeys(point for run in path.runs for point in run))
    for apex in points if len(points) <= thresholds.MAX_OUTLINE else ():
        rest = [point for point in points if point != apex]
        radii = [math.dist(apex, point) for point in rest]
        if len(rest) < 2 or min(radii) < thresholds.MIN_RADIUS:
            continue
        if max(radii) - min(radii) > thresholds.RADIUS_SHARE * max(radii) + thresholds.RADIUS_ROOM:
            continue
        start = points.index(apex)
        order = points[start + 1 :] + points[:start]
        turns = [_turn(apex, a, b) for a, b in zip(order, order[1:], strict=False)]
        angle = abs(sum(turns))
        directions = {turn > 0 for turn in turns if abs(turn) > thresholds.NO_TURN}
        if len(directions) > 1 or not thresholds.MIN_ANGLE < angle < 2 * math.pi:
            continue
        first = math.atan2(order[0][1] - apex[1], order[0][0] - apex[0]) + sum(turns) / 2
        radius = max(radii)
        tip = (apex[0] + radius * math.cos(first), apex[1] + radius * math.sin(first))
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
        if path.stroke is None or path.stroke == _WHITE or path.fill is not None:
            continue
        own = chains.setdefault(path.stroke, [])
        for run in path.runs:
            if len(run) > 3 and run[0] == run[-1]:
                continue
            points = run if run[0][0] <= run[-1][0] else run[::-1]
            if own and math.dist(own[-1][-1], points[0]) <= thresholds.SAME:
                own[-1] = own[-1] + points[1:]
            else:
                own.append(list(points))
    width = geometry.width(box)
    return [(color, run) for color, runs in chains.items() for run in _linked(runs) if _is_trace(run, width)]


def _linked(runs: list[list[Point]]) -> list[list[Point]]:
    """Runs of one colour chained where one ends and the next begins, whatever their painting order."""
    if len(runs) > thresholds.MAX_RUNS:
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
            following = next(
                (m for m in near if m not in used and math.dist(runs[m][0], chain[-1]) <= thresholds.SAME), None
            )
            if following is None:
                break
            used.add(following)
            chain += runs[following][1:]
        chained.append(chain)
    return chained


def _is_trace(points: list[Point], width: float) -> bool:
    """Whether a run is a data line: over much of the plot, never far back, with a slope or several steps."""
    reach = points[-1][0] - points[0][0]
    short = reach < thresholds.SHORT_TRACE or len(points) < thresholds.MIN_SHORT_VERTICES
    if short and reach < max(thresholds.MIN_REACH * width, thresholds.MIN_REACH_LENGTH):
        return False
    pieces = [(b[0] - a[0], abs(b[1] - a[1])) for a, b in zip(points, points[1:], strict=False)]
    if sum(max(-across, 0.0) for across, _ in pieces) > thresholds.MAX_BACK * reach:
        return False
    slanted = any(abs(across) > thresholds.SLANT_ACROSS and up > thresholds.SLANT_UP for across, up in pieces)
    steps = sum(abs(across) <= thresholds.STEP_ACROSS and up > thresholds.STEP_UP for across, up in pieces)
    return slanted or steps >= thresholds.MIN_STEPS


def _markers(paths: list[DrawnPath]) -> tuple[list[tuple[int, list[Point]]], set[BBox]]:
    """Small shapes of one size and colour, spread over the plot: (colour, middles) by series, and their boxes."""
    kinds: dict[tuple[int, int], list[DrawnPath]] = {}
    for path in paths:
        wide, high = geometry.sides(path.bbox)
        color = path.fill if path.fill not in (None, _WHITE) else path.stroke
        small = thresholds.MIN_MARKER < min(wide, high) <= max(wide, high) <= thresholds.MAX_MARKER
        if color is not None and small and thresholds.MIN_MARKER_ASPECT < wide / high < thresholds.MAX_MARKER_ASPECT:
            kinds.setdefault((color, round(wide)), []).append(path)
    series, boxes = [], set()
    for (color, _), own in kinds.items():
        spread = min(len({round(path.bbox[axis] / thresholds.SERIES_SPREAD_STEP) for path in own}) for axis in (0, 1))
        if len(own) >= thresholds.MIN_MARKERS_OF_SERIES and spread >= thresholds.MIN_SERIES_SPREAD:
            middles = [((p.bbox[0] + p.bbox[2]) / 2, (p.bbox[1] + p.bbox[3]) / 2) for p in own]
            series.append((color, middles))
            boxes |= {path.bbox for path in own}
    return series, boxes


def _line_swatches(box: BBox, paths: list[DrawnPath]) -> list[tuple[int, BBox]]:
    """Short level strokes, as a legend has them before the name of a line."""
    widest = min(thresholds.MAX_STROKE, thresholds.MAX_STROKE_SHARE * geometry.width(box))
    return [
        (path.stroke, path.bbox)
        for path in paths
        if path.stroke is not None
        and thresholds.MIN_STROKE <= geometry.width(path.bbox) <= widest
        and geometry.height(path.bbox) <= thresholds.FLAT_STROKE
    ]
