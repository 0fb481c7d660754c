"""Text that stands inside a table and in none of its cells."""

from __future__ import annotations

import unicodedata
from collections import Counter

from cosee.artifacts.documents.layout import LayoutBlock
from cosee.parse.tables.text import is_footnote_mark


def text_without_cell(block: LayoutBlock) -> list[str]:
    """Texts of a table block's spans that its rows lack, in order; empty for a table that was read whole.

    The letters are counted first: a span may lie over several cells, and a cell's text may be joined from several.
    A header that stands again over a second set of the same columns is not missed where the sets were stacked.
    """
    rows = block.rows or []
    header = {_letters(cell) for row in rows[:1] for cell in row}
    seen: set[str] = set()
    texts: list[tuple[str, str]] = []
    for span in (span for line in block.lines for span in line.spans):
        letters = _letters(span.text)
        if letters and not is_footnote_mark(span) and not (letters in header and letters in seen):
            texts.append((letters, span.text))
            seen.add(letters)
    cells = "".join(_letters(cell) for row in rows for cell in row)
    if not Counter("".join(letters for letters, _ in texts)) - Counter(cells):
        return []
    missing: list[int] = []
    # The longest first: a short text is found inside others too.
    for place in sorted(range(len(texts)), key=lambda n: (-len(texts[n][0]), n)):
        before, found, after = cells.partition(texts[place][0])
        if found:
            # The gap keeps what stood on both sides from being taken for one text.
            cells = f"{before}\n{after}"
        else:
            missing.append(place)
    return [texts[place][1] for place in sorted(missing)]


def _letters(text: str) -> str:
    """Letters and digits without their marks, which a span may hold apart from them."""
    if text.isascii():
        return "".join(filter(str.isalnum, text))
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(char for char in decomposed if char.isalnum() and unicodedata.category(char) != "Lm")
