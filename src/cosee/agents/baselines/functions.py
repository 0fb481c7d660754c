"""The baselines as functions for use from Python: over pictures of pages and the ``generate`` of a client."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cosee.agents.baselines.prompts import PLAIN_CHAT, PLAIN_STEP_BY_STEP
from cosee.agents.cosee.agent import Agent, Generates
from cosee.agents.short_answer import answer_key, short_answer
from cosee.models.messages import history_block

SAMPLED = {"temperature": 0.7, "top_p": 0.95}
"""How several calls are drawn that must be able to differ."""


def single_agent_cot(
    qwen_client: Generates,
    images: list[Any],
    question: str,
    max_new_tokens: int = 128,
    gen_kwargs: dict[str, Any] | None = None,
) -> str:
    """One call that asks for reasoning step by step; the short answer out of its last line."""
    options = {"max_new_tokens": max_new_tokens, **(gen_kwargs or {})}
    return final_answer(
        question, qwen_client.generate(images, question, role_prompt=PLAIN_STEP_BY_STEP.text, **options)
    )


def self_consistency(
    qwen_client: Generates,
    images: list[Any],
    question: str,
    num_samples: int = 3,
    max_new_tokens: int = 128,
    gen_kwargs: dict[str, Any] | None = None,
) -> str:
    """``num_samples`` sampled calls of ``single_agent_cot``; the answer that most of them share, the first of equals.

    Each call has its own ``sample`` number, so that a journal keeps them apart.
    """
    if num_samples < 1:
        raise ValueError(f"num_samples is at least 1, found {num_samples!r}")
    options = {**SAMPLED, **(gen_kwargs or {})}
    answers = [
        single_agent_cot(qwen_client, images, question, max_new_tokens, {**options, "sample": number})
        for number in range(num_samples)
    ]
    return answers[majority(answers)]


def multi_agent_chat_no_board(
    agents: list[Agent],
    images: list[Any],
    question: str,
    max_turns: int = 3,
    gen_kwargs: dict[str, Any] | None = None,
) -> str:
    """Agents talk ``max_turns`` turns, each once a turn, with the text of the conversation as their only memory.

    The answer is the last that a message marks with ``Answer:``, else the last message's. An agent's own client and
    generation settings are used; ``gen_kwargs`` override them.
    """
    turns: list[dict[str, str]] = []
    for _ in range(max_turns):
        for agent in agents:
            if agent.qwen_client is None:
                raise ValueError(f"agent {agent.name!r} has no client to ask")
            history = history_block(turns).text if turns else ""
            prompt = "\n\n".join(part for part in (agent.role_prompt, history, PLAIN_CHAT.text) if part)
            options = {**agent.default_gen_kwargs, **(gen_kwargs or {})}
            text = agent.qwen_client.generate(images, question, role_prompt=prompt, **options)
            turns.append({"author": agent.name, "content": text})
    marked = [turn["content"] for turn in turns if _marked_lines(turn["content"])]
    return final_answer(question, (marked or [turn["content"] for turn in turns] or [""])[-1])


def final_answer(question: str, text: str) -> str:
    """The short answer in a reply that reasons first: its last line that begins with ``Answer:``, else its last."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    return short_answer(question, (_marked_lines(text) or lines or [""])[-1])


def majority(answers: list[str]) -> int:
    """The place of the first answer whose normalised form is the most frequent; of equals the one that came first."""
    votes = Counter(answer_key(answer) for answer in answers)
    return max(range(len(answers)), key=lambda place: (votes[answer_key(answers[place])], -place))


def _marked_lines(text: str) -> list[str]:
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line.lower().lstrip("*").startswith("answer:")]
