"""A question's page: every method's answer, the cited pages with the evidence boxed, board, trace and retrieval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cosee.artifacts.base import BBox
from cosee.artifacts.prediction import Prediction
from cosee.evaluation.results import QuestionResult
from cosee.report.traces import board, timeline
from cosee.report.views import RunView, outcome_of

if TYPE_CHECKING:
    from cosee.report.site import Site

RETRIEVED_SHOWN = 20


def write_all(site: Site, run: RunView) -> None:
    """Write the page of every question of a run, each linked to its neighbours."""
    questions = next(iter(run.results.values()), ())
    paths = [site.question_path(run.name, each.dataset, each.question.question_id) for each in questions]
    for position, result in enumerate(questions):
        methods = {method: rows[position] for method, rows in run.results.items()}
        root = "../" * paths[position].count("/")
        pages = _pages(site, methods, root)
        document = site.document_path(result.dataset, result.question.doc_id)
        site.page(
            paths[position],
            "question.html",
            run=run.name,
            question=result.question,
            document=result.question.doc_id,
            document_href=root + document if document else None,
            previous=root + paths[position - 1] if position else None,
            next=root + paths[position + 1] if position + 1 < len(paths) else None,
            answers=[_answer(run, method, each) for method, each in methods.items()],
            pages=pages,
            shown={page["page"] for page in pages},
        )


def _answer(run: RunView, method: str, result: QuestionResult) -> dict[str, Any]:
    outcome = outcome_of(method, result)
    prediction = result.prediction
    events = run.trace(method, result.dataset, result.question.question_id)
    known = [] if isinstance(events, str) else events
    cells = board(known)
    retrieved = prediction.retrieved[:RETRIEVED_SHOWN] if prediction else []
    return {
        "method": method,
        "outcome": outcome.outcome,
        "score": outcome.score,
        "rule": outcome.rule,
        "abstained": outcome.abstained,
        "prediction": prediction,
        "board": cells,
        "cells": sum(len(page.cells) for page in cells),
        "timeline": timeline(known),
        "trace_note": events if isinstance(events, str) else "",
        "retrieved": retrieved,
        "parts": list(dict.fromkeys(part for hit in retrieved for part in sorted(hit.parts))),
    }


def _pages(site: Site, methods: Mapping[str, QuestionResult], root: str) -> list[dict[str, Any]]:
    """The cited pages in order, with one box for each piece of support."""
    result = next(iter(methods.values()))
    boxes: dict[int, list[dict[str, Any]]] = {}
    labels: dict[int, str] = {}
    for number, (method, each) in enumerate(methods.items()):
        for page, label, box in _support(method, each.prediction):
            boxes.setdefault(page, []).extend([{**box, "method": number}] if box else [])
            if label:
                labels[page] = label
    shown = []
    for page in sorted(boxes):
        picture = site.pictures.get((result.dataset, result.question.doc_id, page), "This page was not rendered.")
        image, width, height, note = None, None, None, picture if isinstance(picture, str) else ""
        if not isinstance(picture, str):
            image, width, height = root + picture[0], picture[1].width, picture[1].height
        shown.append(
            {
                "page": page,
                "label": labels.get(page),
                "gold": page in result.question.evidence_pages,
                "image": image,
                "width": width,
                "height": height,
                "note": note,
                "boxes": boxes[page],
            }
        )
    return shown


def _support(method: str, prediction: Prediction | None) -> Sequence[tuple[int, str | None, dict[str, Any] | None]]:
    """(page, printed label, box or None) of each piece of support."""
    if prediction is None:
        return []
    return [
        (support.page, support.page_label, _box(support.bbox, f"{method}: {support.quote or support.node_id or ''}"))
        for support in prediction.support
    ]


def _box(bbox: BBox | None, title: str) -> dict[str, Any] | None:
    """A box in percent of the page, kept inside it."""
    if bbox is None:
        return None
    left, top, right, bottom = (min(max(edge, 0.0), 1.0) for edge in bbox)
    return {
        "left": round(100 * left, 2),
        "top": round(100 * top, 2),
        "width": round(100 * max(right - left, 0.004), 2),
        "height": round(100 * max(bottom - top, 0.004), 2),
        "title": title[:300],
    }
