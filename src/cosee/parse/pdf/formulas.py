"""Displayed formulas: pieces set above and below each other written in one line, as ``∑_{i=1}^n (a)/(b)``, and as
LaTeX."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise
from statistics import median

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.layout import Span
from cosee.parse.pdf import latex, thresholds
from cosee.parse.pdf.page_model import Fragment, Vector

_SIGN = re.compile(r"[=≈≤≥<>∑∏∫√∂∇∞±×÷∈∀∃→⇒∝≡≠+−|\u0391-\u03c9\U0001d400-\U0001d7ff\ufffd]")
_OPERATOR = re.compile(r"[∑∏∫∮⋃⋂⋀⋁⨀⨁⨂⨄∐\ufffd]\s*$|(?:lim|max|min|sup|inf|arg ?max|arg ?min)\s*$")
FORMULA_NUMBER = r"\(\s*(?:[A-Z]\.?)?\d{1,3}(?:[.\-–]\d{1,3}){0,2}[a-z]?\s*\)"
"""Pattern of the number that stands beside a formula: ``(3)``, ``(A.2-1b)``. General knowledge: how formulas
are numbered."""
_WORD = re.compile(r"[^\W\d_]{4,}")
# General knowledge: how formulas are numbered.
_NUMBER_AT_END = re.compile(rf"\s*{FORMULA_NUMBER}\s*$")
# General knowledge: how formulas are numbered.
_NUMBER_AT_START = re.compile(rf"\s*{FORMULA_NUMBER}\s*")
_WEIGHED = re.compile(r"[^\s\d.,%()]")
_VALUE = re.compile(r"[\s.,%()±+\u2212-]*\d[\s\d.,%()±+\u2212-]*")
# General knowledge: names of the fonts in which TeX and office programs set the letters and signs of formulas.
MATH_FONT = re.compile(
    r"(?:^|\+)(?:CM(?:MI|B?SY|EX)|MS[AB]M|EU(?:EX|[FRS][BM])\d|RSFS|MT(?:MI|SY|EX)\b|[tp]xb?(?:mi|sy|ex)|Symbol|StandardSym)"
    r"|Math",
    re.IGNORECASE,
)
_SIZED = re.compile(r"[^\W_]|[=<>≤≥≈+−-]")
"""What is set in the size of the formula: brackets and operators may be larger."""
_ROOT = latex.signs("√")


@dataclass
class _Piece:
    box: BBox
    text: str
    size: float
    axis: float
    """Height of the line on which it stands; of a fraction, that of its bar."""
    latex: str


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
        if len(band) < 2 or not any(_states(fragments[run[n]]) for n in band):
            continue
        members = _without_sentences(fragments, [run[n] for n in band])
        found = [fragments[n] for n in members]
        if _is_formula(found, bars):
            fragments.append(_written(found, bars))
            replaced.update(dict.fromkeys(members, len(fragments) - 1))
    return list(dict.fromkeys(replaced.get(n, n) for n in run)) if replaced else run


def are_formulas(found: Iterable[Fragment]) -> bool:
    """Whether pieces that line up are the lines of displayed formulas: they state something, in fonts of mathematics.

    Half of a table's cells may be values under a formal heading. What a value is written with does not count: it may
    be set in such a font in a table, and in that of the text in a formula.
    """
    pieces = list(found)
    if 2 * sum(_VALUE.fullmatch(piece.text) is not None for piece in pieces) >= len(pieces):
        return False
    spans = [(span.font, len(_WEIGHED.findall(span.text))) for piece in pieces for span in piece.spans]
    formal = sum(count for font, count in spans if MATH_FONT.search(font))
    return formal >= thresholds.FORMAL_SHARE * sum(count for _, count in spans) > 0 and any(map(_states, pieces))


def _without_sentences(fragments: list[Fragment], members: list[int]) -> list[int]:
    """The members without the lines of words that stand close above and below all others."""
    if len(members) > 2 * thresholds.MAX_FORMULA_PIECES:
        return members
    least = thresholds.INDEX_SIZE * _usual_size([(fragments[n].size, fragments[n].text) for n in members])
    rest = members
    for step in (1, -1):
        rest = sorted(rest, key=lambda n: step * fragments[n].bbox[1 if step > 0 else 3])
        while len(rest) > 1 and fragments[rest[0]].size >= least and _WORD.search(fragments[rest[0]].text):
            box = fragments[rest[0]].bbox
            most = thresholds.LINE_OVER_FORMULA * geometry.height(box)
            if any(geometry.overlap_length_y(box, fragments[n].bbox) > most for n in rest[1:]):
                break
            del rest[0]
    return [n for n in members if n in rest]


def _is_formula(found: list[Fragment], bars: Sequence[BBox]) -> bool:
    """Whether pieces without words stand above and below each other, a sign of mathematics among them."""
    if not 2 <= len(found) <= thresholds.MAX_FORMULA_PIECES or any(f.ocr for f in found):
        return False
    if sum(len(f.text) for f in found) > thresholds.MAX_FORMULA_CHARACTERS:
        return False
    words = [len(_WORD.findall(f.text)) for f in found]
    if max(words) > thresholds.MAX_PIECE_WORDS or sum(words) > thresholds.MAX_FORMULA_WORDS:
        return False
    if not any(map(_states, found)):
        return False
    box, size = geometry.union(f.bbox for f in found), _usual_size([(f.size, f.text) for f in found])
    limited = (_has_limit(f, other) for f in found if _OPERATOR.search(f.text) for other in found)
    if not (any(_is_stacked(one.bbox, other.bbox) for one, other in combinations(found, 2)) or any(limited)):
        return False
    set_apart = any(f.size < thresholds.INDEX_SIZE * size or _OPERATOR.search(f.text) for f in found)
    return set_apart or any(geometry.center_inside(bar, box) for bar in bars)


def _states(fragment: Fragment) -> bool:
    """Whether a piece has a sign of equality, or ends in a sum, limit or the like."""
    return "=" in fragment.text or _OPERATOR.search(fragment.text) is not None


def _is_stacked(one: BBox, other: BBox) -> bool:
    narrower = min(geometry.width(one), geometry.width(other))
    return geometry.overlap_length_x(one, other) > thresholds.STACKED_OVERLAP * narrower


def _has_limit(operator: Fragment, small: Fragment) -> bool:
    """Whether a small piece stands above or below an operator, right at its side: a limit of an integral."""
    beside = -geometry.overlap_length_x(operator.bbox, small.bbox) < small.size
    apart = geometry.overlap_length_y(operator.bbox, small.bbox) <= 0
    return small.size < thresholds.INDEX_SIZE * operator.size and beside and apart


def _usual_size(texts: list[tuple[float, str]]) -> float:
    """The size from which on the larger ones are more than operators; indexes may have more characters than text."""
    weights: Counter[float] = Counter()
    for size, text in texts:
        weights[size] += len(_SIZED.findall(_OPERATOR.sub("", text)))
    least, larger = thresholds.USUAL_SIZE_SHARE * weights.total(), 0
    for size in sorted(weights, reverse=True):
        larger += weights[size]
        if larger >= least and larger:
            return size
    return max(weights)


def _written(found: list[Fragment], bars: Sequence[BBox]) -> Fragment:
    """The pieces of a formula as one fragment."""
    box = geometry.union(f.bbox for f in found)
    numbers = [f for f in found if re.fullmatch(FORMULA_NUMBER, f.text.strip())]
    number = numbers[0] if numbers else None
    pieces = _pieces([span for f in found if f is not number for span in _spans_apart(f)])
    inside = [
        bar for bar in bars if geometry.overlap_length_y(bar, box) >= 0 and geometry.overlap_length_x(bar, box) > 0
    ]
    size = _usual_size([(p.size, p.text) for p in pieces])
    for bar in sorted(inside, key=lambda bar: (geometry.width(bar), bar))[: thresholds.MAX_FORMULA_PIECES]:
        pieces = _with_bar(pieces, bar, size)
    text, written = _in_rows(pieces)
    if number:
        text += f" {number.text.strip()}"
        written += latex.tag(number.text) if len(numbers) == 1 else latex.UNKNOWN
    longest = max(found, key=lambda f: (len(f.text), f.size))
    span = longest.spans[0].model_copy(
        update={"text": text, "bbox": geometry.rounded(box), "superscript": False, "size": longest.size}
    )
    words = [word for f in found for word in f.words]
    return Fragment(box, [span], words, formula=True, latex=latex.finished(written))


def latex_of_lines(lines: Sequence[Sequence[Span]], label: str | None = None) -> str | None:
    """Lines of a displayed formula without fractions as LaTeX, the number ``label`` as its tag; None where a sign or
    its place was not understood, and where nothing but its relation makes it a formula: a line of a program."""
    if not any(map(latex.is_mathematical, (span for spans in lines for span in spans))):
        return None
    written = []
    for spans in lines:
        shown = [span for span in spans if span.text.strip()]
        rest = _without_number(shown, label) if label is not None else None
        parts = _pieces(shown if rest is None else rest)
        if parts:
            written.append(_in_rows(parts)[1] + (latex.tag(label) if label is not None and rest is not None else ""))
    return latex.finished(latex.rows(written)) if written else None


def _without_number(spans: Sequence[Span], label: str) -> list[Span] | None:
    """The spans of a line without the number that stands apart at its end or start; None where none does."""
    whole = "".join(span.text for span in spans)
    starts = list(accumulate((len(span.text) for span in spans), initial=0))
    for match in (_NUMBER_AT_END.search(whole), _NUMBER_AT_START.match(whole)):
        if match is None or "".join(match[0].split()) != label:
            continue
        start, end = match.span()
        edge = start if start else end
        at = starts.index(edge) if edge in starts[1:-1] else 0
        far = at > 0 and spans[at].bbox[0] - spans[at - 1].bbox[2] > spans[at].size
        if far or match[0].startswith("  ") or match[0].endswith("  "):
            cut = [s.text[: max(start - a, 0)] + s.text[max(end - a, 0) :] for s, a in zip(spans, starts, strict=False)]
            return [s.model_copy(update={"text": kept}) for s, kept in zip(spans, cut, strict=True) if kept.strip()]
    return None


def _spans_apart(fragment: Fragment) -> Iterator[Span]:
    """The spans of a fragment, each word of a span that holds several far apart as a span of its own."""
    for span in fragment.spans:
        inside = [word for word in fragment.words if geometry.center_inside(word.bbox, span.bbox)]
        gaps = [other.bbox[0] - one.bbox[2] for one, other in pairwise(inside)]
        if (
            max(gaps, default=0.0) > thresholds.INDEX_GAP[1] * span.size
            and [word.text for word in inside] == span.text.split()
        ):
            for word in inside:
                yield span.model_copy(update={"text": word.text, "bbox": word.bbox})
        elif span.text.strip():
            yield span


def _pieces(spans: Sequence[Span]) -> list[_Piece]:
    return [
        _Piece(
            span.bbox,
            span.text,
            span.size,
            (span.bbox[1] + span.bbox[3]) / 2,
            latex.signs(span.text, bold=span.bold, italic=span.italic, font=span.font),
        )
        for span in spans
    ]


def _with_bar(pieces: list[_Piece], bar: BBox, size: float) -> list[_Piece]:
    """The pieces of a formula of a size with those above and below a bar as one fraction, or with those below the bar
    of a root as one."""
    y = (bar[1] + bar[3]) / 2
    left, right = bar[0] - thresholds.FRACTION_SIDE, bar[2] + thresholds.FRACTION_SIDE
    near = [p for p in pieces if left <= (p.box[0] + p.box[2]) / 2 <= right]
    reach = thresholds.FRACTION_REACH * size
    above = [p for p in near if p.axis < y and y - p.box[3] < reach]
    below = [p for p in near if p.axis > y and p.box[1] - y < reach]
    if not below:
        return pieces
    roots = (p for p in pieces if p.text.rstrip().endswith("√"))
    root = next((p for p in roots if abs(p.box[2] - bar[0]) < thresholds.ROOT_REACH), None)
    if root is not None:
        under, written = _in_rows(below)
        whole = f"{root.text.rstrip()}{_grouped(under)}"
        degree = next((p for p in pieces if _is_degree(p, root)), None)
        order = f"[{degree.latex}]" if degree is not None else ""
        written = f"{root.latex.removesuffix(_ROOT)}\\sqrt{order}{{{written}}}"
        used, axis = [root, *below], root.axis
        if degree is not None:
            whole, used = f"{degree.text.strip()}{whole}", [degree, *used]
    elif above:
        (over, numerator), (under, denominator) = _in_rows(above), _in_rows(below)
        whole, written = f"{_grouped(over)}/{_grouped(under)}", f"\\frac{{{numerator}}}{{{denominator}}}"
        used, axis = [*above, *below], y
    else:
        # A line over what is below it: only over one piece it is sure what it covers.
        covered = [p for p in below if p.box[1] - y < thresholds.ROOT_REACH and p.box[0] < bar[2] and p.box[2] > bar[0]]
        for piece in covered:
            alone = len(covered) == 1 and abs(geometry.width(piece.box) - geometry.width(bar)) < thresholds.ROOT_REACH
            piece.latex = f"\\overline{{{piece.latex}}}" if alone else latex.UNKNOWN
        return pieces
    box = geometry.union(p.box for p in used)
    rest = [p for p in pieces if all(p is not other for other in used)]
    return [*rest, _Piece(box, whole, max(p.size for p in pieces), axis, written)]


def _is_degree(piece: _Piece, root: _Piece) -> bool:
    """Whether a small piece stands in the hook of a root: ``³√``."""
    near = abs(piece.box[2] - root.box[0]) < thresholds.ROOT_REACH or (
        root.box[0] <= piece.box[0] and piece.box[2] <= root.box[2]
    )
    return near and piece is not root and piece.size < thresholds.INDEX_SIZE * root.size and piece.axis < root.axis


def _grouped(text: str) -> str:
    return text if len(text) == 1 or text.isalnum() else f"({text})"


def _in_rows(pieces: list[_Piece]) -> tuple[str, str]:
    """Pieces as text and as LaTeX: rows from top to bottom, small pieces as indexes of what they stand at."""
    size = _usual_size([(piece.size, piece.text) for piece in pieces])
    least = thresholds.INDEX_SIZE * size
    rows: list[list[_Piece]] = []
    # The box of a bracket without a letter in its font (MuPDF's U+FFFD) says little of its height.
    brackets = [p for p in pieces if p.size >= least and not p.text.strip(latex.UNKNOWN + " ")]
    whole = [p for p in pieces if p.size >= least and all(p is not other for other in brackets)]
    for piece in sorted(whole or brackets, key=lambda p: (p.axis, p.box[0])):
        if rows and abs(rows[-1][0].axis - piece.axis) <= thresholds.ROW_OFFSET * size:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    for piece in [*(brackets if whole else []), *_clustered([p for p in pieces if p.size < least])]:
        operator = _operator_of(piece, [p for row in rows for p in row if p.size >= least])
        axis = operator.axis if operator is not None else piece.axis
        min(rows, key=lambda row: (abs(row[0].axis - axis), row[0].axis)).append(piece)
    written = [_row(row, size) for row in rows]
    return " ".join(text for text, _ in written), latex.rows([each for _, each in written])


def _clustered(pieces: list[_Piece]) -> list[_Piece]:
    """Small pieces that follow each other on one line as one, each with a space only where there is one."""
    clusters: list[_Piece] = []
    members: dict[int, list[_Piece]] = {}
    for piece in sorted(pieces, key=lambda p: p.box[0]):
        host = next((c for c in reversed(clusters) if _follows(c, piece)), None)
        if host is None:
            host = _Piece(piece.box, piece.text.strip(), piece.size, piece.axis, piece.latex)
            clusters.append(host)
        else:
            space = " " if piece.box[0] - host.box[2] > thresholds.INDEX_SPACE * host.size else ""
            host.text += space + piece.text.strip()
            host.box = geometry.union((host.box, piece.box))
        members.setdefault(id(host), []).append(piece)
    for host in clusters:
        if len(own := members[id(host)]) > 1:
            host.latex = _in_rows(own)[1]
    return clusters


def _follows(cluster: _Piece, piece: _Piece) -> bool:
    size, (least, most) = cluster.size, thresholds.INDEX_GAP
    near = abs(cluster.axis - piece.axis) <= thresholds.INDEX_OFFSET * size
    return near and least * size <= piece.box[0] - cluster.box[2] <= most * size


def _row(row: list[_Piece], size: float) -> tuple[str, str]:
    """The pieces of a row as text and LaTeX, those small for a formula of this ``size`` as indexes and exponents."""
    least, space = thresholds.INDEX_SIZE * size, thresholds.WORD_SPACE * size
    base = _with_accents_joined([p for p in row if p.size >= least])
    axis = sum(p.axis for p in base) / len(base)
    scripts: dict[int, tuple[list[_Piece], list[_Piece]]] = {id(p): ([], []) for p in base}
    for small in sorted((p for p in row if p.size < least), key=lambda p: p.box[0]):
        host = _host(small, base)
        scripts[id(host)][0 if small.axis > axis else 1].append(small)
    text, end, written = "", None, list[str]()
    for piece in sorted(base, key=lambda p: p.box[0]):
        if end is not None and piece.box[0] - end > space and not text.endswith(" "):
            text += " "
            parts_numbers = text[-2:-1].isdigit() and piece.latex[:1].isdigit()
            parts_formulas = piece.box[0] - end > thresholds.QUAD * size and text[-2:-1] not in "=<>≤≥≈+-−"
            if parts_numbers or parts_formulas:
                written.append("\\quad ")
        text += piece.text.strip() if not text else piece.text.rstrip()
        written.append(piece.latex)
        low, high = scripts[id(piece)]
        end = max(p.box[2] for p in [piece, *low, *high])
        for mark, parts in (("_", low), ("^", high)):
            if parts:
                inner = " ".join(p.text.strip() for p in parts)
                text += f"{mark}{inner}" if len(inner) == 1 else f"{mark}{{{inner}}}"
                written.append(latex.script(mark, latex.joined(p.latex for p in parts)))
    return text, latex.joined(written)


def _with_accents_joined(base: list[_Piece]) -> list[_Piece]:
    """Pieces of a row without the accents that are pieces of their own, each given to what it stands over."""
    accents = [p for p in base if latex.is_accent(p.text.strip())]
    others = [p for p in base if not latex.is_accent(p.text.strip())]
    for accent in accents if others else []:
        host = max(others, key=lambda p: geometry.overlap_length_x(p.box, accent.box))
        over = geometry.overlap_length_x(host.box, accent.box) > 0
        host.latex = latex.accented(accent.text.strip(), host.latex) if over else latex.UNKNOWN
        first, second = (accent, host) if accent.box[0] <= host.box[0] else (host, accent)
        host.text, host.box = first.text.rstrip() + second.text.strip(), geometry.union((host.box, accent.box))
    return others or base


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
