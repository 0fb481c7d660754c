from __future__ import annotations

import pytest
from helpers.content_lists import Pages, outline_of

from cosee.artifacts.documents.content import ContentList, DroppedItem
from cosee.structure.enhance import enhance

HEADER = (0.1, 0.03, 0.5, 0.045)
FOOTER = (0.45, 0.95, 0.55, 0.965)


def reasons(content: ContentList) -> list[tuple[str, str]]:
    return [(item.reason, item.text) for item in content.dropped]


def test_header_footer_and_page_number_are_dropped_with_their_reason() -> None:
    # contract: D16
    pages = Pages()
    for number in range(1, 6):
        pages.add("Annual Report 2021", size=10, bold=True, bbox=HEADER)
        pages.heading(f"{number} Region {number * 3}")
        pages.body(number)
        pages.add(f"Page {number} of 5", size=8, bbox=FOOTER)
        if number < 5:
            pages.page()
    enhanced = enhance(pages.adapted())
    assert reasons(enhanced) == [
        pair
        for number in range(1, 6)
        for pair in (("header", "Annual Report 2021"), ("page_number", f"Page {number} of 5"))
    ]
    assert len(outline_of(enhanced)) == 5
    assert not any("Annual Report" in item.text for item in enhanced.items)


def test_alternating_headers_and_chapter_titles_with_page_numbers_are_dropped() -> None:
    pages = Pages()
    for number in range(8):
        pages.add(f"{number + 11} Handbook" if number % 2 else f"Pumps and Valves {number + 11}", size=8, bbox=HEADER)
        pages.body(number)
        if number < 7:
            pages.page()
    enhanced = enhance(pages.adapted())
    assert [reason for reason, _ in reasons(enhanced)] == ["header"] * 8
    assert [page.page_label for page in enhanced.pages] == [str(number + 11) for number in range(8)]


def test_a_running_title_that_changes_with_the_section_goes_and_the_titles_stay() -> None:
    pages = Pages()
    for number, title in enumerate(("1 Pumps", "2 Valves", "3 Pipes")):
        pages.add(f"{title} {number + 5}" if number != 1 else f"{number + 5} {title.upper()}", size=10, bbox=HEADER)
        pages.heading(title)
        pages.body(number)
        if number < 2:
            pages.page()
    enhanced = enhance(pages.adapted())
    assert reasons(enhanced) == [("header", text) for text in ("1 Pumps 5", "6 2 VALVES", "3 Pipes 7")]
    assert [title for _, title in outline_of(enhanced)] == ["1 Pumps", "2 Valves", "3 Pipes"]


def test_a_first_line_that_says_a_line_of_its_own_size_again_stays() -> None:
    pages = Pages()
    pages.body(1)
    pages.add("Pumps at sea", size=10)
    pages.page()
    pages.add("Pumps at sea", size=10, bbox=HEADER)
    pages.body(2)
    assert reasons(enhance(pages.adapted())) == []


def test_a_summary_in_each_chapter_is_kept() -> None:
    # contract: D17
    pages = Pages()
    for chapter in range(1, 5):
        pages.heading(f"Chapter {chapter}", size=18, bbox=(0.1, 0.05, 0.5, 0.08))
        pages.body(chapter)
        pages.page()
        pages.heading("Summary", bbox=(0.1, 0.05, 0.3, 0.07))
        pages.body(chapter + 50)
        if chapter < 4:
            pages.page()
    enhanced = enhance(pages.adapted())
    assert [text for _, text in outline_of(enhanced)].count("Summary") == 4
    assert enhanced.dropped == []


def test_the_first_occurrence_of_a_running_title_is_kept_where_it_is_the_title() -> None:
    # contract: D18
    pages = Pages()
    pages.add("A Study of Valves", size=20, bold=True, bbox=HEADER)
    pages.body(1)
    for number in range(2, 7):
        pages.page()
        pages.add("A Study of Valves", size=8, bbox=HEADER)
        pages.body(number)
    enhanced = enhance(pages.adapted())
    assert outline_of(enhanced) == [(1, "A Study of Valves")]
    assert enhanced.items[0].page_idx == 0
    assert reasons(enhanced) == [("header", "A Study of Valves")] * 5


def test_a_running_section_title_at_the_top_of_the_next_page_is_no_second_section() -> None:
    # contract: D16
    pages = Pages()
    pages.heading("Is the service safe?", size=18)
    pages.heading("Our findings")
    pages.body(1)
    pages.page()
    pages.heading("Is the service safe?", size=18, bbox=(0.1, 0.05, 0.6, 0.08))
    pages.body(2)
    pages.heading("Staff")
    pages.body(3)
    enhanced = enhance(pages.adapted())
    assert outline_of(enhanced) == [(1, "Is the service safe?"), (2, "Our findings"), (2, "Staff")]
    assert reasons(enhanced) == [("header", "Is the service safe?")]


def test_a_running_title_of_two_lines_is_dropped_with_both_lines() -> None:
    pages = Pages()
    for number in range(2):
        top = (0.1, 0.05, 0.6, 0.07), (0.1, 0.072, 0.6, 0.092)
        pages.heading("Is the service safe", size=18, bbox=top[0])
        pages.heading("And is it quick", size=18, bbox=top[1])
        pages.body(number)
        if number == 0:
            pages.page()
    enhanced = enhance(pages.adapted())
    assert outline_of(enhanced) == [(1, "Is the service safe And is it quick")]
    assert reasons(enhanced) == [
        ("merged", "And is it quick"), ("header", ""), ("header", "Is the service safe And is it quick"),
    ]  # fmt: skip


def test_a_stamp_in_the_margin_and_a_logo_on_every_page_are_dropped() -> None:
    pages = Pages()
    for number in range(4):
        if number == 0:
            pages.add("preprint:2401.00001v1 1 Jan 2024", size=18, bbox=(0.02, 0.26, 0.05, 0.64))
        pages.image(bbox=(0.8, 0.02, 0.95, 0.08), image_path="images/logo.png")
        pages.body(number)
        if number < 3:
            pages.page()
    assert sorted(reason for reason, _ in reasons(enhance(pages.adapted()))) == ["decoration"] * 4 + ["margin"]


def test_captions_bullets_and_body_text_at_the_page_foot_stay() -> None:
    pages = Pages()
    for number in range(1, 6):
        pages.body(number)
        pages.image(bbox=(0.1, 0.6, 0.9, 0.85))
        pages.add(f"Figure {number}: Rainfall by month.", size=9, bbox=(0.1, 0.87, 0.9, 0.885))
        pages.add("• closed", bbox=(0.1, 0.9, 0.3, 0.915))
        if number < 5:
            pages.page()
    enhanced = enhance(pages.adapted())
    assert [reason for reason, _ in reasons(enhanced) if reason != "merged"] == []


def test_furniture_stays_when_switched_off() -> None:
    pages = Pages()
    for number in range(5):
        pages.add("Annual Report 2021", size=8, bbox=HEADER)
        pages.body(number)
        if number < 4:
            pages.page()
    enhanced = enhance(pages.adapted(), furniture=False)
    assert enhanced.dropped == []
    assert sum(item.text == "Annual Report 2021" for item in enhanced.items) == 5


def test_the_last_line_of_a_page_that_counts_the_pages_is_furniture_at_any_height() -> None:
    # contract: D16
    pages = Pages()
    for number in range(5):
        for part in range(number % 3 + 1):
            pages.body(number * 7 + part)
        pages.add(f"Yearly report {number + 11}", high=0.015)
        pages.page()
    pages.body(50)
    content = enhance(pages.adapted())
    assert [item.text for item in content.dropped] == [f"Yearly report {number + 11}" for number in range(5)]
    assert [page.page_label for page in content.pages[:5]] == ["11", "12", "13", "14", "15"]


def test_last_lines_that_only_repeat_or_only_hold_numbers_stay() -> None:
    # contract: D17
    pages = Pages()
    for number in range(5):
        pages.body(number)
        pages.add(
            "See the notes to these statements." if number % 2 else f"Sum of {number * number + 3} parts", high=0.015
        )
        pages.page()
    assert not enhance(pages.adapted()).dropped


def test_furniture_that_is_all_of_the_document_is_its_content() -> None:
    pages = Pages()
    for number in range(3):
        pages.add(f"Text on page {number + 1}", bbox=(0.1, 0.05, 0.4, 0.07))
        pages.page()
    assert len(enhance(pages.adapted()).items) == 3


def test_notes_on_sources_repeat_with_their_figures() -> None:
    pages = Pages()
    for number in range(6):
        pages.body(number)
        pages.add("Source: Survey of members", size=8, bbox=(0.1, 0.9, 0.5, 0.91))
        pages.page()
    assert not enhance(pages.adapted()).dropped


def test_a_banner_goes_with_the_copies_that_were_dropped_before() -> None:
    pages = Pages()
    banner = (0.0, 0.0, 1.0, 0.08)
    dropped = []
    for number in range(6):
        pages.body(number)
        if number < 1:
            pages.image(bbox=banner, image_path="images/b.png")
        else:
            dropped.append(DroppedItem(id=f"img_{90 + number}", reason="duplicate", page_idx=number, bbox=banner))
        pages.page()
    content = enhance(pages.adapted(dropped=dropped))
    assert [item.reason for item in content.dropped].count("decoration") == 1


def test_running_titles_of_one_page_chapters_go_where_every_page_has_one() -> None:
    # contract: D16
    pages = Pages()
    for number in range(24):
        text = "Safety | General" if number < 8 else f"Use | Part {'abcdefghijklmnopqrstuvwx'[number]}x"
        pages.add(text, size=9, bbox=(0.1, 0.05, 0.5, 0.065))
        pages.body(number)
        pages.page()
    content = enhance(pages.adapted())
    assert [item.reason for item in content.dropped] == ["header"] * 24


def test_first_lines_at_the_edge_of_some_pages_stay() -> None:
    # contract: D17
    pages = Pages()
    for number in range(24):
        if number < 8 or number % 4 == 0:
            text = "Safety | General" if number < 8 else f"Note {'abcdefghijklmnopqrstuvwx'[number]}x of the survey"
            pages.add(text, size=9, bbox=(0.1, 0.05, 0.5, 0.065))
        pages.body(number)
        pages.page()
    content = enhance(pages.adapted())
    assert len(content.dropped) < 11


def test_spreads_count_in_steps_of_two() -> None:
    # contract: D16
    pages = Pages(width=1190, height=842)
    for number in range(6):
        pages.body(number)
        pages.add(f"{2 * number + 2} Studies at the coast", size=8, bbox=(0.02, 0.94, 0.2, 0.95))
        pages.add(f"Studies at the coast {2 * number + 3}", size=8, bbox=(0.8, 0.94, 0.98, 0.95))
        pages.page()
    assert {item.reason for item in enhance(pages.adapted()).dropped} == {"footer"}


def test_a_first_line_close_to_the_text_is_text() -> None:
    # contract: D17
    pages = Pages()
    for number in range(24):
        text = "MILLER CORP." if number % 5 == 0 else f"Topic {'abcdefghijklmnopqrstuvwx'[number]}x of the survey"
        pages.add(text, size=10, bbox=(0.1, 0.05, 0.5, 0.065), bold=number % 5 == 0)
        pages.body(number, bbox=(0.1, 0.07, 0.9, 0.2))
        pages.page()
    assert not [item.text for item in enhance(pages.adapted()).dropped if "Topic" in item.text]


def test_levels_do_not_jump_where_a_running_title_was_dropped() -> None:
    # contract: D20
    pages = Pages()
    for text, size in (("Contents", 16), ("1 Introduction", None), ("1 Introduction", None), ("Contents", 16)):
        pages.add(text, size=size, bold=True, bbox=(0.1, 0.02, 0.4, 0.04))
    pages.add("1.1.1 Summary of it", size=None, bold=True)
    levels = [item.level or 0 for item in enhance(pages.adapted()).items if item.role == "heading"]
    assert all(after <= before + 1 for before, after in zip([0, *levels], levels, strict=False))


def test_a_section_title_at_the_top_of_each_of_its_pages_is_its_heading_once() -> None:
    # contract: D16
    pages = Pages()
    titles = ["Risk management", "Remuneration of the board", "Outlook for the year"]
    for section, title in enumerate(titles):
        for number in range(5):
            pages.heading(title, size=16, bbox=(0.1, 0.05, 0.5, 0.08))
            pages.body(10 * section + number)
            pages.body(10 * section + number + 5)
            pages.page()
    enhanced = enhance(pages.adapted())
    assert [text for _, text in outline_of(enhanced)] == [
        "Risk management",
        "Remuneration of the board",
        "Outlook for the year",
    ]
    assert {reason for reason, _ in reasons(enhanced)} == {"header"}
    assert len(enhanced.dropped) == 12


def test_a_watermark_across_the_text_is_dropped_and_no_heading_where_it_stands_once() -> None:
    # contract: D16
    for count, across in ((5, (0.2, 0.2, 0.8, 0.7)), (1, (0.2, 0.2, 0.8, 0.7))):
        pages = Pages()
        for number in range(count):
            pages.heading(f"{number + 1} Section {number + 1}", size=16)
            for line in range(8):
                pages.body(10 * number + line)
            pages.add("DRAFT COPY", size=70, color="#c8c8c8", bbox=across)
            if number < count - 1:
                pages.page()
        enhanced = enhance(pages.adapted())
        assert [text for _, text in outline_of(enhanced)] == [f"{n + 1} Section {n + 1}" for n in range(count)]
        assert reasons(enhanced) == [("decoration", "DRAFT COPY")] * (count if count > 1 else 0)


def test_the_same_title_below_a_running_header_is_a_heading_on_every_page() -> None:
    # contract: D16
    pages = Pages()
    for number in range(4):
        pages.add("Sample book", size=8, bbox=HEADER)
        pages.heading("Test results", bbox=(0.1, 0.08, 0.4, 0.1))
        pages.body(number, bbox=(0.1, 0.12, 0.9, 0.18))
        if number < 3:
            pages.page()
    enhanced = enhance(pages.adapted())
    assert outline_of(enhanced) == [(1, "Test results")] * 4
    assert reasons(enhanced) == [("header", "Sample book")] * 4


def test_turned_large_text_at_one_place_of_the_pages_is_a_watermark() -> None:
    pages = Pages()
    for number in range(3):
        pages.heading(f"Draft {'ABC'[number]}")
        pages.body(number)
        pages.add("SPECIMEN", size=80, bold=True, flags=["rotated"], bbox=(0.15, 0.32, 0.78, 0.76))
        if number < 2:
            pages.page()
    enhanced = enhance(pages.adapted())
    assert [text for _, text in outline_of(enhanced)] == ["Draft A", "Draft B", "Draft C"]
    assert reasons(enhanced) == [("decoration", "SPECIMEN")] * 3


@pytest.mark.parametrize(
    ("row", "runs"),
    [
        (("400", "BRITISH HUSBANDRY. [Ch. XIX."), True),
        (("ON SOILS AND MANURE.", "[Bk. II.", "61"), True),
        (("12", "Chapter One of the Book"), False),
        (("THE YEAR IN FIGURES", "2023"), False),
    ],
)
def test_a_title_in_capitals_beside_a_page_number_is_a_running_head_of_a_single_page(
    row: tuple[str, ...], runs: bool
) -> None:
    # contract: D16
    pages = Pages()
    for number, text in enumerate(row):
        pages.add(text, size=10, bbox=(0.1 + 0.25 * number, 0.05, 0.3 + 0.25 * number, 0.07))
    for line in range(6):
        pages.body(line, bbox=(0.1, 0.075 + 0.05 * line, 0.9, 0.12 + 0.05 * line))
    gone = {text for _, text in reasons(enhance(pages.adapted()))}
    assert (set(row) <= gone) == runs
