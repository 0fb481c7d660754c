from __future__ import annotations

from typing import Any

import pytest
from helpers.content_lists import Pages, outline_of

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.documents.layout import OutlineEntry
from cosee.structure.enhance import enhance
from cosee.structure.headings.contents_depth import ContentsEntry, PlacedEntry, join_hanging, with_depths

CHAPTERS = ["Purpose", "Site", "Operation", "Care", "Repair", "Storage"]


def manual(contents: bool = True) -> Pages:
    """Six chapters of 14 points, each with a warning of 15 and a label of 11 that no list names."""
    pages = Pages()
    if contents:
        pages.heading("Contents", 18)
        for number, title in enumerate(CHAPTERS, start=2):
            pages.add(f"{title} {'.' * 30} {number}")
    for number, title in enumerate(CHAPTERS):
        pages.page()
        pages.heading(title, 14)
        pages.body(number)
        pages.heading(f"Hazard {title} voltage", 15)
        pages.body(number + 20)
        pages.heading(f"Parts for {title}", 11)
        pages.body(number + 40)
    return pages


def outlined(pages: Pages, outline: list[OutlineEntry]) -> ContentList:
    content = pages.adapted()
    content.outline = outline
    return content


def titles_of(pages: Pages, outline: list[OutlineEntry] | None = None) -> list[str]:
    return [title for _, title in outline_of(enhance(outlined(pages, outline or [])))]


def test_what_the_printed_contents_leave_out_is_a_heading_only_below_their_rank() -> None:
    # contract: D19
    titles = titles_of(manual())
    assert [title for title in titles if title in CHAPTERS] == CHAPTERS
    assert not [title for title in titles if title.startswith("Hazard")]
    assert [title for title in titles if title.startswith("Parts for")] == [f"Parts for {title}" for title in CHAPTERS]


def test_contents_of_a_few_chapters_say_nothing_by_their_silence_of_many_sections() -> None:
    pages = Pages()
    pages.heading("Contents", 18)
    for number, title in enumerate(CHAPTERS[:4], start=2):
        pages.add(f"{title} {'.' * 30} {number}")
    for number, title in enumerate(CHAPTERS[:4]):
        pages.page()
        pages.heading(title, 14)
        for section in range(7):
            pages.heading(f"Hazard {title} voltage {'abcdefg'[section]}", 15)
            pages.body(10 * number + section)
    titles = titles_of(pages)
    assert [title for title in titles if title in CHAPTERS] == CHAPTERS[:4]
    assert len([title for title in titles if title.startswith("Hazard")]) == 28


def test_without_a_list_the_largest_type_stays_a_heading() -> None:
    assert "Hazard Site voltage" in titles_of(manual(contents=False))


def test_dense_bookmarks_are_the_whole_tree_and_wrong_ones_are_nothing() -> None:
    # contract: D19
    right = [OutlineEntry(level=1, title=title, page_idx=page) for page, title in enumerate(CHAPTERS, start=1)]
    assert titles_of(manual(), right) == ["Contents", *CHAPTERS]
    wrong = [OutlineEntry(level=1, title=f"Untitled {n}", page_idx=n) for n in range(6)]
    assert titles_of(manual(), wrong) == titles_of(manual())


def test_lines_of_one_listed_title_are_joined() -> None:
    pages = Pages()
    pages.page()
    pages.heading("Changing the control", 12, bbox=(0.1, 0.2, 0.4, 0.22))
    pages.heading("settings", 12, bbox=(0.42, 0.2, 0.5, 0.22))
    pages.body(1)
    outline = [OutlineEntry(level=1, title="Changing the control settings", page_idx=1)]
    assert titles_of(pages, outline) == ["Changing the control settings"]


def test_lines_of_a_listed_title_are_joined_in_scripts_without_spaces() -> None:
    pages = Pages()
    pages.page()
    pages.add("1.1 供給ソフトウェアの頒布を統制するポリシーが書面", bbox=(0.1, 0.2, 0.9, 0.22))
    pages.add("として存在し、組織内に周知されていること。", bbox=(0.1, 0.222, 0.6, 0.242))
    pages.body(1)
    title = "1.1 供給ソフトウェアの頒布を統制するポリシーが書面として存在し、組織内に周知されていること。"
    outline = [OutlineEntry(level=1, title=title, page_idx=1)]
    assert [found.replace(" ", "") for found in titles_of(pages, outline)] == [title.replace(" ", "")]


def test_a_bookmark_names_its_title_however_it_sets_spaces() -> None:
    pages = manual(contents=False)
    outline = [OutlineEntry(level=1, title=title, page_idx=page) for page, title in enumerate(CHAPTERS, start=1)]
    spaced = OutlineEntry(level=2, title="Parts forSi te", page_idx=2)
    assert titles_of(pages, [*outline, spaced]) == ["Purpose", "Site", "Parts for Site", *CHAPTERS[2:]]


def test_a_title_that_a_bookmark_names_whole_does_not_go_on_in_the_next_line() -> None:
    pages = Pages()
    pages.page()
    pages.heading("Statement of Income", 16, bbox=(0.1, 0.2, 0.4, 0.225))
    pages.heading("For the Year", 16, bbox=(0.1, 0.226, 0.3, 0.251))
    pages.body(1)
    assert titles_of(pages) == ["Statement of Income For the Year"]
    outline = [OutlineEntry(level=1, title="Statement of Income", page_idx=1)]
    assert titles_of(pages, outline)[0] == "Statement of Income"


def test_a_title_that_goes_on_over_the_page_is_kept_where_a_bookmark_names_it() -> None:
    pages = Pages()
    for number in range(2):
        pages.page()
        pages.add("Report of the Board" + " (continued)" * number, size=16, bold=True, bbox=(0.1, 0.12, 0.5, 0.14))
        pages.body(number)
    outline = [
        OutlineEntry(level=1, title="Report of the Board", page_idx=1),
        OutlineEntry(level=1, title="Report of the Board (continued)", page_idx=2),
    ]
    assert titles_of(pages) == ["Report of the Board"]
    assert titles_of(pages, outline) == ["Report of the Board", "Report of the Board (continued)"]


def test_a_running_header_is_a_heading_where_a_bookmark_names_it_on_its_page() -> None:
    pages = Pages()
    for number in range(5):
        pages.page()
        pages.add("Report of the Board", size=9, bbox=(0.1, 0.05, 0.4, 0.065))
        if number == 3:
            pages.heading("2 Report of the Board", 16, bbox=(0.1, 0.2, 0.5, 0.23))
        pages.body(number)
    outline = [OutlineEntry(level=1, title="Report of the Board", page_idx=page) for page in (2, 4)]
    named = enhance(outlined(pages, outline))
    assert [(item.page_idx, item.text) for item in named.items if item.role == "heading"] == [
        (2, "Report of the Board"),
        (4, "2 Report of the Board"),
    ]
    assert [item.page_idx for item in named.dropped if item.reason == "header"] == [1, 3, 4, 5]


def test_a_title_that_fills_its_column_goes_on_in_the_line_below() -> None:
    pages = Pages()
    pages.add("C LOGICAL CONSTRAINTS BETWEEN TWO", size=11, bold=True, bbox=(0.1, 0.2, 0.87, 0.22))
    pages.add("EVENTS", size=11, bold=True, bbox=(0.1, 0.222, 0.2, 0.242))
    pages.add("Text that reaches the end of the column. " * 4, bbox=(0.1, 0.26, 0.9, 0.4))
    pages.body(1)
    assert titles_of(pages) == ["C LOGICAL CONSTRAINTS BETWEEN TWO EVENTS"]


@pytest.mark.parametrize(
    ("first", "second"), [("3.11 Manual insert (optional) /", "tablet insert"), ("2.4 Rules for the", "Use of Gas")]
)
def test_a_numbered_title_goes_on_in_the_line_that_hangs_below(first: str, second: str) -> None:
    pages = Pages()
    pages.add(first, size=10.5, bold=True, bbox=(0.1, 0.2, 0.5, 0.22))
    pages.add(second, size=10.5, bold=True, bbox=(0.14, 0.222, 0.3, 0.242))
    pages.body(1)
    assert titles_of(pages) == [f"{first} {second}"]


def placed(*rows: tuple[str, float] | tuple[str, float, dict[str, Any]]) -> list[PlacedEntry]:
    pages = Pages()
    entries = []
    for number, (title, x, *more) in enumerate(rows):
        own: dict[str, Any] = more[0] if more else {}
        item = pages.add(title, bbox=(x, 0.1 + 0.02 * number, 0.9, 0.115 + 0.02 * number), **own)
        entries.append(PlacedEntry(ContentsEntry(title, str(number)), item))
    return entries


def depths(*rows: Any) -> list[int | None]:
    return [entry.depth for entry in with_depths(placed(*rows))]


def test_depth_of_a_contents_line_by_indent_number_look_and_parts() -> None:
    assert depths(("Overview", 0.1), ("Aims", 0.12), ("Detail", 0.14), ("Method", 0.1)) == [1, 2, 3, 1]
    assert depths(("1 Overview", 0.1), ("1.1 Aims", 0.1), ("Remarks", 0.16), ("2 Method", 0.1)) == [1, 2, 2, 1]
    bold = {"size": 12.0, "bold": True}
    assert depths(("Overview", 0.1, bold), ("Aims", 0.1), ("Method", 0.1, bold)) == [1, 2, 1]
    parts = (("Part I Land", 0.1), ("Chapter 1 Soil", 0.1), ("Part II Sea", 0.1), ("Chapter 2 Fish", 0.1))
    assert depths(*parts) == [1, 2, 1, 2]


def test_a_contents_entry_of_two_lines_is_one() -> None:
    rows = placed(("A long title that goes", 0.1), ("on below it", 0.11))
    rows[0].entry = ContentsEntry(rows[0].entry.title, None)
    assert [(one.entry.title, one.entry.page) for one in join_hanging(rows)] == [
        ("A long title that goes on below it", "1")
    ]
