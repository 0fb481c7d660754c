"""The reasoner: an answer from what was observed, held against it, or the wish to look elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from cosee.agents.evidence import Evidence, known_node
from cosee.agents.navigator.memory import Memory
from cosee.agents.navigator.planner import Feedback
from cosee.agents.navigator.prompts import REASONER
from cosee.agents.navigator.schemas import ReasonReply
from cosee.agents.navigator.thresholds import MAX_DROPPED_CHARACTERS, REASONER_REPLY_TOKENS
from cosee.agents.replies import answer_text, read_confidence, supported_confidence
from cosee.agents.short_answer import short_answer
from cosee.agents.thresholds import RESERVED_TOKENS, UNSTATED_CONFIDENCE
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.artifacts.documents.doctree import DocTree
from cosee.models.blocks import Block, Message
from cosee.models.messages import evidence_message, instruction_block, page_text_block, role_block


@dataclass(frozen=True)
class Hypothesis:
    """An answer with the observed nodes that carry it. ``replan`` says why to look elsewhere, None where it stands."""

    answer: str
    confidence: float
    explanation: str = ""
    support: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    """The support nodes with their quotes; quotes of no support node are kept last."""
    dropped: tuple[str, ...] = ()
    """What the reply named as support and was not observed."""
    replan: Feedback | None = None

    @property
    def abstains(self) -> bool:
        """Whether it says that there is no answer."""
        return self.answer == NOT_ANSWERABLE


def reason(
    question: str,
    memory: Memory,
    observed: Sequence[str],
    *,
    step: int,
    replan_below: float,
) -> tuple[Hypothesis | None, str]:
    """One request over the observed nodes; the hypothesis, or None and the fault of an unusable reply.

    Raises:
        BudgetExceeded, ModelError: from the client.
    """

    def message_of(evidence: Sequence[Block]) -> Message:
        return evidence_message(
            question,
            evidence=evidence,
            instruction=instruction_block("navigator.reason", f"This is round {step}.", step=step),
            role=role_block(REASONER.text, "reasoner"),
        )

    memory.note_prompts(REASONER)
    message, shown = fit_context(message_of, memory, observed, step)
    typed = memory.request(message, ReasonReply, REASONER_REPLY_TOKENS)
    if typed.value is None:
        return None, typed.error or "no reply"
    return checked_hypothesis(question, typed.value, memory.document.tree, shown, replan_below), ""


def fit_context(
    message_of: Callable[[Sequence[Block]], Message],
    memory: Memory,
    observed: Sequence[str],
    step: int = 0,
) -> tuple[Message, list[str]]:
    """The message that ``message_of`` makes of the observed nodes, and the ids of those that it shows.

    Observations are left out from the last one up until it fits the client's context; the trace says which.
    """
    client = memory.context.client
    shown, room = list(observed), client.max_context - RESERVED_TOKENS
    message = message_of(evidence_blocks(memory, shown))
    while len(shown) > 1 and client.tokenize_prompt_length([message]) > room:
        shown = shown[: max(1, len(shown) * 3 // 4)]
        message = message_of(evidence_blocks(memory, shown))
    if left_out := list(observed)[len(shown) :]:
        note = "observations left out: the model's context is full"
        memory.context.trace.add("status", step=step, author="reasoner", message=note, dropped_nodes=left_out)
    return message, shown


def evidence_blocks(memory: Memory, shown: Sequence[str]) -> list[Block]:
    """The observed nodes as evidence, those of one page that follow each other together."""
    data = [dict(memory.observations[each].data) for each in shown]
    return [
        page_text_block(page, label, "", list(nodes))
        for (page, label), nodes in groupby(data, key=lambda each: (each["page"], each["page_label"]))
    ]


def checked_hypothesis(
    question: str, reply: ReasonReply, tree: DocTree, observed: Sequence[str], replan_below: float
) -> Hypothesis:
    """The reply held against what was observed.

    Support that was not observed is dropped and lowers the confidence, by half where none is left. An abstention, an
    answer without support, and one below ``replan_below`` ask for another look by themselves.
    """
    answer = short_answer(question, answer_text(reply.answer) or NOT_ANSWERABLE)
    named = [*reply.support_nodes, *(quote.node_id for quote in reply.quotes if quote.node_id)]
    found = {name: node.id for name in named if (node := known_node(tree, name)) and node.id in observed}
    support = tuple(dict.fromkeys(found[name] for name in named if name in found))
    dropped = tuple(dict.fromkeys(name[:MAX_DROPPED_CHARACTERS] for name in named if name not in found))
    share = len(support) / (len(support) + len(dropped)) if named else 1.0
    confidence = read_confidence(reply.confidence)
    confidence = supported_confidence(UNSTATED_CONFIDENCE if confidence is None else confidence, share)
    quoted = [
        Evidence(found.get(quote.node_id or ""), quote.page, quote.quote)
        for quote in reply.quotes
        if quote.quote and (not quote.node_id or quote.node_id in found)
    ]
    bare = [Evidence(each) for each in support if each not in {piece.node_id for piece in quoted}]
    hypothesis = Hypothesis(answer, confidence, reply.explanation, support, (*quoted, *bare), dropped)
    return replace(hypothesis, replan=_doubt(hypothesis, reply, quoted, replan_below))


def _doubt(
    hypothesis: Hypothesis, reply: ReasonReply, quoted: Sequence[Evidence], replan_below: float
) -> Feedback | None:
    """Why to look elsewhere: the reasoner's own wish, or what is wrong with its answer."""
    look_for = " ".join(reply.look_for.split())
    if reply.action == "REPLAN":
        return Feedback(reply.reason.strip() or "The observed nodes do not carry the answer.", look_for)
    if hypothesis.abstains:
        return Feedback(reply.reason.strip() or "The observed nodes do not hold the answer.", look_for)
    if not hypothesis.support and not quoted:
        return Feedback("No observed node supports the answer.", look_for)
    if hypothesis.confidence < replan_below:
        return Feedback(f"The answer is held with a confidence of {hypothesis.confidence:.2f} only.", look_for)
    return None


def better(first: Hypothesis | None, second: Hypothesis) -> Hypothesis:
    """Of two rounds' hypotheses the one to end with: an answer before an abstention, then the surer, then the later.

    An answer that is itself in doubt is no better than the abstention before it: of twenty-two such answers of the
    embedded reader one was right.
    """
    if first is None or (first.abstains and not second.abstains and second.replan is None):
        return second
    if second.abstains != first.abstains:
        return first
    return second if second.confidence >= first.confidence else first
