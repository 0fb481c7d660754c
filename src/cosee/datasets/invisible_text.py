"""The invisible text layer of a PDF: words at their places in a font without glyphs, as OCR programs write it.

Any character of Unicode can be in it, which no font that PDF readers bring along promises; a word is exactly as wide
and as high as its box.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from cosee.datasets.thresholds import LEAST_WORD

Box = tuple[float, float, float, float]

_DESCENT = 0.25
"""Part of the font's height below the baseline."""
_ADVANCE = 0.5
"""Width of every character, in parts of the font's height."""
_FONT_CHARACTERS = 0xFFFF
"""Characters that a font can have."""
_BLOCK_ENTRIES = 100
"""Most entries of one block of a character map."""


@dataclass(frozen=True)
class Word:
    """A recognised word: ``bbox`` in 0..1 of the image, ``line`` the height of its line (top, bottom) likewise."""

    text: str
    bbox: Box
    line: tuple[float, float]


class TextLayer:
    """Writes words on pages of one document, whose characters it must know from the start."""

    def __init__(self, document: Any, words: Iterable[Word]) -> None:
        self._document = document
        characters = sorted({char for word in words for char in _text(word)})
        self._codes = {char: code for code, char in enumerate(characters[:_FONT_CHARACTERS], start=1)}
        self._font = self._add_font() if self._codes else 0

    def write(self, page: Any, words: Sequence[Word]) -> None:
        """Write ``words`` behind everything else that the page shows."""
        lines = [line for word in words if (line := self._line(word, page.rect.width, page.rect.height))]
        if not lines:
            return
        self._document.xref_set_key(*self._resources(page), f"<</Ocr {self._font} 0 R>>")
        contents = page.get_contents()
        shown = b"\n".join(self._document.xref_stream(xref) for xref in contents)
        text = "\n".join(["", "BT 3 Tr", *lines, "ET", ""]).encode("ascii")
        self._document.update_stream(contents[0], shown + text)
        page.set_contents(contents[0])

    def _line(self, word: Word, width: float, height: float) -> str | None:
        """The operators that write a word; None for one without letters or area."""
        text = _text(word)
        x0, x1 = (min(max(word.bbox[n], 0.0), 1.0) * width for n in (0, 2))
        top, bottom = (min(max(value, 0.0), 1.0) * height for value in word.line)
        size = bottom - top
        if not text or x1 - x0 < LEAST_WORD or size < LEAST_WORD:
            return None
        stretch = 100 * (x1 - x0) / (_ADVANCE * size * len(text))
        base = height - bottom + _DESCENT * size
        codes = "".join(f"{self._codes.get(char, 0):04x}" for char in text)
        return f"/Ocr {size:.2f} Tf {stretch:.2f} Tz 1 0 0 1 {x0:.2f} {base:.2f} Tm <{codes}> Tj"

    def _resources(self, page: Any) -> tuple[int, str]:
        """Object and key of the page's fonts."""
        kind, value = self._document.xref_get_key(page.xref, "Resources")
        return (int(value.split()[0]), "Font") if kind == "xref" else (page.xref, "Resources/Font")

    def _add_font(self) -> int:
        entries = [f"<{code:04x}> <{char.encode('utf-16-be').hex()}>" for char, code in self._codes.items()]
        blocks = [entries[start : start + _BLOCK_ENTRIES] for start in range(0, len(entries), _BLOCK_ENTRIES)]
        mapping = [
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
            "/CMapName /Ocr def /CMapType 2 def",
            "1 begincodespacerange <0000> <ffff> endcodespacerange",
            *(line for block in blocks for line in (f"{len(block)} beginbfchar", *block, "endbfchar")),
            "endcmap CMapName currentdict /CMap defineresource pop end end",
        ]
        to_unicode = self._add("<<>>", "\n".join(mapping))
        descriptor = self._add(
            "<</Type/FontDescriptor/FontName/Invisible/Flags 4/FontBBox[0 -250 500 750]/ItalicAngle 0"
            "/Ascent 750/Descent -250/CapHeight 700/StemV 80>>"
        )
        cid_font = self._add(
            "<</Type/Font/Subtype/CIDFontType2/BaseFont/Invisible/CIDToGIDMap/Identity/DW 500"
            f"/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor {descriptor} 0 R>>"
        )
        return self._add(
            "<</Type/Font/Subtype/Type0/BaseFont/Invisible/Encoding/Identity-H"
            f"/DescendantFonts[{cid_font} 0 R]/ToUnicode {to_unicode} 0 R>>"
        )

    def _add(self, value: str, stream: str | None = None) -> int:
        xref: int = self._document.get_new_xref()
        self._document.update_object(xref, value)
        if stream is not None:
            self._document.update_stream(xref, stream.encode("ascii"))
        return xref


def _text(word: Word) -> str:
    """What is written of a word: no control characters, no halves of pairs; from right to left as it is seen."""
    text = "".join(char if char.isprintable() and not 0xD800 <= ord(char) < 0xE000 else " " for char in word.text)
    text = " ".join(text.split())
    directions = {unicodedata.bidirectional(char) for char in text}
    return text[::-1] if directions & {"R", "AL"} and "L" not in directions else text
