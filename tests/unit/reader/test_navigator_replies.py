"""The navigator with the reader without a model."""

from helpers.agent_trees import question, small_tree
from helpers.index_trees import TreeBuilder
from helpers.navigation import harbour_tree, navigation_context

from cosee.agents.method import make_strategy
from cosee.agents.navigator.settings import NavigatorMethod
from cosee.reader.client import EmbeddedClient


def ask(tree, folder, text, **settings):
    ctx = navigation_context(tree, folder, EmbeddedClient())
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


def test_a_replan_looks_for_what_is_missing_and_goes_elsewhere(tmp_path):
    # contract: D99
    row, ctx = ask(
        far_away_tree(),
        tmp_path,
        "In which year was the pump station painted?",
        pages=1,
        max_rounds=6,
        replan_below=0.2,
    )
    plans = [
        [each["target"] for each in event.data["directives"]] for event in ctx.trace.events if event.type == "plan"
    ]
    assert len(plans) == len({tuple(each) for each in plans}) > 1
    assert row.measures["replans"] == len(plans) - 1 == len(messages(ctx, "replan"))


def test_parts_are_put_together(tmp_path):
    # contract: D101
    row, ctx = ask(harbour_tree(), tmp_path, "What is the mooring fee a day and how many ships were handled in May?")
    assert messages(ctx, "decision")[0] == "split" and row.measures["parts"] == 2
    assert row.answer == "40; 31"
    assert {piece.node_id for piece in row.support} == {"t_13", "t_2"}
