"""Our stated normalisation: how an answer is put before a published scorer sees it. The gold answer is left alone.

- An abstention in any spelling becomes the benchmark's one spelling.
- Where a number is expected and the whole answer is one, it is written plainly: no thousands separators, currency,
  percent sign or unit; scale words are applied (``$ 1.2 million`` becomes ``1200000``).
- Where a list is expected, one written as prose or JSON is written as a Python list.
- White space is squeezed, and a full stop that ends the answer goes, unless it belongs to an abbreviation.
"""

from __future__ import annotations

import re

from cosee.artifacts.questions import NOT_ANSWERABLE
from cosee.datasets.literals import read_list
from cosee.evaluation.scorers.numbers import read_number

_ABSTENTION = re.compile(
    r"(the )?(question )?(is |it is |this is )?(not answerable|unanswerable|cannot be answered|can't be answered|"
    r"not answerable from the document|insufficient (information|evidence))"
)
_ABBREVIATION = re.compile(r"(^|[\s(])\w\.(\w\.)*$|\b(etc|inc|ltd|co|corp|jr|sr|st|dr|no|vs|al)\.$", re.IGNORECASE)


def normalise(answer: str, answer_format: str, abstention: str = NOT_ANSWERABLE) -> str:
    """The answer as a published scorer is given it; ``abstention`` is the benchmark's spelling."""
    if is_abstention(answer):
        return abstention
    text = " ".join(answer.split())
    if text.endswith(".") and not _ABBREVIATION.search(text):
        text = text[:-1].rstrip()
    if answer_format in ("Int", "Float"):
        return _plain_number(text)
    if answer_format == "List":
        try:
            return repr(list_items(answer))
        except ValueError:
            return text
    return text


def is_abstention(answer: str) -> bool:
    """Whether an answer's text is an abstention in any spelling."""
    return _ABSTENTION.fullmatch(answer.strip().strip(".!'\"").lower()) is not None


def list_items(value: str | list[str]) -> list[str]:
    """The items of a list, of its text as a literal, or of a list in prose (``a, b and c``).

    Raises:
        ValueError: the text starts like a literal list and is none.
    """
    if isinstance(value, list):
        return [str(item) for item in value]
    if value.lstrip().startswith("["):
        return [str(item) for item in read_list(value)]
    parts = re.split(r"\s*[;\n]\s*|,\s+(?:and\s+)?|\s+and\s+", value)
    return [part for part in parts if part]


def _plain_number(text: str) -> str:
    number = read_number(text)
    if number is None:
        return text
    value = number.value * (number.scale or 1)
    return str(int(value)) if value.is_integer() else repr(value)
