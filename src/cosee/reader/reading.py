"""One request as the handlers of ``replies/`` see it: the data of its blocks, and what is read in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any

from cosee.models.blocks import BlockKind, Message, blocks_of
from cosee.models.calls import Sampling
from cosee.reader.answer import find_places, read
from cosee.reader.evidence import Place
from cosee.reader.passages import Passage, ReadingAnswer, passages_of_text, unique
from cosee.reader.weights import Weights, fitted


class Reading:
    """``role`` is the role's short name, ``board`` the cells of the shared board, ``history`` the earlier turns,
    ``instructions`` the data of all instructions, ``frequencies`` as ``Rarity`` takes them; empty where there is none.
    """

    def __init__(self, messages: Sequence[Message], sampling: Sampling, weights: Weights | None = None) -> None:
        self.blocks, self.sampling, self.weights = blocks_of(messages), sampling, weights or fitted()
        self.question: str = self._data("question", "question", "")
        self.role: str = self._data("role", "role", "")
        self.board: list[dict[str, Any]] = [
            {**cell, "details": cell.get("details") or {}, "tags": cell.get("tags") or []}
            for cell in self._data("board", "cells", [])
        ]
        self.history: list[dict[str, Any]] = self._data("history", "turns", [])
        self.frequencies: Mapping[str, int] | None = self._data("page_text", "frequencies", None)
        told = [block.data for block in self.blocks if block.kind == "instruction"]
        own = [data for data in told if not str(data.get("prompt_id", "")).startswith("json_")]
        self.instructions = {name: value for data in own for name, value in data.items()}

    def _data(self, kind: BlockKind, name: str, default: Any) -> Any:
        """A value in the data of the first block of a kind."""
        return next((block.data.get(name, default) for block in self.blocks if block.kind == kind), default)

    @cached_property
    def page_numbers(self) -> list[int]:
        """1-based pages in the request, pictures included, in order, each once."""
        shown = [block.data["page"] for block in self.blocks if block.kind in ("page_text", "image", "node", "table")]
        return list(dict.fromkeys(int(page) for page in shown))

    @cached_property
    def passages(self) -> list[Passage]:
        """The evidence as the readings see it: every node once, and the text of pages without nodes."""
        found: list[Passage] = []
        for block in self.blocks:
            if block.kind == "page_text":
                nodes = [Passage.from_data(node, block.data.get("rank")) for node in block.data["nodes"]]
                found.extend(nodes or passages_of_text(block.data["page"], block.data["text"]))
            elif block.kind in ("node", "table"):
                found.append(Passage.from_data(block.data))
        return unique(found)

    @cached_property
    def places(self) -> list[Place]:
        """The places of the evidence that share words with the question, best first."""
        return [each.place for each in find_places(self.question, self.passages, self.frequencies, self.weights)[1]]

    def answer(self, pages: Collection[int] = ()) -> ReadingAnswer:
        """The reader's answer over the evidence, or over what of it is on ``pages`` where anything is."""
        chosen = [passage for passage in self.passages if passage.page in pages]
        return read(self.question, chosen or self.passages, self.frequencies, self.weights)
