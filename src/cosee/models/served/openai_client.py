"""Models behind the OpenAI chat protocol: OpenAI, vLLM, SGLang, Ollama, LM Studio, ``transformers serve``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from pydantic import BaseModel

from cosee.artifacts.results.prediction import Usage
from cosee.models.blocks import Message
from cosee.models.calls import Generation, Sampling
from cosee.models.decoding import strip_thinking
from cosee.models.served.client import Result, ServedClient, ServerFault, json_schema, library_faults, picture_base64

PICTURE_LIMIT = 15_000_000
OPTIONAL = ("extra_body", "response_format")
"""Parts of a request that not every server takes."""
REFUSALS = (400, 422, 501)


class OpenAIClient(ServedClient):
    """``POST /chat/completions``. ``top_k`` and ``repetition_penalty`` go only to servers of one's own (``base_url``).

    A typed request asks for ``response_format: json_schema``. A server that refuses it, or the two penalties, is asked
    without from then on.
    """

    library = "openai"
    default_key_env = "OPENAI_API_KEY"

    def _connect(self) -> Any:
        import openai

        self._refused: set[str] = set()
        return openai.OpenAI(
            api_key=self._key, base_url=self.options.base_url, timeout=self.options.timeout, max_retries=0
        )

    def _models(self) -> list[str]:
        with _faults():
            return [str(model.id) for model in self._connection.models.list()]

    def _send(self, messages: Sequence[Message], sampling: Sampling, schema: type[BaseModel] | None) -> Generation:
        request = self._body(messages, sampling)
        if schema is not None:
            named = {"name": schema.__name__, "schema": json_schema(schema)}
            request["response_format"] = {"type": "json_schema", "json_schema": named}
        return self._agreed(request, self._completed)

    def _agreed(self, request: dict[str, Any], call: Callable[[dict[str, Any]], Result]) -> Result:
        """The result of a request, without optional parts that this server refuses; they are remembered."""
        optional = [name for name in OPTIONAL if name in request and name not in self._refused]
        ways = [[], *([name] for name in optional), optional] if len(optional) > 1 else [[], optional]
        refusal: ServerFault | None = None
        for dropped in ways[: 1 if not optional else None]:
            try:
                result = call(
                    {name: value for name, value in request.items() if name not in {*self._refused, *dropped}}
                )
            except ServerFault as fault:
                if fault.status not in REFUSALS:
                    raise
                refusal = refusal or fault
            else:
                self._refused.update(dropped)
                return result
        assert refusal is not None
        raise refusal

    def _completed(self, request: dict[str, Any]) -> Generation:
        completion = self._create(request)
        if not completion.choices:
            raise ServerFault(502, "the reply holds no choice")
        choice, usage = completion.choices[0], completion.usage
        details = getattr(usage, "prompt_tokens_details", None)
        return Generation(
            text=choice.message.content or "",
            usage=Usage(
                tokens_in=getattr(usage, "prompt_tokens", 0) or 0,
                tokens_out=getattr(usage, "completion_tokens", 0) or 0,
                tokens_cached=getattr(details, "cached_tokens", 0) or 0,
                images=sum(part["type"] == "image_url" for turn in request["messages"] for part in turn["content"]),
                calls=1,
            ),
            finish_reason=choice.finish_reason or "stop",
        )

    def _create(self, request: dict[str, Any]) -> Any:
        with _faults():
            return self._connection.chat.completions.create(**request)

    def stream(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Iterator[str]:
        """The reply in pieces as the server sends them, thoughts left out.

        Raises:
            ModelError: the request failed, or the stream broke off.
        """
        self.check()
        request = {**self._body(messages, sampling or Sampling()), "stream": True}
        text, shown = "", ""
        with self._slots:
            events = self._tried(lambda: self._agreed(request, self._create))
            try:
                with _faults():
                    for event in events:
                        text += (event.choices[0].delta.content or "") if event.choices else ""
                        visible = strip_thinking(self._masked(text))
                        if visible.startswith(shown) and visible != shown:
                            yield visible[len(shown) :]
                            shown = visible
            except ServerFault as fault:
                raise self._failure(fault) from None

    def _body(self, messages: Sequence[Message], sampling: Sampling) -> dict[str, Any]:
        is_own = self.options.base_url is not None
        body: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": message.role, "content": self._parts(message)} for message in messages],
            ("max_tokens" if is_own else "max_completion_tokens"): sampling.max_new_tokens,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "presence_penalty": sampling.presence_penalty,
            "seed": sampling.served_seed,
        }
        if sampling.stop:
            body["stop"] = sampling.stop[:4]
        if is_own:
            body["extra_body"] = {"top_k": sampling.top_k or -1, "repetition_penalty": sampling.repetition_penalty}
        return body

    def _parts(self, message: Message) -> list[dict[str, Any]]:
        parts: list[dict[str, Any]] = []
        for block in message.blocks:
            if block.image is not None and self.sees_images:
                media_type, data = picture_base64(block.image, PICTURE_LIMIT)
                parts.append({"type": "image_url", "image_url": {"url": f"data:{media_type};base64,{data}"}})
            elif block.text:
                parts.append({"type": "text", "text": block.text})
        return parts


def _faults() -> AbstractContextManager[None]:
    import openai

    return library_faults(openai, openai.OpenAIError)
