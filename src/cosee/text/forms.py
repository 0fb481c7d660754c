"""What a form states: its boxes with the words beside them, and yes or no behind a label."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cosee.text.content_words import terms

_TICKED, _HOLLOW = "☑☒✓✔✗✘■●⦿◉", "☐□○"
_SURE = re.compile(r"[☐☑☒◉]|\[[xX ]\]")
"""Boxes of forms alone; the other marks are bullets too, and are boxes where filled and hollow ones stand together."""
_BOX = re.compile(rf"[{_TICKED}{_HOLLOW}]|\[[xX ]\]")
_CELL = re.compile(rf"({_BOX.pattern}|[xX])|[-–—]")
# General knowledge: yes and no in English, German, French, Spanish and Italian.
_VERDICTS = {"yes": "Yes", "ja": "Yes", "oui": "Yes", "sí": "Yes", "sì": "Yes", "no": "No", "nein": "No", "non": "No"}
_CAPITAL = r"[^\W\d_a-zß-ÿ]"
_SAID = re.compile(rf"[:?|]\s*((?i:{'|'.join(_VERDICTS)}))(?=\s*(?:$|[.,;|]|{_CAPITAL}))")
_LABEL_BEHIND = re.compile(rf"(\S.*?)\s+({_CAPITAL}[^:?]*[:?])")
_LABEL_BEFORE = re.compile(r"(.*[:?])\s*(.*)")


@dataclass(frozen=True)
class Box:
    """An option of a form below the label of its question, either of which may be empty."""

    label: str
    option: str
    ticked: bool


def verdict(option: str) -> str:
    """``Yes`` or ``No`` for a word that says so, else empty."""
    return _VERDICTS.get(option.strip(" .,;|").lower(), "")


def boxes(text: str) -> list[Box]:
    """The boxes of a line, or of several that run on; none where marks are bullets.

    Words belong to the box before them, or, where the text ends in a box, to the one behind them. What ends in a colon
    or a question mark, and what follows a yes or no, is the label of the boxes behind it.
    """
    marks = list(_BOX.finditer(text))
    ticks = [mark.group()[0] in _TICKED or mark.group().lower() == "[x]" for mark in marks]
    if not _SURE.search(text) and len(set(ticks)) < 2:
        return []
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    label = text[: marks[0].start()].strip(" |")
    said = [text[mark.end() : end].strip(" |,;.") for mark, end in zip(marks, ends, strict=True)]
    before = not said[-1]  # "Yes ☒ No ☐"
    if before:
        said, label = [label, *said[:-1]], ""
    found = []
    for words, tick in zip(said, ticks, strict=True):
        other, option = _before(words) if before else _behind(words)[::-1]
        if before:
            label = other or label
        found.append(Box(label, option, tick))
        label = other or label
    return found


def _before(words: str) -> tuple[str, str]:
    """The label that opens these boxes, and the option."""
    if parted := _LABEL_BEFORE.fullmatch(words):
        return parted[1], parted[2]
    first, _, last = words.rpartition(" ")
    return (first, last) if verdict(last) else ("", words)


def _behind(words: str) -> tuple[str, str]:
    """The option, and the label of the boxes that follow it."""
    first, _, rest = words.partition(" ")
    if verdict(first):
        return first, rest
    if not words.endswith((":", "?")):
        return words, ""
    parted = _LABEL_BEHIND.fullmatch(words)
    return (parted[1], parted[2]) if parted else ("", words)


def row_boxes(head: str, heads: Sequence[str], cells: Sequence[str], values: Sequence[int]) -> list[Box]:
    """A row of a table whose cells ``values`` are marks, with the heads of their columns as options, or say yes or
    no below them; none where it holds anything else."""
    said = {column: cells[column].strip() for column in values}
    if all(map(verdict, said.values())):
        return [Box(f"{head} {heads[column]}", cell, ticked=True) for column, cell in said.items()]
    marks = {column: match[1] for column, cell in said.items() if (match := _CELL.fullmatch(cell))}
    if len(marks) < len(said) or not any(mark and mark not in _HOLLOW and mark != "[ ]" for mark in marks.values()):
        return []
    crosses = "✗✘xX" if any(mark and mark in "✓✔" for mark in marks.values()) else ""
    full = {column for column, mark in marks.items() if mark and mark not in f"{_HOLLOW}{crosses}" and mark != "[ ]"}
    options = [column for column in range(len(cells)) if heads[column] and (column in marks or not cells[column])]
    return [Box(head, heads[column], column in full) for column in options]


def stated(text: str) -> list[Box]:
    """Yes and no as they stand behind labels: ``Lock fitted: No``."""
    found, start = [], 0
    for match in _SAID.finditer(text):
        found.append(Box(text[start : match.start()].strip(" .,;|"), match[1], ticked=True))
        start = match.end()
    return found


def ticked(found: Sequence[Box], share: Callable[[tuple[str, ...]], float], *, yes_no: bool) -> list[str]:
    """What boxes say to a question, of whose stems ``share`` tells how much others are: the ticked options below the
    label that it names, or yes or no by the one option that it names; none where several labels fit alike."""
    fits = sorted(((share(terms(label)), label) for label in dict.fromkeys(box.label for box in found)), reverse=True)
    if len(fits) > 1 and fits[0][0] == fits[1][0]:
        return []
    group = [box for box in found if box.label == fits[0][1]]
    if not yes_no or any(verdict(box.option) for box in group):
        return [box.option for box in group if box.ticked and box.option]
    named = [(share(terms(box.option)), box.ticked) for box in group]
    best = [is_ticked for fit, is_ticked in named if fit and fit == max(named)[0]]
    return ["Yes" if best[0] else "No"] if len(best) == 1 else []
