"""CoSee's roles without a model: text skills over the blocks of the request, one action a turn.

The scanner goes down the pages as they were retrieved and names the best place of the next one. The detail reader
reads the pages that the board names and few others, so that its first reading is that of the best pages. The
cross-checker reads all pages and holds the two readings against each other: it agrees, ties the place that says
otherwise to the note, or corrects it where all pages are clearly surer; else the narrower reading stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cosee.agents.cosee.schemas import ActionReply, PlaceReply, ViewReply
from cosee.agents.short_answer import answer_key
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.reader.embedded import HandlerRegistry, Reading
from cosee.reader.skills.answer import read
from cosee.reader.skills.nodes import Passage, Quote, ReadingAnswer
from cosee.reader.skills.question import analyse
from cosee.reader.skills.rank import coverage, rank
from cosee.text.sentences import split_sentences

REGISTRY = HandlerRegistry()

ALONE_AT_MOST = 0.75
"""Confidence that one reading can reach: below the usual threshold, so that a second reading has to agree."""
PROPOSES_FROM = 0.25
"""Confidence from which the detail reader proposes what it reads at once; a weaker value is noted first."""
AGREEMENT_BONUS = 0.1
CLEARLY_BETTER = 0.02
"""Lead in confidence from which the cross-checker corrects a reading instead of linking it to its own."""
NARROW_PAGES = 2
"""Pages that the detail reader reads at least: those noted, then the best ones."""
TELLING_FROM = 3
"""Characters from which an answer in another place confirms it: a 0, a 12 or a no stands in many."""
QUOTE_LIMIT = 240
_KINDS = {"table": "table", "image": "figure", "section": "section"}


@REGISTRY.register(ActionReply)
def act(reading: Reading) -> ActionReply:
    """The turn of the request's role; a role of another name reads like the detail reader."""
    if reading.role == "scanner":
        return scan(reading)
    return check(reading) if reading.role == "cross_checker" else read_detail(reading)


@dataclass(frozen=True)
class Place:
    """A passage and the words of it that fit the question best."""

    passage: Passage
    quote: str
    score: float

    @property
    def words(self) -> str:
        """The place as a person would name it."""
        kind = {"table": "Table", "image": "Figure", "section": "Section"}.get(self.passage.type, "Text")
        name = self.passage.label or kind
        where = f" under “{self.passage.path[-1]}”" if self.passage.path else ""
        return f"{name} on page {self.passage.page}{where}"


def scan(reading: Reading) -> ActionReply:
    """INSPECT the best place of the best page that no cell names; after the last page, the best place left."""
    known, found = _noted_pages(reading), places(reading)
    by_page = {page: [place for place in found if place.passage.page == page] for page in reading.page_numbers}
    fresh = [by_page[page][0] for page in reading.page_numbers if page not in known and by_page[page]]
    fresh = fresh or [place for place in found if place.passage.node_id not in _noted_nodes(reading)]
    if not fresh:
        page = (reading.page_numbers or [1])[0]
        return ActionReply(
            action="INSPECT",
            content="No further place on the shown pages shares words with the question.",
            view=ViewReply(page=page),
            tags=["text"],
        )
    place = fresh[0]
    return ActionReply(
        action="INSPECT",
        content=f"{place.words}: {_cut(place.quote, 160)}",
        tags=[_KINDS.get(place.passage.type, "text")],
        confidence=round(min(1.0, place.score), 3),
        **_at(place),
    )


def read_detail(reading: Reading) -> ActionReply:
    """Read what the board names: a strong value is proposed, a weak one noted first, none at all said so."""
    found = read(reading.question, _passages_to_read(reading))
    mine = [cell for cell in reading.board if cell.get("author") == reading.role]
    if found.abstained and not mine:
        return ActionReply(
            action="INSPECT",
            content="The noted places do not give the value that is asked for.",
            tags=["field"],
            **_quoted(found, reading),
        )
    if not found.abstained and not mine and found.confidence < PROPOSES_FROM:
        return ActionReply(
            action="INSPECT",
            content=f"Possible value {found.answer}: “{_cut(_first_quote(found), 160)}”",
            answer=found.answer,
            confidence=found.confidence,
            tags=[_value_tag(found.answer)],
            **_quoted(found, reading),
        )
    supporting = _cells_at(reading, found.quotes)
    return _proposal(found, min(found.confidence, ALONE_AT_MOST), supporting, reading, [_value_tag(found.answer)])


def check(reading: Reading) -> ActionReply:
    """Read all pages and hold the reading against the last one on the board: agree, tie to it what differs, correct."""
    whole = reading.answer()
    whole = whole.with_confidence(min(whole.confidence, ALONE_AT_MOST))
    proposed = _last_proposal(reading)
    mine = [cell for cell in reading.board if cell.get("author") == reading.role]
    if proposed is None:
        elsewhere = [place for place in places(reading) if place.passage.node_id not in _noted_nodes(reading)]
        if whole.abstained and not mine and reading.board and elsewhere:
            where = f"also look at {elsewhere[0].words}"
            return _link(reading.board[-1]["id"], where, ["check"], _at(elsewhere[0]))
        return _proposal(whole, whole.confidence, _cells_at(reading, whole.quotes), reading, ["check"])
    theirs = _Proposal.of(proposed)
    if answer_key(theirs.answer) == answer_key(whole.answer):
        return _agree(reading, whole, theirs, may_wait=not mine)
    if not whole.abstained and _stands_against(whole, theirs, mine):
        return _correct(reading, whole, theirs)
    if not mine:
        where = f"“{_cut(_first_quote(whole), 120)}” would give {whole.answer}"
        return _link(theirs.cell, f"another reading differs: {where}", ["conflict"], _quoted(whole, reading))
    return ActionReply(
        action="HYPOTHESIZE",
        content=f"No other reading is surer than {theirs.answer}.",
        answer=theirs.answer,
        confidence=theirs.confidence,
        supporting_cells=list(dict.fromkeys([theirs.cell, *theirs.supporting])),
        tags=["confirmed"],
        view=ViewReply(page=theirs.page),
    )


@dataclass(frozen=True)
class _Proposal:
    """Another agent's cell that holds an answer."""

    cell: int
    page: int
    answer: str
    confidence: float
    node_id: str | None
    is_note: bool
    supporting: tuple[int, ...]

    @classmethod
    def of(cls, cell: dict[str, Any]) -> _Proposal:
        said = cell["details"]
        return cls(
            int(cell["id"]),
            int(cell["view"]["page"]),
            str(said["answer"]),
            float(said.get("confidence") or 0.0),
            said.get("node_id"),
            said.get("action") == "INSPECT",
            tuple(said.get("supporting_cells", ())),
        )


def _stands_against(whole: ReadingAnswer, theirs: _Proposal, mine: Sequence[dict[str, Any]]) -> bool:
    """Whether the reading of all pages corrects another: what was read first yields to what is clearly surer only.

    That a few pages hold no answer says nothing against one that stands on others.
    """
    if theirs.answer == NOT_ANSWERABLE:
        return True
    first = next((cell["id"] for cell in mine if cell.get("details", {}).get("answer")), None)
    if first is not None and first < theirs.cell:
        return theirs.confidence < whole.confidence + CLEARLY_BETTER
    return whole.confidence >= theirs.confidence + CLEARLY_BETTER


def _agree(reading: Reading, whole: ReadingAnswer, theirs: _Proposal, *, may_wait: bool) -> ActionReply:
    """HYPOTHESIZE what both readings give; where it is only noted yet, LINK it to a second place first."""
    second = _second_place(reading, theirs.answer, {theirs.node_id, *(quote.node_id for quote in whole.quotes)})
    if second is not None and may_wait and theirs.is_note:
        return _link(theirs.cell, f"{second.words} says the same: {theirs.answer}", ["confirmed"], _at(second))
    agreed = max(theirs.confidence, whole.confidence) + AGREEMENT_BONUS + (AGREEMENT_BONUS if second else 0.0)
    cells = [theirs.cell, *theirs.supporting, *_cells_at(reading, whole.quotes)]
    return _proposal(whole, min(1.0, agreed), cells, reading, ["confirmed"])


def _correct(reading: Reading, whole: ReadingAnswer, theirs: _Proposal) -> ActionReply:
    """REVISE a reading to a surer one of all pages."""
    quote = _cut(_first_quote(whole), 160)
    return ActionReply(
        action="REVISE",
        target_cell_id=theirs.cell,
        content=f"All pages together give {whole.answer} rather than {theirs.answer}: “{quote}”",
        answer=whole.answer,
        confidence=round(whole.confidence, 3),
        supporting_cells=_cells_at(reading, whole.quotes),
        tags=["conflict"],
        **_quoted(whole, reading),
    )


def places(reading: Reading) -> list[Place]:
    """Passages with words of the question, best first, each with its best sentence or row."""
    asked = analyse(reading.question)
    found = []
    for passage, score in rank(asked, reading.passages):
        if score <= 0 or passage.type in ("document", "toc"):
            continue
        lines = own_lines(passage)
        if lines:
            best = max(lines, key=lambda line: coverage(asked, line))
            found.append(Place(passage, _cut(best, QUOTE_LIMIT), score))
    return [place for place in found if place.passage.type != "section"] or found


def own_lines(passage: Passage) -> list[str]:
    """A passage's caption, and its rows or sentences, as they stand in the document."""
    caption = [passage.title] if passage.title and passage.title not in passage.text else []
    parts = passage.text.splitlines() if passage.rows else split_sentences(passage.text)
    return [*caption, *(part.strip() for part in parts if part.strip())]


def _passages_to_read(reading: Reading) -> list[Passage]:
    """The passages of the pages that the detail reader is to read: those noted, and the best until there are enough.

    A value once noted is read again where it was read, with the page of what corrects it. What is counted over a
    document, or of it, stands on no single page.
    """
    if analyse(reading.question).structure:
        return reading.passages
    mine = next((cell for cell in reading.board if cell.get("author") == reading.role), None)
    cells = reading.board
    if mine is not None and mine.get("details", {}).get("answer"):
        cells = [
            cell
            for cell in reading.board
            if cell["id"] <= mine["id"]
            or ("correction" in cell.get("tags", []) and cell["details"].get("target_cell_id") == mine["id"])
        ]
    noted = dict.fromkeys(cell["view"]["page"] for cell in cells)
    best = [page for page in reading.page_numbers if page not in noted]
    pages = {*noted, *best[: max(0, NARROW_PAGES - len(noted))]}
    return [passage for passage in reading.passages if passage.page in pages] or reading.passages


def _noted_pages(reading: Reading) -> set[int]:
    return {cell["view"]["page"] for cell in reading.board}


def _noted_nodes(reading: Reading) -> set[str]:
    return {cell["details"]["node_id"] for cell in reading.board if cell.get("details", {}).get("node_id")}


def _last_proposal(reading: Reading) -> dict[str, Any] | None:
    """The last cell of another agent with an answer that nobody corrected."""
    corrected = {
        cell["details"].get("target_cell_id") for cell in reading.board if "correction" in cell.get("tags", [])
    }
    answered = [cell for cell in reading.board if cell.get("details", {}).get("answer") and cell["id"] not in corrected]
    return next((cell for cell in reversed(answered) if cell.get("author") != reading.role), None)


def _second_place(reading: Reading, answer: str, known: set[str | None]) -> Place | None:
    """Another place, of words that fit the question, that holds the answer as such."""
    key = answer_key(answer)
    if not TELLING_FROM <= len(key) <= 80:
        return None
    holds = re.compile(rf"(?<![\w.,]){re.escape(key)}(?![\w%]|[.,]\d)")
    for place in places(reading)[:10]:
        if place.passage.node_id not in known and holds.search(answer_key(place.quote)):
            return place
    return None


def _cells_at(reading: Reading, quotes: Sequence[Quote]) -> list[int]:
    """Ids of the cells that name a quote's node, else of those on its page."""
    nodes = {quote.node_id for quote in quotes if quote.node_id}
    same = [cell["id"] for cell in reading.board if cell.get("details", {}).get("node_id") in nodes]
    pages = {quote.page for quote in quotes}
    return same or [cell["id"] for cell in reading.board if cell["view"]["page"] in pages][:2]


def _proposal(
    found: ReadingAnswer, confidence: float, supporting: Sequence[int], reading: Reading, tags: list[str]
) -> ActionReply:
    return ActionReply(
        action="HYPOTHESIZE",
        content=found.answer_long or found.answer,
        answer=found.answer,
        confidence=round(confidence, 3),
        supporting_cells=list(dict.fromkeys(supporting)),
        tags=tags,
        **({} if found.abstained else _quoted(found, reading)),
    )


def _link(target: int, content: str, tags: list[str], where: dict[str, Any]) -> ActionReply:
    return ActionReply(action="LINK", target_cell_id=int(target), content=content, tags=tags, **where)


def _at(place: Place) -> dict[str, Any]:
    """View, quote and node of a place."""
    return {"view": ViewReply(page=place.passage.page), "quote": place.quote, "node_id": place.passage.node_id}


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


def _first_quote(found: ReadingAnswer) -> str:
    return found.quotes[0].text if found.quotes else found.answer_long


def _value_tag(answer: str) -> str:
    return "number" if re.search(r"\d", answer) else "field"


def _cut(text: str, limit: int) -> str:
    """The first words of ``text``, on one line, whole words only."""
    plain = " ".join(text.split())
    return plain if len(plain) <= limit else plain[: limit + 1].rsplit(" ", 1)[0][:limit]
