"""Prompts made smaller until a server takes them: the lowest-ranked page is left out, then the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from cosee.models.blocks import Block, Message, blocks_of, pictures_of
from cosee.models.served.faults import Excess, ServerFault, excess
from cosee.models.served.thresholds import LEAST_PICTURE_TOKENS, MOST_LETTERS_OF_A_TOKEN, MOST_PAGE_DENSITY

PICTURES, LENGTH = "more pictures than the server takes", "longer than the server takes"

Reply = TypeVar("Reply")
Unit = tuple[str, object]


def letters_in(messages: Sequence[Message]) -> int:
    """How long a prompt's text is."""
    return sum(len(block.text) for block in blocks_of(messages))


def least_tokens(messages: Sequence[Message]) -> int:
    """Tokens that a prompt has in any case."""
    return letters_in(messages) // MOST_LETTERS_OF_A_TOKEN + LEAST_PICTURE_TOKENS * len(pictures_of(messages))


@dataclass
class SmallerPrompt:
    """A prompt and what was left out of it by now: the reason -> pages and nodes by name, the lowest-ranked first."""

    messages: Sequence[Message]
    left_out: dict[str, list[str]] = field(default_factory=dict)

    def leave_out(self, why: str) -> bool:
        """Leave out the lowest-ranked page (one with a picture, where these are too many); False where nothing is left.

        Evidence stands in a prompt best first. A page goes with its picture; other evidence goes by itself. The last
        page of a prompt that is too long keeps its text alone.
        """
        units: dict[Unit, list[Block]] = {}
        for block in blocks_of(self.messages):
            if (unit := _unit(block)) is not None:
                units.setdefault(unit, []).append(block)
        found = [blocks for blocks in units.values() if why == LENGTH or any(block.image for block in blocks)]
        if len(found) > 1:
            goes, name = found[-1], _name(found[-1][0])
        else:
            evidence = [block for blocks in found for block in blocks]
            goes = [block for block in evidence if block.image is not None]
            if why == PICTURES or not goes or len(goes) == len(evidence):
                return False
            name = f"the picture of {_name(goes[0])}"
        gone = set(map(id, goes))
        self.messages = [
            replace(message, blocks=tuple(block for block in message.blocks if id(block) not in gone))
            for message in self.messages
        ]
        self.left_out.setdefault(why, []).append(name)
        return True


def _unit(block: Block) -> Unit | None:
    """What a block of evidence goes with: the blocks of a page go together."""
    if block.kind in ("page_text", "image"):
        return "page", block.data.get("page")
    return (block.kind, block.data.get("node_id", block.text)) if block.kind in ("node", "table") else None


def _name(block: Block) -> str:
    page = f"page {block.data.get('page')}"
    return page if block.kind in ("page_text", "image") else f"{block.data.get('node_id')} on {page}"


@dataclass
class Limits:
    """What a server takes in a prompt, as far as it told; None where nothing is known.

    A limit is applied before a prompt is sent only where the server would refuse it surely, so that a prompt is sent in
    the same form whether the limit was known or its refusal told it: the order of questions decides nothing.
    """

    pictures: int | None = None
    context: int | None = None

    def apply(self, prompt: SmallerPrompt) -> None:
        """Leave out what the server would refuse."""
        self._until(
            lambda: self.pictures is None or len(pictures_of(prompt.messages)) <= self.pictures, prompt, PICTURES
        )
        self._until(lambda: self.context is None or least_tokens(prompt.messages) <= self.context, prompt, LENGTH)

    def _until(self, fits: Callable[[], bool], prompt: SmallerPrompt, why: str) -> None:
        while not fits() and prompt.leave_out(why):
            pass

    def fitted(
        self,
        messages: Sequence[Message],
        send: Callable[[Sequence[Message]], Reply],
        say: Callable[[ServerFault], None],
    ) -> tuple[Reply, dict[str, list[str]]]:
        """The reply to a prompt, made smaller until the server takes it, and what was left out.

        Raises:
            ServerFault: a refusal for another reason, or of a prompt with nothing left to leave out.
        """
        prompt = SmallerPrompt(messages)
        is_counted = False
        while True:
            self.apply(prompt)
            try:
                reply = send(prompt.messages)
            except ServerFault as fault:
                too_much = excess(fault)
                if too_much is None or not self._smaller(prompt, too_much):
                    raise
                is_counted = is_counted or (too_much.of == "pictures" and self.pictures is None)
                say(fault)
            else:
                if is_counted:  # the server did not say how many it takes; one more was refused
                    self.pictures = len(pictures_of(prompt.messages))
                return reply, prompt.left_out

    def _smaller(self, prompt: SmallerPrompt, too_much: Excess) -> bool:
        """Whether a refused prompt has less in it now, or will when what the server told is applied."""
        if too_much.of == "tokens":
            self.context = too_much.limit or self.context
            return self._shorter(prompt, too_much)
        if too_much.limit and too_much.limit < len(pictures_of(prompt.messages)):
            self.pictures = too_much.limit
            return True
        return prompt.leave_out(PICTURES)

    def _shorter(self, prompt: SmallerPrompt, too_much: Excess) -> bool:
        """Leave out a page; where the server said how long the prompt is, as many more as it is too long in any case.

        Never more than it would have taken page by page: that the order of questions decides nothing rests on it.
        """
        letters, pictures = letters_in(prompt.messages), len(pictures_of(prompt.messages))
        if not prompt.leave_out(LENGTH):
            return False
        if too_much.limit and too_much.found:
            of_pictures = max(0, too_much.found - letters // MOST_LETTERS_OF_A_TOKEN)
            while True:
                gone = (letters - letters_in(prompt.messages)) / max(letters, 1) * too_much.found
                gone += (pictures - len(pictures_of(prompt.messages))) / max(pictures, 1) * of_pictures
                if too_much.found - MOST_PAGE_DENSITY * gone <= too_much.limit or not prompt.leave_out(LENGTH):
                    break
        return True
