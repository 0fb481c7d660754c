import json

import pytest

from cosee.agents.cosee.agent import Agent, CrossCheckerAgent, DetailReaderAgent, ScannerAgent, parse_action
from cosee.agents.cosee.board import Board
from cosee.agents.cosee.controller import CoSeeController


class FakeClient:
    """Has the public wrapper's ``generate`` and nothing else."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.calls: list[dict] = []

    def generate(self, images, question, board_text=None, role_prompt=None, **gen_kwargs) -> str:
        self.calls.append(
            {"board": board_text, "role": role_prompt, "images": images, "question": question, **gen_kwargs}
        )
        return self.replies.pop(0)


def reply(**fields) -> str:
    return json.dumps({"action": "INSPECT", "content": "seen", **fields})


def test_act_gives_board_and_role_and_returns_an_action():
    # contract: C45
    board, client = Board(), FakeClient(reply(view={"page": 1, "bbox": [0, 0, 1, 1]}, tags=["t"]))
    board.add_cell({"page": 1}, "earlier", author="scanner", step=1)
    action = Agent("me", "You are careful.", client).act(["img"], "What?", board, {"max_new_tokens": 9})
    call = client.calls[0]
    assert action == {
        "action": "INSPECT", "content": "seen", "view": {"page": 1, "bbox": [0, 0, 1, 1]}, "tags": ["t"],
    }  # fmt: skip
    assert call["board"] == board.to_text() and call["role"].startswith("You are careful.")
    assert (call["images"], call["question"], call["max_new_tokens"]) == (["img"], "What?", 9)


def test_board_limits_and_page_names_reach_the_prompt():
    # contract: C45, C15
    board, client = Board(), FakeClient(reply())
    for number in range(5):
        board.add_cell({"page": 1}, f"note {number}", step=number)
    Agent("me", "Role.", client, max_cells_per_page=1).act(["a", "b"], "What?", board, pages=[4, 9])
    assert client.calls[0]["board"].count("#") == 1 and "pages 4, 9" in client.calls[0]["role"]


def test_three_roles_are_distinct():
    # contract: C46
    agents = [kind(FakeClient()) for kind in (ScannerAgent, DetailReaderAgent, CrossCheckerAgent)]
    assert [agent.name for agent in agents] == ["scanner", "detail_reader", "cross_checker"]
    assert len({agent.role_prompt for agent in agents}) == 3
    tags = [agent.role_prompt.rpartition("Tags:")[2] for agent in agents]
    assert len(set(tags)) == 3 and all(tags)


@pytest.mark.parametrize(
    "text",
    [
        reply(),
        f"```json\n{reply()}\n```",
        f"Sure, here is my move: {reply()} I hope that helps.",
        "{'action': 'inspect', 'content': 'seen',}",
    ],
)
def test_untidy_replies_are_read(text):
    # contract: C33
    assert {key: parse_action(text)[key] for key in ("action", "content")} == {"action": "INSPECT", "content": "seen"}


@pytest.mark.parametrize(
    "text", ["", "no", "{", "<think>", "```json\n```", "[1, 2]", '{"action": "FLY", "content": "x"}']
)
def test_other_replies_are_errors_not_exceptions(text):
    # contract: C33
    action = parse_action(text)
    assert action["error"] and CoSeeController([]).validate_action(action) is None


def test_a_model_that_never_replies_well_ends_the_run_without_an_answer():
    # contract: C33, C39
    agents = [ScannerAgent(FakeClient("no", "{")), CrossCheckerAgent(FakeClient("", "<think>"))]
    result = CoSeeController(agents, 2).run(["img"], "x?")
    assert result["answer"] == "" and result["errors"] == 4 and len(result["board"]) == 0
