"""Models behind Google's generative language protocol."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel

from cosee.artifacts.results.prediction import Usage
from cosee.models.blocks import Message
from cosee.models.calls import Generation, Sampling
from cosee.models.served.client import ServedClient, ServerFault, json_schema, wait_asked

PICTURE_LIMIT = 7_000_000
FINISHED = {"STOP": "stop", "MAX_TOKENS": "length"}


class GoogleClient(ServedClient):
    """``models/MODEL:generateContent``. A typed request asks for JSON of the schema; no repetition penalty is sent."""

    library = "google-genai"
    default_key_env = "GEMINI_API_KEY"

    def _connect(self) -> Any:
        from google import genai
        from google.genai import types

        options = types.HttpOptions(base_url=self.options.base_url, timeout=int(self.options.timeout * 1000))
        return genai.Client(api_key=self._key, http_options=options)

    def _models(self) -> list[str]:
        with _faults():
            return [str(model.name).removeprefix("models/") for model in self._connection.models.list()]

    def _send(self, messages: Sequence[Message], sampling: Sampling, schema: type[BaseModel] | None) -> Generation:
        from google.genai import types

        settings: dict[str, Any] = {
            "max_output_tokens": sampling.max_new_tokens,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "top_k": sampling.top_k or None,
            "presence_penalty": sampling.presence_penalty or None,
            "seed": sampling.served_seed,
            "stop_sequences": sampling.stop or None,
        }
        system = "\n\n".join(block.text for message in messages if message.role == "system" for block in message.blocks)
        if system:
            settings["system_instruction"] = system
        if schema is not None:
            settings["response_mime_type"] = "application/json"
            settings["response_json_schema"] = json_schema(schema)
        contents = [
            types.Content(role="model" if message.role == "assistant" else "user", parts=self._parts(message))
            for message in messages
            if message.role != "system"
        ]
        config = types.GenerateContentConfig(**settings)
        with _faults():
            reply = self._connection.models.generate_content(model=self.name, contents=contents, config=config)
        candidate = reply.candidates[0] if reply.candidates else None
        parts = (candidate.content.parts or []) if candidate is not None and candidate.content else []
        usage = reply.usage_metadata
        finished = getattr(candidate and candidate.finish_reason, "name", None) or "blocked"
        return Generation(
            text="".join(part.text or "" for part in parts if not part.thought),
            usage=Usage(
                tokens_in=getattr(usage, "prompt_token_count", 0) or 0,
                tokens_out=getattr(usage, "candidates_token_count", 0) or 0,
                tokens_cached=getattr(usage, "cached_content_token_count", 0) or 0,
                images=sum(part.inline_data is not None for content in contents for part in content.parts or []),
                calls=1,
            ),
            finish_reason=FINISHED.get(finished, finished.lower()),
        )

    def _parts(self, message: Message) -> list[Any]:
        from google.genai import types

        parts: list[Any] = []
        for block in message.blocks:
            if block.image is not None and self.sees_images:
                media_type, data = block.image.encoded(PICTURE_LIMIT)
                parts.append(types.Part.from_bytes(data=data, mime_type=media_type))
            elif block.text:
                parts.append(types.Part.from_text(text=block.text))
        return parts


@contextmanager
def _faults() -> Iterator[None]:
    """Errors of the library, and of the HTTP library below it, as ServerFault."""
    from google.genai import errors

    transports = [sys.modules[name].HTTPError for name in ("httpx", "httpx2") if name in sys.modules]
    try:
        yield
    except errors.APIError as error:
        headers = getattr(error.response, "headers", None) or {}
        raise ServerFault(error.code, str(error.message or error), wait_asked(headers)) from None
    except (OSError, *transports) as error:
        raise ServerFault(None, f"no answer ({type(error).__name__}: {error})") from None
