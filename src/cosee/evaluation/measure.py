"""How a measure is added: a function of one question's result, in a file of ``evaluation/measures``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from cosee.artifacts.results.metrics import Block, MeasureNote
from cosee.evaluation.results import QuestionResult
from cosee.evaluation.scorers.score import Score
from cosee.registry import MEASURES, RegistryError

Measure = Callable[[QuestionResult], Score | float | None]


def measure(
    name: str,
    *,
    description: str,
    version: str = "1",
    citation: str = "",
    better: Literal["higher", "lower"] | None = "higher",
    digits: int = 3,
    order: int = 1000,
) -> Callable[[Measure], Measure]:
    """Register a function that measures one answer, None where it has nothing to say of a question.

    Its mean over the questions that it says something of stands in ``metrics.json`` and the report, its values in
    ``metrics.parquet`` and ``samples.jsonl``. ``digits`` are those after the point where people read it.
    """
    if MEASURES.plugin is not None and name in {*Block.model_fields, "accuracy"}:
        raise RegistryError(f"measure {name!r}: every method has a figure of this name; choose another")
    about = {"better": better, "digits": digits}
    return MEASURES.register(
        name, description=description, version=version, citation=citation, order=order, about=about
    )


def further_measures() -> dict[str, MeasureNote]:
    """Measures that have no field of their own in a block: name -> what a reader must know."""
    return {
        each.name: MeasureNote(
            description=each.description,
            version=each.version,
            citation=each.citation,
            better=each.about["better"],
            digits=each.about["digits"],
        )
        for each in MEASURES.entries()
        if each.name not in Block.model_fields
    }
