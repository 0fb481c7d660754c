"""What goes wrong with a request, in one form for all protocols, and what the words of a refusal mean."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from cosee.models.served.thresholds import REFUSAL_CHARACTERS, REPLY_CHARACTERS

LATE = ("ReadTimeout", "WriteTimeout", "PoolTimeout")
"""Errors of the HTTP libraries while a server that was reached works on a request."""
TORN = ("RemoteProtocolError", "ReadError", "WriteError", "CloseError")
"""Their errors where a connection breaks off."""
REFUSALS = (400, 413, 422, 501)
"""Statuses of a request that the server will not take in this form."""
FILTERED = re.compile(r"content_filter|content management policy")
"""How a refusal says that a safety filter made it."""
Kind = Literal["gone", "torn", "late", "garbled", "blocked", "status"]


class ServerFault(Exception):
    """One failed request. ``status`` is the HTTP status, None where none arrived; ``wait`` what the server asks for.

    ``kind`` tells apart: a server that was not reached (``gone``), one that was, but broke off (``torn``) or answered
    too late (``late``), an answer that is no reply of the protocol (``garbled``), a reply that a safety filter took
    away (``blocked``), and any other answer (``status``).
    """

    def __init__(
        self,
        status: int | None,
        message: str,
        wait: float | None = None,
        kind: Kind = "status",
        body: str = "",
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.wait, self.kind = status, message, wait, kind
        self.words = (body or message)[:REFUSAL_CHARACTERS]
        """The beginning of all that the server said."""

    @property
    def is_lost(self) -> bool:
        """Whether no server is at the other end, as far as one can tell."""
        return self.kind in ("gone", "torn")

    @property
    def asks_to_wait(self) -> bool:
        """Whether the server wants to be asked again later."""
        return self.status == 429 or self.wait is not None

    @property
    def may_pass(self) -> bool:
        """Whether the same request may succeed soon: a late answer, a conflict, 5xx."""
        return self.kind in ("late", "garbled") or self.status in (408, 409, 425) or (self.status or 0) >= 500


def blocked(why: str) -> ServerFault:
    """A reply that a safety filter took away; ``why`` is the server's name for it."""
    return ServerFault(None, f"blocked by the server's safety filter ({why})", kind="blocked")


def garbled(reply: object) -> ServerFault:
    """An answer that is no reply of the protocol, a web page for example; its beginning is told."""
    text = " ".join(str(reply).split())[:REPLY_CHARACTERS]
    return ServerFault(
        None, f"the answer is no reply of this protocol, it begins {text!r}; is base_url right?", kind="garbled"
    )


def error_in_body(error: Any) -> ServerFault:
    """An error that came with status 200: its text, and its code where that is a status."""
    told = error if isinstance(error, Mapping) else {"message": error}
    code = str(told.get("code"))
    status = int(code) if code.isdecimal() and 400 <= int(code) < 600 else 400
    return ServerFault(status, f"an error in place of a reply: {told.get('message') or error}")


@contextmanager
def library_faults(library: Any, base: type[Exception]) -> Iterator[None]:
    """Errors of ``openai`` or ``anthropic``, which are made alike, as ServerFault; ``base`` is the library's own."""
    try:
        yield
    except library.APIStatusError as error:
        body = error.response.text
        text = f"{error.status_code} {_spoken(body)}"
        if error.status_code in REFUSALS and (filtered := FILTERED.search(body[:REFUSAL_CHARACTERS])):
            raise blocked(f"{filtered[0]}: {text}") from None
        raise ServerFault(error.status_code, text, wait_asked(error.response.headers), body=body) from None
    except library.APIConnectionError as error:
        raise unreached(error.__cause__ or error) from None
    except base as error:
        raise ServerFault(502, f"{type(error).__name__}: {error}") from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise garbled(getattr(error, "doc", None) or f"{type(error).__name__}: {error}") from None


def _spoken(body: str) -> str:
    """What a server says in the body of an error, out of the JSON where it is one."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return body
    for name in ("error", "message", "detail"):
        told = told.get(name) or told if isinstance(told, dict) else told
    return told if isinstance(told, str) else body


def unreached(error: BaseException) -> ServerFault:
    """An error of an HTTP library, by its name: the libraries of the protocols do not share one."""
    name = type(error).__name__
    kind: Kind = "late" if name in LATE else "torn" if name in TORN else "gone"
    return ServerFault(None, f"no answer ({name}: {error})", kind=kind)


def wait_asked(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait: ``retry-after-ms``, ``retry-after`` in seconds or as a date."""
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) / scale)
        except (KeyError, ValueError):
            continue
    try:
        return max(0.0, parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time())
    except (KeyError, ValueError):
        return None


@dataclass(frozen=True)
class Excess:
    """A prompt that holds more than a server takes: of what, how much it takes, and how much the prompt has, where it
    says so."""

    of: Literal["pictures", "tokens"]
    limit: int | None = None
    found: int | None = None


# General knowledge: how servers say that a prompt has too many pictures (vLLM, SGLang, LM Studio, Ollama, OpenAI,
# Azure, Groq, Mistral, Anthropic, Gemini).
_PICTURES = re.compile(
    r"(?:at most|too (?:many|much)|fewer than|maximum (?:number )?of|up to|limit of|exceed\w*)[^.\n]{0,60}?"
    r"\b(?:images?|image\(s\)|media|pictures)(?!\w)"
    r"|\b(?:images?|image\(s\)|media|pictures)(?!\w)[^.\n]{0,60}?(?:at most|exceed\w*|\bmax\b|maximum|up to|limit|>)",
    re.IGNORECASE,
)
# General knowledge: words of a refusal of one picture for what it is, not of their number.
_ONE_PICTURE = re.compile(r"pixel|dimension|\bbytes?\b|\b[KM]i?B\b|resolution|decode", re.IGNORECASE)
# General knowledge: how servers say that a prompt is too long (the same, and llama.cpp).
_TOKENS = re.compile(
    r"context[ _](?:length|size|window|limit)|exceed_context|prompt is too long|prompt too long|too many tokens"
    r"|maximum (?:model|allowed) length|input (?:token count|length)|model's maximum|reduce the length"
    r"|request_too_large|request exceeds the maximum size|entity too large|payload too large|n_ctx",
    re.IGNORECASE,
)
_NUMBER = r"(\d[\d,]*)"
# General knowledge: how servers of the OpenAI protocol state a limit.
_PICTURE_LIMIT = re.compile(
    rf"(?:at most|up to|max(?:imum)?(?: is| of)?:?|limit(?: is| of)?:?|>)\s*{_NUMBER}", re.IGNORECASE
)
# General knowledge: the same for tokens.
_TOKEN_LIMIT = re.compile(
    r"(?:maximum context length is|maximum model length of|maximum context length of|context length of only"
    rf"|maximum allowed length \(|context length \(|context size \(|tokens allowed \(|>|n_ctx:|\"n_ctx\":)\s*{_NUMBER}",
    re.IGNORECASE,
)
# General knowledge: how servers say how long the prompt is (vLLM, OpenAI, SGLang, llama.cpp, LM Studio, Anthropic,
# Gemini).
_TOKENS_FOUND = re.compile(
    r"(?:resulted in|you requested|prompt contains(?: at least)?|token count \(|\b(?:input|request|length) \(|\(length"
    rf"|too long:|n_prompt_tokens\"?:|n_keep:|keep the first)\s*{_NUMBER}",
    re.IGNORECASE,
)


def excess(fault: ServerFault) -> Excess | None:
    """What a refused prompt has too much of, in the words of any known server; None where that is not the fault."""
    if fault.status not in (*REFUSALS, 500):
        return None
    words = fault.words
    if _TOKENS.search(words) or fault.status == 413:
        return Excess("tokens", _number(_TOKEN_LIMIT, words), _number(_TOKENS_FOUND, words))
    if _PICTURES.search(words) and not _ONE_PICTURE.search(words):
        return Excess("pictures", _number(_PICTURE_LIMIT, words))
    return None


def _number(pattern: re.Pattern[str], words: str) -> int | None:
    found = pattern.search(words)
    return int(found[1].replace(",", "")) if found else None


def named(words: str, names: Iterable[str]) -> list[str]:
    """The parameters among ``names`` that a refusal names, as they stand or in camel case."""
    found = []
    for name in names:
        camel = re.sub(r"_(\w)", lambda part: part[1].upper(), name)
        # General knowledge: Gemini's refusal of its penalties names neither.
        spoken = r"|penalty is not enabled" if name.endswith("_penalty") else ""
        if re.search(rf"(?<![A-Za-z0-9_])(?:{re.escape(name)}|{camel})(?![A-Za-z0-9_]){spoken}", words, re.IGNORECASE):
            found.append(name)
    return found
