"""Agents that read a document's pages as evidence and whose views are held against its tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cosee.agents.context import Context
from cosee.agents.cosee.actions import Action, unreadable
from cosee.agents.cosee.agent import Agent, reply_to_action
from cosee.agents.cosee.board import Board
from cosee.agents.cosee.prompts import ACTION_RULES, ROLE_PROMPTS
from cosee.agents.cosee.schemas import ActionReply, CheckReply
from cosee.agents.cosee.settings import CoSeeMethod
from cosee.agents.cosee.thresholds import TURN_REPLY_TOKENS
from cosee.agents.evidence import Evidence, ReadPlace, ground
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.settings.methods import AgentRole
from cosee.models.blocks import Block, Message, PageImage
from cosee.models.boxes import as_box, shown_box
from cosee.models.calls import Failure, Sampling, TypedReply
from cosee.models.messages import board_block, evidence_message, instruction_block, part_blocks, role_block


class GroundedAgent(Agent):
    """A role for one question: typed requests over evidence blocks.

    Where the board is switched off, each works for itself; what they write is collected all the same.
    The prompt ends in board and role, so that agents and rounds share all that stands before. An action's quote is
    looked up in the pages' text and gives the view its page and box; else a box that the model names itself stays.
    """

    def __init__(self, role: AgentRole, context: Context, evidence: Sequence[Block], method: CoSeeMethod) -> None:
        super().__init__(
            role,
            ROLE_PROMPTS[role].text,
            context.client,
            max_cells_per_page=method.max_cells_per_page,
            max_total_chars=method.max_total_chars,
        )
        self.context, self.client, self.evidence, self.zooms = context, context.client, evidence, method.zooms
        self.sees_board = "board" not in context.without

    def act(
        self,
        images: Sequence[Any],
        question: str,
        board: Board,
        gen_kwargs: dict[str, Any] | None = None,
        *,
        pages: Sequence[int] | None = None,
    ) -> Action:
        """One typed request; ``images`` are ``PageImage``, or None for a page without a picture."""
        messages, sampling = self.prompt(images, question, board, gen_kwargs)
        return self.read(self.client.request(messages, self.schema(board), sampling), pages)

    def schema(self, board: Board) -> type[ActionReply]:
        """What is asked for: of the cross-checker something about a cell, once it sees one."""
        return CheckReply if self.name == "cross_checker" and self.sees_board and len(board) else ActionReply

    def prompt(
        self, images: Sequence[Any], question: str, board: Board, gen_kwargs: dict[str, Any] | None
    ) -> tuple[list[Message], Sampling]:
        """What this agent's request sends."""
        text = self.board_text(board) if self.sees_board else ""
        message = evidence_message(
            question,
            images=[each for each in images if isinstance(each, PageImage)] if self.client.sees_images else [],
            evidence=self.evidence,
            instruction=instruction_block(ACTION_RULES.id, ACTION_RULES.text),
            closer=self._larger_views(images, board) if text else [],
            board=board_block(text, board.list_cells()) if text else None,
            role=role_block(self.role_prompt, self.name),
        )
        return [message], self.context.sampling(TURN_REPLY_TOKENS, gen_kwargs or {})

    def _larger_views(self, images: Sequence[Any], board: Board) -> list[Block]:
        """The newest boxes that agents want to see larger, rendered anew."""
        grid = self.client.asked_grid
        pages = {image.page: image for image in images if isinstance(image, PageImage)}
        wanted = [cell["view"] for cell in board.list_cells() if cell.get("details", {}).get("zoom")]
        left = self.client.images_left
        most = self.zooms if left is None else max(0, min(self.zooms, left - len(pages)))
        shown = [view for view in wanted if view["page"] in pages][-most:] if grid and most else []
        blocks: list[Block] = []
        for view in shown:
            page = pages[view["page"]]
            where = shown_box(view["bbox"], grid or 1, self.client.sent_size(page) if grid == "pixels" else None)
            blocks += part_blocks(page.region(view["bbox"]), where)
        return blocks

    def read(self, reply: TypedReply[ActionReply], pages: Sequence[int] | None) -> Action:
        """The reply as an action, held against the document."""
        if reply.value is None:
            return unreadable(reply.text, reply.error or "no reply")
        return grounded(reply_to_action(reply.value), self.context.tree, list(pages or []), self.context.read_place)


def act_together(
    agents: Sequence[GroundedAgent],
    images: Sequence[Any],
    question: str,
    board: Board,
    gen_kwargs: Sequence[dict[str, Any] | None],
    *,
    pages: Sequence[int],
) -> list[Action | Failure]:
    """One action for each agent of one client, requests of one kind sent as one batch: they share all but board and
    role. The cross-checker, which is asked for something about a cell, is asked after the others."""
    prompts = [
        agent.prompt(images, question, board, settings) for agent, settings in zip(agents, gen_kwargs, strict=True)
    ]
    schemas = [agent.schema(board) for agent in agents]
    replies: dict[int, TypedReply[ActionReply] | Failure] = {}
    for schema in dict.fromkeys(schemas):
        places = [place for place, each in enumerate(schemas) if each is schema]
        asked = [prompts[place] for place in places]
        found = agents[0].client.request_many(
            [messages for messages, _ in asked], schema, [sampling for _, sampling in asked]
        )
        replies |= dict(zip(places, found, strict=True))
    return [
        agent.read(reply, pages) if isinstance(reply := replies[place], TypedReply) else reply
        for place, agent in enumerate(agents)
    ]


def grounded(action: Action, tree: DocTree, pages: Sequence[int], read_place: ReadPlace | None = None) -> Action:
    """The action with a view that the document bears out: page and box of its quote or node where they are found
    on ``pages``, else its own box, in 0..1. ``quote_verified`` says whether the quote was found."""
    view = dict(action.get("view") or {})
    box = as_box(view.pop("bbox", None))
    if box is not None:
        view["bbox"] = box
    page = view.get("page")
    named = Evidence(action.get("node_id"), page if page in pages else None, str(action.get("quote") or ""), box)
    support = ground(tree, named, pages, read_place)
    if support is not None and support.page in pages:
        if page not in pages or support.quote_verified:
            view["page"] = support.page
        if support.bbox is not None and view.get("page") == support.page:
            view["bbox"] = support.bbox
        if support.node_id:
            action["node_id"] = support.node_id
        action["quote_verified"] = support.quote_verified
    else:
        action.pop("node_id", None)
        if action.get("quote"):
            action["quote_verified"] = False
    if view:
        action["view"] = view
    return action
