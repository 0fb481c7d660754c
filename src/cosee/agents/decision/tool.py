"""The contract of a tool, and what all tools may use."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict

from cosee.agents.context import Context
from cosee.agents.decision.results import Error, Result
from cosee.agents.decision.tree_data import TreeData
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.prediction import Retrieved
from cosee.registry import TOOLS
from cosee.retrieval.ranking import Ranking

Output = Result | Error | Mapping[str, Any]
"""What a call yields; a mapping is a frame of its own, such as ``{"type": "token", "content": ...}``."""
Value = TypeVar("Value")
Kind = TypeVar("Kind", bound="Tool")


class Inputs(BaseModel):
    """What a tool is given; a call with anything else is refused."""

    model_config = ConfigDict(extra="forbid")


@dataclass
class Services:
    """What the tools of one question share. The document, its search and the model are those of ``context``."""

    question: Question
    context: Context
    generation: Mapping[str, Any] = field(default_factory=dict)
    """How the method's settings want replies drawn, by the names of ``Sampling``."""
    rankings: list[Ranking] = field(default_factory=list)
    """What the searches found, oldest first."""
    prompts: set[str] = field(default_factory=set)
    """Ids of the prompts that were used."""

    def ranking(self) -> Ranking:
        """All searches as one: the hits and pages of the first, then what later ones add."""
        hits: dict[str, Retrieved] = {}
        pages: dict[int, float] = {}
        for found in self.rankings:
            for hit in found.hits:
                hits.setdefault(hit.node_id, hit)
            for page, score in zip(found.pages, found.page_scores, strict=True):
                pages.setdefault(page, score)
        return Ranking(list(hits.values()), list(pages), list(pages.values()))


class Tool(ABC):
    """A tool. One object serves one question. What a model is told of it is given to the decorator ``tool``."""

    name: ClassVar[str]
    description: ClassVar[str]
    status: ClassVar[str]
    """What a person is told while it works."""
    end: ClassVar[bool] = False
    """Whether it may end the conversation."""
    inputs: ClassVar[type[Inputs]] = Inputs

    def __init__(self, services: Services) -> None:
        self.services = services

    async def is_tool_available(self, tree_data: TreeData) -> bool:
        """Whether a decision may pick the tool now."""
        return True

    async def run_if_true(self, tree_data: TreeData) -> tuple[bool, dict[str, Any]]:
        """Whether the tool runs by itself now, before any decision, and with which inputs."""
        return False, {}

    @abstractmethod
    def __call__(self, tree_data: TreeData, inputs: dict[str, Any]) -> AsyncIterator[Output]:
        """Run with inputs that ``self.inputs`` accepted; what it finds is yielded, never raised."""


def tool(
    name: str,
    *,
    description: str,
    status: str,
    inputs: type[Inputs] = Inputs,
    end: bool = False,
    version: str = "1",
    citation: str = "",
    order: int = 1000,
) -> Callable[[type[Kind]], type[Kind]]:
    """Register a class as the tool ``name``: the decision agent is offered it, those of the lowest ``order`` first.

    A model is told ``description`` and ``inputs``. See ``Tool`` for ``status`` and ``end``.
    """
    keep = TOOLS.register(name, description=description, version=version, citation=citation, order=order)

    def named(kind: type[Kind]) -> type[Kind]:
        kind.name, kind.description, kind.status, kind.end, kind.inputs = name, description, status, end, inputs
        return keep(kind)

    return named


def make_tools(services: Services) -> list[Tool]:
    """Every tool, in the order in which a model is told of them; rules run in this order too."""
    return [entry.thing(services) for entry in TOOLS.entries()]


async def in_thread(function: Callable[..., Value], *arguments: Any) -> Value:
    """Run something that blocks in a thread. When cancelled, it waits for the thread, which nothing can stop."""
    running = asyncio.get_running_loop().run_in_executor(None, function, *arguments)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise
