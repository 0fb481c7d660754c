"""Which items are headings: bookmarks, printed contents, numbers, then type size and weight, over the whole document.

Items of one style are decided together, so that equal things get equal roles.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice

from cosee.artifacts.content import ContentItem
from cosee.artifacts.layout import OutlineEntry
from cosee.enhancer import geometry
from cosee.enhancer.contents_page import ContentsEntry, is_contents_title
from cosee.enhancer.draft import TEXT_ROLES, Draft, is_visible
from cosee.enhancer.heading_candidate import Candidate, Style
from cosee.enhancer.heading_levels import set_levels
from cosee.enhancer.numbering import parse_numbering
from cosee.enhancer.roles import counter, is_bullet, is_code, is_equation
from cosee.enhancer.slides import slide_titles
from cosee.enhancer.words import SENTENCE_ENDS, fold, has_cjk, is_upper, letter_count, one_line, word_count

MAX_CHARACTERS = 200
MAX_WORDS = 22
_FUNCTION_WORDS = frozenset(
    {
        "a", "an", "the", "of", "and", "or", "to", "for", "with", "in", "from", "by", "on", "at", "as", "is", "are",
        "was", "were", "that", "which", "just",
    }
)  # fmt: skip
"""No heading ends in one of these; a line that does goes on below."""
_ANY_NUMBER = re.compile(r"^(?:[A-Z]|(?:[A-Z]\.)?\d{1,3}(?:\.\d{1,3})*)[.):]?\s+")
_CONTINUED = re.compile(r"\s*[(\[–—-]?\s*(?:continued|cont[’'.]?d)\.?\s*[)\]]?\s*$", re.IGNORECASE)
LOOK_AHEAD = 12
"""Items looked through for the text that follows a heading."""
MANY = 8
"""A small title that occurs this often, on every fourth page or more, is a label."""
PROMINENT_SHARE, PLAIN_SHARE = 0.25, 0.5
"""A style is a heading style when at least this share of its short texts read like headings."""
LARGER = 1.08
"""A heading's size over the body size from which size alone speaks."""


def assign_headings(draft: Draft, entries: list[ContentsEntry], deck: bool, max_level: int) -> None:
    """Give every text item its final role, heading or not, and headings their level from 1 without jumps."""
    if deck:
        _assign_titles(draft)
        return
    _join_split(draft)
    candidates = _candidates(draft)
    match_outline(candidates, draft.outline)
    _match_contents(candidates, entries, {page.page_label: page.page_idx for page in draft.pages if page.page_label})
    chosen = {candidate.item.id for candidate in _choose(candidates, draft)}
    headings = [candidate for candidate in candidates if candidate.item.id in chosen]
    for item in draft.items:
        if item.role == "heading" and item.id not in chosen:
            item.role, item.level = "paragraph", None
    set_levels(headings, max_level)
    _drop_running_titles(draft)


def _drop_running_titles(draft: Draft) -> None:
    """Drop headings at the top of a page that only name a section which is open there already ("... (continued)")."""
    open_titles: list[tuple[int, str]] = []
    reasons: dict[str, str] = {}
    for item in draft.items:
        if item.role != "heading":
            continue
        title = fold(_CONTINUED.sub("", item.text))
        level = item.level or 1
        holds = [outer for _, outer in open_titles]
        if item.bbox[1] <= 0.16 and (title in holds or any(f"{one} {two}" == title for one in holds for two in holds)):
            reasons[item.id] = "header"
            continue
        while open_titles and open_titles[-1][0] >= level:
            open_titles.pop()
        open_titles.append((level, title))
    draft.drop(reasons)


def _assign_titles(draft: Draft) -> None:
    titles = {item.id for item in slide_titles(draft)}
    for item in draft.items:
        if item.id in titles:
            item.role, item.level = "heading", 1
        elif item.role == "heading":
            item.role, item.level = "paragraph", None


def style_of(item: ContentItem) -> Style:
    """The item's look, as far as headings are told apart by it."""
    size = None if item.size is None else round(item.size * 2) / 2
    return size, item.bold, is_upper(item.text)


def _candidates(draft: Draft) -> list[Candidate]:
    media: dict[int, list[ContentItem]] = defaultdict(list)
    for item in draft.items:
        if item.role in ("image", "table"):
            media[item.page_idx].append(item)
    candidates: list[Candidate] = []
    for index, item in enumerate(draft.items):
        if item.role not in TEXT_ROLES or not is_visible(item) or item.caption_of is not None:
            continue
        text = one_line(item.text)
        if not _may_be_heading(item, text):
            continue
        if any(geometry.share_inside(item.bbox, medium.bbox) > 0.7 for medium in media[item.page_idx]):
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
        return other != style and (other[0] or 0) <= (style[0] or 0) or parse_numbering(one_line(item.text)) is not None
    return False


def _runs_on(item: ContentItem, following: list[ContentItem]) -> bool:
    """Whether the sentence goes on, in lower case, right below: bold words at the start of a paragraph."""
    return any(
        other.role in TEXT_ROLES
        and other.page_idx == item.page_idx
        and other.text.lstrip()[:1].islower()
        and geometry.gap_y(item.bbox, other.bbox) < 0.015
        for other in following
    )


def match_outline(candidates: list[Candidate], outline: list[OutlineEntry]) -> None:
    """Give candidates the level of the bookmark that names them on their page (or the next).

    Bookmarks that match nothing are ignored: they may point anywhere and say anything.
    """
    by_page: dict[int, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_page[candidate.item.page_idx].append(candidate)
    for entry in outline:
        if entry.page_idx is None:
            continue
        wanted = _titles(entry.title)
        for page_idx in (entry.page_idx, entry.page_idx + 1):
            found = [one for one in by_page[page_idx] if one.outline_level is None and wanted & _titles(one.text)]
            if found:
                best = max(found, key=lambda one: (one.style[0] or 0, one.style[1]))
                best.outline_level = entry.level
                break


def _titles(text: str) -> set[str]:
    """Folded forms of a title: whole, and without its number."""
    numbering = parse_numbering(one_line(text))
    bare = _ANY_NUMBER.sub("", one_line(text))
    forms = {fold(text), fold(bare), fold(_ANY_NUMBER.sub("", bare)), fold(numbering.title) if numbering else ""}
    return {form for form in forms if form}


def _match_contents(candidates: list[Candidate], entries: list[ContentsEntry], page_of: dict[str | None, int]) -> None:
    """Tie each contents entry to the heading that it announces: on the page it names, else the most prominent."""
    by_title: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        for title in _titles(candidate.text):
            by_title[title].append(candidate)
    for entry in entries:
        found = [one for title in sorted(_titles(entry.title)) for one in by_title[title] if one.contents is None]
        if not found:
            continue
        page_idx = page_of.get(entry.page)
        near = [one for one in found if page_idx is not None and abs(one.item.page_idx - page_idx) <= 1]
        best = max(near or found, key=lambda one: (one.style[0] or 0, one.style[1], -one.item.page_idx))
        if near or (best.style[0] or 0) > 0 and (best.style[1] or len(found) == 1):
            best.contents = entry


def _choose(candidates: list[Candidate], draft: Draft) -> list[Candidate]:
    """Headings: those listed, and the groups of one style and kind of number most of which read like headings."""
    groups: dict[tuple[object, ...], list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        numbering = candidate.numbering
        number = (numbering.kind, numbering.depth) if numbering is not None else None
        groups[candidate.style, number, candidate.item.role == "list"].append(candidate)
    counted = _counted_runs(candidates) | _repeated_labels(candidates, draft)
    chosen: list[Candidate] = []
    for group in groups.values():
        good = {one.item.id for one in group if _speaks(one, draft, counted)}
        share = PROMINENT_SHARE if _prominent(group[0], draft) else PLAIN_SHARE
        accepted = len(good) >= share * len(group)
        for one in group:
            itself = one.item.id in good
            if (
                one.listed
                or (itself and (accepted or is_contents_title(one.text)))
                or (accepted and _alike(one, draft))
            ):
                chosen.append(one)
    return chosen


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


def _repeated_labels(candidates: list[Candidate], draft: Draft) -> set[str]:
    """Ids of small titles that come back on every few pages ("Parameters", "Example"): labels, not sections."""
    groups: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        if (
            not candidate.listed
            and candidate.numbering is None
            and (candidate.style[0] or 0) < LARGER * draft.body_size
        ):
            groups[fold(candidate.text)].append(candidate)
    found: set[str] = set()
    for group in groups.values():
        span = group[-1].item.page_idx - group[0].item.page_idx + 1
        if len(group) >= MANY and len(group) > span / 4:
            found.update(one.item.id for one in group)
    return found


def _alike(candidate: Candidate, draft: Draft) -> bool:
    """A member of an accepted group that does not read like a heading by itself, but carries the same number."""
    return candidate.numbering is not None and _prominent(candidate, draft) and len(candidate.text) <= 120


def _prominent(candidate: Candidate, draft: Draft) -> bool:
    """Larger than the body, or bold at body size, or marked by the source."""
    size, bold, _ = candidate.style
    if size is None:
        return candidate.item.role == "heading" or bold
    return size >= LARGER * draft.body_size or (bold and size >= 0.93 * draft.body_size)


def _speaks(candidate: Candidate, draft: Draft, counted: set[str]) -> bool:
    """Whether the candidate by itself reads like a heading."""
    if candidate.listed:
        return True
    text, item = candidate.text, candidate.item
    size, bold, upper = candidate.style
    ends = text.endswith(SENTENCE_ENDS) and not text.endswith("...")
    if item.id in counted and not (_prominent(candidate, draft) and candidate.numbering is not None):
        return False
    if text.rpartition(" ")[2] in _FUNCTION_WORDS:
        return False
    if text.endswith("。") or ("，" in text and len(text) > 20 and candidate.numbering is None):
        return False
    if not _starts_like_heading(text) or candidate.runs_on or _is_author_line(candidate):
        return False
    if size is None and item.role == "heading":
        return not (ends and word_count(text) > 12)
    if size is not None and size >= 1.3 * draft.body_size:
        return not (ends and not text.endswith(("?", "!", "？", "！")) and word_count(text) > 8)
    if _prominent(candidate, draft):
        soft_end = text.endswith(("?", "？")) or candidate.numbering is not None and text.endswith(":")
        return candidate.followed and (soft_end or not ends and not text.endswith((":", "："))) and _few_words(text)
    if size is not None and size < 0.93 * draft.body_size:
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
    if first.isdigit() and re.match(r"\d{1,2}[A-Za-z]{3}", text):
        return False  # a footnote mark before a name
    return first.isupper() or first.isdigit() or has_cjk(first) or (first.isalpha() and not first.islower())


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
        return word_count(numbering.title) <= 10 and candidate.followed
    return False


def _join_split(draft: Draft) -> None:
    """Join a heading's number with its title ("3" + "Method", "Chapter 3" + title), and the lines of one title."""
    previous: ContentItem | None = None
    for item in draft.items:
        if item.role not in ("paragraph", "heading") or not is_visible(item):
            previous = None
            continue
        if previous is not None and _one_heading(previous, item, draft):
            draft.absorb(previous, [item], f"{previous.text.rstrip()} {item.text.lstrip()}")
            continue
        previous = item
    draft.sweep()


def _one_heading(first: ContentItem, second: ContentItem, draft: Draft) -> bool:
    if first.page_idx != second.page_idx or len(first.text) + len(second.text) > MAX_CHARACTERS:
        return False
    bare = _bare_number(first.text)
    same_line = geometry.overlap_y(first.bbox, second.bbox) > 0.5 and 0 <= second.bbox[0] - first.bbox[2] < 0.08
    larger = (second.size or 0) >= LARGER * draft.body_size or second.bold
    alike = is_upper(first.text) == is_upper(second.text) or (second.size or 0) > (first.size or 0) + 0.5
    if bare and larger and (same_line or alike and geometry.gap_y(first.bbox, second.bbox) < 0.05):
        return parse_numbering(second.text) is None
    if first.size is None or second.size is None or abs(first.size - second.size) > 0.6 or first.bold != second.bold:
        return False
    height = max(first.bbox[3] - first.bbox[1], 0.005) / max(1, first.text.count("\n") + 1)
    below = (
        -0.2 * height <= second.bbox[1] - first.bbox[3] < 0.6 * height
        and geometry.overlap_x(first.bbox, second.bbox) > 0.5
    )
    plain = (
        parse_numbering(second.text) is None
        and not is_bullet(second.text)
        and is_upper(first.text) == is_upper(second.text)
    )
    return (
        below
        and plain
        and first.size >= 1.25 * draft.body_size
        and not first.text.rstrip().endswith((*SENTENCE_ENDS, ":"))
    )


def _bare_number(text: str) -> bool:
    """Whether the text is only a heading's number: ``3``, ``2.1``, ``Chapter 4``, ``Appendix A``, ``第二章``."""
    line = one_line(text)
    numbering = parse_numbering(f"{line} Title")
    return len(line) <= 14 and numbering is not None and numbering.title == "Title"
