"""What every method is given for one question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cosee.agents.evidence import ReadPlace
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.results.trace import Budget, Trace
from cosee.artifacts.settings.modules import Module
from cosee.models.base import VLMClient
from cosee.models.blocks import PageImage
from cosee.models.calls import Sampling
from cosee.models.metering import MeteredClient
from cosee.retrieval.retriever import Retriever


@dataclass(frozen=True)
class Context:
    """What a method may use for one question. The client is already journaled and metered by the caller."""

    dataset: str
    tree: DocTree
    retriever: Retriever
    client: VLMClient
    budget: Budget
    trace: Trace
    page_image: Callable[[int], PageImage]
    """1-based page -> its picture, rendered on first use."""
    read_place: ReadPlace | None = None
    """Recognises the words in a box of a page, to verify evidence by; None where there is no engine."""
    seed: int = 0
    measured: dict[str, list[float]] = field(default_factory=dict)
    """Seconds by part of the work, filled in by the strategy: they stand beside the artifacts, never in one."""
    extractor: bool = False
    """Whether the client is asked once more for the short answer in a method's words."""
    without: frozenset[Module] = frozenset()
    """Modules that an ablation switches off."""

    def sampling(self, max_new_tokens: int, given: Mapping[str, Any]) -> Sampling:
        """How a reply of at most ``max_new_tokens`` is drawn; ``given`` are settings, which go before."""
        return Sampling(**{"max_new_tokens": max_new_tokens, "seed": self.seed, **given})


def mark_calls(context: Context, step: int) -> None:
    """Have the ``call`` events that follow carry the number of a round."""
    if isinstance(context.client, MeteredClient):
        context.client.step = step
