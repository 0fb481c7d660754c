"""One PDF page through PyMuPDF: its fragments of text, vector drawings and pictures, as seen by a reader."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from cosee.adapter import geometry
from cosee.adapter.direction import is_rtl, reading_words, sideways, turning
from cosee.adapter.marks import attach_marks, flag_leading_mark
from cosee.adapter.page_model import Fragment, Picture, RawPage, Vector, Word
from cosee.adapter.text import clean
from cosee.adapter.visibility import mark_hidden
from cosee.artifacts.base import BBox
from cosee.artifacts.layout import Span

MAX_FRAGMENTS = 20_000
MAX_VECTORS = 20_000
MAX_PICTURES = 2_000
WIDE_GAP = 1.2
"""A gap between words of more than this many font sizes ends a fragment."""
_BOLD_NAMES = ("bold", "black", "heavy", "semibold", "demi")
_SUPERSCRIPT, _ITALIC, _BOLD = 1, 2, 16
_SYNTHETIC = 512
"""Character flag of the spaces that MuPDF puts between words."""


def read_page(page: Any) -> RawPage:
    """Read a ``pymupdf.Page``. Bounds that are hit are in ``flags`` as ``truncated``.

    A page whose text runs up, down or upside down is read as a reader turns it (``RawPage.turn``).
    """
    import pymupdf

    options = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_COLLECT_VECTORS
    text_page = page.get_textpage(clip=pymupdf.INFINITE_RECT(), flags=options)
    content = text_page.extractDICT()
    matrix = page.rotation_matrix if page.rotation else None
    raw = RawPage(float(page.rect.width), float(page.rect.height), [], [], [])
    raw.turn = sideways(content["blocks"], matrix)
    if raw.turn:
        matrix = (matrix or pymupdf.Matrix(1, 1)) * pymupdf.Matrix(*turning(raw.turn, raw.width, raw.height))
        raw.width, raw.height = (raw.height, raw.width) if raw.turn % 2 else (raw.width, raw.height)
    words = _words_by_line(text_page.extractWORDS(), matrix)
    text_block = -1
    orders: list[int] = []
    styles: list[tuple[int, int, int]] = []
    for order, block in enumerate(content["blocks"]):
        if block["type"] == 0:
            text_block += 1
            for line_number, line in enumerate(block["lines"]):
                for fragment, style in _fragments(line, words.get((text_block, line_number), []), matrix):
                    raw.fragments.append(fragment)
                    styles.append(style)
                    orders.append(order)
        elif block["type"] == 3 and block.get("alpha", 255) > 8:
            vector = _vector(block, order, _seen(block["bbox"], matrix), raw.bbox)
            if vector is not None:
                raw.vectors.append(vector)
    raw.pictures = _pictures(page.get_image_info(), matrix, raw.bbox)
    for name, values, limit in (
        ("fragments", raw.fragments, MAX_FRAGMENTS),
        ("vectors", raw.vectors, MAX_VECTORS),
        ("pictures", raw.pictures, MAX_PICTURES),
    ):
        if len(values) > limit:
            del values[limit:]
            raw.flags += ["truncated", f"too_many_{name}"]
    mark_hidden(raw, styles, orders)
    raw.fragments = attach_marks(raw.fragments)
    return raw


def _seen(box: Any, matrix: Any) -> BBox:
    """A box in points of the page as seen, after rotation."""
    if matrix is None:
        return float(box[0]), float(box[1]), float(box[2]), float(box[3])
    a, b, c, d, e, f = matrix
    xs = [a * box[0] + c * box[1] + e, a * box[2] + c * box[3] + e]
    ys = [b * box[0] + d * box[1] + f, b * box[2] + d * box[3] + f]
    return min(xs), min(ys), max(xs), max(ys)


def _vector(block: Any, order: int, box: BBox, bounds: BBox) -> Vector | None:
    """A painted path, cut to the page; None when it lies outside."""
    if geometry.overlap_x(box, bounds) < 0 or geometry.overlap_y(box, bounds) < 0:
        return None
    rectangular, stroked = bool(block.get("isrect")), bool(block.get("stroked"))
    return Vector(geometry.clamp(box, bounds), rectangular, stroked, int(block.get("color") or 0), order)


def _words_by_line(words: list[Any], matrix: Any) -> dict[tuple[int, int], list[Word]]:
    lines: dict[tuple[int, int], list[Word]] = {}
    for x0, y0, x1, y1, text, block, line, _ in words:
        cleaned = clean(text)
        if cleaned:
            lines.setdefault((block, line), []).append(Word(cleaned, _seen((x0, y0, x1, y1), matrix)))
    return lines


def _fragments(line: Any, words: list[Word], matrix: Any) -> list[tuple[Fragment, tuple[int, int, int]]]:
    """The pieces of one MuPDF line with the (character flags, alpha, colour) of each."""
    dx, dy = line["dir"]
    if matrix is not None:
        dx, dy = matrix[0] * dx + matrix[2] * dy, matrix[1] * dx + matrix[3] * dy
    rotated = abs(dy) > 0.2 or dx < 0
    spans: list[Span] = []
    style = (0, 0, 0)
    longest = 0
    for raw in _runs(line["spans"]):
        text = clean(raw["text"])
        if not text:
            continue
        _append(spans, _span(raw, text, matrix))
        visible = len(text.strip())
        if visible > longest or longest == 0:
            longest, style = visible, (raw.get("char_flags", 16), raw.get("alpha", 255), raw["color"])
    indented = bool(spans) and spans[0].text[:1].isspace()
    _strip(spans)
    if indented and spans and words and not rotated:
        spans[0].bbox = (round(words[0].bbox[0], 2), *spans[0].bbox[1:])
    if not spans:
        return []
    flag_leading_mark(spans)
    whole = Fragment(geometry.union(span.bbox for span in spans), spans, words, rotated=rotated)
    return [(piece, style) for piece in _split_at_gaps(whole)]


def _runs(spans: list[Any]) -> list[Any]:
    """Neighbouring MuPDF spans of one style as one; some files set every word and space on its own."""
    runs: list[Any] = []
    for span in spans:
        drawn = span.get("char_flags", 0) & ~_SYNTHETIC
        style = (span["font"], span["size"], span["flags"], span["color"], drawn, span.get("alpha"))
        if runs and runs[-1]["style"] == style:
            last = runs[-1]
            last["text"] += span["text"]
            last["bbox"] = geometry.union((last["bbox"], span["bbox"]))
        else:
            runs.append({**span, "style": style})
    return runs


def _span(raw: Any, text: str, matrix: Any) -> Span:
    flags = raw["flags"]
    font, bold, italic = _font(raw["font"])
    return Span(
        text=text,
        bbox=geometry.rounded(_seen(raw["bbox"], matrix)),
        size=round(float(raw["size"]), 1),
        font=font,
        bold=bold or bool(flags & _BOLD),
        italic=italic or bool(flags & _ITALIC),
        superscript=bool(flags & _SUPERSCRIPT) and bool(text.strip()),
    )


@lru_cache(maxsize=4096)
def _font(raw: str) -> tuple[str, bool, bool]:
    """A font's name, and whether it says that it is bold or italic."""
    font = clean(raw)
    name = font.lower()
    return font, any(word in name for word in _BOLD_NAMES), "italic" in name or "oblique" in name


def _append(spans: list[Span], span: Span) -> None:
    """Append ``span``, or extend the last one when the style is the same."""
    if spans:
        last = spans[-1]
        same = (last.font, last.size, last.superscript) == (span.font, span.size, span.superscript)
        if same or not span.text.strip():
            last.text += span.text
            last.bbox = geometry.union((last.bbox, span.bbox)) if span.text.strip() else last.bbox
            return
    spans.append(span)


def _strip(spans: list[Span]) -> None:
    while spans and not spans[-1].text.strip():
        spans.pop()
    while spans and not spans[0].text.strip():
        spans.pop(0)
    if spans:
        spans[-1].text = spans[-1].text.rstrip()
        spans[0].text = spans[0].text.lstrip()


def _split_at_gaps(fragment: Fragment) -> list[Fragment]:
    """Cut a fragment where its words stand far apart (runs of spaces, tab stops)."""
    words = fragment.words
    if len(words) < 2 or fragment.rotated:
        return [fragment]
    backwards = is_rtl(fragment.text)
    if backwards:
        words = sorted(words, key=lambda word: word.bbox[0])
    limit = WIDE_GAP * fragment.size
    cuts = [
        i
        for i in range(1, len(words))
        if words[i].bbox[0] - words[i - 1].bbox[2] > limit or _next_amount(words[i - 1].text, words[i].text)
    ]
    if not cuts and not backwards:
        return [fragment]
    pieces: list[Fragment] = []
    for start, end in zip([0, *cuts], [*cuts, len(words)], strict=True):
        part = reading_words(words[start:end]) if backwards else words[start:end]
        spans: list[Span] = []
        for number, word in enumerate(part):
            center = (word.bbox[0] + word.bbox[2]) / 2
            source = min(fragment.spans, key=lambda s: max(s.bbox[0] - center, center - s.bbox[2], 0.0))
            text = word.text if number == 0 else f" {word.text}"
            _append(spans, source.model_copy(update={"text": text, "bbox": geometry.rounded(word.bbox)}))
        pieces.append(Fragment(geometry.union(word.bbox for word in part), spans, part))
    return pieces


def _next_amount(before: str, word: str) -> bool:
    """Whether a lone currency sign after an amount opens the next column (``44,538 $ 37,403``)."""
    return word in ("$", "€", "£", "¥") and (before[-1].isdigit() or before[-1] in ")%—–")


def _pictures(placements: Any, matrix: Any, bounds: BBox) -> list[Picture]:
    pictures = []
    for info in placements:
        box = _seen(info["bbox"], matrix)
        if geometry.area(geometry.clamp(box, bounds)) <= 0:
            continue
        raw_size = info["width"] * info["height"] * info["bpc"] * info["colorspace"] // 8
        compressed = info["size"] > 1024 and info["size"] != raw_size
        identity = (info["width"], info["height"], info["bpc"], info["colorspace"], info["size"]) if compressed else ()
        pictures.append(Picture(geometry.clamp(box, bounds), identity))
    return pictures
