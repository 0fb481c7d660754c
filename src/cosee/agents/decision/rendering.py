"""Objects of the environment as evidence blocks, cut to a length where they must be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cosee.agents.decision.thresholds import MARKUP_CHARACTERS, MAX_FRAME_CHARACTERS, MIN_CUT_CHARACTERS, MIN_CUT_STEP
from cosee.artifacts import files
from cosee.models.blocks import Block
from cosee.models.messages import page_text_block

_INTERNAL = ("_REF_ID", "nodes", "hits", "found")


def rendered_length(value: Mapping[str, Any]) -> int:
    """Characters of an object as a model is shown it, about."""
    nodes = value.get("nodes")
    return MARKUP_CHARACTERS + (sum(map(_node_length, nodes)) if nodes else len(text_of(value)))


def share_out(lengths: Sequence[int], room: int) -> list[int]:
    """Characters that each of the last blocks may take, so that all of them fit ``room``, a line break each.

    Short ones stay whole, long ones are cut to equal length (waterfilling). The result is shorter than ``lengths``
    where the first ones have to be left out.
    """
    kept = list(lengths)
    while kept and sum(min(length, MIN_CUT_CHARACTERS) + 1 for length in kept) > room:
        kept.pop(0)
    left = room - len(kept)
    if sum(kept) <= left:
        return kept
    level = 0
    for place, length in enumerate(sorted(kept)):
        level = left // (len(kept) - place)
        if length > level:
            break
        left -= length
    return [min(length, level) for length in kept]


def whole_block(value: Mapping[str, Any]) -> Block:
    """The object as an evidence block: its nodes where it has some, else its text."""
    nodes = value.get("nodes")
    return _page(value, nodes=nodes) if nodes else _page(value, text=text_of(value))


def cut_block(value: Mapping[str, Any], room: int) -> Block | None:
    """The object as a block of at most ``room`` characters, of its nodes the ones that were hit first."""
    nodes = value.get("nodes")
    inner = room - MARKUP_CHARACTERS
    while inner > 0:
        if nodes:
            fitting = _fitting(nodes, value.get("hits") or (), inner)
            block = _page(value, nodes=fitting) if fitting else None
        else:
            block = _page(value, text=cut_text(text_of(value), inner))
        if block is None or len(block.text) <= room:
            return block
        inner -= max(MIN_CUT_STEP, len(block.text) - room)
    return None


def text_of(value: Mapping[str, Any]) -> str:
    """An object's words: its ``text``, else its fields as JSON."""
    if isinstance(value.get("text"), str):
        return str(value["text"])
    return files.canonical_json({key: each for key, each in value.items() if key not in _INTERNAL})


def frame_of(value: Mapping[str, Any]) -> dict[str, Any]:
    """The object as a frame carries it: node ids instead of node data, long text cut."""
    kept = {key: each for key, each in value.items() if key not in ("nodes", "hits", "found")}
    if isinstance(kept.get("text"), str):
        kept["text"] = cut_text(kept["text"], MAX_FRAME_CHARACTERS)
    if value.get("nodes"):
        kept["node_ids"] = [node["node_id"] for node in value["nodes"]]
    return kept


def cut_text(text: str, limit: int) -> str:
    """The first ``limit`` characters, whole words, with ``…`` where something is left out."""
    if len(text) <= limit:
        return text
    return text[: max(0, limit - 2)].rsplit(None, 1)[0] + " …" if limit > 2 else ""


def _page(value: Mapping[str, Any], *, nodes: Sequence[Mapping[str, Any]] = (), text: str = "") -> Block:
    text = text or "\n".join(str(node.get("text") or "") for node in nodes)
    return page_text_block(int(value.get("page_number") or 1), value.get("page_label"), text, nodes, value.get("found"))


def _node_length(node: Mapping[str, Any]) -> int:
    return MARKUP_CHARACTERS + sum(len(str(node.get(part) or "")) for part in ("text", "title", "description"))


def _fitting(nodes: Sequence[Mapping[str, Any]], hits: Sequence[str], room: int) -> list[Mapping[str, Any]]:
    """As many nodes as fit, the hits first, in reading order; the last of them cut."""
    chosen: dict[int, Mapping[str, Any]] = {}
    order = sorted(range(len(nodes)), key=lambda place: (nodes[place]["node_id"] not in hits, place))
    for place in order:
        node = nodes[place]
        length = _node_length(node)
        if length > room:
            if room > MARKUP_CHARACTERS + MIN_CUT_CHARACTERS // 2:
                chosen[place] = _shortened(node, room - MARKUP_CHARACTERS)
            break
        chosen[place] = node
        room -= length
    return [chosen[place] for place in sorted(chosen)]


def _shortened(node: Mapping[str, Any], room: int) -> dict[str, Any]:
    """The node with as much of its text as fits: whole rows of a table, whole words of a text."""
    title = cut_text(str(node.get("title") or ""), room // 3)
    room -= len(title)
    text = str(node.get("text") or "")
    if "rows" not in node:
        return {**node, "title": title, "text": cut_text(text, room), "description": None}
    lines: list[str] = []
    for line in text.splitlines():
        if sum(map(len, lines)) + len(lines) + len(line) > room:
            break
        lines.append(line)
    return {**node, "title": title, "text": "\n".join(lines), "rows": list(node["rows"])[: len(lines)]}
