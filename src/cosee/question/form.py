"""The form of the answer that a question's wording asks for. Gold fields are never looked at."""

from __future__ import annotations

import re
from typing import Literal

from cosee.text.number_words import SEVERAL

Form = Literal["count", "yes_no", "list", "text"]

_COUNT = re.compile(r"\bhow many\b|\b(?:the|total|what) number of\b|^(?:count|number of)\b")
# General knowledge: auxiliaries, and prepositions that open a question.
_YES_NO = re.compile(
    r"^(?:(?:according to|based on|in|on|as of)\b[^,]{0,80},\s*)?"
    r"(?:is|are|was|were|does|do|did|has|have|had|can|could|should|will|would|may|must)\b"
)
_SEVERAL = f"(?:{'|'.join(SEVERAL)})"
_LIST = re.compile(
    "|".join(
        (
            r"\blist (?:all|the|them|out|down|each|every)\b",
            r"^list\b",
            r"\benumerate\b",
            # "as a list of names" asks for one, "in the list of terminals" names one.
            r"\b(?:as (?:a |the )?(?:\w+ )?list|(?:in|with|like) (?:a |the )?(?:\w+ )?list(?! of))\b",
            r"\brespectively\b",
            rf"\bname (?:all|each|every|the {_SEVERAL})\b",
            rf"\b(?:what|which|who) (?:are|were) (?:all )?(?:the )?(?:{_SEVERAL}|names|titles)\b",
            r"\b(?:which|what) (?:\w+ ){0,2}(?!is\b|was\b|has\b|does\b|this\b)\w+s (?:are|were|have)\b",
        )
    )
)
# General knowledge: the parts of a document, and the names of the forms of charts.
_STRUCTURES = (
    r"(?:(?:line|bar|pie|scatter|column|stacked)\s+(?:charts?|plots?|graphs?)|figures?|tables?|charts?|"
    r"plots?|images?|photos?|pictures?|pages?|sections?|chapters?|equations?|diagrams?|screenshots?)"
)


def answer_form(question: str) -> Form:
    """What kind of answer the wording asks for."""
    text = " ".join(question.lower().split())
    if _LIST.search(text):
        return "list"
    if _COUNT.search(text):
        return "count"
    return "yes_no" if _YES_NO.match(text) and " or " not in text else "text"


def counted_structure(question: str) -> str:
    """What of a document's make-up is counted: ``figure``, ``table``, ``line chart``, ``page`` ...; else empty."""
    text = " ".join(question.lower().split())
    match = re.search(
        rf"\b(?:how many|(?:the |total )?number of|count (?:the|all))\s+(?:\w+\s+){{0,2}}?({_STRUCTURES})\b", text
    )
    if not match:
        return ""
    thing = re.sub(r"\s+", " ", match[1])
    thing = re.sub(r"(?:plots?|graphs?)$", "chart", thing) if " " in thing else thing
    return thing if thing.endswith("ss") else thing.removesuffix("s")
