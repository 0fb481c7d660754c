"""One method's answers as a log of inspect_ai (its JSON form, version 2), for its viewer and its readers.

Written from the published fields of ``inspect_ai.log.EvalLog``; the package is not needed to write one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cosee.artifacts.files import sha256_value
from cosee.artifacts.results.prediction import Usage
from cosee.evaluation.attribution import cause
from cosee.evaluation.results import QuestionResult, cited_pages, gold_texts
from cosee.evaluation.summary import mean
from cosee.export.answers import documents_of

SCORER = "accuracy"


def inspect_log(
    run: str, method: str, results: Sequence[QuestionResult], *, created: str, settings: Mapping[str, object]
) -> dict[str, Any]:
    """The log as JSON. ``created``: when the answers were collected, ISO 8601; ``settings``: those of the method."""
    datasets = sorted({each.dataset for each in results})
    ids = [_id(each, datasets) for each in results]
    models = sorted(
        {each.prediction.model for each in results if each.prediction is not None and each.prediction.model}
    )
    model = f"cosee/{models[0] if models else 'none'}"
    scored = [each for each in results if each.scored]
    spec = {
        "eval_id": sha256_value([run, method])[:22],
        "run_id": sha256_value([run])[:22],
        "created": created,
        "task": f"{run}/{method}",
        "task_id": sha256_value([run, method, datasets])[:22],
        "task_version": 0,
        "task_args": dict(settings),
        "solver": method,
        "dataset": {"name": ", ".join(datasets), "samples": len(results), "sample_ids": ids, "shuffled": False},
        "model": model,
        "config": {"epochs": 1},
    }
    accuracy = mean(each.value for each in scored)
    metrics = {} if accuracy is None else {"mean": {"name": "mean", "value": accuracy, "params": {}}}
    score = {"name": SCORER, "scorer": SCORER, "params": {}, "metrics": metrics,
             "scored_samples": len(scored), "unscored_samples": len(results) - len(scored)}  # fmt: skip
    usages = [each.prediction.usage for each in results if each.prediction is not None]
    return {
        "version": 2,
        "status": "success",
        "eval": spec,
        "plan": {"name": method, "steps": [{"solver": method, "params": {}}], "config": {}},
        "results": {
            "total_samples": len(results),
            "completed_samples": sum(each.status in ("ok", "partial") for each in results),
            "scores": [score] if scored else [],
        },
        "stats": {"started_at": created, "completed_at": created, "model_usage": {model: _usage(usages)}},
        "samples": [_sample(name, each, model) for name, each in zip(ids, results, strict=True)],
    }


def _id(result: QuestionResult, datasets: Sequence[str]) -> str:
    """A question's id; of several datasets, whose ids may repeat, with the dataset."""
    name = result.question.question_id
    return name if len(datasets) == 1 else f"{result.dataset}/{name}"


def _sample(name: str, result: QuestionResult, model: str) -> dict[str, Any]:
    question, prediction = result.question, result.prediction
    failed = prediction is None or result.status in ("failed", "skipped")
    said = (prediction.answer_long or result.text) if prediction is not None else ""
    reply = {"role": "assistant", "content": said, "source": "generate"}
    sample: dict[str, Any] = {
        "id": name,
        "epoch": 1,
        "input": question.question,
        "target": gold_texts(question) or "",
        "messages": [{"role": "user", "content": question.question, "source": "input"}, reply],
        "output": {"model": model, "choices": [{"message": reply, "stop_reason": "stop"}], "completion": said},
        "metadata": _metadata(result),
        "model_usage": {} if prediction is None else {model: _usage([prediction.usage])},
    }
    if result.scored:
        score = result.scores["accuracy"]
        sample["scores"] = {SCORER: {"value": score.value, "answer": result.text, "explanation": score.rule}}
    if failed:
        reason = (prediction.reason if prediction is not None else None) or "no answer was recorded"
        sample["error"] = {"message": reason, "traceback": "", "traceback_ansi": ""}
    return sample


def _metadata(result: QuestionResult) -> dict[str, Any]:
    question, prediction = result.question, result.prediction
    found: dict[str, Any] = {
        "dataset": result.dataset,
        "document": documents_of(question, prediction),
        "status": result.status,
        "gold_pages": question.evidence_pages,
        "cause": cause(result) if result.scored else None,
    }
    if prediction is not None:
        quotes = [
            each.model_dump(
                mode="json", include={"doc_id", "page", "quote", "quote_verified", "unverified"}, exclude_none=True
            )
            for each in prediction.support
        ]
        found |= {
            "answer": prediction.answer, "confidence": prediction.confidence, "exit_reason": prediction.exit_reason,
            "cited_pages": cited_pages(prediction), "support": quotes,
            "retrieved_pages": prediction.retrieved_pages, "calls": prediction.usage.calls,
        }  # fmt: skip
    return found


def _usage(usages: Sequence[Usage]) -> dict[str, int]:
    read, written = sum(each.tokens_in for each in usages), sum(each.tokens_out for each in usages)
    cached = sum(each.tokens_cached for each in usages)
    return {"input_tokens": read, "output_tokens": written, "total_tokens": read + written,
            "input_tokens_cache_read": cached}  # fmt: skip
