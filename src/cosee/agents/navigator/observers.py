"""Observers: from a node to what a reasoner reads of it, one for text, one for tables and one for pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cosee.agents.navigator.document import NavigatedDocument
from cosee.agents.navigator.memory import Memory, Observation
from cosee.agents.navigator.paths import Reached, Step
from cosee.agents.navigator.prompts import OBSERVER
from cosee.agents.navigator.schemas import ImageReply
from cosee.agents.navigator.thresholds import (
    MAX_CELL_ROWS,
    MAX_READING_CHARACTERS,
    MAX_SUMMARY_CHARACTERS,
    OBSERVER_REPLY_TOKENS,
)
from cosee.agents.thresholds import CROP_MARGIN
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.doctree import Node
from cosee.geometry import clamp, height, rounded, width
from cosee.index.columns import column_units
from cosee.models.blocks import Message, PageImage
from cosee.models.boxes import Grid, in_shares
from cosee.models.evidence import is_picture, node_data, unseen
from cosee.models.messages import evidence_message, instruction_block, node_block, role_block
from cosee.models.structured import parse, schema_text, with_thoughts
from cosee.text.tokens import analyze, query_weights
from cosee.text.words import first_words

CHART_FORMS = ("line", "bar", "pie", "scatter", "other")


def observation_of(document: NavigatedDocument, node: Node, question: str) -> Observation:
    """What is told of a node without a model. A table whose cells were not read is observed as a picture is."""
    if node.type == "table" and node.table is not None and node.table.rows:
        return _table(document, node, node.table.rows, question)
    return _picture(document, node) if node.type in ("image", "table") else _text(document, node)


def _text(document: NavigatedDocument, node: Node) -> Observation:
    """Paragraphs, lists, equations and other leaves with their raw text; a section with a short gist."""
    data = node_data(document.tree, node.id)
    if node.type == "section":
        gist = first_words(document.summary(node.id), MAX_SUMMARY_CHARACTERS)
        payload = {"summary_gist": gist, "title": node.title or "", **anchors(node)}
        return Observation(node.id, "text", payload, {**data, "description": gist or None})
    return Observation(node.id, "text", {"raw_text": node.text, **anchors(node)}, data)


def _table(document: NavigatedDocument, node: Node, rows: Sequence[Sequence[str]], question: str) -> Observation:
    """A table as text: caption, the names and units of its columns, its cells; ``anchors`` name the cell that holds
    most words of the question."""
    columns = "; ".join(f"{name} ({unit})" if unit and unit not in name else name for name, unit in column_units(node))
    payload = {
        "caption": node.title or "",
        "schema_brief": columns,
        "cells": [list(row) for row in rows[:MAX_CELL_ROWS]],
        "rows": len(rows),
        **anchors(node, _cell(rows, question)),
    }
    brief = f"Columns: {first_words(columns, MAX_SUMMARY_CHARACTERS)}" if columns else None
    return Observation(node.id, "table", payload, {**node_data(document.tree, node.id), "description": brief})


def _picture(document: NavigatedDocument, node: Node) -> Observation:
    """A figure as the tree tells of it: caption, description, form of chart and the words in it."""
    form = f"{node.chart_form} chart" if node.chart_form in CHART_FORMS else ""
    payload = {
        "caption": node.title or "",
        "schema_brief": form or node.kind or "",
        "description": node.description or "",
        "text": node.text,
        **anchors(node),
    }
    told = "\n".join(filter(None, (f"Form: {form}." if form else "", node.description)))
    return Observation(node.id, "image", payload, {**node_data(document.tree, node.id), "description": told or None})


def observe(
    memory: Memory, reached: Sequence[Reached], question: str, *, nodes: int, images: int
) -> tuple[list[str], list[str]]:
    """Observe the first ``nodes`` of the nodes reached; ids in order, known ones included, and faults in words.

    A node that was observed before is not observed again. The first ``images`` figures and tables without cells that
    were not looked at, before others those of which the tree has no form, are shown to a client that sees, all in one
    batch; what is left of ``images`` goes to the parts of these that it asks to see larger. What is not shown says so.

    Raises:
        BudgetExceeded, ModelError: from a batch; what needs no model is then kept in memory.
    """
    paths: dict[str, tuple[Step, ...]] = {}
    for node_id, path in reached:
        paths.setdefault(node_id, path)
    wanted = list(paths)[:nodes]
    for node_id in wanted:
        if node_id not in memory.observations:
            node = memory.document.tree.node(node_id)
            memory.keep(observation_of(memory.document, node, question), paths[node_id])
    if not memory.context.client.sees_images:
        return wanted, []
    pictures = [each for node_id in wanted if is_picture((each := memory.observations[node_id]).data)]
    figures = [each for each in pictures if each.data.get("bbox") and each.node_id not in memory.shown_figures]
    figures.sort(key=lambda each: each.data.get("chart_form") in CHART_FORMS)
    try:
        return wanted, _look(memory, figures[:images], question, images) if figures[:images] else []
    finally:
        for each in pictures:
            latest = memory.observations[each.node_id]
            if "seen" not in latest.payload and not latest.data.get("not_shown"):
                memory.observations[each.node_id] = replace(latest, data=unseen(latest.data))


def _look(memory: Memory, figures: Sequence[Observation], question: str, images: int) -> list[str]:
    """Show the figures to the model, then, while ``images`` last, the parts that it wants to see larger, and add what
    it sees; the faults of replies that cannot be used."""
    memory.note_prompts(OBSERVER)
    memory.shown_figures.update(each.node_id for each in figures)
    context, client = memory.context, memory.context.client
    given = {"presence_penalty": 0.0, **memory.generation}
    sampling = with_thoughts(context.sampling(OBSERVER_REPLY_TOKENS, given), client.thinking_tokens)
    faults: list[str] = []

    def shown(parts: Sequence[tuple[Observation, BBox]]) -> list[tuple[str, BBox, ImageReply]]:
        batch = [
            [_request(each, question, context.page_image(int(each.data["page"])).region(part), client.asked_grid)]
            for each, part in parts
        ]
        found = []
        for (each, part), messages, reply in zip(parts, batch, client.chat_many(batch, sampling), strict=True):
            read = parse(reply.text, ImageReply)
            if read.value is None:
                faults.append(f"{each.node_id}: {read.error}: {read.detail}")
                continue
            in_shares(read.value, messages, client.asked_grid, client.sent_size)
            found.append((each.node_id, part, read.value))
        return found

    closer: list[tuple[Observation, BBox]] = []
    for node_id, part, reply in shown([(each, surroundings(each)) for each in figures]):
        memory.observations[node_id] = _with_reading(memory.observations[node_id], reply)
        if reply.zoom is not None:
            closer.append((memory.observations[node_id], within(part, reply.zoom)))
    closer = closer[: max(0, images - len(figures))]
    for node_id, part, reply in shown(closer) if closer else []:
        memory.observations[node_id] = _with_reading(memory.observations[node_id], reply, part)
    return faults


def _request(observation: Observation, question: str, picture: PageImage, grid: Grid | None) -> Message:
    """The request to look at one figure, or at a part of it."""
    message = evidence_message(
        question,
        images=[picture],
        evidence=[node_block(observation.data)],
        instruction=instruction_block(OBSERVER.id, OBSERVER.text),
        role=role_block("", "image_observer"),
    )
    schema = instruction_block("json_schema", schema_text(ImageReply, grid))
    return Message((*message.blocks, schema), message.role)


def _with_reading(observation: Observation, reply: ImageReply, part: BBox | None = None) -> Observation:
    """The observation with what the model saw, where ``part`` is given in that part of the page, shown larger."""
    seen = " ".join(reply.reading.split())[:MAX_READING_CHARACTERS]
    said, form = reply.chart_form.strip().lower(), observation.data.get("chart_form")
    form = said if said in CHART_FORMS and form in (None, "unknown") else form
    told = str(observation.data.get("description") or "")
    named = f"Form: {form} chart." if form in CHART_FORMS and not told.startswith("Form: ") else ""
    data = {
        **observation.data,
        "description": "\n".join(filter(None, (named, told, f"{'Seen closer' if part else 'Seen'}: {seen}"))),
        "chart_form": form,
        "not_shown": False,
    }
    more = {"seen_closer": seen, "zoom": list(part)} if part else {"seen": seen}
    return Observation(observation.node_id, "image", {**observation.payload, **more}, data)


def surroundings(observation: Observation) -> BBox:
    """The part of the page that a figure takes, with a small margin."""
    left, top, right, bottom = observation.data["bbox"]
    return clamp(
        (left - CROP_MARGIN, top - CROP_MARGIN, right + CROP_MARGIN, bottom + CROP_MARGIN), (0.0, 0.0, 1.0, 1.0)
    )


def within(part: BBox, share: Sequence[float]) -> BBox:
    """A box of a part of the page, given in 0..1 of that part, in 0..1 of the page."""
    across, down = width(part), height(part)
    left, top, right, bottom = share
    return rounded(
        (part[0] + left * across, part[1] + top * down, part[0] + right * across, part[1] + bottom * down), 6
    )


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
