"""How often all pages that a question needs are given, against how many are given: a fixed number, and ``auto``.

Questions that need one page (or any one of several) and questions that need several are told apart here, by their gold
pages; the rule that chooses pages is not told which is which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from benchmarks.common import QaSet, print_table
from cosee.artifacts.datasets.questions import Question
from cosee.evaluation.retrieval_metrics import score_pages

FIXED = (1, 2, 3, 4, 5, 6, 8, 10)
AUTO = "auto"
READ = "read_"
"""Before the name of a rule: of the ranking in which a reranker read pages."""
Need = Literal["single", "multi"]
NEEDS: tuple[Need, ...] = ("single", "multi")
Given = dict[str, dict[str, list[int]]]
"""Question id -> ``k1``, ``k2`` ... ``auto``, and with a reranker ``read_k1`` ... -> the pages given, best first."""


def need_of(question: Question) -> Need:
    """Whether one page answers the question, or it takes several together."""
    several = question.evidence_mode != "any" and len(set(question.evidence_pages)) > 1
    return "multi" if several else "single"


def given_pages(ranked: Sequence[int], enough: int | None, ranking: str = "") -> dict[str, list[int]]:
    """The pages given by each fixed number, and by ``auto`` where it says how many are ``enough``; ``ranking`` is put
    before the names of the rules."""
    found = {f"{ranking}k{k}": list(ranked[:k]) for k in FIXED}
    return found if enough is None else {**found, f"{ranking}{AUTO}": list(ranked[:enough])}


def curve(qa: QaSet, given: Given) -> dict[str, float]:
    """``complete.<group>.<need>.<rule>`` and ``pages.<group>.<need>.<rule>``: the share of questions whose gold pages
    are all given (with evidence mode ``any``: one of them), and the mean number given. Groups are the source datasets
    and ``all``."""
    values: dict[str, list[float]] = {}
    for question in qa.questions:
        for rule, pages in given.get(question.question_id, {}).items():
            k = max(1, len(pages))
            any_of = question.evidence_mode == "any"
            complete = score_pages(pages, question.evidence_pages, [k], any_of=any_of).all_gold[k]
            for group in (question.source_dataset or "unknown", "all"):
                values.setdefault(f"complete.{group}.{need_of(question)}.{rule}", []).append(complete)
                values.setdefault(f"pages.{group}.{need_of(question)}.{rule}", []).append(len(pages))
    return {name: sum(each) / len(each) for name, each in values.items()}


def at_mean(figures: Mapping[str, float], need: Need, pages: float, ranking: str = "") -> float:
    """The share that a fixed number of the ranking would complete at a mean of ``pages``, between its numbers in
    proportion."""
    points = [
        (figures[f"pages.all.{need}.{ranking}k{k}"], figures[f"complete.all.{need}.{ranking}k{k}"]) for k in FIXED
    ]
    before = (0.0, 0.0)
    for point in points:
        if point[0] >= pages:
            width = point[0] - before[0]
            return before[1] + (point[1] - before[1]) * ((pages - before[0]) / width if width else 1.0)
        before = point
    return points[-1][1]


def print_curve(figures: Mapping[str, float]) -> None:
    """Tables for a person: every rule over all questions, and what ``auto`` is worth beside a fixed number."""
    rankings = [each for each in ("", READ) if f"pages.all.{NEEDS[0]}.{each}k1" in figures]
    rules = [f"{ranking}{rule}" for ranking in rankings for rule in (*(f"k{k}" for k in FIXED), AUTO)]
    rows: list[list[str | float | int | None]] = [
        [
            rule,
            *(figures.get(f"{name}.all.{need}.{rule}") for need in NEEDS for name in ("pages", "complete")),
        ]
        for rule in rules
    ]
    print("\nPages given, and the share of questions whose gold pages are all given")
    print_table(["pages", *(f"{need} {name}" for need in NEEDS for name in ("mean", "complete"))], rows)
    for need in NEEDS:
        for ranking in rankings:
            rule = f"{ranking}{AUTO}"
            mean, complete = (figures.get(f"{name}.all.{need}.{rule}") for name in ("pages", "complete"))
            for fixed in rankings if mean is not None and complete is not None else ():
                gain = complete - at_mean(figures, need, mean, fixed)
                print(f"{need}: {rule} less a fixed number ({fixed}k) at its mean of {mean:.2f} pages: {gain:+.3f}")
