"""What kind of answer a gold answer is, where its source does not say; and whether it fits what the source says."""

from __future__ import annotations

import re

from cosee.artifacts.datasets.questions import AnswerFormat
from cosee.datasets.thresholds import FREE_TEXT_WORDS

_WHOLE = re.compile(r"[-+]?(\d+|\d{1,3}(,\d{3})+)")
_NUMBER = re.compile(r"\(?[-+]?[$\u00a3\u20ac]?\s?[-+]?(\d[\d,]*(\.\d*)?|\.\d+)\s?%?\)?")
_YES_OR_NO = re.compile(r"(yes|no|true|false)\b", re.IGNORECASE)


def infer_format(answer: str | list[str]) -> AnswerFormat:
    """The format that an answer's own text suggests."""
    if isinstance(answer, list):
        return "List"
    text = answer.strip()
    if is_abstention(text):
        return "None"
    if _YES_OR_NO.fullmatch(text.removesuffix(".")):
        return "Bool"
    if _WHOLE.fullmatch(text):
        return "Int"
    if re.fullmatch(r"[-+]?[$\u00a3\u20ac]?\s?\d[\d,]*(\.\d+)?\s?%?", text):
        return "Float"
    if text.startswith("[") and text.endswith("]"):
        return "List"
    return "FreeText" if len(text.split()) > FREE_TEXT_WORDS else "Str"


def is_abstention(text: str) -> bool:
    """Whether a gold answer says that there is none; some say more, as ``Not answerable or 0 or none``."""
    return re.match(r"not answerable|unanswerable", text.strip(), re.IGNORECASE) is not None


def format_fault(answer: str | list[str] | None, kind: AnswerFormat | None) -> str | None:
    """How a gold answer contradicts its format, in words that follow its question's name; None where it does not."""
    if answer is None or kind is None:
        return None
    if isinstance(answer, list):
        if kind != "List":
            return f"the answer {answer!r} is a list, its format is {kind}"
        return None if answer else "the answer is an empty list"
    fits = {
        "Int": _WHOLE.fullmatch(answer.strip()) is not None,
        "Float": _NUMBER.fullmatch(answer.strip()) is not None,
        "Bool": _YES_OR_NO.match(answer.strip()) is not None,
        "List": False,
        "None": is_abstention(answer),
    }.get(kind, bool(answer.strip()) and not is_abstention(answer))
    return None if fits else f"the answer {answer!r} is none of the format {kind}"
