"""The lines in MuPDF's dictionary of a page, each with the numbers by which MuPDF's words name it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Place = tuple[int, int]
"""A line's block among those of text, and its number there."""


def text_lines(content: Any) -> Iterator[tuple[Place, Any]]:
    """The place and the dictionary of every line."""
    for number, block in enumerate(block for block in content["blocks"] if block["type"] == 0):
        for line_number, line in enumerate(block["lines"]):
            yield (number, line_number), line


def place_of(word: Any) -> Place:
    """The place of the line of a word ``(x0, y0, x1, y1, text, block, line, number)``."""
    return word[5], word[6]


def letter_by_letter(text_page: Any) -> Any:
    """The text page as MuPDF's dict with every character apart; None where the file gives one of them a number beyond
    Unicode, of which PyMuPDF makes no character."""
    try:
        return text_page.extractRAWDICT()
    except (SystemError, ValueError):
        return None
