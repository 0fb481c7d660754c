"""The report shows every run of the results folder, and says of those that are no longer listed what changed."""

import shutil
from pathlib import Path

import pytest
from helpers.run_maker import DATASET, METHODS, RUN, make_run

from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.price import Price
from cosee.artifacts.results.costs import Costs
from cosee.artifacts.results.estimate import Estimate, MethodEstimate, Range
from cosee.artifacts.results.metrics import Metrics, MetricsSummary
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.pipeline.paths import Paths
from cosee.stages.evaluate import evaluate_run
from cosee.stages.summarize import summarize_runs

SETTINGS = EvaluateSettings(bootstrap=10)


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    """Two runs on the same questions: ``trial`` and ``second``."""
    make_run(tmp_path)
    found = Paths(tmp_path / "data", tmp_path / "indexes", tmp_path / "results")
    shutil.copytree(found.results / RUN, found.results / "second")
    for run in (RUN, "second"):
        evaluate_run(found, run, METHODS, [DATASET], SETTINGS)
    return found


def index(paths: Paths) -> str:
    return (paths.results / "report" / "index.html").read_text()


def test_a_run_that_is_not_listed_stays_in_the_report_and_out_of_the_summary(paths):
    summarize_runs(paths, ["second"], 0.5, pictures=False)
    assert list(MetricsSummary.load(paths.results / "metrics_summary.json").runs) == ["second"]
    page = index(paths)
    assert "<h1>second</h1>" in page and f"<h1>{RUN}</h1>" in page
    assert page.count("does not list; nothing has changed since") == 1 and "Stale:" not in page
    assert list((paths.results / "report" / "questions").glob(f"{RUN}/**/*.html"))


def test_a_run_whose_questions_or_code_changed_is_marked_stale(paths):
    questions = load_rows(Question, paths.question_file(DATASET))
    save_rows(paths.question_file(DATASET), [each for each in questions if each.question_id != "q04"])
    evaluate_run(paths, "second", METHODS, [DATASET], SETTINGS)
    summarize_runs(paths, ["second"], 0.5, pictures=False)
    assert index(paths).count("Stale: the questions of small changed since these figures were made.") == 1
    path = paths.results / RUN / "metrics.json"
    metrics = Metrics.load(path)
    metrics.provenance.code["build"] = "0" * 12
    metrics.save(path)
    summarize_runs(paths, ["second"], 0.5, pictures=False)
    assert "Stale: the questions of small changed; the code of build changed since" in index(paths)


def test_a_run_that_cannot_be_read_is_left_out_and_stops_nothing(paths, caplog):
    (paths.results / RUN / "predictions" / "cosee.jsonl").unlink()
    summarize_runs(paths, ["second"], 0.5, pictures=False)
    assert f"<h1>{RUN}</h1>" not in index(paths) and "<h1>second</h1>" in index(paths)
    assert f"run {RUN} is left out of the report" in caplog.text


def test_what_was_expected_stands_beside_what_was_spent(paths):
    summarize_runs(paths, ["second"], 0.5, pictures=False)
    assert "Expected and spent" not in index(paths)
    figures = {name: Range(low=1, likely=2500, high=3000) for name in ("calls", "tokens_in", "tokens_out", "images")}
    expected = MethodEstimate(questions=8, looked_at=8, money=Range(low=1.5, likely=1.5, high=1.5), **figures)
    price = Price(call=0.25, currency="EUR")
    made = Estimate(
        run="second", model="m", price=price, documents=3, pages=4, questions=8, methods={"cosee": expected}
    )
    made.save(paths.results / "second" / "estimate.json")
    summarize_runs(paths, ["second"], 0.5, pictures=False)
    page = index(paths)
    assert page.count("Expected and spent") == 2, "the heading and the name of its region"
    assert "2,500 (1 to 3,000)" in page and "EUR, expected" in page
    calls = Costs.load(paths.results / "second" / "costs.json").methods["cosee"].calls
    assert calls > 0 and f"<td>{calls * 0.25:,.2f}</td>" in page
    (paths.results / "second" / "estimate.json").write_text("{}")
    summarize_runs(paths, ["second"], 0.5, pictures=False)
    assert "Expected and spent" not in index(paths), "the run does not hang on it"
