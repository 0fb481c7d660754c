"""How well each method answers: the pipeline's own stages over a folder of questions, scored as ``evaluate`` does.

``python -m benchmarks.answers --qa DIR --json OUT``. A question whose document or answer failed scores 0 and stays in
every mean. Beside the methods stands the constant answer 'Not answerable'; which pages are found says
``benchmarks.retrieval``. ``calls`` and ``tokens`` (in and out) are means a question; seconds are measured where the
answers are made.

The reader without a model answers a document that it was fitted on with the weights fitted without that document's
fold. ``answered`` is the share of answerable questions that were answered, ``sure_right`` that of the answers of a
confidence of 0.5 or more that were right, ``calibration_error`` that of the answers in ten bins, ``gold_page_cited``
the share of answerable questions with a gold page among those of the evidence; the report has risk by coverage.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.common import QaSet, argument_parser, chosen, print_table, progress, write_report
from benchmarks.folds import fold_weights
from benchmarks.prepare import DATASET, Prepared, add_options, failures, prepare_as_asked
from cosee.artifacts import files
from cosee.artifacts.base import load_rows, validate
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.results.metrics import Block, MethodMetrics
from cosee.artifacts.results.prediction import Prediction, failed_prediction
from cosee.artifacts.settings.answer import AnswerSettings
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.evaluation.compare import compare
from cosee.evaluation.results import QuestionResult, cited_pages, join
from cosee.evaluation.summary import method_metrics
from cosee.pipeline.stage import StageFailure
from cosee.reader.client import EmbeddedClient
from cosee.stages.answer import AnswerStage

CUTS = (1, 3, 5, 10)
METHODS = (
    "constant", "direct", "full_text", "page_rag", "chunk_rag", "single_agent_cot", "self_consistency",
    "multi_agent_chat_no_board", "cosee_base", "cosee_light", "cosee_expanded", "navigator", "decision", "oracle_pages",
)  # fmt: skip
RUN = "answers"
SURE = 0.5
"""Confidence from which an answer counts as a sure one."""


def answer_settings(strategy: str, model: str) -> AnswerSettings:
    """A method with its default settings. Raises ArtifactError for an unknown one."""
    value = {"run": RUN, "method": {"strategy": strategy}, "model": model, "retrieval": {}, "budget": {}, "seed": 0}
    return validate(AnswerSettings, value, f"--methods {strategy}")


def answer_document(
    stage: AnswerStage,
    prepared: Prepared,
    settings: AnswerSettings,
    asked: Sequence[str],
    results: Path | None = None,
) -> tuple[list[Prediction], list[float]]:
    """One method's answers to one document's questions, and the seconds of each.

    Answers of earlier calls stand in a journal in ``results``, by default beside the document's artifacts; an empty
    folder has everything asked anew.
    """
    label, doc = settings.method.label, prepared.doc
    reason = prepared.failure
    if reason is None:
        place = results or doc.data.parents[2] / "results" / f"{RUN}-{files.safe_name(settings.model)}"
        try:
            stage.run(dataclasses.replace(doc, results=place), settings)
            answers = load_rows(Prediction, place / "answers" / label / DATASET / f"{doc.doc_id}.jsonl")
            measured = files.read_json(place / "measured" / "answers" / label / DATASET / f"{doc.doc_id}.json")
            return answers, [float(value) for value in measured["seconds"].values()]
        except StageFailure as error:
            reason = f"answer: {error.reason}: {error.message}"
    return [
        failed_prediction(question_id=each, doc_id=doc.doc_id, dataset=DATASET, method=label, reason=reason)
        for each in asked
    ], []


def stage_without(doc_id: str) -> AnswerStage:
    """The stage with the reader as fitted on other documents than this one and those of its fold."""
    return AnswerStage(opened={"embedded": EmbeddedClient(fold_weights(doc_id))})


def block_figures(block: Block) -> dict[str, float | None]:
    """The figures of one method on one group of questions."""
    return {
        "accuracy": block.accuracy,
        "f1": block.f1,
        "abstain_precision": block.abstention.precision,
        "abstain_recall": block.abstention.recall,
        "cited_page_f1": block.cited_pages.f1,
        "quote_verified": block.quote_verified,
    }


def reading_figures(results: Sequence[QuestionResult]) -> dict[str, float | None]:
    """How often answered, how sure, and what was shown (see the module)."""
    asked = [each for each in results if each.scored]
    answerable = [each for each in asked if not each.question.unanswerable]
    told = [(each.prediction.confidence, each.value) for each in asked
            if each.answered and each.prediction and each.prediction.confidence is not None]  # fmt: skip
    sure = [value for confidence, value in told if confidence >= SURE]
    located = [each for each in answerable if each.question.evidence_pages]
    shown = [bool(set(each.question.evidence_pages) & set(cited_pages(each.prediction))) for each in located]
    return {
        "answered": sum(each.answered for each in answerable) / len(answerable) if answerable else None,
        "sure_answers": float(len(sure)),
        "sure_right": sum(sure) / len(sure) if sure else None,
        "calibration_error": calibration_error(told),
        "gold_page_cited": sum(shown) / len(shown) if shown else None,
    }


def calibration_error(told: Sequence[tuple[float, float]], bins: int = 10) -> float | None:
    """Of (confidence, score) pairs, the mean distance of both means in bins of equal width, by the pairs in each."""
    if not told:
        return None
    places = [min(bins - 1, int(confidence * bins)) for confidence, _ in told]
    distances = [
        abs(sum(confidence - value for place, (confidence, value) in zip(places, told, strict=True) if place == number))
        for number in range(bins)
    ]
    return sum(distances) / len(told)


def risk_by_coverage(results: Sequence[QuestionResult]) -> list[dict[str, float]]:
    """Share of the questions answered and share of those that are wrong, as the confidence asked for falls."""
    told = [(each.prediction.confidence or 0.0, each.value) for each in results
            if each.scored and each.answered and each.prediction]  # fmt: skip
    curve = []
    for level in sorted({confidence for confidence, _ in told}, reverse=True):
        kept = [value for confidence, value in told if confidence >= level]
        curve.append({"confidence": level, "coverage": len(kept) / len(results), "risk": 1 - sum(kept) / len(kept)})
    return curve


def groups(metrics: MethodMetrics) -> dict[str, Block]:
    """Overall and by source dataset."""
    return {"all": metrics.all, **metrics.groups["source_dataset"]}


def collect_figures(metrics: dict[str, MethodMetrics]) -> dict[str, float]:
    """``<measure>.<source dataset or all>.<method>``; what was not measured is left out."""
    figures: dict[str, float | None] = {}
    for method, each in metrics.items():
        for group, block in groups(each).items():
            figures |= {f"{name}.{group}.{method}": value for name, value in block_figures(block).items()}
            figures[f"accuracy.{group}.always_not_answerable"] = block.constant_accuracy
    return {name: value for name, value in figures.items() if value is not None}


def print_figures(figures: dict[str, float], metrics: dict[str, MethodMetrics]) -> None:
    """A table for each group of questions."""
    names = ["accuracy", "f1", "abstain_precision", "abstain_recall", "cited_page_f1", "quote_verified"]
    for group, block in groups(next(iter(metrics.values()))).items():
        print(f"\n{group}: {block.scored} questions, {block.documents} documents")
        rows = [
            [method, *(figures.get(f"{name}.{group}.{method}") for name in names)]
            for method in ("always_not_answerable", *metrics)
        ]
        print_table(["method", *names], rows)


def measure(
    qa: QaSet, documents: Sequence[str], settings: Sequence[AnswerSettings], prepared: dict[str, Prepared]
) -> tuple[dict[str, list[QuestionResult]], dict[str, list[float]]]:
    """Every method's results and seconds, document by document, the methods turn by turn."""
    others = AnswerStage()
    predictions: dict[str, list[Prediction]] = {each.method.label: [] for each in settings}
    seconds: dict[str, list[float]] = {each.method.label: [] for each in settings}
    for number, doc_id in enumerate(documents, start=1):
        progress("answers", number, len(documents), doc_id)
        asked = [each.question_id for each in qa.questions if each.doc_id == doc_id]
        stages = {each.model: stage_without(doc_id) if each.model == "embedded" else others for each in settings}
        for each in settings:
            rows, taken = answer_document(stages[each.model], prepared[doc_id], each, asked)
            predictions[each.method.label] += rows
            seconds[each.method.label] += taken
    progress("", 0, 0, "")
    questions = [(DATASET, question) for question in qa.questions]
    return {method: join(questions, rows, CUTS)[0] for method, rows in predictions.items()}, seconds


def main() -> int:
    """Run the benchmark."""
    parser = argument_parser(__doc__ or "")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), help=f"of {', '.join(METHODS)}")
    parser.add_argument("--model", default="embedded", help="a name in config/models.yaml")
    add_options(parser)
    options = parser.parse_args()
    try:
        settings = [answer_settings(method, options.model) for method in options.methods]
    except ArtifactError as error:
        parser.error(str(error))
    qa, documents = chosen(parser, options)
    prepared = prepare_as_asked(qa, documents, options)
    results, seconds = measure(qa, documents, settings, prepared)
    evaluation = EvaluateSettings(recall_at=list(CUTS))
    metrics = {method: method_metrics(rows, evaluation) for method, rows in results.items()}
    figures = collect_figures(metrics)
    print_figures(figures, metrics)
    for method in seconds:
        read = {group: reading_figures(rows) for group, rows in by_source(results[method]).items()}
        names = list(read["all"])
        print(f"\n{method}")
        print_table(["source", *names], [[group, *(values[name] for name in names)] for group, values in read.items()])
        for group, values in read.items():
            figures |= {f"{name}.{group}.{method}": value for name, value in values.items() if value is not None}
    for method, taken in seconds.items():
        usage = metrics[method].all.usage
        figures |= {f"calls.{method}": usage.calls, f"tokens.{method}": usage.tokens_in + usage.tokens_out}
        if taken:
            figures[f"seconds_p50.{method}"] = median(taken)
    print()
    costs = ("seconds_p50", "calls", "tokens")
    print_table(["method", *costs], [[m, *(figures.get(f"{name}.{m}") for name in costs)] for m in seconds])
    write_report(options.json, "answers", figures, detail(metrics, results, prepared, evaluation))
    return 0


def by_source(results: Sequence[QuestionResult]) -> dict[str, list[QuestionResult]]:
    """All results, and those of each source dataset."""
    found: dict[str, list[QuestionResult]] = {"all": list(results)}
    for each in results:
        found.setdefault(each.question.source_dataset or "unknown", []).append(each)
    return found


def detail(
    metrics: dict[str, MethodMetrics],
    results: dict[str, list[QuestionResult]],
    prepared: dict[str, Prepared],
    settings: EvaluateSettings,
) -> dict[str, Any]:
    """Counts, intervals, other scores and comparisons behind the figures."""
    return {
        "documents": len(prepared),
        "failed": failures(prepared),
        "questions": {group: block.scored for group, block in groups(next(iter(metrics.values()))).items()},
        "statuses": {method: metrics[method].all.statuses for method in results},
        "by_format": {
            method: {name: block.accuracy for name, block in metrics[method].groups["answer_format"].items()}
            for method in results
        },
        "overall": {method: metrics[method].all.model_dump(mode="json") for method in results},
        "risk_by_coverage": {method: risk_by_coverage(rows) for method, rows in results.items()},
        "comparisons": [each.model_dump(mode="json") for each in compare(results, settings)],
    }


if __name__ == "__main__":
    raise SystemExit(main())
