"""The short answer asked of the same model: on request, for every method alike, and never at the cost of an answer."""

from __future__ import annotations

import json

import pytest
from helpers.agent_trees import TextOnly, context, question

from cosee.agents.cosee.settings import CoSeeMethod
from cosee.agents.method import make_strategy
from cosee.agents.methods.constant import ConstantMethod
from cosee.agents.methods.page_rag import PageRagMethod
from cosee.agents.prompts import EXTRACT
from cosee.artifacts.results.trace import Budget
from cosee.models.calls import ModelError
from cosee.models.metering import MeteredClient
from cosee.reader.client import EmbeddedClient

SAID = "As the second page explains at length, the company had 412 people of whom 30 were new."


def run(method, replies, **fields):
    client = TextOnly(replies)
    ctx = context(fields.pop("client", client), **fields)
    return make_strategy(method).answer(question("Who worked there?"), ctx), client, ctx


def test_by_default_rules_cut_the_answer_out():
    row, client, _ = run(PageRagMethod(), [json.dumps({"answer": SAID})])
    assert len(client.received) == 1 and row.answer == SAID.rstrip(".")


@pytest.mark.parametrize("method", [PageRagMethod(), CoSeeMethod(max_steps=1, agents=["detail_reader"])])
def test_the_same_client_is_asked_once_more_where_the_run_says_so(method):
    first = json.dumps({"action": "HYPOTHESIZE", "content": "c", "answer": SAID, "confidence": 0.9})
    row, client, ctx = run(method, [first, json.dumps({"answer": "412 people"})], extractor=True)
    assert row.answer == "412 people" and len(client.received) == 2 and EXTRACT.ref in row.prompt_ids
    blocks = client.received[1][0].blocks
    assert [block.kind for block in blocks] == ["question", "history", "instruction", "instruction"]
    assert SAID in blocks[1].text and client.samplings[1].temperature == 0
    assert [event.author for event in ctx.trace.events if event.type == "result"][-1] == "extractor"


def test_an_extraction_may_abstain_and_a_failed_one_leaves_the_answer():
    first = json.dumps({"answer": SAID})
    abstained, _, _ = run(PageRagMethod(), [first, json.dumps({"answer": "The reply gives none: not answerable"})])
    assert not abstained.abstained
    abstained, _, _ = run(PageRagMethod(), [first, json.dumps({"answer": "not answerable"})], extractor=True)
    assert (abstained.answer, abstained.abstained, abstained.support) == ("Not answerable", True, [])
    for replies in ([first, ModelError("down")], [first, "no", "no", "no", "no"]):
        row, _, ctx = run(PageRagMethod(), replies, extractor=True)
        assert row.answer == SAID.rstrip(".") and row.status == "ok"
        assert any(event.type == "status" and "no extraction" in event.message for event in ctx.trace.events)
    metered = MeteredClient(TextOnly([first]), Budget(calls=1))
    row, _, _ = run(PageRagMethod(), [], extractor=True, client=metered)
    assert row.answer == SAID.rstrip(".") and row.usage.calls == 1


def test_nothing_is_asked_where_there_is_nothing_to_extract():
    row, client, _ = run(ConstantMethod(), [], extractor=True)
    assert row.abstained and client.received == []
    failed, client, _ = run(PageRagMethod(), ["no"] * 4, extractor=True)
    assert failed.status == "failed" and len(client.received) == 4


def test_the_reader_without_a_model_extracts_by_rule():
    ctx = context(EmbeddedClient(), extractor=True)
    row = make_strategy(PageRagMethod()).answer(question("How many people did the company employ in 2023?"), ctx)
    assert row.answer == "412" and EXTRACT.ref in row.prompt_ids
