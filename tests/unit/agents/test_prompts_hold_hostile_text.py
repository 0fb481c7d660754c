"""Every prompt of every strategy, filled with hostile text by document, question and model: none leaves its delimiters.

Strategies and prompts are found, not listed: a new method is covered once it is in ``Method``, a new prompt once it is
a ``Prompt`` of a module below ``cosee.agents``.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import Any

import pytest
from helpers.agent_trees import context
from helpers.hostile_agents import ATTACKS, MARK, HostileModel, hostile_retriever, hostile_tree, methods
from PIL import Image

import cosee.agents
from cosee.agents.decision.settings import DecisionMethod
from cosee.agents.decision.tools import summary
from cosee.agents.method import make_strategy
from cosee.agents.navigator.settings import NavigatorMethod
from cosee.agents.prompts import Prompt
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.trace import Budget
from cosee.models.base import VLMClient
from cosee.models.blocks import Message, PageImage
from cosee.reader.client import EmbeddedClient

CONTROL_TOKENS = re.compile(r"<\|[^|]*\|>|</s>|<s>|</?think>|</?tool_call>|\[/?INST\]", re.IGNORECASE)
QUESTIONS = (
    "What does Figure 1 show?",
    "How many people did the company employ in 2023?",
    "Which year had the highest revenue, and what is the difference between revenue in 2023 and in 2022?",
    "How many tables does the report contain?",
    "Summarise the report. What is it about?",
)
COMPOUND = ("What does Figure 1 show?", "How many people did the company employ in 2023?")


class Listening(EmbeddedClient):
    """The reader without a model, whose prompts are kept."""

    def __init__(self) -> None:
        super().__init__()
        self.received: list[list[Message]] = []

    def chat_typed(self, messages, schema, sampling=None):
        self.received.append(list(messages))
        return super().chat_typed(messages, schema, sampling)


def prompts() -> dict[str, Prompt]:
    """Every prompt of a module below ``cosee.agents``, by id."""
    found: dict[str, Prompt] = {}
    for module in pkgutil.walk_packages(cosee.agents.__path__, "cosee.agents."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, Prompt):
                assert found.setdefault(value.id, value) == value, f"two prompts are called {value.id}"
    return found


def ask(method: Any, client: VLMClient, text: str, *, extractor: bool) -> None:
    asked = Question(question_id="q", doc_id="doc_a", question=text, evidence_pages=[2])
    ctx = context(
        client,
        tree=hostile_tree(),
        retriever=hostile_retriever(),
        budget=Budget(calls=60, seconds=None),
        extractor=extractor,
        page_image=lambda page: PageImage(page, Image.new("RGB", (64, 64), "white"), f"page-{page}.png"),
    )
    row = make_strategy(method).answer(asked, ctx)
    assert row.status in ("ok", "partial", "failed")


@pytest.fixture(scope="module")
def sent() -> list[list[Message]]:
    """The messages of all methods with hostile models and with the reader that has none."""
    received: list[list[Message]] = []
    for method in methods():
        for seed in range(8):
            model = HostileModel(seed, max_context=2_150 if seed == 7 else 32_768, sees_images=seed % 2 == 0)
            ask(
                method, model, f"{QUESTIONS[seed % len(QUESTIONS)]} {ATTACKS[seed % len(ATTACKS)]}", extractor=seed == 0
            )
            received += model.received
        for text in QUESTIONS:
            listening = Listening()
            ask(method, listening, text, extractor=False)
            received += listening.received
    for above in (50_000, 100):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(summary, "SUMMARIZE_ABOVE_TOKENS", above)  # no small document fills an environment
            for seed in range(4):
                model = HostileModel(seed, sees_images=True)
                tools = ["colqwen_visual_search", "visual_interpretation"]
                model.steer = {"tool": tools, "impossible": [False] * 4, "inputs": [{"query": "people"}, {}]}
                ask(DecisionMethod(), model, QUESTIONS[seed], extractor=False)
                received += model.received
    for seed in range(4):
        model = HostileModel(seed, sees_images=True)
        model.steer = {"sub_questions": [list(COMPOUND)]}
        ask(NavigatorMethod(), model, " And ".join(COMPOUND), extractor=False)
        received += model.received
    return received


def test_hostile_text_stays_inside_its_delimiters(sent):
    assert len(sent) > 300
    kinds = set()
    for messages in sent:
        for message in messages:
            assert message.blocks[-1].kind in ("role", "instruction"), "our own words come last"
            for block in message.blocks:
                kinds.add(block.kind)
                fault = problem(block.kind, block.text, block.data)
                assert fault is None, f"{fault}\n{block.kind}: {block.text[:600]}"
    assert {"question", "page_text", "node", "table", "board", "role", "instruction", "history"} <= kinds


def test_every_prompt_is_sent_by_a_strategy(sent):
    texts = "\n".join({block.text for messages in sent for message in messages for block in message.blocks})
    seeds = {prompt_id for prompt_id in prompts() if ".seed." in prompt_id}
    missing = [prompt_id for prompt_id, prompt in prompts().items() if prompt.text not in texts]
    assert set(missing) <= seeds, f"never sent: {sorted(set(missing) - seeds)}"


def test_predictions_name_their_prompts_by_id_and_hash():
    for prompt in prompts().values():
        assert re.fullmatch(r"[a-z][\w.]*@[0-9a-f]{12}", prompt.ref) and MARK not in prompt.text
    assert Prompt("a", "x").ref != Prompt("a", "y").ref


def problem(kind: str, text: str, data: Any) -> str | None:
    """What is wrong with a rendered block, or None."""
    if CONTROL_TOKENS.search(text):
        return "a control token of a chat template"
    if kind in ("page_text", "node", "table"):
        return evidence_problem(text)
    if re.search(r"<\W*/?\W*(?:evidence|node)\b", text, re.IGNORECASE):
        return "a delimiter outside of evidence"
    loose = [line for line in text.splitlines() if MARK in line and not line.startswith("- ")]
    if kind in ("role", "instruction") and (loose or (kind == "role" and MARK in text)):
        return "outside text in a place of ours, not on one line of a list"
    if kind == "board":
        return board_problem(text, len(data["cells"]))
    if kind == "history":
        first, *lines = text.splitlines()
        turns = len(data["turns"])
        return (
            None if first == "Conversation so far:" and len(lines) == turns else f"{len(lines)} lines for {turns} turns"
        )
    return None


def evidence_problem(text: str) -> str | None:
    opened = re.match(
        r'<evidence page="\d+"(?: printed="[^"<>\n]*")?(?: part="\[[\d., ]+\]")?(?: section="[^"<>\n]*")?>\n', text
    )
    if opened is None or not text.endswith("\n</evidence>"):
        return "evidence does not stand between its delimiters"
    inner = text[opened.end() : -len("\n</evidence>")]
    if re.search(r"<\W*/?\W*evidence\b", inner, re.IGNORECASE):
        return "evidence opens or closes a delimiter inside"
    forged = [
        tag for tag in re.findall(r"<[\W_]*node\b[^>\n]*>?", inner) if not re.match(r"<node \w+(?: [^<>\n]*)?>$", tag)
    ]
    return f"forged node {forged[0]!r}" if forged else None


def board_problem(text: str, cells: int) -> str | None:
    first, *lines = text.splitlines()
    if first != "Shared board (summary):":
        return "a board without its heading"
    for line in lines:
        if line and not re.match(
            r"\[Page \d+\]$|- \(#\d+, [\w ]+, step \d+(?:, \w+ on page \d+(?:, confidence [\d.]+)?)?\) ", line
        ):
            return f"a line of a board that is no cell: {line[:80]!r}"
    shown = sum(line.count("- (#") for line in lines)
    return None if shown <= cells else f"{shown} cells shown of {cells}"
