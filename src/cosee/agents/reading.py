"""What a method reads, as evidence blocks that fit its model's context: pages, chunks, the document's start."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from cosee.agents.context import Context
from cosee.agents.thresholds import (
    MAX_COUNTED_PAGES,
    MAX_NAMED_PAGES,
    PAGES_WITHOUT_CHANCES,
    RESERVED_TOKENS,
    TRACED_HITS,
    TRACED_PAGES,
)
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.index.references import page_mentions
from cosee.models.blocks import Block, Message, PageImage
from cosee.models.evidence import cut_page_evidence, node_evidence, page_evidence
from cosee.models.messages import evidence_message, image_block, page_text_block
from cosee.question.form import counted_structure
from cosee.retrieval.page_chances import enough
from cosee.retrieval.ranking import Ranking
from cosee.text.mentions import page_names

PageLimit = int | Literal["auto"] | None
Retrieval = Literal["fused", "sparse", "dense"]
CHANNELS: dict[Retrieval, tuple[str, ...]] = {"fused": ("dense", "sparse"), "sparse": ("sparse",), "dense": ("dense",)}


@dataclass(frozen=True)
class PagesRead:
    """Pages (1-based, best first) as a model is shown them. ``images`` is empty for a client that sees none."""

    ranking: Ranking
    pages: Sequence[int]
    evidence: Sequence[Block]
    images: Sequence[PageImage]
    cut: bool = False
    """Whether the document goes on where the evidence ends."""


def read_pages(
    question: Question,
    context: Context,
    limit: PageLimit,
    retrieval: Retrieval = "fused",
    *,
    reserve: int = RESERVED_TOKENS,
) -> PagesRead:
    """Retrieve at most ``limit`` pages; the first of the document where the search finds nothing.

    ``auto`` takes as many as the question is likely to need, by the chances of the ranking. Without a ``limit`` the
    client's own counts. Whole pages are left out from the worst rank up until the prompt leaves ``reserve`` tokens of
    the client's context for what else is asked and replied; the trace says which.
    """
    ranking = search(question, context, retrieval)
    wanted = limit or context.client.default_pages
    likely = (enough(ranking.page_chances) or PAGES_WITHOUT_CHANCES) if wanted == "auto" else wanted
    count = max(likely, ranking.least)
    pages = list(ranking.pages[:count]) or [page.page_idx + 1 for page in context.tree.pages[:count]]
    shown = set(pages)
    pages += [page for page in _more_pages(question, context) if page not in shown]
    context.trace.add(
        "retrieval",
        message=question.question,
        pages=ranking.pages[:TRACED_PAGES],
        page_scores=ranking.page_scores[:TRACED_PAGES],
        page_chances=ranking.page_chances[:TRACED_PAGES],
        hits=[hit.model_dump(mode="json") for hit in ranking.hits[:TRACED_HITS]],
        read=pages,
    )
    return _fit_context(question, context, ranking, pages, shown, reserve)


def read_gold_pages(question: Question, context: Context, limit: PageLimit) -> PagesRead:
    """The question's gold pages; retrieved ones where it has none."""
    known = [page for page in question.evidence_pages if 1 <= page <= len(context.tree.pages)]
    if not known:
        return read_pages(question, context, limit)
    ranking = Ranking(pages=known, page_scores=[1.0] * len(known))
    context.trace.add("retrieval", message="the gold pages, for analysis only", pages=known, read=known)
    return _fit_context(question, context, ranking, known, set(known), RESERVED_TOKENS)


def read_from_the_start(question: Question, context: Context, room: int, *, pictures: bool) -> PagesRead:
    """The document from its first page on, in ``room`` tokens at most: whole pages with their pictures, or the text
    alone, cut within a page after the last of its nodes that fits. Nothing is searched."""
    left = min(room, context.client.max_context - RESERVED_TOKENS)
    known = [page.page_idx + 1 for page in context.tree.pages]
    evidence: list[Block] = []
    images: list[PageImage] = []

    def fits(block: Block) -> bool:
        return _token_count(context, [block]) <= left

    for page in known:
        picture = [context.page_image(page)] if pictures and _shows_pictures(context) else []
        block = _page(context, page, is_shown=bool(picture))
        cost = _token_count(context, [*map(image_block, picture), block])
        if cost > left and (evidence or not pictures):
            part = None if pictures else cut_page_evidence(block, fits)
            evidence += [part] if part is not None else []
            break
        left -= cost
        evidence.append(block)
        images += picture
    pages = known[: len(evidence)]
    whole = _page(context, pages[-1], is_shown=bool(images)) if pages else None
    is_cut = len(pages) < len(known) or (bool(evidence) and evidence[-1] != whole)
    context.trace.add("retrieval", message="the document from its first page on", read=pages)
    if is_cut:
        context.trace.add("status", message="the room is full", dropped_pages=known[len(pages) :])
    return PagesRead(Ranking(), pages, evidence, images, is_cut)


def read_chunks(question: Question, context: Context, count: int, retrieval: Retrieval) -> PagesRead:
    """The best ``count`` chunks of text and tables, each as evidence of its own, without pictures."""
    hits = context.retriever.search_chunks(
        question.question, question_id=question.question_id, channels=CHANNELS[retrieval], count=count
    )
    found = {hit.node_id for hit in hits}
    room = context.client.max_context - RESERVED_TOKENS
    evidence: list[Block] = []
    for hit in hits:
        block = node_evidence(context.tree, hit.node_id, hit.text, is_shown=not context.client.sees_images)
        if _is_title_of(context.tree, hit.node_id, found):
            block = replace(block, text="")  # told with its figure or table; data for the reader without a model
        cost = _token_count(context, [block])
        if cost > room and evidence:
            context.trace.add("status", message="chunks left out: the model's context is full", read=len(evidence))
            break
        room -= cost
        evidence.append(block)
    pages = list(dict.fromkeys(hit.page for hit in hits[: len(evidence)]))
    context.trace.add(
        "retrieval",
        message=question.question,
        chunks=[{"id": hit.chunk_id, "page": hit.page, "score": hit.score} for hit in hits],
        read=pages,
    )
    ranking = Ranking([hit.as_retrieved() for hit in hits], list(dict.fromkeys(hit.page for hit in hits)))
    return PagesRead(ranking, pages, evidence, [])


def _is_title_of(tree: DocTree, node_id: str, others: Collection[str]) -> bool:
    """Whether a node is the caption that one of ``others`` has as its title."""
    node = tree.node(node_id)
    medium = tree.by_id.get(node.caption_of or "")
    if medium is None or medium.id not in others:
        return False
    return " ".join(node.text.split()) == " ".join((medium.title or "").split())


def _fit_context(
    question: Question, context: Context, ranking: Ranking, pages: list[int], shown: Collection[int], reserve: int
) -> PagesRead:
    """``pages`` as evidence, those of ``shown`` with their pictures, the last left out until the prompt fits."""
    relevance = {hit.node_id: hit.score for hit in ranking.hits}
    ranks = {page: rank for rank, page in enumerate(ranking.pages, start=1)}
    told = context.client.told_of_document(question.question, [node.text for node in context.tree.nodes])
    images = {page: context.page_image(page) for page in pages if page in shown} if _shows_pictures(context) else {}
    blocks = {}
    for page in pages:
        found = {**told, "rank": ranks[page]} if page in ranks else told
        blocks[page] = _page(context, page, found, relevance, is_shown=page in images)
    room = context.client.max_context - reserve
    dropped: list[int] = []
    while True:
        evidence, pictures = [blocks[page] for page in pages], [images[page] for page in pages if page in images]
        message = evidence_message(question.question, images=pictures, evidence=evidence)
        if len(pages) <= 1 or context.client.tokenize_prompt_length([message]) <= room:
            break
        dropped.append(pages.pop())
    if dropped:
        context.trace.add("status", message="pages left out: the model's context is full", dropped_pages=dropped)
    return PagesRead(ranking, pages, evidence, pictures)


def _page(
    context: Context,
    page: int,
    found: Mapping[str, Any] | None = None,
    relevance: Mapping[str, float] | None = None,
    *,
    is_shown: bool,
) -> Block:
    """A page's evidence; its number alone where page text is switched off."""
    if "page_text" in context.without:
        return page_text_block(page, context.tree.pages[page - 1].page_label, "", (), found)
    return page_evidence(context.tree, page, found, relevance, is_shown=is_shown or not context.client.sees_images)


def _shows_pictures(context: Context) -> bool:
    """Whether the model is shown pictures of pages."""
    return context.client.sees_images and "page_images" not in context.without


def _more_pages(question: Question, context: Context) -> list[int]:
    """Pages whose text is read whatever the search finds; pictures stay with the pages found.

    These are the pages that the question names, physical or printed, and, where it counts figures, tables or
    sections and names no page, every one: a count over the few pages that a search finds is wrong.
    """
    counts = bool(counted_structure(question.question))
    mentioned = page_mentions(question.question, context.tree)
    # A count must not take in both readings of "page 2": there the page's place in the file is meant.
    named = [page + 1 for readings in mentioned for page in (readings[-1:] if counts else readings)]
    if counts and not page_names(question.question):
        return [page.page_idx + 1 for page in context.tree.pages][:MAX_COUNTED_PAGES]
    return sorted(set(named))[: MAX_COUNTED_PAGES if counts else MAX_NAMED_PAGES]


def search(question: Question, context: Context, retrieval: Retrieval = "fused") -> Ranking:
    """The question's ranking, by both channels of the search or one of them."""
    channels = None if retrieval == "fused" else CHANNELS[retrieval]
    return context.retriever.search(question.question, question_id=question.question_id, channels=channels)


def _token_count(context: Context, blocks: Sequence[Block]) -> int:
    """Tokens of blocks by themselves."""
    return context.client.tokenize_prompt_length([Message(tuple(blocks))])
