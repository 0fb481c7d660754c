"""Typed requests: what is mended, what is refused, how often is asked, and that nothing raises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from cosee.artifacts.base import Record
from cosee.artifacts.results.trace import Budget
from cosee.models.blocks import Message
from cosee.models.calls import ModelError, Sampling
from cosee.models.journal import JournaledClient
from cosee.models.messages import question_block
from cosee.models.metering import MeteredClient
from cosee.models.scripted import ScriptedClient
from cosee.models.structured import parse, request

CASES = Path(__file__).parents[2] / "cases"
MESSAGES = [Message((question_block("How many?"),))]
GOOD = '{"answer": "12", "confidence": 0.5, "support_nodes": []}'


class Reply(Record):
    answer: str | None
    confidence: float | None = Field(ge=0, le=1)
    support_nodes: list[str]


def case_items():
    for folder in sorted(CASES.glob("lj-*")):
        expected = json.loads((folder / "expected.json").read_text())["expect"]
        lines = (folder / "outputs.jsonl").read_text().splitlines()
        raw = {row["id"]: row["raw"] for row in map(json.loads, lines)}
        assert raw.keys() == expected["items"].keys()
        for name, wanted in expected["items"].items():
            yield pytest.param(raw[name], wanted, expected, id=f"{folder.name}-{name}")


@pytest.mark.parametrize(("raw", "wanted", "expected"), list(case_items()))
def test_shared_cases(raw, wanted, expected):
    # contract: C33
    parsed = parse(raw, Reply)
    known = {"ok", "answer", "confidence", "repaired", "error", "ok_or_error", "answer_if_ok", "note"}
    assert wanted.keys() <= known
    if "ok" in wanted:
        assert (parsed.value is not None) is wanted["ok"], parsed
    if "ok_or_error" in wanted:
        assert parsed.value is not None or parsed.error == wanted["ok_or_error"]
    if "answer_if_ok" in wanted and parsed.value is not None:
        assert parsed.value.answer == wanted["answer_if_ok"]
    for key in {"answer", "confidence"} & wanted.keys():
        assert getattr(parsed.value, key) == wanted[key]
    if "repaired" in wanted:
        assert bool(parsed.repairs) is wanted["repaired"]
    if "error" in wanted:
        assert parsed.error == wanted["error"]
        assert parsed.value is None
    assert expected["never_raises"]
    assert expected["deterministic"]
    assert parse(raw, Reply) == parsed
    assert expected["raw_text_kept"]
    client = ScriptedClient([raw])
    assert request(client, MESSAGES, Reply, retries=0).text == raw


@given(st.text() | st.text(alphabet="{}[]\":,\\ntrue0.5'“”`<think>/ answer", max_size=80))
def test_parse_never_raises(text):
    # contract: C33
    parsed = parse(text, Reply)
    assert (parsed.value is None) == (parsed.error is not None)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"answer": "12', "malformed"),
        ('{"answer": "12", "confidence": 0.5, "support_nodes": ["t_1"', "malformed"),
        ("{'answer': '1', 'answer': '2', 'confidence': 0.5, 'support_nodes': []}", "ambiguous"),
        ('{"answer": __import__("os").getcwd(), "confidence": 0.5, "support_nodes": []}', "malformed"),
        ('{"answer": "12", "confidence": 2, "support_nodes": []}', "schema"),
        ('{"answer": "12", "confidence": 0.5}', "schema"),
    ],
)
def test_what_was_cut_or_doubled_is_not_accepted(text, error):
    assert parse(text, Reply).error == error


@pytest.mark.parametrize(
    ("text", "repair"),
    [
        ('{"properties": {"support_nodes": ["t_1"], "answer": "12"}, "confidence": 0.5}', "properties"),
        ('{"properties": {"support_nodes": ["t_1"], "answer": "12", "confidence": 0.5}}', "properties"),
        ('{"support_nodes": {"items": ["t_1"], "type": "array"}, "answer": "12", "confidence": 0.5}', "properties"),
        ('{"support_nodes": ["t_1"], "answer:"12", "confidence": 0.5}', "quotes"),
        ('{"support_nodes": ["t_1"], "answer": "12", "confidence: 0.5}', "quotes"),
        ('{"support_nodes": ["t_1"], "answer": "12"], "confidence": 0.5}', "stray_bracket"),
        ('{"support_nodes": ["t_1"]}, "answer": "12", "confidence": 0.5}', "early_brace"),
        ('{"properties": {"support_nodes": ["t_1"]}}, "answer": "12", "confidence": 0.5}', "properties"),
    ],
)
def test_what_small_models_make_of_the_schema_is_read(text, repair):
    parsed = parse(text, Reply)
    assert parsed.value == Reply(answer="12", confidence=0.5, support_nodes=["t_1"])
    assert repair == next(each for each in reversed(parsed.repairs) if each != "prose")


def test_last_braces_may_be_missing_only_where_the_model_ended_its_reply():
    text = '{"properties": {"answer": "12", "support_nodes": [], "confidence": 1'
    whole = Reply(answer="12", confidence=1, support_nodes=[])
    for lacking in ("", "}", "}}"):
        reply = request(ScriptedClient([text + lacking]), MESSAGES, Reply, retries=0)
        assert (reply.value, reply.attempts) == (whole, 1)
    assert request(CutOff([text]), MESSAGES, Reply, retries=0).value is None
    assert request(ScriptedClient([text[:-18]]), MESSAGES, Reply, retries=0).value is None


def test_what_is_nested_too_deeply_to_be_filled_in_is_refused():
    deep = '{"answer": ' + "[" * 900 + "]" * 900 + "}"
    assert parse(deep, Reply).error in ("schema", "malformed")


def test_the_schema_itself_is_no_reply():
    assert parse(json.dumps(Reply.model_json_schema()), Reply).error == "schema"


def test_clean_json_is_not_marked_as_repaired():
    assert parse(GOOD, Reply).repairs == ()


def test_retry_names_the_error_and_the_prompt_does_not_grow():
    # contract: P21, P23
    client = ScriptedClient(["no", "{", GOOD])
    reply = request(client, MESSAGES, Reply)
    assert reply.value == Reply(answer="12", confidence=0.5, support_nodes=[])
    assert reply.attempts == 3
    assert reply.usage.calls == 3
    kinds = [[block.data.get("prompt_id") for block in call[-1].blocks[1:]] for call in client.received]
    assert kinds == [["json_schema"], ["json_schema", "json_correction"], ["json_schema", "json_correction"]]
    assert "no_json" in client.received[1][-1].blocks[-1].text
    assert "malformed" in client.received[2][-1].blocks[-1].text
    assert client.received[0][-1].blocks[:1] == MESSAGES[0].blocks


def test_at_most_three_retries_then_a_typed_failure():
    # contract: P21, P22, P33
    client = ScriptedClient(["no"], repeat_last=True)
    reply = request(client, MESSAGES, Reply)
    assert reply.value is None
    assert reply.error.startswith("no_json")
    assert len(client.received) == 4
    client = ScriptedClient(["no"], repeat_last=True)
    assert request(client, MESSAGES, Reply, retries=1).attempts == len(client.received) == 2


def test_fallback_client_is_asked_after_the_first_gave_up():
    # contract: P21
    first, second = ScriptedClient(["no"], repeat_last=True), ScriptedClient([GOOD])
    reply = request(first, MESSAGES, Reply, retries=1, fallback=second)
    assert reply.value.answer == "12"
    assert "fallback" in reply.repairs
    assert reply.attempts == 3


def test_recoverable_failure_is_retried_others_are_not():
    # contract: P24
    client = ScriptedClient([ModelError("busy", recoverable=True), GOOD])
    assert request(client, MESSAGES, Reply).value.answer == "12"
    client = ScriptedClient([ModelError("no such model"), GOOD])
    with pytest.raises(ModelError, match="no such model"):
        request(client, MESSAGES, Reply)
    assert len(client.received) == 1
    client = ScriptedClient([ModelError("busy", recoverable=True)], repeat_last=True)
    with pytest.raises(ModelError, match="busy"):
        request(client, MESSAGES, Reply)
    broken = ScriptedClient([ModelError("gone")])
    assert request(broken, MESSAGES, Reply, fallback=ScriptedClient([GOOD])).value.answer == "12"


def test_schema_is_part_of_the_prompt():
    client = ScriptedClient([GOOD])
    client.request(MESSAGES, Reply)
    assert '"support_nodes"' in client.received[0][-1].blocks[-1].text


@pytest.mark.parametrize("opened", ["<think>", ""])
def test_a_draft_in_a_thought_is_not_the_answer(opened):
    draft = '{"answer": "1", "confidence": 0.5, "support_nodes": []} or rather'
    parsed = parse(f"{opened}{draft}</think>\n{GOOD}", Reply)
    assert parsed.value is not None and parsed.value.answer == "12"
    assert parsed.repairs == ("think",)
    # A reply that speaks of the mark is not cut at it.
    assert parse(GOOD.replace("12", "</think>"), Reply).value.answer == "</think>"


class CutOff(ScriptedClient):
    """Ends the first reply at its bound."""

    def chat_typed(self, messages, schema, sampling=None):
        reply = super().chat_typed(messages, schema, sampling)
        return reply.model_copy(update={"finish_reason": "length"}) if reply.text.endswith("1") else reply


def test_a_reply_that_was_cut_off_is_told_so_and_both_are_noted():
    client = CutOff(['{"answer": "1', GOOD])
    reply = request(client, MESSAGES, Reply)
    assert reply.value is not None and reply.repairs == ("refused:malformed",)
    assert "(length: cut off after" in client.received[1][-1].blocks[-1].text


def test_what_a_reply_lacks_is_noted_by_field():
    wrong = '{"answer": "12", "confidence": 2, "support_nodes": ["t_1", 2, 3]}'
    reply = request(ScriptedClient(['{"answer": "12"}', wrong, "no", GOOD]), MESSAGES, Reply)
    both = ["refused:schema:confidence", "refused:schema:support_nodes"]
    assert list(reply.repairs) == [*both, *both, "refused:no_json"]
    assert request(ScriptedClient([GOOD]), MESSAGES, Reply).repairs == ()


def test_no_penalty_of_ours_forbids_quotes():
    sent = []

    class Listening(ScriptedClient):
        def chat_typed(self, messages, schema, sampling=None):
            sent.append(sampling.presence_penalty)
            return super().chat_typed(messages, schema, sampling)

    client = Listening([GOOD, GOOD, GOOD])
    request(client, MESSAGES, Reply)
    request(client, MESSAGES, Reply, Sampling(temperature=0.5))
    request(client, MESSAGES, Reply, Sampling(presence_penalty=0.7))
    assert sent == [0.0, 0.0, 0.7]


def test_thoughts_have_a_room_of_their_own_beside_the_replys():
    rooms = []

    class Thinking(ScriptedClient):
        thinking_tokens = 4_000

        def chat_typed(self, messages, schema, sampling=None):
            rooms.append(sampling.max_new_tokens)
            return super().chat_typed(messages, schema, sampling)

    thought = 'First I draft {"answer": "13", "confidence": 1, "support_nodes": []}.</think>'
    reply = request(Thinking([thought + GOOD]), MESSAGES, Reply, Sampling(max_new_tokens=300))
    assert rooms == [4_300] and reply.value == request(ScriptedClient([GOOD]), MESSAGES, Reply).value
    assert reply.repairs == ("think",), "the draft in the thought is no second answer"
    client = MeteredClient(
        JournaledClient(Thinking([GOOD], repeat_last=True), Path("/nonexistent"), "replay"), Budget()
    )
    assert client.thinking_tokens == 4_000 and client.max_context == ScriptedClient([]).max_context - 4_000
    spare = MeteredClient(Thinking([GOOD]), Budget(tokens_out=1_000))
    request(spare, MESSAGES, Reply, Sampling(max_new_tokens=300))
    assert rooms[-1] == 1_000, "the budget bounds both together"
