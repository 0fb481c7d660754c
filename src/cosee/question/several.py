"""Whether a question over several documents compares them, so that each has to be looked at by itself."""

from __future__ import annotations

import re

from cosee.text.number_words import CARDINAL, cardinal_value

# General knowledge: what collections are made of, in the languages.
_THINGS = (
    r"(?:(?:\w+ ){0,2}?(?:documents?|reports?|files?|filings?|papers?|articles?|studies|contracts?|presentations?|"
    r"manuals?|companies|firms|berichte?n?|dokumente?n?|unternehmen|documentos?|informes?|rapports?))"
)
_NUMBER = rf"(?P<number>\d{{1,3}}|{CARDINAL})"
# General knowledge: how English, German, French and Spanish set several things side by side.
_EACH = re.compile(
    rf"\b(?:which|what|who|welche[rs]?|cu[aá]l|l?quel(?:le)?) (?:one )?(?:of|among|out of|von|der|de|des|d')\s?"
    rf"(?:the |these |all |den |los |las |les )*(?:{_NUMBER}\b(?: {_THINGS}\b)?|{_THINGS}\b)"
    rf"|\b(?:in|of|for|across|among|between|over|from|by) (?:each|every|all|both|the (?:{CARDINAL}))(?: of)?"
    rf"(?: the| these)?(?: (?P<count>{CARDINAL}))? {_THINGS}\b"
    rf"|\bcompar(?:e|ed|ing|ison)\b[^?.;]{{0,60}}\b{_THINGS}\b"
    rf"|\b(?:documents?|reports?|files?|filings?|papers?|companies)\b[^?.;]{{0,40}}\bha(?:s|ve|d) the "
    r"(?:\w+est|most|least|more|fewer|fewest)\b",
    re.IGNORECASE,
)


def compared_documents(text: str) -> int | None:
    """How many documents a question sets side by side: 0 where it does not say; None where it compares none."""
    match = _EACH.search(" ".join(text.split()))
    if match is None:
        return None
    number = match["number"] or match["count"]
    if not number:
        return 0
    return int(number) if number.isdecimal() else int(cardinal_value(number) or 0)
