from __future__ import annotations

from helpers.content_lists import Pages
from hypothesis import given, settings
from hypothesis import strategies as st

from cosee.artifacts.documents.content import ContentItem, ContentList, DroppedItem, PageInfo, TableData
from cosee.structure.enhance import check_conservation, enhance
from cosee.structure.tree.tree_builder import build_tree
from cosee.structure.tree.tree_quality import check_tree

TEXTS = st.sampled_from(
    [
        "1 Introduction", "1.1 Background", "2 Method", "Chapter 3", "IV. Results", "A. First",
        "第一章 概述", "Summary",
        "Annual Report 2021", "Page 3 of 9", "12", "iv", "- 7 -", "", "   ", "• one point", "(a) part", "a) first",
        "1. step",
        "Figure 1: Rainfall by month.", "Fig. 2b Runoff", "Table 1 Prices", "图3 走势", "Figure 4 shows the trend.",
        "Introduction ........ 3", "2 Method . . . . . 5", "Contents", "1 Note on the method", "Source: own survey",
        "Q = A v (3.1)", "print(x);", "This sentence has no end and goes on over the", "page until it ends here.",
        "it was a contin-", "uous effort.", "DO NOT OPEN", "\u202eabc", "x" * 3000,
    ]
)  # fmt: skip
UNIT = st.integers(0, 20).map(lambda value: value / 20)


@st.composite
def content_lists(draw: st.DrawFn) -> ContentList:
    page_count = draw(st.integers(1, 6))
    wide = draw(st.booleans())
    items = []
    for number in range(draw(st.integers(0, 30))):
        x, y = sorted((draw(UNIT), draw(UNIT))), sorted((draw(UNIT), draw(UNIT)))
        role = draw(
            st.sampled_from(
                ["paragraph"] * 6 + ["heading", "image", "table", "list", "caption", "footnote", "header", "toc"]
            )
        )
        rows = (
            [[draw(TEXTS)[:40] for _ in range(2)] for _ in range(draw(st.integers(1, 3)))] if role == "table" else None
        )
        items.append(
            ContentItem(
                id=f"{'img' if role == 'image' else 'tab' if role == 'table' else 't'}_{number}",
                role=role,
                text="" if role == "table" else draw(TEXTS),
                page_idx=draw(st.integers(0, page_count - 1)),
                bbox=(x[0], y[0], x[1], y[1]),
                size=draw(st.sampled_from([None, 8.0, 10.0, 10.0, 14.0, 20.0])),
                bold=draw(st.booleans()),
                level=draw(st.sampled_from([None, 1, 4])) if role == "heading" else None,
                flags=draw(st.sampled_from([[], [], [], ["hidden"], ["garbage_text"]])),
                table=TableData(rows=rows) if rows else None,
            )
        )
    items.sort(key=lambda item: item.page_idx)
    return ContentList(
        doc_id="doc1",
        stage="adapted",
        source="pymupdf",
        pages=[
            PageInfo(page_idx=page, width=800 if wide else 595, height=450 if wide else 842)
            for page in range(page_count)
        ],
        items=items,
        dropped=[DroppedItem(id="t_900", reason="empty", page_idx=0)],
    )


@settings(max_examples=120, deadline=None)
@given(content_lists())
def test_every_item_is_kept_or_dropped_and_the_tree_keeps_its_rules(adapted: ContentList) -> None:
    # contract: D22, D23, D20
    before = adapted.to_json()
    enhanced = enhance(adapted)
    assert adapted.to_json() == before
    assert check_conservation(adapted, enhanced) == []
    levels = [item.level for item in enhanced.items if item.role == "heading"]
    assert all(level is not None and level >= 1 for level in levels)
    assert all(after <= before + 1 for before, after in zip([0, *levels], levels, strict=False))
    tree = build_tree(enhanced)
    assert check_tree(tree.nodes, enhanced) == []
    assert sorted(item for node in tree.nodes for item in node.item_ids) == sorted(item.id for item in enhanced.items)
    assert enhance(adapted).to_json() == enhanced.to_json()


@settings(max_examples=60, deadline=None)
@given(content_lists())
def test_no_letter_of_a_kept_item_is_lost(adapted: ContentList) -> None:
    # contract: D22
    enhanced = enhance(adapted)
    dropped = {item.id for item in enhanced.dropped if item.reason != "merged"}
    wanted = sum(character.isalpha() for item in adapted.items if item.id not in dropped for character in item.text)
    have = sum(character.isalpha() for item in enhanced.items for character in item.text)
    assert have == wanted


def test_a_lost_item_is_reported() -> None:
    pages = Pages()
    pages.heading("1 Scope")
    pages.body()
    adapted = pages.adapted()
    enhanced = enhance(adapted)
    lost = enhanced.model_copy(update={"items": enhanced.items[:1]})
    assert check_conservation(adapted, lost) == ["item 't_1' is 0 times in items and drop list"]
    doubled = enhanced.model_copy(update={"items": [*enhanced.items, enhanced.items[0]]})
    assert check_conservation(adapted, doubled) == ["item 't_0' is 2 times in items and drop list"]


def test_names_of_attachments_are_kept() -> None:
    adapted = ContentList(doc_id="d", stage="adapted", source="pymupdf", attachments=["data.csv"], pages=[], items=[])
    assert enhance(adapted).attachments == ["data.csv"]
