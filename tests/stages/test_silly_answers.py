"""Answers that no reader of a page would give: from a PDF of our own to ``page_rag``'s row without a model.

Each kind of mistake has three variants, in sentences, tables and forms. The answer is the right one in the document's
words or none, and what it was read from is cited all the same. Where ``sure`` is set the reader finds the answer, so
that these tests fail with it and not only with what it must not say.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from helpers.own_documents import ask, document

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE


@dataclass(frozen=True)
class Case:
    """A question to a document; ``right`` is None where it has no answer, ``cited`` stands in a quote on ``page``."""

    parts: tuple[str, ...]
    question: str
    right: str | None
    cited: str
    page: int = 1
    sure: bool = False


ABOUT = ("# 1 About the company", "Northvale makes oat drinks and bread. Two sisters founded it near the old harbour.")
OWNERS = ("# Dividend", "A dividend of EUR 2.10 per share was paid to the owners in May.")
SALES = ("# Sales by country", "| EUR million | 2023 | 2024", "| Norway | 48.1 | 55.9", "| Chile | 40.0 | 44.2")
EIGNER = ("# Dividende", "Die Dividende von 2,10 Euro je Aktie wurde an die Eigner gezahlt.")
BOXES = (
    "# Building form", "Roof insulated: [x] Yes [ ] No", "Cellar insulated: [ ] Yes [x] No",
    "Heating fuel: [ ] oil [x] gas [ ] wood",
)  # fmt: skip

CASES = {
    "heading number, sentence": Case(
        (*ABOUT, "==", "# 4 Sites", "Northvale runs 12 sites in Norway and Chile. Every site has its own laboratory."),
        "How many sites does Northvale run?", "12", "Northvale runs 12 sites", 2, sure=True,
    ),
    "heading number, no count": Case(
        (*ABOUT, "# 4 Sites", "Northvale runs its sites in shifts. Each of the sites has its own laboratory."),
        "How many sites does Northvale run?", None, "Northvale runs its sites in shifts",
    ),
    "heading number, table": Case(
        (*ABOUT, "# 3 Crew", "| Ship | Built | Crew", "| Alma | 1999 | 12", "| Berta | 2004 | 14", "| Ida | 2011 | 9"),
        "How many crew does Berta have?", "14", "Berta | 2004 | 14", sure=True,
    ),
    "third option, sentence": Case(
        ("# Race", "Mara Lind won the race before Ana Poe. Tom Roe came last."),
        "Who won the race, Mara Lind or Tom Roe?", "Mara Lind", "Mara Lind won the race", sure=True,
    ),
    "third option, table": Case(
        ("# Towns", "| Town | Inhabitants | Area", "| Alby | 4,100 | 12", "| Bergen | 390 | 15", "| Cork | 9,800 | 31"),
        "Which town has more inhabitants, Alby or Bergen?", "Alby", "Alby | 4,100 | 12",
    ),
    "third option, German": Case(
        ("# Heizung", "Die Mühle heizt mit Holz. Das Haus am See heizt mit Strom. Gas gibt es im Ort."),
        "Heizt die Mühle mit Strom oder Holz?", "Holz", "Die Mühle heizt mit Holz",
    ),
    "quarter, sentences": Case(
        ("# Results", "Revenue was EUR 55.9 million in 2024. In the third quarter of 2023 it was EUR 12.1 million."),
        "What was revenue in Q3 2024?", None, "Revenue was EUR 55.9 million",
    ),
    "quarter, table of years": Case(
        ("# Results", "| EUR million | 2023 | 2024", "| Revenue | 48.1 | 55.9", "| Costs | 40.0 | 44.2"),
        "What was the revenue in the third quarter of 2024?", None, "Revenue | 48.1 | 55.9",
    ),
    "quarter, table of quarters": Case(
        ("# Quarters", "| EUR million | Q1 2024 | Q3 2024 | 2024", "| Revenue | 12.1 | 14.8 | 55.9"),
        "What was the revenue in Q3 2024?", "14.8 million", "Revenue | 12.1 | 14.8 | 55.9", sure=True,
    ),
    "first of four, lines": Case(
        ("# Board members", "- Ann Moe", "- Bo Ek", "- Cy Fox", "- Di Gray", "# Ports", "Three ports are served."),
        "Who are the board members?", "['Ann Moe', 'Bo Ek', 'Cy Fox', 'Di Gray']", "Ann Moe", sure=True,
    ),
    "first of four, sentence": Case(
        ("# Board", "The members of the board are Ann Moe, Bo Ek, Cy Fox and Di Gray.", "The board met six times."),
        "Who are the members of the board?", "Ann Moe, Bo Ek, Cy Fox and Di Gray", "The members of the board are",
    ),
    "first of four, table": Case(
        ("# Board of directors", "| Director | Role | Since", "| Ann Moe | Chair | 2019", "| Bo Ek | Deputy | 2020",
         "| Cy Fox | Member | 2021", "| Di Gray | Member | 2023"),
        "Who sits on the board of directors?", "['Ann Moe', 'Bo Ek', 'Cy Fox', 'Di Gray']", "|",
    ),
    "unit, sentence": Case(
        ("# Results", "Revenue reached EUR 55.9 million in the year. The profit was EUR 4.25 million."),
        "What was the revenue?", "EUR 55.9 million", "Revenue reached EUR 55.9 million", sure=True,
    ),
    "unit, table": Case(
        ("# Beams", "| Part | Weight | Length", "| Beam | 12.50 kg | 3.20 m", "| Foot | 1.75 kg | 0.40 m"),
        "What is the weight of the beam?", "12.50 kg", "Beam | 12.50 kg | 3.20 m", sure=True,
    ),
    "unit, data sheet": Case(
        ("# Data", "Power consumption: 1.20 kW", "Weight: 7.5 kg"),
        "What is the power consumption?", "1.20 kW", "Power consumption: 1.20 kW", sure=True,
    ),
    "box, form": Case(BOXES, "Is the cellar insulated?", "No", "Cellar insulated", sure=True),
    "box, options": Case(BOXES, "What is the heating fuel?", "gas", "Heating fuel", sure=True),
    "box, table": Case(
        ("# Application", "| Question | Yes | No", "| Convicted before? | | X", "| Driving licence? | X | "),
        "Was the applicant convicted before?", "No", "Convicted before? | X", sure=True,
    ),
    "note mark, sentence": Case(
        ("# Staff", "The staff 1) grew to 512 people in the year.", "^ 1) The staff excludes people on leave."),
        "How many people does the staff have?", "512", "The staff 1) grew to 512 people", sure=True,
    ),
    "note mark, table": Case(
        ("# Segments", "| Segment | Staff | Sites", "| North | 512 | 7", "| South | 340 3) | 4",
         "^ 3) Staff at the end of the year."),
        "What was the staff of the South segment?", "340", "South | 340 3) | 4", sure=True,
    ),
    "note mark, German": Case(
        ("# Belegschaft", "Die Belegschaft² stieg auf 512 Personen.", "^ ² Ohne Leiharbeit."),
        "Auf wie viele Personen stieg die Belegschaft?", "512", "Die Belegschaft² stieg auf 512",
    ),
    "unknown receiver, sentence": Case(
        OWNERS, "What dividend was paid to the Martians?", None, "A dividend of EUR 2.10"
    ),
    "unknown receiver, table": Case(SALES, "What were the sales in Atlantis in 2024?", None, "|"),
    "unknown receiver, German": Case(
        EIGNER, "Welche Dividende wurde an die Marsianer gezahlt?", None, "Die Dividende von 2,10 Euro"
    ),
    "known receiver, sentence": Case(
        OWNERS, "What dividend per share was paid to the owners?", "EUR 2.10", "A dividend of EUR 2.10", sure=True
    ),
    "known receiver, table": Case(
        SALES, "What were the sales in Chile in 2024?", "44.2 million", "Chile | 40.0 | 44.2", sure=True
    ),
    "no, sentence": Case(
        ("# Property", "The company does not own its buildings; they are rented. It owns three ships."),
        "Does the company own its buildings?", "No", "The company does not own its buildings", sure=True,
    ),
    "no, form": Case(
        ("# Inspection", "Wheel lock fitted: No", "Brake fitted: Yes"),
        "Is the wheel lock fitted?", "No", "Wheel lock fitted: No", sure=True,
    ),
    "no, rule of a house": Case(
        ("# Rules", "Dogs may sleep in the hall.", "Smoking is prohibited in all rooms."),
        "Is smoking allowed in the rooms?", "No", "Smoking is prohibited in all rooms", sure=True,
    ),
    "yes, sentence": Case(
        ("# Property", "The company owns its buildings. It does not own ships."),
        "Does the company own its buildings?", "Yes", "The company owns its buildings", sure=True,
    ),
    "amount that is not there": Case(
        ("# Results", "Revenue rose from EUR 48.1 million in 2023 to EUR 55.9 million in 2024."),
        "Was revenue EUR 60 million in 2024?", "No", "Revenue rose from EUR 48.1 million",
    ),
    "whole sentence, date": Case(
        (*ABOUT, "# 2 History", "Northvale was founded in 1987 by two sisters."),
        "When was Northvale founded?", "1987", "Northvale was founded in 1987", sure=True,
    ),
    "whole sentence, amount": Case(
        ("# Pump", "The pump delivers 45 litres per minute at full load and stops by itself when it runs dry."),
        "How much does the pump deliver at full load?", "45 litres", "The pump delivers 45 litres", sure=True,
    ),
    "whole sentence, row": Case(
        ("# Facts", "| Item | Value", "| Founded | 1987", "| Seat | Bergen"),
        "What is the seat?", "Bergen", "Seat | Bergen", sure=True,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_an_answer_is_right_or_there_is_none(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    (row,) = ask(document(tmp_path, "doc", *case.parts), case.question)
    assert row.answer in {NOT_ANSWERABLE, *filter(None, [case.right])}
    assert row.answer == case.right or not case.sure
    assert row.abstained == (row.answer == NOT_ANSWERABLE) and row.model == "embedded"
    assert any(case.cited in each.quote and each.page == case.page and each.quote_verified for each in row.support)


def test_each_kind_has_three_variants_of_which_the_reader_finds_one() -> None:
    kinds: dict[str, list[bool]] = {}
    for name, case in CASES.items():
        kinds.setdefault(name.partition(",")[0].removeprefix("un"), []).append(case.sure)
    kinds = {kind: sure for kind, sure in kinds.items() if kind not in ("yes", "amount that is not there")}
    assert len(kinds) == 10 and all(len(sure) >= 3 and any(sure) for sure in kinds.values())
