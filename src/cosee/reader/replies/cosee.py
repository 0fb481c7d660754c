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
from cosee.reader.evidence import Place
from cosee.reader.passages import Quote, ReadingAnswer
from cosee.reader.reading import Reading
from cosee.reader.replies.thresholds import (
    AGREEMENT_BONUS,
    MAX_CITED_CHARACTERS,
    MAX_SOLO_CONFIDENCE,
    MAX_SUPPORTING_CELLS,
    MIN_DETAIL_PAGES,
)
from cosee.text.words import first_words

_TAGS = {"table": "table", "image": "figure", "section": "section"}


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
    tag = _TAGS.get(found[0].passage.type, "text")
    return _action("INSPECT", _said(found[0].as_quote), tag, **_quoted([found[0].as_quote], reading))


def read_detail(reading: Reading) -> ActionReply:
    """Read what the board names and propose it; in the first turn an abstention is only said. A value once noted is
    read again where it was read, with the page of what corrects it."""
    mine = [cell for cell in reading.board if cell["author"] == reading.role]
    read = next((cell["id"] for cell in mine if cell["details"].get("answer")), None)
    again = [c for c in reading.board if read is None or c["id"] <= read or c["details"].get("target_cell_id") == read]
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
    theirs, others = _last_proposal(reading), _elsewhere(reading)
    spoken = any(cell["author"] == reading.role for cell in reading.board)
    if theirs is None and whole.abstained and not spoken and reading.board and others:
        return _link(int(reading.board[-1]["id"]), "also look at", others[0].as_quote, reading, "check")
    if theirs is None:
        return _proposal(whole, whole.confidence, [], reading, "check")
    details, cell = theirs["details"], int(theirs["id"])
    answer, confidence = str(details["answer"]), float(details.get("confidence") or 0.0)
    supporting = [cell, *details.get("supporting_cells", ())]
    if answer_key(answer) == answer_key(whole.answer):
        bonus = 0.0 if whole.abstained else AGREEMENT_BONUS  # a further round may still find the answer
        agreed = min(1.0, max(confidence, whole.confidence) + bonus)
        return _proposal(whole, agreed, supporting, reading, "confirmed")
    if not whole.abstained and (answer == NOT_ANSWERABLE or whole.confidence > confidence):
        told = _proposal(whole, whole.confidence, [], reading, "conflict")
        said = f"All pages together give {whole.answer} rather than {answer}: {_said(whole.quotes[0])}"
        return told.model_copy(update={"action": "REVISE", "target_cell_id": cell, "content": said})
    if not spoken and whole.quotes:
        return _link(cell, f"another reading gives {whole.answer}:", whole.quotes[0], reading, "conflict")
    stands = {"answer": answer, "confidence": confidence, "supporting_cells": list(dict.fromkeys(supporting))}
    stands["view"] = ViewReply(page=theirs["view"]["page"])
    return _action("HYPOTHESIZE", f"No other reading is surer than {answer}.", "confirmed", **stands)


def _elsewhere(reading: Reading) -> list[Place]:
    """Places whose node no cell names, best first."""
    noted = {cell["details"].get("node_id") for cell in reading.board} - {None}
    return [place for place in reading.places if place.passage.node_id not in noted]


def _last_proposal(reading: Reading) -> dict[str, Any] | None:
    """The last cell of another agent with an answer that nobody corrected."""
    # General knowledge: a tag of the board.
    corrected = {cell["details"].get("target_cell_id") for cell in reading.board if "correction" in cell["tags"]}
    others = [cell for cell in reading.board if cell["author"] != reading.role and cell["id"] not in corrected]
    return next((cell for cell in reversed(others) if cell["details"].get("answer")), None)


def _proposal(
    found: ReadingAnswer, confidence: float, supporting: Sequence[int], reading: Reading, tag: str
) -> ActionReply:
    """HYPOTHESIZE what was read, carried by the cells that name a quote's node, else by those on its page."""
    nodes, pages = {quote.node_id for quote in found.quotes}, {quote.page for quote in found.quotes}
    same = [cell["id"] for cell in reading.board if cell["details"].get("node_id") in nodes - {None}]
    beside = [cell["id"] for cell in reading.board if cell["view"]["page"] in pages][:MAX_SUPPORTING_CELLS]
    cells = [*supporting, *(same or beside)]
    told = {"answer": found.answer, "confidence": round(confidence, 3), "supporting_cells": list(dict.fromkeys(cells))}
    where = {} if found.abstained else _quoted(found.quotes, reading)
    return _action("HYPOTHESIZE", found.answer_long, tag, **told, **where)


def _link(cell: int, why: str, quote: Quote, reading: Reading, tag: str) -> ActionReply:
    return _action("LINK", f"{why} {_said(quote)}", tag, target_cell_id=cell, **_quoted([quote], reading))


def _action(name: str, content: str, tag: str, **more: Any) -> ActionReply:
    return ActionReply.model_validate({"action": name, "content": content, "tags": [tag], **more})


def _said(quote: Quote) -> str:
    return f"page {quote.page}, “{first_words(quote.text, MAX_CITED_CHARACTERS)}”"


def _quoted(quotes: Sequence[Quote], reading: Reading) -> dict[str, Any]:
    """View, quote and node of the first quote on the shown pages, and the further ones; nothing without any."""
    shown = [quote for quote in quotes if quote.page in reading.page_numbers]
    places = [PlaceReply(page=each.page, quote=each.text, node_id=each.node_id) for each in shown]
    if not places:
        return {}
    first = {"view": ViewReply(page=places[0].page), "quote": places[0].quote or None, "node_id": places[0].node_id}
    return {**first, "further_quotes": places[1:] or None}
