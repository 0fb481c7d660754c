"""What the replies of all methods have in common: answers, confidences and quotes, in whatever type a model wrote them.

Reply models ignore fields that they do not know, as pydantic does by default: a model may say more than was asked.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from cosee.agents.thresholds import MIN_PERCENTAGE, UNSUPPORTED_CONFIDENCE

CONFIDENCE_WORDS = {"high": 0.9, "medium": 0.6, "low": 0.3}

AnswerValue = str | float | bool | list[str | float]
ShortAnswer = Annotated[AnswerValue, Field(description="The short answer, or 'Not answerable'.")]
StatedConfidence = Annotated[float | str | None, Field(description="0.0 to 1.0.")]
UPPER_CASE = BeforeValidator(lambda value: value.strip().upper() if isinstance(value, str) else value)
"""Reads the name of an action in whatever case a model wrote it."""


class QuotedWords(BaseModel):
    """A quote with its place; words alone are one without."""

    @model_validator(mode="before")
    @classmethod
    def _from_words(cls, value: Any) -> Any:
        return {"quote": value} if isinstance(value, str) else value


def read_confidence(value: Any) -> float | None:
    """Confidence in 0..1, or None for what cannot be read.

    ``high`` is 0.9, ``medium`` 0.6, ``low`` 0.3. A number from 2 to 100 and anything with ``%`` is read as a
    percentage; every other number is clamped to 0..1.
    """
    percent = False
    if isinstance(value, str):
        word = value.strip().lower()
        if word in CONFIDENCE_WORDS:
            return CONFIDENCE_WORDS[word]
        number = re.fullmatch(r"([+-]?\d{1,12}(?:\.\d{1,12})?)\s*(%?)", word)
        if not number:
            return None
        value, percent = float(number.group(1)), bool(number.group(2))
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    if percent or MIN_PERCENTAGE <= value <= 100:
        value = value / 100
    return round(min(max(float(value), 0.0), 1.0), 6)


def supported_confidence(confidence: float, share: float) -> float:
    """The confidence of an answer for which only a share of the evidence that it names was found."""
    return round(confidence * (UNSUPPORTED_CONFIDENCE + (1 - UNSUPPORTED_CONFIDENCE) * share), 6)


def answer_text(value: Any) -> str | None:
    """An answer of any type as text: ``Yes``, ``12``, ``['a', 'b']``; None for none."""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list | tuple):
        return str([str(part) for part in value]) if value else None
    return value.strip() or None if isinstance(value, str) else None
