"""What the navigator keeps for one question: searches, summaries, observations, how each node was reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from cosee.agents.navigator.atlas import Atlas
from cosee.agents.navigator.routes import Step
from cosee.agents.prompt import Prompt
from cosee.artifacts.results.trace import Trace
from cosee.retrieval.ranking import Ranking

Modality = Literal["text", "image", "table"]


@dataclass(frozen=True)
class Observation:
    """What an observer saw of a node. ``payload`` is what a prompt is given; ``data`` is the node as
    evidence for a model (see ``models.evidence.node_data``)."""

    node_id: str
    modality: Modality
    payload: Mapping[str, Any]
    data: Mapping[str, Any]

    def as_record(self) -> dict[str, Any]:
        """``{node_id, modality, payload}``."""
        return {"node_id": self.node_id, "modality": self.modality, "payload": dict(self.payload)}


class Memory:
    """Shared by all parts and rounds of a question, so that nothing is searched, summarised or observed twice."""

    def __init__(self, atlas: Atlas, trace: Trace) -> None:
        self.atlas = atlas
        self.trace = trace
        self.observations: dict[str, Observation] = {}
        self.paths: dict[str, tuple[Step, ...]] = {}
        """How each observed node was first reached."""
        self.looked: set[str] = set()
        """Figures that a model was shown."""
        self.prompts: dict[str, None] = {}
        """References of the prompts that were sent."""
        self._searches: dict[str, Ranking] = {}

    def search(self, query: str, find: Callable[[], Ranking], step: int = 0) -> Ranking:
        """The ranking of a query, searched once; the trace holds each search."""
        if query not in self._searches:
            ranking = self._searches[query] = find()
            self.trace.add(
                "retrieval",
                step=step,
                message=query,
                pages=ranking.pages[:20],
                page_scores=ranking.page_scores[:20],
                hits=[hit.model_dump(mode="json") for hit in ranking.hits[:10]],
            )
        return self._searches[query]

    def sent(self, *prompts: Prompt) -> None:
        """Note the prompts of a message."""
        self.prompts.update(dict.fromkeys(prompt.ref for prompt in prompts))

    @property
    def searches(self) -> int:
        """How many different searches were made."""
        return len(self._searches)

    def summary(self, node_id: str) -> str:
        """A node's summary, empty where it has none."""
        return self.atlas.summaries.get(node_id, "")

    def keep(self, observation: Observation, path: tuple[Step, ...]) -> None:
        """Remember what was observed; a node is observed once.

        Raises:
            ValueError: the node was observed before.
        """
        if observation.node_id in self.observations:
            raise ValueError(f"{observation.node_id!r} was observed before")
        self.observations[observation.node_id] = observation
        self.paths[observation.node_id] = path
