"""Typed requests to the model from asynchronous code, with prompts that fit its context."""

from __future__ import annotations

from collections.abc import Callable

from cosee.agents.context import Context
from cosee.agents.decision.thresholds import CALLS_KEPT_FOR_ANSWER, MIN_CONTEXT_TOKENS, TOKENS_KEPT_FOR_ANSWER
from cosee.agents.decision.tool import Services, in_thread
from cosee.agents.thresholds import RESERVED_TOKENS
from cosee.models.blocks import Message
from cosee.models.calls import Output, TypedReply
from cosee.models.metering import MeteredClient


async def ask(
    services: Services, message: Message, schema: type[Output], max_new_tokens: int, *, last: bool = False
) -> TypedReply[Output]:
    """One typed request, made in a thread. Only the ``last`` one, the answer, may use up the budget.

    Raises:
        ModelError: the call failed.
        BudgetExceeded: the question's budget does not allow it.
    """
    client = services.context.client
    sampling = services.context.sampling(max_new_tokens, services.generation)
    if isinstance(client, MeteredClient) and not last:
        client = client.leaving(calls=CALLS_KEPT_FOR_ANSWER, tokens_out=TOKENS_KEPT_FOR_ANSWER)
    services.prompts.update(str(block.data["prompt_id"]) for block in message.of("instruction"))
    return await in_thread(client.request, [message], schema, sampling)


def fit_context(context: Context, build: Callable[[int], Message], max_tokens: int) -> Message:
    """``build(tokens)`` with the most evidence, at most ``max_tokens`` of it, that the model's context holds."""
    room = max(MIN_CONTEXT_TOKENS, context.client.max_context - RESERVED_TOKENS)
    tokens = min(max_tokens, room)
    message = build(tokens)
    while tokens > MIN_CONTEXT_TOKENS and context.client.tokenize_prompt_length([message]) > room:
        tokens = max(MIN_CONTEXT_TOKENS, tokens * 2 // 3)
        message = build(tokens)
    return message
