"""Headings of the tree against bookmark trees and tag trees.

The truth is what the author wrote as bookmarks (``outline/truth``) or tags (``tagged/truth``). A bookmark counts when
its title is printed on its page (``title_on_page``). A heading of the tree agrees with a bookmark when both are on the
same page and their titles are equal: letters and digits only, case and compatibility forms folded, with or without
their numbers, or at most a tenth of the characters different. Every bookmark and every heading agrees at most once.

A heading that repeats a bookmark which does not count (title printed on a neighbouring page, say) is left out. Every
other heading without a bookmark is a false one: that is the strict F1, a lower bound, because bookmarks leave out many
printed headings (a report may list its chapters alone). ``..._judged`` leaves out what bookmarks cannot judge: headings
below a bookmark that has no bookmarks below it, since there the author stopped listing, and what stands before the
first bookmark that was found (title, abstract). An aim near 1 can be read on the judged figure only.

Levels are compared after one shift for the whole document (-1, 0 or 1, the one with which most levels agree), so that
a document's title above everything, or a root bookmark that is printed nowhere, does not make every level wrong.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.common import f1, mean, progress
from benchmarks.doctree_read import Measured, Sources
from cosee.artifacts import files
from cosee.artifacts.documents.doctree import DocTree

NEAR = 0.9
"""Smallest share of equal characters (1 - edit distance / longer length) of titles that count as the same."""
_NUMBER = re.compile(
    r"\d{1,3}(?:\.\d{1,3})+\.?(?=[^\W\d_])"
    r"|(?:(?:chapter|section|part|appendix|annex|article|item|kapitel|abschnitt|teil|anhang|chapitre|partie|annexe"
    r"|capítulo|sección|parte|anexo|apéndice|apêndice|seção|capitolo|sezione|appendice|allegato)\s+)?"
    r"(?:\d{1,3}(?:[.-]\d{1,3})*(?:[a-z](?=[.):]))?|[ivxlc]+|[a-z](?:[.-]\d{1,3})*)"
    r"(?:[.):\u2013\u2014-]*\s+|[.):\u2013\u2014-]+(?=\D))",
    re.IGNORECASE,
)
Counts = dict[str, int]


@dataclass(frozen=True)
class Title:
    """A heading, of the truth or of the tree. Pages count from 1, levels from 1."""

    text: str
    page: int
    level: int
    counts: bool = True
    """For the truth: whether it must be found."""


@dataclass
class Comparison:
    """Headings of one document against its truth: pairs of (truth, found), and what has no partner."""

    pairs: list[tuple[Title, Title]]
    missed: list[Title]
    extra: list[Title]
    unjudged: list[Title]
    """Extra headings that only the strict F1 counts as false."""
    shift: int
    counts: Counts = field(default_factory=dict)

    def __post_init__(self) -> None:
        levels = sum(1 for truth, found in self.pairs if found.level - self.shift == truth.level)
        wanted, found = len(self.pairs) + len(self.missed), len(self.pairs) + len(self.extra)
        self.counts = {
            "matched": len(self.pairs),
            "levels": levels,
            "wanted": wanted,
            "found": found,
            "judged": found - len(self.unjudged),
        }


def fold(text: str) -> str:
    """Letters, marks and digits of a title, case and compatibility forms folded."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if unicodedata.category(char)[0] in "LMN")


def without_number(text: str) -> str:
    """``fold`` of a title without the number before it (``1.2 Methods``, ``Chapter 3: Use``, ``B. Rules``)."""
    plain = unicodedata.normalize("NFKC", text).strip()
    found = _NUMBER.match(plain)
    return fold(plain[found.end() :] if found else plain) or fold(plain)


def compare(truth: Sequence[Title], headings: Sequence[Title]) -> Comparison:
    """Pair the headings of one document with its truth."""
    partner: dict[int, int] = {}
    free = set(range(len(truth)))
    for same in (_same_text, _same_without_number, _near):
        for number, heading in enumerate(headings):
            if number in partner:
                continue
            fits = (n for n in sorted(free) if truth[n].page == heading.page and same(truth[n].text, heading.text))
            match = next(fits, None)
            if match is not None:
                partner[number] = match
                free.discard(match)
    pairs = [(truth[n], headings[number]) for number, n in sorted(partner.items()) if truth[n].counts]
    spare = [title for title in truth if not title.counts]
    extra = [
        heading
        for number, heading in enumerate(headings)
        if number not in partner and not any(_elsewhere(title, heading) for title in spare)
    ]
    shift = _shift(pairs)
    unjudged = _unjudged(truth, headings, partner)
    missed = [truth[n] for n in sorted(free) if truth[n].counts]
    return Comparison(pairs, missed, extra, [each for each in extra if id(each) in unjudged], shift)


def _unjudged(truth: Sequence[Title], headings: Sequence[Title], partner: Mapping[int, int]) -> set[int]:
    """Which headings without a partner stand before all bookmarks or below one that has none below it."""
    levels = [title.level for title in truth]
    leaf = [after <= level for level, after in zip(levels, [*levels[1:], 0], strict=True)]
    open_sections: list[int] = []
    unjudged: set[int] = set()
    seen = False
    for number, heading in enumerate(headings):
        while open_sections and headings[open_sections[-1]].level >= heading.level:
            open_sections.pop()
        seen = seen or number in partner
        if number not in partner:
            parent = open_sections[-1] if open_sections else None
            below = parent is not None and (
                leaf[partner[parent]] if parent in partner else id(headings[parent]) in unjudged
            )
            if below or not seen:
                unjudged.add(id(heading))
        open_sections.append(number)
    return unjudged


def _same_text(first: str, second: str) -> bool:
    return fold(first) == fold(second) != ""


def _same_without_number(first: str, second: str) -> bool:
    return without_number(first) == without_number(second) != ""


def _near(first: str, second: str) -> bool:
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.normalized_similarity(without_number(first), without_number(second), score_cutoff=NEAR) >= NEAR


def _elsewhere(title: Title, heading: Title) -> bool:
    return abs(title.page - heading.page) <= 1 and _same_without_number(title.text, heading.text)


def _shift(pairs: Sequence[tuple[Title, Title]]) -> int:
    agreeing = {shift: sum(1 for truth, found in pairs if found.level - shift == truth.level) for shift in (0, 1, -1)}
    return max(agreeing, key=lambda shift: agreeing[shift])


def headings_of(tree: DocTree) -> list[Title]:
    """The sections of a tree in reading order."""
    return [Title(node.title or node.text, node.page_idx + 1, node.level) for node in tree.of_type("section")]


def read_outline(path: Path) -> list[Title]:
    """The bookmarks of a truth file."""
    return [
        Title(row["title"], row["page"] or 0, row["level"], row["title_on_page"] is True)
        for row in files.read_json(path)["outline"]
        if fold(row["title"])
    ]


def read_tags(path: Path) -> list[Title]:
    """The headings of a tag tree; a plain ``H`` is taken as level 1."""
    rows = files.read_json(path)["headings"]
    return [Title(row["text"], row["page"], int(row["tag"][1:] or 1)) for row in rows if fold(row["text"])]


def read_truth(
    sources: Sources, path: Path, read: Callable[[Path], Sequence[Title]]
) -> tuple[list[Title], Path | None]:
    """The headings of a truth file that stand on a page (none where none counts), and its PDF where it is there."""
    truth = [title for title in read(path) if title.page > 0]
    pdf = sources.document(path.parents[1], files.read_json(path)["pdf"])
    return (truth if any(title.counts for title in truth) else []), pdf


def measure_document(
    sources: Sources, truth: Sequence[Title], pdf: Path, *, without_structure: bool
) -> tuple[Comparison, str | None]:
    """The headings that are found in one document against its truth, and why it could not be read."""
    result = sources.read(pdf, without_structure=without_structure)
    return compare(truth, headings_of(result.tree) if result.tree else []), result.failure


def measure(sources: Sources) -> Measured:
    """Bookmark trees without and with bookmarks in the file, and tag trees without either."""
    measured = Measured()
    groups = (
        ("outline", "heading_f1_{}", True, read_outline),
        ("outline", "heading_f1_{}_with_outline", False, read_outline),
        ("tagged", "heading_f1_{}_tags", True, read_tags),
    )
    for folder, name, without_structure, read in groups:
        paths = sources.chosen((sources.parse / folder / "truth").glob("*.json"))
        rows: list[tuple[str, Counts]] = []
        documents: dict[str, Any] = {}
        for number, path in enumerate(paths, start=1):
            progress(name.format("title"), number, len(paths), path.stem)
            truth, pdf = read_truth(sources, path, read)
            if not truth:
                continue
            if pdf is None:
                measured.missing[f"{name.format('title')}: {path.stem}"] = "its PDF is absent"
                continue
            comparison, failure = measure_document(sources, truth, pdf, without_structure=without_structure)
            rows.append((path.stem, comparison.counts))
            documents[path.stem] = describe(comparison) | {"failure": failure}
        progress("", 0, 0, "")
        if not rows:
            measured.missing[name.format("*")] = f"no truth in {folder}/truth"
            continue
        _add(measured, name, rows)
        measured.detail[name.format("title")] = documents
    return measured


def scores(counts: Counts) -> dict[str, float]:
    """The F1 figures of one document, or of the summed counts of several."""
    return {
        "title": f1(counts["matched"], counts["found"], counts["wanted"]),
        "level": f1(counts["levels"], counts["found"], counts["wanted"]),
        "title_judged": f1(counts["matched"], counts["judged"], counts["wanted"]),
        "level_judged": f1(counts["levels"], counts["judged"], counts["wanted"]),
    }


def _add(measured: Measured, name: str, rows: Sequence[tuple[str, Counts]]) -> None:
    """Figures of one group: means over documents, and over all headings (``_micro``)."""
    by_document = [scores(counts) for _, counts in rows]
    total = {key: sum(counts[key] for _, counts in rows) for key in rows[0][1]}
    for key, value in scores(total).items():
        average = mean([each[key] for each in by_document])
        assert average is not None
        measured.figures |= {name.format(key): average, name.format(key) + "_micro": value}
    columns = ("title", "level", "title_judged", "level_judged", "wanted", "found", "matched", "levels")
    table: list[list[str | float | int | None]] = [
        [document, *(each.get(column, counts.get(column)) for column in columns)]
        for (document, counts), each in zip(rows, by_document, strict=True)
    ]
    measured.tables.append((name.format("title"), ("document", *columns), table))


def describe(comparison: Comparison) -> dict[str, Any]:
    """What a person needs to see what went wrong in one document."""
    unjudged = set(map(id, comparison.unjudged))
    return {
        **comparison.counts,
        **scores(comparison.counts),
        "shift": comparison.shift,
        "missed": [_row(title) for title in comparison.missed],
        "extra": [_row(title) for title in comparison.extra if id(title) not in unjudged],
        "extra_unjudged": [_row(title) for title in comparison.unjudged],
        "wrong_level": [
            {**_row(truth), "found_level": found.level - comparison.shift}
            for truth, found in comparison.pairs
            if found.level - comparison.shift != truth.level
        ],
    }


def _row(title: Title) -> dict[str, Any]:
    return {"page": title.page, "level": title.level, "title": title.text}
