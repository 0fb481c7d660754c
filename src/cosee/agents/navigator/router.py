"""The router: short cuts by rule, parts of compound questions, and one answer out of theirs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from cosee.agents.navigator.document import NavigatedDocument
from cosee.agents.navigator.memory import Memory
from cosee.agents.navigator.paths import Directive
from cosee.agents.navigator.prompts import COMBINER, ROUTER
from cosee.agents.navigator.reasoner import Hypothesis, fit_context
from cosee.agents.navigator.schemas import CombineReply, SplitReply
from cosee.agents.navigator.thresholds import (
    FIRST_PAGES,
    MAX_NAMED_PLACES,
    MAX_PART_CHARACTERS,
    MIN_WORDS_OF_ITS_OWN,
    ROUTER_REPLY_TOKENS,
)
from cosee.agents.replies import answer_text, read_confidence
from cosee.agents.short_answer import short_answer
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.artifacts.documents.doctree import NodeType
from cosee.index.references import page_mentions
from cosee.models.blocks import Block, Message
from cosee.models.messages import evidence_message, history_block, instruction_block, role_block
from cosee.question.form import counted_structure
from cosee.question.instructions import without_instructions
from cosee.text.mentions import mentions, page_names
from cosee.text.tokens import query_weights

Kind = Literal["SPECIFIC", "GENERAL", "NORMAL"]
_COUNTED: dict[str, tuple[NodeType, ...]] = {
    "table": ("table",), "equation": ("equation",), "section": ("section",), "chapter": ("section",),
}  # fmt: skip
# General knowledge: the names of what stands on pages beside text.
_PAGES_WITH = re.compile(r"\bpages? (?:\w+ ){0,4}?(tables?|figures?|images?|photos?|charts?|equations?)\b")
_SUMMARY = re.compile(
    r"\b(?:summari[sz]e|summary of|main (?:topic|idea|theme|point|purpose|subject|argument)s? of|"
    r"(?:purpose|topic|subject|title|author) of) (?:the|this) (?:whole |entire )?"
    r"(?:document|report|paper|article|presentation|text|manual|handbook|book)\b|"
    r"\bwhat is (?:the|this) (?:document|report|paper|article|presentation|manual|handbook) about\b",
    re.IGNORECASE,
)
# General knowledge: question words, the prepositions before them, and imperatives of asking.
_ASKS = r"(?:in |on |at |by |for |of |from )?(?:what|how|why|when|who|whom|whose|where|which|explain|describe|list)\b"
_JOINT = re.compile(rf"[;,?]?\s+(?:and|then)\s+(?:also\s+)?(?={_ASKS})|[;?]\s+(?={_ASKS})", re.IGNORECASE)
# General knowledge: the pronouns of the third person, and demonstratives.
_POINTS_BACK = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|she|him|his|her|this|these|that|those|such|there|respectively|the "
    r"(?:former|latter|same|other|others))\b",
    re.IGNORECASE,
)
# General knowledge: imperatives of asking.
_ASKING_TERMS = frozenset(query_weights("list name explain describe summarize"))


@dataclass(frozen=True)
class Route:
    """How a question is gone about. SPECIFIC and GENERAL questions have their first plan by rule."""

    kind: Kind
    directives: tuple[Directive, ...] = ()
    reason: str = ""


def route(question: str, document: NavigatedDocument) -> Route:
    """SPECIFIC: figures, tables or pages that the question names and the document has. GENERAL: a count of things of
    one kind, or a summary, over the whole document. Else NORMAL."""
    counted = counted_structure(question)
    pages = list(dict.fromkeys(page for readings in page_mentions(question, document.tree) for page in readings))
    if counted:
        types = counted_types(question, counted)
        if types and (pages or not page_names(question)):
            return _count(types, pages, counted, document)
    labelled = [each for mention in mentions(question) for each in document.labelled(mention)[:1]]
    places = [*(f"P{page}" for page in pages), *labelled]
    places += [f"P{document.tree.node(each).page_idx}" for each in labelled]
    places = list(dict.fromkeys(places))
    if 0 < len(places) <= MAX_NAMED_PLACES:
        named = ", ".join(places)
        return Route("SPECIFIC", tuple(Directive(target=each) for each in places), f"the question names {named}")
    if _SUMMARY.search(question):
        tops = [node.id for node in document.tree.children(document.tree.root.id) if node.type == "section"]
        starts = [f"P{page.page_idx}" for page in document.tree.pages[:FIRST_PAGES]]
        directives = tuple(Directive(target=each) for each in [*starts, *tops[: MAX_NAMED_PLACES - FIRST_PAGES]])
        return Route("GENERAL", directives, "a question about the document as a whole")
    return Route("NORMAL", reason="no place is named and nothing counted: the planner chooses")


def counted_types(question: str, thing: str) -> tuple[NodeType, ...]:
    """Types of the nodes that a count is over; empty for what no node type stands for."""
    thing = thing.split()[-1]
    if thing == "page":
        held = _PAGES_WITH.search(question.lower())
        if held is None:
            return ()
        thing = held[1].rstrip("s")
    return _COUNTED.get(thing, ("image",))


def _count(types: Sequence[NodeType], pages: Sequence[int], thing: str, document: NavigatedDocument) -> Route:
    """Every node of the types, on the pages named where there are any."""
    nodes = [
        node
        for node in document.tree.of_type(*types)
        if document.readable(node.id)
        and (not pages or {node.page_idx, *(each.page_idx for each in node.regions)} & {*pages})
    ]
    where = f"pages {', '.join(str(page + 1) for page in pages)}" if pages else "the whole document"
    reason = f"a count of {thing}s over {where}: {len(nodes)} nodes of that type"
    if not nodes:
        return Route("NORMAL", (), reason)
    return Route("GENERAL", tuple(Directive(action="OBSERVE", target=node.id) for node in nodes), reason)


def split_by_wording(question: str) -> list[str]:
    """The questions that the wording joins, each ended by a question mark; empty for a simple question, which no model
    is asked to split.

    Every part after the first must be understood without it: one that points back (``how do they work``) or names
    nothing of its own (``what are the exceptions``) belongs to the part before it.
    """
    parts = [part.strip(" ,;") for part in _JOINT.split(without_instructions(question))]
    if len(parts) < 2 or not all(_stands_alone(part) for part in parts[1:]):
        return []
    return [f"{part.rstrip('?. ')}?" for part in parts]


def _stands_alone(part: str) -> bool:
    return not _POINTS_BACK.search(part) and len(set(query_weights(part)) - _ASKING_TERMS) >= MIN_WORDS_OF_ITS_OWN


def split(question: str, memory: Memory, limit: int) -> list[str]:
    """The parts of a compound question, at most ``limit``; the question itself where it is not to be split.

    Raises:
        BudgetExceeded, ModelError: from the client.
    """
    message = evidence_message(
        question,
        instruction=instruction_block("navigator.split", f"At most {limit} sub-questions.", limit=limit),
        role=role_block(ROUTER.text, "router"),
    )
    memory.note_prompts(ROUTER)
    typed = memory.request(message, SplitReply, ROUTER_REPLY_TOKENS)
    if typed.value is None:
        memory.context.trace.add("error", author="router", message=typed.error or "no reply")
    found = typed.value.sub_questions if typed.value is not None else []
    parts = list(dict.fromkeys(" ".join(each.split())[:MAX_PART_CHARACTERS] for each in found if each.strip()))[:limit]
    return parts if len(parts) > 1 else [question]


def combine(
    question: str,
    parts: Sequence[tuple[str, Hypothesis]],
    memory: Memory,
    observed: Sequence[str],
) -> Hypothesis | None:
    """One answer to the whole question, from the answers to its parts and the nodes that these were read from.

    It stands on the evidence of its parts. None for an unusable reply.

    Raises:
        BudgetExceeded, ModelError: from the client.
    """
    turns = [{"author": f"part {number}", "content": f"{part} Answer: {hypothesis.answer}"}
             for number, (part, hypothesis) in enumerate(parts, start=1)]  # fmt: skip
    data = [
        {"question": part, "answer": hypothesis.answer, "confidence": hypothesis.confidence}
        for part, hypothesis in parts
    ]

    def message_of(evidence: Sequence[Block]) -> Message:
        return evidence_message(
            question,
            evidence=evidence,
            instruction=instruction_block("navigator.combine", "Its parts and their answers follow.", parts=data),
            history=history_block(turns),
            role=role_block(COMBINER.text, "combiner"),
        )

    memory.note_prompts(COMBINER)
    message, _ = fit_context(message_of, memory, observed)
    typed = memory.request(message, CombineReply, ROUTER_REPLY_TOKENS)
    if typed.value is None:
        return None
    given, answer = read_confidence(typed.value.confidence), answer_text(typed.value.answer) or ""
    whole = joined(parts)
    return replace(
        whole, answer=short_answer(question, answer), confidence=whole.confidence if given is None else given
    )


def joined(parts: Sequence[tuple[str, Hypothesis]]) -> Hypothesis:
    """The answers to the parts one after another, held with the confidence of the weakest, on the evidence of all."""
    answered = [hypothesis for _, hypothesis in parts if not hypothesis.abstains]
    return Hypothesis(
        "; ".join(hypothesis.answer for hypothesis in answered) or NOT_ANSWERABLE,
        min((hypothesis.confidence for hypothesis in answered), default=0.0),
        "\n".join(f"{part} {hypothesis.answer}" for part, hypothesis in parts),
        tuple(dict.fromkeys(each for hypothesis in answered for each in hypothesis.support)),
        tuple(dict.fromkeys(piece for hypothesis in answered for piece in hypothesis.evidence)),
    )
