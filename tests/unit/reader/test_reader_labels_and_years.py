"""What must not pass for an answer: numbers of tables and axes, values of other years, words in a figure."""

from __future__ import annotations

import pytest

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.reader.skills.answer import read
from cosee.reader.skills.nodes import Passage
from cosee.reader.skills.question import analyse
from cosee.reader.skills.span import typed_spans

BARS = Passage(
    "img_1",
    3,
    "Tugs, jobs a year 0 20 40 60 31 2021 38 2022 44 2023 52 2024",
    type="image",
    chart_form="bar",
    chart_rows=(("", "value"), ("2021", "31"), ("2022", "38"), ("2023", "44"), ("2024", "52")),
)


@pytest.mark.parametrize("named", ["Table 7", "Fig. 7", "Section 7", "Appendix B-7", "Abbildung 7", "page 7"])
def test_the_number_of_a_table_or_section_is_no_quantity(named):
    asked = analyse("How many tugs work in the port?")
    assert typed_spans(asked, f"{named}: tugs of the port by owner") == []
    assert [text for text, _ in typed_spans(asked, f"{named} names 9 tugs of the port")] == ["9"]


def test_a_chart_is_read_by_its_values_and_not_by_its_axis():
    found = read("How many jobs did the tugs do in 2023?", [BARS])
    assert found.answer == "44" and found.quotes[0].text in BARS.text


def test_a_row_named_by_a_year_is_found():
    table = Passage(
        "tab_1",
        2,
        "",
        type="table",
        title="Tug jobs by year",
        rows=(("Year", "Jobs"), ("2021", "31"), ("2022", "38")),
    )
    assert read("How many tug jobs were there in 2022?", [table]).answer == "38"


def test_the_lowest_quarter_of_a_year_is_one_of_that_year():
    rows = (("Quarter", "Use, %"), ("Q1 2023", "61"), ("Q2 2023", "70"), ("Q1 2024", "66"), ("Q2 2024", "72"))
    table = Passage("tab_2", 4, "", type="table", title="Use of berths by quarter", rows=rows)
    assert read("In which quarter of 2024 was the use of berths lowest?", [table]).answer == "Q1 2024"


def test_words_in_a_diagram_are_no_sentence():
    diagram = Passage("img_2", 5, "Quay crane Converter 50/60 Hz Switchgear Cable", type="image", page_rank=1)
    assert read("Which company supplies the quay crane?", [diagram]).answer == NOT_ANSWERABLE


def test_an_abstention_quotes_whole_words():
    text = "The pilots of the harbour " + "describe their mooring procedures " * 12
    found = read("Who painted the lighthouse on the harbour in 1931?", [Passage("t_1", 1, text)])
    assert found.abstained and all(quote.text in " ".join(text.split()) for quote in found.quotes)
    assert all(set(quote.text.split()) <= set(text.split()) for quote in found.quotes)
