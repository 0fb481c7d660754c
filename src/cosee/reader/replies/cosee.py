"""CoSee's roles without a model: one action a turn over the blocks of the request.

The scanner goes down the pages as they were retrieved and notes the best place of the next one. The detail reader reads
the noted pages. The cross-checker reads all pages: it agrees, ties the place that says otherwise to the note, or
corrects the note where all pages are surer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from cosee.agents.cosee.schemas import ActionReply, PlaceReply, ViewReply
from cosee.agents.short_answer import answer_key
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.reader.embedded import HandlerRegistry, Reading
from cosee.reader.evidence import Place
from cosee.reader.passages import Quote, ReadingAnswer

REGISTRY = HandlerRegistry()

ALONE_AT_MOST = 0.75
"""Confidence that one reading can reach: below the usual threshold, so that a second reading has to agree."""
AGREEMENT_BONUS = 0.1
NARROW_PAGES = 2
"""Pages that the detail reader reads at least: those noted, then the best ones."""
QUOTE_LIMIT = 240
_KINDS = {"table": "table", "image": "figure", "section": "section"}


@REGISTRY.register(ActionReply)
def act(reading: Reading) -> ActionReply:
    """The turn of the request's role; a role of another name reads like the detail reader."""
    if reading.role == "scanner":
        return scan(reading)
    return check(reading) if reading.role == "cross_checker" else read_detail(reading)


def scan(reading: Reading) -> ActionReply:
    """INSPECT the best place of the best page that no cell names; after the last page, the best place left."""
    noted = {cell["view"]["page"] for cell in reading.board}
    by_page: dict[int, Place] = {}
    for place in reading.places:
        by_page.setdefault(place.passage.page, place)
    fresh = [by_page[page] for page in reading.page_numbers if page in by_page and page not in noted]
    fresh = fresh or _elsewhere(reading)
    if not fresh:
        return ActionReply(
            action="INSPECT",
            content="No further place on the shown pages shares words with the question.",
            view=ViewReply(page=(reading.page_numbers or [1])[0]),
            tags=["text"],
        )
    place = fresh[0]
    return ActionReply(
        action="INSPECT",
        content=f"{_name(place)}: {_cut(place.as_quote.text, 160)}",
        tags=[_KINDS.get(place.passage.type, "text")],
        **_at(place),
    )


def read_detail(reading: Reading) -> ActionReply:
    """Read what the board names and propose it; in the first turn an abstention is only said.

    A value once noted is read again where it was read, with the page of what corrects it.
    """
    read = next((cell for cell in _own(reading) if cell.get("details", {}).get("answer")), None)
    cells = [cell for cell in reading.board if read is None or cell["id"] <= read["id"]
             or cell.get("details", {}).get("target_cell_id") == read["id"]]  # fmt: skip
    noted = dict.fromkeys(cell["view"]["page"] for cell in cells)
    best = [page for page in reading.page_numbers if page not in noted]
    found = reading.answer([*noted, *best[: max(0, NARROW_PAGES - len(noted))]])
    if found.abstained and not _own(reading):
        said = "The noted places do not give the value that is asked for."
        return ActionReply(action="INSPECT", content=said, tags=["field"], **_quoted(found, reading))
    return _proposal(found, min(found.confidence, ALONE_AT_MOST), [], reading, _value_tag(found.answer))


def check(reading: Reading) -> ActionReply:
    """Read all pages and hold the reading against the last one on the board: agree, tie to it what differs, correct."""
    whole = reading.answer()
    whole = whole.with_confidence(min(whole.confidence, ALONE_AT_MOST))
    theirs = _last_proposal(reading)
    mine = _own(reading)
    if theirs is None:
        others = _elsewhere(reading)
        if whole.abstained and not mine and reading.board and others:
            return _link(reading.board[-1]["id"], f"also look at {_name(others[0])}", "check", _at(others[0]))
        return _proposal(whole, whole.confidence, [], reading, "check")
    said, cell = theirs["details"], int(theirs["id"])
    answer, confidence = str(said["answer"]), float(said.get("confidence") or 0.0)
    if answer_key(answer) == answer_key(whole.answer):
        agreed = min(1.0, max(confidence, whole.confidence) + AGREEMENT_BONUS)
        return _proposal(whole, agreed, [cell, *said.get("supporting_cells", ())], reading, "confirmed")
    quote = _cut(whole.quotes[0].text if whole.quotes else whole.answer_long, 160)
    if not whole.abstained and (answer == NOT_ANSWERABLE or whole.confidence > confidence):
        return ActionReply(
            action="REVISE",
            target_cell_id=cell,
            content=f"All pages together give {whole.answer} rather than {answer}: “{quote}”",
            answer=whole.answer,
            confidence=round(whole.confidence, 3),
            supporting_cells=_cells_at(reading, whole.quotes),
            tags=["conflict"],
            **_quoted(whole, reading),
        )
    if not mine:
        content = f"another reading differs: “{quote}” would give {whole.answer}"
        return _link(cell, content, "conflict", _quoted(whole, reading))
    return ActionReply(
        action="HYPOTHESIZE",
        content=f"No other reading is surer than {answer}.",
        answer=answer,
        confidence=confidence,
        supporting_cells=list(dict.fromkeys([cell, *said.get("supporting_cells", ())])),
        tags=["confirmed"],
        view=ViewReply(page=theirs["view"]["page"]),
    )


def _own(reading: Reading) -> list[dict[str, Any]]:
    return [cell for cell in reading.board if cell.get("author") == reading.role]


def _elsewhere(reading: Reading) -> list[Place]:
    """Places whose node no cell names, best first."""
    noted = {cell["details"]["node_id"] for cell in reading.board if cell.get("details", {}).get("node_id")}
    return [place for place in reading.places if place.passage.node_id not in noted]


def _last_proposal(reading: Reading) -> dict[str, Any] | None:
    """The last cell of another agent with an answer that nobody corrected."""
    corrected = {
        cell["details"].get("target_cell_id") for cell in reading.board if "correction" in cell.get("tags", [])
    }
    answered = [cell for cell in reading.board if cell.get("details", {}).get("answer") and cell["id"] not in corrected]
    return next((cell for cell in reversed(answered) if cell.get("author") != reading.role), None)


def _cells_at(reading: Reading, quotes: Sequence[Quote]) -> list[int]:
    """Ids of the cells that name a quote's node, else of those on its page."""
    nodes = {quote.node_id for quote in quotes if quote.node_id}
    same = [cell["id"] for cell in reading.board if cell.get("details", {}).get("node_id") in nodes]
    pages = {quote.page for quote in quotes}
    return same or [cell["id"] for cell in reading.board if cell["view"]["page"] in pages][:2]


def _proposal(
    found: ReadingAnswer, confidence: float, supporting: Sequence[int], reading: Reading, tag: str
) -> ActionReply:
    return ActionReply(
        action="HYPOTHESIZE",
        content=found.answer_long or found.answer,
        answer=found.answer,
        confidence=round(confidence, 3),
        supporting_cells=list(dict.fromkeys([*supporting, *_cells_at(reading, found.quotes)])),
        tags=[tag],
        **({} if found.abstained else _quoted(found, reading)),
    )


def _link(target: int, content: str, tag: str, where: dict[str, Any]) -> ActionReply:
    return ActionReply(action="LINK", target_cell_id=int(target), content=content, tags=[tag], **where)


def _name(place: Place) -> str:
    """The place as a person would name it."""
    name = place.passage.label or _KINDS.get(place.passage.type, "text").capitalize()
    under = f" under “{place.passage.path[-1]}”" if place.passage.path else ""
    return f"{name} on page {place.passage.page}{under}"


def _at(place: Place) -> dict[str, Any]:
    """View, quote and node of a place."""
    quote = place.as_quote
    return {"view": ViewReply(page=quote.page), "quote": _cut(quote.text, QUOTE_LIMIT), "node_id": quote.node_id}


def _quoted(found: ReadingAnswer, reading: Reading) -> dict[str, Any]:
    """View, quote and node of a reading's first quote on the shown pages, and its further ones; nothing without any."""
    shown = [quote for quote in found.quotes if quote.page in reading.page_numbers]
    if not shown:
        return {}
    first, *others = shown
    further = [PlaceReply(page=each.page, quote=_cut(each.text, QUOTE_LIMIT), node_id=each.node_id) for each in others]
    return {
        "view": ViewReply(page=first.page),
        "quote": _cut(first.text, QUOTE_LIMIT) or None,
        "node_id": first.node_id,
        "further_quotes": further or None,
    }


def _value_tag(answer: str) -> str:
    return "number" if re.search(r"\d", answer) else "field"


def _cut(text: str, limit: int) -> str:
    """The first words of ``text``, on one line, whole words only."""
    plain = " ".join(text.split())
    return plain if len(plain) <= limit else plain[: limit + 1].rsplit(" ", 1)[0][:limit]
