"""What kind of answer a gold answer is, where its source does not say."""

from __future__ import annotations

import re

from cosee.artifacts.questions import AnswerFormat

FREE_TEXT_WORDS = 12
"""A gold answer of more words is a sentence or more."""


def infer_format(answer: str | list[str]) -> AnswerFormat:
    """The format that an answer's own text suggests."""
    if isinstance(answer, list):
        return "List"
    text = answer.strip()
    if re.match(r"not answerable|unanswerable", text, re.IGNORECASE):
        return "None"
    if re.fullmatch(r"(yes|no|true|false)\.?", text, re.IGNORECASE):
        return "Bool"
    if re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+|[-+]?\d+", text):
        return "Int"
    if re.fullmatch(r"[-+]?[$\u00a3\u20ac]?\s?\d[\d,]*(\.\d+)?\s?%?", text):
        return "Float"
    if text.startswith("[") and text.endswith("]"):
        return "List"
    return "FreeText" if len(text.split()) > FREE_TEXT_WORDS else "Str"
