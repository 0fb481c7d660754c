"""M4 over a small finished run: metrics, tables, costs, summary and report."""

import json
import math
from pathlib import Path

import pandas
import pytest
from helpers.run_maker import DATASET, METHODS, QUESTIONS, RUN, make_run

from cosee.artifacts import files
from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.results.costs import Costs
from cosee.artifacts.results.metrics import Metrics, MetricsSummary
from cosee.artifacts.results.prediction import Prediction, Support
from cosee.artifacts.results.sample_log import SampleLine
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
    # contract: D108
    pages = Metrics.load(finished / RUN / "metrics.json").methods["cosee"].all.pages
    # Ranking [2, 1] against gold [1], [1, 2], [2], any of [1, 2], [2], [2].
    assert pages.questions == 6
    assert pages.recall["1"] == pytest.approx((0 + 0.5 + 1 + 1 + 1 + 1) / 6, abs=1e-6) and pages.recall["3"] == 1.0
    assert pages.recall_ceiling["1"] == pytest.approx((1 + 0.5 + 1 + 1 + 1 + 1) / 6, abs=1e-6)
    assert pages.hit["1"] == pytest.approx(5 / 6, abs=1e-6)
    assert pages.mrr == pytest.approx((0.5 + 5) / 6, abs=1e-6)
    cited = Metrics.load(finished / RUN / "metrics.json").methods["page_rag"].all.cited_pages
    assert cited.precision == pytest.approx(4 / 6, abs=1e-6), "the failed and the missing answer count as 0"


def test_words_of_answers_are_matched_and_failures_count_as_nothing(finished: Path) -> None:
    # contract: D109, D110
    metrics = Metrics.load(finished / RUN / "metrics.json")
    block = metrics.methods["page_rag"].all
    # Of seven gold answers q02 is missing, q05 failed, and q06 shares no word with its gold answer.
    assert block.exact_match == block.token_f1 == pytest.approx(4 / 7, abs=1e-6)
    assert metrics.methods["cosee"].all.exact_match == metrics.methods["cosee"].all.token_f1 == 1.0
    # q03 alone is the abstention that the constant answer gives.
    assert metrics.methods["constant"].all.exact_match == pytest.approx(1 / 7, abs=1e-6)


def test_token_f1_gives_credit_by_words_where_exact_match_gives_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # contract: D109, D110
    make_run(tmp_path)
    answers = {
        "q01": "1,204",
        "q02": "The lindholm quay!",  # case, article and punctuation do not count
        "q04": "No",
        "q05": "blue, red",  # one of two words
        "q07/../..%2f": "The gates leaked at spring tide.",  # 5 of the 11 words of the gold answer
    }
    place = tmp_path / "results" / RUN / "predictions" / "cosee.jsonl"
    rows = [row.model_copy(update={"answer": answers.get(row.question_id, row.answer)})
            for row in load_rows(Prediction, place)]  # fmt: skip
    save_rows(place, rows)
    results = run_m4(tmp_path, monkeypatch, ("cosee",))
    table = pandas.read_parquet(results / RUN / "metrics.parquet").set_index(["metric", "question_id"])["value"]
    exact = {name: table["exact_match", name] for name in answers}
    assert exact == {"q01": 1.0, "q02": 1.0, "q04": 0.0, "q05": 0.0, "q07/../..%2f": 0.0}
    f1 = {name: round(table["token_f1", name], 4) for name in answers}
    assert f1 == {"q01": 1.0, "q02": 1.0, "q04": 0.0, "q05": 0.5, "q07/../..%2f": 0.625}
    block = Metrics.load(results / RUN / "metrics.json").methods["cosee"].all
    assert block.token_f1 == pytest.approx((1 + 1 + 1 + 0 + 0.5 + 1 + 0.625) / 7, abs=1e-6)
    assert block.exact_match == pytest.approx(4 / 7, abs=1e-6)


def test_places_that_are_not_verified_are_counted_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_run(tmp_path)
    place = tmp_path / "results" / RUN / "predictions" / "cosee.jsonl"
    rows = load_rows(Prediction, place)
    before = run_m4(tmp_path, monkeypatch, ("cosee",))
    known = Metrics.load(before / RUN / "metrics.json").methods["cosee"].all
    seen = Support(page=1, bbox=(0.1, 0.2, 0.5, 0.4), quote="12 ships", quote_verified=False,
                   unverified="the page has no text")  # fmt: skip
    wrong = Support(node_id="t_1", page=1, quote="13 ships", quote_verified=False)
    save_rows(place, [rows[0].model_copy(update={"support": [*rows[0].support, seen, seen, wrong]}), *rows[1:]])
    block = Metrics.load(run_m4(tmp_path, monkeypatch, ("cosee",)) / RUN / "metrics.json").methods["cosee"].all
    assert (known.unverified_places, block.unverified_places) == (0, 2)
    assert block.quotes == known.quotes + 1, "what nobody can look up is no quote that was not found"
    assert known.quote_verified is not None and block.quote_verified is not None
    assert block.quote_verified == pytest.approx(known.quote_verified * known.quotes / block.quotes, abs=1e-6)


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
    assert {"accuracy (strict)", "accuracy (normalised)", "accuracy (corrected)"} <= set(rows["metric"])
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
    assert costs.methods["constant"].seconds is None and costs.methods["constant"].accuracy_per_1000_tokens is None
    # All right, for 7,200 tokens read and 160 written on 8 questions.
    assert costs.methods["cosee"].accuracy_per_1000_tokens == pytest.approx(1 / 0.92, abs=1e-6)
    assert "seconds" not in (finished / RUN / "metrics.json").read_text(encoding="utf-8")


def test_stages_and_parts_are_costed_from_what_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_run(tmp_path)
    data = tmp_path / "data" / DATASET
    for doc_id, seconds in (("alpha", 2.0), ("beta", 4.0)):
        files.write_json(data / doc_id / "measured" / "adapt.json", {"seconds": seconds, "peak_rss_mb": 100 * seconds})
    jobs = tmp_path / "measured" / DATASET
    jobs.mkdir(parents=True)
    (jobs / "adapt.0000.jsonl").write_text('{"s": 7.5, "max_rss": 350.0, "cpu_time": 6.25}\n', encoding="utf-8")
    (jobs / "enhance.0000.jsonl").write_text('{"s": 0.5, "max_rss": "NA", "cpu_time": "NA"}\n{to', encoding="utf-8")
    usage = {"calls": 1, "tokens_in": 900, "tokens_out": 40, "images": 1}
    files.append_jsonl(data / ".journal" / "enhance" / "alpha.jsonl", {"key": "k", "generation": {"usage": usage}})
    timed = {"seconds": {"q01": 1.5}, "parts": {"q01": {"search": [0.25, 0.5]}}}
    files.write_json(tmp_path / "results" / RUN / "measured" / "answers" / "page_rag" / DATASET / "alpha.json", timed)
    costs = Costs.load(run_m4(tmp_path, monkeypatch) / RUN / "costs.json")
    adapt, enhance = costs.stages["adapt"], costs.stages["enhance"]
    assert (adapt.documents, adapt.jobs, adapt.job_seconds, adapt.cpu_seconds, adapt.peak_rss_mb) == (
        2,
        1,
        7.5,
        6.25,
        400,
    )
    assert adapt.seconds is not None and (adapt.seconds.total, adapt.seconds.p50) == (6.0, 3.0)
    assert (enhance.jobs, enhance.calls, enhance.tokens_in, enhance.images) == (1, 1, 900, 1)
    assert "build" not in costs.stages, "nothing of it was measured"
    assert costs.methods["page_rag"].parts["search"].total == 0.75


def test_a_line_is_logged_for_each_question_and_method(finished: Path) -> None:
    # contract: C67
    lines = load_rows(SampleLine, finished / RUN / "samples.jsonl")
    assert [(line.method, line.question_id) for line in lines] == [
        (method, question.question_id) for method in METHODS for question in QUESTIONS
    ]
    found = {(line.method, line.question_id): line for line in lines}
    right = found["cosee", "q01"]
    assert (right.answer, right.gold, right.correct, right.cause, right.cited_pages) == (
        "1,204",
        "1,204",
        True,
        "right",
        [1],
    )
    assert right.usage is not None and (right.usage.tokens_in, right.usage.tokens_out, right.seed) == (900, 20, 0)
    assert right.scores["accuracy"].value == 1.0 and right.scores["accuracy"].rule == "Int: equal value"
    assert set(right.official["mmlongbench_v1@1 accuracy"]) == {"strict", "normalised", "corrected"}
    assert right.official["mmlongbench_v1@1 accuracy"]["strict"].value == 0.0, (
        "the published scorer reads no separators"
    )
    assert right.board is not None and [(cell.id, cell.author, cell.step) for cell in right.board] == [
        (1, "scanner", 1), (2, "detail_reader", 1),
    ]  # fmt: skip
    assert right.board[1].content == "1,204 ships were built" and right.board[1].view is not None
    assert found["page_rag", "q01"].board is None, "no board"
    lost = found["page_rag", "q02"]
    assert (lost.status, lost.answer, lost.correct, lost.cause) == ("missing", None, False, "failed")
    assert found["cosee", "q08"].correct is None and found["cosee", "q08"].scores == {}


def test_the_log_can_be_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # contract: C68
    make_run(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results" / RUN / "samples.jsonl").write_text("of an earlier evaluation", encoding="utf-8")
    arguments = ["--run", RUN, "--methods", "cosee", "--datasets", DATASET, "--settings", '{"samples": false}']
    assert evaluate.main(arguments) == 0
    assert not (tmp_path / "results" / RUN / "samples.jsonl").exists()


def test_methods_with_seeds_are_summarised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_run(tmp_path)
    run = tmp_path / "results" / RUN
    for method, seed in (("page_rag", 1), ("cosee", 0)):
        (run / "predictions" / f"{method}.jsonl").rename(run / "predictions" / f"cosee_seed{seed}.jsonl")
    record = {f"cosee_seed{seed}": {"method": {"strategy": "cosee", "seed": seed}} for seed in (0, 1)}
    files.write_json(run / "run.json", record)
    results = run_m4(tmp_path, monkeypatch, ("constant", "cosee_seed1", "cosee_seed0"))
    summary = MetricsSummary.load(results / "metrics_summary.json").runs[RUN]
    (group,) = summary.seeds
    assert (group.method, group.labels, group.seeds) == ("cosee", ["cosee_seed1", "cosee_seed0"], [1, 0])
    assert [(pair.first, pair.second) for pair in summary.comparisons] == [("constant", "cosee")]


def test_summary_is_keyed_by_run_with_the_budget(finished: Path) -> None:
    # contract: D114
    summary = MetricsSummary.load(finished / "metrics_summary.json")
    run = summary.runs[RUN]
    assert run.counts["documents"] == {"failed": 1, "ok": 2}
    assert run.counts["questions"] == {"failed": 2, "ok": 22}, "a missing answer is a failed one"
    assert summary.within_budget and run.within_budget
    assert set(run.by_source_dataset["cosee"]) == {"harbour", "tides"}
    assert len(run.provenance.config_hash) == 64
    assert {"adapt", "answer", "evaluate"} <= set(run.provenance.code) and run.provenance.judge is None
    assert run.provenance.code["evaluate"] == run.provenance.code_version
    assert {"python", "numpy", "pymupdf"} <= set(run.provenance.versions)
    assert run.provenance.configurations["cosee"] == ["0" * 64] and run.provenance.models["cosee"] == ["embedded@1"]
    assert [each.name for each in run.references] == ["constant", "majority", "oracle"]
    assert run.references[2].figures is None and "oracle_pages" in run.references[2].note
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


def artifacts_of(results: Path) -> dict[Path, bytes]:
    """Every file of a folder but its stamps, which hold times."""
    return {
        path.relative_to(results): path.read_bytes()
        for path in results.rglob("*")
        if path.is_file() and ".stamps" not in path.parts
    }


def test_everything_repeats_byte_for_byte(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # contract: D117
    make_run(tmp_path)
    again = run_m4(tmp_path, monkeypatch)
    first, second = artifacts_of(finished), artifacts_of(again)
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
