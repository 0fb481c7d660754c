"""Which items are headings: what speaks for each of them, weighed by the model; then levels over the whole document."""

from __future__ import annotations

import re
from collections.abc import Set

from cosee import geometry
from cosee.artifacts.documents.content import ContentItem
from cosee.structure.captions.labels import caption_label
from cosee.structure.draft import TEXT_ROLES, Draft, is_visible, lies_across_text
from cosee.structure.headings import thresholds
from cosee.structure.headings.candidate import Candidate
from cosee.structure.headings.contents_depth import ContentsEntry
from cosee.structure.headings.evidence import Evidence
from cosee.structure.headings.levels import set_levels, without_jumps
from cosee.structure.headings.lines import join_heading_lines
from cosee.structure.headings.matches import match_contents, match_outline, titles_of
from cosee.structure.headings.model import HeadingModel, heading_model
from cosee.structure.headings.slides import slide_titles
from cosee.structure.headings.style import BodyLook, style_of
from cosee.structure.roles import is_code, is_equation
from cosee.text.folding import title_key
from cosee.text.numbering import parse_numbering
from cosee.text.words import SENTENCE_ENDS, one_line

_CONTINUED = re.compile(r"\s*[(\[–—-]?\s*(?:continued|cont[’'.]?d)\.?\s*[)\]]?\s*$", re.IGNORECASE)


def assign_headings(draft: Draft, entries: list[ContentsEntry], deck: bool, model: HeadingModel | None = None) -> None:
    """Give every text item its final role, heading or not, and headings their level from 1 without jumps."""
    if deck:
        _assign_titles(draft)
        return
    join_heading_lines(draft, _listed_titles(draft, entries))
    body = BodyLook.of(draft.items, draft.body_size)
    candidates = _candidates(draft, body)
    match_outline(candidates, draft.outline)
    match_contents(candidates, entries, {page.page_label: page.page_idx for page in draft.pages if page.page_label})
    headings = _choose_headings(draft, candidates, body, len(entries), model or heading_model())
    chosen = {candidate.item.id for candidate in headings}
    for item in draft.items:
        if item.role == "heading" and item.id not in chosen:
            item.role, item.level = "paragraph", None
    set_levels(headings, body)
    _drop_running_titles(draft, {one.item.id for one in headings if one.outline_level is not None})


def _choose_headings(
    draft: Draft, candidates: list[Candidate], body: BodyLook, contents: int, model: HeadingModel
) -> list[Candidate]:
    """The candidates that the model takes for headings, with what an author's own list says added to its log odds."""
    rows = Evidence(draft, candidates, body).rows()
    named = sum(1 for entry in draft.outline if entry.page_idx is not None and titles_of(entry.title))
    found = sum(candidate.outline_level is not None for candidate in candidates)
    dense = _is_sound(found, named) and found >= thresholds.DENSE_BOOKMARKS * len(draft.pages)
    listed = sum(candidate.contents is not None for candidate in candidates)
    scores = model.scores(candidates, rows)
    sound = _is_sound(listed, contents) and listed >= thresholds.MIN_SHARE_IN_CONTENTS * sum(
        score > 0 for score in scores
    )
    chosen, behind = [], False
    for candidate, row, score in zip(candidates, rows, scores, strict=True):
        behind = behind or candidate.outline_level is not None or candidate.contents is not None
        if candidate.outline_level is not None:
            score += thresholds.LOG_ODDS_LISTED
        elif behind and (dense or (sound and row["outranks"] >= max(2, thresholds.MIN_SHARE_OUTRANKED * listed))):
            score -= thresholds.LOG_ODDS_NOT_LISTED
        if candidate.style.size is None:
            marked = candidate.item.role == "heading"
            score += thresholds.LOG_ODDS_LISTED if marked else -thresholds.LOG_ODDS_LISTED
        if candidate.outline_level is None and _is_sentence(candidate, body):
            continue
        if score > 0 and not _ends_document(candidate, draft):
            chosen.append(candidate)
    return chosen


def _is_sound(found: int, entries: int) -> bool:
    """Whether enough of a list is printed where it points."""
    return found >= thresholds.MIN_LISTED_FOUND and found >= thresholds.MIN_SHARE_LISTED_FOUND * entries


def close_level_gaps(draft: Draft) -> None:
    """Levels without jumps again, where a heading between two others is gone or something else now."""
    headings = [item for item in draft.items if item.role == "heading"]
    for item, level in zip(headings, without_jumps([item.level or 1 for item in headings]), strict=True):
        item.level = level


def _listed_titles(draft: Draft, entries: list[ContentsEntry]) -> set[str]:
    """Folded titles that bookmarks and the printed contents name."""
    names = [entry.title for entry in draft.outline] + [entry.title for entry in entries]
    return {title for name in names for title in titles_of(name)}


def _drop_running_titles(draft: Draft, named: Set[str]) -> None:
    """Drop headings at the top of a page that only name a section which is open there already ("... (continued)").

    Those with the ids ``named`` have a bookmark of their own.

    Below a running header the same words on the next page are a section of their own.
    """
    headers = {(gone.page_idx, gone.bbox[3]) for gone in draft.dropped if gone.reason == "header" and gone.bbox}
    open_titles: list[tuple[int, str]] = []
    reasons: dict[str, str] = {}
    for item in draft.items:
        if item.role != "heading":
            continue
        title = title_key(_CONTINUED.sub("", item.text))
        level = item.level or 1
        holds = [outer for _, outer in open_titles]
        below = any(page == item.page_idx and bottom <= item.bbox[1] for page, bottom in headers)
        if below and title == title_key(item.text):
            holds = []
        running = item.bbox[1] <= thresholds.RUNNING_TITLE_TOP and item.id not in named
        if running and (title in holds or any(f"{one} {two}" == title for one in holds for two in holds)):
            reasons[item.id] = "header"
            continue
        while open_titles and open_titles[-1][0] >= level:
            open_titles.pop()
        open_titles.append((level, title))
    draft.drop(reasons)
    if reasons:
        close_level_gaps(draft)


def _assign_titles(draft: Draft) -> None:
    """Of a deck the title of each slide."""
    titles = {item.id for item in slide_titles(draft)}
    for item in draft.items:
        if item.id in titles:
            item.role, item.level = "heading", 1
        elif item.role == "heading":
            item.role, item.level = "paragraph", None


def _candidates(draft: Draft, body: BodyLook) -> list[Candidate]:
    """Every text that may be a heading, and what a bookmark of its page names."""
    on_pages = draft.on_pages()
    named = {(entry.page_idx, title) for entry in draft.outline for title in titles_of(entry.title)}
    following: list[ContentItem | None] = [*draft.items, None][1:]
    found = []
    for item, behind in zip(draft.items, following, strict=True):
        if item.role not in TEXT_ROLES | {"code"} or not is_visible(item) or item.caption_of is not None:
            continue
        text, style = one_line(item.text), style_of(item)
        numbering = parse_numbering(text)
        allowed = (
            _may_be_heading(text)
            and not body.outranks(style)
            and "rotated" not in item.flags
            and (numbering is not None or behind is None or not _runs_on(item, behind))
            and not lies_across_text(item, on_pages[item.page_idx])
        )
        if allowed or (named and any((item.page_idx, title) in named for title in titles_of(text))):
            found.append(Candidate(item, text, style, numbering))
    return found


def _may_be_heading(text: str) -> bool:
    """Whether length and form allow a heading at all: neither a formula, an address, a caption, nor half a sentence."""
    return (
        len(text) <= thresholds.MAX_HEADING_CHARACTERS
        and any(map(str.isalnum, text))
        and not text.endswith((",", "，", "、"))
        and not ("@" in text or "://" in text or "www." in text)
        and not (is_code(text) or is_equation(text))
        and caption_label(text) is None
    )


def _is_sentence(candidate: Candidate, body: BodyLook) -> bool:
    """Whether it ends as a sentence does, has no number, and nothing sets it off from the text."""
    return (
        candidate.numbering is None
        and candidate.contents is None
        and candidate.text.endswith(SENTENCE_ENDS)
        and candidate.style.size is not None
        and body.looks_like(candidate.style)
    )


def _ends_document(candidate: Candidate, draft: Draft) -> bool:
    """Whether it is a sentence without a number at the end of the document: nothing stands below that it could head."""
    last = candidate.item is draft.items[-1] and candidate.numbering is None
    return last and candidate.text.endswith(SENTENCE_ENDS)


def _runs_on(item: ContentItem, other: ContentItem) -> bool:
    """Whether the sentence goes on, in lower case, right below: bold words at the start of a paragraph."""
    return (
        other.role in TEXT_ROLES
        and other.page_idx == item.page_idx
        and other.text.lstrip()[:1].islower()
        and (item.size or 0.0) < thresholds.LARGER_THAN_BODY * (other.size or item.size or 1.0)
        and geometry.gap_y(item.bbox, other.bbox) < thresholds.MAX_GAP_RUN_ON
    )
