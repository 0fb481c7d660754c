import json

import pytest
from helpers.agent_trees import small_tree

from cosee.agents.navigator.planner import Feedback
from cosee.agents.navigator.reasoner import Hypothesis, better, checked_hypothesis
from cosee.agents.navigator.schemas import ReasonReply
from cosee.artifacts.documents.content import Region


def test_quotes_name_nodes_and_unobserved_ones_are_left_out():
    # contract: D97
    reply = ReasonReply(
        answer=412.0,
        confidence="high",
        quotes=[
            {"node_id": "t_5", "quote": "412 people"},
            {"node_id": "t_2", "quote": "Total revenue"},
            {"quote": "at the end of 2023"},
        ],
    )
    made = checked_hypothesis("How many people?", reply, small_tree(), ["sec_4", "t_5"], 0.3)
    assert (made.answer, made.support, made.dropped) == ("412", ("t_5",), ("t_2",))
    assert [(piece.node_id, piece.quote) for piece in made.evidence] == [
        ("t_5", "412 people"), (None, "at the end of 2023"),
    ]  # fmt: skip
    assert made.confidence == pytest.approx(0.9 * 0.75) and made.replan is None


def test_the_better_hypothesis_answers_then_is_surer_then_later():
    # contract: D98
    sure, unsure = Hypothesis("a", 0.8), Hypothesis("b", 0.2)
    nothing = Hypothesis("Not answerable", 0.9)
    assert better(None, nothing) is nothing and better(nothing, sure) is sure and better(unsure, nothing) is unsure
    doubted = Hypothesis("b", 0.2, replan=Feedback("why"))
    assert better(nothing, doubted) is nothing and better(None, doubted) is doubted
    assert better(sure, unsure) is sure and better(unsure, sure) is sure
    assert better(sure, same := Hypothesis("c", 0.8)) is same


@pytest.mark.shared
def test_case_of_unknown_ids(shared):
    folder = shared / "cases" / "ag-unknown-ids"
    tree = small_tree()
    template = tree.node("t_2")
    ids = json.loads((folder / "nodes.json").read_text())
    region = [Region(page_idx=0, bbox=(0, 0, 1, 1))]
    nodes = [template.model_copy(update={"id": name, "regions": region}) for name in ids]
    tree = tree.model_copy(update={"nodes": [tree.root, *nodes]})
    expected = json.loads((folder / "expected.json").read_text())["expect"]["items"]
    for line in (folder / "outputs.jsonl").read_text().splitlines():
        case = json.loads(line)
        raw, wanted = json.loads(case["raw"]), expected[case["id"]]
        made = checked_hypothesis("x?", ReasonReply.model_validate(raw), tree, ids, 0.3)
        if "support_nodes" in wanted:
            assert list(made.support) == wanted["support_nodes"], case
        if "support_nodes_in" in wanted:
            assert list(made.support) in wanted["support_nodes_in"], case
        if "dropped" in wanted:
            assert list(made.dropped) == wanted["dropped"]
        if wanted.get("confidence_lowered"):
            assert made.confidence < raw["confidence"]
        if wanted.get("action") == "replan_or_unsupported":
            assert made.replan is not None
        if "answer" in wanted:
            assert made.answer == wanted["answer"]
