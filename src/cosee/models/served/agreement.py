"""Requests in the form that a server takes: parameters under its names, without those that it refuses."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from cosee.models.served.faults import REFUSALS, ServerFault, excess, named

log = logging.getLogger(__name__)
Reply = TypeVar("Reply")
OTHER_NAMES = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
"""Tried where the first is refused."""
ANY = ""
"""Stands for every schema."""


@dataclass(frozen=True)
class Parts:
    """Kinds of parts of a protocol's request, by name."""

    required: frozenset[str]
    """Without these there is no request."""
    typed: frozenset[str]
    """What holds a reply to its schema."""
    own: frozenset[str] = frozenset()
    """Parameters that are not of the protocol, which only some servers take."""


@dataclass
class Agreement:
    """What a server takes, learnt from its refusals; threads may share it."""

    server: str
    parts: Parts
    safe: Callable[[str], str]
    parameters: dict[str, str | None] = field(default_factory=dict)
    """Parameter -> its name on the server; None for one that is left out."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    without_schema: set[str] = field(default_factory=set)
    """Names of the schemas that it does not take, ``ANY`` for all."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(
        self, body: Mapping[str, Any], schema: str, send: Callable[[dict[str, Any]], Reply], *, guess: bool = False
    ) -> Reply:
        """The reply to a request for a schema, sent again without what is refused, which is remembered.

        Where a refusal names nothing it is tried without what holds it to its schema; ``guess`` tries without any part
        that not every server takes.
        """
        while True:
            sent = self._form(body, schema)
            try:
                return send(sent)
            except ServerFault as fault:
                if fault.status not in REFUSALS or excess(fault) is not None:
                    raise
                refused = named(fault.words, sent.keys() - self.parts.required - self.extra.keys())
                if not refused:
                    own, typed = self.parts.own, self.parts.typed
                    return self._guessed([own, typed, own | typed] if guess else [typed], sent, schema, send, fault)
                self._leave_out(refused, schema, fault)

    @property
    def refused(self) -> list[str]:
        """Parameters that the server is not sent."""
        return sorted(name for name, other in self.parameters.items() if other is None)

    def _form(self, body: Mapping[str, Any], schema: str) -> dict[str, Any]:
        untyped = not {ANY, schema}.isdisjoint(self.without_schema)
        form: dict[str, Any] = {}
        for name, value in body.items():
            other = self.parameters.get(name, name)
            if other is not None and not (untyped and name in self.parts.typed):
                form[other] = value
        return {**form, **self.extra}

    def _guessed(
        self,
        guesses: Sequence[frozenset[str]],
        sent: Mapping[str, Any],
        schema: str,
        send: Callable[[dict[str, Any]], Reply],
        fault: ServerFault,
    ) -> Reply:
        for parts in guesses:
            if not parts & sent.keys():
                continue
            try:
                reply = send({name: value for name, value in sent.items() if name not in parts})
            except ServerFault as again:
                if again.status not in REFUSALS:
                    raise
            else:
                self._leave_out(sorted(parts & sent.keys()), schema, fault)
                return reply
        raise fault

    def _leave_out(self, refused: Sequence[str], schema: str, fault: ServerFault) -> None:
        """From now on; one line says what."""
        with self._lock:
            before = {**self.parameters}, {*self.without_schema}
            sent_as = {other: name for name, other in self.parameters.items() if other is not None}
            for name in refused:
                if name in self.parts.typed:
                    self.without_schema.add(schema)
                elif name in OTHER_NAMES and name not in sent_as:
                    self.parameters[name] = OTHER_NAMES[name]
                else:
                    self.parameters[sent_as.get(name, name)] = None
            if before == (self.parameters, self.without_schema):
                return
            told = [
                f"{name} goes as {other}" if (other := self.parameters.get(name)) else f"{name} is left out"
                for name in refused
            ]
        log.warning("%s: %s from now on: %s", self.server, ", ".join(told), self.safe(fault.message))
