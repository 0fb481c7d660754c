from __future__ import annotations

import pytest
from helpers.content_lists import Pages

from cosee.structure.enhance import enhance
from cosee.structure.roles import is_code, is_equation


def roles(pages: Pages) -> dict[str, str]:
    return {item.text: item.role for item in enhance(pages.adapted()).items}


def test_bullets_and_counts_become_one_list() -> None:
    pages = Pages()
    pages.body(1)
    for text in ("A. Close the inlet gate.", "B. Drain the basin.", "C. Lock these drives."):
        pages.add(text)
    pages.body(2)
    pages.add("• Drive of the rake")
    pages.add("• Drive of the belt")
    found = roles(pages)
    assert found["A. Close the inlet gate.\nB. Drain the basin.\nC. Lock these drives."] == "list"
    assert found["• Drive of the rake\n• Drive of the belt"] == "list"


def test_small_marked_text_at_the_foot_is_a_footnote() -> None:
    pages = Pages()
    pages.body(1)
    pages.body(2)
    pages.add("3 Unaudited figure.", size=8, bbox=(0.1, 0.85, 0.9, 0.865))
    pages.add("4 Before special items.", size=8, bbox=(0.1, 0.87, 0.9, 0.885))
    found = roles(pages)
    assert found["3 Unaudited figure."] == found["4 Before special items."] == "footnote"


def test_small_text_above_body_text_is_no_footnote() -> None:
    pages = Pages()
    pages.body(1)
    pages.add("3 Unaudited figure.", size=8, bbox=(0.1, 0.6, 0.9, 0.615))
    pages.body(2, bbox=(0.1, 0.65, 0.9, 0.7))
    assert roles(pages)["3 Unaudited figure."] == "paragraph"


def test_a_source_line_is_the_note_of_the_table_above() -> None:
    pages = Pages()
    table = pages.table([["Site", "Mean"], ["North", "4.1"]])
    note = pages.add("Source: own survey of the stations.")
    items = {item.id: item for item in enhance(pages.adapted()).items}
    assert items[note.id].role == "footnote"
    assert items[table.id].footnote_ids == [note.id]


@pytest.mark.parametrize(
    ("text", "label"), [("Q = A v (3.1)", "(3.1)"), ("E = m c^2", None), ("α ≤ β (A2)", "(A2)"), ("i < n (3)", "(3)")]
)
def test_equations_and_their_numbers(text: str, label: str | None) -> None:
    pages = Pages()
    pages.body(1)
    pages.add(text)
    pages.body(2)
    item = enhance(pages.adapted()).items[1]
    assert (item.role, item.label) == ("equation", label)


@pytest.mark.parametrize("text", ["version=2.0.1&", "AT+CNCFG=0,1", "x = 3;", "y = f(3)", "0x90 = PDY", "<rule> ::="])
def test_a_line_of_a_program_or_of_settings_is_no_equation(text: str) -> None:
    assert not is_equation(text)


def test_prose_is_neither_equation_nor_code() -> None:
    assert not is_equation("The factor is set to k = 3 for all the pumps of the plant.")
    assert not is_equation("See the report (12)")
    assert not is_code("We return to this point later; it matters.")
    assert is_code("user create --name demo --role viewer")
    assert is_code("def run(x):\n    return x;")
