"""What of a question says how to answer, and nothing about where the answer is."""

from __future__ import annotations

import re

from cosee.text.tokens import STOP_TERMS, query_weights

_ANSWER = r"(?:(?:the|your|an?|final|short)\s+){0,2}(?:answers?|responses?)"
_TO_THE_END = r"[^.?!]*[.?!]?"
_INSTRUCTIONS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"\[[^\]]*\]",
        rf"[,;(]?\s*\be\.\s?g\.?(?!\w){_TO_THE_END}",
        rf"\bround(?:ed|ing)?\s+(?:(?:your|the|it|up|down|off)\b|to\s+(?:the|\w+\s+decimal)\b){_TO_THE_END}",
        rf"\b(?:please\s+)?(?:(?:write(?: down)?|give|return|provide|express|format|report|present|output)\s+)?"
        rf"{_ANSWER}\s+(?:in|as|to|with|should|must|using|rounded)\b{_TO_THE_END}",
        rf"\bif\b[^.?!]*\b(?:state|return|answer|say|write|respond|reply)\s+(?:with\s+)?"
        rf"(?:that\b|['\"\u2018\u201c]|n/?a\b|none\b|no\b|false\b|zero\b|0\b){_TO_THE_END}",
        rf"\b(?:directly|only|just|simply)\s+answer\b{_TO_THE_END}",
        rf"\banswer\s+(?:directly|only|simply|in|with|yes|no)\b{_TO_THE_END}",
        r"\b(?:formatted )?(?:in|as) (?:the |an? )?(?:list|int(?:eger)?|float|str(?:ing)?|json) ?(?:formats?)?\b"
        r"(?:\s+and in (?:de|a)scend(?:ing)? order)?",
        r"\b(?:in|as|use|using)\s+(?:the\s+)?(?:format\s+)?Y{2,4}[-/.]?MM?(?:[-/.]?DD?)?(?:\s+format)?",
    )
)


def without_instructions(text: str) -> str:
    """``text`` without what says how to answer ("round to two decimals", "in list format, e.g. [...]").

    Unchanged where fewer than two telling words would be left.
    """
    rest = text
    for form in _INSTRUCTIONS:
        rest = form.sub(" ", rest)
    telling = [term for term in query_weights(rest) if term not in STOP_TERMS] if rest.strip() else []
    return " ".join(rest.split()) if len(telling) >= 2 else text
