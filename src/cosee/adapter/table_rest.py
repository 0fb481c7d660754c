"""Text that stands inside a table and in none of its cells."""

from __future__ import annotations

import unicodedata
from collections import Counter

from cosee.artifacts.layout import LayoutBlock, Span

MARK = 3
"""A superscript of so many characters is a footnote mark and no part of a cell's text."""
HEADER_ROWS = 2


def text_without_cell(block: LayoutBlock) -> list[str]:
    """Texts of a table block's spans that its rows lack, in order; empty for a table that was read whole.

    The letters are counted first: a span may lie over several cells, and a cell's text may be joined from several.
    A header that stands again over a second set of the same columns is not missed where the sets were stacked.
    """
    spans = [span for line in block.lines for span in line.spans if not _is_mark(span)]
    cells = "".join(_letters(cell) for row in block.rows or [] for cell in row)
    if not Counter("".join(_letters(span.text) for span in spans)) - Counter(cells):
        return []
    missing: list[str] = []
    for span in spans:
        before, found, after = cells.partition(letters) if (letters := _letters(span.text)) else (cells, "", "")
        if letters and not found:
            missing.append(span.text)
        elif found:
            # The gap keeps what stood on both sides from being taken for one text.
            cells = f"{before}\n{after}"
    header = {_letters(cell) for row in (block.rows or [])[:HEADER_ROWS] for cell in row}
    return missing if any(_letters(text) not in header for text in missing) else []


def _is_mark(span: Span) -> bool:
    return span.superscript and len(span.text.strip()) <= MARK


def _letters(text: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFKC", text) if char.isalnum())
