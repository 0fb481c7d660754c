"""Displayed formulas: pieces set above and below each other written in one line, as ``sum_{i=1}^n (a)/(b)``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf import thresholds
from cosee.parse.pdf.page_model import Fragment, Vector

_SIGN = re.compile(r"[=≈≤≥<>∑∏∫√∂∇∞±×÷∈∀∃→⇒∝≡≠+−|\u0391-\u03c9\U0001d400-\U0001d7ff\ufffd]")
_OPERATOR = re.compile(r"[∑∏∫⋃⋂⨁⨂∐\ufffd]\s*$|(?:lim|max|min|sup|inf|arg ?max|arg ?min)\s*$")
FORMULA_NUMBER = r"\(\s*(?:[A-Z]\.?)?\d{1,3}(?:[.\-–]\d{1,3}){0,2}[a-z]?\s*\)"
"""Pattern of the number that stands beside a formula: ``(3)``, ``(A.2-1b)``. General knowledge: how formulas
are numbered."""
_WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass
class _Piece:
    box: BBox
    text: str
    size: float
    axis: float
    """Height of the line on which it stands; of a fraction, that of its bar."""


def fraction_bars(vectors: Sequence[Vector]) -> list[BBox]:
    """Short thin rules: bars of fractions and roots, or lines of small tables."""
    shortest, longest = thresholds.FRACTION_BAR_LENGTH
    thin = [vector.bbox for vector in vectors if geometry.height(vector.bbox) <= thresholds.FRACTION_BAR_THICKNESS]
    return [box for box in thin if shortest <= geometry.width(box) <= longest]


def with_formulas(fragments: list[Fragment], run: list[int], bars: Sequence[BBox]) -> list[int]:
    """The run with the fragments of each displayed formula replaced by one, which is added to ``fragments``."""
    if not any(_SIGN.search(fragments[n].text) for n in run):
        return run
    replaced: dict[int, int] = {}
    boxes = [fragments[n].bbox for n in run]
    for band in geometry.bands(boxes, thresholds.FORMULA_BAND_GAP * median(map(geometry.height, boxes))):
        members = [run[n] for n in band]
        found = [fragments[n] for n in members]
        if _is_formula(found, bars):
            fragments.append(_written(found, bars))
            replaced.update(dict.fromkeys(members, len(fragments) - 1))
    return list(dict.fromkeys(replaced.get(n, n) for n in run)) if replaced else run


def _is_formula(found: list[Fragment], bars: Sequence[BBox]) -> bool:
    """Whether pieces without words stand above and below each other, a sign of mathematics among them."""
    if not 2 <= len(found) <= thresholds.MAX_FORMULA_PIECES or any(f.ocr for f in found):
        return False
    words = [len(_WORD.findall(f.text)) for f in found]
    if max(words) > thresholds.MAX_PIECE_WORDS or sum(words) > thresholds.MAX_FORMULA_WORDS:
        return False
    if not any("=" in f.text or _OPERATOR.search(f.text) for f in found):
        return False
    if not any(_is_stacked(one.bbox, other.bbox) for one, other in combinations(found, 2)):
        return False
    box, size = geometry.union(f.bbox for f in found), _usual_size([(f.size, f.text) for f in found])
    set_apart = any(f.size < thresholds.INDEX_SIZE * size or _OPERATOR.search(f.text) for f in found)
    return set_apart or any(geometry.center_inside(bar, box) for bar in bars)


def _is_stacked(one: BBox, other: BBox) -> bool:
    narrower = min(geometry.width(one), geometry.width(other))
    return geometry.overlap_length_x(one, other) > thresholds.STACKED_OVERLAP * narrower


def _usual_size(texts: list[tuple[float, str]]) -> float:
    """The largest size that is not that of operators alone; indexes may have more characters than their text."""
    weights: dict[float, int] = {}
    for size, text in texts:
        weights[size] = weights.get(size, 0) + len(_OPERATOR.sub("", text).strip())
    least = thresholds.USUAL_SIZE_SHARE * sum(weights.values())
    return max((size for size, weight in weights.items() if weight >= least), default=max(weights))


def _written(found: list[Fragment], bars: Sequence[BBox]) -> Fragment:
    """The pieces of a formula as one fragment."""
    box = geometry.union(f.bbox for f in found)
    number = next((f for f in found if re.fullmatch(FORMULA_NUMBER, f.text.strip())), None)
    spans = [span for f in found if f is not number for span in f.spans if span.text.strip()]
    pieces = [_Piece(span.bbox, span.text, span.size, (span.bbox[1] + span.bbox[3]) / 2) for span in spans]
    inside = [
        bar for bar in bars if geometry.overlap_length_y(bar, box) >= 0 and geometry.overlap_length_x(bar, box) > 0
    ]
    for bar in sorted(inside, key=lambda bar: (geometry.width(bar), bar)):
        pieces = _with_bar(pieces, bar)
    text = _in_rows(pieces) + (f" {number.text.strip()}" if number else "")
    longest = max(found, key=lambda f: (len(f.text), f.size))
    span = longest.spans[0].model_copy(
        update={"text": text, "bbox": geometry.rounded(box), "superscript": False, "size": longest.size}
    )
    return Fragment(box, [span], [word for f in found for word in f.words], formula=True)


def _with_bar(pieces: list[_Piece], bar: BBox) -> list[_Piece]:
    """The pieces with those above and below a bar as one fraction, or with those below the bar of a root as one."""
    y = (bar[1] + bar[3]) / 2
    left, right = bar[0] - thresholds.FRACTION_SIDE, bar[2] + thresholds.FRACTION_SIDE
    near = [p for p in pieces if left <= (p.box[0] + p.box[2]) / 2 <= right]
    above = [p for p in near if p.axis < y and y - p.box[3] < thresholds.FRACTION_REACH * p.size]
    below = [p for p in near if p.axis > y and p.box[1] - y < thresholds.FRACTION_REACH * p.size]
    if not below:
        return pieces
    roots = (p for p in pieces if p.text.rstrip().endswith("√"))
    root = next((p for p in roots if abs(p.box[2] - bar[0]) < thresholds.ROOT_REACH), None)
    if root is not None:
        whole = f"{root.text.rstrip()}{_grouped(_in_rows(below))}"
        used, axis = [root, *below], root.axis
    elif above:
        whole = f"{_grouped(_in_rows(above))}/{_grouped(_in_rows(below))}"
        used, axis = [*above, *below], y
    else:
        return pieces
    box = geometry.union(p.box for p in used)
    rest = [p for p in pieces if all(p is not other for other in used)]
    return [*rest, _Piece(box, whole, max(p.size for p in pieces), axis)]


def _grouped(text: str) -> str:
    return text if len(text) == 1 or text.isalnum() else f"({text})"


def _in_rows(pieces: list[_Piece]) -> str:
    """Pieces as text: rows from top to bottom, small pieces as indexes and exponents of what they stand at."""
    size = _usual_size([(piece.size, piece.text) for piece in pieces])
    least = thresholds.INDEX_SIZE * size
    rows: list[list[_Piece]] = []
    for piece in sorted((p for p in pieces if p.size >= least), key=lambda p: (p.axis, p.box[0])):
        if rows and abs(rows[-1][0].axis - piece.axis) <= thresholds.ROW_OFFSET * size:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    for piece in _clustered([p for p in pieces if p.size < least]):
        operator = _operator_of(piece, [p for row in rows for p in row if p.size >= least])
        axis = operator.axis if operator is not None else piece.axis
        min(rows, key=lambda row: (abs(row[0].axis - axis), row[0].axis)).append(piece)
    return " ".join(_row(row, size) for row in rows)


def _clustered(pieces: list[_Piece]) -> list[_Piece]:
    """Small pieces that follow each other on one line as one, each with a space only where there is one."""
    clusters: list[_Piece] = []
    for piece in sorted(pieces, key=lambda p: p.box[0]):
        host = next((c for c in reversed(clusters) if _follows(c, piece)), None)
        if host is None:
            clusters.append(_Piece(piece.box, piece.text.strip(), piece.size, piece.axis))
            continue
        space = " " if piece.box[0] - host.box[2] > thresholds.INDEX_SPACE * host.size else ""
        host.text += space + piece.text.strip()
        host.box = geometry.union((host.box, piece.box))
    return clusters


def _follows(cluster: _Piece, piece: _Piece) -> bool:
    size, (least, most) = cluster.size, thresholds.INDEX_GAP
    near = abs(cluster.axis - piece.axis) <= thresholds.INDEX_OFFSET * size
    return near and least * size <= piece.box[0] - cluster.box[2] <= most * size


def _row(row: list[_Piece], size: float) -> str:
    """The pieces of a row as text, those that are small for a formula of this ``size`` as indexes and exponents."""
    least, space = thresholds.INDEX_SIZE * size, thresholds.WORD_SPACE * size
    base = [p for p in row if p.size >= least]
    axis = sum(p.axis for p in base) / len(base)
    scripts: dict[int, tuple[list[_Piece], list[_Piece]]] = {id(p): ([], []) for p in base}
    for small in sorted((p for p in row if p.size < least), key=lambda p: p.box[0]):
        host = _host(small, base)
        scripts[id(host)][0 if small.axis > axis else 1].append(small)
    text, end = "", None
    for piece in sorted(base, key=lambda p: p.box[0]):
        if end is not None and piece.box[0] - end > space and not text.endswith(" "):
            text += " "
        text += piece.text.strip() if not text else piece.text.rstrip()
        low, high = scripts[id(piece)]
        end = max(p.box[2] for p in [piece, *low, *high])
        for mark, parts in (("_", low), ("^", high)):
            if parts:
                inner = " ".join(p.text.strip() for p in parts)
                text += f"{mark}{inner}" if len(inner) == 1 else f"{mark}{{{inner}}}"
    return text


def _operator_of(small: _Piece, base: list[_Piece]) -> _Piece | None:
    """The sum, limit or the like right above or below which a small piece stands."""
    near = [
        p
        for p in base
        if _OPERATOR.search(p.text)
        and geometry.overlap_length_x(p.box, small.box) > 0
        and -geometry.overlap_length_y(p.box, small.box) < small.size
    ]
    return min(near, key=lambda p: abs(p.axis - small.axis)) if near else None


def _host(small: _Piece, base: list[_Piece]) -> _Piece:
    """What a small piece is a limit of, else what ends at its left."""
    operator = _operator_of(small, base)
    if operator is not None:
        return operator
    middle = (small.box[0] + small.box[2]) / 2
    left = [p for p in base if p.box[2] <= middle + thresholds.INDEX_SLACK * small.size]
    return max(left, key=lambda p: p.box[2]) if left else min(base, key=lambda p: p.box[0])
