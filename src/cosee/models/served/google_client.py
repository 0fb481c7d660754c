"""Models behind Google's generative language protocol."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from pydantic import BaseModel

from cosee.artifacts.results.prediction import Usage
from cosee.models.blocks import Message
from cosee.models.calls import Generation, Sampling
from cosee.models.reply_schema import asked_schema
from cosee.models.served.agreement import Parts
from cosee.models.served.client import ServedClient
from cosee.models.served.faults import ServerFault, blocked, garbled, unreached, wait_asked
from cosee.models.served.thresholds import GOOGLE_PICTURE_BYTES

FINISHED = {"STOP": "stop", "MAX_TOKENS": "length"}
BLOCKED = ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE")
"""Why a reply was taken away."""
RETRY_DELAY = re.compile(r"['\"]retryDelay['\"]:\s*['\"]([\d.]+)s")
"""How an error of this protocol says when to ask again."""


class GoogleClient(ServedClient):
    """``models/MODEL:generateContent``. A typed request asks for JSON of the schema; no repetition penalty is sent."""

    library = "google-genai"
    default_key_env = "GEMINI_API_KEY"
    parts = Parts(
        required=frozenset({"contents", "system_instruction"}),
        typed=frozenset({"response_mime_type", "response_json_schema"}),
    )
    picture_bytes = GOOGLE_PICTURE_BYTES

    def _connect(self) -> Any:
        from google import genai
        from google.genai import types

        options = types.HttpOptions(
            base_url=self.options.base_url,
            timeout=int(self.options.timeout * 1000),
            headers=dict(self.options.extra_headers),
        )
        return genai.Client(api_key=self._key, http_options=options)

    def _models(self, timeout: float) -> dict[str, int | None]:
        with _faults():
            models = self._connection.models.list(config={"http_options": {"timeout": int(timeout * 1000)}})
            return {str(model.name).removeprefix("models/"): model.input_token_limit for model in models}

    def _body(self, messages: Sequence[Message], sampling: Sampling, schema: type[BaseModel] | None) -> dict[str, Any]:
        from google.genai import types

        body: dict[str, Any] = {
            "contents": [
                types.Content(role="model" if message.role == "assistant" else "user", parts=self._parts(message))
                for message in messages
                if message.role != "system"
            ],
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
            body["system_instruction"] = system
        if schema is not None:
            body |= {
                "response_mime_type": "application/json",
                "response_json_schema": asked_schema(schema, self.asked_grid),
            }
        return body

    def _complete(self, body: dict[str, Any], timeout: float) -> Generation:
        from google.genai import types

        known = {name: value for name, value in body.items() if name in types.GenerateContentConfig.model_fields}
        rest = {name: value for name, value in body.items() if name not in known and name != "contents"}
        options = types.HttpOptions(timeout=int(timeout * 1000), extra_body=rest or None)
        config = types.GenerateContentConfig(**known, http_options=options)
        with _faults():
            reply = self._connection.models.generate_content(model=self.name, contents=body["contents"], config=config)
        feedback = getattr(reply.prompt_feedback, "block_reason", None)
        if feedback is not None:
            raise blocked(str(getattr(feedback, "name", feedback)))
        if not reply.candidates:
            raise garbled(reply.sdk_http_response.body if reply.sdk_http_response else reply)
        candidate = reply.candidates[0]
        finished = getattr(candidate.finish_reason, "name", None) or "STOP"
        if finished in BLOCKED:
            raise blocked(finished)
        parts = (candidate.content.parts or []) if candidate.content else []
        usage = reply.usage_metadata
        return Generation(
            text="".join(part.text or "" for part in parts if not part.thought),
            usage=Usage(
                tokens_in=getattr(usage, "prompt_token_count", 0) or 0,
                tokens_out=getattr(usage, "candidates_token_count", 0) or 0,
                tokens_cached=getattr(usage, "cached_content_token_count", 0) or 0,
                images=sum(part.inline_data is not None for each in body["contents"] for part in each.parts or []),
                calls=1,
            ),
            finish_reason=FINISHED.get(finished, finished.lower()),
        )

    def _picture_part(self, media_type: str, data: bytes) -> Any:
        from google.genai import types

        return types.Part.from_bytes(data=data, mime_type=media_type)

    def _text_part(self, text: str) -> Any:
        from google.genai import types

        return types.Part.from_text(text=text)


@contextmanager
def _faults() -> Iterator[None]:
    """Errors of the library, and of the HTTP library below it, as ServerFault."""
    from google.genai import errors

    transports = [sys.modules[name].HTTPError for name in ("httpx", "httpx2") if name in sys.modules]
    try:
        yield
    except errors.APIError as error:
        text = str(error.message or error)
        delay = RETRY_DELAY.search(str(error.details))
        wait = wait_asked(getattr(error.response, "headers", None) or {})
        raise ServerFault(error.code, text, float(delay[1]) if wait is None and delay else wait) from None
    except (OSError, *transports) as error:
        raise unreached(error) from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise garbled(getattr(error, "doc", None) or f"{type(error).__name__}: {error}") from None
