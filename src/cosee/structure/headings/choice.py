"""Which candidates are headings: groups of one style and kind of number are decided together, over the document."""

from __future__ import annotations

from collections import defaultdict

from cosee import geometry
from cosee.structure.headings.candidate import Candidate
from cosee.structure.headings.contents_page import is_contents_title
from cosee.structure.headings.style import LARGER, BodyLook
from cosee.structure.roles import counter
from cosee.text.folding import title_key
from cosee.text.scripts import has_cjk
from cosee.text.words import SENTENCE_ENDS, goes_on_after, letter_count, word_count

MAX_SECTIONS = 20
"""Sections of one level in a look that differs from the body by slant or colour alone."""
MANY = 8
"""A small title that occurs this often, on every fourth page or more, is a label."""
PROMINENT_SHARE, PLAIN_SHARE = 0.25, 0.5
"""A style is a heading style when at least this share of its short texts read like headings."""


def choose(candidates: list[Candidate], body: BodyLook) -> list[Candidate]:
    """Headings: those listed, and the groups of one style and kind of number most of which read like headings."""
    groups: dict[tuple[object, ...], list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        numbering = candidate.numbering
        number = (numbering.kind, numbering.depth) if numbering is not None else None
        groups[candidate.style, number, candidate.item.role == "list"].append(candidate)
    counted = _counted_runs(candidates) | _repeated_labels(candidates, body)
    chosen: set[str] = set()
    for group in groups.values():
        good = {one.item.id for one in group if _speaks(one, body, counted)}
        share = PROMINENT_SHARE if _prominent(group[0], body) else PLAIN_SHARE
        accepted = len(good) >= share * len(group)
        for one in group:
            itself = one.item.id in good
            if one.listed or (itself and (accepted or is_contents_title(one.text))) or (accepted and _alike(one, body)):
                chosen.add(one.item.id)
    return [one for one in candidates if one.item.id in chosen]


def _counted_runs(candidates: list[Candidate]) -> set[str]:
    """Ids of items that directly follow one another in a count (1., 2., 3.): list items, not headings."""
    runs: set[str] = set()
    for one, other in zip(candidates, candidates[1:], strict=False):
        first, second = counter(one.text), counter(other.text)
        if first is None or second is None or first[0] != second[0] or second[1] - first[1] != 1:
            continue
        if one.item.page_idx == other.item.page_idx and geometry.gap_y(one.item.bbox, other.item.bbox) < 0.02:
            runs.update((one.item.id, other.item.id))
    return runs


def _repeated_labels(candidates: list[Candidate], body: BodyLook) -> set[str]:
    """Ids of small titles that come back on every few pages ("Parameters", "Example"): labels, not sections."""
    groups: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        if not candidate.listed and candidate.numbering is None and (candidate.style.size or 0) < LARGER * body.size:
            groups[title_key(candidate.text)].append(candidate)
    found: set[str] = set()
    for group in groups.values():
        span = group[-1].item.page_idx - group[0].item.page_idx + 1
        if len(group) >= MANY and len(group) > span / 4:
            found.update(one.item.id for one in group)
    return found


def _alike(candidate: Candidate, body: BodyLook) -> bool:
    """A member of an accepted group that does not read like a heading by itself, but carries the same number."""
    return candidate.numbering is not None and _prominent(candidate, body) and len(candidate.text) <= 120


def _prominent(candidate: Candidate, body: BodyLook) -> bool:
    """Larger than the body, or bold at body size, or marked by the source."""
    if candidate.style.size is None:
        return candidate.item.role == "heading" or candidate.style.bold
    return body.is_outranked(candidate.style) or (body.differs(candidate.style) and _counts_sections(candidate))


def _counts_sections(candidate: Candidate) -> bool:
    """Whether the number may be a section's: entries of a reference list count far, and open with a quotation."""
    numbering = candidate.numbering
    return numbering is not None and max(numbering.values) <= MAX_SECTIONS and numbering.title[:1].isalpha()


def _speaks(candidate: Candidate, body: BodyLook, counted: set[str]) -> bool:
    """Whether the candidate by itself reads like a heading."""
    if candidate.listed:
        return True
    text, item = candidate.text, candidate.item
    size, upper = candidate.style.size, candidate.style.upper
    ends = text.endswith(SENTENCE_ENDS) and not text.endswith("...")
    if item.id in counted and not (_prominent(candidate, body) and candidate.numbering is not None):
        return False
    if goes_on_after(text):
        return False
    if text.endswith("。") or ("，" in text and len(text) > 20 and candidate.numbering is None):
        return False
    bracketed = candidate.numbering is not None and candidate.numbering.kind == "bracket"
    if not (bracketed or _starts_like_heading(text)) or candidate.runs_on or _is_author_line(candidate):
        return False
    if size is None and item.role == "heading":
        return not (ends and word_count(text) > 12)
    if size is not None and size >= 1.3 * body.size:
        return not (ends and not text.endswith(("?", "!", "？", "！")) and word_count(text) > 8)
    if _prominent(candidate, body):
        soft_end = text.endswith(("?", "？")) or candidate.numbering is not None and text.endswith(":")
        return candidate.followed and (soft_end or not ends and not text.endswith((":", "："))) and _few_words(text)
    if size is not None and size < 0.93 * body.size:
        return False
    if upper and not ends and candidate.followed and item.id not in counted:
        return word_count(text) <= 10 and letter_count(text) >= 4 and not text.endswith(":")
    return _numbered(candidate, ends)


def _is_author_line(candidate: Candidate) -> bool:
    """Names under the title of a paper: on the first page, without a number, joined by commas."""
    commas = candidate.text.count(",") + candidate.text.count("，") + (" and " in candidate.text)
    return candidate.item.page_idx == 0 and candidate.numbering is None and commas >= 2


def _few_words(text: str) -> bool:
    return word_count(text) <= 16


def _starts_like_heading(text: str) -> bool:
    text = text.lstrip("\"'“‘«([（「『【<")
    first = text[:1]
    return (
        first.isupper()
        or first.isdigit()
        or first == "§"
        or has_cjk(first)
        or (first.isalpha() and not first.islower())
    )


def _numbered(candidate: Candidate, ends: bool) -> bool:
    """Numbered text in the look of the body: only words like Chapter, or two and more components, make a heading."""
    numbering = candidate.numbering
    if (
        numbering is None
        or numbering.title[:1].islower()
        or ends
        or candidate.text.endswith(":")
        or not numbering.title
    ):
        return False
    if numbering.kind in ("part", "chapter", "appendix", "item", "section"):
        return word_count(candidate.text) <= 12
    if numbering.kind == "decimal" and numbering.depth >= 2:
        return word_count(numbering.title) <= (16 if candidate.style.upper else 10) and candidate.followed
    return False
