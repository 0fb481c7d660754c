"""``HfTextClient``: a causal language model from a local folder or GGUF file. It sees page text, never pictures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from cosee.models.blocks import Message
from cosee.models.local import transformers_loading as loading
from cosee.models.local.local_client import LocalClient
from cosee.models.local.local_generation import LocalGenerator, Prompt
from cosee.models.local.thresholds import CONCURRENCY, TEXT_PREFIX_GIB
from cosee.models.messages import to_text_chat


class HfTextClient(LocalClient):
    """A text model through ``AutoModelForCausalLM``, with the prefix reuse of ``LocalGenerator``.

    ``model_path`` is a folder; with ``gguf_file`` the weights and the tokenizer are read from that file in it. Where
    the tokenizer has no chat template, turns are written as ``role: text`` lines.

    Raises:
        ModelError: the folder is not a model's, or something asked for is not installed.
    """

    sees_images = False

    def __init__(
        self,
        model_path: str,
        device: str = "cpu",
        dtype: str = "auto",
        load_in_8bit: bool = False,
        load_in_4bit: bool = False,
        *,
        gguf_file: str | None = None,
        attention: str | None = None,
        max_context: int | None = None,
        prefix_gib: float = TEXT_PREFIX_GIB,
        concurrency: int = CONCURRENCY,
    ) -> None:
        folder = loading.model_folder(model_path, ("config.json",) if gguf_file is None else (gguf_file,))
        options = dict(dtype=dtype, load_in_8bit=load_in_8bit, load_in_4bit=load_in_4bit, attention=attention)
        super().__init__(folder, device, options, [gguf_file], max_context, prefix_gib, concurrency)
        self._gguf = {} if gguf_file is None else {"gguf_file": gguf_file}

    @cached_property
    def tokenizer(self) -> Any:
        """The folder's tokenizer."""
        loading.stay_offline()
        from transformers import AutoTokenizer

        return loading.load_part("tokenizer", AutoTokenizer, self.folder, **self._gguf)

    @cached_property
    def generator(self) -> LocalGenerator:
        """The loaded model and its prefixes."""
        tokenizer = self.tokenizer
        from transformers import AutoModelForCausalLM

        return self._generator_of(AutoModelForCausalLM, tokenizer, **self._gguf)

    def tokenize_prompt_length(self, messages: Sequence[Message]) -> int:
        """Tokens of the rendered prompt; loads no weights."""
        return len(self._ids(messages))

    def _encode(self, messages: Sequence[Message]) -> Prompt:
        import torch

        ids = torch.tensor(self._ids(messages))
        return Prompt(ids, torch.arange(len(ids))[None], ids.numpy())

    def _ids(self, messages: Sequence[Message]) -> list[int]:
        ids: list[int] = self.tokenizer(rendered(self.tokenizer, messages), add_special_tokens=False)["input_ids"]
        return ids


def rendered(tokenizer: Any, messages: Sequence[Message]) -> str:
    """A conversation as text by the tokenizer's chat template; without one, turns are ``role: text`` lines."""
    chat = to_text_chat(messages)
    if tokenizer.chat_template:
        return str(tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True))
    return "".join(f"{turn['role']}: {turn['content']}\n" for turn in chat) + "assistant:"
