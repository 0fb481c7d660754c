"""One PDF page through PyMuPDF: its fragments of text, vector drawings and pictures, as seen by a reader."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache, partial
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from typing import Any

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.layout import Span
from cosee.imaging.pdf_faults import pdf_faults
from cosee.imaging.upright import Turn
from cosee.parse.pdf import thresholds
from cosee.parse.pdf.blank_glyphs import name_glyphs
from cosee.parse.pdf.direction import is_rtl, mend_ligatures, reading_words
from cosee.parse.pdf.formulas import fraction_bars
from cosee.parse.pdf.mending import mended
from cosee.parse.pdf.nominal_sizes import mend_sizes
from cosee.parse.pdf.outlines import borders_in, painted_path, read_outlines
from cosee.parse.pdf.page_model import Fragment, Picture, RawPage, Vector, Word, append_span
from cosee.parse.pdf.paper import Paper
from cosee.parse.pdf.struck_out import STRUCK_OUT, struck_words
from cosee.parse.pdf.superscripts import attach_scripts, flag_superscripts
from cosee.parse.pdf.text_lines import Place, place_of, text_lines
from cosee.parse.pdf.turned_page import turn_boxes
from cosee.parse.pdf.turning import chained, quarter_of, seen_box, seen_direction, text_angle
from cosee.parse.pdf.vertical import read_columns
from cosee.parse.pdf.visibility import FILLED, STROKED, Painting, mark_hidden
from cosee.text.cleaning import clean

_BOLD_NAME = re.compile(
    r"bold|black|heavy|demi|medi(?:um)?(?:ital|obli)?(?![a-z])|(?:^|\+)(?:cm|sf|ec|lm)b(?:x|sr)|[-,_](?:bd|blk?|hv|sb|md)(?![a-z])|\.bi?$",
    re.IGNORECASE,
)
"""How fonts say that they are bold: in full, as ``-Bd``, ``-Hv`` or ``.B`` at the end, or as TeX's ``CMBX``.
General knowledge: the weights of fonts, as OpenType and TeX name them."""
# General knowledge: the slants of fonts, as OpenType and TeX name them.
_ITALIC_NAME = re.compile(r"ital|obli|slanted|(?:^|\+)(?:cm|sf|ec|lm)(?:ti|sl)|[-,_]it(?![a-z])|\.b?i$", re.IGNORECASE)
_REFERENCE = re.compile(r"\d+ \d+ R")
_SUPERSCRIPT, _ITALIC, _MONOSPACED, _BOLD = 1, 2, 8, 16
"""Flags of a span's font."""
_EMBOLDENED = FILLED | STROKED
"""Character flags of what office programs draw where a font has no bold."""
_DRAWN = 8 | FILLED | STROKED | 64
"""Character flags that say how a letter is drawn: in bold, filled, stroked, as a clip; not what stands around it."""
_FILL_AND_STROKE = re.compile(rb"2(?<![\d.]2)\s+Tr\b")
"""The operator that fills and strokes letters; a pattern that begins with a sign is searched for much faster."""


def read_page(page: Any) -> RawPage:
    """Read a ``pymupdf.Page``; boxes are those of the page as seen. Bounds that are hit are ``truncated`` in ``flags``.

    Where most text is set sideways or upside down (``text_angle``), words and scripts are put together as if the page
    was held so that it reads.
    """
    text_page, content, listed = _extracted(page)
    matrix = seen = page.rotation_matrix if page.rotation else None
    raw = RawPage(float(page.rect.width), float(page.rect.height), [], [], [])
    raw.text_angle = text_angle(_directions(content, matrix))
    upright = Turn(raw.width, raw.height, (360 - raw.text_angle) % 360)
    if raw.text_angle:
        matrix = chained(matrix, upright.matrix)
        raw.width, raw.height = upright.turned_size
    raw.paper = paper = Paper(page)
    found = name_glyphs(page, paper, seen, text_page, content, text_page.extractWORDS())
    found = mend_sizes(content, mend_ligatures(content, text_page, found))
    struck, strokes = struck_words(page, paper, content, found)
    words = _words_by_line(found, matrix)
    paintings: list[Painting] = []
    text_block = -1
    framed, borders = borders_in(content["blocks"]), dict[int, list[Vector]]()
    for order, block in enumerate(content["blocks"]):
        if block["type"] == 0:
            text_block += 1
            for line_number, line in enumerate(block["lines"]):
                for fragment, painting in _fragments(line, order, words.get((text_block, line_number), []), matrix):
                    raw.fragments.append(fragment)
                    paintings.append(painting)
        elif block["type"] == 3 and block.get("alpha", 255) > thresholds.INVISIBLE_ALPHA and order not in strokes:
            vector = painted_path(block, order, seen_box(block["bbox"], matrix), raw.bbox)
            if vector is not None:
                raw.vectors.append(vector)
                if order in framed:
                    sides = (painted_path(block, order, seen_box(side, matrix), raw.bbox) for side in framed[order])
                    borders[order] = [side for side in sides if side is not None]
    raw.outlines = cache(partial(read_outlines, page, seen))
    raw.pictures = _pictures(page, listed, matrix, raw.bbox) if listed is not None else []
    _limit(raw)
    _finish(page, paper, raw, upright, paintings, [seen_box(box, matrix) for box in struck], borders)
    return raw


def _limit(raw: RawPage) -> None:
    """Cut what is too much, and say so."""
    for name, values, limit in (
        ("fragments", raw.fragments, thresholds.MAX_FRAGMENTS),
        ("vectors", raw.vectors, thresholds.MAX_VECTORS),
        ("pictures", raw.pictures, thresholds.MAX_PICTURES),
    ):
        if len(values) > limit:
            del values[limit:]
            raw.flags += ["truncated", f"too_many_{name}"]


def _finish(
    page: Any,
    paper: Paper,
    raw: RawPage,
    upright: Turn,
    paintings: list[Painting],
    struck: list[BBox],
    borders: Mapping[int, list[Vector]],
) -> None:
    """Tell hidden text, which needs the page as seen, and join scripts and letters, which needs it upright; set words
    in the boxes ``struck`` aside. ``borders``: place of a painted rectangle -> what is a border of it; such a path may
    be a solid box all the same, so that it hides text before it is taken for one."""
    seen_size = upright.width, upright.height
    if raw.text_angle:
        turn_boxes(raw, upright.back, seen_size)
    mark_hidden(page, paper, raw, paintings)
    if raw.text_angle:
        turn_boxes(raw, upright.forward, upright.turned_size)
    raw.vectors = [side for vector in raw.vectors for side in borders.get(vector.order, [vector])]
    if struck:
        raw.fragments = [piece for fragment in raw.fragments for piece in _without_struck(fragment, struck)]
    raw.fragments = attach_scripts(mended(raw.fragments), fraction_bars(raw.vectors))
    if raw.text_angle:
        turn_boxes(raw, upright.back, seen_size)
    else:
        read_columns(raw)


def _extracted(page: Any) -> tuple[Any, Any, list[Any] | None]:
    """MuPDF's text page, its blocks of text and vectors, and the pictures that the page names; None: it has none.

    Pictures need a second run over the page, as the blocks of the first would hold them encoded. It is left out where
    the page names none and the first run, which then looks for pictures as well, meets none inside the content.
    """
    import pymupdf

    options = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_COLLECT_VECTORS
    if _emboldens(page):
        options |= pymupdf.TEXT_COLLECT_STYLES
    everywhere = pymupdf.INFINITE_RECT()
    try:
        listed = page.get_images()
    except pdf_faults():
        listed = None
    if listed == []:
        text_page = page.get_textpage(clip=everywhere, flags=options | pymupdf.TEXT_PRESERVE_IMAGES)
        content = text_page.extractDICT()
        if not any(block["type"] == 1 for block in content["blocks"]):
            return text_page, content, None
    text_page = page.get_textpage(clip=everywhere, flags=options)
    return text_page, text_page.extractDICT(), listed or []


def _emboldens(page: Any) -> bool:
    """Whether a page fills and strokes letters."""
    try:
        contents = page.read_contents()
    except pdf_faults():
        return False
    few = len(contents) <= thresholds.MAX_STYLED_CONTENT
    return few and b"Tr" in contents and _FILL_AND_STROKE.search(contents) is not None


def _directions(content: Any, matrix: Any) -> list[tuple[int | None, str]]:
    """Quarter turns and characters of every span."""
    return [
        (quarter, span["text"].strip())
        for _, line in text_lines(content)
        for quarter in [quarter_of(*seen_direction(line["dir"], matrix))]
        for span in line["spans"]
    ]


def _words_by_line(words: list[Any], matrix: Any) -> dict[Place, list[Word]]:
    lines: dict[Place, list[Word]] = {}
    for word in words:
        cleaned = clean(word[4])
        if cleaned:
            lines.setdefault(place_of(word), []).append(Word(cleaned, seen_box(word, matrix)))
    return lines


def _fragments(line: Any, order: int, words: list[Word], matrix: Any) -> list[tuple[Fragment, Painting]]:
    """The pieces of one of MuPDF's lines; how each is painted is told by the longest span."""
    dx, dy = seen_direction(line["dir"], matrix)
    rotated = abs(dy) > thresholds.OBLIQUE or dx < 0
    spans: list[Span] = []
    painting = Painting(0, 0, 0, order)
    longest = 0
    for raw in _runs(line["spans"]):
        text = clean(raw["text"])
        if not text:
            continue
        append_span(spans, _span(raw, text, matrix))
        visible = len(text.strip())
        if visible > longest or longest == 0:
            longest = visible
            painting = Painting(raw.get("char_flags", FILLED), raw.get("alpha", 255), raw["color"], order)
    indented, trailing = bool(spans) and spans[0].text[:1].isspace(), bool(spans) and spans[-1].text[-1:].isspace()
    _strip(spans)
    if not spans:
        return []
    if not rotated:
        if indented and words:
            spans[0].bbox = (round(words[0].bbox[0], 2), *spans[0].bbox[1:])
        if trailing and words and words[-1].bbox[2] > spans[-1].bbox[0]:
            spans[-1].bbox = (*spans[-1].bbox[:2], round(words[-1].bbox[2], 2), spans[-1].bbox[3])
        flag_superscripts(spans)
    whole = Fragment(geometry.union(span.bbox for span in spans), spans, words, rotated=rotated)
    has_width = geometry.width(whole.bbox) > thresholds.COLLAPSED_WIDTH
    pieces = _split_at_gaps(whole) if has_width else _split_at_rows(whole)
    pieces[0].space_before, pieces[-1].space_after = indented, trailing
    return [(piece, painting) for piece in pieces]


def _split_at_rows(fragment: Fragment) -> list[Fragment]:
    """A line without width in its rows: MuPDF takes lines one below the other for one where their widths are lost."""
    rows: list[Fragment] = []
    for span in fragment.spans:
        if rows and span.bbox[1] < (rows[-1].bbox[1] + rows[-1].bbox[3]) / 2:
            rows[-1].spans.append(span)
            rows[-1].bbox = geometry.union((rows[-1].bbox, span.bbox))
        else:
            rows.append(Fragment(span.bbox, [span], rotated=fragment.rotated))
    for row in rows:
        row.words = [w for w in fragment.words if row.bbox[1] <= (w.bbox[1] + w.bbox[3]) / 2 < row.bbox[3]]
    return rows


def _runs(spans: list[Any]) -> list[Any]:
    """Neighbouring MuPDF spans of one style as one; some files set every word and space on its own."""
    runs: list[Any] = []
    for span in spans:
        drawn = span.get("char_flags", 0) & _DRAWN
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
    font, bold, italic = _font(raw["font"], bool(flags & _MONOSPACED))
    return Span(
        text=text,
        bbox=geometry.rounded(seen_box(raw["bbox"], matrix)),
        size=round(float(raw["size"]), 1),
        font=font,
        bold=bold or bool(flags & _BOLD) or raw.get("char_flags", 0) & _EMBOLDENED == _EMBOLDENED,
        italic=italic or bool(flags & _ITALIC),
        superscript=bool(flags & _SUPERSCRIPT) and bool(text.strip()),
        color=_hex_color(raw["color"]),
    )


@lru_cache(maxsize=4096)
def _font(raw: str, monospaced: bool) -> tuple[str, bool, bool]:
    """A font's name, and whether it says that it is bold or italic. Fonts of code are set in their medium weight."""
    font = clean(raw)
    weight = _BOLD_NAME.search(font)
    bold = weight is not None and not (monospaced and weight[0].lower() == "medium")
    return font, bold, _ITALIC_NAME.search(font) is not None


@lru_cache(maxsize=1024)
def _hex_color(value: int) -> str | None:
    """``#rrggbb``, None for black and what cannot be told from it."""
    lightest = max(value >> 16 & 255, value >> 8 & 255, value & 255)
    return None if lightest <= thresholds.BLACK_LEVEL else f"#{value & 0xFFFFFF:06x}"


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
    limit = thresholds.FRAGMENT_GAP * fragment.size
    cuts = [
        i
        for i in range(1, len(words))
        if words[i].bbox[0] - words[i - 1].bbox[2] > limit or _next_amount(words[i - 1].text, words[i].text)
    ]
    if not cuts and not backwards:
        return [fragment]
    parts = [words[start:end] for start, end in zip([0, *cuts], [*cuts, len(words)], strict=True)]
    return [_piece(fragment, reading_words(part) if backwards else part) for part in parts]


def _piece(fragment: Fragment, words: list[Word]) -> Fragment:
    """The part of a fragment that some of its words make."""
    box = geometry.union(word.bbox for word in words)
    if fragment.rotated:
        text = " ".join(word.text for word in words)
        span = fragment.spans[0].model_copy(update={"text": text, "bbox": geometry.rounded(box)})
        return Fragment(box, [span], words, rotated=True)
    spans: list[Span] = []
    for number, word in enumerate(words):
        source = fragment.span_at((word.bbox[0] + word.bbox[2]) / 2)
        last = words[number - 1].bbox
        gap = max(last[0] - word.bbox[2], word.bbox[0] - last[2])
        text = word.text if number == 0 or gap < thresholds.WORD_SPACE * fragment.size else f" {word.text}"
        append_span(spans, source.model_copy(update={"text": text, "bbox": geometry.rounded(word.bbox)}))
    return Fragment(box, spans, words)


def _without_struck(fragment: Fragment, struck: list[BBox]) -> list[Fragment]:
    """A fragment in parts, those set aside whose words lie in the boxes; in one where none or all of them do."""
    if fragment.hidden or not any(geometry.overlap(fragment.bbox, box) for box in struck):
        return [fragment]
    is_struck = [any(geometry.center_inside(word.bbox, box) for box in struck) for word in fragment.words]
    if not any(is_struck):
        return [fragment]
    if all(is_struck):
        fragment.hidden, fragment.hidden_reason = True, STRUCK_OUT
        return [fragment]
    if is_rtl(fragment.text):
        return [fragment]
    pieces = []
    for hidden, run in groupby(zip(is_struck, fragment.words, strict=True), key=itemgetter(0)):
        piece = _piece(fragment, [word for _, word in run])
        piece.ocr = fragment.ocr
        if hidden:
            piece.hidden, piece.hidden_reason = True, STRUCK_OUT
        pieces.append(piece)
    pieces[0].space_before, pieces[-1].space_after = fragment.space_before, fragment.space_after
    return pieces


def _next_amount(before: str, word: str) -> bool:
    """Whether a lone currency sign after an amount opens the next column (``44,538 $ 37,403``)."""
    return word in ("$", "€", "£", "¥") and (before[-1].isdigit() or before[-1] in ")%—–")


def _pictures(page: Any, listed: Any, matrix: Any, bounds: BBox) -> list[Picture]:
    """The pictures placed on a page; ``listed`` are those that it names.

    Placements are of one picture where the streams behind them are the same. Where the page names several pictures of
    one size and shows one of them twice, the pixels of each placement tell which it is; where it shows each once, as
    the strips of a scan, it is not asked.
    """
    streams: dict[tuple[int, int], set[int]] = {}
    for xref, mask, width, height, *_ in listed:
        parts = [page.parent.xref_stream_raw(each) or b"" for each in (xref, mask) if each]
        # Its palette and decoding; copies of one picture refer to copies of their masks.
        parts.append(_REFERENCE.sub("", page.parent.xref_object(xref, compressed=True)).encode("utf-8", "replace"))
        streams.setdefault((width, height), set()).add(_digest(b"".join(parts)))
    placements = page.get_image_info()
    least = thresholds.TINY_STREAM
    shown = Counter((info["width"], info["height"]) for info in placements if info["size"] > least)
    if any(shown[size] > len(found) > 1 for size, found in streams.items()):
        placements = page.get_image_info(hashes=True)
    pictures = []
    for info in placements:
        box = geometry.clamp(seen_box(info["bbox"], matrix), bounds)
        if geometry.area(box) <= 0:
            continue
        size = info["width"], info["height"]
        known = streams.get(size, set()) if info["size"] > least else set()
        if len(known) > 1:
            known = {_digest(info["digest"])} if "digest" in info else set()
        pictures.append(Picture(box, (*size, *known) if known else (), info["width"] * info["height"]))
    return pictures


def _digest(data: bytes) -> int:
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big")
