"""Fonts whose nominal size says nothing of how large their glyphs are drawn.

A Type 3 font draws its glyphs in units of its own; with a font matrix of 1, text 12 points high is set at a nominal
size of 0.1, and MuPDF gives its lines that height. How far a line moves on is right all the same, and says how large
the letters are.
"""

from __future__ import annotations

from statistics import median
from typing import Any

from cosee.parse.pdf import thresholds
from cosee.parse.pdf.text_lines import Place, place_of, text_lines
from cosee.text.scripts import is_cjk


def mend_sizes(content: Any, words: list[Any]) -> list[Any]:
    """Give the spans of such fonts in ``content`` the size and box that they are seen with; returns the words with
    boxes to match."""
    ratios = _ratios(content)
    if not ratios:
        return words
    extents: dict[Place, tuple[float, float, bool]] = {}
    for place, line in text_lines(content):
        across = _runs_across(line)
        for span in line["spans"]:
            ratio = ratios.get((span["font"], span["size"]))
            if ratio is None or across is None:
                continue
            span["size"] *= ratio
            low, high = _extent(span, line["dir"], across)
            left, top, right, bottom = span["bbox"]
            span["bbox"] = (left, low, right, high) if across else (low, top, high, bottom)
            extents[place] = (low, high, across)
    return [_resized(word, extents.get(place_of(word))) for word in words]


def _ratios(content: Any) -> dict[tuple[str, float], float]:
    """(font, nominal size) -> how many times as large it is drawn, of those whose letters advance impossibly."""
    advances: dict[tuple[str, float], list[tuple[float, int]]] = {}
    for _, line in text_lines(content):
        across = _runs_across(line)
        for span in line["spans"]:
            text = span["text"]
            if across is None or not text.strip() or not 0 < span["size"] < thresholds.DOUBTED_SIZE:
                continue
            x0, y0, x1, y1 = span["bbox"]
            ems = sum(1.0 if is_cjk(char) else thresholds.LETTER_ADVANCE for char in text)
            advance = ((x1 - x0) if across else (y1 - y0)) / (ems * span["size"])
            advances.setdefault((span["font"], span["size"]), []).append((advance, len(text)))
    found = {}
    for key, each in advances.items():
        usual = median(advance for advance, _ in each)
        letters = sum(count for _, count in each)
        if letters >= thresholds.MIN_FONT_LETTERS and usual > thresholds.IMPOSSIBLE_ADVANCE:
            found[key] = usual
    return found


def _runs_across(line: Any) -> bool | None:
    """Whether a line runs along the x axis; False along the y axis, None at a slant."""
    dx, dy = line["dir"]
    return True if abs(dx) > thresholds.ALONG_AXIS else False if abs(dy) > thresholds.ALONG_AXIS else None


def _extent(span: Any, direction: tuple[float, float], across: bool) -> tuple[float, float]:
    """Where the span's letters begin and end crosswise to its line, around its base line."""
    base = span["origin"][1] if across else span["origin"][0]
    up = -direction[0] if across else direction[1]
    edges = base + up * thresholds.ASCENT * span["size"], base - up * thresholds.DESCENT * span["size"]
    return min(edges), max(edges)


def _resized(word: Any, extent: tuple[float, float, bool] | None) -> Any:
    if extent is None:
        return word
    low, high, across = extent
    x0, y0, x1, y1, *rest = word
    return (x0, low, x1, high, *rest) if across else (low, y0, high, y1, *rest)
