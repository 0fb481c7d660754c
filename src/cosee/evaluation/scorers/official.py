"""Which published scorers apply to a question, and their scores."""

from __future__ import annotations

from cosee.artifacts.questions import NOT_ANSWERABLE, Question
from cosee.evaluation.scorers import accuracy, core, free_text, longdocurl, mmlongbench_v1, mp_docvqa, slidevqa
from cosee.evaluation.scorers.score import Score

SCORERS = (accuracy, core, free_text, mmlongbench_v1, longdocurl, mp_docvqa, slidevqa)
_LONGDOCURL_FORMATS = {"Int": "Integer", "Float": "Float", "Str": "String", "List": "List", "None": "None"}


def catalogue() -> dict[str, str]:
    """Scorer name -> version and source, for provenance."""
    return {scorer.NAME: f"version {scorer.VERSION}; {scorer.CITATION}" for scorer in SCORERS}


def published_scores(question: Question, answer: str) -> list[Score]:
    """The published scores of an answer: MMLongBench-Doc's for its formats, and the question's own benchmark's.

    ``answer`` is the final answer with the abstention's one spelling; no other normalisation is applied.
    """
    gold, kind = question.answer, question.answer_format
    if gold is None or kind is None:
        return []
    scores = []
    if kind in mmlongbench_v1.FORMATS:
        scores.append(mmlongbench_v1.score(gold, answer, kind))
    source = question.source_dataset.lower().replace("-", "").replace("_", "")
    golds = [str(gold), *map(str, question.answer_alt)]
    if source.startswith("longdocurl") and kind in _LONGDOCURL_FORMATS:
        scores.append(longdocurl.score(gold, answer, _LONGDOCURL_FORMATS[kind]))
    elif source.startswith("mpdocvqa"):
        plain = "none" if answer == NOT_ANSWERABLE else answer
        scores.append(mp_docvqa.anls(golds, plain, answerable=kind != "None"))
    elif source.startswith("slidevqa"):
        scores.append(slidevqa.f1(str(gold), answer, question.question))
    return scores
