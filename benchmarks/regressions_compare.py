"""Measured figures against accepted ones: what fell, what rose, and what accepting them writes.

An entry of an accepted file is ``{"<figure>": number, ..., "questions": n, "failure": why, "reason": why, "from":
{"<figure>": number}}``; all but the figures only where they apply. ``failure`` is why a document could not be measured
when it was accepted; ``reason`` and ``from`` stand where a fall was accepted: why, and what the figure was before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

TOLERANCE = 0.02
"""A figure that is lower by more than this fell."""
FEWEST_QUESTIONS = 10
"""Documents with fewer questions cannot fall in figures that are means over questions."""
DIGITS = 4
Entry = dict[str, Any]
_BESIDE = frozenset(("questions", "failure", "reason", "from"))


@dataclass(frozen=True)
class Result:
    """What was measured of one document in one part."""

    figures: Mapping[str, float]
    questions: int | None = None
    """Over how many questions the figures are means; None where they are not."""
    failure: str | None = None
    """Why the document could not be measured; its figures are then 0 or absent."""


@dataclass(frozen=True)
class Fall:
    """One figure that is below what it was."""

    document: str
    figure: str
    accepted: float
    now: float | None
    best: float
    """What it was before an accepted fall, else ``accepted``."""
    explained: bool
    """A reason was accepted for it, and it has not fallen since."""
    why: str
    """The accepted reason or why the document could not be measured; empty where nobody has said."""


@dataclass
class Few:
    """Documents with too few questions to fall, together: how many, their questions, and sums over these."""

    documents: int = 0
    questions: int = 0
    accepted: float = 0.0
    now: float = 0.0

    def add(self, questions: int, accepted: float, now: float) -> None:
        """One document more."""
        self.documents, self.questions = self.documents + 1, self.questions + questions
        self.accepted, self.now = self.accepted + questions * accepted, self.now + questions * now

    @property
    def fell(self) -> bool:
        """Whether they would have fallen if they were one document."""
        questions = max(1, self.questions)
        return is_fall(self.accepted / questions, self.now / questions, self.questions)


@dataclass
class Comparison:
    """One part's documents against its accepted ones."""

    falls: list[Fall] = field(default_factory=list)
    rose: dict[str, float] = field(default_factory=dict)
    """Document -> by how much its figures rose, on the mean of those that did."""
    new: list[str] = field(default_factory=list)
    pairs: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    """Figure -> accepted and measured, one pair a document; 0 where it could not be measured."""
    few: dict[str, Few] = field(default_factory=dict)
    """Figure -> the documents that have too few questions to fall by themselves."""

    @property
    def fell(self) -> set[str]:
        """Documents that are below the best that was ever accepted of them."""
        return {fall.document for fall in self.falls}

    @property
    def unexplained(self) -> set[str]:
        """Those of them for which no reason was accepted."""
        return {fall.document for fall in self.falls if not fall.explained}


def figures_of(entry: Entry) -> dict[str, float]:
    """The figures of an accepted entry."""
    return {name: float(value) for name, value in entry.items() if name not in _BESIDE}


def has_few(questions: int | None) -> bool:
    """Whether figures are means over so few questions that they cannot fall."""
    return questions is not None and questions < FEWEST_QUESTIONS


def is_fall(before: float, now: float, questions: int | None) -> bool:
    """Whether a figure fell: by more than the tolerance and, for a mean over questions, by more than one of them."""
    lost = round(before - now, DIGITS)
    if lost <= TOLERANCE:
        return False
    rounding = 10**-DIGITS
    return questions is None or (not has_few(questions) and lost * questions > 1 + rounding * questions)


def falls(document: str, entry: Entry, result: Result) -> list[Fall]:
    """The figures of one document that fell; all of them where it could be measured before and cannot be now."""
    questions = entry.get("questions") if result.questions is None else result.questions
    before: dict[str, float] = entry.get("from", {})
    lost = result.failure is not None and "failure" not in entry
    found = []
    for figure, accepted in sorted(figures_of(entry).items()):
        now = result.figures.get(figure)
        best = before.get(figure, accepted)
        gone = now is None and "failure" not in entry
        below = lost or gone or is_fall(accepted, now or 0.0, questions)
        still_failing = result.failure is not None and figure in before
        if below or still_failing or is_fall(best, now or 0.0, questions):
            explained = "reason" in entry and not below
            why = entry["reason"] if explained else result.failure or ""
            found.append(Fall(document, figure, accepted, now, best, explained, why))
    return found


def compare(accepted: Mapping[str, Entry], measured: Mapping[str, Result]) -> Comparison:
    """Every measured document against its accepted entry."""
    comparison = Comparison()
    for document, result in sorted(measured.items()):
        if document not in accepted:
            comparison.new.append(document)
            continue
        entry = accepted[document]
        comparison.falls += falls(document, entry, result)
        gains = []
        for figure, before in figures_of(entry).items():
            now = result.figures.get(figure, 0.0)
            comparison.pairs.setdefault(figure, []).append((before, now))
            if has_few(result.questions):
                comparison.few.setdefault(figure, Few()).add(result.questions or 0, before, now)
            gains += [now - before] if now > before else []
        if gains:
            comparison.rose[document] = sum(gains) / len(gains)
    return comparison


def accepted_entry(document: str, entry: Entry | None, result: Result, reason: str | None) -> Entry:
    """What is accepted of a document from now on.

    A figure that fell within the tolerance stays at what it was, so that it cannot creep down unseen. One that cannot
    fall (few questions) becomes the measured one.
    """
    old, fallen = figures_of(entry or {}), {each.figure: each for each in falls(document, entry or {}, result)}
    few = has_few(result.questions)
    written: Entry = {}
    for figure in sorted({*old, *result.figures}):
        now = result.figures.get(figure, 0.0)
        lowered = figure in fallen and not fallen[figure].explained
        written[figure] = now if lowered or few else max(now, old.get(figure, now))
    questions = (entry or {}).get("questions") if result.questions is None else result.questions
    if questions is not None:
        written["questions"] = questions
    if result.failure is not None:
        written["failure"] = result.failure
    if fallen:
        unexplained = any(not each.explained for each in fallen.values())
        written["reason"] = reason if unexplained else (entry or {})["reason"]
        written["from"] = {figure: each.best for figure, each in fallen.items()}
    return written


def accept(
    accepted: Mapping[str, Entry],
    measured: Mapping[str, Result],
    reason: str | None,
    only: Collection[str] | None = None,
) -> dict[str, Entry]:
    """The accepted entries with those of the measured documents written anew; ``only`` leaves all others as they are.

    Raises:
        ValueError: some of them fell, and no reason is given; the message names them.
    """
    chosen = {document: result for document, result in measured.items() if only is None or document in only}
    fallen = sorted(compare(accepted, chosen).unexplained)
    if fallen and not reason:
        raise ValueError(f"{len(fallen)} fell and need a reason: {', '.join(fallen)}")
    written = {name: accepted_entry(name, accepted.get(name), result, reason) for name, result in chosen.items()}
    return {**accepted, **written}
