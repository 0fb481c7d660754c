"""Which items are headings: bookmarks, printed contents, numbers, then type size and weight, over the whole document.

Items of one style are decided together, so that equal things get equal roles.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice

from cosee import geometry
from cosee.artifacts.documents.content import ContentItem
from cosee.structure.draft import TEXT_ROLES, Draft, is_visible
from cosee.structure.headings.candidate import Candidate
from cosee.structure.headings.choice import choose
from cosee.structure.headings.contents_depth import ContentsEntry
from cosee.structure.headings.levels import set_levels, without_jumps
from cosee.structure.headings.lines import join_heading_lines
from cosee.structure.headings.listing import without_contradicted
from cosee.structure.headings.matches import match_contents, match_outline, titles_of
from cosee.structure.headings.slides import slide_titles
from cosee.structure.headings.style import LARGER, BodyLook, Style, style_of
from cosee.structure.roles import is_bullet, is_code, is_equation
from cosee.text.folding import title_key
from cosee.text.numbering import is_bare_count, parse_numbering
from cosee.text.scripts import has_cjk
from cosee.text.words import letter_count, one_line, word_count

MAX_CHARACTERS = 200
MAX_WORDS = 22
_CONTINUED = re.compile(r"\s*[(\[–—-]?\s*(?:continued|cont[’'.]?d)\.?\s*[)\]]?\s*$", re.IGNORECASE)
BLANK = re.compile(r"_{3,}|\.{6,}|[☐□❑]\s|\[\s\]")
"""What is to be filled in or ticked in a form."""
PROSE = 80
"""Characters from which a sentence is running text, however much of it is bold."""
LOOK_AHEAD = 12
"""Items looked through for the text that follows a heading."""


def assign_headings(draft: Draft, entries: list[ContentsEntry], deck: bool, max_level: int) -> None:
    """Give every text item its final role, heading or not, and headings their level from 1 without jumps."""
    if deck:
        _assign_titles(draft)
        return
    join_heading_lines(draft, _listed_titles(draft, entries))
    candidates = _candidates(draft)
    match_outline(candidates, draft.outline)
    match_contents(candidates, entries, {page.page_label: page.page_idx for page in draft.pages if page.page_label})
    body = BodyLook.of(draft.items, draft.body_size)
    headings = choose(candidates, body)
    headings = without_contradicted(headings, len(_named(draft)), len(entries), len(draft.pages), body)
    chosen = {candidate.item.id for candidate in headings}
    for item in draft.items:
        if item.role == "heading" and item.id not in chosen:
            item.role, item.level = "paragraph", None
    set_levels(headings, max_level, body)
    _drop_running_titles(draft)


def close_level_gaps(draft: Draft) -> None:
    """Levels without jumps again, where a later step made something else of a heading between two others."""
    headings = [item for item in draft.items if item.role == "heading"]
    for item, level in zip(headings, without_jumps([item.level or 1 for item in headings]), strict=True):
        item.level = level


def _named(draft: Draft) -> list[tuple[int, frozenset[str]]]:
    """Page and folded titles of each bookmark that has both."""
    named = [(entry.page_idx, titles_of(entry.title)) for entry in draft.outline]
    return [(page_idx, titles) for page_idx, titles in named if page_idx is not None and titles]


def _listed_titles(draft: Draft, entries: list[ContentsEntry]) -> set[str]:
    """Folded titles that bookmarks and the printed contents name."""
    names = [entry.title for entry in draft.outline] + [entry.title for entry in entries]
    return {title for name in names for title in titles_of(name)}


def _drop_running_titles(draft: Draft) -> None:
    """Drop headings at the top of a page that only name a section which is open there already ("... (continued)")."""
    open_titles: list[tuple[int, str]] = []
    reasons: dict[str, str] = {}
    for item in draft.items:
        if item.role != "heading":
            continue
        title = title_key(_CONTINUED.sub("", item.text))
        level = item.level or 1
        holds = [outer for _, outer in open_titles]
        if item.bbox[1] <= 0.16 and (title in holds or any(f"{one} {two}" == title for one in holds for two in holds)):
            reasons[item.id] = "header"
            continue
        while open_titles and open_titles[-1][0] >= level:
            open_titles.pop()
        open_titles.append((level, title))
    draft.drop(reasons)
    if reasons:
        # What stood below a dropped one may have to move up.
        left = [item for item in draft.items if item.role == "heading"]
        for item, level in zip(left, without_jumps([item.level or 1 for item in left]), strict=True):
            item.level = level


def _assign_titles(draft: Draft) -> None:
    titles = {item.id for item in slide_titles(draft)}
    for item in draft.items:
        if item.id in titles:
            item.role, item.level = "heading", 1
        elif item.role == "heading":
            item.role, item.level = "paragraph", None


def _candidates(draft: Draft) -> list[Candidate]:
    media: dict[int, list[ContentItem]] = defaultdict(list)
    for item in draft.items:
        if item.role in ("image", "table"):
            media[item.page_idx].append(item)
    named = {(page_idx, title) for page_idx, titles in _named(draft) for title in titles}
    candidates: list[Candidate] = []
    for index, item in enumerate(draft.items):
        if item.role not in TEXT_ROLES or not is_visible(item) or item.caption_of is not None:
            continue
        text = one_line(item.text)
        listed = any((item.page_idx, title) in named for title in (titles_of(text) if named else ()))
        if not listed and not _may_be_heading(item, text):
            continue
        if not listed and any(geometry.share_inside(item.bbox, medium.bbox) > 0.7 for medium in media[item.page_idx]):
            continue
        candidate = Candidate(item, text, style_of(item), parse_numbering(text))
        candidate.followed = _followed(draft.items, index, candidate.style)
        candidate.runs_on = _runs_on(item, draft.items[index + 1 : index + 2])
        candidates.append(candidate)
    return candidates


def _may_be_heading(item: ContentItem, text: str) -> bool:
    """Whether length and characters allow a heading at all."""
    if not text or len(text) > MAX_CHARACTERS or word_count(text) > MAX_WORDS or item.text.count("\n") > 3:
        return False
    if BLANK.search(text) or is_bare_count(text):
        return False
    numbering = parse_numbering(text)
    title = text if numbering is None else numbering.title
    few = letter_count(title) < 0.35 * len(title.replace(" ", "")) and (numbering is None or numbering.depth < 2)
    if few or letter_count(text) < (1 if has_cjk(text) or numbering is not None else 2):
        return False
    if is_bullet(text) or is_code(text) or is_equation(text) or "@" in text or "://" in text or "www." in text:
        return False
    return text[-1] not in ",;，；、" and (item.role != "list" or "\n" not in item.text)


def _followed(items: list[ContentItem], index: int, style: Style) -> bool:
    for item in islice(items, index + 1, index + 1 + LOOK_AHEAD):
        if item.role in ("caption", "footnote") or not is_visible(item):
            continue
        if item.role not in TEXT_ROLES:
            return True
        other = style_of(item)
        return (
            other != style
            and (other.size or 0) <= (style.size or 0)
            or parse_numbering(one_line(item.text)) is not None
        )
    return False


def _runs_on(item: ContentItem, following: list[ContentItem]) -> bool:
    """Whether the sentence goes on, in lower case, right below: bold words at the start of a paragraph."""
    return any(
        other.role in TEXT_ROLES
        and other.page_idx == item.page_idx
        and other.text.lstrip()[:1].islower()
        and (item.size or 0.0) < LARGER * (other.size or item.size or 1.0)
        and geometry.gap_y(item.bbox, other.bbox) < 0.015
        for other in following
    )
