"""The navigator with the reader without a model; and the worked example of seed 002, from PDF to answer."""

from pathlib import Path
from typing import Any

import pytest
from helpers.agent_trees import question, small_tree
from helpers.index_trees import TreeBuilder
from helpers.make_charts import bar_chart, line_chart, scatter_chart
from helpers.make_pdf import lines, make_pdf, sentence
from helpers.navigation import harbour_tree, navigation_context

from cosee.adapter.adapt import adapt
from cosee.adapter.pdf_reader import read_pdf
from cosee.agents.navigator.routes import Step, faults
from cosee.agents.registry import embedded_registry, make_strategy
from cosee.artifacts.settings.answer import NavigatorMethod
from cosee.artifacts.settings.parsing import AdaptSettings, BuildSettings
from cosee.artifacts.trace import Budget
from cosee.builder.tree_builder import build_tree
from cosee.enhancer.enhance import enhance
from cosee.models.embedded import EmbeddedClient
from cosee.models.metering import MeteredClient


def ask(tree, folder, text, **settings):
    ctx = navigation_context(tree, folder, EmbeddedClient(embedded_registry()))
    return make_strategy(NavigatorMethod(**settings)).answer(question(text), ctx), ctx


def messages(ctx, kind):
    return [event.message for event in ctx.trace.events if event.type == kind]


def test_it_answers_with_support_and_repeats_itself(tmp_path):
    # contract: D117
    text = "How many people did the company employ at the end of 2023?"
    first, ctx = ask(small_tree(), tmp_path, text)
    second, again = ask(small_tree(), tmp_path, text)
    assert first == second and ctx.trace.events == again.trace.events
    assert first.answer == "412" and [piece.node_id for piece in first.support] == ["t_5"]
    assert all(piece.quote_verified for piece in first.support) and first.exit_reason == "answered"


def test_it_abstains_on_what_is_not_there(tmp_path):
    # contract: D98
    row, ctx = ask(small_tree(), tmp_path, "What was the dividend per share in 2019?")
    assert (row.answer, row.abstained, row.support) == ("Not answerable", True, [])
    assert (
        "No observed node holds dividend, share" in messages(ctx, "replan")[0] or "2019" in messages(ctx, "replan")[0]
    )


def far_away_tree():
    """The words of the question stand everywhere, the value that it asks for in an appendix."""
    build = TreeBuilder(6)
    build.section("sec_0", "1 Pump station", 0)
    for number in range(5):
        build.leaf(f"t_{number + 1}", "Which year the pump station was painted is told in the appendix.", number)
    build.section("sec_7", "Appendix", 5)
    build.leaf("t_8", "The pump station was painted in 1987 and the fence was mended by the keeper and his sons.", 5)
    return build.build()


def test_a_replan_looks_for_what_is_missing_and_changes_the_answer(tmp_path):
    # contract: D99
    row, ctx = ask(far_away_tree(), tmp_path, "In which year was the pump station painted?", pages=1, max_rounds=6)
    plans = [
        [each["target"] for each in event.data["directives"]] for event in ctx.trace.events if event.type == "plan"
    ]
    assert len(plans) == len({tuple(each) for each in plans}) > 1
    said = messages(ctx, "hypothesis")
    assert said[0] == "Not answerable" and said[-1] == row.answer == "1987" and row.exit_reason == "answered"
    assert row.measures["replans"] == len(plans) - 1 == len(messages(ctx, "replan"))
    assert [piece.node_id for piece in row.support] == ["t_8"]


def test_parts_are_put_together(tmp_path):
    # contract: D101
    row, ctx = ask(harbour_tree(), tmp_path, "What is the mooring fee a day and how many ships were handled in May?")
    assert messages(ctx, "decision")[0] == "split" and row.measures["parts"] == 2
    assert row.answer == "40; 31"
    assert {piece.node_id for piece in row.support} == {"t_13", "t_2"}


def charts_of(tmp_path: Path) -> Any:
    """A report with three line charts and two others, none of whose captions name their form."""
    at = (150.0, 180.0, 420.0, 300.0)
    draws = [
        lambda page: line_chart(page, at, [(5, 12, 22, 30, 36)]),
        lambda page: bar_chart(page, at, (10, 25, 40, 30)),
        lambda page: line_chart(page, at, [(30, 22, 18, 9, 4), (2, 8, 16, 22, 31)]),
        lambda page: scatter_chart(page, at, [(8 * n % 97 + 1, (7 * n % 20) / 11) for n in range(30)]),
        lambda page: line_chart(page, at, [(3, 13, 9, 21, 14)], markers=True),
    ]

    def page_of(number: int) -> Any:
        def draw(page: Any) -> None:
            lines(page, 72, 90, [sentence(n + 10 * number, 9) for n in range(5)])
            draws[number](page)
            lines(page, 150, 345, [f"Figure {number + 1}: Harbour traffic of quay {number + 1}"])
            lines(page, 72, 400, [sentence(n + 20 * number, 9) for n in range(8)])

        return draw

    path = make_pdf(tmp_path / "a.pdf", *(page_of(number) for number in range(5)))
    adapted = adapt(read_pdf(path, "a", AdaptSettings(ocr="none"), tmp_path / "images").layout)
    return build_tree(enhance(adapted), BuildSettings())


@pytest.mark.parametrize("word", ["plots", "charts", "graphs"])
def test_worked_example_counts_the_line_charts_and_names_them(tmp_path, word):
    # contract: D105, D107
    tree = charts_of(tmp_path)
    forms = {node.id: node.chart_form for node in tree.of_type("image")}
    lines_drawn = [node_id for node_id, form in forms.items() if form == "line"]
    assert len(forms) == 5 and len(lines_drawn) == 3
    assert not any("line" in (node.title or "").lower() for node in tree.of_type("image"))
    client = MeteredClient(EmbeddedClient(embedded_registry()), Budget())
    ctx = navigation_context(tree, tmp_path / "index", client)
    row = make_strategy(NavigatorMethod()).answer(question(f"How many line {word} are there in the report?"), ctx)
    assert row.answer == "3" and [piece.node_id for piece in row.support] == lines_drawn
    assert messages(ctx, "decision") == ["GENERAL"] and row.usage.calls == 1
    path = ctx.trace.events[-1].data["path"]
    assert [each["node_id"] for each in path] == lines_drawn
    for each in path:
        steps = [Step(**step) for step in each["steps"]]
        assert faults(tree, ctx.retriever.index.edges, steps) == [] and steps[-1].dst == each["node_id"]
