from __future__ import annotations

import pytest
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


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ("the new inter-", "national airport", "the new international airport"),
        ("a well-", "known fact", "a well-known fact"),
        ("it is foot-", "notes", "it is footnotes"),
        ("in 1999-", "and later", "in 1999- and later"),
        ("-", "and", "- and"),
        ("it ends", "here", "it ends here"),
        ("水位在", "上升", "水位在上升"),
    ],
)
def test_halves_are_joined_as_the_documents_words_say(first: str, second: str, whole: str) -> None:
    assert Vocabulary(["an international airport", "this is well-known"]).join(first, second) == whole


@pytest.mark.timeout(60)
def test_a_paragraph_of_one_endless_word_takes_time_by_its_length() -> None:
    endless = "x" * 3_000_000
    joined = Vocabulary([endless, f"{endless}-{endless}"]).join(f"{endless}-", f"{endless} end")
    assert joined == f"{endless}-{endless} end"
