"""Every typed request of every method, as it is sent: what must be written is required, in the order it is thought."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from helpers.agent_trees import context, small_tree
from helpers.hostile_agents import HostileModel, methods, small_retriever
from PIL import Image

from cosee.agents.baselines.schemas import PageAnswer
from cosee.agents.cosee.schemas import ActionReply, CheckReply
from cosee.agents.cosee.settings import CoSeeMethod
from cosee.agents.method import make_strategy
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.trace import Budget
from cosee.models.blocks import PageImage
from cosee.models.calls import Sampling
from cosee.models.reply_schema import asked_schema, left_out
from cosee.models.scripted import ScriptedClient
from cosee.models.structured import schema_text
from cosee.models.thresholds import MOST_LIST_ITEMS

REASONING = {"explanation", "reasoning", "content", "message", "thought", "words"}
QUESTIONS = (
    "What does Figure 1 show?",
    "Which year had the highest revenue, and what is the difference between revenue in 2023 and in 2022?",
)
OWN_IDS = re.compile(
    r"\b(?:t|sec|tab|img|fig|eq|page)_\d+|\bP\d+\b|\b(?:Table|Figure|Fig\.|Section|Page) \d", re.IGNORECASE
)
"""Ids, labels and pages that a model could take for the document's."""


class Recording(HostileModel):
    """The model that babbles, and the schemas that it was asked for."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, sees_images=True)
        self.schemas: set[type] = set()
        self.samplings: list[Sampling] = []

    def chat(self, messages, sampling=None):
        self.samplings.append(sampling)
        return super().chat(messages, sampling)

    def chat_typed(self, messages, schema, sampling=None):
        self.schemas.add(schema)
        self.samplings.append(sampling)
        return super().chat_typed(messages, schema, sampling)


@pytest.fixture(scope="module")
def model() -> Recording:
    model = Recording(3)
    for method in methods():
        for extractor, text in enumerate(QUESTIONS):
            question = Question(question_id="q", doc_id="doc_a", question=text, evidence_pages=[2])
            ctx = context(
                model,
                tree=small_tree(),
                retriever=small_retriever(),
                budget=Budget(calls=20, seconds=None),
                extractor=bool(extractor),
                page_image=lambda page: PageImage(page, Image.new("RGB", (64, 64), "white"), f"page-{page}.png"),
            )
            make_strategy(method).answer(question, ctx)
    return model


def objects(schema: Any) -> list[dict[str, Any]]:
    """Every object of a schema, the whole first."""
    if isinstance(schema, list):
        return [found for each in schema for found in objects(each)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if "properties" in schema else []
    return own + [found for each in schema.values() for found in objects(each)]


def test_each_schema_is_shown_in_the_order_of_its_fields(model):
    assert len(model.schemas) >= 9
    texts = {block.text for messages in model.received for message in messages for block in message.blocks}
    for schema in model.schemas:
        shown_text = schema_text(schema, model.asked_grid)
        assert shown_text in texts
        shown = json.loads(shown_text.partition("\n")[2])
        for kind in shown.get("anyOf", [shown]):
            asked = [name for name in schema.model_fields if name in kind["properties"]]
            named = [kinds for kinds in getattr(schema, "asked_as", (schema,)) if set(kinds.model_fields) >= set(asked)]
            assert list(kind["properties"]) in [
                [name for name in each.model_fields if name in asked] for each in named
            ], schema.__name__


def test_what_a_turn_needs_is_required_and_reasoning_stands_before_the_answer(model):
    for schema in model.schemas:
        for kind in objects(asked_schema(schema, model.asked_grid)):
            names = list(kind["properties"])
            assert kind["required"] == [name for name in names if name in kind["required"]]
            assert kind["required"] and kind["additionalProperties"] is False
            if "answer" in names:
                assert REASONING & set(names[: names.index("answer")]) & set(kind["required"]), schema.__name__


def test_schemas_say_nothing_of_ours(model):
    for schema in model.schemas:
        text = json.dumps(asked_schema(schema, model.asked_grid))
        assert '"null"' not in text and "$ref" not in text and '"title"' not in text and '"default"' not in text
        docstrings = [each.__doc__ for each in (schema, *getattr(schema, "asked_as", ())) if each.__doc__]
        assert not [each for each in docstrings if each in text]


def test_a_turn_is_one_of_four_with_what_it_needs():
    # contract: C25
    kinds = {
        each["properties"]["action"]["const"]: set(each["required"]) for each in asked_schema(ActionReply)["anyOf"]
    }
    grounds = {"action", "content", "view", "quote"}
    assert kinds["INSPECT"] == grounds
    assert kinds["LINK"] == {*grounds, "target_cell_id"}
    assert kinds["HYPOTHESIZE"] == {*grounds, "supporting_cells", "answer", "confidence"}
    assert kinds["REVISE"] == {*grounds, "target_cell_id", "confidence"}
    # What is accepted is as lenient as before.
    assert ActionReply.model_validate({"action": "inspect", "content": "x"}).quote is None


def test_lists_other_than_answers_are_bounded_where_a_bound_can_be_held():
    asked = asked_schema(PageAnswer)["properties"]
    assert asked["quotes"]["maxItems"] == MOST_LIST_ITEMS and '"maxItems"' not in json.dumps(asked["answer"])
    assert "maxItems" not in schema_text(PageAnswer)
    # A longer list is read all the same.
    assert len(PageAnswer(answer="1", quotes=[{"quote": "x"}] * 20).quotes) == 20


def test_quotes_may_be_words_alone():
    assert PageAnswer.model_validate({"answer": "12", "quotes": ["twelve"]}).quotes[0].quote == "twelve"


def test_the_cross_checker_is_asked_for_something_about_a_cell():
    # contract: C23, C46
    kinds = {each["properties"]["action"]["const"]: each for each in asked_schema(CheckReply)["anyOf"]}
    assert set(kinds) == {"LINK", "HYPOTHESIZE", "REVISE"}
    assert all("target_cell_id" in kinds[name]["required"] for name in ("LINK", "REVISE"))
    assert kinds["HYPOTHESIZE"]["properties"]["supporting_cells"]["minItems"] == 1
    # It is asked so once there is a cell that it sees; what it replies is read as leniently as any turn.
    turns = [{"action": "INSPECT", "content": "x", "quote": "412 people"}] * 3
    for without, asked in (([], [ActionReply, ActionReply, CheckReply]), (["board"], [ActionReply] * 3)):
        client = ScriptedClient([json.dumps(turn) for turn in turns])
        client.sees_images = False
        ctx = context(client, tree=small_tree(), without=frozenset(without))
        row = make_strategy(CoSeeMethod(max_steps=1)).answer(Question(question_id="q", doc_id="d", question="?"), ctx)
        shown = [messages[0].of("instruction")[-1].text for messages in client.received]
        assert shown == [schema_text(each) for each in asked]
        assert row.measures["cells"] == 3


def test_the_cross_checker_of_a_parallel_round_is_asked_about_a_cell_too():
    # contract: C23, C46
    turns = [{"action": "INSPECT", "content": f"note {number}", "quote": "412 people"} for number in range(6)]
    client = ScriptedClient([json.dumps(turn) for turn in turns])
    client.sees_images = False
    ctx = context(client, tree=small_tree())
    method = CoSeeMethod(max_steps=2, order="parallel")
    row = make_strategy(method).answer(Question(question_id="q", doc_id="d", question="?"), ctx)
    asked = [(messages[0].first("role").data["role"], messages[0].of("instruction")[-1].text)
             for messages in client.received]  # fmt: skip
    plain, about_a_cell = schema_text(ActionReply), schema_text(CheckReply)
    first = [(role, plain) for role in ("scanner", "detail_reader", "cross_checker")]
    second = [("scanner", plain), ("detail_reader", plain), ("cross_checker", about_a_cell)]
    assert asked == [*first, *second], "in the first round there is no cell to name"
    assert row.measures["cells"] == 6


def test_no_typed_request_is_sent_with_a_penalty_for_words_that_were_written(model):
    # JSON repeats its own marks, and a quote the words of the page.
    assert len(model.samplings) == len(model.received) > 20
    assert {sampling.presence_penalty for sampling in model.samplings} == {0.0}
    assert {sampling.repetition_penalty for sampling in model.samplings} == {1.0}


def test_no_prompt_of_ours_holds_an_id_as_an_example(model):
    for messages in model.received:
        for message in messages:
            for block in message.blocks:
                if block.kind in ("role", "instruction"):
                    assert not OWN_IDS.search(block.text.partition("Tools:")[0]), block.text


def test_fields_that_a_reply_lacks_are_named():
    assert left_out(PageAnswer.model_validate({"answer": "12"})) == ["quotes", "explanation", "confidence"]
    assert left_out(PageAnswer(explanation="", quotes=[], answer="12", confidence=0.5)) == []
