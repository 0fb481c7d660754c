"""What a form states: its check boxes with the words beside them, and yes or no behind a label."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cosee.text.content_words import terms

_TICKED, _HOLLOW = "☑☒✓✔✗✘■●⦿◉", "☐□○"
_NO_BULLET = re.compile(r"[☐☑☒◉]|\[[xX ]\]")
"""Marks that are check boxes and nothing else. The others are bullets as well; where filled and hollow ones stand
together, they are check boxes."""
_CHECK_BOX = re.compile(rf"[{_TICKED}{_HOLLOW}]|\[[xX ]\]")
_CELL = re.compile(rf"({_CHECK_BOX.pattern}|[xX])|[-–—]")
# General knowledge: yes and no in English, German, French, Spanish and Italian.
_YES_NO = {"yes": "Yes", "ja": "Yes", "oui": "Yes", "sí": "Yes", "sì": "Yes", "no": "No", "nein": "No", "non": "No"}
_CAPITAL = r"[^\W\d_a-zß-ÿ]"
_LABELLED_ANSWER = re.compile(rf"[:?|]\s*((?i:{'|'.join(_YES_NO)}))(?=\s*(?:$|[.,;|]|{_CAPITAL}))")
_LABEL_BEHIND = re.compile(rf"(\S.*?)\s+({_CAPITAL}[^:?]*[:?])")
_LABEL_BEFORE = re.compile(r"(.*[:?])\s*(.*)")


@dataclass(frozen=True)
class CheckBox:
    """An option of a form below the label of its question, either of which may be empty."""

    label: str
    option: str
    ticked: bool


def yes_or_no(option: str) -> str:
    """``Yes`` or ``No`` for a word that says so, else empty."""
    return _YES_NO.get(option.strip(" .,;|").lower(), "")


def check_boxes(text: str) -> list[CheckBox]:
    """The check boxes of a line, or of several that run on; none where marks are bullets.

    Words belong to the box before them, or, where the text ends in a box, to the one behind them. What ends in a colon
    or a question mark, and what follows a yes or no, is the label of the boxes behind it.
    """
    marks = list(_CHECK_BOX.finditer(text))
    ticks = [mark.group()[0] in _TICKED or mark.group().lower() == "[x]" for mark in marks]
    if not _NO_BULLET.search(text) and len(set(ticks)) < 2:
        return []
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    label = text[: marks[0].start()].strip(" |")
    said = [text[mark.end() : end].strip(" |,;.") for mark, end in zip(marks, ends, strict=True)]
    before = not said[-1]  # "Yes ☒ No ☐"
    if before:
        said, label = [label, *said[:-1]], ""
    found = []
    for words, tick in zip(said, ticks, strict=True):
        if before:
            next_label, option = _label_and_option(words)
            label = next_label or label
            found.append(CheckBox(label, option, tick))
        else:
            option, next_label = _option_and_label(words)
            found.append(CheckBox(label, option, tick))
            label = next_label or label
    return found


def _label_and_option(words: str) -> tuple[str, str]:
    """The label that opens these boxes, and the option."""
    if parted := _LABEL_BEFORE.fullmatch(words):
        return parted[1], parted[2]
    first, _, last = words.rpartition(" ")
    return (first, last) if yes_or_no(last) else ("", words)


def _option_and_label(words: str) -> tuple[str, str]:
    """The option, and the label of the boxes that follow it."""
    first, _, rest = words.partition(" ")
    if yes_or_no(first):
        return first, rest
    if not words.endswith((":", "?")):
        return words, ""
    parted = _LABEL_BEHIND.fullmatch(words)
    return (parted[1], parted[2]) if parted else ("", words)


def check_boxes_of_row(head: str, heads: Sequence[str], cells: Sequence[str], values: Sequence[int]) -> list[CheckBox]:
    """A row of a table: ``head`` is the label, the heads of the columns are the options of the marks in its cells.

    ``values`` are the columns of its values. Cells that say yes or no are ticked boxes; a row with anything else has
    none.
    """
    said = {column: cells[column].strip() for column in values}
    if all(map(yes_or_no, said.values())):
        return [CheckBox(f"{head} {heads[column]}", cell, ticked=True) for column, cell in said.items()]
    marks = {column: match[1] for column, cell in said.items() if (match := _CELL.fullmatch(cell))}
    if len(marks) < len(said) or not any(mark and mark not in _HOLLOW and mark != "[ ]" for mark in marks.values()):
        return []
    crosses = "✗✘xX" if any(mark and mark in "✓✔" for mark in marks.values()) else ""
    full = {column for column, mark in marks.items() if mark and mark not in f"{_HOLLOW}{crosses}" and mark != "[ ]"}
    options = [column for column in range(len(cells)) if heads[column] and (column in marks or not cells[column])]
    return [CheckBox(head, heads[column], column in full) for column in options]


def labelled_answers(text: str) -> list[CheckBox]:
    """Yes and no as they stand behind labels: ``Lock fitted: No``."""
    found, start = [], 0
    for match in _LABELLED_ANSWER.finditer(text):
        found.append(CheckBox(text[start : match.start()].strip(" .,;|"), match[1], ticked=True))
        start = match.end()
    return found


def ticked_options(found: Sequence[CheckBox], share: Callable[[tuple[str, ...]], float], *, yes_no: bool) -> list[str]:
    """What check boxes say to a question: the ticked options below the label that it names.

    ``share`` tells how much of the question some stems are. A question for yes or no (``yes_no``) is answered by
    whether the one option that it names is ticked. Nothing where several labels fit alike.
    """
    fits = sorted(((share(terms(label)), label) for label in dict.fromkeys(box.label for box in found)), reverse=True)
    if len(fits) > 1 and fits[0][0] == fits[1][0]:
        return []
    group = [box for box in found if box.label == fits[0][1]]
    if not yes_no or any(yes_or_no(box.option) for box in group):
        return [box.option for box in group if box.ticked and box.option]
    named = [(share(terms(box.option)), box.ticked) for box in group]
    best = [is_ticked for fit, is_ticked in named if fit and fit == max(named)[0]]
    return ["Yes" if best[0] else "No"] if len(best) == 1 else []
