"""Builders of message blocks. Whatever comes from a document, a model or a user is written as data.

Evidence stands between ``<evidence ...>`` and ``</evidence>``, a node after ``<node ...>``. ``as_data`` rewrites the
``<`` of anything that reads like one of these tags or like a control token of a chat template, so that no text can
close its delimiter, forge a block or end a turn.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cosee.models.blocks import Block, Message, PageImage
from cosee.models.thresholds import ATTRIBUTE_CHARACTERS
from cosee.text.cleaning import without_leaders

if TYPE_CHECKING:
    from PIL.Image import Image

NOT_SHOWN = "(The picture of it is not shown to you.)"
_TAG = re.compile(r"<(?=[\W_]*(?:evidence|node|think|tool_call|tool_response|s\b|\|))|<(?=[\W_]*\|)", re.IGNORECASE)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_BRACKET_TOKEN = re.compile(r"\[(?=/?INST\])")


def as_data(text: str) -> str:
    """Document text, model text or a question, with our delimiters and chat control tokens made harmless."""
    text = _CONTROL.sub(" ", text)
    text = _BRACKET_TOKEN.sub("(", text)
    return _TAG.sub("&lt;", text)


def _attribute(value: object) -> str:
    """A value inside a tag: one short line without quotes or angle brackets."""
    return _one_line(re.sub(r'[<>"]', "'", as_data(str(value))))[:ATTRIBUTE_CHARACTERS]


def question_block(question: str) -> Block:
    """``Question: ...``."""
    return Block("question", f"Question: {as_data(question)}", {"question": question})


def image_block(image: PageImage) -> Block:
    """A page's picture."""
    return Block("image", "", {"page": image.page}, image)


def part_blocks(image: PageImage, where: Sequence[float]) -> list[Block]:
    """A part of a page that is shown larger, and where it lies, as boxes are told to the model."""
    text = (
        f'<evidence page="{image.page}" part="{list(where)}">\nThe picture before this line is that part of the page, '
        "shown larger. Boxes are always those of the whole page.\n</evidence>"
    )
    data: dict[str, Any] = {"page": image.page, "page_label": None, "text": "", "nodes": []}
    return [image_block(image), Block("page_text", text, data)]


def page_text_block(
    page: int,
    page_label: str | None,
    text: str,
    nodes: Sequence[Mapping[str, Any]] = (),
    found: Mapping[str, Any] | None = None,
) -> Block:
    """A page's text, with its nodes' ids where ``nodes`` (node data) are given.

    The marker holds the physical page (1-based) and, where it is another, the number printed on it, so that "page 12"
    can mean either. A caption that stands in its figure's or table's line has no line of its own.
    ``found``, what a search tells of the page, is data only.
    """
    body = "\n".join(map(_node_line, _once(nodes))) if nodes else as_data(without_leaders(text))
    return Block(
        "page_text",
        f'<evidence page="{page}"{_printed(page, page_label)}>\n{body}\n</evidence>',
        {
            "page": page,
            "page_label": page_label,
            "text": text,
            "nodes": [dict(node) for node in nodes],
            **(found or {}),
        },
    )


def node_block(node: Mapping[str, Any]) -> Block:
    """One node as evidence of its own; ``node`` is node data (see ``evidence.node_data``)."""
    return Block("node", _evidence(node), dict(node))


def table_block(node: Mapping[str, Any]) -> Block:
    """A table with its cells: node data with ``rows`` and ``header_rows``."""
    return Block("table", _evidence(node), {"header_rows": 1, **node})


def board_block(text: str, cells: Sequence[Mapping[str, Any]] = ()) -> Block:
    """The shared board as text, and its cells as data."""
    return Block("board", f"Shared board (summary):\n{as_data(text)}", {"cells": [dict(cell) for cell in cells]})


def role_block(text: str, role: str = "") -> Block:
    """A role's prompt; ``role`` is its short name."""
    return Block("role", text, {"role": role})


def instruction_block(prompt_id: str, text: str, **data: Any) -> Block:
    """A prompt of ours. ``prompt_id`` names it in predictions; ``data`` (JSON) is for the embedded reader."""
    return Block("instruction", text, {**data, "prompt_id": prompt_id})


def history_block(turns: Sequence[Mapping[str, Any]]) -> Block:
    """Earlier turns of a conversation: ``{"author": str, "content": str}`` each."""
    lines = [
        f"{_attribute(turn.get('author', 'unknown'))}: {_one_line(as_data(str(turn.get('content', ''))))}"
        for turn in turns
    ]
    return Block("history", "Conversation so far:\n" + "\n".join(lines), {"turns": [dict(turn) for turn in turns]})


def picture_message(
    images: Sequence[Image | PageImage],
    question: str,
    board_text: str | None = None,
    role_prompt: str | None = None,
) -> Message:
    """Pictures, question, then board and role where there are any."""
    pictures = [
        image_block(image if isinstance(image, PageImage) else PageImage(number, image))
        for number, image in enumerate(images, start=1)
    ]
    blocks = [*pictures, question_block(question)]
    if board_text:
        blocks.append(board_block(board_text))
    if role_prompt:
        blocks.append(role_block(role_prompt))
    return Message(tuple(blocks))


def evidence_message(
    question: str,
    *,
    images: Sequence[PageImage] = (),
    evidence: Sequence[Block] = (),
    instruction: Block | None = None,
    history: Block | None = None,
    closer: Sequence[Block] = (),
    board: Block | None = None,
    role: Block | None = None,
) -> Message:
    """Evidence first, what differs between agents last, so that agents and rounds share one prefix.

    Each picture stands before the page text of its page; pictures without text and other evidence keep their order.
    ``history``, ``closer`` (parts that are shown larger), ``board`` and ``role`` come last, in this order.
    """
    pictures = {image.page: image_block(image) for image in images}
    blocks: list[Block] = []
    for block in evidence:
        if block.kind == "page_text" and block.data["page"] in pictures:
            blocks.append(pictures.pop(block.data["page"]))
        blocks.append(block)
    tail = [block for block in (instruction, history, *closer, board, role) if block is not None]
    return Message((*pictures.values(), *blocks, question_block(question), *tail))


def to_chat(messages: Sequence[Message], *, pictures: bool = True) -> list[dict[str, Any]]:
    """Messages as chat templates take them: ``{"role", "content": [{"type": "image"|"text", ...}]}``.

    Without ``pictures`` an image part says only where a picture stands.
    """
    return [
        {
            "role": message.role,
            "content": [
                ({"type": "image", "image": block.image.load()} if pictures else {"type": "image"})
                if block.image is not None
                else {"type": "text", "text": block.text}
                for block in message.blocks
            ],
        }
        for message in messages
    ]


def to_text_chat(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Messages for a model that reads text only: a turn's blocks joined by blank lines, pictures left out."""
    return [
        {"role": message.role, "content": "\n\n".join(block.text for block in message.blocks if block.text)}
        for message in messages
    ]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _node_line(node: Mapping[str, Any]) -> str:
    """``<node t_12>text``; figures, tables and headings say what they are, and their label; what is ``told`` of a node
    in an earlier block is left out."""
    words = [_attribute(node.get("shown_as") or node["node_id"])]
    if node.get("type") not in (None, "paragraph"):
        words.append(_attribute(node["type"]))
    if node.get("label"):
        words.append(f'"{_attribute(node["label"])}"')
    told = node.get("told")
    title, text = "" if told else node.get("title") or "", "" if told == "whole" else node.get("text") or ""
    shown = text if not title or title in text else f"{title}\n{text}"
    if node.get("description") and told != "whole":
        shown = f"{shown}\n{node['description']}"
    if node.get("not_shown") and told != "whole":
        shown = f"{shown}\n{NOT_SHOWN}"
    return f"<node {' '.join(words)}>{as_data(without_leaders(shown).strip())}"


def _printed(page: int, page_label: str | None) -> str:
    """The number printed on a page, where it is not that of the page itself."""
    return f' printed="{_attribute(page_label)}"' if page_label and page_label.strip() != str(page) else ""


def _once(nodes: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Nodes without the captions that are the titles of others among them."""
    titles = {node["node_id"]: _one_line(node.get("title") or "") for node in nodes}
    return [
        node
        for node in nodes
        if not node.get("caption_of") or titles.get(node["caption_of"], "") != _one_line(node.get("text") or "")
    ]


def _evidence(node: Mapping[str, Any]) -> str:
    printed = _printed(node["page"], node.get("page_label"))
    path = " / ".join(str(title) for title in node.get("path") or [])
    section = f' section="{_attribute(path)}"' if path else ""
    return f'<evidence page="{node["page"]}"{printed}{section}>\n{_node_line(node)}\n</evidence>'
