"""What the clients of models in this process share: replies, batches and streams over a ``LocalGenerator``."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cosee.models.base import VLMClient
from cosee.models.blocks import Message
from cosee.models.calls import Failure, Generation, ModelError, Sampling
from cosee.models.decoding import strip_thinking
from cosee.models.local import transformers_loading as loading
from cosee.models.local.local_generation import LocalGenerator, Prompt


class LocalClient(VLMClient):
    """A model in this process; one thread at a time. Subclasses load it (``generator``) and encode prompts for it."""

    def __init__(
        self, folder: Path, device: str, options: Mapping[str, Any], further: Sequence[object], max_context: int | None
    ) -> None:
        """``options``: dtype, quantisation and attention, as ``loading.load`` takes them. They and ``further``, what
        else decides a reply, make the revision.

        Raises:
            ModelError: bitsandbytes is missing, or both quantisations were asked for.
        """
        loading.check_quantization(options["load_in_8bit"], options["load_in_4bit"])
        self._lock = threading.Lock()
        self.folder = folder
        self.name = folder.name
        self.revision = loading.revision(folder, *options.values(), *further)
        self.max_context = max_context or loading.configured_context(folder)
        self._device = device
        self._options = options

    def _load(self, auto_class: Any, **more: Any) -> Any:
        """The folder's model on the device."""
        device = loading.resolve_device(self._device)
        return loading.load(auto_class, self.folder, device=device, **self._options, **more)

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

    def chat_many(self, batch: Sequence[Sequence[Message]], sampling: Sampling | None = None) -> list[Generation]:
        """One reply for each conversation; conversations about the same pages run as one batch."""
        replies = self._generate(batch, sampling)
        return [reply.model_copy(update={"text": strip_thinking(reply.text)}) for reply in replies]

    def chat_typed(self, messages: Sequence[Message], schema: Any, sampling: Sampling | None = None) -> Generation:
        """As ``chat``, thoughts included: the parser tells a thought that was cut off from an empty reply."""
        return self._generate([messages], sampling)[0]

    def chat_typed_many(
        self, batch: Sequence[Sequence[Message]], schema: Any, samplings: Sequence[Sampling | None]
    ) -> list[Generation | Failure]:
        """One reply for each conversation; those that fit the context and are about the same pages run as one batch."""
        replies: dict[int, Generation | Failure] = {}
        prompts: dict[int, tuple[Prompt, Sampling]] = {}
        with self._lock:
            for place, (messages, sampling) in enumerate(zip(batch, samplings, strict=True)):
                try:
                    prompt = self._encode(messages)
                    prompts[place] = prompt, self.within_context(len(prompt), sampling)
                except ModelError as failure:
                    replies[place] = failure
            replies |= self._run(prompts)
        return [replies[place] for place in range(len(batch))]

    def _run(self, prompts: Mapping[int, tuple[Prompt, Sampling]]) -> dict[int, Generation | Failure]:
        """Prompts as one batch; one by one where they do not fit the memory together."""
        if not prompts:
            return {}
        try:
            together = self.generator.generate(*map(list, zip(*prompts.values(), strict=True)))
        except ModelError as failure:
            if len(prompts) == 1:
                return {place: failure for place in prompts}
            return {place: reply for each in prompts.items() for place, reply in self._run(dict([each])).items()}
        return dict(zip(prompts, together, strict=True))

    def stream(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Iterator[str]:
        """The reply in pieces as tokens are drawn; they join to the text of ``chat``."""
        with self._lock:
            prompt = self._encode(messages)
            shown = ""
            for (row,), _ in self.generator.steps([prompt], [self.within_context(len(prompt), sampling)]):
                text = strip_thinking(row.text)
                # A character of several tokens is not whole yet, and a stop string may still cut the end.
                is_settled = row.finish_reason or not (row.sampling.stop or "\ufffd" in text)
                if is_settled and text.startswith(shown):
                    yield text[len(shown) :]
                    shown = text

    def _generate(self, batch: Sequence[Sequence[Message]], sampling: Sampling | None) -> list[Generation]:
        with self._lock:
            prompts = [self._encode(messages) for messages in batch]
            return self.generator.generate(prompts, [self.within_context(len(prompt), sampling) for prompt in prompts])


def generator_of(model: Any, tokenizer: Any, prefix_gib: float) -> LocalGenerator:
    """A loaded model with its tokenizer's decoding and end tokens; ``prefix_gib`` bounds the kept prompt states."""
    return LocalGenerator(
        model,
        lambda tokens: str(tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)),
        loading.end_tokens(model, tokenizer),
        pad_token=tokenizer.pad_token_id or 0,
        prefix_bytes=int(prefix_gib * (1 << 30)),
    )
