"""A question's page: every method's answer, the cited pages with the evidence boxed, what each method did and found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cosee.artifacts.base import BBox
from cosee.artifacts.datasets.names import document_of
from cosee.artifacts.results.prediction import Prediction, Retrieved, Support
from cosee.artifacts.results.trace import TraceEvent
from cosee.evaluation.ablation import strategy_of
from cosee.evaluation.attribution import is_right, verdict
from cosee.evaluation.results import QuestionResult
from cosee.report.board import Board, board
from cosee.report.causes import CAUSES
from cosee.report.details import cut, shortened
from cosee.report.kept import DocumentKey
from cosee.report.navigation import navigation
from cosee.report.node_names import SEVERAL, NodeNames
from cosee.report.page_names import PageName, board_with_page_names, with_page_names
from cosee.report.site import Site
from cosee.report.thresholds import (
    GOLD_PAGES_SHOWN,
    LEAST_BOX_SHARE,
    LINE_CHARACTERS,
    LONG_ANSWER_CHARACTERS,
    OPEN_METHODS,
    QUOTE_CHARACTERS,
    RETRIEVED_PLACES,
)
from cosee.report.tool_calls import tool_calls
from cosee.report.traces import timeline
from cosee.report.verdicts import method_verdict, question_verdict
from cosee.report.views import RunView, outcome_of, place_of

ORACLE = "oracle_pages"
"""The strategy that is given the gold pages."""


def write_all(site: Site, run: RunView) -> dict[DocumentKey, list[str]]:
    """Write the page of every question of a run's results, each linked to its neighbours among all of the run.

    Returns document -> paths below the site.
    """
    paths = [site.question_path(run.name, dataset, question_id) for dataset, _, question_id in run.order]
    place = {(dataset, question_id): number for number, (dataset, _, question_id) in enumerate(run.order)}
    written: dict[DocumentKey, list[str]] = {}
    for position, result in enumerate(run.questions):
        number = place[result.dataset, result.question.question_id]
        key = (result.dataset, result.question.doc_id)
        methods = {method: rows[position] for method, rows in run.results.items()}
        if not result.question.doc_id:
            methods, result = {method: with_page_names(row) for method, row in methods.items()}, with_page_names(result)
        root = "../" * paths[number].count("/")
        answers = _answers(site, run, methods, root)
        pages = _pages(site, result, answers, root)
        document = site.document_path(*key)
        about = written.setdefault(key, [])
        about.append(paths[number])
        site.page(
            paths[number],
            "question.html",
            run=run.name,
            question=result.question,
            verdict=question_verdict(methods, site.names(result.dataset, result.question.doc_id).type),
            document=result.question.doc_id or SEVERAL,
            document_href=root + document if document else None,
            previous=root + paths[number - 1] if number else None,
            next=root + paths[number + 1] if number + 1 < len(paths) else None,
            # Among those of its document: its place among all of the run would change with every document more.
            position=len(about),
            total=len(site.questions_of(run, key)),
            answers=answers,
            opened=_opened(answers),
            pages=pages,
            shown={page["page"] for page in pages},
        )
    return written


def _answers(site: Site, run: RunView, methods: Mapping[str, QuestionResult], root: str) -> list[dict[str, Any]]:
    answers = []
    lists: dict[tuple[tuple[str, float], ...], int] = {}
    oracle = next((methods[name] for name in methods if strategy_of(run.settings, name) == ORACLE), None)
    for number, (method, result) in enumerate(methods.items(), start=1):
        answer = _answer(site, run, method, result, oracle, root)
        retrieved = result.prediction.retrieved if result.prediction else []
        key = tuple((hit.node_id, hit.score) for hit in retrieved)
        # Methods with the same retrieval settings rank alike: one list is enough.
        answer["number"], answer["same_list"] = number, lists.get(key) if key else None
        lists.setdefault(key, number)
        answers.append(answer)
    return answers


def _opened(answers: Sequence[Mapping[str, Any]]) -> set[int]:
    """The answers that are not folded: all of a few, or the first that gives evidence."""
    if len(answers) <= OPEN_METHODS:
        return {answer["number"] for answer in answers}
    return set([answer["number"] for answer in answers if answer["support"]][:1])


def _lost(result: QuestionResult, oracle: QuestionResult | None, names: NodeNames) -> dict[str, str] | None:
    """Where a scored answer that is not right was lost: in a sentence, and how that is known."""
    if not result.scored or is_right(result):
        return None
    known = verdict(result, None if result is oracle else oracle)
    told = method_verdict(result, names.type)
    return {
        "cause": known.cause,
        "words": CAUSES[known.cause],
        "told": f"{told[:1].upper()}{told[1:]}",
        "because": known.because,
    }


def _answer(
    site: Site, run: RunView, method: str, result: QuestionResult, oracle: QuestionResult | None, root: str
) -> dict[str, Any]:
    prediction = result.prediction
    names = site.names(result.dataset, result.question.doc_id)
    events = run.trace(method, result.dataset, result.question.question_id)
    known = [] if isinstance(events, str) else events
    retrieved = prediction.retrieved[:RETRIEVED_PLACES] if prediction else []
    long, more = _long(prediction) if prediction else ("", 0)
    return {
        "method": method,
        "anchor": site.anchor(method),
        "href": root + site.method_path(run.name, method),
        "outcome": outcome_of(method, result),
        "lost": _lost(result, oracle, names),
        "prediction": prediction,
        "long": long,
        "long_more": more,
        "support": [
            {
                "item": each,
                "quote": shortened(each.quote, QUOTE_CHARACTERS),
                "name": _names_of(site, result, each).name(each.node_id or ""),
            }
            for each in (prediction.support if prediction else ())
        ],
        "scores": [(name.replace("_", " "), score) for name, score in result.scores.items()],
        "published": result.published,
        "board": _board(result, known),
        "navigation": navigation(known, names),
        "tools": tool_calls(known),
        "timeline": timeline(known, result.question.question, retrieved_above=bool(retrieved)),
        "trace_note": events if isinstance(events, str) else "",
        "trace_href": root + site.trace_path(run.name, method, result.dataset, result.question.question_id),
        "predictions_href": root + site.predictions_path(run.name, method),
        "retrieved": [_hit(hit, _names_of(site, result, hit)) for hit in retrieved],
        "parts": list(dict.fromkeys(part for hit in retrieved for part in sorted(hit.parts))),
    }


def _names_of(site: Site, result: QuestionResult, item: Support | Retrieved) -> NodeNames:
    return site.names(*document_of(item.doc_id or result.question.doc_id, result.dataset))


def _board(result: QuestionResult, events: Sequence[TraceEvent]) -> Board | None:
    found = board(events)
    return found if found is None or result.question.doc_id else board_with_page_names(found, events)


def _long(prediction: Prediction) -> tuple[str, int]:
    """The long answer, where it says more than the short one and the quotes, and how many characters are left out."""
    text = prediction.answer_long.strip()
    said = [prediction.answer, *(support.quote for support in prediction.support)]
    return ("", 0) if any(text in each for each in said) else cut(text, LONG_ANSWER_CHARACTERS)


def _hit(hit: Retrieved, names: NodeNames) -> dict[str, Any]:
    way = " › ".join(name for name in (names.name(each) for each in hit.path) if name)
    return {"hit": hit, "name": names.name(hit.node_id), "path": way}


def _pages(site: Site, result: QuestionResult, answers: Sequence[Mapping[str, Any]], root: str) -> list[dict[str, Any]]:
    """The cited pages in order with a box for each place of support, and the first gold pages that nobody cites.

    On these pages also stand, dashed, the places that the cells of a shared board look at.
    """
    boxes: dict[Any, dict[tuple[Any, ...], dict[str, Any]]] = {}
    labels: dict[Any, str] = {}
    for answer in answers:
        for support in answer["prediction"].support if answer["prediction"] else ():
            said = support.unverified
            title = f"{support.quote} (unverified: {said})".strip() if said else support.quote
            _add_box(boxes.setdefault(support.page, {}), support.bbox, title, answer["number"], unverified=bool(said))
            if support.page_label:
                labels[support.page] = support.page_label
    cited = set(boxes)
    for answer in answers:
        found: Board | None = answer["board"]
        for page in found.pages if found else ():
            for cell in page.cells:
                title = f"#{cell.id} {cell.author}: {cell.content}"
                _add_box(boxes.setdefault(page.page, {}), cell.bbox, title, answer["number"], cell.step)
    shown = []
    for number in sorted({*cited, *sorted(set(result.question.evidence_pages))[:GOLD_PAGES_SHOWN]}):
        place = place_of(result, number.key if isinstance(number, PageName) else ("", number))
        picture = site.pictures.get(place, "This page was not rendered.")
        href, width, height, note = None, None, None, picture if isinstance(picture, str) else ""
        if not isinstance(picture, str):
            href, width, height = root + picture[0], picture[1], picture[2]
        shown.append(
            {
                "page": number,
                "label": labels.get(number),
                "gold": number in result.question.evidence_pages,
                "image": href,
                "width": width,
                "height": height,
                "note": note,
                "cited": number in cited,
                "boxes": [{**box, "tab": ranges(box["methods"])} for box in boxes.get(number, {}).values()],
                "methods": ranges(
                    answer["number"]
                    for answer in answers
                    if answer["prediction"] and any(each.page == number for each in answer["prediction"].support)
                ),
            }
        )
    return shown


def ranges(numbers: Iterable[int]) -> str:
    """Ascending numbers in words: ``1, 3–5``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    words = [[str(each) for each in run] if len(run) < 3 else [f"{run[0]}–{run[-1]}"] for run in runs]
    return ", ".join(word for each in words for word in each)


def _add_box(
    boxes: dict[tuple[Any, ...], dict[str, Any]],
    bbox: BBox | None,
    title: str,
    method: int,
    round_: int = 0,
    *,
    unverified: bool = False,
) -> None:
    """Add a box in percent of the page, kept inside it; methods that name the same place share one."""
    if bbox is None:
        return
    left, top, right, bottom = (min(max(edge, 0.0), 1.0) for edge in bbox)
    place = (
        round(100 * left, 2),
        round(100 * top, 2),
        round(100 * max(right - left, LEAST_BOX_SHARE), 2),
        round(100 * max(bottom - top, LEAST_BOX_SHARE), 2),
    )
    key = (*place, method, round_) if round_ else place
    made = {
        "place": place,
        "title": shortened(title, LINE_CHARACTERS),
        "methods": [],
        "round": round_,
        "unverified": unverified,
    }
    box = boxes.setdefault(key, made)
    if method not in box["methods"]:
        box["methods"].append(method)
