"""CoSee's roles without a model: text skills over the blocks of the request, one action a turn.

The scanner names the best place that is not on the board yet. The detail reader reads only the pages that the board
names. The cross-checker reads all the evidence by itself and holds the two readings
against each other: it agrees, ties the note to the place that says otherwise, or corrects it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cosee.agents.cosee.schemas import ActionReply, ViewReply
from cosee.agents.short_answer import answer_key
from cosee.artifacts.questions import NOT_ANSWERABLE
from cosee.models.embedded import HandlerRegistry, Reading
from cosee.models.skills.nodes import Passage, Quote, ReadingAnswer
from cosee.models.skills.question import analyse
from cosee.models.skills.rank import coverage, rank
from cosee.models.skills.text import sentences

REGISTRY = HandlerRegistry()

ALONE_AT_MOST = 0.75
"""Confidence that one reading can reach: below the usual threshold, so that a second reading has to agree."""
PROPOSES_FROM = 0.35
"""Confidence from which the detail reader proposes what it reads at once; a weaker value is noted first."""
AGREEMENT_BONUS = 0.1
CLEARLY_BETTER = 0.05
"""Lead in confidence from which the cross-checker corrects a reading instead of linking it to its own."""
DOUBTFUL = 0.42
"""Confidence below which two readings that still differ after another look are no answer: none of them was right in
ten such questions, while readings that agree at this confidence are right in half of them."""
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
    """INSPECT the best place that no cell names."""
    noted = _noted_nodes(reading)
    fresh = [place for place in places(reading) if place.passage.node_id not in noted]
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
    from cosee.models.skills.answer import read

    found = read(reading.question, _on_noted_pages(reading) or reading.passages)
    mine = [cell for cell in reading.board if cell.get("author") == reading.role]
    supporting = _cells_at(reading, found.quotes)
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
    return _proposal(found, min(found.confidence, ALONE_AT_MOST), supporting, reading, [_value_tag(found.answer)])


def check(reading: Reading) -> ActionReply:
    """Read everything and hold it against the last reading on the board."""
    whole = reading.answer()
    proposed = _last_proposal(reading)
    first_turn = not any(cell.get("author") == reading.role for cell in reading.board)
    if proposed is None:
        target = reading.board[-1]["id"] if reading.board else None
        elsewhere = [place for place in places(reading) if place.passage.node_id not in _noted_nodes(reading)]
        if whole.abstained and first_turn and target is not None and elsewhere:
            return _link(target, f"also look at {elsewhere[0].words}", ["check"], _at(elsewhere[0]))
        return _proposal(
            whole, min(whole.confidence, ALONE_AT_MOST), _cells_at(reading, whole.quotes), reading, ["check"]
        )
    said = proposed["details"]
    theirs, confidence = str(said["answer"]), float(said.get("confidence") or 0.0)
    cells = [int(proposed["id"]), *said.get("supporting_cells", []), *_cells_at(reading, whole.quotes)]
    if answer_key(theirs) == answer_key(whole.answer):
        second = _second_place(reading, theirs, {said.get("node_id"), *(quote.node_id for quote in whole.quotes)})
        if second is not None and first_turn and said.get("action") == "INSPECT":
            return _link(proposed["id"], f"{second.words} says the same: {theirs}", ["confirmed"], _at(second))
        agreed = min(1.0, max(confidence, whole.confidence) + AGREEMENT_BONUS + (AGREEMENT_BONUS if second else 0.0))
        return _proposal(whole, agreed, cells, reading, ["confirmed"])
    if not first_turn and not whole.abstained and max(whole.confidence, confidence) < DOUBTFUL:
        return ActionReply(
            action="HYPOTHESIZE",
            content=f"The noted pages give {theirs}, all pages together {whole.answer}, and neither surely.",
            answer=NOT_ANSWERABLE,
            confidence=ALONE_AT_MOST,
            supporting_cells=list(dict.fromkeys(cells[:1])),
            tags=["conflict"],
        )
    if whole.confidence >= confidence + CLEARLY_BETTER or not first_turn:
        return ActionReply(
            action="REVISE",
            target_cell_id=int(proposed["id"]),
            content=f"All pages together give {whole.answer} rather than {theirs}: “{_cut(_first_quote(whole), 160)}”",
            answer=whole.answer,
            confidence=round(min(whole.confidence, ALONE_AT_MOST), 3),
            supporting_cells=list(dict.fromkeys(cells[1:])),
            tags=["conflict"],
            **_quoted(whole, reading),
        )
    where = f"“{_cut(_first_quote(whole), 120)}” would give {whole.answer}"
    return _link(proposed["id"], f"another reading differs: {where}", ["conflict"], _quoted(whole, reading))


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
    parts = passage.text.splitlines() if passage.rows else sentences(passage.text)
    return [*caption, *(part.strip() for part in parts if part.strip())]


def _on_noted_pages(reading: Reading) -> list[Passage]:
    """The passages of the pages that cells name."""
    pages = {cell["view"]["page"] for cell in reading.board}
    return [passage for passage in reading.passages if passage.page in pages]


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
    if not key or len(key) > 80:
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
    """View, quote and node of a reading's first quote; nothing where it has none on the shown pages."""
    quote = next((quote for quote in found.quotes if quote.page in reading.page_numbers), None)
    if quote is None:
        return {}
    words = _cut(quote.text, QUOTE_LIMIT)
    return {"view": ViewReply(page=quote.page), "quote": words or None, "node_id": quote.node_id}


def _first_quote(found: ReadingAnswer) -> str:
    return found.quotes[0].text if found.quotes else found.answer_long


def _value_tag(answer: str) -> str:
    return "number" if re.search(r"\d", answer) else "field"


def _cut(text: str, limit: int) -> str:
    """The first words of ``text``, on one line, whole words only."""
    plain = " ".join(text.split())
    return plain if len(plain) <= limit else plain[: limit + 1].rsplit(" ", 1)[0][:limit]
