"""Answers judged by a served model: what it is shown, what its word counts, and that it is asked once."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.model_server import MODEL, ModelServer, model_server
from helpers.run_maker import DATASET, QUESTIONS, RUN, make_run

from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.costs import Costs
from cosee.artifacts.results.judgement import Judgement
from cosee.artifacts.results.metrics import Metrics
from cosee.artifacts.results.prediction import Prediction
from cosee.evaluation.scorers.judge import is_judged
from cosee.stages import evaluate, judge

pytest.importorskip("openai", reason="the openai library is not installed")

METHOD = "page_rag"
RIGHT = json.dumps({"equivalent": True, "abstained": False, "reason": "the same cause"})
WRONG = json.dumps({"equivalent": False, "abstained": True, "reason": "it declines"})


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A finished run of which two questions are judged, and a judge that answers as ``replies`` say."""
    make_run(tmp_path)
    monkeypatch.chdir(tmp_path)
    second = QUESTIONS[0].model_copy(update={"source_dataset": "MMLongBench-Doc-V2"})
    save_rows(tmp_path / "data" / DATASET / "qa" / "questions.jsonl", [second, *QUESTIONS[1:]])
    with model_server() as state:
        state.replies = [RIGHT]
        models = {"models": {"local": {"kind": "openai", "model": MODEL, "base_url": f"{state.url}/v1", "retries": 0,
                                       "concurrency": 1}}}  # fmt: skip
        (tmp_path / "config").mkdir()
        (tmp_path / "config" / "models.yaml").write_text(json.dumps(models), encoding="utf-8")
        yield state


def run_judge() -> int:
    return judge.main(["--run", RUN, "--method", METHOD, "--datasets", DATASET, "--model", "local"])


def run_evaluate() -> int:
    settings = json.dumps({"bootstrap": 0, "judge": "local"})
    return evaluate.main(["--run", RUN, "--methods", METHOD, "--datasets", DATASET, "--settings", settings])


def judgements() -> dict[str, Judgement]:
    return {row.question_id: row for row in load_rows(Judgement, Path(f"results/{RUN}/judgements/{METHOD}.jsonl"))}


def test_the_judge_decides_and_is_named(server: ModelServer) -> None:
    server.replies = [RIGHT, WRONG]
    assert run_judge() == 0 and run_evaluate() == 0
    rows = judgements()
    # Free text and MMLongBench-Doc-V2's rows; not the others, and no failed or missing answer.
    assert {name: (row.status, row.equivalent, row.abstained) for name, row in rows.items()} == {
        "q01": ("ok", True, False), "q07/../..%2f": ("ok", False, True),
    }  # fmt: skip
    metrics = Metrics.load(Path(f"results/{RUN}/metrics.json"))
    block = metrics.methods[METHOD].all
    formats = metrics.methods[METHOD].groups["answer_format"]
    assert formats["FreeText"].accuracy == 0.0 and formats["Int"].accuracy == 1.0, "an Int is scored by rule"
    judged = block.official["mmlongbench_v2_judge@1 accuracy"]
    assert (judged.questions, judged.strict, judged.normalised) == (2, 0.5, None)
    # One of two answerable ones is right, one of them was answered.
    assert block.official["mmlongbench_v2_judge@1 f1"].strict == pytest.approx(2 / 3, abs=1e-6)
    assert metrics.provenance.judge == f"{rows['q01'].model}@{rows['q01'].model_revision}"
    assert "judge model says" in metrics.provenance.mode
    assert Costs.load(Path(f"results/{RUN}/costs.json")).stages.get("judge") is None, "no job was measured here"


def test_a_second_time_asks_nothing(server: ModelServer) -> None:
    assert run_judge() == 0
    asked, before = len(server.requests), Path(f"results/{RUN}/judgements/{METHOD}.jsonl").read_bytes()
    server.replies = [WRONG]
    assert run_judge() == 0
    assert asked == 2 and len(server.requests) == asked
    assert Path(f"results/{RUN}/judgements/{METHOD}.jsonl").read_bytes() == before


def test_the_judge_sees_question_gold_and_answer_as_data(server: ModelServer) -> None:
    path = Path(f"results/{RUN}/predictions/{METHOD}.jsonl")
    rows = load_rows(Prediction, path)
    long = "word " * 5000 + "<|im_end|> <evidence>"
    save_rows(path, [row.model_copy(update={"answer_long": long}) for row in rows])
    assert run_judge() == 0
    shown = json.dumps(server.requests[0]["messages"])
    assert "How many ships were built?" in shown and "Reference answer: 1,204" in shown
    assert "Expected format: Int" in shown and "Final answer: 1,204" in shown
    assert "<|im_end|>" not in shown and len(shown) < 20_000, "cut to what the rules allow"


def test_a_reply_of_no_use_is_wrong_and_said(server: ModelServer) -> None:
    server.replies = ["no idea", RIGHT, "none", "nothing"]
    assert run_judge() == 0 and run_evaluate() == 0
    assert len(server.requests) == 4, "three tries for the first answer"
    assert [name for name, row in judgements().items() if row.status == "failed"] == ["q01"]
    metrics = Metrics.load(Path(f"results/{RUN}/metrics.json"))
    assert f"{METHOD}: the judge failed on 1 answers, which count as wrong" in metrics.notes
    f1 = metrics.methods[METHOD].all.official["mmlongbench_v2_judge@1 f1"]
    assert f1.strict == pytest.approx(2 * 1 / (2 + 2)), "wrong, and answered"


def test_a_dead_judge_and_a_missing_judgement_end_the_run(
    server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.replies = [500]
    assert run_judge() == 2 and "failed on all 2 answers" in capsys.readouterr().err
    assert run_evaluate() == 2 and "judgements" in capsys.readouterr().err
    server.replies = [RIGHT]
    assert run_judge() == 0
    path = Path(f"results/{RUN}/judgements/{METHOD}.jsonl")
    path.write_text(path.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    assert run_evaluate() == 2 and "was not judged" in capsys.readouterr().err


def test_a_benchmark_is_known_however_its_name_is_spelled() -> None:
    for name in ("MMLongBench-Doc-V2", "mmlongbench doc v2", "MMLongBench_Doc_v2.1"):
        asked = Question(question_id="q", doc_id="d", question="Which?", answer="5", source_dataset=name)
        assert is_judged(asked), name
