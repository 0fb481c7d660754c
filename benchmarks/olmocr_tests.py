"""The test kinds of olmOCR-bench: what each demands of a page's text.

The rules are those of the public benchmark (present, absent, order, table, math, baseline), written anew. A formula
counts only where its LaTeX is written between delimiters with the same signs at the same places, whatever their style;
the public benchmark also accepts one that is drawn alike by KaTeX, which needs a browser.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from benchmarks.olmocr_tables import CellGraph, Place, html_tables, markdown_tables

Test = dict[str, Any]
_CHARACTERS = str.maketrans("‘’‚“”„＿–—‑‒−µ", "'''\"\"\"_-----μ")
_FOREIGN = re.compile("[\u4e00-\u9fff\u3040-\u309f\u30a0-\u30ff\U0001f600-\U0001f64f\U0001f300-\U0001f5ff"
                      "\U0001f680-\U0001f6ff\U0001f1e0-\U0001f1ff]")  # fmt: skip
MAX_REPEATS = 30


def passes(test: Test, text: str) -> bool:
    """Whether a page's Markdown text fulfils a test; KeyError for an unknown kind."""
    return _KINDS[test["type"]](test, text)


def normalized(text: str) -> str:
    """Text as it is compared: no marks of emphasis, single spaces, NFC, plain quotes and dashes."""
    text = re.sub(r"<br/?>", " ", text)
    for pattern in (r"\*\*(.*?)\*\*", r"__(.*?)__"):
        text = re.sub(pattern, r"\1", text)
    text = re.sub(r"</?[bi]>", "", text)
    text = re.sub(r"(\*\*|__)(.*?)\1", r"\2", text)
    text = re.sub(r"(\*|_)(.*?)\1", r"\2", text)
    return unicodedata.normalize("NFC", re.sub(r"\s+", " ", text)).translate(_CHARACTERS)


def _threshold(wanted: str, max_diffs: int) -> float:
    return 1.0 - max_diffs / max(1, len(wanted))


def _contains(test: Test, text: str) -> bool:
    from rapidfuzz import fuzz

    wanted, given, max_diffs = normalized(test["text"]), normalized(text), test.get("max_diffs", 0)
    if not test.get("case_sensitive", True):
        wanted, given = wanted.lower(), given.lower()
    first, last = test.get("first_n"), test.get("last_n")
    if first or last:
        given = (given[:first] if first else "") + (given[-last:] if last else "")
    if len(given) < len(wanted) - max_diffs:
        return False
    return fuzz.partial_ratio(wanted, given) / 100.0 >= _threshold(wanted, max_diffs)


def _absent(test: Test, text: str) -> bool:
    return not _contains(test, text)


def _order(test: Test, text: str) -> bool:
    given, max_diffs = normalized(text), test.get("max_diffs", 0)
    before = [start for start, _ in near_matches(normalized(test["before"]), given, max_diffs)]
    after = [start for start, _ in near_matches(normalized(test["after"]), given, max_diffs)]
    return bool(before) and bool(after) and min(before) < max(after)


def near_matches(wanted: str, text: str, max_diffs: int) -> Iterator[tuple[int, int]]:
    """Start and distance of places where ``wanted`` stands with at most ``max_diffs`` edits, the best of each place.

    One of ``max_diffs + 1`` pieces must stand unchanged; around each find the nearest substring is looked for.
    """
    pieces = max_diffs + 1
    bounds = [len(wanted) * n // pieces for n in range(pieces + 1)]
    starts = set()
    for begin, end in zip(bounds, bounds[1:], strict=False):
        place = text.find(wanted[begin:end])
        while place >= 0:
            starts.add(max(0, place - begin))
            place = text.find(wanted[begin:end], place + 1)
    if not max_diffs:
        yield from ((start, 0) for start in sorted(starts))
        return
    for start in sorted(starts):
        low = max(0, start - max_diffs)
        found = _nearest(wanted, text[low : start + len(wanted) + max_diffs])
        if found[1] <= max_diffs:
            yield low + found[0], found[1]


def _nearest(wanted: str, window: str) -> tuple[int, int]:
    """Start and distance of the substring of ``window`` nearest to ``wanted`` (Sellers)."""
    best = [(0, start) for start in range(len(window) + 1)]
    for number, char in enumerate(wanted, start=1):
        row = [(number, 0)]
        for column, other in enumerate(window, start=1):
            same = best[column - 1]
            row.append(
                min(
                    (same[0] + (char != other), same[1]),
                    (best[column][0] + 1, best[column][1]),
                    (row[-1][0] + 1, row[-1][1]),
                )
            )
        best = row
    distance, start = min(best)
    return start, distance


def _table(test: Test, text: str) -> bool:
    tables = [] if test.get("ignore_markdown_tables") else markdown_tables(text)
    return any(_in_table(test, table) for table in [*tables, *html_tables(text)])


def _in_table(test: Test, table: CellGraph) -> bool:
    max_diffs = test.get("max_diffs", 0)
    places = [place for place, cell in table.texts.items() if _alike(test["cell"], cell, max_diffs)]
    return any(all(_has(test, table, place, name) for name in _RELATIONS if test.get(name)) for place in places)


def _has(test: Test, table: CellGraph, place: Place, name: str) -> bool:
    others: Iterable[Place]
    if name.endswith("_heading"):
        others = table.heads(place, "up" if name == "top_heading" else "left")
    else:
        others = table.neighbours[name][place]
    return any(_alike(test[name], table.texts[other], test.get("max_diffs", 0)) for other in others)


def _alike(wanted: str, given: str, max_diffs: int) -> bool:
    from rapidfuzz import fuzz

    wanted = normalized(wanted)
    return fuzz.ratio(wanted, normalized(given)) / 100.0 >= max(0.5, _threshold(wanted, max_diffs))


_RELATIONS = ("up", "down", "left", "right", "top_heading", "left_heading")


def _math(test: Test, text: str) -> bool:
    found: list[str] = []
    for pattern in (r"\\\((.+?)\\\)", r"\\\[(.+?)\\\]", r"\$\$(.+?)\$\$", r"\$(.+?)\$"):
        if "$" in pattern and test.get("ignore_dollar_delimited"):
            continue
        found += re.findall(pattern, text, re.DOTALL)
        text = re.sub(pattern, "", text, flags=re.DOTALL)
    return any(_same_signs(formula) == _same_signs(test["math"]) for formula in found)


def _same_signs(formula: str) -> str:
    """A formula without what a drawing of it does not show, or shows as another style of the same signs."""
    formula = re.sub(r"\\(?:left|right|[bB]igg?[lr]?)(?![a-zA-Z])|\\[,;:! ]|\\q?quad|~", "", formula)
    formula = re.sub(r"\\(?:mathbf|mathrm|mathcal|boldsymbol|operatorname|text)\*?\s*\{([^{}]*)\}", r"\1", formula)
    formula = re.sub(r"([_^])\s*(\\[a-zA-Z]+|[^\s{\\])", r"\1{\2}", formula)
    return "".join(formula.split()).rstrip(".,")


def _baseline(test: Test, text: str) -> bool:
    counted = text
    if test.get("max_length_skips_image_alt_tags"):
        counted = re.sub(r"!\[.*?\]\(.*?\)", "", counted)
    length = sum(1 for char in counted if char.isalnum())
    if test.get("max_length") is not None:
        return length <= int(test["max_length"])
    repeats = max(_repeats_at_end(text, size) for size in range(1, 6))
    foreign = test.get("check_disallowed_characters", True) and _FOREIGN.search(text)
    return length > 0 and repeats <= test.get("max_repeats", MAX_REPEATS) and not foreign


def _repeats_at_end(text: str, size: int) -> int:
    """How often the last ``size`` characters repeat at the end of a text."""
    last, count = text[-size:], 0
    while len(last) == size and text.endswith(last * (count + 1)):
        count += 1
    return count


_KINDS: dict[str, Callable[[Test, str], bool]] = {
    "present": _contains,
    "absent": _absent,
    "order": _order,
    "table": _table,
    "math": _math,
    "baseline": _baseline,
}
KINDS = tuple(_KINDS)
