"""Roles of body text that is not prose: lists, footnotes, notes of tables and figures, equations, code."""

from __future__ import annotations

import re

from cosee import geometry
from cosee.artifacts.documents.content import ContentItem
from cosee.structure import thresholds
from cosee.structure.draft import Draft, is_visible
from cosee.text.caption_words import NOTE
from cosee.text.number_words import HAN_TO_TEN
from cosee.text.words import letter_count, one_line, word_count

# General knowledge: the bullets of Unicode, and the letters that fonts of symbols draw as one.
_BULLET = re.compile(r"[•●○◦▪■□◆◇►▶‣∙·※✓✔➢→–—\-*oü]\s+\S|[•●▪■➢►‣]\S")
_ENUMERATED = re.compile(
    r"(?:\(?(?P<number>\d{1,2})[.)]|\(?(?P<letter>[a-zA-Z])[.)]|\((?P<roman>[ivx]{1,5})\)|(?P<circled>[①-⑳])"
    rf"|[（(](?P<han>[{HAN_TO_TEN}]+)[）)])"
    r"(?:\s+(?=\S)|(?=[^\W\d_]))"
)
_FOOTNOTE = re.compile(r"(?:\d{1,3}|[*†‡§¶#]{1,3}|\[\d{1,3}\]|\(\d{1,2}\)|[a-z]|[¹²³⁴-⁹⁰]+|注)\s*(?=[^\W\d_]|[\"'“(])")
# General knowledge: the relations of a formula.
_RELATION = re.compile(r"[=<>]")
_EQUATION_NUMBER = re.compile(r"(?:^|\s)\((?P<number>[A-Z]?\d{1,3}(?:\.\d{1,3})?[a-z]?)\)\s*$")
# General knowledge: signs and letters of formulas that programs and settings do not have.
_MATH = re.compile(r"[≈≤≥±×÷∑∏∫√∂∇∞∈∀∃→⇒αβγδεζηθλμνξπρστφχψωΓΔΘΛΞΠΣΦΨΩ^]")
_CODE = re.compile(
    r"^\s*(?:\$ |>>> |#!|import \w+|from \w+ import|def \w+\(|class \w+[(:]|return\b.*;|"
    r"#include|</?\w+[^>]*>|\w+\(.*\)\s*[;{]|[{}]\s*$)|\s--[a-z][\w-]+|^\s*[\w.\[\]]+\s*=[^;]*;\s*$"
)


def assign_roles(draft: Draft, deck: bool) -> None:
    """Give paragraphs their more exact role, in place. Slides have small text anywhere: none of it is a footnote."""
    for items in draft.on_pages().values():
        _media_notes(items)
        if not deck:
            _footnotes(items, draft.body_size)
    for item in draft.items:
        if item.role != "paragraph" or not is_visible(item):
            continue
        if is_equation(item.text):
            item.role = "equation"
        elif is_code(item.text):
            item.role = "code"
    for item in draft.items:
        if item.role == "equation" and item.label is None:
            match = _EQUATION_NUMBER.search(item.text)
            item.label = f"({match['number']})" if match is not None else None
    _lists(draft)


def is_bullet(text: str) -> bool:
    """Whether the text opens with a bullet (not with a counter)."""
    return _BULLET.match(text) is not None


def is_note(text: str) -> bool:
    """Whether the text opens as the note of a table or figure: ``Source: ...``, ``Note: ...``."""
    return NOTE.match(text) is not None


def counter(text: str) -> tuple[str, int] | None:
    """Kind and value of the counter that opens the text, None without one."""
    match = _ENUMERATED.match(text)
    if match is None:
        return None
    if match["number"]:
        return "number", int(match["number"])
    if match["letter"]:
        return ("upper" if match["letter"].isupper() else "lower"), ord(match["letter"].lower()) - 96
    if match["circled"]:
        return "circled", ord(match["circled"]) - ord("①") + 1
    return ("roman" if match["roman"] else "han"), 0


def is_equation(text: str) -> bool:
    """A displayed formula: two of a relation, a sign of mathematics and a number, and hardly a word."""
    line = one_line(text)
    if not thresholds.MIN_EQUATION_CHARACTERS <= len(line) <= thresholds.MAX_EQUATION_CHARACTERS:
        return False
    if (_RELATION.search(line) is not None) + (_MATH.search(line) is not None) + (
        _EQUATION_NUMBER.search(line) is not None
    ) < 2:
        return False
    few_words = len(re.findall(r"[^\W\d_]{4,}", line)) <= thresholds.MAX_EQUATION_WORDS
    return few_words and letter_count(line) <= thresholds.MAX_EQUATION_LETTERS * len(line)


def is_code(text: str) -> bool:
    """Whether most lines of the text look like program text or commands."""
    lines = [line for line in text.split("\n") if line.strip()]
    of_code = sum(_CODE.search(line) is not None for line in lines)
    return of_code >= max(1, len(lines) / 2) and not one_line(text).endswith((".", ":"))


def _footnotes(items: list[ContentItem], body: float) -> None:
    """Small text with a marker below all body text of its column becomes a footnote."""
    small = [
        item
        for item in items
        if item.role in ("paragraph", "list")
        and is_visible(item)
        and item.size is not None
        and item.size <= thresholds.SMALL_TYPE * body
        and item.bbox[1] >= thresholds.FOOTNOTES_TOP
    ]
    small_ids = {item.id for item in small}
    lowest = [item for item in items if item.role in ("paragraph", "list", "heading") and item.id not in small_ids]
    in_notes = False
    for item in sorted(small, key=lambda item: (item.bbox[0] > 0.5, item.bbox[1])):
        below = any(
            geometry.overlap_share_x(item.bbox, other.bbox) > thresholds.MIN_COLUMN_OVERLAP
            and other.bbox[1] > item.bbox[3] - thresholds.LINE_OVERLAP
            for other in lowest
        )
        if below:
            in_notes = False
        elif in_notes or _FOOTNOTE.match(item.text.lstrip()):
            item.role, in_notes = "footnote", True


def _media_notes(items: list[ContentItem]) -> None:
    """``Source: ...`` and ``Note: ...`` right below a table or figure become its footnotes."""
    media = [item for item in items if item.role in ("table", "image")]
    for item in items:
        if item.role not in ("paragraph", "heading", "footnote") or not is_note(item.text) or item.caption_of:
            continue
        near = [
            (geometry.gap_y(item.bbox, medium.bbox), medium.id, medium)
            for medium in media
            if item.bbox[1] >= medium.bbox[3] - thresholds.MEDIUM_OVERLAP
            and geometry.overlap_share_x(item.bbox, medium.bbox) > thresholds.MIN_COLUMN_OVERLAP
        ]
        if near and min(near)[0] <= thresholds.MAX_GAP_NOTE:
            medium = min(near)[2]
            item.role, item.level = "footnote", None
            if item.id not in medium.footnote_ids:
                medium.footnote_ids.append(item.id)


def _lists(draft: Draft) -> None:
    """Bulleted paragraphs, and counted ones that have a neighbour in the count, become lists; runs are joined."""
    texts = [item for item in draft.items if item.role in ("paragraph", "list") and is_visible(item)]
    for item in texts:
        if item.role == "paragraph" and is_bullet(item.text) and not re.match(r"[–—-]\s*\d", item.text):
            item.role = "list"
    for one, other in zip(texts, texts[1:], strict=False):
        first, second = counter(one.text), counter(other.text)
        if first is None or second is None or first[0] != second[0] or abs(second[1] - first[1]) > 1:
            continue
        if max(word_count(one.text), word_count(other.text)) <= thresholds.MAX_ITEM_WORDS:
            one.role = other.role = "list"
    _join_runs(draft)


def _join_runs(draft: Draft) -> None:
    """Make one item of list items in a row that belong to one list."""
    run: list[ContentItem] = []
    for item in [*draft.items, None]:
        listed = item if item is not None and item.role == "list" and is_visible(item) else None
        if run and listed is not None and _goes_on(run[-1], listed):
            run.append(listed)
            continue
        if len(run) > 1:
            draft.absorb(run[0], run[1:], "\n".join(part.text for part in run))
        run = [] if listed is None else [listed]
    draft.sweep()


def _goes_on(previous: ContentItem, item: ContentItem) -> bool:
    """Whether two list items in a row belong to one list: same page and near, or over a page or column break."""
    if item.page_idx != previous.page_idx:
        to_next_page = previous.bbox[3] > thresholds.LIST_END and item.bbox[1] < thresholds.LIST_START
        return item.page_idx == previous.page_idx + 1 and to_next_page
    if item.bbox[1] < previous.bbox[1]:
        return True
    return geometry.gap_y(previous.bbox, item.bbox) < thresholds.MAX_GAP_LIST and item.bold == previous.bold
