"""``cosee serve`` on a real socket, inside a test."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from cosee.commands.search_service import SearchService
from cosee.commands.serve import make_server
from cosee.models.scripted import ScriptedClient


class SlowClient(ScriptedClient):
    """Searches for something else at every call, and takes its time."""

    sees_images = False

    def __init__(self, seconds: float) -> None:
        super().__init__(self.search)
        self.seconds = seconds

    def search(self, _: Any) -> str:
        time.sleep(self.seconds)
        return json.dumps({"tool": "fast_vector_search", "inputs": {"query": f"river {len(self.received)}"}})


@contextmanager
def running(service: SearchService) -> Iterator[int]:
    """A server on a free port of the loopback interface; the port."""
    server = make_server(service, "127.0.0.1", 0)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait(lambda: server.started)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(30)


def wait(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
