"""Typed requests to the model from asynchronous code, with prompts that fit its context."""

from __future__ import annotations

from collections.abc import Callable

from cosee.agents.decision.tool import in_thread
from cosee.agents.reading import RESERVED_TOKENS
from cosee.agents.strategy import Context
from cosee.models.base import Message, Output, Sampling, TypedReply

LEAST_TOKENS = 200


async def ask(context: Context, message: Message, schema: type[Output], max_new_tokens: int) -> TypedReply[Output]:
    """One typed request, made in a thread.

    Raises:
        ModelError: the call failed.
        BudgetExceeded: the question's budget does not allow it.
    """
    sampling = Sampling(max_new_tokens=max_new_tokens, seed=context.seed)
    return await in_thread(context.client.request, [message], schema, sampling)


def fitting(context: Context, build: Callable[[int], Message], max_tokens: int) -> Message:
    """``build(tokens)`` with the most evidence, at most ``max_tokens`` of it, that the model's context holds."""
    room = max(LEAST_TOKENS, context.client.max_context - RESERVED_TOKENS)
    tokens = min(max_tokens, room)
    message = build(tokens)
    while tokens > LEAST_TOKENS and context.client.tokenize_prompt_length([message]) > room:
        tokens = max(LEAST_TOKENS, tokens * 2 // 3)
        message = build(tokens)
    return message
