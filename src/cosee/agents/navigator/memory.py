"""What the navigator keeps for one question: searches, summaries, observations, how each node was reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from cosee.agents.context import Context
from cosee.agents.navigator.document import NavigatedDocument
from cosee.agents.navigator.paths import Step
from cosee.agents.prompts import Prompt
from cosee.agents.thresholds import TRACED_HITS, TRACED_PAGES
from cosee.models.blocks import Message
from cosee.models.calls import Output, TypedReply
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
    """Shared by all parts and rounds of a question, so that nothing is searched or observed twice.

    ``generation`` says how the method's settings want replies drawn, by the names of ``Sampling``.
    """

    def __init__(self, document: NavigatedDocument, context: Context, generation: Mapping[str, Any]) -> None:
        self.document = document
        self.context = context
        self.generation = generation
        self.observations: dict[str, Observation] = {}
        self.paths: dict[str, tuple[Step, ...]] = {}
        """How each observed node was first reached."""
        self.shown_figures: set[str] = set()
        """Ids of the figures whose pictures a model was shown."""
        self.prompts: set[str] = set()
        """References of the prompts that were sent."""
        self.searches: dict[str, Ranking] = {}
        """Query -> what was found."""

    def search(self, query: str, find: Callable[[], Ranking], step: int = 0) -> Ranking:
        """The ranking of a query, searched once; the trace holds each search."""
        if query not in self.searches:
            ranking = self.searches[query] = find()
            self.context.trace.add(
                "retrieval",
                step=step,
                message=query,
                pages=ranking.pages[:TRACED_PAGES],
                page_scores=ranking.page_scores[:TRACED_PAGES],
                hits=[hit.model_dump(mode="json") for hit in ranking.hits[:TRACED_HITS]],
            )
        return self.searches[query]

    def note_prompts(self, *prompts: Prompt) -> None:
        """Remember the prompts of a message that is sent."""
        self.prompts.update(prompt.ref for prompt in prompts)

    def request(self, message: Message, schema: type[Output], max_new_tokens: int) -> TypedReply[Output]:
        """One typed request. Raises BudgetExceeded and ModelError as the client does."""
        return self.context.client.request([message], schema, self.context.sampling(max_new_tokens, self.generation))

    def keep(self, observation: Observation, path: tuple[Step, ...]) -> None:
        """Remember what was observed; a node is observed once.

        Raises:
            ValueError: the node was observed before.
        """
        if observation.node_id in self.observations:
            raise ValueError(f"{observation.node_id!r} was observed before")
        self.observations[observation.node_id] = observation
        self.paths[observation.node_id] = path
