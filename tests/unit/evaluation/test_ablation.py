"""``ablations.parquet``: what each method is read against, and the paired difference."""

from typing import Any

import pytest
from helpers.run_maker import QUESTIONS, predictions

from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.evaluation.ablation import COLUMNS, ablation_table, reference_of
from cosee.evaluation.compare import mcnemar
from cosee.evaluation.measure import further_measures
from cosee.evaluation.results import join
from cosee.evaluation.summary import method_metrics

SETTINGS = EvaluateSettings(bootstrap=100)


def told(without: list[str] | None = None, *, pages: int = 5, rerank: bool = True) -> dict[str, Any]:
    return {"method": {"strategy": "cosee", "without": without or [], "pages": pages}, "retrieval": {"rerank": rerank}}


def test_a_module_switched_off_is_read_against_the_whole() -> None:
    # contract: D111
    made = {"constant": "constant", "cosee": "cosee", "cosee-without-rerank": "page_rag"}
    questions = [("small", question) for question in QUESTIONS]
    results = {name: join(questions, predictions(source), [1, 5])[0] for name, source in made.items()}
    figures = {name: method_metrics(rows, SETTINGS) for name, rows in results.items()}
    settings = {"cosee": told(), "cosee-without-rerank": told(["rerank"], rerank=False)}
    frame = ablation_table("run", results, figures, settings, SETTINGS).to_pandas()
    overall = frame[frame["grouping"] == "all"].set_index("method")
    off = overall.loc["cosee-without-rerank"]
    assert (off["without"], off["reference"], off["strategy"]) == ("rerank", "cosee", "cosee")
    assert off["changed"] == "method.without: [] -> ['rerank']; retrieval.rerank: True -> False"
    assert off["accuracy_difference"] == pytest.approx(-3 / 7, abs=1e-6)
    assert off["difference_low"] <= off["accuracy_difference"] <= off["difference_high"] <= 0
    assert (off["only_right"], off["only_reference_right"]) == (0, 3)
    assert off["mcnemar_p"] == off["mcnemar_p_holm"] == mcnemar(0, 3)
    # What is no ablation is read against the first method of the run, and the first against itself.
    assert list(overall["reference"]) == ["constant", "constant", "cosee"]
    assert overall.loc["constant", "accuracy_difference"] == 0.0
    assert overall["mcnemar_p"].isna().tolist() == [True, False, False]
    groups = frame[(frame["method"] == "cosee-without-rerank") & (frame["grouping"] == "answer_format")]
    assert groups.set_index("group").loc["List", "accuracy_difference"] == -1.0


def test_the_whole_is_the_nearest_method_of_the_strategy_with_nothing_off() -> None:
    settings = {"c5": told(), "c9": told(pages=9), "c9-without-board": told(["board"], pages=9)}
    assert reference_of("c9-without-board", list(settings), settings) == "c9"
    assert reference_of("c9", list(settings), settings) == "c5"
    alone = {"page_rag": {"method": {"strategy": "page_rag"}}, "off": told(["board"])}
    assert reference_of("off", list(alone), alone) == "page_rag"


def test_columns_are_typed_without_rows() -> None:
    kinds = [*COLUMNS.values(), *["float64"] * len(further_measures())]
    names = {"string": "large_string", "float64": "double", "int64": "int64"}
    assert list(map(str, ablation_table("run", {}, {}, {}, SETTINGS).schema.types)) == [names[kind] for kind in kinds]
