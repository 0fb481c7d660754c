"""Clients of the server of the tests, and time for them that passes when they sleep."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import pytest
from helpers.model_server import MODEL, ModelServer

from cosee.models.entries import ServedEntry
from cosee.models.registry import open_client

LIBRARIES = {"openai": "openai", "anthropic": "anthropic", "google": "google.genai"}


class ModelTime:
    """``waits`` are the seconds that were slept, in order; ``at`` calls a function when a time is reached."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []
        self.at: dict[float, Any] = {}
        self._lock = threading.Lock()

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.waits.append(seconds)
            self.now += seconds
            due = [self.at.pop(when) for when in sorted(self.at) if when <= self.now]
        for happening in due:
            happening()

    def of(self, client: Any) -> Any:
        """The client, living in this time."""
        client._waiting.sleep, client._waiting.clock, client.waits = self.sleep, self.clock, self.waits
        client.time = self
        return client


def served_client(
    server: ModelServer, kind: str = "openai", *, environment: Mapping[str, str] | None = None, **options: Any
) -> Any:
    """A client of the server that lives in such time."""
    pytest.importorskip(LIBRARIES[kind], reason=f"the {kind} library is not installed")
    base_url = f"{server.url}/v1" if kind == "openai" else server.url
    entry = ServedEntry(**{"kind": kind, "model": MODEL, "base_url": base_url, **options})
    return ModelTime().of(open_client("served", {"served": entry}, environment=environment or {}))
