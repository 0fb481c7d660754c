"""A decision agent over the report of ``index_trees``, with a model whose replies a test gives."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from helpers.index_trees import report_tree

from cosee.agents.context import Context
from cosee.agents.decision.decision import DecisionAgent
from cosee.agents.decision.orchestrator import Orchestrator
from cosee.agents.decision.results import Error, Result
from cosee.agents.decision.strategy import new_state
from cosee.agents.decision.tool import Services, Tool, make_tools
from cosee.agents.decision.tree_data import TreeData
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.results.trace import Budget, Trace
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.build import build_index
from cosee.models.base import VLMClient
from cosee.models.blocks import Message, PageImage
from cosee.models.scripted import ScriptedClient
from cosee.retrieval.retriever import Retriever

QUESTION = "How accurate is the Heron model?"
ANSWER = {"answer": "88.1", "explanation": "Table 2 on page 5 says so.", "confidence": 0.9,
          "quotes": [{"page": 5, "quote": "Heron | 88.1", "node_id": "tab_12"}]}  # fmt: skip


class Model(ScriptedClient):
    """Gives ``decisions`` in order and then answers; ``others`` are its replies by prompt id, a list one by one."""

    def __init__(self, decisions: Sequence[Any] = (), *, sees_images: bool = False, **others: Any) -> None:
        super().__init__(self.reply)
        self.decisions: Iterator[Any] = iter(decisions)
        self.others = {"text_response": ANSWER, **others}
        self.sees_images = sees_images

    def reply(self, messages: Sequence[Message]) -> str:
        (message,) = messages
        asked = [str(block.data["prompt_id"]) for block in message.of("instruction")]
        name = next(each.removeprefix("decision.") for each in asked if each.startswith("decision."))
        value = next(self.decisions, call("text_response")) if name == "decide" else self.others[name]
        value = value.pop(0) if isinstance(value, list) else value
        return value if isinstance(value, str) else json.dumps(value)

    def prompts(self, name: str) -> list[Message]:
        """The prompts of a kind, e.g. ``decide``."""
        wanted = f"decision.{name}"
        return [
            messages[0]
            for messages in self.received
            if any(block.data["prompt_id"] == wanted for block in messages[0].of("instruction"))
        ]


def call(tool: str, **fields: Any) -> dict[str, Any]:
    """A decision."""
    inputs = {key: fields.pop(key) for key in list(fields) if key not in ("should_end", "impossible", "reasoning")}
    return {"tool": tool, "inputs": inputs, "reasoning": "it fits", **fields}


def prompt_text(message: Message) -> str:
    """Everything that a model reads."""
    return "\n".join(block.text for block in message.blocks)


@cache
def retriever() -> Retriever:
    """The report's index."""
    return index_of(report_tree())


def index_of(tree: DocTree) -> Retriever:
    """A document's index, without vectors."""
    with TemporaryDirectory() as folder:
        build_index(tree, Path(folder), IndexSettings(embedder="none"), None)
        return Retriever.load(tree, Path(folder), RetrievalSettings())


def picture(page: int) -> PageImage:
    from PIL import Image

    return PageImage(page, Image.new("RGB", (64, 64), "white"), f"abc/144/{page}.png")


def context(client: VLMClient, **fields: Any) -> Context:
    """What the strategy is given, over the report."""
    found = fields.pop("retriever", None) or retriever()
    values = {"dataset": "tests", "tree": found.tree, "retriever": found, "client": client, "budget": Budget(),
              "trace": Trace(), "page_image": picture, **fields}  # fmt: skip
    return Context(**values)


def question(text: str = QUESTION) -> Question:
    return Question(question_id="q1", doc_id="report", question=text)


class Desk:
    """Everything of one question, to be looked at afterwards."""

    def __init__(self, client: VLMClient, text: str = QUESTION, tools: Sequence[Tool] | None = None, **fields: Any):
        self.context = context(client, **fields)
        self.services = Services(question(text), self.context)
        self.state: TreeData = new_state(question(text), self.context)
        self.tools = {tool.name: tool for tool in (make_tools(self.services) if tools is None else tools)}

    def use(self, name: str, **inputs: Any) -> list[Any]:
        """Call a tool, keep its results, and give back all that it yields."""

        async def collect() -> list[Any]:
            tool = self.tools[name]
            return [each async for each in tool(self.state, tool.inputs(**inputs).model_dump())]

        yielded = asyncio.run(collect())
        for each in yielded:
            if isinstance(each, Result):
                self.state.environment.add(name, each)
        if not yielded or isinstance(yielded[0], Result | Error):
            self.state.tasks_completed.setdefault(name, []).append(0.0)
        return yielded

    def run(self, **options: Any) -> str:
        """The whole loop; why it ended."""
        orchestrator = Orchestrator(list(self.tools.values()), DecisionAgent(self.services), self.state, **options)
        return asyncio.run(orchestrator.run())

    def frames(self, *types: str) -> list[dict[str, Any]]:
        """The frames of the trace, or those of some types."""
        frames = [event.model_dump(mode="json", exclude_none=True) for event in self.context.trace.events]
        return [frame for frame in frames if not types or frame["type"] in types]

    def available(self, name: str) -> bool:
        return asyncio.run(self.tools[name].is_tool_available(self.state))
