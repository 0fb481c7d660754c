"""Observers: from a node to what a reasoner reads of it, one observer a modality (seed 002 sections 2.2 and 10.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from cosee.agents.navigator.memory import Memory, Modality, Observation
from cosee.agents.navigator.prompts import OBSERVER
from cosee.agents.navigator.routes import Reached, Step
from cosee.agents.navigator.schemas import ImageReply
from cosee.agents.navigator.windows import cut
from cosee.artifacts.documents.doctree import Node
from cosee.index.columns import column_units
from cosee.models.base import VLMClient
from cosee.models.blocks import Message, PageImage
from cosee.models.calls import Sampling
from cosee.models.evidence import node_data
from cosee.models.messages import evidence_message, instruction_block, node_block, role_block
from cosee.models.structured import parse, schema_text
from cosee.text.tokens import analyze, query_weights

GIST_CHARACTERS = 320
READING_CHARACTERS = 1_500
CELL_ROWS = 200
"""Rows of a table that a payload holds; evidence has all of them."""
REPLY_TOKENS = 300
MARGIN = 0.01
"""Share of the page that is shown around a figure."""
CHART_FORMS = ("line", "bar", "pie", "scatter", "other")

PageImages = Callable[[int], PageImage]


class Observer(Protocol):
    """One modality."""

    modality: Modality

    def observe(self, memory: Memory, node: Node, question: str) -> Observation:
        """The observation of one node, without a model."""
        ...


class TextObserver:
    """Paragraphs, lists, equations and other leaves with their raw text; a section with a short gist."""

    modality: Modality = "text"

    def observe(self, memory: Memory, node: Node, question: str) -> Observation:
        """The observation of one node."""
        data = node_data(memory.atlas.tree, node.id)
        if node.type == "section":
            gist = cut(memory.summary(node.id), GIST_CHARACTERS)
            payload = {"summary_gist": gist, "title": node.title or "", **anchors(node)}
            return Observation(node.id, "text", payload, {**data, "description": gist or None})
        return Observation(node.id, "text", {"raw_text": node.text, **anchors(node)}, data)


class TableObserver:
    """A table as text: caption, the names and units of its columns, its cells."""

    modality: Modality = "table"

    def observe(self, memory: Memory, node: Node, question: str) -> Observation:
        """The observation of one table; ``anchors`` name the cell that holds most words of the question."""
        rows = node.table.rows if node.table else []
        schema = [f"{name} ({unit})" if unit and unit not in name else name for name, unit in column_units(node)]
        payload = {
            "caption": node.title or "",
            "schema_brief": "; ".join(schema),
            "cells": [list(row) for row in rows[:CELL_ROWS]],
            "rows": len(rows),
            **anchors(node, _cell(rows, question)),
        }
        brief = f"Columns: {cut('; '.join(schema), GIST_CHARACTERS)}" if schema else None
        data = {**node_data(memory.atlas.tree, node.id), "description": brief}
        return Observation(node.id, "table", payload, data)


class ImageObserver:
    """Figures: caption, description, chart form and the words in them; a client that sees is asked for the rest."""

    modality: Modality = "image"

    def observe(self, memory: Memory, node: Node, question: str) -> Observation:
        """The observation of one figure without looking at its picture."""
        form = f"{node.chart_form} chart" if node.chart_form in CHART_FORMS else ""
        payload = {
            "caption": node.title or "",
            "schema_brief": form or node.kind or "",
            "description": node.description or "",
            "text": node.text,
            **anchors(node),
        }
        told = "\n".join(filter(None, (f"Form: {form}." if form else "", node.description)))
        data = {**node_data(memory.atlas.tree, node.id), "description": told or None}
        return Observation(node.id, "image", payload, data)

    def message(self, observation: Observation, question: str, picture: PageImage) -> Message:
        """The request to look at one figure."""
        message = evidence_message(
            question,
            images=[picture],
            evidence=[node_block(observation.data)],
            instruction=instruction_block(OBSERVER.id, OBSERVER.text),
            role=role_block("", "image_observer"),
        )
        schema = instruction_block("json_schema", schema_text(ImageReply))
        return Message((*message.blocks, schema), message.role)

    def with_reading(self, observation: Observation, text: str) -> tuple[Observation, str | None]:
        """The observation with what the model saw, and the fault of a reply that cannot be used."""
        reply = parse(text, ImageReply)
        if reply.value is None:
            return observation, f"{observation.node_id}: {reply.error}: {reply.detail}"
        seen = " ".join(reply.value.reading.split())[:READING_CHARACTERS]
        said, form = reply.value.chart_form.strip().lower(), observation.data.get("chart_form")
        form = said if said in CHART_FORMS and form in (None, "unknown") else form
        description = "\n".join(filter(None, (str(observation.data.get("description") or ""), f"Seen: {seen}")))
        data = {**observation.data, "description": description, "chart_form": form}
        return Observation(observation.node_id, "image", {**observation.payload, "seen": seen}, data), None


OBSERVERS: dict[str, Observer] = {"image": ImageObserver(), "table": TableObserver()}
TEXT = TextObserver()


def observe(
    memory: Memory,
    reached: Sequence[Reached],
    question: str,
    client: VLMClient,
    page_image: PageImages,
    *,
    nodes: int,
    images: int,
    drawn: Mapping[str, Any] | None = None,
) -> tuple[list[str], list[str]]:
    """Observe the first ``nodes`` of the nodes reached; ids in order, known ones included, and faults in words.

    A node that was observed before is not looked at again. The first ``images`` new figures, before others those
    of which the tree has no form, are shown to a client that sees, all in one batch.

    Raises:
        BudgetExceeded, ModelError: from that batch; what needs no model is then kept in memory.
    """
    paths: dict[str, tuple[Step, ...]] = {}
    for node_id, path in reached:
        paths.setdefault(node_id, path)
    wanted = list(paths)[:nodes]
    fresh: list[Observation] = []
    for node_id in wanted:
        if node_id not in memory.observations:
            node = memory.atlas.tree.node(node_id)
            observation = OBSERVERS.get(node.type, TEXT).observe(memory, node, question)
            memory.keep(observation, paths[node_id])
            fresh.append(observation)
    if not client.sees_images:
        return wanted, []
    figures = [each for each in fresh if each.modality == "image" and each.data.get("bbox")]
    figures.sort(key=lambda each: each.data.get("chart_form") in CHART_FORMS)
    looked = figures[:images]
    return wanted, _look(memory, looked, question, client, page_image, drawn) if looked else []


def _look(
    memory: Memory,
    figures: Sequence[Observation],
    question: str,
    client: VLMClient,
    page_image: PageImages,
    drawn: Mapping[str, Any] | None,
) -> list[str]:
    """Show the figures to the model and add what it sees; the faults of replies that cannot be used."""
    observer = ImageObserver()
    memory.sent(OBSERVER)
    batch = [[observer.message(each, question, crop(each, page_image))] for each in figures]
    replies = client.chat_many(batch, Sampling(**{"max_new_tokens": REPLY_TOKENS, **(drawn or {})}))
    faults = []
    for observation, reply in zip(figures, replies, strict=True):
        memory.observations[observation.node_id], fault = observer.with_reading(observation, reply.text)
        faults += [fault] if fault else []
    return faults


def crop(observation: Observation, page_image: PageImages) -> PageImage:
    """The figure's part of its page's picture, with a small margin."""
    page = int(observation.data["page"])
    picture = page_image(page).load()
    left, top, right, bottom = observation.data["bbox"]
    width, height = picture.size
    box = (
        int(max(0.0, left - MARGIN) * width),
        int(max(0.0, top - MARGIN) * height),
        max(int(min(1.0, right + MARGIN) * width), int(left * width) + 1),
        max(int(min(1.0, bottom + MARGIN) * height), int(top * height) + 1),
    )
    return PageImage(page, picture.crop(box))


def anchors(node: Node, cell: tuple[int, int] | None = None) -> dict[str, Any]:
    """Where a node stands: 0-based ``page_idx``, ``bbox`` in 0..1, and ``cell`` as 0-based (row, column) of a table."""
    where = {"page_idx": node.page_idx, "bbox": list(node.bbox) if node.bbox else None}
    return {"anchors": {**where, "cell": list(cell) if cell else None}}


def _cell(rows: Sequence[Sequence[str]], question: str) -> tuple[int, int] | None:
    """The cell with most words of the question, the first of equals; None where none has any."""
    asked = set(query_weights(question))
    best, found = 0, None
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            shared = len(asked & set(analyze(text))) if text else 0
            if shared > best:
                best, found = shared, (row, column)
    return found
