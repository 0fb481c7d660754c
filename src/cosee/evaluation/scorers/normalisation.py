"""Our stated normalisation: how an answer, and the gold answer, is put before a published scorer sees it.

- An abstention in any spelling becomes the benchmark's one spelling.
- Where a number is expected and the whole text is one, it is written plainly: no thousands separators, currency,
  percent sign or unit; scale words are applied (``$ 1.2 million`` becomes ``1200000``), or dropped for LongDocURL,
  whose scorer drops them itself.
- Where a list is expected, one written as prose or JSON is written as a Python list.

All else stays: the published scorers clean text themselves, each in its way.
"""

from __future__ import annotations

import re
from functools import lru_cache

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.datasets.literals import read_list
from cosee.evaluation.scorers.numbers import read_number

_ABSTENTION = re.compile(
    r"(the )?(question )?(is |it is |this is )?(not answerable|unanswerable|cannot be answered|can't be answered|"
    r"not answerable from the document|insufficient (information|evidence))( or (0|zero|none|no))*"
)


def normalise(
    text: str | list[str], answer_format: str, abstention: str = NOT_ANSWERABLE, *, scale_words: bool = True
) -> str:
    """An answer or a gold answer as a published scorer is given it; ``abstention`` is the benchmark's spelling.

    ``scale_words`` is false for a scorer that drops them (``12 million`` is then ``12``).
    """
    if isinstance(text, str) and is_abstention(text):
        return abstention
    if answer_format == "List":
        try:
            return repr(list_items(text))
        except ValueError:
            return str(text)
    return _plain_number(str(text), scale_words) if answer_format in ("Int", "Float") else str(text)


@lru_cache(maxsize=16_384)
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


def _plain_number(text: str, scale_words: bool) -> str:
    number = read_number(text)
    if number is None:
        return text
    value = number.value * (number.scale or 1 if scale_words else 1)
    return str(int(value)) if value.is_integer() else repr(value)
