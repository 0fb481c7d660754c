from __future__ import annotations

from helpers.content_lists import Pages, outline_of

from cosee.structure.enhance import enhance


def chapters(pages: Pages) -> None:
    for number, title in enumerate(["Purpose", "Site description", "Operation"], start=1):
        pages.page()
        pages.heading(f"{number} {title}")
        pages.body(number)


def test_dot_leaders_make_one_toc_item_and_no_second_headings() -> None:
    # contract: D19
    pages = Pages()
    pages.heading("Contents")
    for number, title in enumerate(["Purpose", "Site description", "Operation"], start=1):
        pages.add(f"{number} {title} {'.' * 30} {number + 1}", bold=True, size=14.0)
    chapters(pages)
    enhanced = enhance(pages.adapted())
    contents = [item for item in enhanced.items if item.role == "toc"]
    assert [item.text for item in contents] == ["1 Purpose | 2\n2 Site description | 3\n3 Operation | 4"]
    assert contents[0].members == ["t_2", "t_3"]
    assert outline_of(enhanced) == [(1, "Contents"), (1, "1 Purpose"), (1, "2 Site description"), (1, "3 Operation")]


def test_entries_without_leaders_after_a_contents_heading() -> None:
    pages = Pages()
    pages.heading("Table of Contents")
    pages.add("PART I", bold=True)
    pages.add("Item 1. Business\t3")
    pages.add("Item 1A. Risk Factors")
    pages.add("6", bbox=(0.85, 0.3, 0.9, 0.32))
    pages.add("Item 2. Properties 15 Item 3. Legal Proceedings 15")
    pages.body(3)
    enhanced = enhance(pages.adapted())
    toc = next(item for item in enhanced.items if item.role == "toc")
    assert toc.text.split("\n") == [
        "PART I",
        "Item 1. Business | 3",
        "Item 1A. Risk Factors | 6",
        "Item 2. Properties | 15",
        "Item 3. Legal Proceedings | 15",
    ]
    assert [item.role for item in enhanced.items] == ["heading", "toc", "paragraph"]


def test_a_contents_table_becomes_a_toc_and_a_table_of_figures_does_not() -> None:
    pages = Pages()
    pages.heading("CONTENTS")
    pages.table([["Summary", "", "3"], ["Markets", "", "9"], ["Risks", "", "14"]])
    pages.body(1)
    pages.table([["Year", "Units"], ["2020", "12"], ["2021", "15"], ["2022", "18"]])
    enhanced = enhance(pages.adapted())
    assert [item.role for item in enhanced.items] == ["heading", "toc", "paragraph", "table"]
    assert enhanced.items[1].text == "Summary | 3\nMarkets | 9\nRisks | 14"


def test_printed_contents_make_plain_looking_lines_headings_at_their_depth() -> None:
    # contract: D19
    pages = Pages()
    pages.heading("Contents")
    for title, left in [("Water", 0.1), ("Rivers", 0.15), ("Lakes", 0.15), ("Air", 0.1)]:
        pages.add(f"{title} ....... 2", bbox=(left, pages.y, 0.9, pages.y + 0.02))
    pages.page()
    pages.add("2", size=8, bbox=(0.5, 0.95, 0.52, 0.965))
    for title in ["Water", "Rivers", "Lakes", "Air"]:
        pages.heading(title, size=12)
        pages.body(len(title))
    enhanced = enhance(pages.adapted())
    assert outline_of(enhanced)[1:] == [(1, "Water"), (2, "Rivers"), (2, "Lakes"), (1, "Air")]


def test_prose_with_an_ellipsis_or_a_year_is_no_contents() -> None:
    pages = Pages()
    pages.heading("1 Notes")
    pages.add("They waited ... and then left the station in 2019")
    pages.add("The plan was made in 2020")
    pages.add("It was changed in 2021")
    assert all(item.role != "toc" for item in enhance(pages.adapted()).items)
