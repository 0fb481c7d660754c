"""The report shows every run of the results folder, and says of those that are no longer listed what changed."""

import shutil
from pathlib import Path

import pytest
from helpers.run_maker import DATASET, METHODS, RUN, make_run

from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.questions import Question
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
