import pytest
from helpers.index_trees import report_tree

from cosee.retrieval.intent import detect_intent
from cosee.retrieval.rewriting import plain_query


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("How much revenue in column 2?", ("table",)),
        ("What is the latency in ms in Table 2?", ("table",)),
        ("Which curve in the chart is the highest?", ("figure",)),
        ("How did accuracy develop over time in Figure 3?", ("figure",)),
        ("Define cavitation", ("concept",)),
        ("Where do herons live?", ("concept",)),
        ("图3的趋势是什么？", ("figure",)),
    ],
)
def test_kinds_of_questions(text: str, kinds: tuple[str, ...]) -> None:
    # contract: D63
    assert detect_intent(plain_query(text), report_tree()).kinds == kinds


def test_kind_selects_roles_views_and_filters() -> None:
    # contract: D64
    table = detect_intent(plain_query("total of the column"), report_tree())
    figure = detect_intent(plain_query("trend of the curve"), report_tree())
    concept = detect_intent(plain_query("Define cavitation"), report_tree())
    assert table.roles[0] == "table" and table.variants == ("child",) and "supports_LOOKUP" in table.affordances
    assert figure.roles[0] == "image" and figure.filters == {"chart_type": "statistical"}
    assert "supports_TREND" in figure.affordances
    assert concept.roles[0] == "section" and concept.variants == ("heading", "path", "gist")


def test_what_a_question_names_is_taken_out() -> None:
    intent = detect_intent(plain_query("What share in % does Table 2 on page ii show?"), report_tree())
    assert [each.label for each in intent.labels] == ["Table 2"]
    assert intent.pages == ((1,),) and intent.units == ("%",)
