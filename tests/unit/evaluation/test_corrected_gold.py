"""Questions whose gold was corrected after its publication: both scores stand side by side."""

from typing import Any

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.evaluation.results import join
from cosee.evaluation.summary import method_metrics


def question(number: int, answer: str, kind: str, before: tuple[str, str] | None) -> Question:
    value: dict[str, Any] = {"question_id": f"{number:05d}", "doc_id": "d", "question": "Who?", "answer": answer,
                             "answer_format": kind, "source_dataset": "MMLongBench-Doc-V2"}  # fmt: skip
    if before is not None:
        value["original"] = {"question": "Who?", "answer": before[0], "answer_format": before[1]}
    return Question.model_validate(value)


def test_both_scores_are_given() -> None:
    questions = [
        question(0, "5", "Int", ("5", "Int")),
        question(1, "12", "Int", ("36", "Int")),
        question(2, "46%", "Float", (NOT_ANSWERABLE, "None")),
        question(3, NOT_ANSWERABLE, "None", ("51.286", "Float")),
    ]
    given = {"00000": "5", "00001": "36", "00002": NOT_ANSWERABLE, "00003": NOT_ANSWERABLE}
    predictions = [
        Prediction(question_id=key, dataset="v2", doc_id="d", method="m", status="ok", exit_reason="answered",
                   answer=answer, abstained=answer == NOT_ANSWERABLE)
        for key, answer in given.items()
    ]  # fmt: skip
    results, _ = join([("v2", each) for each in questions], predictions, [1])
    official = method_metrics(results, EvaluateSettings(bootstrap=0)).all.official
    now, before = official["mmlongbench_v1@1 accuracy"], official["mmlongbench_v1@1 accuracy_original_gold"]
    assert now.questions == before.questions == 4
    assert (now.strict, now.normalised, now.corrected) == (0.5, 0.5, 0.5)
    assert (before.strict, before.normalised, before.corrected) == (0.75, 0.75, 0.75)
    # Corrected: 1 of 3 answerable, 1 of 2 answered. Original: 2 of 3, 2 of 2.
    assert official["mmlongbench_v1@1 f1"].strict == 0.4 and official["mmlongbench_v1@1 f1_original_gold"].strict == 0.8


def test_gold_without_corrections_has_one_score() -> None:
    results, _ = join([("v1", question(0, "5", "Int", None))], [], [1])
    official = method_metrics(results, EvaluateSettings(bootstrap=0)).all.official
    assert not [name for name in official if "original" in name]
