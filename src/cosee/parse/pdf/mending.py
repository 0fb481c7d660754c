"""Fragments mended before layout: text without widths or printed twice, letter-spaced words, initials over lines."""

from __future__ import annotations

from itertools import product
from statistics import median

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf import thresholds
from cosee.parse.pdf.direction import has_rtl
from cosee.parse.pdf.page_model import Fragment, Word


def mended(fragments: list[Fragment]) -> list[Fragment]:
    """The fragments of a page with these faults of setting mended."""
    for fragment in fragments:
        least = thresholds.COLLAPSED_SHARE * geometry.height(fragment.bbox)
        if geometry.width(fragment.bbox) < least and not fragment.rotated:
            _widen(fragment)
    kept = _without_parts(_without_reprints(fragments))
    for fragment in kept:
        if len(fragment.words) >= thresholds.MIN_SPACED_LETTERS and all(len(word.text) == 1 for word in fragment.words):
            _join_letters(fragment)
    return _with_initials(_whole_lines(kept))


def _widen(fragment: Fragment) -> None:
    """Give a line without width the size that its height tells, and characters half as wide as that."""
    left, top, _, bottom = fragment.bbox
    size = (bottom - top) / thresholds.LINE_HEIGHT
    step = size / 2
    at = 0
    for span in fragment.spans:
        end = at + len(span.text)
        span.bbox = geometry.rounded((left + step * at, top, left + step * end, bottom))
        span.size, at = round(size, 2), end
    fragment.bbox = (left, top, left + step * at, bottom)
    text, at = fragment.text, 0
    for word in fragment.words:
        at = max(text.find(word.text, at), at)
        word.bbox = (left + step * at, top, left + step * (at + len(word.text)), bottom)
        at += len(word.text)


def _whole_lines(fragments: list[Fragment]) -> list[Fragment]:
    """Join neighbours on one baseline that a word space parts.

    Only large text, since a title over two columns is one line and not one in each, and text that has a space
    character at the seam (a link in a sentence); cells of a table may stand as close.
    """
    sizes = sorted(fragment.size for fragment in fragments)
    limit = thresholds.DISPLAY_SIZE * sizes[len(sizes) // 2] if sizes else 0.0
    upright = [f for f in fragments if not f.hidden and not f.rotated and not f.ocr or f.size > limit]
    upright.sort(key=lambda f: (round(f.bbox[3]), f.bbox[0]))
    gone: set[int] = set()
    for one, other in zip(upright, upright[1:], strict=False):
        if _is_one_line(one, other, limit):
            prepend(one, other)
            gone.add(id(one))
    return [f for f in fragments if id(f) not in gone] if gone else fragments


def _is_one_line(one: Fragment, other: Fragment, large: float) -> bool:
    size = one.size
    least, most = thresholds.SAME_LINE_GAP
    if not least * size <= other.bbox[0] - one.bbox[2] <= most * size:
        return False
    if abs(one.bbox[3] - other.bbox[3]) > thresholds.SAME_LINE_OFFSET * size:
        return False
    if abs(size - other.size) > thresholds.SAME_LINE_SIZE * size:
        return False
    if one.hidden or one.rotated or other.hidden or other.rotated:
        return False
    spaced = one.space_after or other.space_before
    if size <= large and not (spaced and one.text[-1:].isalpha() and other.text[:1].isalpha()):
        return False
    return not one.text[-1:].isdigit() and not has_rtl(one.text + other.text)


def prepend(one: Fragment, other: Fragment) -> None:
    """Set the text of ``one`` before that of ``other``, with a space between them."""
    one.spans[-1].text += " "
    other.spans = one.spans + other.spans
    other.words = one.words + other.words
    other.bbox = geometry.union((one.bbox, other.bbox))
    other.space_before = one.space_before


def _without_reprints(fragments: list[Fragment]) -> list[Fragment]:
    """Leave out what is printed again almost at the same place, to look bold or to cast a shadow."""
    seen: dict[str, dict[_Cell, list[Fragment]]] = {}
    kept = []
    for fragment in fragments:
        left, top, places = fragment.bbox[0], fragment.bbox[1], seen.setdefault(fragment.text, {})
        if not places:
            places[_band(left), _band(top)] = [fragment]
            kept.append(fragment)
            continue
        limit = thresholds.REPRINT_OFFSET * fragment.size
        columns, rows = (range(_band(edge - limit), _band(edge + limit) + 1) for edge in (left, top))
        # Broken files set text in sizes without end: of many cells only those that hold something are looked at.
        few = (columns.stop - columns.start) * (rows.stop - rows.start) <= len(places)
        near = product(columns, rows) if few else sorted(at for at in places if at[0] in columns and at[1] in rows)
        earlier = (other for cell in near for other in places.get(cell, ()))
        first = next((other for other in earlier if _is_same_place(other, fragment, limit)), None)
        if first is None:
            places.setdefault((_band(left), _band(top)), []).append(fragment)
            kept.append(fragment)
            continue
        first.hidden = first.hidden and fragment.hidden
        for span in first.spans:
            span.bold = True
    return kept


def _without_parts(fragments: list[Fragment]) -> list[Fragment]:
    """Leave out a piece all of whose words another has at almost the same place: MuPDF joins the words of a title and
    of its shadow to lines as they come."""
    placed = sorted(enumerate(fragments), key=lambda pair: pair[1].bbox[1])
    gone: set[int] = set()
    left = thresholds.MAX_WORDS_COMPARED
    for at, (n, one) in enumerate(placed):
        start, _, end, bottom = one.bbox
        for m, other in placed[at + 1 : at + 1 + thresholds.MAX_BESIDE]:
            if other.bbox[1] >= bottom or left <= 0:
                break
            if other.bbox[0] >= end or other.bbox[2] <= start or n in gone or m in gone:
                continue
            fewer, more = sorted((n, m), key=lambda index: (len(fragments[index].words), -index))
            left -= len(one.words) + len(other.words)
            if fragments[fewer].hidden >= fragments[more].hidden and _has_words_of(fragments[more], fragments[fewer]):
                gone.add(fewer)
    return [fragment for n, fragment in enumerate(fragments) if n not in gone] if gone else fragments


def _has_words_of(one: Fragment, other: Fragment) -> bool:
    """Whether the words of ``other`` are among those of ``one``; both have them in one order."""
    limit = thresholds.REPRINT_OFFSET * one.size
    at = 0
    for word in other.words:
        while at < len(one.words) and not (
            one.words[at].text == word.text and _is_same_place(one.words[at], word, limit)
        ):
            at += 1
        if at == len(one.words):
            return False
        at += 1
    return bool(other.words)


_Cell = tuple[int, int]
"""A column and a row of the page, each as wide as ``_band`` says."""


def _band(edge: float) -> int:
    return int(edge // thresholds.REPRINT_BAND)


def _is_same_place(one: Fragment | Word, other: Fragment | Word, limit: float) -> bool:
    return all(abs(a - b) <= limit for a, b in zip(one.bbox, other.bbox, strict=True))


def _join_letters(fragment: Fragment) -> None:
    """``A B S T R A C T`` as one word, several ones where some gaps are wider."""
    letters = [word.text for word in fragment.words]
    word = "".join(letters)
    if fragment.rotated or not word.isalpha() or not word.isascii():
        return
    if len(set(letters)) < thresholds.MIN_DIFFERENT_LETTERS:
        return
    if letters == sorted(letters) or not set(word.lower()) & set("aeiouy"):
        return
    gaps = [b.bbox[0] - a.bbox[2] for a, b in zip(fragment.words, fragment.words[1:], strict=False)]
    limit = median(gaps) + thresholds.SPACED_WORD_GAP * fragment.size
    words = [Word(letters[0], fragment.words[0].bbox)]
    for gap, letter in zip(gaps, fragment.words[1:], strict=True):
        if gap > limit:
            words.append(Word(letter.text, letter.bbox))
        else:
            words[-1] = Word(words[-1].text + letter.text, geometry.union((words[-1].bbox, letter.bbox)))
    first = max(fragment.spans, key=lambda span: len(span.text))
    text = " ".join(word.text for word in words)
    fragment.words = words
    fragment.spans = [first.model_copy(update={"text": text, "bbox": geometry.rounded(fragment.bbox)})]


def _with_initials(fragments: list[Fragment]) -> list[Fragment]:
    """Join each large initial to the first of the lines beside it; their boxes then begin where it does."""
    large = [f for f in fragments if len(f.text) <= 2 and f.text.strip("\"'“‘«").isupper() and _may_begin(f)]
    taken: set[int] = set()
    for initial in large if len(large) <= thresholds.MAX_INITIALS else []:
        beside = [f for f in fragments if f is not initial and _is_beside(initial, f)]
        beside.sort(key=lambda f: f.bbox[1])
        if len(beside) < thresholds.INITIAL_LINES or not beside[0].text[:1].isalpha():
            continue
        first = beside[0]
        joint = "" if _completes(initial.text, first, fragments) else " "
        first.spans[0].text = f"{initial.text}{joint}{first.spans[0].text}"
        if first.words and not joint:
            first.words[0].text = f"{initial.text}{first.words[0].text}"
        for line in beside:
            line.bbox = _from_left(initial.bbox, line.bbox)
            line.spans[0].bbox = _from_left(initial.bbox, line.spans[0].bbox)
        taken.add(id(initial))
    return [f for f in fragments if id(f) not in taken] if taken else fragments


def _may_begin(fragment: Fragment) -> bool:
    return fragment.size >= thresholds.INITIAL_POINTS and not fragment.hidden and not fragment.rotated


def _is_beside(initial: Fragment, line: Fragment) -> bool:
    if line.hidden or line.rotated or line.size * thresholds.INITIAL_SIZE > initial.size:
        return False
    gap, size = line.bbox[0] - initial.bbox[2], line.size
    least, most = thresholds.INITIAL_GAP
    middle = (line.bbox[1] + line.bbox[3]) / 2
    return least * size <= gap <= most * size and initial.bbox[1] < middle < initial.bbox[3]


def _completes(initial: str, first: Fragment, fragments: list[Fragment]) -> bool:
    """Whether the text goes on in the initial's own word: ``O`` and ``nce``, but not ``A`` and ``company``."""
    letter = initial.strip("\"'“‘«")
    word = first.text.split(maxsplit=1)[0].strip(".,;:")
    if letter not in ("A", "I", "O", "E", "Y", "Z"):
        return True
    texts = " ".join(f.text for f in fragments if f is not first).lower().split()
    return word.lower() not in texts and (letter in ("A", "O", "E", "Y", "Z") or len(word) > 1)


def _from_left(initial: BBox, line: BBox) -> BBox:
    return round(min(initial[0], line[0]), 2), line[1], line[2], line[3]
