"""A question's page: every method's answer, the cited pages with the evidence boxed, board, trace and retrieval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cosee.artifacts.base import BBox
from cosee.artifacts.prediction import Prediction
from cosee.evaluation.results import QuestionResult
from cosee.report.traces import board, timeline
from cosee.report.views import RunView, gold_pages, outcome_of

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
        answers = [_answer(run, method, each) for method, each in methods.items()]
        pages = _pages(site, result, answers, root)
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
            answers=answers,
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


def _pages(site: Site, result: QuestionResult, answers: Sequence[Mapping[str, Any]], root: str) -> list[dict[str, Any]]:
    """The cited pages in order with a box for each piece of support, and the first gold pages that nobody cites.

    On these pages also stand, dashed, the places that the cells of a shared board look at.
    """
    boxes: dict[int, list[dict[str, Any]]] = {}
    labels: dict[int, str] = {}
    for number, answer in enumerate(answers):
        prediction: Prediction | None = answer["prediction"]
        for support in prediction.support if prediction else ():
            title = f"{answer['method']}: {support.quote or support.node_id or ''}"
            boxes.setdefault(support.page, []).extend(_box(support.bbox, title, number, "support"))
            if support.page_label:
                labels[support.page] = support.page_label
    cited = set(boxes)
    for number, answer in enumerate(answers):
        for page in answer["board"]:
            for cell in page.cells:
                title = f"{answer['method']}, cell #{cell.id} of {cell.author}: {cell.content}"
                boxes.setdefault(page.page, []).extend(_box(cell.bbox, title, number, "cell"))
    shown = []
    for number in sorted({*cited, *gold_pages(result.question)}):
        picture = site.pictures.get((result.dataset, result.question.doc_id, number), "This page was not rendered.")
        image, width, height, note = None, None, None, picture if isinstance(picture, str) else ""
        if not isinstance(picture, str):
            image, width, height = root + picture[0], picture[1].width, picture[1].height
        shown.append(
            {
                "page": number,
                "label": labels.get(number),
                "gold": number in result.question.evidence_pages,
                "image": image,
                "width": width,
                "height": height,
                "note": note,
                "cited": number in cited,
                "boxes": boxes.get(number, []),
            }
        )
    return shown


def _box(bbox: BBox | None, title: str, method: int, kind: str) -> list[dict[str, Any]]:
    """A box in percent of the page, kept inside it; none where there is no place."""
    if bbox is None:
        return []
    left, top, right, bottom = (min(max(edge, 0.0), 1.0) for edge in bbox)
    return [
        {
            "left": round(100 * left, 2),
            "top": round(100 * top, 2),
            "width": round(100 * max(right - left, 0.004), 2),
            "height": round(100 * max(bottom - top, 0.004), 2),
            "title": title[:300],
            "method": method,
            "kind": kind,
        }
    ]
