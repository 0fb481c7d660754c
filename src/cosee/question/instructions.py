"""What of a question says how to answer, and nothing about where the answer is."""

from __future__ import annotations

import re

from cosee.question.thresholds import LEAST_TELLING_WORDS
from cosee.text.tokens import STOP_TERMS, query_weights

# General knowledge: synonyms of answer.
_ANSWER = r"(?:(?:the|your|an?|final|short)\s+){0,2}(?:answers?|responses?)"
# General knowledge: imperatives for handing something out.
_GIVE = r"(?:write(?: down)?|give|return|provide|express|format|report|present|output)"
# General knowledge: prepositions and modal verbs before a manner, and participles of rounding.
_MANNER = r"(?:in|as|to|with|should|must|using|rounded)"
# General knowledge: verbs of saying, as imperatives behind a clause.
_SAY = r"[,;]\s+(?:then\s+)?(?:please\s+)?(?:state|return|answer|say|write|respond|reply)\s+(?:with\s+)?"
_SAID = r"(?:that\b|['\"\u2018\u201c]|[\w/]+\s*(?:[.?!,;]|$))"
"""General knowledge: what follows a verb of saying: a clause with "that", a quotation, or one word."""
_TO_THE_END = r"[^.?!]*[.?!]?"
_VALUE = r"(?:list|int(?:eger)?|float|str(?:ing)?|bool(?:ean)?|json|Y{2,4}[-/.]?MM?(?:[-/.]?DD?)?)"
"""General knowledge: the types of values of programs, and dates in the letters of ISO 8601."""
_INTO = r"(?:in|as|using|use)(?:\s+(?:the|an?))?(?:\s+format)?"
"""General knowledge: prepositions and verbs that name a means, and articles."""
_INSTRUCTIONS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"\[[^\]]*\]",
        rf"[,;(]?\s*\be\.\s?g\.?(?!\w){_TO_THE_END}",
        rf"\bround(?:ed|ing)?\s+(?:(?:your|the|it|up|down|off)\b|to\s+(?:the|\w+\s+decimal)\b){_TO_THE_END}",
        rf"\b(?:please\s+)?(?:{_GIVE}\s+)?{_ANSWER}\s+{_MANNER}\b{_TO_THE_END}",
        rf"\bif\b[^.?!]*{_SAY}{_SAID}{_TO_THE_END}",
        rf"\b(?:directly|only|just|simply)\s+answer\b{_TO_THE_END}",
        rf"\banswer\s+(?:directly|only|simply|in|with|yes|no)\b{_TO_THE_END}",
        rf"\b(?:formatted\s+)?{_INTO}\s+{_VALUE}(?:\s+formats?)?\b",
    )
)


def without_instructions(text: str) -> str:
    """``text`` without what says how to answer ("round to two decimals", "in list format, e.g. [...]").

    Unchanged where hardly a telling word would be left.
    """
    rest = text
    for form in _INSTRUCTIONS:
        rest = form.sub(" ", rest)
    telling = [term for term in query_weights(rest) if term not in STOP_TERMS] if rest.strip() else []
    return " ".join(rest.split()) if len(telling) >= LEAST_TELLING_WORDS else text
