"""The router: short cuts by rule, parts of compound questions, and one answer out of theirs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cosee.agents.cosee.actions import answer_text, read_confidence
from cosee.agents.navigator.atlas import Atlas
from cosee.agents.navigator.prompts import COMBINER, ROUTER
from cosee.agents.navigator.reasoner import Hypothesis
from cosee.agents.navigator.routes import Directive
from cosee.agents.navigator.schemas import CombineReply, SplitReply
from cosee.agents.short_answer import short_answer
from cosee.artifacts.doctree import NodeType
from cosee.index.references import mentions, page_mentions
from cosee.models.base import Sampling, VLMClient
from cosee.models.messages import evidence_message, history_block, instruction_block, role_block
from cosee.models.skills.question import analyse

Kind = Literal["SPECIFIC", "GENERAL", "NORMAL"]
REPLY_TOKENS = 300
NAMED_AT_MOST = 12
"""Places that a question may name and still be a short cut."""
_COUNTED: dict[str, tuple[NodeType, ...]] = {
    "table": ("table",), "equation": ("equation",), "section": ("section",), "chapter": ("section",),
}  # fmt: skip
_PAGES_WITH = re.compile(r"\bpages? (?:\w+ ){0,4}?(tables?|figures?|images?|photos?|charts?|equations?)\b")
_SUMMARY = re.compile(
    r"\b(?:summari[sz]e|summary of|main (?:topic|idea|theme|point|purpose|subject|argument)s? of|"
    r"(?:purpose|topic|subject|title|author) of) (?:the|this) (?:whole |entire )?"
    r"(?:document|report|paper|article|presentation|text|manual|handbook|book)\b|"
    r"\bwhat is (?:the|this) (?:document|report|paper|article|presentation|manual|handbook) about\b",
    re.IGNORECASE,
)
_JOINT = re.compile(
    r"[;?,]?\s+(?:and|then)\s+(?:also\s+)?(?=(?:what|how|why|when|who|whom|where|which|in which|explain|describe|list|"
    r"name|give|state)\b)|(?<=\?)\s+(?=[A-Z])|;\s+(?=\w+ )",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:what|how|why|when|who|whom|where|which|explain|describe|list|name|give|state|count|find)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Route:
    """How a question is gone about. SPECIFIC and GENERAL questions have their first plan by rule."""

    kind: Kind
    directives: tuple[Directive, ...] = ()
    reason: str = ""


def route(question: str, atlas: Atlas) -> Route:
    """SPECIFIC: figures, tables or pages that the question names and the document has. GENERAL: a count of things of
    one kind, or a summary, over the whole document. Else NORMAL."""
    asked = analyse(question)
    pages = list(dict.fromkeys(page for readings in page_mentions(question, atlas.tree) for page in readings))
    if asked.structure:
        types = counted_types(question, asked.structure)
        if types:
            return _count(types, pages, asked.structure, atlas)
    labelled = [each for mention in mentions(question) for each in atlas.labelled(mention)[:1]]
    places = [*(f"P{page}" for page in pages), *labelled]
    places += [f"P{atlas.tree.node(each).page_idx}" for each in labelled]
    places = list(dict.fromkeys(places))
    if 0 < len(places) <= NAMED_AT_MOST:
        named = ", ".join(places)
        return Route("SPECIFIC", tuple(Directive(target=each) for each in places), f"the question names {named}")
    if _SUMMARY.search(question):
        tops = [node.id for node in atlas.tree.children(atlas.tree.root.id) if node.type == "section"]
        starts = [f"P{page.page_idx}" for page in atlas.tree.pages[:2]]
        directives = tuple(Directive(target=each) for each in [*starts, *tops[: NAMED_AT_MOST - 2]])
        return Route("GENERAL", directives, "a question about the document as a whole")
    return Route("NORMAL")


def counted_types(question: str, thing: str) -> tuple[NodeType, ...]:
    """Types of the nodes that a count is over; empty for what no node type stands for."""
    thing = thing.split()[-1]
    if thing == "page":
        held = _PAGES_WITH.search(question.lower())
        if held is None:
            return ()
        thing = held[1].rstrip("s")
    return _COUNTED.get(thing, ("image",))


def _count(types: Sequence[NodeType], pages: Sequence[int], thing: str, atlas: Atlas) -> Route:
    """Every node of the types, on the pages named where there are any."""
    nodes = [
        node
        for node in atlas.tree.of_type(*types)
        if atlas.readable(node.id)
        and (not pages or {node.page_idx, *(each.page_idx for each in node.regions)} & {*pages})
    ]
    where = f"pages {', '.join(str(page + 1) for page in pages)}" if pages else "the whole document"
    reason = f"a count of {thing}s over {where}: {len(nodes)} nodes of that type"
    if not nodes:
        return Route("NORMAL", (), reason)
    return Route("GENERAL", tuple(Directive(target=node.id) for node in nodes), reason)


def is_compound(question: str) -> bool:
    """Whether the wording joins several questions: only then is a model asked to split it."""
    parts = [part for part in _JOINT.split(analyse(question).core) if part.strip()]
    return len(parts) > 1 and sum(bool(_ASKS.search(part)) for part in parts) > 1


def split_by_wording(question: str) -> list[str]:
    """The questions that the wording joins, each ended by a question mark."""
    parts = [part.strip(" ,;") for part in _JOINT.split(analyse(question).core)]
    return [f"{part.rstrip('?. ')}?" for part in parts if len(part.split()) > 2]


def split(question: str, client: VLMClient, limit: int, seed: int = 0) -> list[str]:
    """The parts of a compound question, at most ``limit``; the question itself where it is not to be split.

    Raises:
        BudgetExceeded, ModelError: from the client.
    """
    message = evidence_message(
        question,
        instruction=instruction_block("navigator.split", f"At most {limit} sub-questions.", limit=limit),
        role=role_block(ROUTER.text, "router"),
    )
    typed = client.request([message], SplitReply, Sampling(max_new_tokens=REPLY_TOKENS, seed=seed))
    found = typed.value.sub_questions if typed.value is not None else []
    parts = list(dict.fromkeys(" ".join(each.split())[:500] for each in found if each.strip()))[:limit]
    return parts if len(parts) > 1 else [question]


def combine(
    question: str, parts: Sequence[tuple[str, Hypothesis]], client: VLMClient, seed: int = 0
) -> Hypothesis | None:
    """One answer out of those to the parts, with all their evidence; None for an unusable reply.

    Raises:
        BudgetExceeded, ModelError: from the client.
    """
    turns = [{"author": f"part {number}", "content": part} for number, (part, _) in enumerate(parts, start=1)]
    for number, (_, made) in enumerate(parts):
        turns[number] |= {"content": f"{turns[number]['content']} Answer: {made.answer}"}
    data = [{"question": part, "answer": made.answer, "confidence": made.confidence} for part, made in parts]
    message = evidence_message(
        question,
        instruction=instruction_block("navigator.combine", "", parts=data),
        history=history_block(turns),
        role=role_block(COMBINER.text, "combiner"),
    )
    typed = client.request([message], CombineReply, Sampling(max_new_tokens=REPLY_TOKENS, seed=seed))
    if typed.value is None:
        return None
    given = read_confidence(typed.value.confidence)
    answered = [made for _, made in parts if not made.abstains]
    return Hypothesis(
        short_answer(question, answer_text(typed.value.answer) or ""),
        min((made.confidence for made in answered), default=0.0) if given is None else given,
        "\n".join(f"{part} {made.answer}" for part, made in parts),
        tuple(dict.fromkeys(each for made in answered for each in made.support)),
        tuple(dict.fromkeys(piece for made in answered for piece in made.evidence)),
    )
