import pytest
from helpers.agent_trees import TextOnly, question
from helpers.index_trees import report_tree
from helpers.navigation import answer, broken_steps, harbour_tree, memory_of, navigation_context, plan, replan

from cosee.agents.method import make_strategy
from cosee.agents.navigator.memory import Observation
from cosee.agents.navigator.paths import Directive, Step, reach
from cosee.agents.navigator.settings import NavigatorMethod


def ids(document, target, action="MOVE_TO"):
    return [each for each, _ in reach(document, Directive(action=action, target=target))]


def test_where_directives_lead(tmp_path):
    # contract: D85
    document = memory_of(navigation_context(harbour_tree(), tmp_path, TextOnly([]))).document
    assert ids(document, "P2") == ["sec_8", "t_9", "img_10"], "hidden text is nowhere"
    assert ids(document, "sec_1") == ["sec_1", "t_2", "sec_3"]
    assert ids(document, "sec_1", "EXPAND_CHILDREN") == ["sec_1", "t_2", "sec_3", "tab_4", "t_5", "img_6", "t_7"]
    assert ids(document, "img_6") == ["img_6", "t_7", "t_2"], "caption, and who mentions it"
    assert ids(document, "t_14") == ["t_14", "t_13"]
    assert ids(document, "img_6", "OBSERVE") == ["img_6"] and ids(document, "t_11", "OBSERVE") == []


@pytest.mark.parametrize("tree", [harbour_tree(), report_tree()], ids=["harbour", "report"])
def test_every_path_can_be_walked_again(tmp_path, tree):
    # contract: D107
    document = memory_of(navigation_context(tree, tmp_path, TextOnly([]))).document
    edges = document.retriever.index.edges
    places = [*(f"P{page}" for page in tree.page_nodes), *(node.id for node in tree.nodes)]
    kinds = set()
    for action in ("MOVE_TO", "EXPAND_CHILDREN"):
        for place in places:
            for node_id, path in reach(document, Directive(action=action, target=place)):
                assert broken_steps(tree, edges, path) == [] and path[-1].dst == node_id
                kinds.update(step.edge for step in path)
    assert kinds == {"page", "same_page", "child", "caption", "referred_by", "next", "previous"}


def test_a_path_that_does_not_hold_is_told(tmp_path):
    # contract: D107
    tree = harbour_tree()
    edges = navigation_context(tree, tmp_path, TextOnly([])).retriever.index.edges
    jump = [Step(src="doc", dst="P0", edge="page"), Step(src="P0", dst="t_13", edge="same_page")]
    assert broken_steps(tree, edges, jump) == ["step 2: there is no edge 'same_page' from 'P0' to 't_13'"]
    torn = [Step(src="doc", dst="sec_1", edge="child"), Step(src="sec_12", dst="t_13", edge="child")]
    assert broken_steps(tree, edges, torn) == ["step 2 starts at 'sec_12', but the path stands at 'sec_1'"]
    for edge in ("child", "caption", "referred_by", "next", "previous", "page", "same_page"):
        assert broken_steps(tree, edges, [Step(src="doc", dst="x_1", edge=edge)])
        assert broken_steps(tree, edges, [Step(src="doc", dst="t_14", edge=edge)])


def test_memory_searches_and_observes_once(tmp_path):
    # contract: D103
    ctx = navigation_context(harbour_tree(), tmp_path, TextOnly([]))
    memory = memory_of(ctx)
    asked = []

    def find():
        asked.append(1)
        return ctx.retriever.search("fee")

    assert memory.search("fee", find) is memory.search("fee", find)
    assert asked == [1] and [event.type for event in ctx.trace.events] == ["retrieval"]
    document = memory.document
    assert document.summary("t_13") == "The mooring fee is 40 crowns a day." and document.summary("nothing") == ""
    assert document.summaries is document.summaries
    seen = Observation("t_13", "text", {}, {})
    memory.keep(seen, ())
    with pytest.raises(ValueError, match="'t_13' was observed before"):
        memory.keep(seen, ())


def test_the_trace_holds_what_was_remembered_and_the_path_of_the_answer(tmp_path):
    # contract: D104, D107
    quotes = [{"node_id": "t_13", "quote": "40 crowns a day"}]
    replies = [plan("sec_8"), replan("No fee here.", "fee"), plan("P3", "sec_8"), answer("40", "t_13", quotes=quotes)]
    ctx = navigation_context(harbour_tree(), tmp_path, TextOnly(replies))
    row = make_strategy(NavigatorMethod()).answer(question("What does mooring cost?"), ctx)
    types = [event.type for event in ctx.trace.events]
    assert types == [
        "start", "retrieval", "decision", "plan", "observation", "observation", "hypothesis", "replan", "retrieval",
        "plan", "observation", "hypothesis", "complete",
    ]  # fmt: skip
    seen = [each["node_id"] for event in ctx.trace.events if event.type == "observation"
            for each in event.data["observations"]]  # fmt: skip
    assert seen == ["sec_8", "t_9", "img_10", "sec_12", "t_13", "t_14"], "each node once"
    path = ctx.trace.events[-1].data["path"]
    assert [each["node_id"] for each in path] == ["t_13"] == [piece.node_id for piece in row.support]
    steps = [Step(**step) for step in path[0]["steps"]]
    assert [(step.src, step.edge, step.dst) for step in steps] == [("doc", "page", "P3"), ("P3", "same_page", "t_13")]
    assert broken_steps(ctx.tree, ctx.retriever.index.edges, steps) == []
