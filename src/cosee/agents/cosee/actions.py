"""Actions: what an agent may do with the board, read out of whatever a model wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from cosee.agents.cosee.board import Board, View
from cosee.agents.cosee.thresholds import (
    MAX_CONTENT_CHARACTERS,
    MAX_FURTHER_QUOTES,
    MAX_NOTE_CHARACTERS,
    MAX_TAG_CHARACTERS,
    MAX_TAGS,
)
from cosee.agents.replies import answer_text, read_confidence
from cosee.agents.thresholds import UNSTATED_CONFIDENCE
from cosee.models.boxes import four_numbers

INSPECT, LINK, HYPOTHESIZE, REVISE = ACTION_NAMES = ("INSPECT", "LINK", "HYPOTHESIZE", "REVISE")


class Action(dict[str, Any]):
    """``action`` and ``content``, with ``view``, ``target_cell_id``, ``tags``, ``confidence``, ``answer``,
    ``supporting_cells``, and for grounded agents ``quote``, ``node_id`` and ``further_quotes`` (places of the same
    kind: ``page``, ``quote``, ``node_id``) and ``zoom`` (the view's box is to be shown larger), where they apply.

    A validated action lists under ``notes`` what was mended. One that could not be read holds ``error``.
    """


def unreadable(text: str, error: str) -> Action:
    """The action that stands for a reply which is none; it never validates."""
    return Action(action="", content=text[:MAX_CONTENT_CHARACTERS], error=error)


def validate(action: Any, board: Board | None = None, pages: Sequence[int] | None = None) -> tuple[Action | None, str]:
    """The action with safe defaults, and why there is none otherwise; never raises.

    Without ``board`` targets are not looked up; without ``pages`` any page from 1 is accepted.
    """
    if not isinstance(action, Mapping):
        return None, f"an action is an object, found {type(action).__name__}"
    if action.get("error"):
        return None, str(action["error"])
    name = action.get("action")
    name = name.strip().upper() if isinstance(name, str) else name
    if name not in ACTION_NAMES:
        return None, f"unknown action {name!r:.60}"
    content = action.get("content")
    if not isinstance(content, str) or not content.strip():
        return None, f"{name} without content"
    valid = Action(action=name, content=content.strip()[:MAX_CONTENT_CHARACTERS], tags=_strings(action.get("tags")))
    notes: list[str] = []

    target = _known_target(action, board, notes)
    if target is not None:
        valid["target_cell_id"] = target
    elif name in (LINK, REVISE):
        return None, f"{name} without an existing target_cell_id"
    valid["supporting_cells"] = _known_cells(action.get("supporting_cells"), board, notes)
    _read_answer(action, valid)
    _read_grounding(action, valid)
    view, fault = _read_view(action.get("view"), valid, board, pages, notes)
    if view is None:
        return None, fault
    valid["view"] = view
    if name == INSPECT and action.get("zoom") is True and "bbox" in view:
        valid["zoom"] = True
    if notes:
        valid["notes"] = notes
    return valid, ""


def _known_target(action: Mapping[str, Any], board: Board | None, notes: list[str]) -> int | None:
    target = _cell_id(action.get("target_cell_id"))
    if target is not None and board is not None and board.get_cell(target) is None:
        notes.append(f"target cell #{target} does not exist")
        return None
    return target


def _read_grounding(action: Mapping[str, Any], valid: Action) -> None:
    """Take over what ties the action to the document's text."""
    valid.update(_quoted(action))
    if isinstance(action.get("quote_verified"), bool):
        valid["quote_verified"] = action["quote_verified"]
    further = action.get("further_quotes")
    places = [_place(value) for value in further[:MAX_FURTHER_QUOTES]] if isinstance(further, list | tuple) else []
    if any(places):
        valid["further_quotes"] = [place for place in places if place]


def _place(value: Any) -> dict[str, Any]:
    """A place with what of it is usable; empty where nothing is quoted or named."""
    given = value if isinstance(value, Mapping) else {}
    place, page = _quoted(given), _page_number(given.get("page"))
    return {**place, "page": page} if place and page is not None else place


def _quoted(given: Mapping[str, Any]) -> dict[str, Any]:
    """Quote and node id, those that are text."""
    found = {key: given[key].strip() for key in ("quote", "node_id") if isinstance(given.get(key), str)}
    return {key: text[:MAX_CONTENT_CHARACTERS] for key, text in found.items() if text}


def _read_answer(action: Mapping[str, Any], valid: Action) -> None:
    """Take over answer and confidence; a hypothesis has both."""
    answer = answer_text(action.get("answer"))
    if answer:
        valid["answer"] = answer[:MAX_CONTENT_CHARACTERS]
    confidence = read_confidence(action.get("confidence"))
    if valid["action"] == HYPOTHESIZE:
        valid.setdefault("answer", valid["content"])
        confidence = UNSTATED_CONFIDENCE if confidence is None else confidence
    if confidence is not None:
        valid["confidence"] = confidence


def _read_view(
    value: Any, valid: Action, board: Board | None, pages: Sequence[int] | None, notes: list[str]
) -> tuple[View | None, str]:
    """The action's view: as given, else that of the cells it refers to, else the first page asked about."""
    given = value if isinstance(value, Mapping) else {}
    if given.get("page") is None:
        cells = [valid.get("target_cell_id"), *valid["supporting_cells"]]
        known = [cell for cell_id in cells if board and cell_id and (cell := board.get_cell(cell_id))]
        page = known[0]["view"]["page"] if known else (pages[0] if pages else 1)
    else:
        page = _page_number(given["page"])
    if page is None or (pages is not None and page not in pages):
        return None, f"page {given.get('page')!r:.40} is not one of the pages asked about"
    view = View(page=page)
    if given.get("bbox") is not None:
        try:
            view["bbox"] = four_numbers(given["bbox"])
        except ValueError as error:
            notes.append(f"bbox dropped: {error}"[:MAX_NOTE_CHARACTERS])
    if isinstance(given.get("description"), str) and given["description"].strip():
        view["description"] = given["description"].strip()[:MAX_NOTE_CHARACTERS]
    return view, ""


def _page_number(value: Any) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,9}\s*", value):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 1 else None


def _cell_id(value: Any) -> int | None:
    """``3``, ``"3"`` and ``"#3"`` are cell 3."""
    return _page_number(value.strip().removeprefix("#") if isinstance(value, str) else value)


def _known_cells(value: Any, board: Board | None, notes: list[str]) -> list[int]:
    """Ids of existing cells, each once; the others are noted."""
    known: list[int] = []
    for entry in value if isinstance(value, list | tuple) else []:
        cell_id = _cell_id(entry)
        if cell_id is None or (board is not None and board.get_cell(cell_id) is None):
            notes.append(f"supporting cell {entry!r:.40} does not exist")
        elif cell_id not in known:
            known.append(cell_id)
    return known


def _strings(value: Any) -> list[str]:
    """Tags: strings, each once."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple):
        return []
    tags = (tag.strip()[:MAX_TAG_CHARACTERS] for tag in value if isinstance(tag, str) and tag.strip())
    return list(dict.fromkeys(tags))[:MAX_TAGS]
