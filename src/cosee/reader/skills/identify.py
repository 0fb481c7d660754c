"""Names of a certain look: telephone numbers, addresses, references, and who did what."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from cosee.reader.skills.nodes import Passage
from cosee.reader.skills.question import Asked
from cosee.reader.skills.rank import coverage
from cosee.reader.skills.span import Span, text_sentences
from cosee.text.content_words import terms
from cosee.text.folding import fold
from cosee.text.stemming import stem

_PHONE = re.compile(r"(?<![\w.])\+?\(?\d[\d\s().-]{5,18}\d(?![\w])")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_LINK = re.compile(
    r"(?:https?://|www\.)[^\s,;)>\]]+|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|gov|edu|eu|uk|de|io)(?:/\S*)?\b"
)
_CODE = r"(?=[\w./-]*\d)[A-Za-z0-9][\w./-]*[A-Za-z0-9]|\d+"
_LOOKS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    (r"\bfax\b", r"\bfax\b|\bfacsimile\b|\bf:", _PHONE),
    (r"\b(?:tele)?phone\b|\bcontact number\b|\bmobile\b|\bcall(?:ing)? (?:number|at)\b|\bhotline\b",
     r"\btel\b|\bphone\b|telephone|\bcall\b|\bmobile\b|\bt:|\bhotline\b", _PHONE),
    (r"\be-?mail\b", r"e-?mail|@", _MAIL),
    (r"\bweb ?site\b|\burl\b|\bweb (?:address|page)\b", r"web|www|http|visit|online", _LINK),
)  # fmt: skip
_LOOK_ASKED = re.compile(
    r"^(?:what|which|give|write|provide|list|name)\b.*\b(?:(?:tele)?phone (?:no\b|number)|fax\b|hotline\b|"
    r"e-?mail(?: (?:id|address))?(?= (?:of|for|in|on|to|at)\b|\W*$)|web ?(?:site|address)\b|url\b)"
)
_CODE_ASKED = re.compile(
    r"\b(?:case|reference|invoice|account|registration|permit|patent|model|serial|grant|licen[cs]e|contract|policy|"
    r"docket|isbn|doi|order|file|project|application|document|certificate|tracking|part|item|form|flight|room)\b"
    r"(?= (?:no\b|number\b|id\b|code\b|#))|\breference\b|\b(?:what|which) (?P<noun>grant|clause|article|regulation|act|"
    r"model|version|permit|licen[cs]e|standard|contract|case|patent)\b"
)
_BY_WHOM = re.compile(r"\b(?:who|whom|(?:which|what) (?:firm|company|organi[sz]ation|agency|institution|person|"
                      r"body|bank|university|group|author|auditor|department|supplier|contractor))\b")  # fmt: skip
_AGENT = r"(?:[A-Z][\w'’.&-]*)(?:\s+(?:of|de|van|von|der|the|and|&|[A-Z][\w'’.&-]*))*"
_TRAILING = re.compile(r"(?:\s+(?:of|de|van|von|der|the|and|&))+$")


def identified(asked: Asked, passages: Sequence[Passage], weights: Mapping[str, float]) -> Span | None:
    """The telephone number, address, reference or code that the question asks for, by its look and its label."""
    text = fold(asked.core)
    for question, label, look in _LOOKS:
        if re.search(question, text):
            return _by_look(asked, passages, weights, re.compile(label), look)
    if match := _CODE_ASKED.search(text):
        noun = match["noun"] or match.group()
        return _code_after(asked, passages, weights, noun)
    return None


def asks_look(asked: Asked) -> bool:
    """Whether a telephone number or an address is asked for: what does not look like one is no answer."""
    return bool(_LOOK_ASKED.search(fold(asked.core)))


def _by_look(
    asked: Asked,
    passages: Sequence[Passage],
    weights: Mapping[str, float],
    label: re.Pattern[str],
    look: re.Pattern[str],
) -> Span | None:
    """The match nearest to the question's words: on its own line, with its label, or lines above it."""
    found: list[Span] = []
    for at, passage in enumerate(passages):
        nearby = [other for other in passages[max(0, at - 6) : at + 2] if other.page == passage.page]
        context = " ".join(other.text for other in nearby)
        for line in passage.content.splitlines():
            for match in look.finditer(line):
                before = fold(line[max(0, match.start() - 40) : match.start()])
                own = bool(label.search(before)) or look is _MAIL
                named = any(len(term) > 3 and term in fold(match.group()) for term in asked.terms)
                about = 0.5 * coverage(asked, line, dict(weights)) + 0.5 * coverage(asked, context, dict(weights))
                worth = (1.0 if own else 0.55) * min(1.0, 0.35 + about) + (0.3 if named and look is _MAIL else 0.0)
                found.append(Span(match.group().strip(), line.strip(), passage, round(worth, 6)))
    return max(found, key=lambda span: span.score) if found else None


def _code_after(asked: Asked, passages: Sequence[Passage], weights: Mapping[str, float], noun: str) -> Span | None:
    """``grant MR-2219``, ``Our reference: BV/2291/24``: the code right after the noun."""
    pattern = re.compile(
        rf"\b{re.escape(noun)}s?\b(?:\s*(?:no|number|nr|id|code)\b\.?)?\s*(?:is\b|[:#])?\s*({_CODE})(?!\w)",
        re.IGNORECASE,
    )
    found = []
    for passage in passages:
        for sentence in text_sentences(passage):
            for match in pattern.finditer(sentence):
                worth = 0.5 + 0.5 * coverage(asked, f"{sentence} {' '.join(passage.path[-1:])}", dict(weights))
                if fold(match[1]) not in fold(asked.core):
                    found.append(Span(match[1], sentence, passage, round(worth, 6)))
    return max(found, key=lambda span: span.score) if found else None


def agent(asked: Asked, passages: Sequence[Passage], weights: Mapping[str, float]) -> Span | None:
    """Who did it: the name after ``<verb> by`` where the question asks by whom, in the sentence that fits best."""
    text = fold(asked.core)
    if not _BY_WHOM.search(text):
        return None
    asked_stems = set(asked.terms)
    found = []
    for passage in passages:
        for sentence in text_sentences(passage):
            for match in re.finditer(
                rf"\b(\w+(?:ed|en|pt|wn|lt|de|ne|id))\s+(?:\w+ly\s+)?by\s+((?:the\s+)?{_AGENT})", sentence
            ):
                name = _TRAILING.sub("", match[2]).rstrip(".,;")
                if stem(match[1].lower()) in asked_stems and not set(terms(name)) <= asked_stems:
                    worth = 0.45 + 0.55 * coverage(asked, sentence, dict(weights))
                    found.append(Span(name.removeprefix("the "), sentence, passage, round(worth, 6)))
    return max(found, key=lambda span: span.score) if found else None
