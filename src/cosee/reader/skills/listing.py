"""Lists: the items after a lead-in sentence, the bullets under a heading, the rows of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cosee.reader.skills.nodes import Passage
from cosee.reader.skills.question import Asked
from cosee.reader.skills.rank import coverage
from cosee.text.content_words import terms
from cosee.text.number_words import SEVERAL
from cosee.text.sentences import split_sentences

_BULLET = re.compile(r"^\s*(?:[•▪●◦·\-–*✓➢■□o]|\(?[a-z0-9]{1,2}[.)]|\([ivx]+\))\s+")
_LEAD = re.compile(
    r"\b(?:includ(?:e|es|ed|ing)|(?:cover|offer|provid|us|contain|requir|support|mak|sell)(?:e?s|ed|ing)?|such "
    r"as|consists? of|comprises?|are|were|as follows|following|namely|into|on|by|for|from|between|of|"
    r"in)\b\s*:?\s*|:\s+",
)
_MAX_ITEM_WORDS = 14


@dataclass(frozen=True)
class Items:
    """Items with the text they stand in; ``score`` is 0..1."""

    items: tuple[str, ...]
    quote: str
    passage: Passage
    score: float


def list_items(asked: Asked, passages: Sequence[Passage], weights: dict[str, float]) -> list[Items]:
    """Lists by how well they fit the question, best first; where it says how many, those of that size if any."""
    found = [
        *(items for passage in passages for items in _in_sentences(asked, passage, weights)),
        *_bullets(asked, passages, weights),
    ]
    size = _wanted_size(asked)
    if size is not None:
        exact = [items for items in found if len(items.items) == size]
        found = exact or found
    return sorted(found, key=lambda items: -items.score)


def _wanted_size(asked: Asked) -> int | None:
    match = re.search(rf"\b({'|'.join(SEVERAL)})\b", asked.core.lower())
    return SEVERAL[match[1]] if match else None


def _in_sentences(asked: Asked, passage: Passage, weights: dict[str, float]) -> list[Items]:
    """``The plan covers a, b and c.``"""
    found = []
    for sentence in split_sentences(passage.content):
        fit = coverage(asked, sentence, weights)
        if fit < 0.3 or "," not in sentence and " and " not in sentence:
            continue
        items = enumeration(sentence)
        if len(items) >= 2:
            found.append(Items(tuple(items), sentence, passage, fit))
    return found


def enumeration(sentence: str) -> list[str]:
    """The items of a sentence's enumeration (``a, b, and c``), without its lead-in; empty where it has none."""
    body = sentence.rstrip(" .;:")
    separator = ";" if body.count(";") >= 2 else ","
    parts = [
        part.strip()
        for part in re.split(rf"{separator}\s+(?:and\s+|or\s+)?|\s+and\s+(?=[^,;]*$)", body)
        if part and part.strip()
    ]
    if len(parts) < 2 or len(parts) == 2 and separator not in body:
        return []
    leads = list(_LEAD.finditer(parts[0]))
    if leads:
        parts[0] = parts[0][leads[-1].end() :].strip() if len(parts[0][leads[-1].end() :].split()) else parts[0]
    parts = [re.sub(r"^(?:and|or|the following)\s+", "", part).strip() for part in parts]
    parts = [part for part in parts if part]
    if len(parts) < 2 or any(len(part.split()) > _MAX_ITEM_WORDS for part in parts):
        return []
    return parts


def _bullets(asked: Asked, passages: Sequence[Passage], weights: dict[str, float]) -> list[Items]:
    """Bullet lines, in a list node or after the line that leads in to them, also over several nodes."""
    found = []
    lines = [(line.strip(), passage) for passage in passages for line in _joined_lines(passage)]
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and _BULLET.match(lines[end][0]) and lines[end][1].page - lines[at][1].page <= 1:
            end += 1
        if end - at >= 2:
            passage = lines[at][1]
            lead = " ".join(text for text, _ in lines[max(0, at - 2) : at])
            context = " ".join((lead, *passage.path[-1:], passage.title))
            items = tuple(_BULLET.sub("", text).strip().rstrip(".;,") for text, _ in lines[at:end])
            fit = max(coverage(asked, context, weights), 0.6 * coverage(asked, f"{context} {' '.join(items)}", weights))
            if fit > 0.25 and len(items) <= 30:
                found.append(
                    Items(items, "\n".join(text for text, where in lines[at:end] if where is passage), passage, fit)
                )
        at = max(end, at + 1)
    return found


def _joined_lines(passage: Passage) -> list[str]:
    """Lines, where one that goes on a bullet is joined to it, and a lone bullet sign to its text."""
    joined: list[str] = []
    for line in passage.content.splitlines():
        text = line.strip()
        if not text:
            continue
        if (
            joined
            and re.fullmatch(r"[•▪●◦·\-–*✓➢■□]", joined[-1])
            or (
                joined
                and _BULLET.match(joined[-1])
                and not _BULLET.match(text)
                and (text[0].islower() or joined[-1][-1] in ",-")
            )
        ):
            joined[-1] = f"{joined[-1]} {text}"
        else:
            joined.append(text)
    return joined


def is_new(asked: Asked, items: Sequence[str]) -> bool:
    """Whether the items say something that the question does not."""
    return bool(set(terms(" ".join(items))) - set(asked.terms))
