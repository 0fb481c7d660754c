"""Fonts whose nominal size says nothing of how large their glyphs are drawn.

A Type 3 font draws its glyphs in units of its own; with a font matrix of 1, text 12 points high is set at a nominal
size of 0.1, and MuPDF gives its lines that height. How far a line moves on is right all the same, and says how large
the letters are.
"""

from __future__ import annotations

from statistics import median
from typing import Any

from cosee.text.scripts import is_cjk

EM_A_LETTER = 0.48
"""Mean advance of a letter of running text in its font's size. General knowledge: Latin text fonts."""
IMPOSSIBLE = 4.0
"""An advance of a letter, as a multiple of the usual one, that no true size gives."""
SMALL = 1.0
"""Points below which a nominal size is doubted."""
ASCENT, DESCENT = 0.75, 0.22
LEAST_LETTERS = 8
"""Letters of a font on the page from which the mean says anything."""


def mend_sizes(content: Any, words: list[Any]) -> list[Any]:
    """Give the spans of such fonts in ``content`` the size and box that they are seen with; returns the words with
    boxes to match."""
    ratios = _ratios(content)
    if not ratios:
        return words
    boxes: dict[tuple[int, int], tuple[float, float, int]] = {}
    number = -1
    for block in content["blocks"]:
        if block["type"] != 0:
            continue
        number += 1
        for place, line in enumerate(block["lines"]):
            for span in line["spans"]:
                ratio = ratios.get((span["font"], span["size"]))
                across = _runs_across(line)
                if ratio is None or across is None:
                    continue
                span["size"] *= ratio
                low, high = _extent(span, line["dir"], across)
                left, top, right, bottom = span["bbox"]
                span["bbox"] = (left, low, right, high) if across else (low, top, high, bottom)
                boxes[number, place] = (low, high, across)
    return [_resized(word, boxes.get((word[5], word[6]))) for word in words]


def _ratios(content: Any) -> dict[tuple[str, float], float]:
    """(font, nominal size) -> how many times as large it is drawn, of those whose letters advance impossibly."""
    advances: dict[tuple[str, float], list[tuple[float, int]]] = {}
    for block in content["blocks"]:
        for line in block["lines"] if block["type"] == 0 else ():
            across = _runs_across(line)
            for span in line["spans"]:
                text = span["text"]
                if across is None or not text.strip() or not 0 < span["size"] < SMALL:
                    continue
                x0, y0, x1, y1 = span["bbox"]
                ems = sum(1.0 if is_cjk(char) else EM_A_LETTER for char in text)
                advance = ((x1 - x0) if across else (y1 - y0)) / (ems * span["size"])
                advances.setdefault((span["font"], span["size"]), []).append((advance, len(text)))
    found = {}
    for key, each in advances.items():
        usual = median(advance for advance, _ in each)
        if sum(count for _, count in each) >= LEAST_LETTERS and usual > IMPOSSIBLE:
            found[key] = usual
    return found


def _runs_across(line: Any) -> bool | None:
    """Whether a line runs along the x axis; False along the y axis, None at a slant."""
    dx, dy = line["dir"]
    return True if abs(dx) > 0.98 else False if abs(dy) > 0.98 else None


def _extent(span: Any, direction: tuple[float, float], across: bool) -> tuple[float, float]:
    """Where the span's letters begin and end crosswise to its line, around its base line."""
    base = span["origin"][1] if across else span["origin"][0]
    up = -direction[0] if across else direction[1]
    edges = base + up * ASCENT * span["size"], base - up * DESCENT * span["size"]
    return min(edges), max(edges)


def _resized(word: Any, extent: tuple[float, float, int] | None) -> Any:
    if extent is None:
        return word
    low, high, across = extent
    x0, y0, x1, y1, *rest = word
    return (x0, low, x1, high, *rest) if across else (low, y0, high, y1, *rest)
