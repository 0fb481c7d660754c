"""Agents: a role prompt over a client's ``generate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from cosee.agents.cosee.actions import HYPOTHESIZE, INSPECT, Action, unreadable
from cosee.agents.cosee.board import Board
from cosee.agents.cosee.prompts import ACTION_RULES, CROSS_CHECKER, DETAIL_READER, SCANNER
from cosee.agents.cosee.schemas import ActionReply
from cosee.agents.cosee.thresholds import MAX_BOARD_CHARACTERS, MAX_CELLS_PER_PAGE


class Generates(Protocol):
    """What an agent needs of a client: ``generate``."""

    def generate(
        self,
        images: Sequence[Any],
        question: str,
        board_text: str | None = None,
        role_prompt: str | None = None,
        **gen_kwargs: Any,
    ) -> str:
        """One multimodal call; the assistant's text."""
        ...


class Agent:
    """One role. ``default_gen_kwargs`` are used where ``act`` is given none."""

    default_gen_kwargs: Mapping[str, Any] = {"max_new_tokens": 256, "presence_penalty": 0.0}

    def __init__(
        self,
        name: str,
        role_prompt: str,
        qwen_client: Generates | None,
        *,
        max_cells_per_page: int = MAX_CELLS_PER_PAGE,
        max_total_chars: int = MAX_BOARD_CHARACTERS,
    ) -> None:
        self.name = name
        self.role_prompt = role_prompt
        self.qwen_client = qwen_client
        self.max_cells_per_page = max_cells_per_page
        self.max_total_chars = max_total_chars

    def act(
        self,
        images: Sequence[Any],
        question: str,
        board: Board,
        gen_kwargs: dict[str, Any] | None = None,
        *,
        pages: Sequence[int] | None = None,
    ) -> Action:
        """One step: the board as text, one call, the reply as an action.

        ``pages`` names each image's document page (1-based), by default 1..len(images). A reply that is no action
        comes back as one that does not validate and says why.
        """
        if self.qwen_client is None:
            raise ValueError(f"agent {self.name!r} has no client to ask")
        from cosee.models.structured import schema_text

        prompt_parts = (self.role_prompt, ACTION_RULES.text, pages_line(images, pages), schema_text(ActionReply))
        text = self.qwen_client.generate(
            images,
            question,
            self.board_text(board),
            "\n\n".join(part for part in prompt_parts if part),
            **(self.default_gen_kwargs if gen_kwargs is None else gen_kwargs),
        )
        return parse_action(text)

    def board_text(self, board: Board) -> str:
        """The board as this agent reads it."""
        return board.to_text(self.max_cells_per_page, self.max_total_chars)


def parse_action(text: str) -> Action:
    """The action in a model's reply (fences, prose and broken JSON are mended); never raises."""
    from cosee.models.structured import parse

    parsed = parse(text, ActionReply)
    if parsed.value is None:
        return unreadable(text, f"{parsed.error}: {parsed.detail}")
    return reply_to_action(parsed.value)


def reply_to_action(reply: ActionReply) -> Action:
    """A typed reply as a plain dict."""
    return Action(reply.model_dump(exclude_none=True))


def pages_line(images: Sequence[Any], pages: Sequence[int] | None) -> str:
    """Which pages the images are, where they are not simply the first ones."""
    if pages is None or list(pages) == list(range(1, len(images) + 1)):
        return ""
    return f"The images are pages {', '.join(str(page) for page in pages)}, in this order."


class ScannerAgent(Agent):
    """Global overview: where on the pages the question can be answered."""

    def __init__(self, qwen_client: Generates | None) -> None:
        super().__init__("scanner", SCANNER.text, qwen_client)


class DetailReaderAgent(Agent):
    """Small text and numbers at the places that the board names."""

    def __init__(self, qwen_client: Generates | None) -> None:
        super().__init__("detail_reader", DETAIL_READER.text, qwen_client)


class CrossCheckerAgent(Agent):
    """Verifies candidate answers and resolves conflicts."""

    def __init__(self, qwen_client: Generates | None) -> None:
        super().__init__("cross_checker", CROSS_CHECKER.text, qwen_client)


class DummyAgent(Agent):
    """Plays ``actions`` in order, from the first on each new board, and then repeats the last; needs no model."""

    def __init__(
        self,
        name: str = "dummy",
        role_prompt: str = "",
        qwen_client: Generates | None = None,
        *,
        actions: Sequence[Action] | None = None,
    ) -> None:
        super().__init__(name, role_prompt, qwen_client)
        self.actions = (
            list(actions)
            if actions
            else [
                Action(action=INSPECT, content="The first page was looked at.", tags=["text"]),
                Action(action=HYPOTHESIZE, content="No model was asked.", answer="dummy", confidence="low"),
            ]
        )
        self._turn = 0
        self._board: Board | None = None

    def act(
        self,
        images: Sequence[Any],
        question: str,
        board: Board,
        gen_kwargs: dict[str, Any] | None = None,
        *,
        pages: Sequence[int] | None = None,
    ) -> Action:
        """The next action of the script."""
        if board is not self._board:
            self._board, self._turn = board, 0
        action = self.actions[min(self._turn, len(self.actions) - 1)]
        self._turn += 1
        return Action(action)
