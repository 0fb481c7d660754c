"""Which published scorers apply to a question, and their measures: strict, after our normalisation, and corrected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.datasets.answer_format import infer_format
from cosee.evaluation.scorers import (
    accuracy,
    core,
    free_text,
    judge,
    longdocurl,
    mmlongbench_v1,
    mp_docvqa,
    slidevqa,
)
from cosee.evaluation.scorers.normalisation import normalise
from cosee.evaluation.scorers.score import Score

SCORERS = (accuracy, core, free_text, mmlongbench_v1, judge, longdocurl, mp_docvqa, slidevqa)
VARIANTS = ("strict", "normalised", "corrected")
ORIGINAL_GOLD = "_original_gold"
"""Behind the name of a measure that scores against the gold before published corrections."""
_LONGDOCURL_FORMATS = {"Int": "Integer", "Float": "Float", "List": "List", "None": "None"}
"""Our format -> its name there; all others are a ``String``."""


@dataclass(frozen=True)
class PublishedScore:
    """One measure of one published scorer for one answer. A variant that does not differ in kind is None."""

    measure: str
    strict: Score
    normalised: Score | None = None
    corrected: Score | None = None

    @property
    def name(self) -> str:
        """``<scorer>@<version> <measure>``."""
        return f"{self.strict.scorer} {self.measure}"

    def zero(self, reason: str) -> PublishedScore:
        """The same measure of an answer that is not there."""

        def gone(score: Score | None) -> Score | None:
            return None if score is None else replace(score, value=0.0, rule=reason)

        return PublishedScore(
            self.measure, Score(0.0, self.strict.scorer, reason), gone(self.normalised), gone(self.corrected)
        )


def catalogue() -> dict[str, str]:
    """Scorer name -> version and source, for provenance."""
    return {scorer.NAME: f"version {scorer.VERSION}; {scorer.CITATION}" for scorer in SCORERS}


def benchmark_of(question: Question) -> str:
    """The question's benchmark in lower case without separators, e.g. ``mpdocvqa``."""
    return question.source_dataset.lower().replace("-", "").replace("_", "").replace(" ", "")


def published_scores(
    question: Question, answer: str, final: str | None = None, cited: Sequence[int] = ()
) -> list[PublishedScore]:
    """MMLongBench-Doc's score for its formats, and the measures of the question's own benchmark.

    A question whose gold was corrected after its publication is scored against both.

    ``answer`` is what the method gave, for the strict scores; ``final`` the abstention's one spelling where it
    abstained, by default ``answer``; ``cited`` the 1-based pages that it cites, in order.
    """
    final = answer if final is None else final
    gold, kind = question.answer, question.answer_format
    if gold is None or gold in ("", []):
        return []
    scores = _mmlongbench(question, answer, final, "accuracy")
    if question.original is not None:
        scores += _mmlongbench(question.before_corrections(), answer, final, f"accuracy{ORIGINAL_GOLD}")
    source = benchmark_of(question)
    if source.startswith("longdocurl"):
        scores.append(_longdocurl(gold, answer, final, kind or infer_format(gold)))
    elif source.startswith("mpdocvqa"):
        scores += _mp_docvqa(question, answer, final, cited)
    elif source.startswith("slidevqa"):
        scores += _slidevqa(question, answer, final, cited)
    return scores


def _mmlongbench(question: Question, answer: str, final: str, measure: str) -> list[PublishedScore]:
    gold, kind = question.answer, question.answer_format
    if gold is None or kind not in mmlongbench_v1.FORMATS:
        return []
    strict = mmlongbench_v1.score(gold, answer, kind)
    normalised = mmlongbench_v1.score(normalise(gold, kind), normalise(final, kind), kind)
    return [PublishedScore(measure, strict, normalised, accuracy.score_text(question, final))]


def _longdocurl(gold: str | list[str], answer: str, final: str, kind: str) -> PublishedScore:
    own = _LONGDOCURL_FORMATS.get(kind, "String")
    plain_gold, plain = (normalise(text, kind, scale_words=False) for text in (gold, final))
    form = kind if kind == "List" else "Str"  # the corrected comparison reads percent signs and scale words itself
    return PublishedScore(
        "accuracy",
        longdocurl.score(gold, answer, own),
        longdocurl.score(plain_gold, plain, own),
        longdocurl.corrected(normalise(gold, form), normalise(final, form), own),
    )


def _mp_docvqa(question: Question, answer: str, final: str, cited: Sequence[int]) -> list[PublishedScore]:
    golds = [str(gold) for gold in [question.answer, *question.answer_alt]]
    answerable = not question.unanswerable
    # An abstention has one spelling in our answers; the benchmark's own is "none".
    strict = "none" if answer == NOT_ANSWERABLE else answer
    plain = normalise(final, "Str", abstention="none")
    pairs: list[tuple[str, Callable[..., Score], Callable[..., Score]]] = [
        ("anls", mp_docvqa.anls, mp_docvqa.corrected_anls),
        ("accuracy", mp_docvqa.accuracy, mp_docvqa.corrected_accuracy),
    ]
    scores = [
        PublishedScore(
            measure,
            published(golds, strict, answerable=answerable),
            published(golds, plain, answerable=answerable),
            mended(golds, plain, answerable=answerable),
        )
        for measure, published, mended in pairs
    ]
    if question.evidence_pages:
        page = cited[0] - 1 if cited else None
        scores.append(PublishedScore("page_accuracy", mp_docvqa.page_accuracy(question.evidence_pages[0] - 1, page)))
    return scores


def _slidevqa(question: Question, answer: str, final: str, cited: Sequence[int]) -> list[PublishedScore]:
    gold, asked = str(question.answer), question.question
    plain = normalise(final, "Str")
    scores = [
        PublishedScore(
            "f1",
            slidevqa.f1(gold, answer, asked),
            slidevqa.f1(gold, plain, asked),
            slidevqa.corrected(gold, plain, asked),
        ),
        PublishedScore(
            "exact_match",
            slidevqa.exact_match(gold, answer, asked),
            slidevqa.exact_match(gold, plain, asked),
            slidevqa.corrected(gold, plain, asked, exact=True),
        ),
    ]
    if question.evidence_pages:
        pages = sorted(set(cited))
        scores += [
            PublishedScore("evidence_f1", slidevqa.evidence_f1(question.evidence_pages, pages)),
            PublishedScore("evidence_exact_match", slidevqa.evidence_exact_match(question.evidence_pages, pages)),
            PublishedScore(
                "joint_f1",
                slidevqa.joint_f1(gold, answer, asked, question.evidence_pages, pages),
                slidevqa.joint_f1(gold, plain, asked, question.evidence_pages, pages),
                slidevqa.joint_f1(gold, plain, asked, question.evidence_pages, pages, mended=True),
            ),
        ]
    return scores
