import pytest

from cosee.text.likeness import contains_quote, nearest


def test_the_nearest_names_come_first_and_ties_by_name() -> None:
    known = ["retrieval", "evaluate", "answer"]
    assert nearest("retreival", known) == ["retrieval"]
    assert nearest("zz", ["b", "a"], count=2) == ["a", "b"]
    assert nearest("zz", known, least=0.6) == nearest("zz", []) == []


@pytest.mark.parametrize(
    ("read", "quote", "same"),
    [
        ("The mill earned 310 crowns\nfrom flour", "the mill earned 310 crowns.", True),
        ("The miil earned 310 crowns from fiour in 1899", "The mill earned 310 crowns from flour in 1899", True),
        ("The mill eamed 310 crowns from flour in 1899", "The mill earned 310 crowns from flour in 1899", True),
        ("The mill earned 310 crovvns frorn flour in the year 1899 by hand", "from flour in the year 1899", True),
        ("The mill earned 310 crowms from flour", "The mill earned 310 crowns from flour", True),
        ("The mall turned 310 crowns", "The mill earned 310 crowns", False),
        ("The mill earned 810 crowns", "The mill earned 310 crowns", False),
        ("1,234.5 t", "1,234.5", True),
        ("1,234.6 t", "1,234.5", False),
        ("anything", " . ", False),
        ("", "310", False),
    ],
)
def test_words_of_a_picture_are_those_of_a_quote_but_for_slips_of_recognition(read, quote, same):
    assert contains_quote(read, quote) is same
