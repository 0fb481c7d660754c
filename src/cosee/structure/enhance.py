"""The order of M1's steps on one document, and the proof that none of them lost anything."""

from __future__ import annotations

from collections import Counter

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.documents.original import Original
from cosee.structure.captions.describe import describe_figures
from cosee.structure.captions.labelled_captions import tie_captions
from cosee.structure.captions.merge_subfigures import merge_subfigures
from cosee.structure.captions.unlabelled_captions import tie_unlabelled
from cosee.structure.draft import Draft
from cosee.structure.furniture.page_furniture import remove_furniture
from cosee.structure.furniture.page_labels import label_pages
from cosee.structure.headings.contents_page import mark_contents
from cosee.structure.headings.headings import assign_headings, close_level_gaps
from cosee.structure.headings.model import HeadingModel
from cosee.structure.headings.slides import mark_slides
from cosee.structure.headings.thresholds import MAX_HEADING_LEVEL
from cosee.structure.original import Given, lay_over, put_back
from cosee.structure.paragraphs import join_footnotes, join_paragraphs, join_split_lines
from cosee.structure.roles import assign_roles
from cosee.structure.table_continuation import join_tables


def enhance(
    adapted: ContentList,
    *,
    furniture: bool = True,
    original: Original | None = None,
    heading_model: HeadingModel | None = None,
) -> ContentList:
    """The enhanced content list of an adapted one, which is left as it is.

    ``original`` says what the file that the PDF was made of knows of its structure,
    ``heading_model`` which texts are headings (the package's own without).

    Raises:
        ValueError: an item would have been lost or doubled (a bug; nothing a document can cause).
    """
    draft = Draft(adapted)
    given = lay_over(draft, original) if original is not None else Given()
    deck = mark_slides(draft, given.deck)
    if furniture:
        label_pages(draft.pages, remove_furniture(draft))
    entries = mark_contents(draft)
    tie_captions(draft)
    merge_subfigures(draft)
    if not deck:
        tie_unlabelled(draft)
    join_tables(draft)
    join_split_lines(draft)
    if _states_levels(adapted):
        for item in draft.items:
            item.level = min(item.level or 1, MAX_HEADING_LEVEL) if item.role == "heading" else None
    elif not given.has_headings:
        assign_headings(draft, entries, deck, heading_model)
    put_back(draft, given)
    assign_roles(draft, deck)
    join_footnotes(draft)
    join_paragraphs(draft)
    if not given.has_headings:
        close_level_gaps(draft)
    describe_figures(draft)
    enhanced = draft.to_content_list()
    problems = check_conservation(adapted, enhanced)
    if problems:
        raise ValueError(f"{adapted.doc_id}: {'; '.join(problems[:5])}")
    return enhanced


def _states_levels(adapted: ContentList) -> bool:
    """Whether another reader states headings on several levels; without sizes, which its lists lack, ours would be
    the worse guess. One level for all is no statement, and headings are then found anew."""
    levels = {item.level for item in adapted.items if item.role == "heading"}
    return adapted.source != "pymupdf" and len(levels) > 1


def check_conservation(adapted: ContentList, enhanced: ContentList) -> list[str]:
    """What went missing between two content lists, in words; empty when every item is kept or dropped, once.

    An item that was merged has to be named by exactly one surviving item.
    """
    problems: list[str] = []
    kept = Counter(item.id for item in enhanced.items)
    gone = Counter(item.id for item in enhanced.dropped)
    for item in adapted.items:
        count = kept[item.id] + gone[item.id]
        if count != 1:
            problems.append(f"item {item.id!r} is {count} times in items and drop list")
    for dropped in adapted.dropped:
        if gone[dropped.id] == 0:
            problems.append(f"dropped item {dropped.id!r} is not in the drop list any more")
    known = {item.id for item in adapted.items} | {item.id for item in adapted.dropped}
    problems += [f"item {item_id!r} is new" for item_id in sorted((set(kept) | set(gone)) - known)]
    members = Counter(member for item in enhanced.items for member in item.members)
    earlier = {item.id for item in adapted.dropped}
    for dropped in enhanced.dropped:
        if dropped.reason == "merged" and dropped.id not in earlier and members[dropped.id] != 1:
            problems.append(f"merged item {dropped.id!r} is a member of {members[dropped.id]} items")
    present = {page.page_idx for page in enhanced.pages}
    problems += [f"page {page.page_idx} is missing" for page in adapted.pages if page.page_idx not in present]
    return problems
