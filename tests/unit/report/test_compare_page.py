"""The pages of the report that set method against method and run against run."""

from pathlib import Path

import pytest
from helpers.run_maker import HOSTILE, RUN, make_run

from cosee.artifacts import files
from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.pipeline.paths import Paths
from cosee.stages import evaluate, summarize

METHODS = ("constant", "page_rag", "cosee")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run and of another one in which cosee has its first answer wrong."""
    root = tmp_path_factory.mktemp("report")
    make_run(root)
    paths = Paths(root / "data", root / "indexes", root / "results")
    for name in METHODS:
        rows = load_rows(Prediction, paths.results / RUN / "predictions" / f"{name}.jsonl")
        changed = rows[0].model_copy(update={"answer": "7", "read_pages": [1, 2]}) if name == "cosee" else rows[0]
        save_rows(paths.results / "later" / "predictions" / f"{name}.jsonl", [changed, *rows[1:]])
    files.write_json(paths.results / "later" / "run.json", {name: {"method": {"strategy": name}} for name in METHODS})
    for run in (RUN, "later"):
        evaluate.evaluate_run(paths, run, METHODS, ["small"], EvaluateSettings(bootstrap=20))
    summarize.summarize_runs(paths, [RUN, "later"], 1.0, pictures=False)
    return paths.results / "report"


def test_every_pair_has_a_page_with_its_flips(report: Path) -> None:
    pages = {path.relative_to(report / "compare").as_posix() for path in (report / "compare").rglob("*.html")}
    pairs = ("constant--page_rag", "constant--cosee", "page_rag--cosee")
    within = {f"{run}/{pair}.html" for run in (RUN, "later") for pair in pairs}
    across = {f"{RUN}--later/{method}--{method}.html" for method in METHODS}
    assert pages == {"pairs.html", *within, *across}
    text = (report / "compare" / RUN / "page_rag--cosee.html").read_text(encoding="utf-8")
    assert "2 that only cosee has right" in text and "0 that only page_rag has right" in text
    assert HOSTILE not in text and "&lt;script&gt;" in text
    assert f"../../questions/{RUN}/small/q06.html#m-cosee" in text


def test_runs_are_set_against_each_other_by_method(report: Path) -> None:
    text = (report / "compare" / f"{RUN}--later" / "cosee--cosee.html").read_text(encoding="utf-8")
    assert f"1 that only {RUN}:cosee has right" in text
    assert "gold pages read, answer wrong" in text and "gold page 1 was read; unproven" in text
    for run in (RUN, "later"):
        assert f"../../questions/{run}/small/q01.html#m-cosee" in text
    same = (report / "compare" / f"{RUN}--later" / "constant--constant.html").read_text(encoding="utf-8")
    assert "0 of 7 questions" in same


def test_the_index_leads_to_every_pair(report: Path) -> None:
    text = (report / "compare" / "pairs.html").read_text(encoding="utf-8")
    assert f'href="{RUN}--later/cosee--cosee.html"' in text and f'href="{RUN}/page_rag--cosee.html"' in text
    assert "compare/pairs.html" in (report / "index.html").read_text(encoding="utf-8")
