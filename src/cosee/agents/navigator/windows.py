"""The planner's view of a document: short windows on pages, nodes and headings, never their full text.

Whatever the document, all windows of one plan together stay below ``MAX_PLAN_CHARACTERS``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from cosee.agents.navigator.memory import Memory
from cosee.agents.navigator.thresholds import (
    MAX_HEADINGS_OF_A_PAGE,
    MAX_HEADINGS_SHOWN,
    MAX_HITS_OF_A_PAGE,
    MAX_HITS_SHOWN,
    MAX_NEIGHBOUR_CHARACTERS,
    MAX_PAGES_SHOWN,
    MAX_SECTIONS_ABOVE_A_HIT,
    MAX_SUMMARY_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    MAX_TITLES_ABOVE,
)
from cosee.artifacts.documents.doctree import Node
from cosee.artifacts.results.prediction import Retrieved
from cosee.models.blocks import Block
from cosee.models.messages import node_block
from cosee.retrieval.ranking import Ranking
from cosee.text.words import first_words


def hit_summary(memory: Memory, ranking: Ranking, visited: Collection[str], limit: int) -> list[Block]:
    """Windows on the best pages and nodes that were not visited or observed, within ``limit`` characters.

    A caption is shown once: in the window of its figure or table, else where it is met first.
    """
    return _first_within(limit, _hit_windows(memory, ranking, visited))


def _hit_windows(memory: Memory, ranking: Ranking, visited: Collection[str]) -> Iterator[Block]:
    tree = memory.document.tree
    fresh = [hit for hit in ranking.hits if hit.node_id in tree.by_id and hit.node_id not in memory.observations]
    named = {hit.node_id for hit in fresh}
    hits = [
        hit for hit in fresh if memory.document.readable(hit.node_id) and tree.node(hit.node_id).caption_of not in named
    ][:MAX_HITS_SHOWN]
    captions = {hit.node_id for hit in hits}
    pages = [
        (page, score)
        for page, score in zip(ranking.pages, ranking.page_scores, strict=False)
        if f"P{page - 1}" not in visited
    ]
    for page, score in pages[:MAX_PAGES_SHOWN]:
        yield _page_window(memory, page, score, [hit for hit in ranking.hits if hit.page == page], captions)
    for hit in hits:
        yield _node_window(memory, tree.node(hit.node_id), "hit", hit, captions)


def headings_topk(memory: Memory, ranking: Ranking, left_out: Collection[str], limit: int) -> list[Block]:
    """Windows on the sections of the best hits, and on those above them, but ``left_out``, within ``limit``
    characters."""
    tree = memory.document.tree
    sections: dict[str, Node] = {}
    for hit in ranking.hits:
        if hit.node_id in tree.by_id:
            chain = [node for node in reversed(tree.path(hit.node_id)) if node.type == "section"]
            sections.update({node.id: node for node in chain[:MAX_SECTIONS_ABOVE_A_HIT] if node.id not in sections})
    shown = [node for node in sections.values() if node.id not in left_out and memory.document.readable(node.id)]
    return _first_within(limit, (_node_window(memory, node, "heading") for node in shown[:MAX_HEADINGS_SHOWN]))


def _first_within(limit: int, windows: Iterator[Block]) -> list[Block]:
    shown: list[Block] = []
    for block in windows:
        limit -= len(block.text)
        if limit < 0:
            break
        shown.append(block)
    return shown


def _page_window(memory: Memory, page: int, score: float, hits: Sequence[Retrieved], captions: set[str]) -> Block:
    """A page: the headings on it, what was found there, and the summary of the best of it."""
    tree = memory.document.tree
    sections = [tree.node(each) for each in tree.page_nodes.get(page - 1, []) if tree.node(each).type == "section"]
    titles = map(memory.document.title, sections[:MAX_HEADINGS_OF_A_PAGE])
    headings = [heading for title in titles if (heading := first_words(title, MAX_NEIGHBOUR_CHARACTERS))]
    summarised = (hit.node_id for hit in hits if memory.document.summary(hit.node_id))
    best = next((node_id for node_id in summarised if not _is_caption_shown(memory, node_id, captions)), None)
    captions.update(_captioned_with(memory, best))
    ids = [hit.node_id for hit in hits[:MAX_HITS_OF_A_PAGE]]
    data = {
        "node_id": f"P{page - 1}",
        "shown_as": page_name(page),
        "type": "page",
        "page": page,
        "page_label": tree.pages[page - 1].page_label,
        "list": "page",
        "score": score,
        "hits": ids,
    }
    lines = [
        f"headings: {'; '.join(headings)}" if headings else "",
        first_words(memory.document.summary(best), MAX_SUMMARY_CHARACTERS) if best else "",
        f"found here: {', '.join(ids)}" if ids else "",
        f"score {score:.3f}",
    ]
    return _window(data, lines)


def page_name(page: int) -> str:
    """What a model calls a 1-based page where it names places; ids of pages count from 0."""
    return f"page_{page}"


def _node_window(
    memory: Memory, node: Node, shown_in: str, hit: Retrieved | None = None, captions: set[str] | None = None
) -> Block:
    """Heading, summary and neighbours of a node in one window; for a hit, the parts of its score."""
    tree = memory.document.tree
    titles = [memory.document.title(step) for step in tree.path(node.id)[:-1] if step.title]
    above = [first_words(title, MAX_TITLE_CHARACTERS) for title in titles]
    data: dict[str, Any] = {
        "node_id": node.id,
        "type": node.type,
        "page": node.page_idx + 1,
        "page_label": tree.pages[node.page_idx].page_label if node.page_idx < len(tree.pages) else None,
        "title": first_words(memory.document.title(node), MAX_TITLE_CHARACTERS),
        "label": first_words(node.label or "", MAX_TITLE_CHARACTERS) or None,
        "path": above[-MAX_TITLES_ABOVE:],
        "list": shown_in,
    }
    before, after = _neighbours(memory, node, set() if captions is None else captions)
    lines = [
        first_words(memory.document.summary(node.id), MAX_SUMMARY_CHARACTERS),
        f"before it: {before}" if before else "",
        f"after it: {after}" if after else "",
    ]
    if hit is not None:
        data |= {"score": hit.score, "parts": hit.parts}
        parts = ", ".join(f"{name} {value:.2f}" for name, value in hit.parts.items())
        lines.append(f"score {hit.score:.3f} ({parts})")
    return _window(data, lines)


def _captioned_with(memory: Memory, node_id: str | None) -> set[str]:
    """The figure or table that a node is, or is the caption of, and the node itself; empty for any other."""
    node = memory.document.tree.by_id.get(node_id or "")
    if node is None or (node.type not in ("image", "table") and not node.caption_of):
        return set()
    return {node.id, *([node.caption_of] if node.caption_of else node.caption_ids)}


def _is_caption_shown(memory: Memory, node_id: str, captions: set[str]) -> bool:
    """Whether a node's caption stands in the plan already."""
    return bool(_captioned_with(memory, node_id) & captions)


def _neighbours(memory: Memory, node: Node, captions: set[str]) -> tuple[str, str]:
    """What stands before and after a node under the same heading, in a few words; captions that are shown elsewhere by
    their ids alone."""
    tree = memory.document.tree
    family = tree.by_id[node.parent].children if node.parent else []
    place = family.index(node.id) if node.id in family else 0
    beside = [family[place - 1 : place] if place else [], family[place + 1 : place + 2]]
    words = []
    for ids in beside:
        other = tree.node(ids[0]) if ids and memory.document.readable(ids[0]) else None
        words_of_it = "" if other is None else memory.document.title(other) or other.text
        named = first_words(words_of_it, MAX_NEIGHBOUR_CHARACTERS)
        if other is None or not named:
            words.append("")
        elif _is_caption_shown(memory, other.id, captions | {node.id}):
            words.append(other.id)
        else:
            words.append(f"{other.id} “{named}”")
            captions.update(_captioned_with(memory, other.id))
    return words[0], words[1]


def _window(data: dict[str, Any], lines: Sequence[str]) -> Block:
    return node_block({**data, "text": "\n".join(each for each in lines if each)})
