"""One question's result: its prediction joined with every score."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.results.evidence_check import EvidenceCheck
from cosee.artifacts.results.judgement import Judgement
from cosee.artifacts.results.prediction import Prediction
from cosee.datasets.literals import read_list
from cosee.evaluation.evidence_checks import is_checked
from cosee.evaluation.retrieval_metrics import PageScores, score_citation, score_pages
from cosee.evaluation.scorers import accuracy, judge
from cosee.evaluation.scorers.official import published_scores
from cosee.evaluation.scorers.score import PublishedScore, Score
from cosee.registry import MEASURES, SCORERS, Entry


@dataclass(frozen=True, eq=False)
class QuestionResult:
    """One question under one method. Scores are absent where the question has no gold answer.

    Two of them are never equal, so that what is worked out about one can be remembered.
    """

    dataset: str
    question: Question
    prediction: Prediction | None
    status: str
    """The prediction's status, or ``missing``."""
    abstained: bool
    answered: bool
    """An answer that is no abstention; failed and missing ones are neither."""
    scores: dict[str, Score] = field(default_factory=dict)
    """``accuracy`` and each measure -> score."""
    published: list[PublishedScore] = field(default_factory=list)
    judgement: Judgement | None = None
    """The judge's word, where a judge was asked."""
    evidence_asked: bool = False
    """Whether a model was asked about the evidence of this run's answers."""
    evidence: EvidenceCheck | None = None
    """What it answered, where there is an answer."""
    pages: PageScores | None = None
    cited: tuple[float, float, float] | None = None
    """Precision, recall, F1 of the cited pages."""
    text: str = ""
    """The answer that is scored: one line, an abstention in its one spelling, empty where there is none."""

    @property
    def answer(self) -> str:
        """The answer as it was given, an abstention in its one spelling; empty where there is none."""
        usable = is_usable(self.prediction)
        return accuracy.final_answer(self.prediction) if usable and self.prediction is not None else ""

    @property
    def scored(self) -> bool:
        """Whether the question counts in scores."""
        return "accuracy" in self.scores

    @property
    def value(self) -> float:
        """The accuracy score."""
        return self.scores["accuracy"].value


def registered() -> tuple[Sequence[Entry], Sequence[Entry]]:
    """All measures and published scorers, in their order."""
    return MEASURES.entries(), SCORERS.entries()


def join(
    questions: Iterable[tuple[str, Question]],
    predictions: Iterable[Prediction],
    recall_at: Sequence[int],
    judgements: Mapping[tuple[str, str], Judgement] | None = None,
    checks: Mapping[tuple[str, str], EvidenceCheck] | None = None,
) -> tuple[list[QuestionResult], list[str]]:
    """Every (dataset, question) with its prediction scored, and notes on predictions that do not fit.

    A question without a prediction gives a ``missing`` result; the last of several predictions counts. ``judgements``,
    by (dataset, question_id), is what a judge says of the answers, None where no judge was asked; ``checks`` the same
    of what a model answers from their evidence.

    Raises:
        ValueError: a judge was asked, and an answer that it should have judged is not among its judgements; or the
            same of the checks.
    """
    wanted = list(questions)
    known = {(dataset, question.question_id) for dataset, question in wanted}
    found: dict[tuple[str, str], Prediction] = {}
    doubles = strangers = 0
    for prediction in predictions:
        key = (prediction.dataset, prediction.question_id)
        doubles += key in found
        strangers += key not in known
        found[key] = prediction
    entries = registered()
    results = [
        score_question(
            dataset, question, found.get((dataset, question.question_id)), recall_at, judgements, checks, entries
        )
        for dataset, question in wanted
    ]
    notes = []
    if doubles:
        notes.append(f"{doubles} predictions repeat a question; the last one counts")
    if strangers:
        notes.append(f"{strangers} predictions belong to no question of the datasets and are left out")
    return results, notes


def score_question(
    dataset: str,
    question: Question,
    prediction: Prediction | None,
    recall_at: Sequence[int],
    judgements: Mapping[tuple[str, str], Judgement] | None = None,
    checks: Mapping[tuple[str, str], EvidenceCheck] | None = None,
    entries: tuple[Sequence[Entry], Sequence[Entry]] | None = None,
) -> QuestionResult:
    """Score one question; a failed or missing answer is 0 by every scorer. See ``join`` for ``judgements`` and
    ``checks``; ``entries``: what ``registered`` gives, for a caller with many questions.
    """
    measures, scorers = entries or registered()
    usable = prediction if is_usable(prediction) else None
    answer = accuracy.final_answer(usable) if usable else ""
    abstained = answer == NOT_ANSWERABLE
    scores: dict[str, Score] = {}
    published: list[PublishedScore] = []
    judgement = None
    if question.answer not in (None, "", []):
        scores = {"accuracy": accuracy.score(question, prediction)}
        given = usable.answer if usable else ""
        published = published_scores(question, given, answer, cited_pages(usable), scorers)
        if judgements is not None and judge.is_judged(question):
            judgement = _judgement(dataset, question, judgements) if usable else None
            said = judge.score(judgement) if judgement else Score(0.0, f"{judge.NAME}@{judge.VERSION}", "")
            published.append(PublishedScore("accuracy", said))
            if judgement is not None and question.answer_format == "FreeText":
                scores["accuracy"] = said
        if not usable:
            published = [score.zero("no answer") for score in published]
    pages: PageScores | None = None
    cited: tuple[float, float, float] | None = None
    if question.evidence_pages and not question.unanswerable:
        any_of = question.evidence_mode == "any"
        pages = score_pages(usable.ranked if usable else [], question.gold_pages, recall_at, any_of=any_of)
        cited = (0.0, 0.0, 0.0)
        if usable:
            cited = score_citation(usable.cited, question.gold_pages, any_of=any_of)
    result = QuestionResult(
        dataset=dataset,
        question=question,
        prediction=prediction,
        status=prediction.status if prediction is not None else "missing",
        abstained=abstained,
        answered=not abstained and bool(answer.strip()),
        scores=scores,
        published=published,
        judgement=judgement,
        evidence_asked=checks is not None,
        evidence=_check(dataset, question, checks) if checks is not None and is_checked(prediction) else None,
        pages=pages,
        cited=cited,
        text=as_text(answer),
    )
    result.scores.update(_measured(result, measures))
    return result


def _measured(result: QuestionResult, measures: Sequence[Entry]) -> dict[str, Score]:
    """What the measures say of a result."""
    found: dict[str, Score] = {}
    for entry in measures:
        try:
            value = entry.thing(result)
        except Exception as error:
            where = f"question {result.question.question_id!r} of {result.dataset!r}"
            raise ValueError(f"measure {entry.name!r} fails on {where}: {type(error).__name__}: {error}") from error
        if value is not None:
            score = value if isinstance(value, Score) else Score(float(value), f"{entry.name}@{entry.version}", "")
            if not math.isfinite(score.value):
                raise ValueError(f"measure {entry.name!r} gives {score.value!r}, which is no number")
            found[entry.name] = score
    return found


def cited_pages(prediction: Prediction | None) -> list[int]:
    """The pages that an answer cites, each once, in the order of its support."""
    return [] if prediction is None else list(dict.fromkeys(support.page for support in prediction.support))


def is_usable(prediction: Prediction | None) -> bool:
    """Whether there is an answer to score: a failed or skipped row has none."""
    return prediction is not None and prediction.status in ("ok", "partial")


def _judgement(dataset: str, question: Question, judgements: Mapping[tuple[str, str], Judgement]) -> Judgement:
    found = judgements.get((dataset, question.question_id))
    if found is None:
        raise ValueError(f"the answer to {question.question_id!r} of {dataset!r} was not judged; redo with '-R judge'")
    return found


def _check(dataset: str, question: Question, checks: Mapping[tuple[str, str], EvidenceCheck]) -> EvidenceCheck:
    found = checks.get((dataset, question.question_id))
    if found is None:
        where = f"{question.question_id!r} of {dataset!r}"
        raise ValueError(f"the evidence of the answer to {where} was not checked; redo with '-R evidence'")
    return found


def gold_texts(question: Question) -> list[str]:
    """The gold answer and its alternatives as text; none where the question has no gold answer."""
    if question.answer in (None, "", []):
        return []
    if question.unanswerable:
        return [NOT_ANSWERABLE]
    return [as_text(gold) for gold in [question.answer, *question.answer_alt] if gold not in (None, "", [])]


def as_text(value: str | list[str] | None) -> str:
    """A list as ``a, b``, whether it is a list or its text."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if value and value.startswith("["):
        try:
            return ", ".join(map(str, read_list(value)))
        except ValueError:
            return value
    return value or ""
