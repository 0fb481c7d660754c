"""The reader without a model on documents of our own: what it must not answer, and in which words it answers.

Each kind of mistake has three variants. What the fitted weights choose is measured (``benchmarks.answers``); here
stands what holds whatever they are.
"""

import math
from dataclasses import replace

import pytest

from cosee.question.wording import are_stated, options, parts_of_years, periods, shape_of
from cosee.reader.answer import find_places, is_unknown, read
from cosee.reader.asked import analyse
from cosee.reader.evidence import places
from cosee.reader.passages import Passage
from cosee.reader.readings import readings
from cosee.reader.tables import grid
from cosee.reader.weights import fitted
from cosee.text.frequencies import document_frequencies


def table(*rows: str, title: str = "", header_rows: int = 1) -> Passage:
    cells = tuple(tuple(cell.strip() for cell in row.split("|")) for row in rows)
    text = "\n".join(" | ".join(row) for row in cells)
    return Passage("tab_1", 1, text, "table", title=title, rows=cells, header_rows=header_rows, page_rank=1)


def text(said: str, kind: str = "paragraph", **more) -> Passage:
    return Passage(f"t_{abs(hash((said, kind))) % 10_000}", more.pop("page", 1), said, kind, page_rank=1, **more)


def candidates(question: str, *passages: Passage) -> dict[str, set[str]]:
    """The texts of the candidates by kind."""
    counts = document_frequencies(question, [passage.content for passage in passages])
    asked, listed, rarity = find_places(question, passages, counts, fitted())
    found: dict[str, set[str]] = {}
    if not is_unknown(asked, rarity):
        for each in readings(asked, listed, rarity, passages):
            found.setdefault(each.kind, set()).add(each.text)
    return found


def texts(question: str, *passages: Passage) -> set[str]:
    return {each for kind in candidates(question, *passages).values() for each in kind}


@pytest.mark.parametrize(
    ("question", "heading", "body"),
    [
        ("How many sites does the company run?", "4 Sites", "The company runs sites in Norway, Chile and Kenya."),
        ("How many vessels are in the fleet?", "7. Vessels of the fleet", "The fleet grew again."),
        ("How many employees work there?", "2 Employees", "Employees work in shifts."),
    ],
)
def test_the_number_of_a_heading_is_no_count(question, heading, body):
    number = heading.split()[0].strip(".")
    assert number not in candidates(question, text(heading, "section", title=heading), text(body)).get("number", set())


@pytest.mark.parametrize(
    ("question", "said", "named"),
    [
        ("Which town is larger, Alby or Bergen?", "Alby is larger than Cork. Cork has a port.", {"Alby", "Bergen"}),
        ("Is the valve open or closed?", "The valve is closed at night by the warden.", {"open", "closed"}),
        ("Who won, Mara Lind or Tom Roe?", "Mara Lind won before Ana Poe.", {"Mara Lind", "Tom Roe"}),
    ],
)
def test_the_options_of_a_question_bound_the_answer(question, said, named):
    assert texts(question, text(said)) <= named | {f"the valve {each}" for each in named} | {"valve open"}


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("What was the revenue in Q3 2024?", "Revenue | 55.9"),
        ("What was the revenue in the third quarter of 2024?", "Revenue | 55.9"),
        ("What was the revenue in H1 2024?", "Revenue | 55.9"),
    ],
)
def test_a_figure_of_the_year_answers_nothing_about_a_part_of_it(question, row):
    assert not any("55.9" in each for each in texts(question, table("EUR million | 2024", row)))
    assert any("55.9" in each for each in texts("What was the revenue in 2024?", table("EUR million | 2024", row)))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who sits on the board?", "The board consists of Ann Moe, Bo Ek, Cy Fox and Di Gray."),
        ("Which ports are served?", "The ports served are Oslo, Turku and Gdynia."),
        ("What materials are used?", "The materials used are oak, steel, glass and cork."),
    ],
)
def test_a_series_is_given_whole(question, said):
    found = candidates(question, text(said))
    items = said.rstrip(".").partition(" are ")[2] or said.rstrip(".").partition(" of ")[2]
    assert items in found["series"]
    assert not {"Ann Moe", "Oslo", "oak"} & {each for kind in ("name", "phrase") for each in found.get(kind, ())}


@pytest.mark.parametrize(
    ("asked", "said", "amount"),
    [
        ("revenue", "Revenue reached EUR 55.9 million in the year.", "EUR 55.9 million"),
        ("the weight of the beam", "The beam weighs 12.50 kg without its feet.", "12.50 kg"),
        ("der Umsatz je Gerät", "Der Umsatz lag bei 55,9 Euro je Gerät.", "55,9"),
    ],
)
def test_a_number_is_given_as_printed_with_its_unit(asked, said, amount):
    found = candidates(f"What was {asked}?", text(said))["number"]
    assert any(each.startswith(amount) for each in found)
    assert "55.90" not in found and "55" not in found and "12.5" not in found


@pytest.mark.parametrize(
    ("question", "said", "ticked"),
    [
        ("Is the roof insulated?", "Roof insulated: ☒ Yes ☐ No", "Yes"),
        ("Is the roof insulated?", "Roof insulated? Yes ☐ No ☒", "No"),
        ("Which fuel does the roof heater use?", "Fuel of the roof heater: [ ] oil [x] gas [ ] wood", "gas"),
    ],
)
def test_a_ticked_box_is_read_the_right_way_round(question, said, ticked):
    found = candidates(question, text(said))
    assert {each for kind in ("tick", "yes", "no") for each in found.get(kind, ())} == {ticked}


@pytest.mark.parametrize(
    ("said", "mark"),
    [
        ("Staff 1) grew to 512 people.", "1"),
        ("Staff [2] grew to 512 people.", "2"),
        ("3) Staff excludes the 512 people on leave.", "3"),
    ],
)
def test_the_mark_of_a_note_is_no_figure(said, mark):
    found = candidates("How large was the staff?", text(said))["number"]
    assert mark not in found and any(each.startswith("512") for each in found)


@pytest.mark.parametrize("receiver", ["Martians", "Atlanteans", "Lilliput"])
def test_what_names_somebody_unknown_has_no_answer(receiver):
    said = text("A dividend of EUR 2.10 per share was paid to the owners.")
    question = f"What dividend was paid to the {receiver}?"
    told = read(question, [said], document_frequencies(question, [said.text]))
    assert told.abstained and told.answer == "Not answerable"
    assert told.quotes[0].text == said.text, "the nearest passage is shown all the same"


def test_what_is_read_says_that_no_model_read_it():
    said = text("The audit was made by Halvorsen & Reed.")
    for question in ("Who made the audit?", "Who made the Zorbulon?"):
        told = read(question, [said], document_frequencies(question, [said.text]))
        assert "no model read this" in told.answer_long.lower()


@pytest.mark.parametrize(("absent", "abstains"), [(-1.2, False), (-0.8, True)])
def test_it_answers_where_that_is_likelier_right_than_that_there_is_no_answer(absent, abstains):
    weights = replace(fitted(), trust={"bias": -1.0}, absence={"bias": absent})
    told = read("What does a pass cost?", [text("A pass costs 12 kronor.")], weights=weights)
    assert told.abstained == abstains
    assert told.confidence == (0.3 if abstains else round(1 / (1 + math.e), 1))


def test_a_cell_needs_the_period_in_its_column_and_keeps_the_scale_of_its_table():
    grown = table("EUR million | 2023 | 2024", "Revenue | 48.1 | 55.9", "Costs | (40.0) | 44.2")
    found = candidates("What was the revenue in 2023?", grown)["cell"]
    assert "48.1 million" in found and not any("55.9" in each for each in found)
    assert "-40.0 million" in candidates("What were the costs in 2023?", grown)["cell"]
    assert "7.8 million" in candidates("How did revenue change from 2023 to 2024?", grown)["difference"]


def test_tables_have_heads_groups_and_scales():
    read_table = grid(table("$ in thousands | 2024", "Assets |", "Cash | 7", "Total | 9"))
    assert [(row.group, row.head, row.values) for row in read_table.rows] == [
        ("Assets", "Cash", (1,)),
        ("Assets", "Total", (1,)),
    ]
    assert read_table.scale == "thousand" and read_table.heads == ("$ in thousands", "2024")
    assert grid(text("no table")) is None


def test_what_a_question_asks_for_is_read_from_its_wording():
    asked = analyse("What did Halvorsen pay in FY2023, and in Q2 2024?", fitted())
    assert asked.periods == {"2023", "2024", "q2"} and "halvorsen" in asked.names
    assert periods("the third quarter of 2021") == {"2021", "q3"} and periods("3Q") == {"q3"}
    assert options("Which has more, Alby or Bergen?") == ("Alby", "Bergen")
    assert options("What must be done before reaching into the grinder or brewing unit of the machine?") == ()
    assert [shape_of(each) for each in ("Yes", "12", "$1,200", "4 %", "May 4, 2021", "['a', 'b']", "Ann Moe")] == [
        "yes_no", "count", "number", "percent", "date", "list", "name",
    ]  # fmt: skip


def test_places_know_what_stands_around_them():
    found = places([text("Staff", "section", title="Staff"), text("It grew. It fell.", path=("Staff",))])
    assert [place.quote for place in found] == ["Staff", "It grew.", "It fell."]
    assert {"staff", "fell"} <= found[1].stems_around


def test_parts_of_a_year_are_those_of_the_year_beside_them():
    assert parts_of_years("Q3 2024, 2023 Q1 and the second half of 2022; H1") == {"q3 2024", "q1 2023", "h2 2022", "h1"}
    assert are_stated(frozenset({"q3 2024"}), frozenset({"q3 2024", "q1"}))
    assert are_stated(frozenset({"q3 2024"}), frozenset({"q3"})) and are_stated(frozenset(), frozenset())
    assert not are_stated(frozenset({"q3 2024"}), frozenset({"q3 2023", "q1"}))
