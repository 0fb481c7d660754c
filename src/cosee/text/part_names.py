"""Numbered parts of a work that a text names: "Section 3.3", "Notes 7 and 8", "Appendix B"."""

from __future__ import annotations

import re

from cosee.text.mentions import Mention

# General knowledge: the names of the parts of a work in the languages.
KINDS = {
    "section": r"(?:sub)?sections?|abschnitte?|secci[oó]n|节|節",
    "chapter": r"chapters?|kapitel|chapitres?|cap[ií]tulos?|章",
    "part": r"parts?|teil|parties?",
    "unit": r"units?|modules?|lessons?|lektion",
    "appendix": r"appendi(?:x|ces)|annex(?:es)?|anhang|annexes?|anexos?|ap[eé]ndices?|附录|付録",
    "item": r"items?",
    "article": r"articles?|artikel|art[ií]culos?",
    "note": r"notes?",
}
KIND = "|".join(f"(?P<{kind}>{words})" for kind, words in KINDS.items())
NUMBER = r"\d{1,3}(?:\.\d{1,3}){0,4}[a-z]?|[A-Z]|[IVXL]{2,6}"
_ITEM = rf"(?-i:[A-Z]\.\d+|{NUMBER})(?!\w)"
_NAMED = re.compile(
    rf"(?<!\w)(?:{KIND})[\s\-#]{{1,2}}(?P<numbers>{_ITEM}(?:\s*(?:,\s*and|,|and|&|or|und|et|y)\s*{_ITEM})*)",
    re.IGNORECASE,
)
_OF_ANOTHER = re.compile(r"\s*\(|\s+of\s+(?!this\b)", re.IGNORECASE)
_TITLES = {kind: re.compile(rf"(?:{words})[\s\-#]*({_ITEM})(?!\.\d)", re.IGNORECASE) for kind, words in KINDS.items()}
_BARE_TITLE = re.compile(rf"({_ITEM})(?:\.?[\s:)\u2013-]|\.?$)")


def part_names(text: str, *, own: bool = False) -> list[Mention]:
    """Every numbered part that ``text`` names, in order; ``own``: without those that are said to be of another work
    or of a part of a part ("Section 13(d) of the Act")."""
    return [
        Mention(next(kind for kind in KINDS if match[kind]), number)
        for match in _NAMED.finditer(text)
        if not (own and _OF_ANOTHER.match(text, match.end()))
        for number in re.findall(_ITEM, match["numbers"])
    ]


def title_names(title: str) -> list[Mention]:
    """The numbered parts that a section's title makes it: by the kind's own word, else of no kind (``""``)."""
    found = [Mention(kind, match[1]) for kind, form in _TITLES.items() if (match := form.match(title))]
    bare = _BARE_TITLE.match(title)
    return found or ([Mention("", bare[1])] if bare else [])
