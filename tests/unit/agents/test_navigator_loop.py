"""The navigator with scripted replies: how many calls, in which order, what was seen, why it stopped."""

import json

import pytest
from helpers.agent_trees import TextOnly, question
from helpers.navigation import answer, harbour_tree, navigation_context, plan, replan
from PIL import Image

from cosee.agents.method import make_strategy
from cosee.agents.navigator.schemas import CombineReply, PlanReply, ReasonReply, SplitReply
from cosee.agents.navigator.settings import NavigatorMethod
from cosee.artifacts.results.trace import Budget
from cosee.models.blocks import PageImage
from cosee.models.calls import ModelError
from cosee.models.metering import MeteredClient
from cosee.models.scripted import ScriptedClient
from cosee.models.structured import schema_text

FEE = "What does mooring cost?"
NAMES = {schema_text(schema): schema.__name__ for schema in (PlanReply, ReasonReply, SplitReply, CombineReply)}


def run(tmp_path, replies, text=FEE, budget=None, **settings):
    client = TextOnly(replies)
    ctx = navigation_context(harbour_tree(), tmp_path, MeteredClient(client, budget) if budget else client)
    row = make_strategy(NavigatorMethod(**{"replan_below": 0.3, **settings})).answer(question(text), ctx)
    return row, client, ctx


def calls(client):
    """(role, schema) of every call in order."""
    return [
        (messages[-1].first("role").data["role"], NAMES[messages[-1].of("instruction")[-1].text])
        for messages in client.received
    ]


def shown(messages):
    """Ids of the nodes that a reasoner's prompt holds."""
    return [node["node_id"] for block in messages[-1].of("page_text") for node in block.data["nodes"]]


def events(ctx, kind):
    return [event for event in ctx.trace.events if event.type == kind]


def test_one_round_is_a_plan_and_a_reading(tmp_path):
    # contract: D97
    row, client, ctx = run(tmp_path, [plan("P3"), answer("40 crowns", "t_13", explanation="The fees say so.")])
    assert calls(client) == [("planner", "PlanReply"), ("reasoner", "ReasonReply")]
    assert shown(client.received[1]) == ["sec_12", "t_13", "t_14"]
    reasoner = client.received[1][0]
    assert [block.kind for block in reasoner.blocks] == ["page_text", "question", "instruction", "role", "instruction"]
    assert (row.status, row.exit_reason, row.answer, row.confidence) == ("ok", "answered", "40 crowns", 0.9)
    assert [piece.node_id for piece in row.support] == ["t_13"] and row.answer_long == "The fees say so."
    assert row.measures == {"observed_nodes": 3, "parts": 1, "replans": 0, "searches": 1}
    assert events(ctx, "hypothesis")[0].data["support_nodes"] == ["t_13"]
    sent = {ref.split("@")[0] for ref in row.prompt_ids}
    assert sent == {"navigator.planner", "navigator.hit_summary", "navigator.reasoner"}, "no heading was left to show"


def test_a_replan_changes_the_next_plan_and_the_loop_is_bounded(tmp_path):
    # contract: D98, D99, D100
    replies = [
        plan("P0"), replan("No fee here.", "crowns a day"),
        plan("P0", "P2"), replan("Still none.", "crowns a day"),
        plan("P1"), replan("None at all."),
        plan("P3"),
    ]  # fmt: skip
    row, client, ctx = run(tmp_path, replies, max_rounds=3)
    assert calls(client) == [("planner", "PlanReply"), ("reasoner", "ReasonReply")] * 3
    assert [event.data["directives"] for event in events(ctx, "plan")] == [
        [{"action": "MOVE_TO", "target": place}] for place in ("P0", "P2", "P1")
    ]
    assert [event.data["dropped"] for event in events(ctx, "plan")] == [[], ["P0 was visited"], []]
    assert [(event.message, event.data["look_for"]) for event in events(ctx, "replan")] == [
        ("No fee here.", "crowns a day"), ("Still none.", "crowns a day"),
    ]  # fmt: skip
    assert [event.message for event in events(ctx, "retrieval")] == [FEE, "crowns a day"], "searched once"
    second = client.received[2][0]
    assert "No fee here." in second.first("history").text and "page_1" in second.first("history").text
    assert [block.data["node_id"] for block in second.of("node")][0] == "P3", "what is missing leads the search"
    assert shown(client.received[3]) == ["sec_1", "t_2", "sec_8", "t_9", "img_10"]
    assert (row.answer, row.exit_reason, row.status) == ("Not answerable", "max_rounds", "ok")
    assert row.measures["replans"] == 2


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (answer("99", "t_9", confidence=0.2), "The answer is held with a confidence of 0.20 only."),
        (answer("99", "t_13"), "No observed node supports the answer."),
        (answer("99"), "No observed node supports the answer."),
        (answer("unknown", "t_9"), "The observed nodes do not hold the answer."),
        (replan("", text="99", support_nodes=["t_9"]), "The observed nodes do not carry the answer."),
    ],
)
def test_doubt_is_a_reason_to_look_elsewhere(tmp_path, reply, reason):
    # contract: D98
    row, client, ctx = run(tmp_path, [plan("P2"), reply, plan("P3"), answer("40", "t_13")])
    assert [event.message for event in events(ctx, "replan")] == [reason]
    assert (row.answer, row.exit_reason, len(client.received)) == ("40", "answered", 4)


def test_the_best_of_the_rounds_is_the_answer(tmp_path):
    # contract: D98
    weak, weaker = answer("two shifts", "t_9", confidence=0.25), answer("31", "t_2", confidence=0.1)
    row, _, ctx = run(tmp_path, [plan("P2"), weak, plan("P0"), weaker], max_rounds=2)
    assert (row.answer, row.confidence, row.exit_reason) == ("two shifts", 0.25, "max_rounds")
    path = ctx.trace.events[-1].data["path"]
    assert [each["node_id"] for each in path] == ["t_9"]
    row, _, _ = run(tmp_path / "b", [plan("P2"), replan("no"), plan("P0"), weaker], max_rounds=2)
    assert row.abstained, "an answer in doubt is no better than none"
    row, _, _ = run(tmp_path / "c", [plan("P2"), replan("no"), plan("P0"), answer("31", "t_2")], max_rounds=2)
    assert row.answer == "31", "an answer before an abstention"


def test_the_methods_generation_settings_reach_every_call(tmp_path):
    # contract: D106
    parts = ["What is the mooring fee?", "Who works in shifts?"]
    replies = [
        json.dumps({"sub_questions": parts}),
        plan("P3"), answer("40", "t_13"), plan("P2"), answer("smiths", "t_9"), json.dumps({"answer": "40; smiths"}),
    ]  # fmt: skip
    text = "What does mooring at the quay cost and which people of the harbour work in shifts?"
    _, client, _ = run(tmp_path, replies, text=text, generation={"temperature": 0.0, "top_p": 0.5})
    assert {name for _, name in calls(client)} == {"SplitReply", "PlanReply", "ReasonReply", "CombineReply"}
    assert [(each.temperature, each.top_p) for each in client.samplings] == [(0.0, 0.5)] * 6


def test_support_was_observed_or_is_dropped(tmp_path):
    # contract: D97
    row, _, ctx = run(tmp_path, [plan("P3"), answer("40", "T_13 ", "t_2", "t_999", "../t_13", "t_13#c0")])
    hypothesis = events(ctx, "hypothesis")[0]
    assert hypothesis.data["support_nodes"] == ["t_13"]
    assert hypothesis.data["dropped"] == ["t_2", "t_999", "../t_13"]
    assert [piece.node_id for piece in row.support] == ["t_13"] and row.confidence == pytest.approx(0.9 * 0.625)


def test_named_places_need_no_planner(tmp_path):
    # contract: D102
    row, client, ctx = run(tmp_path, [answer("120", "tab_4")], text="What does Table 1 say about salt?")
    assert calls(client) == [("reasoner", "ReasonReply")]
    assert [(event.author, event.message) for event in events(ctx, "decision")] == [("router", "SPECIFIC")]
    assert [each["target"] for each in events(ctx, "plan")[0].data["directives"]] == ["tab_4", "P1"]
    assert events(ctx, "plan")[0].author == "rule" and row.answer == "120"


def test_a_compound_question_is_answered_in_parts_and_put_together(tmp_path):
    # contract: D101, D103
    parts = ["What is the mooring fee?", "Who works in shifts?"]
    replies = [
        json.dumps({"sub_questions": parts}),
        plan("P3", "P2"), answer("40 crowns", "t_13"),
        plan("P2"), answer("pilots", "t_9", confidence=0.7),
        json.dumps({"answer": "40 crowns; pilots"}),
    ]  # fmt: skip
    text = "What is the mooring fee a day and who works in two shifts?"
    row, client, ctx = run(tmp_path, replies, text=text)
    assert calls(client) == [
        ("router", "SplitReply"), ("planner", "PlanReply"), ("reasoner", "ReasonReply"), ("planner", "PlanReply"),
        ("reasoner", "ReasonReply"), ("combiner", "CombineReply"),
    ]  # fmt: skip
    assert [messages[0].first("question").data["question"] for messages in client.received] == [
        text, parts[0], parts[0], parts[1], parts[1], text,
    ]  # fmt: skip
    assert shown(client.received[4]) == ["sec_8", "t_9", "img_10"], "the second part reads what the first observed"
    assert [event.data["nodes"] for event in events(ctx, "status")] == [["sec_8", "t_9", "img_10"]]
    assert "part 1: What is the mooring fee? Answer: 40 crowns" in client.received[5][0].first("history").text
    assert (row.answer, row.confidence, row.status) == ("40 crowns; pilots", 0.7, "ok")
    assert [piece.node_id for piece in row.support] == ["t_13", "t_9"] and row.measures["parts"] == 2
    assert [each["node_id"] for each in ctx.trace.events[-1].data["path"]] == ["t_13", "t_9"]
    assert {event.data.get("part") for event in events(ctx, "plan")} == {1, 2}


def test_a_model_may_see_that_a_question_is_simple(tmp_path):
    # contract: D102
    text = "What is the mooring fee a day and what is paid in advance?"
    row, client, _ = run(tmp_path, [json.dumps({"sub_questions": [text]}), plan("P3"), answer("40", "t_13")], text=text)
    assert [role for role, _ in calls(client)] == ["router", "planner", "reasoner"] and row.measures["parts"] == 1
    row, client, _ = run(tmp_path / "b", [plan("P3"), answer("40", "t_13")], text=text, sub_questions=1)
    assert [role for role, _ in calls(client)] == ["planner", "reasoner"]


def test_a_model_that_never_replies_well_fails_the_question_in_bounded_calls(tmp_path):
    # contract: C33
    bad = ["no", "{", "", "<think>", "```json\n```"]
    client = TextOnly(bad, repeat_last=True)
    ctx = navigation_context(harbour_tree(), tmp_path, client)
    row = make_strategy(NavigatorMethod()).answer(question("x?"), ctx)
    assert (row.status, row.reason, row.answer, row.abstained) == ("failed", "no_valid_output", "", False)
    assert len(client.received) == 8, (
        "four tries of the planner, whose place the search takes, and four of the reasoner"
    )
    assert [event.author for event in events(ctx, "error")] == ["planner", "reasoner"]
    row, client, _ = run(tmp_path / "b", [ModelError("down")] * 2)
    assert (row.status, row.exit_reason, len(client.received)) == ("failed", "error", 2)


def test_the_budget_ends_with_the_best_answer_so_far(tmp_path):
    # contract: D100
    replies = [plan("P2"), answer("two shifts", "t_9", confidence=0.25), plan("P3"), answer("40", "t_13")]
    expected = {0: ("failed", ""), 1: ("failed", ""), 2: ("partial", "two shifts"), 3: ("partial", "two shifts")}
    for limit, (status, text) in expected.items():
        row, client, _ = run(tmp_path / str(limit), replies, budget=Budget(calls=limit))
        assert (row.status, row.answer, row.exit_reason, row.reason) == (status, text, "budget", "budget")
        assert row.usage.calls == limit == len(client.received)


def test_places_with_nothing_to_read_cost_no_reading(tmp_path):
    # contract: D100
    tree = harbour_tree()
    for page in (0, 1, 2):
        tree.page_nodes[page] = []
    client = TextOnly([plan("P0"), plan("P1"), plan("P2")])
    ctx = navigation_context(tree, tmp_path, client)
    row = make_strategy(NavigatorMethod(max_rounds=3)).answer(question("What of it?"), ctx)
    assert calls(client) == [("planner", "PlanReply")] * 3 and row.status == "ok" and row.abstained


def test_prompts_are_cut_to_the_context_of_the_model(tmp_path):
    # contract: D100
    client = TextOnly([plan("P0", "P1", "P3"), answer("31", "t_2")])
    client.max_context = 2_048 + 330
    ctx = navigation_context(harbour_tree(), tmp_path, client)
    row = make_strategy(NavigatorMethod(pages=3)).answer(question("How many ships?"), ctx)
    dropped = events(ctx, "status")[0].data["dropped_nodes"]
    assert shown(client.received[1]) + dropped == [
        "sec_1", "t_2", "sec_3", "tab_4", "t_5", "img_6", "t_7", "sec_12", "t_13", "t_14",
    ]  # fmt: skip
    assert dropped and row.answer == "31"


def test_what_an_observer_sees_is_what_the_reasoner_reads(tmp_path):
    # contract: D91
    seen = json.dumps({"chart_form": "bar", "reading": "The bar of May reaches 47."})
    client = ScriptedClient([plan("P1"), seen, answer("47", "img_6", quotes=[])])
    ctx = navigation_context(
        harbour_tree(), tmp_path, client, page_image=lambda page: PageImage(page, Image.new("RGB", (90, 90)))
    )
    row = make_strategy(NavigatorMethod()).answer(question("How many ships came in May?"), ctx)
    looking, reading = client.received[1][0], client.received[2][0]
    assert [block.data["page"] for block in looking.of("image")] == [2] and not reading.of("image")
    assert looking.first("role").data["role"] == "image_observer"
    (page,) = [block.text for block in reading.of("page_text") if "img_6" in block.text]
    assert "Seen: The bar of May reaches 47." in page.split("<node img_6")[1].split("<node ")[0]
    assert row.answer == "47" and [piece.node_id for piece in row.support] == ["img_6"]
    (observed,) = [e for e in events(ctx, "observation") if e.author == "image_observer"]
    assert observed.data["observations"][0]["payload"]["seen"] == "The bar of May reaches 47."


def test_figures_that_the_budget_does_not_allow_stay_unseen_and_the_question_is_answered(tmp_path):
    # contract: D91, D100
    client = ScriptedClient([plan("P1"), answer("120", "tab_4")])
    metered = MeteredClient(client, Budget(images=0))
    ctx = navigation_context(
        harbour_tree(), tmp_path, metered, page_image=lambda page: PageImage(page, Image.new("RGB", (90, 90)))
    )
    row = make_strategy(NavigatorMethod()).answer(question("How heavy is the salt?"), ctx)
    assert (row.answer, row.status, row.usage.images) == ("120", "ok", 0)
    assert [event.message for event in events(ctx, "error")] == ["budget: images used up"]
    assert "img_6" in shown(client.received[1])


@pytest.mark.parametrize(
    ("reply", "status", "reason"),
    [(["no"] * 4, "partial", "no_valid_output"), ([ModelError("down")], "partial", "no_valid_output")],
)
def test_parts_that_no_model_puts_together_stand_one_after_another(tmp_path, reply, status, reason):
    # contract: D101
    parts = json.dumps({"sub_questions": ["What is the mooring fee?", "Who works in shifts?"]})
    replies = [parts, plan("P3"), answer("40 crowns", "t_13"), plan("P2"), answer("pilots", "t_9", confidence=0.7)]
    text = "What is the mooring fee a day and who works in two shifts?"
    row, _, _ = run(tmp_path, [*replies, *reply], text=text)
    assert (row.answer, row.confidence, row.status, row.reason) == ("40 crowns; pilots", 0.7, status, reason)
    row, client, _ = run(tmp_path / "b", replies, text=text, budget=Budget(calls=5))
    assert (row.answer, row.status, row.exit_reason, row.usage.calls) == ("40 crowns; pilots", "partial", "budget", 5)
    row, client, _ = run(tmp_path / "c", replies, text=text, budget=Budget(calls=3))
    assert (row.answer, row.status, row.exit_reason) == ("40 crowns", "partial", "budget"), "the part that was answered"


def test_an_abstention_has_no_path(tmp_path):
    # contract: D107
    replies = [plan("P3"), answer("Not answerable", "t_13"), plan("P2"), answer("not stated", "t_9")]
    row, _, ctx = run(tmp_path, replies)
    assert row.abstained and row.support == [] and ctx.trace.events[-1].data["path"] == []
