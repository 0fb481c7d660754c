"""The three presets with a scripted model: calls, their order, the boards that were shown, and why it ended."""

from __future__ import annotations

import json

import pytest
from helpers.agent_trees import TextOnly, context, question

from cosee.agents.baselines.settings import SelfConsistencyMethod
from cosee.agents.cosee.settings import CoSeeMethod
from cosee.agents.method import make_strategy
from cosee.artifacts.results.trace import Budget, Trace
from cosee.artifacts.settings.methods import GenerationSettings
from cosee.models.calls import ModelError
from cosee.models.metering import MeteredClient

SCANNER, READER, CHECKER = "scanner", "detail_reader", "cross_checker"


def say(action: str, content: str, page: int = 1, **fields: object) -> str:
    return json.dumps({"action": action, "content": content, "view": {"page": page}, **fields})


def run(preset: str, replies: list[str], **settings: object):
    client = TextOnly(replies)
    trace = Trace()
    ctx = context(MeteredClient(client, Budget(), trace), trace=trace)
    row = make_strategy(CoSeeMethod(strategy=preset, **settings)).answer(question("How many people?"), ctx)
    assert len(client.received) == len(replies)
    calls = []
    for (message,) in client.received:
        board = message.first("board")
        shown = board.text.removeprefix("Shared board (summary):\n") if board else ""
        calls.append((message.first("role").data["role"], shown))
    return row, calls, ctx, client


def test_base_has_three_agents_and_two_rounds():
    # contract: C35, C38, C66
    row, calls, ctx, _ = run(
        "cosee_base",
        [
            say("INSPECT", "A table of revenue.", 1),
            say("INSPECT", "People are on page 2.", 2),
            say("LINK", "The text says so too.", 2, target_cell_id=2),
            say("INSPECT", "Nothing else.", 3),
            say("HYPOTHESIZE", "It was 412.", 2, answer="412", confidence=0.6, supporting_cells=[2, 3]),
            say("REVISE", "At the end of the year.", 2, target_cell_id=2),
        ],
    )
    board = (
        "[Page 1]\n- (#1, scanner, step 1, note on page 1) A table of revenue.",
        "- (#2, detail_reader, step 1, note on page 2) People are on page 2.",
        "- (#3, cross_checker, step 1, link on page 2) Link to #2: The text says so too.",
        "[Page 3]\n- (#4, scanner, step 2, note on page 3) Nothing else.",
        "- (#5, detail_reader, step 2, hypothesis on page 2, confidence 0.6) It was 412.",
    )
    assert calls == [
        (SCANNER, ""),
        (READER, board[0]),
        (CHECKER, f"{board[0]}\n\n[Page 2]\n{board[1]}"),
        (SCANNER, f"{board[0]}\n\n[Page 2]\n{board[1]}\n{board[2]}"),
        (READER, f"{board[0]}\n\n[Page 2]\n{board[1]}\n{board[2]}\n\n{board[3]}"),
        (CHECKER, f"{board[0]}\n\n[Page 2]\n{board[1]}\n{board[2]}\n{board[4]}\n\n{board[3]}"),
    ]
    assert (row.method, row.exit_reason, row.answer, row.usage.calls) == ("cosee_base", "max_steps", "412", 6)
    assert row.measures == {
        "authors": 3.0, "cells": 6.0, "corrections": 1.0, "hypotheses": 1.0, "links": 1.0, "page_coverage": 1.0,
        "redundancy": 0.0, "rounds": 2.0, "unusable_actions": 0.0,
    }  # fmt: skip
    steps = [(event.step, event.author) for event in ctx.trace.events if event.type == "call"]
    assert steps == [(1, SCANNER), (1, READER), (1, CHECKER), (2, SCANNER), (2, READER), (2, CHECKER)]
    assert [event.type for event in ctx.trace.events if event.type != "status"][:5] == [
        "start",
        "retrieval",
        "call",
        "action",
        "cell",
    ]


def test_light_has_two_agents_and_ends_on_their_agreement():
    # contract: C37, C70
    row, calls, ctx, _ = run(
        "cosee_light",
        [
            say("HYPOTHESIZE", "It says 412.", 2, answer="412", confidence="medium"),
            say("HYPOTHESIZE", "The same.", 2, answer="412.", confidence="medium", supporting_cells=[1]),
        ],
    )
    assert calls == [
        (READER, ""),
        (CHECKER, "[Page 2]\n- (#1, detail_reader, step 1, hypothesis on page 2, confidence 0.6) It says 412."),
    ]
    assert (row.exit_reason, row.answer, row.confidence, row.measures["rounds"]) == ("agreement", "412", 0.6, 1)
    assert row.measures["agreement"] == 1.0


def test_expanded_has_three_rounds_and_ends_on_confidence():
    # contract: C36, C35
    row, calls, _, _ = run(
        "cosee_expanded",
        [
            *[say("INSPECT", f"Note {number}.", 1) for number in range(1, 7)],
            say("HYPOTHESIZE", "Perhaps 3.", 1, answer="3", confidence="low"),
            say("REVISE", "Rather 412.", 2, answer="412", confidence=0.5, target_cell_id=7),
            say("HYPOTHESIZE", "Page 2 says it.", 2, answer="412", confidence="high", quote="412 people"),
        ],
    )
    assert [role for role, _ in calls] == [SCANNER, READER, CHECKER] * 3
    assert calls[8][1].splitlines()[-4:] == [
        "- (#7, scanner, step 3, hypothesis on page 1, confidence 0.3) Perhaps 3.",
        "",
        "[Page 2]",
        "- (#8, detail_reader, step 3, correction on page 2, confidence 0.5) Correction of #7: Rather 412.",
    ]
    assert (row.exit_reason, row.answer, row.measures["rounds"], row.measures["corrections"]) == (
        "confidence", "412", 3, 1,
    )  # fmt: skip
    assert row.measures["agreement"] == pytest.approx(1 / 3, abs=1e-6), "of scanner, reader and checker two agree"


def test_a_preset_gives_way_to_what_is_set():
    # contract: C66
    assert CoSeeMethod(strategy="cosee_expanded").max_steps == 3
    assert CoSeeMethod(strategy="cosee_expanded", max_steps=1).max_steps == 1
    assert CoSeeMethod(strategy="cosee_light").agents == [READER, CHECKER]
    for name in ("cosee", "cosee_base"):
        method = CoSeeMethod(strategy=name)
        assert (method.label, method.max_steps, len(method.agents)) == (name, 2, 3)
    kept = CoSeeMethod.model_validate(CoSeeMethod(strategy="cosee_light", max_steps=5).model_dump())
    assert kept.max_steps == 5 and kept.agents == [READER, CHECKER]


@pytest.mark.parametrize("order", ["sequential", "parallel"])
def test_an_agents_own_generation_settings_reach_its_calls(order):
    # contract: C44, C66
    replies = [say("INSPECT", f"Note {number}.") for number in range(3)]
    _, _, _, client = run(
        "cosee",
        replies,
        order=order,
        max_steps=1,
        generation=GenerationSettings(temperature=0.1, top_p=0.5),
        agent_generation={"detail_reader": GenerationSettings(temperature=0.9, max_new_tokens=33)},
    )
    assert [(each.temperature, each.top_p, each.max_new_tokens) for each in client.samplings] == [
        (0.1, 0.5, 400), (0.9, 0.5, 33), (0.1, 0.5, 400),
    ]  # fmt: skip


def test_parallel_agents_see_the_board_as_the_round_began():
    # contract: C35, C45
    replies = [say("INSPECT", f"Note {number}.") for number in range(1, 7)]
    row, calls, _, _ = run("cosee_base", replies, order="parallel")
    first_round = "\n".join(
        [
            "[Page 1]",
            *(f"- (#{n}, {role}, step 1, note on page 1) Note {n}." for n, (role, _) in enumerate(calls[:3], start=1)),
        ]
    )
    assert [shown for _, shown in calls] == ["", "", "", first_round, first_round, first_round]
    assert row.measures["cells"] == 6


class Together(TextOnly):
    """Counts the conversations of each batch."""

    def __init__(self, replies: list[str]) -> None:
        super().__init__(replies)
        self.batches: list[int] = []

    def chat_typed_many(self, batch, schema, samplings):
        self.batches.append(len(batch))
        return super().chat_typed_many(batch, schema, samplings)


def test_a_parallel_round_and_the_samples_of_self_consistency_are_one_batch():
    # contract: C35, C63
    client = Together([say("INSPECT", f"Note {number}.") for number in range(6)])
    make_strategy(CoSeeMethod(order="parallel")).answer(question("What?"), context(client))
    assert client.batches == [3, 2] and len(client.received) == 6, "the cross-checker alone is asked about a cell"
    client = Together([say("INSPECT", f"Note {number}.") for number in range(6)])
    make_strategy(CoSeeMethod()).answer(question("What?"), context(client))
    assert client.batches == [] and len(client.received) == 6
    client = Together([json.dumps({"answer": "412"})] * 4)
    make_strategy(SelfConsistencyMethod(samples=4)).answer(question("How many?"), context(client))
    assert client.batches == [4]


def test_a_parallel_round_that_the_budget_cuts_keeps_what_was_said():
    # contract: C54
    replies = [say("INSPECT", "Note."), say("HYPOTHESIZE", "It is 412.", 2, answer="412", confidence=0.4)]
    ctx = context(MeteredClient(TextOnly(replies), Budget(calls=2)))
    row = make_strategy(CoSeeMethod(order="parallel")).answer(question("How many people?"), ctx)
    assert (row.answer, row.status, row.exit_reason, row.measures["cells"]) == ("412", "partial", "budget", 2)
    broken = [ModelError("down"), say("INSPECT", "Note."), say("INSPECT", "Another.")]
    row = make_strategy(CoSeeMethod(order="parallel", max_steps=1)).answer(question("What?"), context(TextOnly(broken)))
    assert (row.measures["cells"], row.measures["unusable_actions"], row.exit_reason) == (2, 1, "max_steps")
