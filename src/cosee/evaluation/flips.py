"""Two methods, of one run or two: the questions that flip, with the stage at fault for the wrong side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cosee.artifacts.datasets.names import page_name
from cosee.artifacts.results.comparison import (
    DIRECTIONS,
    Direction,
    Flip,
    MethodComparison,
    RunComparison,
    SettingDifference,
    Side,
    SideAnswer,
    Verdict,
)
from cosee.artifacts.results.metrics import Cause
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.artifacts.settings.modules import READING, Module
from cosee.evaluation.attribution import is_right, verdict
from cosee.evaluation.compare import compare
from cosee.evaluation.results import QuestionResult
from cosee.evaluation.summary import document_key, mean

LOST_PAGES: tuple[Cause, ...] = ("not_retrieved", "retrieved_not_read")
Key = tuple[str, str]
"""Dataset and question id."""


@dataclass(frozen=True)
class Answers:
    """One method's results in one run, and what is known beside them."""

    run: str
    method: str
    results: Sequence[QuestionResult]
    oracles: Mapping[Key, QuestionResult] = field(default_factory=dict)
    """Answers from the gold pages by the same model, which read them as this method does."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """The method's settings as the run recorded them."""

    @property
    def name(self) -> str:
        """``run:method``."""
        return f"{self.run}:{self.method}"

    @cached_property
    def by_key(self) -> dict[Key, QuestionResult]:
        """The scored questions that have a row in the run: a row is missing where the question came later."""
        return {key_of(each): each for each in self.results if each.scored and each.prediction is not None}

    @cached_property
    def verdicts(self) -> dict[Key, Verdict]:
        """What became of each of these questions."""
        return {key: verdict(result, self.oracles.get(key)) for key, result in self.by_key.items()}


def key_of(result: QuestionResult) -> Key:
    """What two runs know a question by."""
    return result.dataset, result.question.question_id


def answers_of(
    run: str, results: Mapping[str, Sequence[QuestionResult]], recorded: Mapping[str, Mapping[str, Any]]
) -> dict[str, Answers]:
    """The methods of a run, each with the answers from gold pages that read these pages as it does.

    ``recorded``: each method's settings, as far as the run recorded them.
    """
    gold = {name: oracles_of(rows) for name, rows in results.items()}
    return {
        name: Answers(
            run,
            name,
            rows,
            {
                key: result
                for other, found in gold.items()
                if modules_unread(recorded.get(other, {})) == modules_unread(recorded.get(name, {}))
                for key, result in found.items()
            },
            recorded.get(name, {}),
        )
        for name, rows in results.items()
    }


def modules_unread(settings: Mapping[str, Any]) -> list[Module]:
    """The modules of reading that a method's settings switch off."""
    off = settings.get("method", {}).get("without", [])
    return [module for module in sorted(READING) if module in off]


def oracles_of(results: Iterable[QuestionResult]) -> dict[Key, QuestionResult]:
    """The answers that were given the gold pages; questions without gold pages prove nothing."""
    return {
        key_of(result): result
        for result in results
        if result.scored
        and result.prediction is not None
        and result.prediction.uses_gold
        and result.question.evidence_pages
    }


def compare_answers(first: Answers, second: Answers, settings: EvaluateSettings) -> MethodComparison:
    """Compare on the questions that both sides have, with the same words and gold; there may be none."""
    common = [key for key in first.by_key if key in second.by_key]
    changed = [key for key in common if not _same_question(first.by_key[key], second.by_key[key])]
    shared = [key for key in common if key not in set(changed)]
    rows = [[side.by_key[key] for key in shared] for side in (first, second)]
    names = (first.name, second.name) if first.name != second.name else (first.name, f"{second.name} again")
    (paired,) = compare(dict(zip(names, rows, strict=True)), settings)
    verdicts = (_verdicts(first, second, shared), _verdicts(second, first, shared))
    flips = [flip for key in shared if (flip := _flip(first, second, key, verdicts)) is not None]
    return MethodComparison(
        first=_side(first, second, shared, verdicts[0]),
        second=_side(second, first, shared, verdicts[1]),
        questions=len(shared),
        documents=len({document_key(each) for each in rows[0]}),
        changed_questions=["/".join(key) for key in changed],
        settings=setting_differences(first.settings, second.settings),
        paired=paired,
        flips=flips,
        faults={direction: _counts(flips, direction) for direction in DIRECTIONS},
        notes=_notes(first, second, flips),
    )


def compare_runs(first: Sequence[Answers], second: Sequence[Answers], settings: EvaluateSettings) -> RunComparison:
    """One comparison for each pair of sides, in order; both have as many."""
    pairs = zip(first, second, strict=True)
    return RunComparison(comparisons=[compare_answers(one, other, settings) for one, other in pairs])


def setting_differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[SettingDifference]:
    """Settings in which two methods differ, by dotted name; their names and that of the run are none."""
    one, other = flat_settings(first), flat_settings(second)
    return [
        SettingDifference(setting=name, first=one.get(name), second=other.get(name))
        for name in sorted(one.keys() | other.keys())
        if one.get(name) != other.get(name) and name not in ("run", "method.name")
    ]


def flat_settings(value: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Nested settings as dotted name -> value in words; what is not set is left out."""
    flat: dict[str, str] = {}
    for key, item in value.items():
        if isinstance(item, Mapping):
            flat |= flat_settings(item, f"{prefix}{key}.")
        elif item is not None:
            flat[f"{prefix}{key}"] = str(item)
    return flat


def _same_question(first: QuestionResult, second: QuestionResult) -> bool:
    fields = ("doc_id", "doc_ids", "question", "answer", "answer_alt", "answer_format")
    return all(getattr(first.question, name) == getattr(second.question, name) for name in fields)


def _verdicts(side: Answers, other: Answers, shared: Sequence[Key]) -> dict[Key, Verdict]:
    """What became of each shared question, knowing the other side's answer too.

    A right answer of the other side swaps in its pages: where all that it cites were read here as well, the pages were
    enough, whatever the gold pages say, and the reading was at fault.
    """
    found = {}
    for key in shared:
        found[key] = side.verdicts[key]
        right, mine = other.by_key[key], side.by_key[key].prediction
        cited = right.prediction.cited if right.prediction is not None else []
        read = mine.read if mine is not None else None
        if found[key].cause in LOST_PAGES and is_right(right) and cited and read and set(cited) <= set(read):
            seen = found[key].because.partition(";")[0]
            pages = ", ".join(page_name(*page) for page in cited)
            because = f"{seen}; but the other side answers right from page {pages}, read here too"
            found[key] = Verdict(cause="read_not_reasoned", proven=True, because=because)
    return found


def _flip(
    first: Answers, second: Answers, key: Key, verdicts: tuple[Mapping[Key, Verdict], Mapping[Key, Verdict]]
) -> Flip | None:
    one, other = first.by_key[key], second.by_key[key]
    if is_right(one) == is_right(other):
        return None
    question = one.question
    gold = question.answer
    return Flip(
        dataset=one.dataset,
        question_id=question.question_id,
        doc_id=question.doc_id,
        question=question.question,
        gold="; ".join(map(str, gold)) if isinstance(gold, list) else str(gold),
        direction="right_to_wrong" if is_right(one) else "wrong_to_right",
        first=_answer(one),
        second=_answer(other),
        fault=verdicts[is_right(one)][key],
    )


def _answer(result: QuestionResult) -> SideAnswer:
    answer = result.prediction.answer if result.prediction is not None else ""
    return SideAnswer(answer=answer, score=round(result.value, 6))


def _side(side: Answers, other: Answers, shared: Sequence[Key], verdicts: Mapping[Key, Verdict]) -> Side:
    rows = [side.by_key[key] for key in shared]
    models = {f"{row.prediction.model}@{row.prediction.model_revision}" for row in rows if row.prediction is not None}
    causes: Counter[Cause] = Counter(verdicts[key].cause for key in shared)
    return Side(
        run=side.run,
        method=side.method,
        models=sorted(models),
        accuracy=mean(row.value for row in rows),
        causes=dict(sorted(causes.items())),
        only=sum(key not in other.by_key for key in side.by_key),
    )


def _counts(flips: Sequence[Flip], direction: Direction) -> dict[Cause, int]:
    counts: Counter[Cause] = Counter(flip.fault.cause for flip in flips if flip.direction == direction)
    return dict(sorted(counts.items()))


def _notes(first: Answers, second: Answers, flips: Sequence[Flip]) -> list[str]:
    """What a reader must know before trusting the verdicts."""
    notes = []
    unproven = sum(not flip.fault.proven for flip in flips)
    if unproven:
        notes.append(f"{unproven} of {len(flips)} flips have a stage at fault that no swap proves")
    for side in dict.fromkeys((first.name, second.name)):
        oracles = next(each.oracles for each in (first, second) if each.name == side)
        if flips and not oracles:
            notes.append(
                f"nothing answered from the gold pages for {side}: add the method oracle_pages (without what this one "
                "does not read), or use --swap"
            )
    return notes
