from __future__ import annotations

from cosee.artifacts.documents.content import ContentItem
from cosee.parse.content.continuation import join_continued


def paragraph(text: str, page_idx: int, top: float, high: float = 0.1) -> ContentItem:
    return ContentItem(id="", role="paragraph", text=text, page_idx=page_idx, size=10, bbox=(0.1, top, 0.9, top + high))


def test_a_paragraph_goes_on_over_a_page_number_in_mid_page() -> None:
    # contract: D5
    items, open_ends = [], set()
    for page_idx in range(4):
        items.append(paragraph(f"and so part {page_idx} goes on towards the", page_idx, 0.1))
        open_ends.add(len(items) - 1)
        items.append(paragraph(f"Report {page_idx + 3}", page_idx, 0.3 + page_idx / 10, 0.015))
        open_ends.add(len(items) - 1)
    joined = join_continued(items, open_ends, set())
    assert [item.text for item in joined[1:]] == ["Report 3", "Report 4", "Report 5", "Report 6"]
    assert [region.page_idx for region in joined[0].regions] == [0, 1, 2, 3]


def test_without_a_count_the_last_line_is_text() -> None:
    items = [paragraph("it went on to", 0, 0.5, 0.015), paragraph("the harbour.", 1, 0.1)]
    assert [item.text for item in join_continued(items, {0}, set())] == ["it went on to the harbour."]


def test_titles_of_pages_are_not_joined_over_their_break() -> None:
    items = [
        paragraph("新規ファイル作成", 0, 0.1, 0.05).model_copy(update={"size": 40.0}),
        paragraph("左の欄から選んで、名前を付けて保存する。" * 3, 0, 0.3),
        paragraph("起動の方法", 1, 0.1, 0.05).model_copy(update={"size": 40.0}),
    ]
    items = [items[1], items[0], items[2]]
    assert len(join_continued(items, {1}, set())) == 3
    alike = [item.model_copy(update={"size": 10.0}) for item in items]
    assert len(join_continued(alike, {1}, set())) == 2
