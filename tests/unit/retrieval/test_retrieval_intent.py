from pathlib import Path

import pytest
from helpers.index_trees import TreeBuilder, report_tree
from helpers.retrievers import make

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


def test_the_search_raises_what_the_kind_of_question_selects(tmp_path: Path) -> None:
    # contract: D64
    build = TreeBuilder()
    words = "pump flow of the north station"
    build.section("sec_0", words)
    build.leaf("t_1", words)
    build.table("tab_2", words, [["Station", "Flow"], ["North", "31"]])
    build.image("img_3", words, kind="statistical", chart_form="line", text="2019 2020 2021")
    build.image("img_4", words, kind="photo")
    retriever = make(tmp_path, build.build(), vectors=False)

    def bonus(question: str) -> dict[str, float]:
        hits = retriever.search(question).hits
        return {hit.node_id: hit.parts["intent_bonus"] for hit in hits}

    table = bonus("What is the total of the column pump flow of the north station?")
    assert table["tab_2"] == max(table.values()) == 0.75 and table["t_1"] == table["img_4"] == 0.0
    figure = bonus("Which curve in the chart shows the pump flow of the north station?")
    assert figure["img_3"] == max(figure.values()) == 1.0, "a preferred role, a wanted affordance and the chart's kind"
    assert figure["img_4"] == 0.5 and figure["tab_2"] == 0.0
    concept = bonus("Define the pump flow of the north station")
    assert concept["sec_0"] == concept["t_1"] == 0.5 and concept["tab_2"] == concept["img_3"] == 0.0


def test_what_a_question_names_is_taken_out() -> None:
    intent = detect_intent(plain_query("What share in % does Table 2 on page ii show?"), report_tree())
    assert [each.label for each in intent.labels] == ["Table 2"]
    assert intent.pages == ((1,),) and intent.units == ("%",)
