"""Sections that a question names: by number ("Section 3.3", "Appendix B"), by place ("the last chapter"), by title."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cosee.artifacts.documents.doctree import Node
from cosee.index.references import PartIndex
from cosee.retrieval.thresholds import CJK_NUMBER_CHARACTERS, LONGEST_NAMED_TITLE
from cosee.text.folding import fold
from cosee.text.mentions import Mention
from cosee.text.part_names import KIND, KINDS, NUMBER, part_names
from cosee.text.tokens import analyze

_CJK_NUMBERED = re.compile(r"第\s*(?P<number>\d{1,3})\s*(?P<kind>[章节節])")
# General knowledge: ordinals, and the ends of a work, counted from either end.
_PLACES = {
    "first": 0, "opening": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": -1, "final": -1, "closing": -1,
    "second to last": -2, "second-to-last": -2, "second last": -2, "penultimate": -2,
}  # fmt: skip
_PLACED = re.compile(
    rf"\b(?P<place>{'|'.join(sorted(_PLACES, key=len, reverse=True))})\s+(?:main\s+)?(?:{KIND})\b", re.IGNORECASE
)
_QUOTED = re.compile(
    r"[\"\u201c\u300c\u00ab'\u2018]([^\"\u201c\u201d\u300c\u300d\u00ab\u00bb]{3,120}?)[\"\u201d\u300d\u00bb'\u2019](?!\w)"
)
# General knowledge: the names of the parts of a work that have a title.
_HEADED = frozenset(
    term for word in ("section", "subsection", "chapter", "heading", "abschnitt", "kapitel") for term in analyze(word)
)


def named_sections(text: str, sections: Sequence[Node], parts: PartIndex) -> list[str]:
    """Ids of the ``sections`` (in reading order) that ``text`` names, each once; ``parts`` is theirs."""
    found: list[str] = []
    for part in part_names(text):
        found += parts.resolve(part)
    for match in _CJK_NUMBERED.finditer(text):
        name = match.group().replace(" ", "")
        found += [each.id for each in sections if name in _title(each).replace(" ", "")[:CJK_NUMBER_CHARACTERS]]
        found += parts.resolve(Mention("chapter", match["number"]))
    for match in _PLACED.finditer(text):
        kind = next(kind for kind in KINDS if match[kind])
        found += _placed(kind, _PLACES[" ".join(match["place"].lower().split())], sections)
    found += _titled(text, sections)
    return list(dict.fromkeys(found))


def _title(section: Node) -> str:
    return (section.title or section.text).strip()


def _placed(kind: str, place: int, sections: Sequence[Node]) -> list[str]:
    """The one at ``place`` of those with the kind's own word, else of the top level."""
    own_word = re.compile(rf"(?:{KINDS[kind]})\b", re.IGNORECASE)
    rows = [each for each in sections if own_word.match(_title(each))]
    if not rows and kind in ("section", "chapter", "part"):
        top = min((each.level for each in sections), default=1)
        rows = [each for each in sections if each.level == top]
    return [rows[place].id] if -len(rows) <= place < len(rows) else []


def _titled(text: str, sections: Sequence[Node]) -> list[str]:
    """Those whose whole title the text has in quotation marks or beside a word for section; not one inside another."""
    quoted = {tuple(analyze(match)) for match in _QUOTED.findall(text)}
    asked = analyze(text)
    heads = [place for place, term in enumerate(asked) if term in _HEADED]
    if not quoted and not heads:
        return []
    found: dict[str, tuple[str, ...]] = {}
    for section in sections:
        # General knowledge: how sections are numbered.
        terms = analyze(re.sub(rf"^(?:{NUMBER})[.\s:)]+", "", fold(_title(section))))
        size = len(terms)
        if 0 < size <= LONGEST_NAMED_TITLE and (
            tuple(terms) in quoted
            or any(terms in (asked[head + 1 : head + 1 + size], asked[max(0, head - size) : head]) for head in heads)
        ):
            found[section.id] = tuple(terms)
    titles = set(found.values())
    return [node_id for node_id, terms in found.items() if not any(_inside(terms, other) for other in titles)]


def _inside(terms: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether ``other`` is longer and has ``terms`` side by side."""
    return any(other[place : place + len(terms)] == terms for place in range(len(other) - len(terms) + 1)) and (
        terms != other
    )
