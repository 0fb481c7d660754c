"""The one interface to a model: messages of blocks in, text or typed output out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel

from cosee.artifacts.results.trace import BudgetExceeded
from cosee.models import structured
from cosee.models.blocks import Message, PageImage, estimate_tokens
from cosee.models.boxes import Grid
from cosee.models.calls import Failure, Generation, ModelError, Output, ReplyListener, Sampling, TypedReply, successful
from cosee.models.messages import picture_message, to_chat
from cosee.models.picture_size import QWEN3_VL, PictureSize

if TYPE_CHECKING:
    from PIL.Image import Image


class VLMClient(ABC):
    """A model, local, served, scripted or none. Subclasses implement ``chat``; the rest has defaults.

    ``name`` and ``revision`` go into predictions and journal keys. ``box_grid`` is the range of the boxes that the
    model answers in (1000 for Qwen3-VL, 1 for none, or pixels), converted where typed replies are read.
    """

    name: str = "unnamed"
    revision: str = ""
    entry: str = ""
    """Its name in ``config/models.yaml``, part of journal keys; empty for a client that no entry opened."""
    address: str = ""
    """Where its server is; no part of a key, since ports and nodes change."""
    settings: Mapping[str, Any] = {}
    """What else its entry says that decides replies, part of journal keys."""
    concurrency: int = 1
    """Calls that it makes at a time; more threads than one may call a client where this is above 1."""
    sees_images: bool = False
    is_model: bool = True
    """False for the reader without a model, which shows the places nearest to a question even without an answer."""
    max_context: int = 32_768
    default_pages: int | Literal["auto"] = "auto"
    """Pages that a method which names no number gives to this client; ``auto`` for as many as a question needs."""
    thinking_tokens: int = 0
    """Room for what it thinks before a typed reply, beside the reply's own."""
    box_grid: Grid = 1.0
    picture_size: PictureSize = QWEN3_VL
    """How large its processor makes pictures, for counts of their tokens."""
    fallback: VLMClient | None = None
    """Asked by ``request`` where this client gave no usable reply."""

    def check(self) -> str:
        """What is known of its server in a few words, which is asked once, before the first call; empty without one.

        Raises:
            ServerFailure: the server cannot be used; the message says why in one line.
        """
        return ""

    @property
    def asked_grid(self) -> Grid | None:
        """``box_grid`` of a model that sees pictures; None for others, which are asked for no boxes."""
        return self.box_grid if self.sees_images else None

    @property
    def images_left(self) -> int | None:
        """Pictures that it may still be shown; None without a bound."""
        return None

    def sent_size(self, image: PageImage) -> tuple[int, int]:
        """Width and height of a picture in pixels as the model is sent it: what boxes in pixels count."""
        return image.size

    @abstractmethod
    def chat(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Generation:
        """One reply to ``messages``."""

    def chat_many(self, batch: Sequence[Sequence[Message]], sampling: Sampling | None = None) -> list[Generation]:
        """``chat`` of each conversation, in order; raises what the first failed call raised, when all have ended."""
        replies = dict(self.as_they_come(batch, None, [sampling] * len(batch)))
        return [successful(replies[place]) for place in range(len(batch))]

    def chat_typed(
        self, messages: Sequence[Message], schema: type[BaseModel], sampling: Sampling | None = None
    ) -> Generation:
        """One reply that will be parsed as ``schema``; a client that can be held to a schema overrides this.

        Callers use ``request``, which parses and retries. Wrappers (journal, meter) see every call of a typed
        request here, and every other call in ``chat``.
        """
        return self.chat(messages, sampling)

    def chat_typed_streamed(
        self, messages: Sequence[Message], schema: type[BaseModel], sampling: Sampling | None, listener: ReplyListener
    ) -> Generation:
        """``chat_typed``; ``listener`` is given all of the text so far, thoughts left out, whenever there is more.

        A text that does not go on from the one before begins the reply anew. A client that can stream overrides this;
        others call ``listener`` never.
        """
        return self.chat_typed(messages, schema, sampling)

    def chat_typed_many(
        self, batch: Sequence[Sequence[Message]], schema: type[BaseModel], samplings: Sequence[Sampling | None]
    ) -> list[Generation | Failure]:
        """``chat_typed`` of each conversation with its sampling; what a failed call raised stands in its place."""
        replies = dict(self.as_they_come(batch, schema, samplings))
        return [replies[place] for place in range(len(batch))]

    def as_they_come(
        self,
        batch: Sequence[Sequence[Message]],
        schema: type[BaseModel] | None,
        samplings: Sequence[Sampling | None],
    ) -> Iterator[tuple[int, Generation | Failure]]:
        """(place in the batch, its reply) of ``chat_typed``, or of ``chat`` without a schema, when it is there.

        A client that can run several prompts at once overrides this; others make one call after the other.
        """
        for place, (messages, sampling) in enumerate(zip(batch, samplings, strict=True)):
            reply: Generation | Failure
            try:
                reply = self.reply_to(messages, schema, sampling)
            except (ModelError, BudgetExceeded) as failure:
                reply = failure
            yield place, reply

    def reply_to(
        self, messages: Sequence[Message], schema: type[BaseModel] | None, sampling: Sampling | None
    ) -> Generation:
        """``chat_typed``, or ``chat`` without a schema."""
        return self.chat(messages, sampling) if schema is None else self.chat_typed(messages, schema, sampling)

    def request(
        self, messages: Sequence[Message], schema: type[Output], sampling: Sampling | None = None
    ) -> TypedReply[Output]:
        """Typed output: the reply parsed and checked against ``schema``. Never raises for what the model wrote."""
        return structured.request(self, messages, schema, sampling, fallback=self.fallback)

    def request_many(
        self,
        batch: Sequence[Sequence[Message]],
        schema: type[Output],
        samplings: Sequence[Sampling | None] | None = None,
    ) -> list[TypedReply[Output] | Failure]:
        """``request`` of each conversation, those of one try sent as a batch; what one would raise stands in its place.

        ``samplings`` has one entry for each conversation; without it all take the defaults.
        """
        return structured.request_many(self, batch, schema, samplings or [None] * len(batch), fallback=self.fallback)

    def told_of_document(self, question: str, texts: Sequence[str]) -> Mapping[str, Any]:
        """What this client wants in the data of each page's block, of all texts of the document: nothing, for a model.

        The data of a block is no part of a prompt. The reader without a model is shown the chosen pages alone, and
        learns here in how many texts of the document the words of the question stand.
        """
        return {}

    def tokenize_prompt_length(self, messages: Sequence[Message]) -> int:
        """Tokens of a prompt; estimated where there is no tokenizer, pictures by ``picture_size``."""
        return estimate_tokens(messages, self.picture_size)

    def within_context(self, prompt_tokens: int, sampling: Sampling | None) -> Sampling:
        """The sampling, its reply cut to what a prompt leaves of the context.

        Raises:
            ModelError: nothing is left.
        """
        sampling = sampling or Sampling()
        left = self.max_context - prompt_tokens
        if left < 1:
            raise ModelError(
                f"{self.name}: a prompt of {prompt_tokens} tokens does not fit the context of {self.max_context}; "
                "give fewer pages or smaller page pictures"
            )
        return sampling.model_copy(update={"max_new_tokens": min(left, sampling.max_new_tokens)})

    def build_messages(
        self,
        images: Sequence[Image],
        question: str,
        board_text: str | None = None,
        role_prompt: str | None = None,
    ) -> list[dict[str, Any]]:
        """One user turn in the structure that ``apply_chat_template`` of transformers takes."""
        return to_chat([picture_message(images, question, board_text, role_prompt)])

    def generate(
        self,
        images: Sequence[Image],
        question: str,
        board_text: str | None = None,
        role_prompt: str | None = None,
        max_new_tokens: int = 64,
        temperature: float = 0.2,
        top_p: float = 0.8,
        top_k: int = 20,
        repetition_penalty: float = 1.0,
        presence_penalty: float = 1.5,
        return_full_text: bool = False,
        **gen_kwargs: Any,
    ) -> str:
        """One call about pictures, the assistant's text. ``gen_kwargs`` may hold further fields of ``Sampling``.

        ``return_full_text`` puts the rendered prompt before the reply.

        Raises:
            TypeError: ``gen_kwargs`` holds an argument that this client does not know.
        """
        message = picture_message(images, question, board_text, role_prompt)
        known = {name: gen_kwargs.pop(name) for name in list(gen_kwargs) if name in Sampling.model_fields}
        sampling = Sampling(
            max_new_tokens=max_new_tokens,
            temperature=temperature,
            top_p=top_p,
            top_k=top_k,
            repetition_penalty=repetition_penalty,
            presence_penalty=presence_penalty,
            **known,
        )
        reply = self._reply_with([message], sampling, gen_kwargs) if gen_kwargs else self.chat([message], sampling).text
        return self._prompt_text(message) + reply if return_full_text else reply

    def _reply_with(self, messages: Sequence[Message], sampling: Sampling, arguments: Mapping[str, Any]) -> str:
        """One reply with arguments that are no Sampling fields; a client that knows such overrides this."""
        raise TypeError(f"{self.name}: generate() knows no argument {sorted(arguments)[0]!r}")

    def _prompt_text(self, message: Message) -> str:
        """A prompt as text, up to where the reply begins."""
        prompt = "\n".join(block.text for block in message.blocks if block.text)
        return f"user\n{prompt}\nassistant\n"


class WrappingClient(VLMClient):
    """A client around another one, ``client``, that has its name and bounds and counts as it does."""

    def __init__(self, client: VLMClient) -> None:
        self.client = client
        self.name, self.revision, self.entry = client.name, client.revision, client.entry
        self.address, self.concurrency = client.address, client.concurrency
        self.sees_images, self.is_model = client.sees_images, client.is_model
        self.max_context, self.thinking_tokens = client.max_context, client.thinking_tokens
        self.default_pages, self.box_grid, self.picture_size = (
            client.default_pages,
            client.box_grid,
            client.picture_size,
        )

    def told_of_document(self, question: str, texts: Sequence[str]) -> Mapping[str, Any]:
        """That of the client."""
        return self.client.told_of_document(question, texts)

    def sent_size(self, image: PageImage) -> tuple[int, int]:
        """That of the client."""
        return self.client.sent_size(image)

    def tokenize_prompt_length(self, messages: Sequence[Message]) -> int:
        """That of the client."""
        return self.client.tokenize_prompt_length(messages)
