"""Lines of a layout block become paragraphs, lists, code, equations and contents lists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field
from statistics import median
from typing import Literal

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.layout import LayoutBlock, Line, Span
from cosee.parse.content import thresholds
from cosee.parse.content.code import FixedPitch, character_width, indented, is_code
from cosee.parse.content.contents_lines import CONTENTS
from cosee.parse.content.equations import EQUATION_NUMBER, MATH, equation_label, is_equation
from cosee.parse.content.hanging import counts_on, hanging_edge
from cosee.parse.pdf.bookmark_titles import cut_lines, title_cuts
from cosee.parse.pdf.formulas import latex_of_lines
from cosee.text.caption_words import CAPTION
from cosee.text.scripts import is_cjk

PieceRole = Literal["paragraph", "list", "code", "equation", "toc"]

BULLET = re.compile(r"^\s*(?:[•●○◦▪▫■□➢➤✓✔»‣⁃∙·\uf0b7\uf0a7\uf0d8\u2043]|[-–—*](?=\s))\s*")
NUMBERED = re.compile(r"^\s*(?:\(?(\d{1,3}|[A-Za-z]|[ivxlIVXL]{1,5})[.)])\s+")
LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}|(?:·\s?){4,}")
# General knowledge: a line of a table of contents ends in a leader and a page, in digits or Roman numerals.
_CONTENTS_LINE = re.compile(r"(?:(?:\.\s?){3,}|…+|(?:·\s?){4,}|\s)\s*(?:\d{1,4}|[ivxlc]{1,6})\s*$")
_TERMINAL = re.compile(r"[.!?:;。！？：；][\"'”’)\]]*$")
_BARE_NUMBER = re.compile(r"^(\d{1,3})\s+(?=[^\W\d_])")
_BROKEN_WORD = re.compile(r"[^\W\d_]{2}[-\u00ad]$")
_LABEL_ENDS = re.compile(r"\S+\s*[\w.\-]*\d\s*[:.|–—]\s")
"""A label with the sign that parts it from its title: ``Table 1: ``."""
_SECTION_NUMBER = re.compile(r"^\d{1,2}(?:\.\d{1,2}){0,4}\.?\s+[^\W\d_]")
_DEEP_NUMBER = re.compile(r"^\d{1,2}(?:\.\d{1,2}){1,4}\.?\s+[^\W\d_]")
_TITLE_NUMBER = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+[^\W\d_]")
_FOOTNOTE_SIGN = re.compile(r"^(?:\*{1,3}|[†‡§¶])\s?(?=\w)")


@dataclass
class Piece:
    """A part of a block with one role. ``text`` of a list, of code and of contents keeps line breaks."""

    role: PieceRole
    lines: list[str]
    bbox: BBox
    size: float
    bold: bool
    italic: bool = False
    font: str | None = None
    color: str | None = None
    label: str | None = None
    ends_open: bool = False
    """Whether the last line breaks a word, or fills at least half of its column without ending a sentence: it may go on
    elsewhere."""
    starts: list[int] = field(default_factory=list)
    """For a list: index of the first line of each list item."""
    pitch: float = 0.0
    """For code: width of a character in points."""
    latex: str | None = None


def footnote_marks(blocks: list[LayoutBlock]) -> set[str]:
    """Marks that start a footnote on a page: a superscript at the beginning of a line of text."""
    marks = set()
    for block in blocks:
        for line in block.lines if block.kind == "text" else []:
            if len(line.spans) > 1 and line.spans[0].superscript:
                marks.add(line.spans[0].text.strip())
    return marks


def line_text(line: Line, marks: set[str]) -> str:
    """A line's characters; a footnote mark reads ``[3]``, an exponent ``^3``, so that no number grows by it.

    The letter o in a font of its own before a line is the round bullet of office programs.
    """
    parts: list[str] = []
    first, *others = line.spans
    if others and first.text.strip() == "o" and others[0].font != first.font:
        first = first.model_copy(update={"text": "◦ "})
    for number, span in enumerate([first, *others]):
        parts.append(_span_text(span, "".join(parts), number, marks))
    return "".join(parts).strip()


def _span_text(span: Span, before: str, number: int, marks: set[str]) -> str:
    text = span.text
    mark = text.strip()
    if not span.superscript or len(mark) > thresholds.MAX_SUPERSCRIPT:
        return text
    if number == 0:
        return f"{mark} " if mark.isdigit() else text
    if not before or before[-1].isspace() or not mark[:1].isalnum():
        return text
    tail = " " if text.endswith(" ") else ""
    if mark in marks:
        return f" [{mark}]{tail}"
    # General knowledge: the endings of English ordinals.
    if mark.isdigit() or (mark.isalpha() and before[-1].isdigit() and mark not in ("st", "nd", "rd", "th")):
        return f"^{mark}{tail}"
    return text


def pieces_of(
    block: LayoutBlock,
    marks: set[str],
    pitch: FixedPitch,
    titles: Set[str] = frozenset(),
    listed: Set[str] = frozenset(),
) -> list[Piece]:
    """The block's lines as pieces, in order; every line is in exactly one piece.

    ``pitch`` is the document's. ``titles`` are the bookmarks of the page, ``listed`` the printed contents before it:
    what they name becomes a piece of its own.
    """
    lines = block.lines
    if not lines:
        return []
    texts = [line_text(line, marks) for line in lines]
    if "ocr" not in block.flags and is_code(lines, pitch):
        width = character_width(lines)
        piece = _piece("code", lines, indented(lines, width))
        piece.pitch = width
        return [piece]
    if "formula" in block.flags:
        piece = _equation(lines, texts)
        piece.latex = block.latex
        return [piece]
    if CONTENTS in block.flags or _is_contents(texts):
        return [_piece("toc", lines, texts)]
    lines = cut_lines(lines, titles)
    texts = texts if len(lines) == len(texts) else [line_text(line, marks) for line in lines]
    sizes = thresholds.OCR_SIZES if "ocr" in block.flags else thresholds.SIZES
    groups = _groups(lines, texts, title_cuts(texts, titles | listed), sizes)
    pieces: list[Piece] = []
    for start, end in groups:
        part, words = lines[start:end], texts[start:end]
        if is_equation(part, words):
            pieces.append(_equation(part, words))
            if not {"ocr", "rotated"} & set(block.flags):
                pieces[-1].latex = latex_of_lines([line.spans for line in part], pieces[-1].label)
        elif _is_marked(words[0]) and not _line_bold(part[0]):
            _add_list_item(pieces, part, words)
        else:
            pieces.append(_piece("paragraph", part, words))
    for piece in pieces:
        _demote_single_number(piece)
    if pieces:
        last = lines[-1]
        full = geometry.width(last.bbox) >= thresholds.FULL_WIDTH * geometry.width(block.bbox)
        broken = bool(_BROKEN_WORD.search(texts[-1]))
        pieces[-1].ends_open = broken or full and not _TERMINAL.search(texts[-1])
    return pieces


def _equation(lines: list[Line], texts: list[str]) -> Piece:
    piece = _piece("equation", lines, texts)
    piece.label = equation_label(lines, texts)
    return piece


def _piece(role: PieceRole, lines: list[Line], texts: list[str]) -> Piece:
    spans = [span for line in lines for span in line.spans]
    sizes = [span.size for span in spans for _ in range(max(1, len(span.text) // thresholds.SIZE_WEIGHT))]
    if not any(map(str.islower, "".join(texts))):
        sizes = [max(sizes)]  # small capitals: the capitals tell the size
    looks: Counter[Look] = Counter()
    for span in spans:
        looks[span.font, span.bold, span.italic, span.color] += len(span.text)
    total = sum(looks.values())
    font, _, _, color = max(looks, key=lambda look: looks[look], default=(None, False, False, None))
    bold = 2 * sum(count for look, count in looks.items() if look[1]) > total
    italic = 2 * sum(count for look, count in looks.items() if look[2]) > total
    box = geometry.union(line.bbox for line in lines)
    return Piece(role, texts, box, round(median(sizes), 2), bold, italic, font, color)


Look = tuple[str | None, bool, bool, str | None]
"""(font, bold, italic, colour)."""


def _line_bold(line: Line) -> bool:
    letters = sum(len(span.text.strip()) for span in line.spans)
    return sum(len(span.text.strip()) for span in line.spans if span.bold) >= thresholds.BOLD_SHARE * max(letters, 1)


def _set_apart(before: Line, line: Line) -> bool:
    """Whether all of one line is in italics or in a colour, and nothing of the other is: a heading over its text."""
    one, other = _aside(before), _aside(line)
    return one != other and None not in (one, other)


def _aside(line: Line) -> tuple[bool, str | None] | None:
    """(italic, colour) of a line whose words are all alike in them; None for a mixed line."""
    looks = {(span.italic, span.color) for span in line.spans if any(map(str.isalpha, span.text))}
    return looks.pop() if len(looks) == 1 else None


def _groups(lines: list[Line], texts: list[str], titles: set[int], sizes: float) -> list[tuple[int, int]]:
    """Ranges of lines that belong together: cut where style, indent or a list mark says that something new begins."""
    left = min(line.bbox[0] for line in lines)
    right = max(line.bbox[2] for line in lines)
    cuts = [0]
    for n in range(1, len(lines)):
        new_size = _new_size(lines[n - 1], lines[n], sizes)
        titled = n - 1 == cuts[-1] and _is_numbered_title(lines, texts, n, right)
        if n in titles or new_size or titled or _new_paragraph(lines, texts, n, left, right, cuts[-1]):
            cuts.append(n)
    return list(zip(cuts, [*cuts[1:], len(lines)], strict=True))


def _is_numbered_title(lines: list[Line], texts: list[str], n: int, right: float) -> bool:
    """Whether the line before is a title of two or more numbers in the look of its text: it was ended on purpose."""
    numbered = _DEEP_NUMBER.match(texts[n - 1]) and not _TERMINAL.search(texts[n - 1])
    if not numbered or not _starts_sentence(texts[n]):
        return False
    return _would_fit(lines[n - 1], lines[n], texts[n], right)


def _new_size(before: Line, line: Line, sizes: float) -> bool:
    one, other = before.size, line.size
    return abs(one - other) > sizes * max(one, other)


def _new_paragraph(lines: list[Line], texts: list[str], n: int, left: float, right: float, start: int) -> bool:
    before, line = lines[n - 1], lines[n]
    size = line.size
    short = before.bbox[2] < right - thresholds.SHORT_LINE * (right - left) - 1
    if short and _is_capitals(texts[start:n]) and any(map(str.islower, texts[n])):
        return True
    terminal = bool(_TERMINAL.search(texts[n - 1]))
    opens = terminal and CAPTION.match(texts[n]) or _line_bold(line) and _SECTION_NUMBER.match(texts[n])
    if (opens and _spaced(lines, n, size)) or _next_caption(texts, n, start):
        return True
    if _line_bold(line) != _line_bold(before) and (n - 1 == start or short or terminal or n + 1 == len(lines)):
        return True
    ends_early = line.bbox[2] < right - thresholds.EARLY_END * (right - left)
    if (short or terminal or ends_early) and _set_apart(before, line):
        return True
    indented_alike = abs(line.bbox[0] - lines[start].bbox[0]) < thresholds.SAME_INDENT * size
    if indented_alike and _next_in_row(texts[start], texts[n]):
        return True
    if _is_marked(texts[n]) and (BULLET.match(texts[n]) or short or terminal or _is_marked(texts[start])):
        return True
    note = line.spans[0].superscript and len(line.spans) > 1 and line.spans[0].text.strip().isdigit()
    # A line that begins beyond the end of the one above does not go on with it.
    if note or (line.bbox[0] > before.bbox[2] + size and not _is_marked(texts[start])):
        return True
    if EQUATION_NUMBER.search(texts[n - 1]) and MATH.search(texts[n - 1]) and not short and n - 1 == start:
        return True
    if _is_marked(texts[start]):
        return terminal and short and line.bbox[0] <= lines[start].bbox[0] + 1
    edge = hanging_edge(lines[start])
    if edge is not None and abs(line.bbox[0] - edge) <= size and not _would_fit(before, line, texts[n], right):
        return False
    if _is_indented(before, line, left, short) and (terminal or not _is_centred(line, left, right)):
        return True
    return terminal and _starts_sentence(texts[n]) and (short or _would_fit(before, line, texts[n], right))


def _is_indented(before: Line, line: Line, left: float, short: bool) -> bool:
    """Whether a line begins further in than the one before it, which begins at the edge."""
    indent, size = line.bbox[0] - left, line.size
    least, most = thresholds.INDENT
    far = indent >= most * size and short and line.bbox[0] < before.bbox[2] + most * size
    at_edge = before.bbox[0] - left < thresholds.BEFORE_INDENT * size
    return at_edge and (far or least * size < indent < most * size)


def _is_centred(line: Line, left: float, right: float) -> bool:
    return abs((line.bbox[0] + line.bbox[2]) - (left + right)) < line.size


def _next_caption(texts: list[str], n: int, start: int) -> bool:
    """Whether a caption follows right below a caption."""
    labelled = CAPTION.match(texts[n]) and _LABEL_ENDS.match(texts[n])
    return bool(labelled and CAPTION.match(texts[start]) and _TERMINAL.search(texts[n - 1]))


def _spaced(lines: list[Line], n: int, size: float) -> bool:
    """Whether a line stands apart from the one before it by more than lines of one size do in the block."""
    gaps = [line.bbox[1] - above.bbox[3] for above, line in zip(lines, lines[1:], strict=False)]
    alike = [m for m in range(1, len(lines)) if m != n and not _new_size(lines[m - 1], lines[m], thresholds.SIZES)]
    usual = min((gaps[m - 1] for m in alike), default=0.0)
    return gaps[n - 1] > max(thresholds.CAPTION_GAP * size, thresholds.USUAL_GAP * usual)


def _would_fit(before: Line, line: Line, text: str, right: float) -> bool:
    """Whether the first word of a line had room behind the line before it, which was ended on purpose then."""
    # Without spaces the first word is the first character.
    word = text[:1] if is_cjk(text[:1]) else text.split(maxsplit=1)[0]
    width = len(word) * geometry.width(line.bbox) / max(len(text), 1)
    return right - before.bbox[2] > thresholds.FITTING_WORD * width + thresholds.FITTING_SPACE * line.size


def _next_in_row(first: str, text: str) -> bool:
    """Whether two lines begin with a footnote sign each, with numbers that follow each other, or with the number of a
    title and that of its first part."""
    if _FOOTNOTE_SIGN.match(text):
        return bool(_FOOTNOTE_SIGN.match(first))
    if counts_on(first, text):
        return True
    title, part = _TITLE_NUMBER.match(first), _TITLE_NUMBER.match(text)
    if title and part and part[1] == f"{title[1]}.1":
        return True
    number, previous = _BARE_NUMBER.match(text), _BARE_NUMBER.match(first)
    return bool(number and previous) and int(number[1]) == int(previous[1]) + 1  # type: ignore[index]


def _is_capitals(texts: list[str]) -> bool:
    """Whether the lines are a title in capitals: a few words, no sentence."""
    text = " ".join(texts)
    letters = sum(map(str.isalpha, text))
    words = text.split()
    return (
        letters >= thresholds.MIN_CAPITALS
        and not any(map(str.islower, text))
        and len(words) <= thresholds.MAX_CAPITAL_WORDS
        and any(len(word) >= thresholds.CAPITAL_WORD for word in words)
        and not _TERMINAL.search(text)
    )


def _starts_sentence(text: str) -> bool:
    first = text.lstrip("\"'“‘([")[:1]
    return first.isupper() or first.isdigit() or (bool(first) and is_cjk(first))


def _is_marked(text: str) -> bool:
    return bool(BULLET.match(text) or NUMBERED.match(text))


def _add_list_item(pieces: list[Piece], lines: list[Line], texts: list[str]) -> None:
    piece = _piece("list", lines, texts)
    piece.starts = [0]
    last = pieces[-1] if pieces else None
    if last is not None and last.role == "list" and abs(last.size - piece.size) <= thresholds.LIST_SIZE:
        last.starts.append(len(last.lines))
        last.lines += piece.lines
        last.bbox = geometry.union((last.bbox, piece.bbox))
    else:
        pieces.append(piece)


def _demote_single_number(piece: Piece) -> None:
    """One numbered line alone is not a list: it may be a numbered heading, which a later stage decides."""
    if piece.role == "list" and len(piece.starts) == 1 and not BULLET.match(piece.lines[0]):
        piece.role = "paragraph"


def joined_code(first: Piece, second: Piece) -> bool:
    """Append ``second`` to ``first``, behind an empty line, where both are parts of one listing; whether it was done.

    Their common indentation is kept.
    """
    gap = second.bbox[1] - first.bbox[3]
    if first.role != "code" or second.role != "code" or abs(first.size - second.size) > thresholds.LISTING_SIZE:
        return False
    least, most = thresholds.LISTING_GAP
    if not least <= gap <= most * first.size or abs(first.pitch - second.pitch) > thresholds.LISTING_PITCH:
        return False
    steps = round((second.bbox[0] - first.bbox[0]) / first.pitch)
    if abs(steps) > thresholds.MAX_SHIFT:
        return False
    first.lines = [" " * max(-steps, 0) + line for line in first.lines]
    blank = [""] if gap > thresholds.EMPTY_LINE * first.size else []
    first.lines += blank + [" " * max(steps, 0) + line for line in second.lines]
    first.bbox = geometry.union((first.bbox, second.bbox))
    return True


def _has_leader(text: str) -> bool:
    # The signs first: nearly every line ends here, and a search takes many times as long.
    return (text.count(".") >= 4 or "…" in text or "·" in text) and LEADER.search(text) is not None


def _is_contents(texts: list[str]) -> bool:
    leaders = sum(1 for text in texts if _has_leader(text))
    if leaders >= max(thresholds.LEADER_LINES, thresholds.LEADER_SHARE * len(texts)):
        return True
    if leaders == 1 and len(texts) == 1:
        return bool(_CONTENTS_LINE.search(texts[0]))
    # General knowledge: a page number has up to four digits.
    ends = [int(m.group()) for text in texts if (m := re.search(r"\d{1,4}$", text)) and re.search(r"[^\W\d]", text)]
    rising = all(a <= b for a, b in zip(ends, ends[1:], strict=False))
    short = all(len(text) < thresholds.PAGE_LINE_LENGTH and not _TERMINAL.search(text) for text in texts)
    enough = len(ends) >= max(thresholds.PAGE_LINES, thresholds.PAGE_SHARE * len(texts))
    return enough and rising and short and ends[0] + thresholds.PAGE_RISE < ends[-1] < thresholds.MAX_PAGE
