import pytest
from helpers.index_trees import TreeBuilder

from cosee.question.instructions import without_instructions
from cosee.retrieval.finance import line_items, statement_pages, statements_behind
from cosee.retrieval.rewriting import (
    Vocabulary,
    plain_query,
    rewritten_query,
)
from cosee.retrieval.thresholds import CORRECTION_WEIGHT, LINE_ITEM_WEIGHT
from cosee.text.likeness import one_edit


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("How tall is the dam? Please write the answer in integer format.", "How tall is the dam?"),
        ("Which pumps leak? Answer with a list, e.g., ['a', 'b'].", "Which pumps leak?"),
        ("What was the pump output? Round your answer to two decimal places.", "What was the pump output?"),
        ("How deep is the lake? If data is not available, return 'N/A'.", "How deep is the lake?"),
        ("How deep is the lake? If it is dry, please answer nothing.", "How deep is the lake?"),
        ("Is the valve open? Directly answer 'yes' or 'no'.", "Is the valve open?"),
        ("Is the valve open? Give it as a boolean.", "Is the valve open? Give it ."),
        ("When was the dam built? In the format YYYY/MM/DD.", "When was the dam built? ."),
    ],
)
def test_how_to_answer_is_left_out(question: str, left: str) -> None:
    assert " ".join(without_instructions(question).split()) == left


@pytest.mark.parametrize(
    "question",
    [
        "If the pump fails, which valve closes?",
        "If the valves return to normal, what does the report say?",
        "If the dam breaks, what is the liquid state?",
        "Did the storm result in damage to the dam?",
        "What does the answer sheet of the round table list?",
        "Round your answer.",
    ],
)
def test_what_is_asked_stays(question: str) -> None:
    assert without_instructions(question) == question


def test_misspelt_word_is_searched_as_the_words_of_the_document_one_edit_away() -> None:
    terms = rewritten_query("advertsing of netflux", Vocabulary({"advertis", "netflix", "adversari"})).terms
    assert terms == {"adverts": 1.0, "advertis": CORRECTION_WEIGHT, "netflux": 1.0, "netflix": CORRECTION_WEIGHT}
    assert "valves" not in rewritten_query("valve", Vocabulary({"valve", "valves"})).terms, (
        "a word that the document has is right"
    )
    assert "cot" not in rewritten_query("cat", Vocabulary({"cot"})).terms, "short words have too many neighbours"


@pytest.mark.parametrize(("a", "b"), [("valve", "valves"), ("valve", "vale"), ("valve", "value"), ("valve", "vavle")])
def test_one_edit(a: str, b: str) -> None:
    assert one_edit(a, b) and one_edit(b, a)


@pytest.mark.parametrize(("a", "b"), [("valve", "velvet"), ("valve", "valvular"), ("valve", "elvav")])
def test_more_than_one_edit(a: str, b: str) -> None:
    assert not one_edit(a, b)


def test_ratio_is_searched_with_what_it_is_computed_from() -> None:
    question = "What is the quick ratio?"
    assert "liabil" not in rewritten_query(question, Vocabulary(set())).terms, "a field's vocabulary is asked for"
    query = rewritten_query(question, Vocabulary(set()), finance=True)
    assert query.terms["liabil"] == LINE_ITEM_WEIGHT and query.terms["quick"] == 1.0
    assert "liabil" not in query.own_terms
    assert line_items("How quick is the fox?") == {}


def test_plain_query_is_the_question_as_it_is() -> None:
    text = "Which pump has a quick ratio? Answer in list format."
    assert plain_query(text).terms == plain_query(text).own_terms and "format" in plain_query(text).terms
    assert ("quick", "ratio") in plain_query(text).pairs


def test_statement_is_found_by_its_heading_over_a_table() -> None:
    build = TreeBuilder(6)
    rows = [["", "2023", "2022"], ["Pumps", "9", "8"]]
    build.leaf("t_0", "Consolidated Balance Sheets", 0)
    build.section("sec_1", "HERON, INC. CONSOLIDATED BALANCE SHEETS (in millions)", 1)
    build.table("tab_2", "", rows, 1)
    build.section("sec_3", "Notes to Consolidated Balance Sheets", 2)
    build.table("tab_4", "", rows, 2)
    build.leaf("t_5", "The consolidated balance sheets show that pumps were bought.", 3)
    build.table("tab_6", "Consolidated Statements of Operations", rows, 3)
    build.section("sec_7", "合并现金流量表", 4)
    build.table("tab_8", "", rows, 4)
    assert statement_pages(build.build()) == {"balance": [1], "income": [3], "cash": [4]}
    assert statements_behind("What is the inventory turnover?") == ["balance", "income"]
    assert statements_behind("合并资产负债表中固定资产") == ["balance"]
    assert statements_behind("What is debt-to-equity?") == ["balance"]
    assert statements_behind("Which balance bike is quickest?") == []
