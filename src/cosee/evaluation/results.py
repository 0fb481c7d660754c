"""One question's result: its prediction joined with every score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cosee.artifacts.prediction import Prediction
from cosee.artifacts.questions import NOT_ANSWERABLE, Question
from cosee.datasets.literals import read_list
from cosee.evaluation.retrieval_metrics import PageScores, score_citation, score_pages
from cosee.evaluation.scorers import accuracy, core
from cosee.evaluation.scorers.official import published_scores
from cosee.evaluation.scorers.score import Score


@dataclass(frozen=True)
class QuestionResult:
    """One question under one method. Scores are absent where the question has no gold answer."""

    dataset: str
    question: Question
    prediction: Prediction | None
    status: str
    """The prediction's status, or ``missing``."""
    abstained: bool
    answered: bool
    """An answer that is no abstention; failed and missing ones are neither."""
    scores: dict[str, Score] = field(default_factory=dict)
    """``accuracy``, ``exact_match``, ``token_f1``, ``anls`` -> score."""
    published: list[Score] = field(default_factory=list)
    pages: PageScores | None = None
    cited: tuple[float, float, float] | None = None
    """Precision, recall, F1 of the cited pages."""

    @property
    def scored(self) -> bool:
        """Whether the question counts in scores."""
        return bool(self.scores)

    @property
    def value(self) -> float:
        """The accuracy score."""
        return self.scores["accuracy"].value


def join(
    questions: Iterable[tuple[str, Question]], predictions: Iterable[Prediction], recall_at: Sequence[int]
) -> tuple[list[QuestionResult], list[str]]:
    """Every (dataset, question) with its prediction scored, and notes on predictions that do not fit.

    A question without a prediction gives a ``missing`` result; the last of several predictions counts.
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
    results = [
        score_question(dataset, question, found.get((dataset, question.question_id)), recall_at)
        for dataset, question in wanted
    ]
    notes = []
    if doubles:
        notes.append(f"{doubles} predictions repeat a question; the last one counts")
    if strangers:
        notes.append(f"{strangers} predictions belong to no question of the datasets and are left out")
    return results, notes


def score_question(
    dataset: str, question: Question, prediction: Prediction | None, recall_at: Sequence[int]
) -> QuestionResult:
    """Score one question."""
    usable = prediction is not None and prediction.status in ("ok", "partial")
    answer = accuracy.final_answer(prediction) if prediction is not None and usable else ""
    abstained = usable and answer == NOT_ANSWERABLE
    scores: dict[str, Score] = {}
    published: list[Score] = []
    if question.answer not in (None, "", []):
        scores = {"accuracy": accuracy.score(question, prediction), **_core_scores(question, answer)}
        published = published_scores(question, answer) if usable else _zeros(published_scores(question, ""))
    pages, cited = None, None
    if question.evidence_pages and not question.unanswerable:
        any_of = question.evidence_mode == "any"
        ranked = prediction.retrieved_pages if prediction is not None and usable else []
        pages = score_pages(ranked, question.evidence_pages, recall_at, any_of=any_of)
        citing = cited_pages(prediction) if usable else []
        cited = score_citation(citing, question.evidence_pages, any_of=any_of)
        cited = cited if usable else (0.0, 0.0, 0.0)
    return QuestionResult(
        dataset=dataset,
        question=question,
        prediction=prediction,
        status=prediction.status if prediction is not None else "missing",
        abstained=abstained,
        answered=usable and not abstained and bool(answer.strip()),
        scores=scores,
        published=published,
        pages=pages,
        cited=cited,
    )


def cited_pages(prediction: Prediction | None) -> list[int]:
    """The pages that an answer cites, each once, in the order of its support."""
    return [] if prediction is None else list(dict.fromkeys(support.page for support in prediction.support))


def _zeros(scores: list[Score]) -> list[Score]:
    return [Score(0.0, score.scorer, "no answer") for score in scores]


def _core_scores(question: Question, answer: str) -> dict[str, Score]:
    golds = [_as_text(gold) for gold in [question.answer, *question.answer_alt] if gold not in (None, "", [])]
    if question.unanswerable:
        golds = [NOT_ANSWERABLE]
    text = _as_text(answer)
    name = f"{core.NAME}@{core.VERSION}"
    metrics = {"exact_match": core.exact_match, "token_f1": core.f1_score, "anls": core.anls}
    return {key: Score(metric(text, golds), name, key) for key, metric in metrics.items()}


def _as_text(value: str | list[str] | None) -> str:
    """A list as ``a, b``, whether it is a list or its text."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if value and value.startswith("["):
        try:
            return ", ".join(map(str, read_list(value)))
        except ValueError:
            return value
    return value or ""
