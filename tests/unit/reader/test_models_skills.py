"""The text skills, each on small evidence made here."""

from __future__ import annotations

import pytest

from cosee.reader.skills.answer import read
from cosee.reader.skills.cells import best_cell, cells
from cosee.reader.skills.compare import combine
from cosee.reader.skills.count import count
from cosee.reader.skills.gaps import missing_key
from cosee.reader.skills.listing import enumeration
from cosee.reader.skills.nodes import Passage
from cosee.reader.skills.question import analyse
from cosee.reader.skills.rank import rank
from cosee.reader.skills.tables import grid
from cosee.text.content_words import terms
from cosee.text.numbers import numbers, plain_number, without_grouping
from cosee.text.sentences import split_sentences
from cosee.text.stemming import stem


def text(words, node_id="t_1", page=1, **fields):
    return Passage(node_id, page, words, **fields)


def table(*rows, node_id="tab_1", page=1, **fields):
    lines = "\n".join(" | ".join(row) for row in rows)
    return Passage(node_id, page, lines, "table", rows=tuple(tuple(row) for row in rows), **fields)


BALANCE = table(
    ["(in millions)", "2021", "", "2020", ""],
    ["Current assets:", "", "", "", ""],
    ["Cash and equivalents", "", "$ 9,889", "", "8,348"],
    ["Short-term investments", "", "3,587", "", "439"],
    ["Accounts receivable, net", "", "4,463", "", "2,749"],
    ["Inventories", "", "6,854", "", "7,367"],
    ["Total current assets", "", "26,291", "", "20,556"],
    ["TOTAL ASSETS", "$37,740", "", "31,342", ""],
    ["Accounts payable", "", "2,836", "", "2,248"],
    ["Current portion of long-term debt", "", "—", "", "3"],
    ["Total current liabilities", "", "9,674", "", "8,284"],
    ["Long-term debt", "", "9,413", "", "9,406"],
    ["Total shareholders’ equity", "", "12,767", "", "8,055"],
    title="Consolidated balance sheets",
)
INCOME = table(
    ["", "2021", "2020"],
    ["Revenues", "44,538", "37,403"],
    ["Cost of sales", "24,576", "21,162"],
    ["Gross profit", "19,962", "16,241"],
    ["Income before income taxes", "6,661", "2,887"],
    ["Income tax expense", "934", "348"],
    ["Net income", "5,727", "2,539"],
    node_id="tab_2",
    page=2,
)
STATEMENTS = [BALANCE, INCOME]


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How many plants are there?", "count"),
        ("Is the plant in Turin?", "yes_no"),
        ("When was the plant opened?", "date"),
        ("In which year did it open?", "year"),
        ("What percentage of staff works in Lyon?", "percent"),
        ("How much did the plant cost?", "money"),
        ("Who signed the report?", "person"),
        ("Where is the plant?", "place"),
        ("What does NARL stand for?", "stands_for"),
        ("Which site has the most staff?", "compare"),
        ("How much higher was revenue in 2021 compared to 2020?", "difference"),
        ("What is the quick ratio in FY2021?", "formula"),
        ("Why did revenue fall?", "explain"),
        ("List all sites of the company.", "list"),
        ("What is the title of the report?", "phrase"),
        ("What goodwill does Best Buy have?", "phrase"),
    ],
)
def test_question_kinds(question, kind):
    assert analyse(question).kind == kind


def test_a_question_is_read_without_its_answer_format():
    asked = analyse("What was the margin in FY2021 on page 12 of Table 3? Round your answer to two decimal places.")
    assert asked.core.endswith("Table 3?") or asked.core.endswith("Table 3")
    assert (asked.years, asked.pages, asked.labels, asked.digits) == (("2021",), (12,), (("table", "3"),), 2)
    assert analyse("Revenue? Answer in millions.").scale_wanted == 1e6
    assert analyse("How many figures are on pages 3-5?").pages == (3, 4, 5)
    assert analyse("How many line charts are there?").structure == "line chart"


def test_numbers_with_sign_scale_and_unit():
    found = numbers("Loss of $(1,234.5) million, 12 % and -3; model A4, section 3.2.1, 5 kg")
    assert [(number.value, number.percent, number.scale) for number in found[:3]] == [
        (-1234.5, False, 1e6), (12.0, True, 1.0), (-3.0, False, 1.0),
    ]  # fmt: skip
    assert [number.text for number in found[3:]] == ["5"]
    assert without_grouping("1,358,000 shares, 3, 4") == "1358000 shares, 3, 4"
    assert (plain_number(2.0), plain_number(0.5), plain_number(2.345, 1), plain_number(7.0, 2)) == (
        "2",
        "0.5",
        "2.3",
        "7.00",
    )


def test_sentences_keep_abbreviations_and_decimals_together():
    assert split_sentences("Dr. Rossi paid 3.5 million. He left.\n• One\n• Two") == [
        "Dr. Rossi paid 3.5 million.", "He left.", "• One", "• Two",
    ]  # fmt: skip


def test_stems_join_forms_of_a_word_and_keep_numbers():
    assert stem("plants") == stem("plant")
    assert stem("operating") == stem("operated")
    assert terms("The 12 plants of 図表番号") == ("12", "plant", "図表", "表番", "番号")


def test_ranking_puts_the_passage_with_the_rare_words_first():
    passages = [text("The plant is large."), text("The Turin plant opened in 1984.", "t_2"), text("Weather.", "t_3")]
    order = rank("When did the Turin plant open?", passages)
    assert order[0][0].node_id == "t_2"
    assert order[-1][1] == 0
    assert rank("What is on page 9?", [text("a"), text("b", page=9)])[0][0].page == 9


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What was the revenue in 2021?", "44538"),
        ("What were total assets in 2020?", "31342"),
        ("What is the quick ratio in FY2021? Round your answer to two decimal places.", "1.85"),
        ("What is the cash ratio in FY2021? Round your answer to two decimal places.", "1.02"),
        ("What is the inventory turnover in FY2021? Round your answer to two decimal places.", "3.46"),
        ("What is the effective tax rate in FY2021? Answer in percent, round to one decimal place.", "14.0%"),
        ("What is the cash conversion cycle in FY2021? Round your answer to two decimal places.", "97.40"),
        ("What is the gross profit to total assets ratio in FY2021? Round to three decimal places.", "0.529"),
        ("What is the percentage change in revenue from 2020 to 2021? Round to one decimal place.", "19.1%"),
        ("How much higher was net income in 2021 compared to 2020?", "3188"),
        ("What is total current assets less total current liabilities in FY2021?", "16617"),
        ("What was the revenue in 2021? Answer in billions.", "44.54"),
    ],
)
def test_line_items_and_ratios_are_computed_from_statements(question, answer):
    passages = (
        [Passage(**{**INCOME.__dict__, "title": "in millions"}), BALANCE] if "billions" in question else STATEMENTS
    )
    found = read(question, passages)
    assert found.answer == answer
    assert found.quotes
    assert all(quote.node_id in ("tab_1", "tab_2") for quote in found.quotes)


def test_a_statement_cut_into_tables_keeps_its_years():
    upper = table(["", "2021", "2020"], ["Total current assets", "30", "20"], node_id="tab_1")
    lower = table(["Total current liabilities", "15", "40"], ["Goodwill", "7", "8"], node_id="tab_2", header_rows=0)
    other_page = table(["Goodwill", "1", "2"], ["Leases", "3", "4"], node_id="tab_3", page=2, header_rows=0)
    assert read("What is the current ratio in FY2021?", [upper, lower, other_page]).answer == "2"
    assert read("What is the current ratio in FY2020? Round to two decimal places.", [upper, lower]).answer == "0.50"
    assert read("What is the current ratio in FY2021?", [upper, other_page]).abstained


def test_a_ratio_without_its_items_is_not_made_up():
    assert read("What is the inventory turnover in FY2021?", [INCOME]).abstained
    assert read("What is the quick ratio in FY2015?", STATEMENTS).abstained


def test_a_cell_is_found_by_row_year_and_header():
    sites = table(
        ["Site", "Staff 2020", "Staff 2021", "Area"], ["Turin", "80", "85", "1,200"], ["Lyon", "110", "120", "900"]
    )
    assert best_cell(cells(analyse("How many staff worked in Lyon in 2021?"), grid(sites))).text == "120"
    assert best_cell(cells(analyse("What is the area of the Turin site?"), grid(sites))).text == "1,200"
    assert best_cell(cells(analyse("Who is the chair?"), grid(sites))) is None
    assert grid(sites).years == ((1, "2020"), (2, "2021"))


def test_the_extreme_row_is_named():
    sites = table(["Site", "Staff"], ["Turin", "85"], ["Lyon", "120"], ["Total", "205"], title="Staff by site")
    assert read("Which site has the most staff?", [sites]).answer == "Lyon"
    assert read("Which site has the fewest staff?", [sites]).answer == "Turin"


def test_arithmetic():
    assert combine("difference", [3, 5]) == 2
    assert combine("growth", [6, 5]) == pytest.approx(20)
    assert combine("ratio", [6, 0]) is None
    assert combine("sum", [1, 2, 3]) == 6
    assert combine("average", [1, 2]) == 1.5
    assert combine("sum", [1]) is None


@pytest.mark.parametrize(
    ("question", "evidence", "answer"),
    [
        ("When was the Turin plant opened?", "The Turin plant was opened on 4 March 1984 by the mayor.", "4 "
            "March 1984"),
        ("In which year was the Turin plant opened?", "The Turin plant was opened in 1984.", "1984"),
        ("What percentage of the staff works in Lyon?", "About 35% of the staff works in Lyon, 12 people in "
                                                        "Bari.", "35%"),
        ("How many regulations were breached?", "In 2012, seven regulations were breached.", "7"),
        ("How much did the Turin plant cost?", "The Turin plant cost $4,500 in 1984.", "$4500"),
        ("What does NARL stand for?", "The National Atmospheric Research Laboratory (NARL) is in Gadanki.",
            "National Atmospheric Research Laboratory"),
        ("Who signed the audit report?", "The audit report was signed by Maria Rossi.", "Maria Rossi"),
        ("What is the case number of this document?", "Filing ID: 4889\nCase number: 515-2012\nJudge: none",
            "515-2012"),
        ("What method is used to account for inventories?", "Inventories are accounted for using the first-in, "
            "first-out method.", "first-in, first-out method"),
        ("What should be done if the pump overheats?", "If the pump overheats, unplug it at once.", "unplug it "
            "at once"),
        ("Did the company record a gain or loss on securities?", "The company recorded a loss on securities of "
            "$4.", "loss"),
        ("What was advertising expense in 2014? Answer in millions.", "Advertising expense was $714.3 million, "
            "$533.1 million and $404.0 million for 2015, 2014 and 2013.", "533.1"),
    ],
)  # fmt: skip
def test_short_answers_out_of_text(question, evidence, answer):
    found = read(question, [text("Nothing to see here.", "t_0"), text(evidence)])
    assert found.answer == answer
    assert found.quotes[0].node_id == "t_1"
    assert 0 < found.confidence <= 1


@pytest.mark.parametrize(
    ("question", "evidence", "answer"),
    [
        ("Is the plant in Turin open to visitors?", "The plant in Turin is open to visitors.", "Yes"),
        ("Is the plant in Turin open to visitors?", "The plant in Turin is not open to visitors.", "No"),
        ("Did staff in Turin increase?", "Staff in Turin decreased.", "No"),
        ("Is the limit 30 days for returns?", "The limit for returns is 14 days.", "No"),
    ],
)
def test_yes_and_no(question, evidence, answer):
    assert read(question, [text(evidence)]).answer == answer


def test_yes_and_no_from_two_years_of_a_table():
    assert read("Was net income higher in 2021 compared to 2020?", [INCOME]).answer == "Yes"
    assert read("Was net income lower in 2021 compared to 2020?", [INCOME]).answer == "No"


def test_lists():
    assert enumeration("The plan covers dental care, eye tests and massage.") == ["dental care", "eye tests", "massage"]
    assert enumeration("A plain sentence.") == []
    found = read("List the sites of the company.", [text("The sites of the company are Turin, Lyon and Bari.")])
    assert found.answer == "['Turin', 'Lyon', 'Bari']"


def test_structure_is_counted_by_form_page_and_section():
    nodes = [
        Passage(
            "img_1", 1, "", "image", label="Figure 1", chart_form="line", image_kind="statistical", path=("Results",)
        ),
        Passage("img_2", 2, "", "image", label="Figure 2", chart_form="bar", image_kind="statistical"),
        Passage("img_3", 2, "", "image", label="Figure 3", chart_form="line", image_kind="statistical"),
        Passage("img_4", 3, "", "image", image_kind="logo"),
        Passage("tab_5", 3, "x", "table"),
    ]

    def ids(question):
        found = count(analyse(question), nodes)
        return None if found is None else [node.node_id for node in found]

    assert ids("How many line charts are there?") == ["img_1", "img_3"]
    assert ids("How many charts are on page 2?") == ["img_2", "img_3"]
    assert ids("How many figures are in the Results section?") == ["img_1"]
    assert ids("How many tables are there?") == ["tab_5"]
    assert ids("How many employees are there?") is None
    answer = read("How many line charts are there in the report?", nodes)
    assert answer.answer == "2"
    assert [quote.node_id for quote in answer.quotes] == ["img_1", "img_3"]


def test_it_abstains_where_the_evidence_carries_no_answer():
    plant = text("The Turin plant opened in 1984 with 85 staff.")
    for question in (
        "How many staff does the Lyon plant have?",
        "What was the staff of the Turin plant in 2022?",
        "What is the colour of the plant's logo?",
        "Who won the cup?",
        "",
    ):
        found = read(question, [plant])
        assert found.abstained, question
        assert found.answer == "Not answerable"
    assert read("How many staff?", []).abstained


def test_misspelt_names_are_still_found_in_the_evidence():
    plant = [text("Netflix had 85 staff in Turin.")]
    assert not missing_key(analyse("How many staff did Netfilx have?"), plant)
    assert missing_key(analyse("How many staff did Siemens have?"), plant)
    assert missing_key(analyse("What is error 288 of the machine?"), plant)


def test_reading_is_deterministic_and_quick():
    import time

    passages = [
        text(f"Sentence {number} about plant {number % 7} and cost {number}.", f"t_{number}", number)
        for number in range(200)
    ]
    start = time.perf_counter()
    first = read("What was the cost of plant 5 in Turin?", passages)
    assert time.perf_counter() - start < 2
    assert read("What was the cost of plant 5 in Turin?", passages) == first


def test_groups_of_digits_parted_by_spaces_are_one_number_in_a_cell():
    from cosee.text.numbers import cell_number, numbers

    assert [cell_number(cell).value for cell in ("3 400", "(1\u202f234\u202f567.5)", "12\u00a0000 €")] == [
        3400,
        -1234567.5,
        12000,
    ]
    assert cell_number("1 2").value == 1 and cell_number("2022 400").value == 2022
    assert [number.value for number in numbers("in 20 400 people came")] == [20, 400]
