"""What decides between answers of the reader without a model: where they stand, and whether they are there at all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cosee.artifacts.documents.chart import ChartData, ChartPoint, ChartSeries
from cosee.models.chart_table import chart_rows
from cosee.reader.skills.answer import read
from cosee.reader.skills.cells import best_cell, cells
from cosee.reader.skills.compare import operation
from cosee.reader.skills.gaps import absent_keys, missing_key, missing_place, spelled
from cosee.reader.skills.nodes import Passage
from cosee.reader.skills.phrase import phrase
from cosee.reader.skills.question import analyse
from cosee.reader.skills.tables import grids
from cosee.text.numbers import numbers


def text(words: str, page: int = 1, node_id: str = "t_1", **more: object) -> Passage:
    """A paragraph."""
    return Passage(node_id, page, words, **more)  # type: ignore[arg-type]


def table(*rows: tuple[str, ...], title: str = "") -> Passage:
    """A table node with one header row."""
    return Passage("tab_1", 1, "\n".join(" | ".join(row) for row in rows), "table", title=title, rows=rows)


def bars(*points: tuple[str, float], name: str | None = None, form: str = "bar") -> ChartData:
    """A chart of one series."""
    series = ChartSeries(name=name, color="#006699", points=[ChartPoint(label=at, y=y) for at, y in points])
    return ChartData(form=form, series=[series])  # type: ignore[arg-type]


def chart_node(chart: ChartData, printed: str, title: str) -> Passage:
    """An image node with the values of its chart."""
    rows = tuple(map(tuple, chart_rows(chart, printed)))
    return Passage("img_1", 3, printed, "image", title=title, chart_rows=rows)


def test_of_like_answers_the_one_of_the_first_page_wins():
    first = text("The mill employed 40 people in Ghent.", page=7, node_id="a", page_rank=2, relevance=0.4)
    second = text("The mill employed 55 people in Ghent.", page=2, node_id="b", page_rank=1, relevance=0.8)
    question = "How many people did the mill in Ghent employ?"
    assert read(question, [first, second]).answer == "55"
    swapped = [replace(first, page_rank=1, relevance=0.8), replace(second, page_rank=2, relevance=0.4)]
    assert read(question, swapped).answer == "40"
    alone = read(question, [replace(first, page_rank=None, relevance=0.0)])
    assert alone.answer == "40" and alone.confidence < 1


def test_a_chart_is_a_table_whose_printed_values_are_quoted():
    printed = "Share of trips by bus 31% 24 Delft Breda"
    node = chart_node(bars(("Delft", 31.0), ("Breda", 24.0)), printed, "Share of trips by bus")
    found = read("What share of trips was by bus in Breda?", [node, text("Towns differ.", node_id="t_2")])
    assert found.answer.strip("%") == "24"
    assert [quote.text for quote in found.quotes] == ["24"] and found.quotes[0].node_id == "img_1"


def test_a_value_that_was_only_measured_is_no_quote():
    node = chart_node(bars(("Delft", 31.27), ("Breda", 18.4)), "Trips by bus Delft Breda", "Trips by bus")
    assert node.chart_rows == (("", ""), ("Delft", "~31.27"), ("Breda", "~18.4"))
    found = read("How many trips were made by bus in Breda?", [node])
    assert found.answer in ("18.4", "Not answerable")
    outcome = read("What is the number of trips by bus in Breda?", [node])
    assert outcome.answer == "18.4" and all(quote.text in ("", "Breda") for quote in outcome.quotes)


def test_chart_rows_by_form():
    pie = ChartData(
        form="pie",
        series=[
            ChartSeries(name="Rent", color="#111111", points=[ChartPoint(y=61.8)]),
            ChartSeries(name="Food", color="#222222", points=[ChartPoint(y=38.2)]),
        ],
    )
    assert chart_rows(pie, "Rent 62% Food 38%") == [["", "share"], ["Rent", "62%"], ["Food", "38%"]]
    line = ChartData(
        form="line",
        series=[ChartSeries(name="Gas", color="#111111", points=[ChartPoint(x=2019, y=4.0), ChartPoint(x=2020)])],
    )
    assert chart_rows(line, "") == [["", "Gas"], ["2019", "~4"], ["2020", ""]]
    assert chart_rows(ChartData(form="bar", series=[]), "1 2 3") == []


def test_a_name_of_the_document_is_not_missed_on_a_page():
    page = [text("We spent $71 million on advertising in 2019.")]
    asked = analyse("How much did Bellweather spend on advertising in 2019?")
    document = ["Bellwether Foods, annual report", page[0].text]
    assert missing_key(asked, page)
    assert absent_keys(asked, document) == []
    assert not missing_key(asked, page, [])
    assert absent_keys(asked, ["Another firm"]) == ["Bellweather"]
    assert read(asked.text, page, []).answer.startswith("$71 million")
    assert read(asked.text, page, ["Bellweather"]).abstained


def test_misspelled_words_are_read_as_the_word_that_is_there():
    asked = spelled(analyse("what is the advertsing expense in 2019"), [text("Advertising expense was $71 million.")])
    assert "advertis" in asked.terms and "adverts" not in asked.terms


def test_what_does_not_look_like_a_number_or_address_is_no_answer():
    card = [text("Harbour office, 12 Quay Street. Write to m.keller@port.example or a.lindt@port.example.")]
    assert read("What is the telephone number of the harbour office?", card).abstained
    phone = [text("Put your phone on the shelf before you sleep.")]
    assert read("Where should your phone be put before you sleep?", phone).answer != "Not answerable"
    assert read("What is the email address of Lindt at the harbour office?", card).answer == "a.lindt@port.example"


@pytest.mark.parametrize(
    ("question", "kind", "pages"),
    [
        ("What was the total present value of the leases in 2021?", "money", ()),
        ("What's the percentage of voters who stayed at home?", "percent", ()),
        ("What date stands on the second page? Format the date as YYYY-MM.", "date", (2,)),
        ("Format the date on page 4 as YYYY-MM-DD.", "date", (4,)),
        ("What is the recommended waiting time before a measurement?", "number", ()),
        ("何回の会議が開かれましたか", "count", ()),
    ],
)
def test_wordings(question, kind, pages):
    asked = analyse(question)
    assert (asked.kind, asked.pages) == (kind, pages)
    assert asked.terms and "yyyy" not in " ".join(asked.terms)


def test_numbers_in_running_text():
    assert [number.text for number in numbers("Of the users (49%) most agree")] == ["49%"]
    assert [number.text for number in numbers("In 1999-00 it paid Rs. 40")] == ["1999", "Rs. 40"]
    assert [number.value for number in numbers("単語966個を分類")] == [966.0]


def test_a_day_of_a_date_is_no_amount():
    found = read("How much did the pier cost?", [text("By March 31, 2015 the pier had cost $12 million.")])
    assert found.answer == "$12 million"


FLOWS = table(
    ("", "2020", "2021"),
    ("Cash, restricted cash and deposits, beginning of year", "410", "395"),
    ("Net increase (decrease) in cash, restricted cash and deposits", "(15)", "62"),
    ("Less valuation allowance (2)", "(8)", "(9)"),
    title="Cash flows, in thousands",
)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What was the net increase in cash, restricted cash and deposits in 2021?", 62.0),
        ("How much was the valuation allowance at the end of 2021?", -9.0),
    ],
)
def test_labels_are_read_without_brackets_and_signs(question, value):
    best = best_cell(cells(analyse(question), grids([FLOWS])[0]))
    assert best is not None and best.number is not None and best.number.value == value


def test_growth_in_one_year_is_from_the_year_before():
    fees = table(("", "2020", "2021"), ("Licence fees", "40", "50"), ("Rent", "8", "9"))
    question = "What is the growth rate in licence fees in 2021?"
    assert operation(analyse(question)) == "growth"
    assert read(question, [fees]).answer == "25.0%"


def test_a_percentage_is_looked_up_in_the_column_that_holds_some():
    holders = table(("Holder", "Shares", "%"), ("Banks", "48,100", "12.8"), ("Funds", "9,900", "2.6"))
    assert read("What percentage is held by banks?", [holders]).answer == "12.8%"


def test_what_is_defined_by_a_sentence():
    asked = analyse("What is the longest canal in Norway?")
    assert phrase(asked, "The Telemark Canal is the longest canal in all Norway.") == "The Telemark Canal"


def test_rows_that_a_question_joins_are_added_up():
    holders = table(("Holder", "Shares, %"), ("Foreign firms", "32.2"), ("Foreign banks", "12.8"), ("Public", "15.9"))
    assert read("What percentage is held by foreign firms and banks?", [holders]).answer == "45%"
    assert read("What percentage is held by foreign banks?", [holders]).answer == "12.8%"


def test_places_that_are_not_there_are_missed():
    found = [text("Table 3 lists the sites. See fig. 2.", page=4, page_rank=1)]
    assert missing_place(analyse("What does Figure 12 show?"), found)
    assert not missing_place(analyse("What does Figure 2 show in Table 3?"), found)
    assert missing_place(analyse("What stands on page 9?"), found)
    assert not missing_place(analyse("What stands on page 9?"), [replace(found[0], page_label="9")])
    assert not missing_place(analyse("What stands on page 9?"), [replace(found[0], page_label="8-9")])
    assert analyse("How many tables are there?").labels == ()
    assert analyse("What is in Appendix B?").labels == (("appendix", "b"),)


def test_a_year_that_stands_nowhere_is_missed():
    page = [text("On 17 March 2007 the fund held 4,100 shares.")]
    assert read("How many shares did the fund hold in 2017?", page).abstained
    assert read("How many shares did the fund hold in 2007?", page).answer == "4100"


def test_a_list_mark_is_no_part_of_an_answer():
    step = [text("3 After closing the valve, drain the tank.")]
    assert read("What should be done after closing the valve?", step).answer == "drain the tank"
