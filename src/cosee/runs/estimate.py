"""What a run will cost, found by doing all of it but the calls.

Every method runs over the trees and indexes that exist, and asks a stand-in for its model: prompts, pages and pictures
are chosen as for the model, and counted; the replies are those of the reader without a model. Where a method makes a
fixed number of calls, its calls, pictures and read tokens are then what the model will see. Where replies decide how
many calls there are, they give the likely figure, and the method's own bounds the range.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from pydantic import BaseModel

from cosee.agents.context import Context
from cosee.agents.method import make_strategy
from cosee.artifacts.datasets.documents import current, load_sheet
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.price import Price
from cosee.artifacts.results.estimate import Estimate, MethodEstimate, Range
from cosee.artifacts.results.prediction import Usage
from cosee.artifacts.results.trace import Trace
from cosee.artifacts.settings.answer import AnswerSettings
from cosee.models.base import VLMClient
from cosee.models.blocks import Message, PageImage
from cosee.models.calls import Generation, ModelError, Sampling
from cosee.models.entries import Entry
from cosee.models.metering import MeteredClient
from cosee.models.registry import open_client
from cosee.pipeline.paths import Paths
from cosee.retrieval.retriever import Retriever
from cosee.retrieval.thresholds import MOST_PAGES
from cosee.runs import files as run_files
from cosee.runs.thresholds import (
    PROMPT_GROWTH,
    SHOWN_DPI,
    TOKEN_PIXELS,
    TOKENS_OVER_GUESS,
    UNBOUNDED_CALLS,
    UNBOUNDED_PROMPT_GROWTH,
)

log = logging.getLogger(__name__)


def picture_tokens(picture: PageImage) -> int:
    """Tokens of a picture as Qwen3-VL counts them, a patch of 32 by 32 pixels each."""
    return max(1, round(picture.size[0] / TOKEN_PIXELS)) * max(1, round(picture.size[1] / TOKEN_PIXELS))


@dataclass(frozen=True)
class Call:
    """One call as it would have been made."""

    tokens_in: int
    tokens_out: int
    most_out: int
    images: int


class StandIn(VLMClient):
    """Takes the place of a model: chooses and counts as it would, replies as ``reader`` does, and keeps its calls."""

    def __init__(self, model: VLMClient | None, entry: Entry, reader: VLMClient) -> None:
        self.reader = reader
        shape = model if model is not None else reader
        self.name, self.revision, self.default_pages = shape.name, shape.revision, shape.default_pages
        self.sees_images, self.max_context, self.box_grid = shape.sees_images, shape.max_context, shape.box_grid
        if model is None and entry.kind != "embedded":
            # The model of a folder is not loaded for this, nor is a key needed.
            self.name = entry.kind
            self.sees_images = bool(getattr(entry, "sees_images", entry.kind in ("qwen_vl", "vllm")))
            self.max_context = int(getattr(entry, "max_context", None) or VLMClient.max_context)
            self.default_pages, self.box_grid = VLMClient.default_pages, float(getattr(entry, "box_grid", 1000.0))
        self._model = model
        guesses = type(model or self).tokenize_prompt_length in (
            VLMClient.tokenize_prompt_length,
            StandIn.tokenize_prompt_length,
        )
        self._density = TOKENS_OVER_GUESS if guesses and entry.kind != "embedded" else 1.0
        self.calls: list[Call] = []

    def chat(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Generation:
        """The reader's reply."""
        return self._counted(messages, self.reader.chat(messages, sampling), sampling)

    def chat_typed(
        self, messages: Sequence[Message], schema: type[BaseModel], sampling: Sampling | None = None
    ) -> Generation:
        """The reader's reply to a typed request."""
        return self._counted(messages, self.reader.chat_typed(messages, schema, sampling), sampling)

    def told_of_document(self, question: str, texts: Sequence[str]) -> dict[str, object]:
        """What the reader wants to be told; no part of a prompt."""
        return dict(self.reader.told_of_document(question, texts))

    def tokenize_prompt_length(self, messages: Sequence[Message]) -> int:
        """Tokens of a prompt as the model's client counts them without a request; else as the reader's does."""
        return (self._model or self.reader).tokenize_prompt_length(messages)

    def _counted(self, messages: Sequence[Message], reply: Generation, sampling: Sampling | None) -> Generation:
        texts = [
            Message(tuple(block for block in each.blocks if block.kind != "image"), each.role) for each in messages
        ]
        pictures = [block.image for each in messages for block in each.blocks if block.image is not None]
        shown = pictures if self.sees_images else []
        call = Call(
            tokens_in=round(self.tokenize_prompt_length(texts) * self._density) + sum(map(picture_tokens, shown)),
            tokens_out=(len(reply.text) + 3) // 4,
            most_out=(sampling or Sampling()).max_new_tokens,
            images=len(shown),
        )
        self.calls.append(call)
        usage = Usage(tokens_in=call.tokens_in, tokens_out=call.tokens_out, images=call.images, calls=1)
        return reply.model_copy(update={"usage": usage})


def stand_in(name: str, models: Mapping[str, Entry], reader: VLMClient) -> StandIn:
    """The stand-in of a model of config/models.yaml. A served model is opened, which asks its server nothing."""
    entry = models[name]
    model = None
    if hasattr(entry, "base_url"):
        try:
            model = open_client(name, models)
        except ModelError:
            model = None  # a variable, such as its key, is not set: nothing of it is needed here
    return StandIn(model, entry, reader)


def estimate_run(
    paths: Paths,
    run: str,
    datasets: Sequence[str],
    methods: Sequence[AnswerSettings],
    client: StandIn,
    sample: int = 0,
    price: Price | None = None,
) -> Estimate:
    """Estimate every method; ``sample`` questions, evenly spread, stand for all of them, 0 looks at each.

    Raises:
        ArtifactError: a sheet, the questions, or a tree or index that exists cannot be read.
    """
    present = [(dataset, row) for dataset in datasets for row in current(load_sheet(paths.sheet(dataset))).values()]
    asked = [
        (dataset, question)
        for dataset, question in run_files.questions_of(paths, datasets)
        # One over several documents is taken to cost what the others do.
        if not question.doc_id or (dataset, question.doc_id) in {(name, row.doc_id) for name, row in present}
    ]
    read = {(dataset, row.doc_id) for dataset, row in present if _is_read(paths, dataset, row.doc_id)}
    known = [(dataset, question) for dataset, question in asked if (dataset, question.doc_id) in read]
    chosen = _spread(sorted(known, key=lambda each: (each[0], each[1].doc_id, each[1].question_id)), sample)
    calls: dict[str, list[list[Call]]] = {settings.method.label: [] for settings in methods}
    for document, members in groupby(chosen, key=lambda each: (each[0], each[1].doc_id)):
        questions = [question for _, question in members]
        for settings in methods:
            calls[settings.method.label] += _calls(paths, document, questions, settings, client)
    return Estimate(
        run=run,
        model=methods[0].model,
        price=price,
        documents=len(present),
        pages=sum(row.pages for _, row in present),
        questions=len(asked),
        unread=len(present) - len(read),
        methods={
            settings.method.label: _method(settings, calls[settings.method.label], len(asked), client, price)
            for settings in methods
            if chosen
        },
    )


def _is_read(paths: Paths, dataset: str, doc_id: str) -> bool:
    folder = paths.folder(dataset, doc_id)
    return (folder.data / "doctree.mm.json").exists() and (folder.index / "index.meta.json").exists()


def _spread(items: Sequence[tuple[str, Question]], count: int) -> list[tuple[str, Question]]:
    if not 0 < count < len(items):
        return list(items)
    return [items[place * len(items) // count] for place in range(count)]


def _calls(
    paths: Paths, document: tuple[str, str], questions: Sequence[Question], settings: AnswerSettings, client: StandIn
) -> list[list[Call]]:
    """The calls of each question of one document under one method."""
    dataset, doc_id = document
    folder = paths.folder(dataset, doc_id)
    retriever = Retriever.load(DocTree.load(folder.data / "doctree.mm.json"), folder.index, settings.retrieval)
    strategy = make_strategy(settings.method)
    calls = []
    for question in questions:
        client.calls = []
        context = Context(
            dataset=dataset,
            tree=retriever.tree,
            retriever=retriever,
            client=MeteredClient(client, settings.budget.model_copy(update={"seconds": None})),
            budget=settings.budget,
            trace=Trace(),
            page_image=partial(_blank, retriever.tree),
            seed=settings.seed,
            extractor=settings.extractor,
            without=frozenset(settings.method.without),
        )
        try:
            strategy.answer(question, context)
        except Exception as error:  # as in a run, where such a question gets a row that says why
            log.warning("%s, question %s: %s: %s", doc_id, question.question_id, type(error).__name__, error)
        calls.append(client.calls)
    return calls


def _blank(tree: DocTree, page: int) -> PageImage:
    """A picture of a page's size without its content: it is counted, and nobody looks at it."""
    from PIL import Image

    info = tree.pages[page - 1]
    size = (max(1, round(info.width * SHOWN_DPI / 72)), max(1, round(info.height * SHOWN_DPI / 72)))
    return PageImage(page, Image.new("1", size), f"estimate/{page}")


def _method(
    settings: AnswerSettings,
    by_question: Sequence[Sequence[Call]],
    questions: int,
    client: StandIn,
    price: Price | None,
) -> MethodEstimate:
    """A method's figures from the calls of each question that was looked at."""
    every = [call for calls in by_question for call in calls]
    asked = len(by_question)
    scale = questions / asked
    calls = Range(low=len(every), likely=len(every), high=len(every))
    tokens_in, images = (
        Range(low=total, likely=total, high=total)
        for total in (sum(call.tokens_in for call in every), sum(call.images for call in every))
    )
    tokens_out = Range(
        low=sum(call.tokens_out for call in every) / 2,
        likely=sum(call.tokens_out for call in every),
        high=sum(call.most_out for call in every),
    )
    bounds = settings.method.open_calls()
    if bounds is not None and every:
        least, most = bounds
        limits = [limit for limit in (most, settings.budget.calls) if limit is not None]
        most = min(limits, default=UNBOUNDED_CALLS) + int(settings.extractor)
        calls.low, calls.high = min(asked * least, len(every)), max(asked * most, len(every))
        largest = max(call.tokens_in for call in every)
        tokens_in.low = min(asked * least * min(call.tokens_in for call in every), tokens_in.likely)
        growth = PROMPT_GROWTH if bounds[1] is not None else UNBOUNDED_PROMPT_GROWTH
        tokens_in.high = calls.high * min(client.max_context, growth * largest)
        pages = MOST_PAGES if client.default_pages == "auto" else client.default_pages
        shown = max(*(call.images for call in every), pages if client.sees_images else 0)
        images.low, images.high = asked * least * min(call.images for call in every), calls.high * shown
        tokens_out.low = asked * least * min(call.tokens_out for call in every) / 2
        tokens_out.high = calls.high * max(call.most_out for call in every)
    figures = [
        Range(**{name: round(value * scale, 1) for name, value in each})
        for each in (calls, tokens_in, tokens_out, images)
    ]
    return MethodEstimate(
        questions=questions, looked_at=asked, calls=figures[0], tokens_in=figures[1],
        tokens_out=figures[2], images=figures[3],
        money=None if price is None else _money(price, figures[0], figures[1], figures[2]),
    )  # fmt: skip


def _money(price: Price, calls: Range, tokens_in: Range, tokens_out: Range) -> Range:
    return Range(
        **{
            name: round(price.of(getattr(calls, name), getattr(tokens_in, name), getattr(tokens_out, name)), 6)
            for name in Range.model_fields
        }
    )
