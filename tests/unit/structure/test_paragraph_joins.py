from __future__ import annotations

from helpers.content_lists import Pages

from cosee.structure.enhance import enhance
from cosee.structure.paragraphs import Vocabulary

END, START = (0.1, 0.8, 0.9, 0.84), (0.1, 0.1, 0.9, 0.14)


def across(first: str, second: str, between: str | None = None) -> list[str]:
    pages = Pages()
    pages.add(first, bbox=END)
    if between:
        pages.add(between, size=8, bbox=(0.1, 0.88, 0.9, 0.895))
    pages.page()
    pages.add(second, bbox=START)
    return [item.text for item in enhance(pages.adapted()).items if item.role == "paragraph"]


def test_a_sentence_over_the_page_break_is_one_paragraph() -> None:
    first = "The board of the harbour expects that this trend"
    assert across(first, "goes on next year.") == [f"{first} goes on next year."]
    assert across(first, "goes on next year.", between="4 Before special items.") == [f"{first} goes on next year."]
    pages = Pages()
    pages.add(first, bbox=END)
    pages.page()
    pages.add("goes on next year.", bbox=START)
    joined = enhance(pages.adapted()).items[0]
    assert [region.page_idx for region in joined.regions] == [0, 1]
    assert joined.members == ["t_1"]


def test_a_finished_sentence_and_a_new_one_stay_apart() -> None:
    assert len(across("The board of the harbour expects that this trend goes on.", "next year is open.")) == 2
    assert len(across("The board of the harbour expects that this trend", "The next chapter is new.")) == 2


def test_hyphens_at_the_break_go_as_the_document_says() -> None:
    assert Vocabulary(["continuous"]).join("a contin-", "uous flow") == "a continuous flow"
    assert Vocabulary(["a well-known case"]).join("it is well-", "known here") == "it is well-known here"
    assert Vocabulary([]).join("it is foot-", "notes") == "it is footnotes"
    assert Vocabulary([]).join("水位在", "上升") == "水位在上升"
    assert Vocabulary([]).join("the area", "of it") == "the area of it"
