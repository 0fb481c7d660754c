"""CoSee's roles without a model: one action a turn over the blocks of the request.

The scanner goes down the pages as they were retrieved and notes the best place of the next one. The detail reader reads
the noted pages. The cross-checker reads all pages: it agrees with the last proposal, corrects it where all pages are
surer, or ties to it the place that says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cosee.agents.cosee.schemas import ActionReply, PlaceReply, ViewReply
from cosee.agents.short_answer import answer_key
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.reader.embedded import Handlers, Reading
from cosee.reader.evidence import Place
from cosee.reader.passages import Quote, ReadingAnswer
from cosee.reader.replies.thresholds import (
    AGREEMENT_BONUS,
    MAX_CITED_CHARACTERS,
    MAX_QUOTE_CHARACTERS,
    MAX_SOLO_CONFIDENCE,
    MAX_SUPPORTING_CELLS,
    MIN_DETAIL_PAGES,
)

_KINDS = {"table": "table", "image": "figure", "section": "section"}


def act(reading: Reading) -> ActionReply:
    """The turn of the request's role; a role of another name reads like the detail reader."""
    return {"scanner": scan, "cross_checker": check}.get(reading.role, read_detail)(reading)


def scan(reading: Reading) -> ActionReply:
    """INSPECT the best place of the best page that no cell names; after the last page, the best place left."""
    noted = {cell["view"]["page"] for cell in reading.board}
    fresh = {place.passage.page: place for place in reversed(reading.places) if place.passage.page not in noted}
    found = [fresh[page] for page in reading.page_numbers if page in fresh] or _elsewhere(reading)
    if not found:
        said = "No further place on the shown pages shares words with the question."
        return _action("INSPECT", said, "text", view=ViewReply(page=(reading.page_numbers or [1])[0]))
    said = f"{_name(found[0])}: {_cut(found[0].as_quote.text, MAX_CITED_CHARACTERS)}"
    return _action("INSPECT", said, _KINDS.get(found[0].passage.type, "text"), **_quoted([found[0].as_quote], reading))


def read_detail(reading: Reading) -> ActionReply:
    """Read what the board names and propose it; in the first turn an abstention is only said. A value once noted is
    read again where it was read, with the page of what corrects it."""
    mine = _own(reading)
    read = next((cell["id"] for cell in mine if _details(cell).get("answer")), None)
    again = [c for c in reading.board if read is None or c["id"] <= read or _details(c).get("target_cell_id") == read]
    noted = dict.fromkeys(cell["view"]["page"] for cell in again)
    best = [page for page in reading.page_numbers if page not in noted][: max(0, MIN_DETAIL_PAGES - len(noted))]
    found = reading.answer([*noted, *best])
    if found.abstained and not mine:
        said = "The noted places do not give the value that is asked for."
        return _action("INSPECT", said, "field", **_quoted(found.quotes, reading))
    return _proposal(found, min(found.confidence, MAX_SOLO_CONFIDENCE), [], reading, "field")


def check(reading: Reading) -> ActionReply:
    """Read all pages and hold the reading against the last one on the board: agree, correct, tie to it what differs."""
    whole = reading.answer()
    whole = replace(whole, confidence=min(whole.confidence, MAX_SOLO_CONFIDENCE))
    theirs, mine, others = _last_proposal(reading), _own(reading), _elsewhere(reading)
    if theirs is None and whole.abstained and not mine and reading.board and others:
        where = _quoted([others[0].as_quote], reading)
        last = int(reading.board[-1]["id"])
        return _action("LINK", f"also look at {_name(others[0])}", "check", target_cell_id=last, **where)
    if theirs is None:
        return _proposal(whole, whole.confidence, [], reading, "check")
    details, cell = theirs["details"], int(theirs["id"])
    answer, confidence = str(details["answer"]), float(details.get("confidence") or 0.0)
    supporting = list(dict.fromkeys([cell, *details.get("supporting_cells", ())]))
    if answer_key(answer) == answer_key(whole.answer):
        bonus = 0.0 if whole.abstained else AGREEMENT_BONUS  # a further round may still find the answer
        agreed = min(1.0, max(confidence, whole.confidence) + bonus)
        return _proposal(whole, agreed, supporting, reading, "confirmed")
    quote = _cut(whole.quotes[0].text if whole.quotes else whole.answer_long, MAX_CITED_CHARACTERS)
    if not whole.abstained and (answer == NOT_ANSWERABLE or whole.confidence > confidence):
        said = f"All pages together give {whole.answer} rather than {answer}: “{quote}”"
        told = _proposal(whole, whole.confidence, [], reading, "conflict")
        return told.model_copy(update={"action": "REVISE", "target_cell_id": cell, "content": said})
    if not mine:
        said = f"another reading differs: “{quote}” would give {whole.answer}"
        return _action("LINK", said, "conflict", target_cell_id=cell, **_quoted(whole.quotes, reading))
    stands = {"answer": answer, "confidence": confidence, "supporting_cells": supporting}
    stands["view"] = ViewReply(page=theirs["view"]["page"])
    return _action("HYPOTHESIZE", f"No other reading is surer than {answer}.", "confirmed", **stands)


def _details(cell: dict[str, Any]) -> dict[str, Any]:
    return dict(cell.get("details") or {})


def _own(reading: Reading) -> list[dict[str, Any]]:
    return [cell for cell in reading.board if cell.get("author") == reading.role]


def _elsewhere(reading: Reading) -> list[Place]:
    """Places whose node no cell names, best first."""
    noted = {_details(cell).get("node_id") for cell in reading.board} - {None}
    return [place for place in reading.places if place.passage.node_id not in noted]


def _last_proposal(reading: Reading) -> dict[str, Any] | None:
    """The last cell of another agent with an answer that nobody corrected."""
    # General knowledge: a tag of the board.
    corrected = {_details(cell).get("target_cell_id") for cell in reading.board if "correction" in cell.get("tags", [])}
    others = [cell for cell in reading.board if cell.get("author") != reading.role and cell["id"] not in corrected]
    return next((cell for cell in reversed(others) if _details(cell).get("answer")), None)


def _proposal(
    found: ReadingAnswer, confidence: float, supporting: Sequence[int], reading: Reading, tag: str
) -> ActionReply:
    """HYPOTHESIZE what was read, carried by the cells that name a quote's node, else by those on its page."""
    nodes, pages = {quote.node_id for quote in found.quotes}, {quote.page for quote in found.quotes}
    same = [cell["id"] for cell in reading.board if _details(cell).get("node_id") in nodes - {None}]
    beside = [cell["id"] for cell in reading.board if cell["view"]["page"] in pages][:MAX_SUPPORTING_CELLS]
    cells = [*supporting, *(same or beside)]
    told = {"answer": found.answer, "confidence": round(confidence, 3), "supporting_cells": list(dict.fromkeys(cells))}
    where = {} if found.abstained else _quoted(found.quotes, reading)
    return _action("HYPOTHESIZE", found.answer_long, tag, **told, **where)


def _action(name: str, content: str, tag: str, **more: Any) -> ActionReply:
    return ActionReply.model_validate({"action": name, "content": content, "tags": [tag], **more})


def _name(place: Place) -> str:
    """The place as a person would name it."""
    name = place.passage.label or _KINDS.get(place.passage.type, "text").capitalize()
    return f"{name} on page {place.passage.page}" + (f" under “{place.passage.path[-1]}”" if place.passage.path else "")


def _quoted(quotes: Sequence[Quote], reading: Reading) -> dict[str, Any]:
    """View, quote and node of the first quote on the shown pages, and the further ones; nothing without any."""
    shown = [quote for quote in quotes if quote.page in reading.page_numbers]
    places = [
        PlaceReply(page=each.page, quote=_cut(each.text, MAX_QUOTE_CHARACTERS), node_id=each.node_id) for each in shown
    ]
    if not places:
        return {}
    first = {"view": ViewReply(page=places[0].page), "quote": places[0].quote or None, "node_id": places[0].node_id}
    return {**first, "further_quotes": places[1:] or None}


def _cut(text: str, limit: int) -> str:
    """The first words of ``text``, on one line, whole words only."""
    plain = " ".join(text.split())
    return plain if len(plain) <= limit else plain[: limit + 1].rsplit(" ", 1)[0][:limit]


HANDLERS: Handlers = {ActionReply: act}
