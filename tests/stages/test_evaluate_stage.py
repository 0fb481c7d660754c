"""M4 over a small finished run: metrics, tables, costs, summary and report."""

import json
import math
from pathlib import Path

import pandas
import pytest
from helpers.run_maker import DATASET, METHODS, QUESTIONS, RUN, make_run

from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.metrics import Costs, Metrics, MetricsSummary
from cosee.artifacts.prediction import Prediction
from cosee.stages import evaluate, summarize


def run_m4(root: Path, monkeypatch: pytest.MonkeyPatch, methods: tuple[str, ...] = METHODS) -> Path:
    monkeypatch.chdir(root)
    settings = json.dumps({"bootstrap": 200})
    arguments = ["--run", RUN, "--methods", *methods, "--datasets", DATASET, "--settings", settings]
    assert evaluate.main(arguments) == 0
    assert summarize.main(["--runs", RUN, "--budget-of-failures", "0.5"]) == 0
    return root / "results"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("run")
    make_run(root)
    with pytest.MonkeyPatch.context() as patch:
        return run_m4(root, patch)


def test_missing_and_failed_answers_stay_in_the_denominator(finished: Path) -> None:
    metrics = Metrics.load(finished / RUN / "metrics.json")
    block = metrics.methods["page_rag"].all
    assert block.questions == len(QUESTIONS) and block.scored == 7
    assert block.statuses == {"failed": 1, "missing": 1, "ok": 6}
    # Right: q01, q03, q04, q07 of the seven with a gold answer.
    assert block.accuracy == pytest.approx(4 / 7, abs=1e-6)
    assert metrics.methods["cosee"].all.accuracy == 1.0
    assert metrics.methods["constant"].all.accuracy == block.constant_accuracy == pytest.approx(1 / 7, abs=1e-6)
    assert block.abstention.precision == 1.0 and block.abstention.recall == 1.0
    assert block.coverage == pytest.approx(5 / 8)
    assert block.accuracy_interval is not None and block.accuracy_interval.low < block.accuracy
    assert metrics.methods["page_rag"].groups["source_dataset"]["harbour"].accuracy_interval is None


def test_retrieval_and_citations(finished: Path) -> None:
    # contract: D108, D109, D110
    pages = Metrics.load(finished / RUN / "metrics.json").methods["cosee"].all.pages
    # Ranking [2, 1] against gold [1], [1, 2], [2], any of [1, 2], [2], [2].
    assert pages.questions == 6
    assert pages.recall["1"] == pytest.approx((0 + 0.5 + 1 + 1 + 1 + 1) / 6, abs=1e-6) and pages.recall["3"] == 1.0
    assert pages.recall_ceiling["1"] == pytest.approx((1 + 0.5 + 1 + 1 + 1 + 1) / 6, abs=1e-6)
    assert pages.hit["1"] == pytest.approx(5 / 6, abs=1e-6)
    assert pages.mrr == pytest.approx((0.5 + 5) / 6, abs=1e-6)
    cited = Metrics.load(finished / RUN / "metrics.json").methods["page_rag"].all.cited_pages
    assert cited.precision == pytest.approx(4 / 6, abs=1e-6), "the failed and the missing answer count as 0"


def test_documents_are_counted_with_their_first_problem(finished: Path) -> None:
    documents = Metrics.load(finished / RUN / "metrics.json").documents
    assert documents.statuses == {"failed": 1, "ok": 2} and documents.pages == 4
    assert [(each.doc_id, each.stage, each.reason) for each in documents.problems] == [("gamma", "adapt", "not_a_pdf")]
    assert documents.stages["enhance"] == {"ok": 2, "skipped": 1}


def test_tables_have_rows_and_types(finished: Path) -> None:
    rows = pandas.read_parquet(finished / RUN / "metrics.parquet")
    accuracy = rows[rows["metric"] == "accuracy"]
    assert len(accuracy) == 7 * 3 and set(accuracy["method"]) == set(METHODS)
    assert accuracy.groupby("method")["value"].mean()["page_rag"] == pytest.approx(4 / 7)
    assert {"mmlongbench_v1@1", "core@1", "pages@1"} <= set(rows["scorer"])
    ablations = pandas.read_parquet(finished / RUN / "ablations.parquet")
    overall = ablations[ablations["grouping"] == "all"].set_index("method")
    assert overall.loc["cosee", "accuracy_difference"] == pytest.approx(6 / 7, abs=1e-5)
    assert ablations["accuracy"].dtype == "float64" and ablations["questions"].dtype == "int64"
    assert math.isnan(overall.loc["constant", "quote_verified"])


def test_costs_join_measured_seconds(finished: Path) -> None:
    costs = Costs.load(finished / RUN / "costs.json")
    assert costs.methods["cosee"].calls == 16 and costs.methods["cosee"].tokens_in == 7200
    seconds = costs.methods["cosee"].seconds
    assert seconds is not None and (seconds.measured, seconds.p50, seconds.max) == (8, 2.0, 3.0)
    assert costs.methods["constant"].seconds is None
    assert "seconds" not in (finished / RUN / "metrics.json").read_text(encoding="utf-8")


def test_summary_is_keyed_by_run_with_the_budget(finished: Path) -> None:
    # contract: D114
    summary = MetricsSummary.load(finished / "metrics_summary.json")
    run = summary.runs[RUN]
    assert run.counts["documents"] == {"failed": 1, "ok": 2}
    assert run.counts["questions"] == {"failed": 2, "ok": 22}, "a missing answer is a failed one"
    assert summary.within_budget and run.within_budget
    assert set(run.by_source_dataset["cosee"]) == {"harbour", "tides"}
    assert len(run.provenance.config_hash) == 64
    assert set(run.provenance.data) >= {f"data/{DATASET}/qa/questions.jsonl"}


def test_a_broken_budget_is_in_the_summary_and_the_files_stay(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(finished.parent)
    before = (finished / "metrics_summary.json").read_bytes()
    try:
        assert summarize.main(["--runs", RUN, "--budget-of-failures", "0.1"]) == 0
        assert not MetricsSummary.load(finished / "metrics_summary.json").within_budget
        assert (finished / "report" / "index.html").exists()
    finally:
        (finished / "metrics_summary.json").write_bytes(before)


def test_everything_repeats_byte_for_byte(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # contract: D117
    make_run(tmp_path)
    again = run_m4(tmp_path, monkeypatch)
    first = {path.relative_to(finished): path.read_bytes() for path in finished.rglob("*") if path.is_file()}
    second = {path.relative_to(again): path.read_bytes() for path in again.rglob("*") if path.is_file()}
    assert first == second
    absolute = str(tmp_path).encode()
    assert not [path for path, data in second.items() if absolute in data]


def test_one_method_and_an_absent_method(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_run(tmp_path)
    results = run_m4(tmp_path, monkeypatch, ("constant",))
    frame = pandas.read_parquet(results / RUN / "ablations.parquet")
    assert set(frame["method"]) == {"constant"} and frame["page_recall_1"].dtype == "float64"
    assert evaluate.main(["--run", RUN, "--methods", "nobody", "--datasets", DATASET]) == 2
    assert "nobody.jsonl" in capsys.readouterr().err
    assert evaluate.main(["--run", RUN, "--methods", "constant", "--datasets", DATASET, "--settings", '{"k": 1}']) == 2
    assert "--settings: k" in capsys.readouterr().err


def test_a_dataset_without_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_run(tmp_path)
    (tmp_path / "data" / DATASET / "qa" / "questions.jsonl").write_text("", encoding="utf-8")
    results = run_m4(tmp_path, monkeypatch)
    block = Metrics.load(results / RUN / "metrics.json").methods["cosee"].all
    assert block.questions == 0 and block.accuracy is None and block.pages.mrr is None
    assert "belong to no question" in " ".join(Metrics.load(results / RUN / "metrics.json").notes)
    assert list(pandas.read_parquet(results / RUN / "metrics.parquet").columns)[:2] == ["run", "method"]
    assert (results / "report" / "index.html").exists()


def test_damaged_traces_trees_and_pdfs_become_notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_run(tmp_path)
    (tmp_path / "data" / DATASET / "alpha" / "full.pdf").write_bytes(b"%PDF-1.7 broken")
    (tmp_path / "data" / DATASET / "beta" / "doctree.mm.json").write_text("{", encoding="utf-8")
    (tmp_path / "results" / RUN / "traces" / "cosee" / DATASET / "q01.ndjson").write_text("{\n", encoding="utf-8")
    report = run_m4(tmp_path, monkeypatch) / "report"
    page = (report / "questions" / RUN / DATASET / "q01.html").read_text(encoding="utf-8")
    assert "The trace cannot be read." in page and "could not be rendered" in page
    assert "cannot be read" in (report / "documents" / DATASET / "beta.html").read_text(encoding="utf-8")


def test_stale_report_files_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_run(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "keep.txt").write_text("mine", encoding="utf-8")
    report = tmp_path / "results" / "report"
    (report / "questions" / "old").mkdir(parents=True)
    (report / "questions" / "old" / "q.html").write_text("old", encoding="utf-8")
    (report / "pages").mkdir()
    (report / "pages" / "link").symlink_to(outside)
    (report / "documents").symlink_to(outside)
    (report / "notes.txt").write_text("mine", encoding="utf-8")
    run_m4(tmp_path, monkeypatch)
    assert not (report / "questions" / "old").exists() and not (report / "pages" / "link").is_symlink()
    assert (report / "notes.txt").exists(), "what the site never writes stays"
    assert [path.name for path in outside.iterdir()] == ["keep.txt"] and not (report / "documents").is_symlink()
    assert (outside / "keep.txt").read_text(encoding="utf-8") == "mine"


def test_methods_that_were_given_gold_are_noted_and_measures_are_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # contract: C70
    make_run(tmp_path)
    path = tmp_path / "results" / RUN / "predictions" / "page_rag.jsonl"
    rows = load_rows(Prediction, path)
    measured = [{"agreement": 1.0, "rounds": 2.0}, {"rounds": 1.0}]
    changed = [
        row.model_copy(update={"uses_gold": True, "measures": measured[number] if number < 2 else {}})
        for number, row in enumerate(rows)
    ]
    save_rows(path, changed)
    metrics = Metrics.load(run_m4(tmp_path, monkeypatch) / RUN / "metrics.json")
    assert metrics.methods["page_rag"].all.measures == {"agreement": 1.0, "rounds": 1.5}
    assert [note for note in metrics.notes if "gold pages" in note] == [
        "page_rag: was given gold pages; a ceiling to compare with, not a method that could be used"
    ]
