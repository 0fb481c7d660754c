"""A run answered again from its journal, without any model: the same rows and the same bytes of its traces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.agent_trees import context, question
from helpers.hostile_agents import HostileModel, methods, small_retriever

from cosee.agents.method import make_strategy
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.trace import Budget, Trace, load_trace
from cosee.models.base import VLMClient
from cosee.models.journal import JournaledClient, Mode
from cosee.models.metering import MeteredClient


class Absent(VLMClient):
    """A model that must not be asked."""

    name, max_context = "hostile", HostileModel(0).max_context

    def chat(self, messages: Any, sampling: Any = None) -> Any:
        raise AssertionError("a replay asks no model")


def answer(method: Any, client: VLMClient, folder: Path, mode: Mode, name: str) -> tuple[Prediction, bytes]:
    trace = Trace()
    metered = MeteredClient(JournaledClient(client, folder / "journal.jsonl", mode), Budget(seconds=None), trace)
    ctx = context(metered, trace=trace, retriever=small_retriever(), extractor=True)
    row = make_strategy(method).answer(question("How many people?"), ctx)
    trace.save(folder / name)
    return row, (folder / name).read_bytes()


@pytest.mark.parametrize("method", methods(), ids=lambda method: method.label)
def test_a_replay_gives_the_same_bytes(method: Any, tmp_path: Path) -> None:
    # contract: D107, D104
    row, written = answer(method, HostileModel(1), tmp_path, "record", "first.ndjson")
    again, replayed = answer(method, Absent(), tmp_path, "replay", "second.ndjson")
    assert again == row and replayed == written
    events = load_trace(tmp_path / "first.ndjson")
    assert events[0].type == "start" and events[-1].type == "complete"
    assert sum(event.type == "call" for event in events) == row.usage.calls
