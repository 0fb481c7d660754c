"""What clients of served models share: a probe before the first call, calls side by side, waiting, no keys in sight.

A provider's module translates messages, sends one request and reads the reply; everything else is here and beside it.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel

from cosee.models.blocks import Message, PageImage
from cosee.models.calls import Generation, ModelError, ReplyListener, Sampling
from cosee.models.decoding import strip_thinking
from cosee.models.entries import ServedEntry
from cosee.models.picture_size import QWEN3_VL, PictureSize
from cosee.models.served import probe
from cosee.models.served.agreement import ANY, Agreement, Parts
from cosee.models.served.faults import ServerFault
from cosee.models.served.replies import without_call
from cosee.models.served.smaller import Limits
from cosee.models.served.thresholds import LIST_SECONDS, MESSAGE_CHARACTERS, MOST_DOUBLINGS, SHORTEST_SECRET
from cosee.models.served.waiting import Waiting
from cosee.models.side_by_side import SideBySide
from cosee.text.likeness import nearest

log = logging.getLogger(__name__)
Result = TypeVar("Result")
NO_LIST = (404, 405, 501)
"""Statuses of a server that has no list of models."""


class ServedClient(SideBySide):
    """A model behind an HTTP server. Nothing is sent before the first call, which first probes server and model.

    At most ``concurrency`` requests are under way. A busy server is asked again after as long as it asks for, else
    after 1, 2, 4 ... seconds; one that went away is waited for. A refused parameter is left out from then on, a prompt
    with too much in it is made smaller. What fails for good is a question's only where the server answers a small
    prompt right after it. A key is read from the environment when the client is made, and is cut out of every message.

    Raises:
        ModelError: the provider's library is not installed, or its key is not set.
    """

    library: str = ""
    default_key_env: str = ""
    parts: Parts
    """Of the protocol's requests."""
    picture_bytes: int
    """A picture with more bytes is sent as a JPEG of fewer."""

    def __init__(
        self,
        entry: ServedEntry,
        *,
        environment: Mapping[str, str] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.options, self.name = entry, entry.model
        self.revision = self.options.revision
        self.sees_images, self.max_context = self.options.sees_images, self.options.max_context
        self.box_grid = self.options.box_grid
        self.picture_size = PictureSize(entry.picture_unit, entry.min_pixels, entry.max_pixels)
        self.concurrency, self.address = self.options.concurrency, self.options.base_url or self.library
        self.settings = {"parameters": self.options.parameters, "extra_body": self.options.extra_body}
        if self.picture_size != QWEN3_VL:
            self.settings |= {"pictures": asdict(self.picture_size)}
        self._key = self._find_key(os.environ if environment is None else environment)
        self._secrets = [
            text for text in (self._key, *self.options.extra_headers.values()) if len(text) > SHORTEST_SECRET
        ]
        server = f"{self.name} at {self.address}"
        self._waiting = Waiting(server, entry.patience, self._is_back, self._safe, sleep=sleep, clock=clock)
        self._agreement = Agreement(
            server, self.parts, self._safe, dict(self.options.parameters), self.options.extra_body
        )
        self._limits = Limits()
        self._is_told_smaller = False
        self._slots = threading.BoundedSemaphore(self.options.concurrency)
        self._check_lock = threading.Lock()
        self._found: probe.Found | None = None
        try:
            self._connection = self._connect()
        except ImportError as error:
            raise ModelError(f"{self.name}: {self.library} is not installed: pip install 'cosee[serve]'") from error

    def sent_size(self, image: PageImage) -> tuple[int, int]:
        """As rendered; the processor's own size for a picture that is too large, and where boxes count its pixels."""
        width, height = image.size
        if self.box_grid == "pixels" or width * height > self.picture_size.max_pixels:
            return self.picture_size.fitted(width, height)
        return width, height

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
    def _models(self, timeout: float) -> dict[str, int | None]:
        """The models that the server has, with their context where it tells; raises ServerFault."""

    @abstractmethod
    def _body(self, messages: Sequence[Message], sampling: Sampling, schema: type[BaseModel] | None) -> dict[str, Any]:
        """A request in the protocol's names."""

    @abstractmethod
    def _complete(self, body: dict[str, Any], timeout: float) -> Generation:
        """One request; raises ServerFault."""

    def _parts(self, message: Message) -> list[Any]:
        """The blocks of a message in the protocol's form, pictures only for a model that sees."""
        parts = []
        for block in message.blocks:
            if block.image is not None and self.sees_images:
                picture = block.image.encoded(self.picture_bytes, self.sent_size(block.image))
                parts.append(self._picture_part(*picture))
            elif block.text:
                parts.append(self._text_part(block.text))
        return parts

    @abstractmethod
    def _picture_part(self, media_type: str, data: bytes) -> Any:
        """A picture in the protocol's form."""

    def _text_part(self, text: str) -> Any:
        return {"type": "text", "text": text}

    def check(self) -> str:
        """What is known of the server, which is probed once: whether it is there, has the model, takes pictures and a
        schema, and its context.

        Raises:
            ServerFailure: it cannot be used; every later call raises the same.
        """
        with self._check_lock:
            if self._found is None:
                self._waiting.turn()
                try:
                    self._found = self._probed()
                except ServerFault as fault:
                    self._give_up(fault)
                log.info("%s: %s", self._waiting.server, self._found)
                if (context := self._found.context) is not None and context < self.max_context:
                    log.warning("%s: max_context is %d; set it to %d", self._waiting.server, self.max_context, context)
            return str(self._found)

    def _probed(self) -> probe.Found:
        models = self._listed()
        if models is not None and self.name not in models:
            near = nearest(self.name, models)
            raise ServerFault(None, f"it has no model {self.name!r}{f'; did you mean {near[0]!r}?' if near else ''}")
        self._limits.context = (models or {}).get(self.name)
        try:
            self._with_retries(lambda: self._small_call(picture=self.sees_images))
        except ServerFault as fault:
            if not self.sees_images or fault.kind != "status" or fault.status in (401, 403, 404):
                raise
            self._small_call(picture=False)
            raise ServerFault(
                None, f"it takes no pictures for this model ({self._safe(fault.message)}); set sees_images: false"
            ) from None
        return probe.Found(
            has_list=models is not None,
            takes_pictures=self.sees_images,
            takes_schema=ANY not in self._agreement.without_schema,
            context=self._limits.context,
            refused=tuple(self._agreement.refused),
        )

    def _listed(self) -> dict[str, int | None] | None:
        """The server's models; None where it has no list of them."""
        if not self.options.models_endpoint:
            return None
        try:
            return self._with_retries(lambda: self._models(LIST_SECONDS))
        except ServerFault as fault:
            if fault.status not in NO_LIST:
                raise
            hint = "models_endpoint: false says so beforehand"
            log.warning("%s: it has no list of models (%s); %s", self._waiting.server, fault.status, hint)
            return None

    def _small_call(self, *, picture: bool, timeout: float | None = None) -> None:
        """A small prompt, with all parameters; a safety filter's word on it shows that the server works."""
        body = self._body(probe.prompt(picture=picture), probe.SAMPLING, probe.ProbeReply)
        try:
            self._agreement.reply(
                body, ANY, lambda sent: self._complete(sent, timeout or self.options.timeout), guess=True
            )
        except ServerFault as fault:
            if fault.kind != "blocked":
                raise

    def chat(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Generation:
        """One reply, without what the model thought before it.

        Raises:
            ModelError: the request was refused for what it asks.
            ServerFailure: the server cannot be used, or went away and did not come back.
        """
        reply = self._request(messages, sampling, None)
        return reply.model_copy(update={"text": strip_thinking(reply.text)})

    def chat_typed(
        self, messages: Sequence[Message], schema: type[BaseModel], sampling: Sampling | None = None
    ) -> Generation:
        """One reply, which the server is told to hold to ``schema`` where it can; raises as ``chat``."""
        reply = self._request(messages, sampling, schema)
        return reply.model_copy(update={"text": without_call(reply.text)})

    def chat_typed_streamed(
        self, messages: Sequence[Message], schema: type[BaseModel], sampling: Sampling | None, listener: ReplyListener
    ) -> Generation:
        """``chat_typed``; the listener is given the text as the server sends it, where our client can stream."""
        reply = self._request(messages, sampling, schema, lambda text: listener(strip_thinking(self._masked(text))))
        return reply.model_copy(update={"text": without_call(reply.text)})

    def _complete_streamed(self, body: dict[str, Any], timeout: float, listener: ReplyListener) -> Generation:
        """``_complete`` that tells the listener the text so far; a client that can stream overrides this."""
        return self._complete(body, timeout)

    def _request(
        self,
        messages: Sequence[Message],
        sampling: Sampling | None,
        schema: type[BaseModel] | None,
        listener: ReplyListener | None = None,
    ) -> Generation:
        called = sent = self._waiting.clock()
        self.check()
        drawn, name = sampling or Sampling(), ANY if schema is None else schema.__name__

        def complete(body: dict[str, Any]) -> Generation:
            if listener is None:
                return self._complete(body, self.options.timeout)
            return self._complete_streamed(body, self.options.timeout, listener)

        def send(prompt: Sequence[Message]) -> Generation:
            return self._agreement.reply(self._body(prompt, drawn, schema), name, complete)

        def call() -> tuple[Generation, dict[str, list[str]]]:
            nonlocal sent
            sent = self._waiting.clock()
            return self._limits.fitted(messages, send, self._say_smaller)

        with self._slots:
            reply, left_out = self._until_answered(call)
        told = {"text": self._masked(reply.text), "left_out": left_out, "waited": sent - called}
        return reply.model_copy(update=told)

    def _say_smaller(self, fault: ServerFault) -> None:
        """Once a job, since many prompts may be too large; traces say what was left out of each."""
        if not self._is_told_smaller:
            self._is_told_smaller = True
            told = "lowest-ranked pages are left out of such prompts, as their traces say"
            log.warning("%s: %s: %s", self._waiting.server, told, self._safe(fault.message))

    def _with_retries(self, call: Callable[[], Result]) -> Result:
        """The result of a call of the probe: what may pass is tried again, a server that is not there is not."""
        attempt = 0
        while True:
            self._waiting.turn()
            try:
                return call()
            except ServerFault as fault:
                is_no_reply = fault.kind == "garbled"  # what stands there before the first call is no server of ours
                if is_no_reply or attempt == self.options.retries:
                    raise
                if fault.kind != "torn" and not self._may_try_again(fault, attempt):
                    raise
                attempt += 1

    def _may_try_again(self, fault: ServerFault, attempt: int) -> bool:
        """Whether a failed call may be made again, after the wait that it asks for."""
        if fault.asks_to_wait:
            wait = float(2**attempt) if fault.wait is None else fault.wait
            if wait > self.options.patience:
                self._give_up(
                    fault, f"asks to wait for {wait:g} s, longer than the patience of {self.options.patience:g} s"
                )
            self._waiting.hold(wait, self._safe(fault.message))
            return True
        if not fault.may_pass:
            return False
        log.warning("%s: %s; trying again in %g s", self._waiting.server, self._safe(fault.message), 2**attempt)
        self._waiting.sleep(float(2**attempt))
        return True

    def _until_answered(self, call: Callable[[], Result]) -> Result:
        """The reply to a call, however long the server lets it wait within the patience.

        Raises:
            ModelError: the server refuses this request and works otherwise.
            ServerFailure: it does not work.
        """
        began, attempt, absences = self._waiting.clock(), 0, 0
        while True:
            seen = self._waiting.turn()
            try:
                return call()
            except ServerFault as fault:
                if fault.asks_to_wait and self._waiting.clock() - began > self.options.patience:
                    self._give_up(fault, f"did not take a call for {self.options.patience:g} s")
                if (fault.asks_to_wait or attempt < self.options.retries) and self._may_try_again(fault, attempt):
                    attempt = min(attempt + 1, MOST_DOUBLINGS)
                    continue
                if not fault.is_lost or attempt > self.options.retries:
                    self._blame_the_request(fault)
                if not self._waiting.away(self._safe(fault.message), seen):
                    attempt += 1  # it was there, but broke off
                elif (absences := absences + 1) > self.options.retries + 1:
                    self._give_up(fault, f"went away {absences} times while it was asked the same")

    def _blame_the_request(self, fault: ServerFault) -> None:
        """Raise ModelError where the server works, so that it is the request that it cannot answer."""
        if fault.kind != "blocked":
            try:
                self._small_call(picture=False)
            except ServerFault as other:
                if other.is_lost or other.may_pass or other.asks_to_wait:
                    return
                self._give_up(other)
        raise ModelError(f"{self._waiting.server}: {self._safe(fault.message)}")

    def _is_back(self, seconds: float) -> None:
        """Raises ServerFault while the server does not answer a small prompt."""
        if self.options.models_endpoint:
            try:
                self._models(min(LIST_SECONDS, seconds))
            except ServerFault as fault:
                if fault.status not in NO_LIST:
                    raise
        self._small_call(picture=False, timeout=min(self.options.timeout, max(LIST_SECONDS, seconds)))

    def _give_up(self, fault: ServerFault, why: str | None = None) -> NoReturn:
        told = self._safe(fault.message)
        self._waiting.give_up(f"{why}: {told}" if why else f"{told}{_advice(fault)}")

    def _safe(self, text: str) -> str:
        """A message without the key or control characters, on one line, cut where it is long."""
        plain = "".join(letter if letter.isprintable() else " " for letter in self._masked(text))
        return " ".join(plain.split())[:MESSAGE_CHARACTERS]

    def _masked(self, text: str) -> str:
        """A text without the key and the values of headers: servers repeat what they were sent, and replies are kept in
        files."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


def _advice(fault: ServerFault) -> str:
    if fault.is_lost or fault.kind == "late":
        return "; is the server running, and is base_url right?"
    if fault.status in (401, 403):
        return "; look at the environment variable of its key"
    if fault.status == 404:
        return "; is base_url right? For most servers it ends in /v1"
    return ""
