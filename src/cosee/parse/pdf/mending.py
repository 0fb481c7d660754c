"""Fragments mended before layout: text without widths or struck twice, letter-spaced words, initials over lines."""

from __future__ import annotations

from statistics import median

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf.direction import has_rtl
from cosee.parse.pdf.page_model import Fragment, Word

BAND = 8.0
"""Height in points of the bands by which equal texts are looked up: a page may hold thousands of ``0``."""
STRUCK = 0.15
"""Font sizes by which what is struck again is moved at most."""
MIN_LETTERS = 5
"""A letter-spaced word has at least this many letters; fewer may be a row of marks or grades."""
LARGE = 1.3
"""Text larger than this many times the usual size is display text."""
MAX_INITIALS = 60
"""A page with more large letters that stand alone has no initials: they are a puzzle, an eye chart, a pattern."""
INITIAL_SIZE = 1.7
"""An initial is at least this much larger than the text that it begins."""


NO_WIDTH = 0.02
"""A line narrower than this share of its height comes from a font that has lost the widths of its characters."""
LINE_HEIGHT = 1.2
"""Font sizes from the top to the bottom of a line."""


def mended(fragments: list[Fragment]) -> list[Fragment]:
    """The fragments of a page with these faults of setting mended."""
    for fragment in fragments:
        if geometry.width(fragment.bbox) < NO_WIDTH * geometry.height(fragment.bbox) and not fragment.rotated:
            _widen(fragment)
    kept = _struck_once(fragments)
    for fragment in kept:
        if len(fragment.words) >= MIN_LETTERS and all(len(word.text) == 1 for word in fragment.words):
            _close_up(fragment)
    return _with_initials(_whole_lines(kept))


def _widen(fragment: Fragment) -> None:
    """Give a line without width the size that its height tells, and characters half as wide as that."""
    left, top, _, bottom = fragment.bbox
    size = (bottom - top) / LINE_HEIGHT
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
    limit = LARGE * sizes[len(sizes) // 2] if sizes else 0.0
    upright = [f for f in fragments if not f.hidden and not f.rotated and not f.ocr or f.size > limit]
    upright.sort(key=lambda f: (round(f.bbox[3]), f.bbox[0]))
    gone: set[int] = set()
    for one, other in zip(upright, upright[1:], strict=False):
        if _is_one_line(one, other, limit):
            prepend(one, other)
            gone.add(id(one))
    return [f for f in fragments if id(f) not in gone] if gone else fragments


def _is_one_line(one: Fragment, other: Fragment, large: float) -> bool:
    gap, size = other.bbox[0] - one.bbox[2], one.size
    if not -0.05 * size <= gap <= 0.55 * size or abs(one.bbox[3] - other.bbox[3]) > 0.15 * size:
        return False
    if abs(size - other.size) > 0.1 * size or one.hidden or one.rotated or other.hidden or other.rotated:
        return False
    spaced = one.space_after or other.space_before
    if size <= large and not (spaced and one.text[-1:].isalpha() and other.text[:1].isalpha()):
        return False
    return gap >= 0.05 * size and not one.text[-1:].isdigit() and not has_rtl(one.text + other.text)


def prepend(one: Fragment, other: Fragment) -> None:
    """Set the text of ``one`` before that of ``other``, with a space between them."""
    one.spans[-1].text += " "
    other.spans = one.spans + other.spans
    other.words = one.words + other.words
    other.bbox = geometry.union((one.bbox, other.bbox))
    other.space_before = one.space_before


def _struck_once(fragments: list[Fragment]) -> list[Fragment]:
    """Leave out what is drawn again almost at the same place, to look bold or to cast a shadow."""
    seen: dict[str, dict[int, list[Fragment]]] = {}
    kept = []
    for fragment in fragments:
        text, top = fragment.text, fragment.bbox[1]
        limit = STRUCK * fragment.size
        bands = range(int((top - limit) // BAND), int((top + limit) // BAND) + 1)
        places = seen.setdefault(text, {})
        # Broken files set text in sizes without end: of many bands only those that hold something are looked at.
        near = bands if bands.stop - bands.start <= len(places) else sorted(band for band in places if band in bands)
        earlier = (other for band in near for other in places.get(band, ()))
        first = next((other for other in earlier if _same_place(other, fragment, limit)), None)
        if first is None:
            places.setdefault(int(top // BAND), []).append(fragment)
            kept.append(fragment)
            continue
        first.hidden = first.hidden and fragment.hidden
        for span in first.spans:
            span.bold = True
    return kept


def _same_place(one: Fragment, other: Fragment, limit: float) -> bool:
    a, b = one.bbox, other.bbox
    return (
        abs(a[1] - b[1]) <= limit
        and abs(a[0] - b[0]) <= limit
        and abs(a[2] - b[2]) <= limit
        and abs(a[3] - b[3]) <= limit
    )


def _close_up(fragment: Fragment) -> None:
    """``A B S T R A C T`` as one word, several ones where some gaps are wider."""
    letters = [word.text for word in fragment.words]
    spelled = "".join(letters)
    if fragment.rotated or not spelled.isalpha() or not spelled.isascii() or len(set(letters)) < 4:
        return
    if letters == sorted(letters) or not set(spelled.lower()) & set("aeiouy"):
        return
    gaps = [b.bbox[0] - a.bbox[2] for a, b in zip(fragment.words, fragment.words[1:], strict=False)]
    limit = median(gaps) + 0.25 * fragment.size
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
    for initial in large if len(large) <= MAX_INITIALS else []:
        beside = [f for f in fragments if f is not initial and _is_beside(initial, f)]
        beside.sort(key=lambda f: f.bbox[1])
        if len(beside) < 2 or not beside[0].text[:1].isalpha():
            continue
        first = beside[0]
        joint = "" if _completes(initial.text, first, fragments) else " "
        first.spans[0].text = f"{initial.text}{joint}{first.spans[0].text}"
        if first.words:
            first.words[0].text = f"{initial.text}{first.words[0].text}" if not joint else first.words[0].text
        for line in beside:
            line.bbox = _from_left(initial.bbox, line.bbox)
            line.spans[0].bbox = _from_left(initial.bbox, line.spans[0].bbox)
        taken.add(id(initial))
    return [f for f in fragments if id(f) not in taken] if taken else fragments


def _may_begin(fragment: Fragment) -> bool:
    return fragment.size >= 16 and not fragment.hidden and not fragment.rotated


def _is_beside(initial: Fragment, line: Fragment) -> bool:
    if line.hidden or line.rotated or line.size * INITIAL_SIZE > initial.size:
        return False
    gap, size = line.bbox[0] - initial.bbox[2], line.size
    middle = (line.bbox[1] + line.bbox[3]) / 2
    return -0.5 * size <= gap <= 1.2 * size and initial.bbox[1] < middle < initial.bbox[3]


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
