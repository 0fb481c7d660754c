"""Words cut by a page's end, also where a paragraph is one word of megabytes."""

import pytest

from cosee.structure.paragraphs import Vocabulary


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ("the new inter-", "national airport", "the new international airport"),
        ("a well-", "known fact", "a well-known fact"),
        ("in 1999-", "and later", "in 1999- and later"),
        ("-", "and", "- and"),
        ("it ends", "here", "it ends here"),
    ],
)
def test_halves_are_joined_as_the_documents_words_say(first: str, second: str, whole: str) -> None:
    assert Vocabulary(["an international airport", "this is well-known"]).join(first, second) == whole


@pytest.mark.timeout(60)
def test_a_paragraph_of_one_endless_word_takes_time_by_its_length() -> None:
    endless = "x" * 3_000_000
    joined = Vocabulary([endless, f"{endless}-{endless}"]).join(f"{endless}-", f"{endless} end")
    assert joined == f"{endless}-{endless} end"
