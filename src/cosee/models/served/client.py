"""What clients of served models share: concurrency, time-outs, retries, a check at the first call, no keys in sight.

A provider's module translates messages, sends one request and reads the reply; everything else is here.
"""

from __future__ import annotations

import base64
import logging
import os
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from cosee.models.base import VLMClient
from cosee.models.blocks import Message, PageImage
from cosee.models.calls import Failure, Generation, ModelError, Sampling, successful
from cosee.models.decoding import strip_thinking
from cosee.text.likeness import nearest

log = logging.getLogger(__name__)
Result = TypeVar("Result")
SHORTEST_KEY = 12
"""Characters of a real key."""
LONGEST_WAIT = 60.0
"""Seconds; a server that asks for more is not waited for."""


class ServerFault(Exception):
    """One failed request. ``status`` is the HTTP status, None where none arrived; ``wait`` what the server asks for."""

    def __init__(self, status: int | None, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.wait = status, message, wait

    @property
    def recoverable(self) -> bool:
        """Whether the same request may succeed later: no answer, a time-out, a conflict, too many requests, 5xx."""
        return self.status is None or self.status in (408, 409, 425, 429) or self.status >= 500


@dataclass(frozen=True)
class ServerOptions:
    """How a server is spoken to. ``timeout`` is seconds a request; ``retries`` follow the first try."""

    base_url: str | None = None
    api_key_env: str | None = None
    timeout: float = 120.0
    retries: int = 4
    concurrency: int = 4
    max_context: int = 32_768
    sees_images: bool = True
    revision: str = ""


class ServedClient(VLMClient):
    """A model behind an HTTP server. Nothing is sent before the first call, which first checks server and model.

    Recoverable failures are tried again after 1, 2, 4 ... seconds, or after what the server asks for. At most
    ``concurrency`` requests are under way. A key is read from the environment when the client is made, and is cut out
    of every message.

    Raises:
        ModelError: the provider's library is not installed, or its key is not set.
    """

    library: str = ""
    default_key_env: str = ""

    def __init__(
        self,
        model: str,
        options: ServerOptions | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.options = options or ServerOptions()
        self.name = model
        self.revision = self.options.revision
        self.sees_images, self.max_context = self.options.sees_images, self.options.max_context
        self.concurrency, self.address = self.options.concurrency, self.options.base_url or self.library
        self._key = self._find_key(os.environ if environment is None else environment)
        self._sleep = sleep
        self._slots = threading.BoundedSemaphore(self.options.concurrency)
        self._check_lock = threading.Lock()
        self._is_checked = False
        try:
            self._connection = self._connect()
        except ImportError as error:
            raise ModelError(f"{model}: {self.library} is not installed: pip install 'cosee[serve]'") from error

    def _find_key(self, environment: Mapping[str, str]) -> str:
        """The key, or a placeholder for a server of one's own that asks for none.

        White space around it, which files of keys end in, is cut; what no HTTP header can carry is refused here, since
        HTTP libraries show the whole header in their errors.
        """
        name = self.options.api_key_env or self.default_key_env
        key = environment.get(name, "").strip()
        if not (key.isascii() and key.isprintable()):
            fault = "holds a line break, a control character or a letter outside of ASCII, which no key has"
            raise ModelError(f"{self.name}: the environment variable {name} {fault}")
        if not key and (self.options.api_key_env or self.options.base_url is None):
            raise ModelError(f"{self.name}: the environment variable {name} is not set; it holds the key of the server")
        return key or "none"

    @abstractmethod
    def _connect(self) -> Any:
        """The provider library's client, its own retries turned off."""

    @abstractmethod
    def _models(self) -> list[str]:
        """Ids of the models that the server has; raises ServerFault."""

    @abstractmethod
    def _send(self, messages: Sequence[Message], sampling: Sampling, schema: type[BaseModel] | None) -> Generation:
        """One request; raises ServerFault."""

    def check(self) -> None:
        """Ask the server which models it has, once.

        Raises:
            ModelError: no answer, a refused key, or no such model (the message names the nearest).
        """
        with self._check_lock:
            if self._is_checked:
                return
            known = self._tried(self._models)
            if self.name not in known:
                near = nearest(self.name, known)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise ModelError(f"the server at {self._where()} has no model {self.name!r}{hint}")
            self._is_checked = True

    def chat(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Generation:
        """One reply, without what the model thought before it.

        Raises:
            ModelError: the request failed for good, or every retry of it.
        """
        reply = self._request(messages, sampling, None)
        return reply.model_copy(update={"text": strip_thinking(reply.text)})

    def chat_typed(
        self, messages: Sequence[Message], schema: type[BaseModel], sampling: Sampling | None = None
    ) -> Generation:
        """One reply, which the server is told to hold to ``schema`` where it can."""
        return self._request(messages, sampling, schema)

    def chat_many(self, batch: Sequence[Sequence[Message]], sampling: Sampling | None = None) -> list[Generation]:
        """One reply for each conversation, ``concurrency`` at a time, in order.

        Raises:
            ModelError: that of the first call that failed, when all have ended.
        """
        replies = dict(self.as_they_come(batch, None, [sampling] * len(batch)))
        return [successful(replies[place]) for place in range(len(batch))]

    def chat_typed_many(
        self, batch: Sequence[Sequence[Message]], schema: type[BaseModel], samplings: Sequence[Sampling | None]
    ) -> list[Generation | Failure]:
        """One typed reply for each conversation, ``concurrency`` at a time, in order."""
        replies = dict(self.as_they_come(batch, schema, samplings))
        return [replies[place] for place in range(len(batch))]

    def as_they_come(
        self,
        batch: Sequence[Sequence[Message]],
        schema: type[BaseModel] | None,
        samplings: Sequence[Sampling | None],
    ) -> Iterator[tuple[int, Generation | Failure]]:
        """(place in the batch, its reply), the quickest first."""

        def one(messages: Sequence[Message], sampling: Sampling | None) -> Generation | Failure:
            try:
                return self.chat(messages, sampling) if schema is None else self.chat_typed(messages, schema, sampling)
            except ModelError as failure:
                return failure

        pool = ThreadPoolExecutor(max_workers=self.options.concurrency)
        try:
            places = {
                pool.submit(one, messages, sampling): place
                for place, (messages, sampling) in enumerate(zip(batch, samplings, strict=True))
            }
            for call in as_completed(places):
                yield places[call], call.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def _request(
        self, messages: Sequence[Message], sampling: Sampling | None, schema: type[BaseModel] | None
    ) -> Generation:
        self.check()
        with self._slots:
            reply = self._tried(lambda: self._send(messages, sampling or Sampling(), schema))
        return reply.model_copy(update={"text": self._masked(reply.text)})

    def _tried(self, call: Callable[[], Result]) -> Result:
        """The result of ``call``, tried again while its failure may pass."""
        for attempt in range(self.options.retries + 1):
            try:
                return call()
            except ServerFault as fault:
                wait = float(2**attempt) if fault.wait is None else fault.wait
                text = self._safe(fault.message)
                if not fault.recoverable or attempt == self.options.retries or wait > LONGEST_WAIT:
                    raise self._failure(fault) from None
                log.warning("%s: %s; trying again in %g s", self.name, text, wait)
                self._sleep(wait)
        raise AssertionError("the loop above returns or raises")

    def _failure(self, fault: ServerFault) -> ModelError:
        text = f"{self.name} at {self._where()}: {self._safe(fault.message)}{_advice(fault)}"
        return ModelError(text, recoverable=fault.recoverable)

    def _safe(self, text: str) -> str:
        """A message without the key, one line, at most 300 characters."""
        return " ".join(self._masked(text).split())[:300]

    def _masked(self, text: str) -> str:
        """A text without the key: servers repeat what they were sent, and replies are kept in files. A short key is a
        word like EMPTY, for servers that check none."""
        return text.replace(self._key, "***") if len(self._key) >= SHORTEST_KEY else text

    def _where(self) -> str:
        return self.options.base_url or self.library


def _advice(fault: ServerFault) -> str:
    if fault.status is None:
        return "; is the server running, and is base_url right?"
    if fault.status in (401, 403):
        return "; look at the environment variable of its key"
    return ""


def picture_base64(image: PageImage, limit: int) -> tuple[str, str]:
    """Type and bytes of a picture, the bytes in base64; see ``PageImage.encoded``."""
    media_type, data = image.encoded(limit)
    return media_type, base64.b64encode(data).decode("ascii")


@contextmanager
def library_faults(library: Any, base: type[Exception]) -> Iterator[None]:
    """Errors of ``openai`` or ``anthropic``, which are made alike, as ServerFault; ``base`` is the library's own."""
    try:
        yield
    except library.APIStatusError as error:
        raise ServerFault(
            error.status_code, f"{error.status_code} {error.response.text}", wait_asked(error.response.headers)
        ) from None
    except library.APIConnectionError as error:
        raise ServerFault(None, f"no answer ({type(error).__name__}: {error})") from None
    except base as error:
        raise ServerFault(502, f"{type(error).__name__}: {error}") from None


def wait_asked(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait: ``retry-after-ms``, ``retry-after`` (seconds)."""
    for name, scale in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) / scale)
        except (KeyError, ValueError):
            continue
    return None


def json_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The schema as servers take it."""
    return schema.model_json_schema()
