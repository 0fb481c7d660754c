"""What the clients of models in this process share: replies and batches over a ``LocalGenerator``."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosee.models.base import VLMClient
from cosee.models.blocks import Message
from cosee.models.calls import Failure, Generation, ModelError, ReplyListener, Sampling, successful
from cosee.models.decoding import strip_thinking
from cosee.models.local import transformers_loading as loading
from cosee.models.local.local_generation import LocalGenerator, Prompt


@dataclass
class _Call:
    """A call that waits for its turn; ``reply`` is then the reply, or what it raises."""

    messages: Sequence[Message]
    sampling: Sampling | None
    reply: Generation | BaseException | None = None


class LocalClient(VLMClient):
    """A model in this process. Subclasses load it (``generator``) and encode prompts for it.

    Threads may share a client: the model runs one batch at a time, and calls that came meanwhile are the next batch,
    ``concurrency`` at most.
    """

    def __init__(
        self,
        folder: Path,
        device: str,
        options: Mapping[str, Any],
        further: Sequence[object],
        max_context: int | None,
        prefix_gib: float,
        concurrency: int,
    ) -> None:
        """``options``: dtype, quantisation and attention, as ``loading.load`` takes them. They and ``further``, what
        else decides a reply, make the revision.

        Raises:
            ModelError: bitsandbytes is missing, or both quantisations were asked for.
        """
        loading.check_quantization(options["load_in_8bit"], options["load_in_4bit"])
        self._lock = threading.Lock()
        self._waiting: deque[_Call] = deque()
        self.concurrency = concurrency
        self.folder = folder
        self.name = folder.name
        self.revision = loading.revision(folder, *options.values(), *further)
        self.max_context = max_context or loading.configured_context(folder)
        self._device, self._options, self._prefix_gib = device, options, prefix_gib

    def _generator_of(self, auto_class: Any, tokenizer: Any, **more: Any) -> LocalGenerator:
        """The folder's model on the device, with its tokenizer's decoding and end tokens."""
        device = loading.resolve_device(self._device)
        model = loading.load(auto_class, self.folder, device=device, **self._options, **more)
        return LocalGenerator(
            model,
            lambda tokens: str(tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)),
            loading.end_tokens(model, tokenizer),
            pad_token=tokenizer.pad_token_id or 0,
            prefix_bytes=int(self._prefix_gib * (1 << 30)),
        )

    @property
    @abstractmethod
    def generator(self) -> LocalGenerator:
        """The loaded model and its prefixes."""

    @abstractmethod
    def _encode(self, messages: Sequence[Message]) -> Prompt:
        """A conversation, ready for the model."""

    def chat(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Generation:
        """One reply, without what the model thought before it.

        Raises:
            ModelError: the prompt is longer than the context, or does not fit the memory.
        """
        return self.chat_many([messages], sampling)[0]

    def chat_typed(self, messages: Sequence[Message], schema: Any, sampling: Sampling | None = None) -> Generation:
        """As ``chat``, thoughts included: the parser tells a thought that was cut off from an empty reply."""
        return successful(self.chat_typed_many([messages], schema, [sampling])[0])

    def chat_typed_streamed(
        self, messages: Sequence[Message], schema: Any, sampling: Sampling | None, listener: ReplyListener
    ) -> Generation:
        """As ``chat_typed``; the listener is given the text as tokens are drawn."""
        with self._lock:
            prompt = self._encode(messages)
            for rows, known in self.generator.steps([prompt], [self.within_context(len(prompt), sampling)]):
                text = strip_thinking(rows[0].text)
                if not text.endswith("\ufffd"):  # a character of several tokens that is not whole yet
                    listener(text)
                drawn = rows[0], known[0]
            return self.generator.reply(prompt, *drawn)

    def as_they_come(
        self, batch: Sequence[Sequence[Message]], schema: Any, samplings: Sequence[Sampling | None]
    ) -> Iterator[tuple[int, Generation | Failure]]:
        """As of any client; the replies of one batch are there together.

        Whichever thread finds the model free runs what waits, the calls of other threads among it.
        """
        calls = [_Call(messages, sampling) for messages, sampling in zip(batch, samplings, strict=True)]
        self._waiting.extend(calls)
        for place, call in enumerate(calls):
            while call.reply is None:
                with self._lock:
                    self._run([self._waiting.popleft() for _ in range(min(self.concurrency, len(self._waiting)))])
            reply = call.reply
            if not isinstance(reply, Generation | ModelError):
                raise reply
            if schema is None and isinstance(reply, Generation):
                reply = reply.model_copy(update={"text": strip_thinking(reply.text)})
            yield place, reply

    def _run(self, calls: Sequence[_Call]) -> None:
        """Calls as one batch; one by one where they do not fit the memory together."""
        try:
            prompts: list[tuple[_Call, Prompt, Sampling]] = []
            for call in calls:
                try:
                    prompt = self._encode(call.messages)
                    prompts.append((call, prompt, self.within_context(len(prompt), call.sampling)))
                except ModelError as failure:
                    call.reply = failure
            self._generate(prompts)
        except BaseException as error:
            for call in calls:
                call.reply = call.reply or error
            raise

    def _generate(self, prompts: Sequence[tuple[_Call, Prompt, Sampling]]) -> None:
        if not prompts:
            return
        try:
            together = self.generator.generate([each[1] for each in prompts], [each[2] for each in prompts])
        except ModelError as failure:
            if len(prompts) == 1:
                prompts[0][0].reply = failure
            else:
                for each in prompts:
                    self._generate([each])
        else:
            for (call, _, _), reply in zip(prompts, together, strict=True):
                call.reply = reply
