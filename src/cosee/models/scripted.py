"""A client that says what it was told to: for tests and for trying a prompt chain without a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cosee.artifacts.results.prediction import Usage
from cosee.models.base import VLMClient
from cosee.models.blocks import Message, estimate_text_tokens, pictures_of
from cosee.models.calls import Generation, ModelError, Sampling

Replies = Sequence[str | ModelError] | Callable[[Sequence[Message]], str]


class ScriptedClient(VLMClient):
    """Gives ``replies`` in order, or what the callable makes of the messages. ``received`` keeps each call's messages.

    A ModelError among the replies is raised. With ``repeat_last`` the last reply is given for ever; otherwise a call
    after the last one raises ModelError.
    """

    name = "scripted"
    revision = "1"
    sees_images = True

    def __init__(self, replies: Replies, *, repeat_last: bool = False) -> None:
        self.replies = replies
        self.repeat_last = repeat_last
        self.received: list[list[Message]] = []
        self.samplings: list[Sampling] = []

    def chat(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Generation:
        """The next reply; token counts are estimates."""
        self.received.append(list(messages))
        self.samplings.append(sampling or Sampling())
        reply = self._next(messages)
        if isinstance(reply, ModelError):
            raise reply
        usage = Usage(
            tokens_in=self.tokenize_prompt_length(messages),
            tokens_out=estimate_text_tokens(reply),
            images=len(pictures_of(messages)),
            calls=1,
        )
        return Generation(text=reply, usage=usage)

    def _next(self, messages: Sequence[Message]) -> str | ModelError:
        if callable(self.replies):
            return self.replies(messages)
        number = len(self.received) - 1
        if number < len(self.replies):
            return self.replies[number]
        if self.repeat_last and self.replies:
            return self.replies[-1]
        raise ModelError(f"scripted: call {number + 1}, but there are {len(self.replies)} replies")
