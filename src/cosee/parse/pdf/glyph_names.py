"""Glyphs without a letter that the name in their font tells: the sums and brackets of TeX's extension fonts."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from cosee.artifacts.base import BBox
from cosee.imaging.pdf_faults import pdf_faults

UNKNOWN = "\ufffd"
# General knowledge: how TeX's extension fonts name the sizes and the parts of a sign, and how far down, in font sizes,
# such a sign hangs from its base line.
_SIZED = re.compile(r"(?P<sign>[A-Za-z]+?)(?P<size>display|text|big|Big|bigg|Bigg|tp|bt|mid|ex)(?:\.\d+)?")
# General knowledge: the sizes in which these fonts have their signs.
_DEPTHS = {"text": 1.0, "display": 1.4, "big": 1.16, "Big": 1.76, "bigg": 2.36, "Bigg": 2.96}
# General knowledge: the sizes in which they have their integrals.
_INTEGRAL_DEPTHS = {"text": 1.11, "display": 2.22}
_PART_DEPTHS = {"tp": 1.8, "bt": 1.8, "mid": 1.8, "ex": 0.6}
# General knowledge: names of glyphs that Adobe's list of names lacks.
_SIGNS = {
    "vextendsingle": "|", "vextenddouble": "‖", "floorleft": "⌊", "floorright": "⌋", "ceilingleft": "⌈",
    "ceilingright": "⌉", "angbracketleft": "⟨", "angbracketright": "⟩", "llbracket": "⟦", "rrbracket": "⟧",
    "contintegral": "∮", "coproduct": "∐", "intersection": "⋂", "union": "⋃", "circledot": "⨀",
    "circleplus": "⨁", "circlemultiply": "⨂", "logicaland": "⋀", "logicalor": "⋁", "unionmulti": "⨄",
}  # fmt: skip


class NamedGlyph(NamedTuple):
    """The sign of a glyph, empty for a part that only makes another one longer, and its box in points."""

    sign: str
    box: BBox


def named_glyphs(page: Any) -> dict[tuple[int, int], NamedGlyph]:
    """The glyphs of a ``pymupdf.Page`` that have no letter and whose name tells one, by ``place_of_glyph``."""
    found: dict[tuple[int, int], NamedGlyph] = {}
    try:
        fonts = _Fonts(page)
        for span in page.get_texttrace():
            for code, number, origin, box in span["chars"]:
                if code != ord(UNKNOWN) or span["dir"] != (1.0, 0.0):
                    continue
                glyph = _glyph(fonts.name(span["font"], number), origin, box, float(span["size"]))
                if glyph is not None:
                    found[place_of_glyph(origin)] = glyph
    except pdf_faults():
        return {}
    return found


def place_of_glyph(origin: Any) -> tuple[int, int]:
    """A glyph's origin in tenths of a point."""
    return round(origin[0] * 10), round(origin[1] * 10)


class _Fonts:
    """Names of the glyphs of a page's fonts, each font loaded when it is asked for."""

    def __init__(self, page: Any) -> None:
        self._page = page
        named: dict[str, set[int]] = {}
        for font in page.get_fonts(full=True):
            named.setdefault(font[3].rpartition("+")[2], set()).add(font[0])
        # Two subsets of one font number their glyphs each in its own way, and a glyph says only the font's name.
        self._references = {name: min(found) for name, found in named.items() if len(found) == 1}
        self._loaded: dict[str, Any] = {}

    def name(self, font: str, number: int) -> str:
        import pymupdf

        font = font.rpartition("+")[2]
        if font not in self._loaded:
            self._loaded[font] = self._load(font)
        loaded = self._loaded[font]
        return str(pymupdf.mupdf.fz_get_glyph_name2(loaded.this, number)) if loaded is not None else ""

    def _load(self, font: str) -> Any:
        """The font, None where it is not embedded or broken."""
        import pymupdf

        try:
            program = self._page.parent.extract_font(self._references.get(font, 0))[3]
            return pymupdf.Font(fontbuffer=program) if program else None
        except pdf_faults():
            return None


def _glyph(name: str, origin: Any, box: Any, size: float) -> NamedGlyph | None:
    match = _SIZED.fullmatch(name)
    sign, part = name, ""
    letter = _letter(name)
    if match is not None and not letter:
        sign, part = match["sign"], match["size"]
        letter = _letter(sign)
    if not letter:
        return None
    depths = _INTEGRAL_DEPTHS if sign in ("integral", "contintegral") else _DEPTHS
    depth = depths.get(part) or _PART_DEPTHS.get(part)
    top, bottom = (box[1], box[3]) if depth is None else (origin[1], origin[1] + depth * size)
    # Of a sign made of parts the first one stands for it, of a brace and bracket the upper one.
    longer = part in ("bt", "mid", "ex")
    return NamedGlyph("" if longer else letter, (float(box[0]), float(top), float(box[2]), float(bottom)))


def _letter(name: str) -> str:
    """What a name stands for; nothing for blanks and control characters, of which the ink tells, and private use."""
    import pymupdf

    letter = _SIGNS.get(name) or chr(pymupdf.mupdf.fz_unicode_from_glyph_name_strict(name))
    return letter if letter.isprintable() and letter not in (UNKNOWN, " ") else ""
