"""Method against method, run against run: which questions flip, and at which stage the wrong side fell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from cosee.artifacts.files import safe_name
from cosee.artifacts.results.comparison import DIRECTIONS, Direction, Flip, MethodComparison
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.evaluation.flips import Answers, answers_of, compare_answers
from cosee.report.causes import CAUSES
from cosee.report.details import shortened
from cosee.report.node_names import SEVERAL
from cosee.report.site import Site
from cosee.report.thresholds import ANSWER_CHARACTERS, QUOTE_CHARACTERS
from cosee.report.views import RunView

INDEX = "compare/pairs.html"
HEADINGS: dict[Direction, str] = {
    "right_to_wrong": "only {first} has right",
    "wrong_to_right": "only {second} has right",
}


def write_all(site: Site) -> None:
    """Write a page for each pair of methods of a run, one for each method that two runs share, and their index."""
    runs = site.content.runs
    # With one method there is nothing to compare, and the results of all questions need not be known.
    several = len(runs) > 1 or any(len(run.results) > 1 for run in runs)
    answers = {
        run.name: list(answers_of(run.name, run.all_results() if several else run.results, run.settings).values())
        for run in runs
    }
    blocks = []
    for heading, pairs in _blocks(runs, answers):
        made = [(first, second, compare_answers(first, second, EvaluateSettings())) for first, second in pairs]
        made = [each for each in made if each[2].questions]
        for first, second, comparison in made:
            _write(site, first, second, comparison, [(one, other) for one, other, _ in made])
        if made:
            blocks.append({"heading": heading, "pairs": [_row(*each) for each in made]})
    site.page(INDEX, "compare_index.html", blocks=blocks)


def path_of(first: Answers, second: Answers) -> str:
    """Where the page of a pair is, below the site."""
    runs = "--".join(dict.fromkeys(safe_name(side.run) for side in (first, second)))
    return f"compare/{runs}/{safe_name(first.method)}--{safe_name(second.method)}.html"


def _blocks(
    runs: Sequence[RunView], answers: dict[str, list[Answers]]
) -> Iterator[tuple[str, list[tuple[Answers, Answers]]]]:
    for run in runs:
        yield f"Methods of {run.name}", list(combinations(answers[run.name], 2))
    for one, other in combinations(runs, 2):
        second = {side.method: side for side in answers[other.name]}
        pairs = [(side, second[side.method]) for side in answers[one.name] if side.method in second]
        yield f"{one.name} against {other.name}", pairs


def _row(first: Answers, second: Answers, made: MethodComparison) -> dict[str, Any]:
    """A line of the index; its links start at the folder of the index."""
    return {
        "href": path_of(first, second).removeprefix("compare/"),
        "first": first.method,
        "second": second.method,
        "made": made,
        "flips": [sum(flip.direction == each for flip in made.flips) for each in DIRECTIONS],
    }


def _write(
    site: Site, first: Answers, second: Answers, made: MethodComparison, pairs: Sequence[tuple[Answers, Answers]]
) -> None:
    path = path_of(first, second)
    root = "../" * path.count("/")
    names = _names(first, second)
    causes = [cause for cause in CAUSES if cause in made.first.causes or cause in made.second.causes]
    site.page(
        path,
        "compare.html",
        index=root + INDEX,
        names=names,
        made=made,
        causes=[
            {
                "kind": cause,
                "words": CAUSES[cause],
                "counts": [
                    made.first.causes.get(cause, 0),
                    made.second.causes.get(cause, 0),
                    *(made.faults[direction].get(cause, 0) for direction in DIRECTIONS),
                ],
            }
            for cause in causes
        ],
        groups=[
            {
                "direction": direction,
                "heading": HEADINGS[direction].format(first=names[0], second=names[1]),
                "flips": [_flip(site, first, second, each, root) for each in made.flips if each.direction == direction],
            }
            for direction in DIRECTIONS
        ],
        others=[
            {"href": root + path_of(one, other), "words": " against ".join(_names(one, other))}
            for one, other in pairs
            if _is_near(first, second, one, other)
        ],
    )


def _is_near(first: Answers, second: Answers, one: Answers, other: Answers) -> bool:
    """Whether another pair has a side in common with this one; between two runs every other pair counts."""
    common = sum(side is mine for side in (one, other) for mine in (first, second))
    return common == 1 or (common == 0 and first.run != second.run)


def _names(first: Answers, second: Answers) -> tuple[str, str]:
    """What the sides are called: by method in one run, by run where the method is the same."""
    if first.run == second.run:
        return first.method, second.method
    return first.name, second.name


def _flip(site: Site, first: Answers, second: Answers, flip: Flip, root: str) -> dict[str, Any]:
    def side(answers: Answers, name: str, given: str) -> dict[str, str]:
        page = site.question_path(answers.run, flip.dataset, flip.question_id)
        return {
            "name": name,
            "href": f"{root}{page}#{site.anchor(answers.method)}",
            "answer": shortened(given, ANSWER_CHARACTERS),
        }

    names = _names(first, second)
    return {
        "question": shortened(flip.question, QUOTE_CHARACTERS),
        "document": flip.doc_id or SEVERAL,
        "question_id": flip.question_id,
        "gold": shortened(flip.gold, ANSWER_CHARACTERS),
        "sides": [side(first, names[0], flip.first.answer), side(second, names[1], flip.second.answer)],
        "cause": flip.fault.cause,
        "words": CAUSES[flip.fault.cause],
        "proven": flip.fault.proven,
        "because": flip.fault.because,
    }
