"""The kinds of question that the reader without a model answers, each over a few hand-made nodes."""

from __future__ import annotations

import pytest

from cosee.reader.skills.answer import read
from cosee.reader.skills.cells import best_cell, cells
from cosee.reader.skills.compare import superlative
from cosee.reader.skills.count import count
from cosee.reader.skills.explain import explain
from cosee.reader.skills.gaps import key_words
from cosee.reader.skills.identify import identified
from cosee.reader.skills.nodes import Passage
from cosee.reader.skills.question import analyse
from cosee.reader.skills.rows import selected_rows
from cosee.reader.skills.tables import grids


def table(*rows: str, title: str = "", page: int = 1, header_rows: int = 1, node_id: str = "tab_1") -> Passage:
    """A table node; a row is its cells between bars."""
    cells_of = tuple(tuple(cell.strip() for cell in row.split("|")) for row in rows)
    return Passage(node_id, page, "\n".join(rows), "table", title=title, rows=cells_of, header_rows=header_rows)


def text(words: str, page: int = 1, node_id: str = "t_1", **more: object) -> Passage:
    """A paragraph."""
    return Passage(node_id, page, words, **more)  # type: ignore[arg-type]


DEPOTS = table(
    "Depot | Country | Opened | Bays | Use, per cent | Fire class",
    "Lund | Sweden | 1991 | 40 | 91 | B",
    "Vejle | Denmark | 2004 | 38 | 84 | A",
    "Bergen | Norway | 2001 | 12 | 71 | C",
    "Narvik | Norway | 1988 | 9 | 66 | C",
    title="Table 2: Depots at the end of the year",
)
DIVISIONS = [
    text("Table 4: Sales and result by division", type="caption"),
    text("Division Sales 2021 Sales 2022 Result 2021 Result 2022", node_id="t_2"),
    table(
        "Boats | 210.5 | 240.0 | 12.1 | 30.4",
        "Engines | 95.0 | 101.5 | 9.9 | 11.0",
        "Group | 305.5 | 341.5 | 22.0 | 41.4",
        title="Table 4: Sales and result by division, million euros",
        header_rows=0,
    ),
]
ERRORS = table(
    "Method | 10 | 20 | 60",
    "Persistence | 0.118 | 0.214 | 0.502",
    "Tide tables | 0.163 | 0.164 | 0.169",
    "Linear | 0.091 | 0.127 | 0.189",
    title="Table 1. Mean error in m/s by lead time in minutes",
    header_rows=0,
)
PARTS = table(
    "Variant | 10 min | 60 min",
    "Full model | 0.097 | 0.131",
    "without pressure | 0.101 | 0.139",
    "without neighbours | 0.128 | 0.166",
    title="Table 3. Error in m/s without parts of the model",
)
BUDGET = [
    text("EUR million Approved Spent Expected"),
    table(
        "Cable | 6.4 | 6.1 | 6.3",
        "Hall | 9.8 | 7.2 | 10.6",
        "Crane | 7.5 | 2.9 | 7.4",
        "Total | 23.7 | 16.2 | 24.3",
        header_rows=0,
    ),
]
BOARD = table(
    "Member | Since | Meetings | Pay committee",
    "Ann Lee (chair) | 2017 | 9 of 9 | 4 of 4",
    "Bo Rask | 2019 | 9 of 9 | –",
    "Cy Toft | 2020 | 8 of 9 | –",
    "Di Holm | 2018 | 9 of 9 | 3 of 4",
    title="Table 9: Attendance",
)


@pytest.mark.parametrize(
    ("question", "evidence", "answer"),
    [
        ("What is the fire class of the depot in Bergen?", [DEPOTS], "C"),
        ("How many bays does the depot in Vejle have?", [DEPOTS], "38"),
        ("How many depots are in fire class C?", [DEPOTS], "2"),
        ("How many depots are in Norway?", [DEPOTS], "2"),
        ("Which depot has the most bays?", [DEPOTS], "Lund"),
        ("Which division increased its result by the largest amount from 2021 to 2022?", DIVISIONS, "Boats"),
        ("By how many million euros did the 2022 sales of Boats exceed those of Engines?", DIVISIONS, "138.5"),
        ("By how many per cent did sales of Boats rise from 2021 to 2022? Round to one decimal.", DIVISIONS, "14.0%"),
        ("What is the mean error of Linear at a lead time of 60 minutes, in m/s?", [ERRORS], "0.189"),
        ("Is the linear method more accurate than the tide tables at 60 minutes?", [ERRORS], "No"),
        ("Is the linear method more accurate than the tide tables at 20 minutes?", [ERRORS], "Yes"),
        ("By how many m/s does the error at 60 minutes increase if the neighbours are left out?", [PARTS], "0.035"),
        ("By how many million euros is the total expected cost above the total approved budget?", BUDGET, "0.6"),
        ("Which packages are expected to cost less than approved?", BUDGET, "['Cable', 'Crane']"),
        ("Which directors are members of the pay committee?", [BOARD], "['Ann Lee', 'Di Holm']"),
    ],
)
def test_tables_answer(question, evidence, answer):
    assert read(question, evidence).answer == answer


@pytest.mark.parametrize(
    ("question", "evidence"),
    [
        ("What was the result of the Engines division in 2019?", DIVISIONS),
        ("What is the mean error of Linear at a lead time of 45 minutes, in m/s?", [ERRORS]),
        ("What is the fire class of the depot in Gothenburg?", [DEPOTS]),
        ("Which members are on the audit committee?", [BOARD]),
        ("Which company supplies the cranes?", [text("Cable crane ship converter hall", type="image")]),
    ],
)
def test_near_misses_are_not_answered(question, evidence):
    found = read(question, evidence)
    assert found.abstained and found.answer == "Not answerable"


@pytest.mark.parametrize(
    ("question", "evidence", "answer"),
    [
        (
            "Which firm audited the financial statements?",
            [text("The statements in chapter 3 were audited by Wold & Reed, whose opinion is dated 6 March.")],
            "Wold & Reed",
        ),
        ("What is the surveyor's reference on the letter?", [text("Our reference: BV/2291/24")], "BV/2291/24"),
        ("Under which grant was the work paid for?", [text("The work was paid for under grant MR-2219.")], "MR-2219"),
        (
            "What is the fax number of the office?",
            [text("Office of Jane Doe\nTel: 514-312-0200 Fax: 514-312-0292")],
            "514-312-0292",
        ),
        (
            "What is the email address of the office?",
            [text("Write to the office: office@wold-reed.example")],
            "office@wold-reed.example",
        ),
        (
            "How many gigawatt-hours came from rooftop solar?",
            [text("We used 314 gigawatt-hours in all, of which 31 gigawatt-hours came from rooftop solar.")],
            "31",
        ),
        (
            "What is the date of the hearing? Format the answer as YYYY-MM-DD.",
            [text("The hearing is on February 8, 2021.")],
            "2021-02-08",
        ),
        (
            "Which feature lets you translate a sign?",
            [text("Sign Lens lets you translate a sign in the street.")],
            "Sign Lens",
        ),
    ],
)
def test_text_answers(question, evidence, answer):
    assert read(question, evidence).answer == answer


def test_a_sentence_of_another_year_is_worth_less():
    said = [text("Rooftop solar gave 44 gigawatt-hours in 2024.")]
    asked = "How many gigawatt-hours came from rooftop solar in {}?"
    assert read(asked.format(2024), said).answer == "44"
    assert read(asked.format(2023), said).abstained


def test_pages_named_by_roman_numeral_and_word_are_read():
    pages = [
        text("The board proposes a dividend of EUR 0.90 a share.", page=3, node_id="a", page_label="iii"),
        text("The board proposes a dividend of EUR 0.55 a share.", page=4, node_id="b", page_label="iv"),
    ]
    asked = "On the page numbered iv, what dividend per share in euros does the board propose?"
    assert "0.55" in read(asked, pages).answer
    assert analyse("What is the fax number on page fourteen?").pages == (14,)
    assert analyse("How many figures are there from page 3 to page 6?").pages == (3, 4, 5, 6)


def test_a_page_of_a_spread_is_named_by_either_number():
    pages = [
        text("The board proposes a dividend of EUR 0.90 a share.", page=2, node_id="a", page_label="2-3"),
        text("The board proposes a dividend of EUR 0.55 a share.", page=3, node_id="b", page_label="4-5"),
    ]
    assert "0.55" in read("On page 5, what dividend per share in euros does the board propose?", pages).answer
    assert "0.90" in read("On page 2, what dividend per share in euros does the board propose?", pages).answer


def test_explanations_are_runs_of_sentences_of_one_section():
    section = ("Claims",)
    said = [
        text("Filing a claim takes three steps. Collect every bill first.", path=section, node_id="a"),
        text(
            "Fill in the claim form, and sign it on both pages. Send both to the office within 60 days.",
            path=section,
            node_id="b",
        ),
        text("Dental care is covered in part.", path=("Dental",), node_id="c"),
    ]
    asked = analyse("What are the steps for filing a claim?")
    assert asked.wide and not analyse("How many steps are there?").wide
    told = explain(asked, said, {})[0]
    assert told.text.startswith("Filing a claim") and "60 days" in told.text
    assert "Dental" not in told.text
    assert told.sentence == "Filing a claim takes three steps. Collect every bill first."


def test_figures_are_counted_by_number_and_chapter():
    chapter = ("2 Operations", "2.1 Sites")
    nodes = [
        Passage("img_1", 3, "", "image", title="Figure 1", label="Figure 1", path=("1 Summary",)),
        Passage("img_2", 5, "", "image", title="Figure 2: left", label="Figure 2", path=chapter),
        Passage("img_3", 5, "", "image", title="Figure 2: right", label="Figure 2", path=chapter),
        Passage("img_4", 6, "", "image", title="Figure 3", label="Figure 3", path=chapter),
        Passage("img_5", 6, "ornament", "image", path=chapter),
    ]
    counted = count(analyse("How many figures does chapter 2, Operations, contain?"), nodes)
    assert [passage.node_id for passage in counted or []] == ["img_2", "img_4"]
    tables_on = [
        Passage("tab_1", 1, "a", "table"),
        Passage("tab_2", 1, "b", "table"),
        Passage("tab_3", 4, "c", "table"),
    ]
    assert len(count(analyse("How many pages contain tables?"), tables_on) or []) == 2


def test_a_table_continued_on_the_next_page_keeps_its_headers():
    first = table("Site | Staff | Class", "Turin | 85 | A", "Lyon | 120 | B", page=1, node_id="tab_1")
    second = table("Nice | 40 | B", "Metz | 15 | B", page=2, node_id="tab_2", header_rows=0)
    read_tables = grids([first, second])
    assert read_tables[1].headers == ("Site", "Staff", "Class")
    asked = analyse("How many staff does the Metz site have?")
    found = best_cell(cells(asked, read_tables[1]))
    assert found is not None and found.text == "15" and found.header == "Staff"


def test_a_row_that_adds_up_the_others_is_not_the_largest():
    group = grids(DIVISIONS)[0]
    outcome = superlative(analyse("Which division had the highest sales in 2022?"), group, {})
    assert outcome is not None and outcome.text == "Boats" and outcome.value == 240.0


def test_rows_above_a_bound():
    chosen = selected_rows(analyse("How many depots have more than 30 bays?"), grids([DEPOTS])[0], {})
    assert chosen is not None and chosen.names == ("Lund", "Vejle")


def test_descriptions_of_pictures_are_found_but_never_quoted():
    node = {
        "node_id": "img_1",
        "type": "image",
        "page": 2,
        "text": "0 50 100",
        "description": "Bar chart of herring landings",
    }
    passage = Passage.from_data(node)
    assert passage.text == "0 50 100" and passage.description == "Bar chart of herring landings"
    found = read("What does the bar chart of herring landings show?", [passage])
    assert all("herring" not in quote.text for quote in found.quotes)


def test_a_company_with_its_legal_form_is_no_telling_name():
    assert key_words(analyse("What was the net income of Wold Reed, Inc. in 2018?")) == []
    assert "Bergen" in key_words(analyse("What is the fire class of the depot in Bergen?"))


def test_identifiers_need_their_label():
    said = [text("Ref 12 of 40.\nCase number: 21-13199\nDocket opened in May.")]
    found = identified(analyse("What is the case number?"), said, {})
    assert found is not None and found.text == "21-13199"
