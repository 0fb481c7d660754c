"""Time for clients of servers that passes when they sleep."""

from __future__ import annotations

import threading
from typing import Any


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
