"""The reader without a model as a client, with the replies that every agent may ask for."""

from __future__ import annotations

from cosee.reader.embedded import EmbeddedClient
from cosee.reader.replies import baselines, cosee, decision, navigator, summaries
from cosee.reader.weights import Weights


def embedded_client(weights: Weights | None = None) -> EmbeddedClient:
    """A client that answers every schema of the agents and of the index; see ``Weights``."""
    agents = (baselines, cosee, decision, navigator, summaries)
    return EmbeddedClient({schema: reply for agent in agents for schema, reply in agent.HANDLERS.items()}, weights)
