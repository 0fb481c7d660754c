"""Where everything that tools found is kept, and how a model is shown it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from cosee.agents.decision.rendering import cut_block, rendered_length, share_out, whole_block
from cosee.agents.decision.results import Result
from cosee.agents.decision.thresholds import CHARACTERS_A_TOKEN, DECISION_CONTEXT_TOKENS, MAX_LINE_CHARACTERS
from cosee.artifacts.base import Record
from cosee.models.blocks import Block
from cosee.models.evidence import unseen
from cosee.models.messages import as_data

DEFAULT_NAME = "default"


class Environment(Record):
    """``environment[tool][name]`` is a list of entries ``{"objects", "metadata", "number"}``, oldest first.

    ``number`` counts the entries of the whole environment from 1, so that their order survives a file. Each object
    has a ``_REF_ID`` that is its own. ``hidden_environment`` is for tools alone: no prompt ever holds any of it.
    """

    environment: dict[str, dict[str, list[dict[str, Any]]]] = Field(default_factory=dict)
    hidden_environment: dict[str, Any] = Field(default_factory=dict)

    def add(self, tool_name: str, result: Result) -> list[dict[str, Any]]:
        """Append a result to what the tool found under its name before; the objects as they are kept."""
        name = result.name or DEFAULT_NAME
        number = 1 + max((entry["number"] for _, _, entry in self.entries()), default=self._cleared())
        objects = [
            {**value, "_REF_ID": value.get("_REF_ID") or f"{tool_name}.{name}.{number}.{place}"}
            for place, value in enumerate(result.objects, start=1)
        ]
        metadata = {**(result.metadata or {}), "llm_message": result.message()}
        entry = {"objects": objects, "metadata": metadata, "number": number}
        self.environment.setdefault(tool_name, {}).setdefault(name, []).append(entry)
        return objects

    def find(self, tool_name: str, name: str | None = None) -> Any:
        """What a tool found, name -> entries; with ``name`` the list of entries; None where there is nothing."""
        found = self.environment.get(tool_name)
        return found if found is None or name is None else found.get(name)

    def is_empty(self) -> bool:
        """Whether nothing is in the environment that a model could be shown."""
        return not any(entry["objects"] for _, _, entry in self.entries())

    def clear(self) -> None:
        """Forget all but the hidden part; numbers go on."""
        self.hidden_environment["cleared"] = max((entry["number"] for _, _, entry in self.entries()), default=0)
        self.environment.clear()

    def entries(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """(tool, name, entry) in the order in which they were added."""
        found = [
            (tool, name, entry)
            for tool, names in self.environment.items()
            for name, entries in names.items()
            for entry in entries
        ]
        yield from sorted(found, key=lambda each: each[2]["number"])

    def objects(self) -> list[dict[str, Any]]:
        """Every object in order; nodes that several calls found stand where the first one put them."""
        kept: dict[Any, dict[str, Any]] = {}
        for _, _, entry in self.entries():
            for place, value in enumerate(entry["objects"]):
                nodes = tuple((node["node_id"], node.get("text")) for node in value.get("nodes") or ())
                kept.setdefault((value.get("page_number"), nodes) if nodes else (entry["number"], place), value)
        return list(kept.values())

    def messages(self) -> list[tuple[str, str]]:
        """(tool, what it found in a line) of each call."""
        return [(tool, str(entry["metadata"]["llm_message"])) for tool, _, entry in self.entries()]

    def estimate_tokens(self) -> int:
        """Tokens of the whole environment as a model would be shown it, four characters each."""
        characters = sum(map(rendered_length, self.objects())) + sum(len(words) for _, words in self.messages())
        return -(-characters // CHARACTERS_A_TOKEN)

    def blocks(self, max_tokens: int, seen: Collection[int] | None = None) -> list[Block]:
        """The objects as evidence blocks of at most ``max_tokens`` together.

        ``seen`` are the pages that a model which sees is shown: figures of others say that they are not.

        What several of them hold is told once. Where they are longer, the long ones are cut to equal length; where even
        that leaves too little of each, the oldest are left out.
        """
        values = [_mark_unseen(value, seen) for value in self.objects()]
        once = [whole_block(value) for value in _mark_repeats(values)]
        if sum(len(block.text) + 1 for block in once) <= max_tokens * CHARACTERS_A_TOKEN:
            return once
        whole = [whole_block(value) for value in values]
        rooms = share_out([len(block.text) for block in whole], max_tokens * CHARACTERS_A_TOKEN)
        kept = list(zip(values, whole, strict=True))[len(values) - len(rooms) :]
        blocks = [
            block if len(block.text) <= room else cut_block(value, room)
            for (value, block), room in zip(kept, rooms, strict=True)
        ]
        return [block for block in blocks if block is not None]

    def to_llm_context(self, max_tokens: int = DECISION_CONTEXT_TOKENS) -> str:
        """What was found, call by call in a line and then object by object, as data; nothing hidden."""
        lines = [" ".join(as_data(f"{tool}: {words}").split())[:MAX_LINE_CHARACTERS] for tool, words in self.messages()]
        head = "\n".join(lines)[: max_tokens * CHARACTERS_A_TOKEN // 4]
        room = max_tokens - -(-(len(head) + 1) // CHARACTERS_A_TOKEN)
        texts = [block.text for block in self.blocks(max(0, room))]
        return "\n".join(part for part in (head, *texts) if part)

    def _cleared(self) -> int:
        return int(self.hidden_environment.get("cleared", 0))


def _mark_repeats(values: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The objects, their nodes marked by what an earlier object tells of them."""
    known: dict[str, Mapping[str, Any]] = {}
    found = []
    for value in values:
        nodes = [_mark_repeat(node, known.get(node["node_id"])) for node in value.get("nodes") or ()]
        known = {node["node_id"]: node for node in value.get("nodes") or ()} | known
        found.append({**value, "nodes": nodes} if nodes else value)
    return found


def _mark_repeat(node: Mapping[str, Any], earlier: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if earlier is None or node.get("title") != earlier.get("title"):
        return node
    text = str(node.get("text") or "").removesuffix("…").rstrip()
    is_whole = str(earlier.get("text") or "").startswith(text)
    return {**node, "told": "whole" if is_whole else "title"}


def _mark_unseen(value: dict[str, Any], seen: Collection[int] | None) -> dict[str, Any]:
    """An object, its figures marked where their page is not among those that are shown."""
    if seen is None or not value.get("nodes") or value.get("page_number") in seen:
        return value
    return {**value, "nodes": list(map(unseen, value["nodes"]))}
