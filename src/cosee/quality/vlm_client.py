"""``VLMClient.generate(prompt, image, **kwargs)``: a thin adapter over ``models``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cosee.models import base
from cosee.models.blocks import Message, PageImage
from cosee.models.boxes import Grid
from cosee.models.calls import ModelError, Sampling
from cosee.models.entries import Entry
from cosee.models.messages import image_block, instruction_block
from cosee.models.registry import known_entry, open_client

if TYPE_CHECKING:
    from PIL.Image import Image

PROMPT_ID = "quality"


class VLMClient(ABC):
    """Something that answers a prompt about one image with text."""

    name: str = "unnamed"
    box_grid: Grid = 1.0
    """What boxes of its replies count in."""

    def sent_size(self, image: Image) -> tuple[int, int]:
        """Width and height of an image as its model is sent it."""
        return image.size

    @abstractmethod
    def generate(self, prompt: str, image: Image | None, **kwargs: Any) -> str:
        """One reply. ``kwargs``: ``max_tokens``, ``temperature`` (0), ``top_p`` (0.1), ``seed``.

        Raises:
            ModelError: the call failed; ``recoverable`` tells whether it may succeed when tried again.
            TypeError: an argument of another name.
        """


class ChatVLMClient(VLMClient):
    """Any model of ``config/models.yaml``."""

    kinds: tuple[str, ...] = ()
    """Entries of ``config/models.yaml`` that this class speaks to; empty for all."""

    def __init__(self, client: base.VLMClient) -> None:
        self.client = client
        self.name = client.name
        self.box_grid = client.box_grid

    def sent_size(self, image: Image) -> tuple[int, int]:
        """That of the client."""
        return self.client.sent_size(PageImage(1, image))

    def generate(self, prompt: str, image: Image | None, **kwargs: Any) -> str:
        """One turn: the image, then the prompt."""
        limit = kwargs.pop("max_tokens", 2048)
        sampling = {"temperature": 0.0, "top_p": 0.1, "top_k": 0, "presence_penalty": 0.0, "max_new_tokens": limit}
        for name in list(kwargs):
            if name not in ("temperature", "top_p", "seed"):
                raise TypeError(f"generate() knows no argument {name!r}")
            sampling[name] = kwargs[name]
        pictures = () if image is None else (image_block(PageImage(1, image)),)
        message = Message((*pictures, instruction_block(PROMPT_ID, prompt)))
        return self.client.chat([message], Sampling.model_validate(sampling)).text


class OpenAIVLMClient(ChatVLMClient):
    """OpenAI, and every server that speaks its protocol (vLLM, Ollama, SGLang)."""

    kinds = ("openai",)


class AnthropicVLMClient(ChatVLMClient):
    """Anthropic."""

    kinds = ("anthropic",)


class GoogleVLMClient(ChatVLMClient):
    """Google."""

    kinds = ("google",)


class QwenVLMClient(ChatVLMClient):
    """A Qwen vision-language model in this process."""

    kinds = ("qwen_vl",)


class MockVLMClient(VLMClient):
    """Gives ``replies`` in order, the last one for ever; an exception among them is raised. Keeps what it was given."""

    name = "mock"

    def __init__(self, replies: Sequence[str | Exception]) -> None:
        self.replies = list(replies)
        self.prompts: list[str] = []
        self.arguments: list[dict[str, Any]] = []

    def generate(self, prompt: str, image: Image | None, **kwargs: Any) -> str:
        """The next reply."""
        self.prompts.append(prompt)
        self.arguments.append(kwargs)
        reply = self.replies[min(len(self.prompts), len(self.replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply


PROVIDERS: tuple[type[ChatVLMClient], ...] = (OpenAIVLMClient, AnthropicVLMClient, GoogleVLMClient, QwenVLMClient)


def open_vlm_client(
    name: str, models: Mapping[str, Entry], environment: Mapping[str, str] | None = None
) -> VLMClient | None:
    """The client of a named model, of its provider's class; None for a model that reads no prompts (``embedded``).

    Raises:
        ModelError: no such model, or it does not see images.
    """
    known_entry(name, models)
    kind = models[name].kind
    if kind == "embedded":
        return None
    client = open_client(name, models, environment=environment)
    if not client.sees_images:
        raise ModelError(f"the model {name!r} ({kind}) does not see images; name one that does")
    return next((provider for provider in PROVIDERS if kind in provider.kinds), ChatVLMClient)(client)
