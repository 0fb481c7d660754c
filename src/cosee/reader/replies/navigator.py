"""The navigator's roles without a model: readings of the blocks of the request.

The planner orders the windows it is shown by their place in the search and by the words of the question, after a replan
by the missing words, that they hold. The reasoner reads the observed nodes and names the words of the question that
none of them holds, to be looked for where it abstains or is unsure.
"""

from __future__ import annotations

from typing import Any

from cosee.agents.navigator.router import split_by_wording
from cosee.agents.navigator.schemas import CombineReply, DirectiveReply, NodeQuote, PlanReply, ReasonReply, SplitReply
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.question.instructions import without_instructions
from cosee.reader.reading import Reading
from cosee.reader.replies.thresholds import MAX_MISSING_WORDS, RANK_OFFSET, WORDS_WEIGHT
from cosee.text.content_words import terms, words


def plan(reading: Reading) -> PlanReply:
    """MOVE_TO the best pages, and what the search hit on them."""
    looked_for = next((turn["content"] for turn in reading.history if turn.get("author") == "look for"), "")
    wanted = set(terms(looked_for)) or set(terms(reading.question))
    pages = [block.data for block in reading.blocks if block.data.get("list") == "page"]

    def worth(place: int) -> float:
        share = len(wanted & set(terms(str(pages[place].get("text") or "")))) / max(1, len(wanted))
        return RANK_OFFSET / (RANK_OFFSET + place) + WORDS_WEIGHT * share

    order = sorted(range(len(pages)), key=lambda place: (-worth(place), place))
    chosen = [pages[place] for place in order[: int(reading.instructions.get("places", 1))]]
    named = "; ".join(f"page {node['page']}" for node in chosen)
    return PlanReply(
        thought=f"{named}: the search and the words of the question put them first",
        candidates=[node["node_id"] for node in chosen] + [hit for node in chosen for hit in node.get("hits", [])],
        directives=[DirectiveReply(action="MOVE_TO", target=node["node_id"]) for node in chosen],
    )


def reason(reading: Reading) -> ReasonReply:
    """The reading of the observed nodes, and what they do not hold."""
    found, missing = reading.answer(), missing_words(reading)
    quotes = () if found.abstained else found.quotes
    return ReasonReply(
        explanation=found.answer_long,
        answer=found.answer,
        confidence=found.confidence,
        support_nodes=list(dict.fromkeys(quote.node_id for quote in quotes if quote.node_id)),
        quotes=[NodeQuote(node_id=quote.node_id, quote=quote.text, page=quote.page) for quote in quotes],
        reason=f"No observed node holds {', '.join(missing)}." if missing else "",
        look_for=" ".join(missing),
    )


def split(reading: Reading) -> SplitReply:
    """The questions that the wording joins."""
    return SplitReply(sub_questions=split_by_wording(reading.question)[: int(reading.instructions.get("limit", 2))])


def combine(reading: Reading) -> CombineReply:
    """The whole question read over all that was read for its parts, or the parts' answers one after another where
    they are the surer."""
    parts: list[dict[str, Any]] = list(reading.instructions.get("parts", []))
    answered = [part for part in parts if part["answer"] != NOT_ANSWERABLE]
    whole = reading.answer()
    sure = min((part["confidence"] for part in answered), default=0.0) * len(answered) / max(1, len(parts))
    if not answered or (not whole.abstained and whole.confidence >= sure):
        return CombineReply(answer=whole.answer, confidence=whole.confidence)
    return CombineReply(answer="; ".join(str(part["answer"]).rstrip(".;") for part in answered), confidence=sure)


def missing_words(reading: Reading) -> list[str]:
    """Words of the question, as it has them, that no observed node holds."""
    texts = (part for each in reading.passages for part in (each.content, each.description, *each.path))
    held = {term for text in texts for term in terms(text)}
    asked = dict.fromkeys(words(without_instructions(reading.question)))
    return [word for word in asked if terms(word) and not held & {*terms(word)}][:MAX_MISSING_WORDS]
