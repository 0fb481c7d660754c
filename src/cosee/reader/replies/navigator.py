"""The navigator's roles without a model: text skills over the blocks of the request.

The planner orders the windows it is shown by their place in the search and by the words of the question, after a replan
by the missing words, that they hold. The reasoner reads the observed nodes, and asks for another look where the reading
abstains or is unsure, naming the words of the question that no observed node holds.
"""

from __future__ import annotations

from typing import Any

from cosee.agents.navigator.router import split_by_wording
from cosee.agents.navigator.schemas import (
    CombineReply,
    DirectiveReply,
    NodeQuote,
    PlanReply,
    ReasonReply,
    SplitReply,
)
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.reader.embedded import HandlerRegistry, Reading
from cosee.reader.skills.gaps import key_words
from cosee.reader.skills.question import analyse
from cosee.text.content_words import terms, words

REGISTRY = HandlerRegistry()

WORDS_WEIGHT = 0.3
"""What all words of the question in a window weigh against the first place of the search."""
PLACE_OFFSET = 3
"""How flat the weight 1 / (offset + place) of a place in the search is."""
LOOKED_FOR_AT_MOST = 8


@REGISTRY.register(PlanReply)
def plan(reading: Reading) -> PlanReply:
    """MOVE_TO the best pages; a section whose heading holds all the words is expanded after them."""
    looked_for = next((turn["content"] for turn in reading.history if turn.get("author") == "look for"), "")
    wanted = set(terms(looked_for)) or set(analyse(reading.question).terms)
    limit = int(reading.instructions.get("places", 1))
    pages = [node for node in reading.nodes if node.get("list") == "page"]
    ranked = sorted(
        ((1 / (PLACE_OFFSET + place) * PLACE_OFFSET + WORDS_WEIGHT * _share(wanted, node), -place, node)
         for place, node in enumerate(pages)),
        key=lambda each: each[:2],
        reverse=True,
    )  # fmt: skip
    chosen = [node for _, _, node in ranked[:limit]]
    hits = [hit for node in chosen for hit in node.get("hits", [])]
    named = "; ".join(f"page {node['page']}" for node in chosen)
    there = {term for node in chosen for term in terms(_text(node))}
    spoken = words(looked_for or reading.question)
    held = list(dict.fromkeys(word for word in spoken if terms(word) and set(terms(word)) <= there))
    return PlanReply(
        thought=f"{named}: the search puts them first" + (f", and they hold {', '.join(held[:6])}" if held else ""),
        candidates=[node["node_id"] for node in chosen] + hits,
        directives=[DirectiveReply(action="MOVE_TO", target=node["node_id"]) for node in chosen],
    )


@REGISTRY.register(ReasonReply)
def reason(reading: Reading) -> ReasonReply:
    """The reading of the observed nodes, or REPLAN with what they do not hold."""
    found = reading.answer()
    doubtful = found.abstained or found.confidence < float(reading.instructions.get("replan_below", 0.0))
    missing = missing_words(reading) if doubtful else []
    if missing:
        why = f"No observed node holds {', '.join(missing)}."
    elif found.abstained:
        why = "The observed nodes hold the words of the question, but none of them an answer."
    else:
        why = f"“{found.answer}” is read with a confidence of {found.confidence:.2f} only."
    return ReasonReply(
        explanation=found.answer_long,
        answer=found.answer,
        confidence=found.confidence,
        support_nodes=[]
        if found.abstained
        else list(dict.fromkeys(quote.node_id for quote in found.quotes if quote.node_id)),
        quotes=[]
        if found.abstained
        else [NodeQuote(node_id=quote.node_id, quote=quote.text, page=quote.page) for quote in found.quotes],
        action="REPLAN" if doubtful else "ANSWER",
        reason=why if doubtful else "",
        look_for=" ".join(missing),
    )


@REGISTRY.register(SplitReply)
def split(reading: Reading) -> SplitReply:
    """The questions that the wording joins, where each asks for a fact.

    What is told in running text is answered by neighbouring sentences, which mostly hold the parts together.
    """
    limit = int(reading.instructions.get("limit", 2))
    parts = split_by_wording(reading.question)
    told = any(asked.wide or asked.advice or asked.kind == "explain" for asked in map(analyse, parts))
    return SplitReply(sub_questions=[] if told else parts[:limit])


@REGISTRY.register(CombineReply)
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
    """Words of the question, as it has them, that no observed node holds: names and numbers first."""
    held: set[str] = set()
    for passage in reading.passages:
        held.update(terms(" ".join((passage.content, passage.description, *passage.path))))
    asked = analyse(reading.question)
    ordered = [*key_words(asked), *words(asked.core)]
    gaps = [word for word in ordered if terms(word) and not set(terms(word)) & held]
    return list({word.lower(): word for word in reversed(gaps)}.values())[::-1][:LOOKED_FOR_AT_MOST]


def _share(wanted: set[str], node: dict[str, Any]) -> float:
    return len(wanted & set(terms(_text(node)))) / len(wanted) if wanted else 0.0


def _text(node: dict[str, Any]) -> str:
    return str(node.get("text") or "")
