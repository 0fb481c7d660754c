import json

import pytest
from helpers.agent_trees import TextOnly, context, question
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from cosee.agents.baselines.functions import single_agent_cot
from cosee.agents.cosee.settings import CoSeeMethod
from cosee.agents.method import make_strategy
from cosee.agents.methods.constant import ConstantMethod
from cosee.agents.methods.page_rag import PageRagMethod
from cosee.artifacts.results.trace import Budget
from cosee.models.blocks import PageImage
from cosee.models.calls import ModelError
from cosee.models.metering import MeteredClient
from cosee.models.scripted import ScriptedClient


def action(name: str, content: str = "seen", **fields: object) -> str:
    return json.dumps({"action": name, "content": content, **fields})


def types(ctx) -> list[str]:
    return [event.type for event in ctx.trace.events]


def test_constant_abstains_without_search_or_call():
    client = TextOnly([])
    ctx = context(client)
    row = make_strategy(ConstantMethod()).answer(question("Anything?"), ctx)
    assert (row.answer, row.abstained, row.method, row.retrieved_pages) == ("Not answerable", True, "constant", [])
    assert client.received == [] and types(ctx) == ["start", "complete"]


def test_page_rag_reads_the_retrieved_pages_once():
    # contract: D112
    reply = {"answer": "412", "confidence": "high", "explanation": "The text says so.",
             "quotes": [{"page": 2, "quote": "employed 412 people", "node_id": "t_5"}]}  # fmt: skip
    client = TextOnly([json.dumps(reply)])
    ctx = context(client, pages=[2, 1, 3])
    row = make_strategy(PageRagMethod(name="rag", pages=2)).answer(question("How many people?"), ctx)
    shown = [block.data["page"] for block in client.received[0][0].of("page_text")]
    assert len(client.received) == 1 and shown == [2, 1]
    assert (row.answer, row.confidence, row.method, row.exit_reason) == ("412", 0.9, "rag", "answered")
    assert row.support[0].quote_verified and row.support[0].page == 2 and row.retrieved_pages == [2, 1, 3]
    assert types(ctx) == ["start", "retrieval", "result", "complete"]


def test_page_rag_without_a_model_fails_the_question():
    row = make_strategy(PageRagMethod()).answer(question("x?"), context(TextOnly([ModelError("down")])))
    assert (row.status, row.reason) == ("failed", "no_valid_output")


def test_cosee_grounds_its_views_and_cites_its_cells():
    # contract: C24, C42
    client = TextOnly([
        action("INSPECT", "the table", view={"page": 1, "bbox": [0, 0, 5, 9]}, quote="2023 | $3.4 million"),
        action("INSPECT", "the text", quote="Total revenue was $3.4 million", node_id="wrong", view={"page": 2}),
        action("HYPOTHESIZE", "both say so", answer="$3.4 million", confidence="high", supporting_cells=[1, 2]),
    ])  # fmt: skip
    ctx = context(client)
    row = make_strategy(CoSeeMethod()).answer(question("What was the revenue in 2023?"), ctx)
    cells = [event.data for event in ctx.trace.events if event.type == "cell"]
    assert [(cell["view"]["page"], cell["details"]["node_id"]) for cell in cells[:2]] == [(1, "tab_3"), (1, "t_2")]
    assert cells[0]["view"]["bbox"] == (0.1, 0.4, 0.9, 0.5)
    assert [(piece.node_id, piece.quote_verified) for piece in row.support] == [("tab_3", True), ("t_2", True)]
    assert (row.answer, row.exit_reason, row.confidence) == ("$3.4 million", "confidence", 0.9)
    assert row.measures["page_coverage"] == pytest.approx(1 / 3, abs=1e-6) and row.measures["rounds"] == 1
    assert "because" in row.answer_long and "because" not in row.answer


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3),
)
replies = st.text(max_size=40) | st.fixed_dictionaries(
    {"action": st.sampled_from(["INSPECT", "LINK", "HYPOTHESIZE", "REVISE"]), "content": st.text(max_size=20)},
    optional={
        "view": st.fixed_dictionaries({}, optional={"page": anything, "bbox": anything, "description": anything}),
        "quote": st.sampled_from(["Total revenue", "412 people", "absent", ""]) | anything,
        "node_id": st.sampled_from(["t_2", "tab_3", "t_99"]) | anything,
        "target_cell_id": anything,
        "supporting_cells": anything,
        "answer": anything,
        "confidence": anything,
    },
).map(json.dumps)


@settings(max_examples=60, deadline=None)
@given(st.lists(replies, min_size=1, max_size=12))
def test_whatever_a_model_writes_there_is_one_sound_prediction(texts):
    # contract: C33, C25, C2
    ctx = context(TextOnly(texts, repeat_last=True), pages=[2, 1])
    row = make_strategy(CoSeeMethod(pages=2)).answer(question("How many people?"), ctx)
    assert row.status in ("ok", "failed") and (row.status == "ok") == (row.measures["cells"] > 0)
    assert all(1 <= piece.page <= 3 for piece in row.support)
    for event in ctx.trace.events:
        if event.type == "cell":
            assert event.data["view"]["page"] in (1, 2)
            box = event.data["view"].get("bbox")
            assert box is None or (0 <= box[0] < box[2] <= 1 and 0 <= box[1] < box[3] <= 1)
    json.dumps([event.model_dump(mode="json") for event in ctx.trace.events], allow_nan=False)


def test_cosee_shows_agents_the_board_last_and_shares_what_stands_before():
    # contract: C45, C46
    client = TextOnly(
        [action("INSPECT"), action("INSPECT"), action("HYPOTHESIZE", answer="1", confidence=0.9, quote="412 people")]
    )
    make_strategy(CoSeeMethod()).answer(question("What?"), context(client))
    kinds = [[block.kind for block in messages[0].blocks] for messages in client.received]
    assert kinds[0] == ["page_text"] * 3 + ["question", "instruction", "role", "instruction"]
    assert kinds[2] == ["page_text"] * 3 + ["question", "instruction", "board", "role", "instruction"]
    prefixes = {tuple(block.text for block in messages[0].blocks[:5]) for messages in client.received}
    assert len(prefixes) == 1
    assert [messages[0].first("role").data["role"] for messages in client.received] == [
        "scanner", "detail_reader", "cross_checker",
    ]  # fmt: skip


def test_each_page_is_shown_with_its_picture_both_its_numbers_and_its_text():
    # contract: C48, C2
    client = ScriptedClient([action("INSPECT")] * 3)
    picture = Image.new("RGB", (8, 8))
    ctx = context(client, pages=[2, 1], page_image=lambda page: PageImage(page, picture))
    make_strategy(CoSeeMethod(pages=2, max_steps=1)).answer(question("What?"), ctx)
    blocks = client.received[0][0].blocks
    assert [(block.kind, block.data.get("page")) for block in blocks[:4]] == [
        ("image", 2), ("page_text", 2), ("image", 1), ("page_text", 1),
    ]  # fmt: skip
    assert blocks[1].text.startswith('<evidence page="2" printed="1">') and "412 people" in blocks[1].text
    assert blocks[3].text.startswith('<evidence page="1" printed="i">')


def test_cosee_drops_views_outside_the_given_pages():
    # contract: C2
    client = TextOnly([action("INSPECT", view={"page": 3}), action("INSPECT", view={"page": 2})], repeat_last=True)
    ctx = context(client, pages=[2, 1])
    row = make_strategy(CoSeeMethod(pages=2, agents=["scanner", "detail_reader"], max_steps=1)).answer(
        question("x?"), ctx
    )
    assert row.measures["unusable_actions"] == 1 and row.measures["cells"] == 1 and row.abstained


def test_cosee_takes_the_page_of_its_quote_where_the_named_one_was_not_shown():
    # contract: C2, C25
    told = action("HYPOTHESIZE", answer="412", view={"page": 196}, quote="people that the company employs: 412 people")
    row = make_strategy(CoSeeMethod(agents=["scanner"], max_steps=1)).answer(
        question("How many people?"), context(TextOnly([told]))
    )
    assert (row.answer, row.measures["unusable_actions"]) == ("412", 0)
    assert [(piece.page, piece.quote_verified) for piece in row.support] == [(2, False)]


def test_budget_ends_with_the_best_answer_so_far():
    # contract: C54
    replies = [action("INSPECT"), action("HYPOTHESIZE", answer="412", confidence=0.4), action("INSPECT")]
    for calls, expected in ((2, ("partial", "412")), (1, ("failed", ""))):
        ctx = context(MeteredClient(TextOnly(replies), Budget(calls=calls)))
        row = make_strategy(CoSeeMethod()).answer(question("How many people?"), ctx)
        assert (row.status, row.answer, row.exit_reason, row.reason) == (*expected, "budget", "budget")
        assert row.usage.calls == calls
    ctx = context(MeteredClient(TextOnly(replies), Budget(calls=0)))
    row = make_strategy(PageRagMethod()).answer(question("x?"), ctx)
    assert (row.status, row.exit_reason) == ("failed", "budget")


def test_pages_that_do_not_fit_are_left_out_whole_from_the_worst():
    client = TextOnly([json.dumps({"answer": "1"})])
    client.max_context = 2_048 + 80
    ctx = context(client, pages=[2, 1, 3])
    make_strategy(PageRagMethod()).answer(question("What?"), ctx)
    dropped = next(event.data["dropped_pages"] for event in ctx.trace.events if event.type == "status")
    shown = [block.data["page"] for block in client.received[0][0].of("page_text")]
    assert shown + dropped[::-1] == [2, 1, 3] and dropped


def test_single_agent_is_exactly_one_call():
    # contract: C62
    client = ScriptedClient(["Page 2 says 412.\nSo it is that.\n**Answer: There were 412 people.**"])
    assert single_agent_cot(client, [], "How many people?", gen_kwargs={"temperature": 0.5}) == "412"
    assert len(client.received) == 1 and client.samplings[0].max_new_tokens == 128
    assert client.samplings[0].temperature == 0.5
    assert "reason step by step" in client.received[0][0].first("role").text
    babble = ScriptedClient(["no answer to speak of"], repeat_last=True)
    single_agent_cot(babble, [], "How many people?")
    assert len(babble.received) == 1, "whatever it replies, it is not asked again"
