"""A run's answers as CSV, workbook, JSON lines and a log of inspect_ai: the cells, no formula, the same bytes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from helpers.run_maker import DATASET, METHODS, RUN, make_run
from openpyxl import load_workbook

from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.prediction import Prediction
from cosee.export.answers import COLUMNS, answer_table, answers_csv, answers_jsonl, answers_workbook
from cosee.export.inspect_log import inspect_log
from cosee.export.tables import read_csv_table, reads_as_formula
from cosee.export.workbook import formulas
from cosee.pipeline.paths import Paths
from cosee.report.views import outcome_of
from cosee.stages import tabulate
from cosee.stages.tabulate import run_results

FORMULAS = ("=1+1", '=HYPERLINK("http://x.example","y")', "+cmd|' /C calc'!A0", "@SUM(A1)", "-2+3", "\t=1", "＝1+1")
NUMBERS = ("-5.2", "+3 %", "-$1,200")


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    make_run(tmp_path)
    return Paths(tmp_path / "data", tmp_path / "indexes", tmp_path / "results")


def table(paths: Paths) -> list[dict]:
    return answer_table(run_results(paths, RUN, METHODS, [DATASET], judged=False))


def test_a_row_says_what_became_of_a_question_under_a_method(paths):
    rows = {(row["question_id"], row["method"]): row for row in table(paths)}
    assert len(rows) == 8 * 3
    right = rows["q01", "cosee"]
    assert (right["document"], right["answer"], right["outcome"], right["cause"]) == (
        "alpha",
        "1,204",
        "answered",
        "right",
    )
    assert (right["gold"], right["gold_pages"], right["score"]) == ("1,204", "1", 1.0)
    assert rows["q01", "constant"]["outcome"] == "not answerable"
    failed = rows["q05", "page_rag"]
    assert failed["outcome"] == "failed" and failed["cause"] and failed["answer"] == "" and failed["confidence"] is None
    without_gold = rows["q08", "cosee"]
    assert (without_gold["gold"], without_gold["score"], without_gold["cause"]) == ("", None, "")
    cited = [row for row in rows.values() if row["quote"]]
    assert cited and all(row["pages"] and row["quote_verified"] in ("yes", "no") for row in cited)


def test_a_quote_that_nothing_could_be_held_against_is_not_called_missing(paths):
    path = paths.results / RUN / "predictions" / "cosee.jsonl"
    unread = {"quote": "Printed in a picture", "quote_verified": False, "unverified": "the page has no text"}
    save_rows(path, [
        each.model_copy(update={"support": [support.model_copy(update=unread) for support in each.support]})
        for each in load_rows(Prediction, path)
    ])  # fmt: skip
    results = run_results(paths, RUN, METHODS, [DATASET], judged=False)
    quoted = [row for row in answer_table(results) if row["method"] == "cosee" and row["quote"]]
    assert quoted and {row["quote_verified"] for row in quoted} == {""}
    assert not any(outcome_of("cosee", each).unverified for each in results["cosee"])


def hostile(paths: Paths) -> None:
    """Questions, answers and quotes that begin like formulas."""
    texts = [*FORMULAS, *NUMBERS]
    path = paths.question_file(DATASET)
    questions = [
        each.model_copy(update={"question": texts[place % len(texts)], "answer": texts[-1 - place]})
        for place, each in enumerate(load_rows(Question, path))
    ]
    save_rows(path, questions)
    for method in METHODS:
        path = paths.results / RUN / "predictions" / f"{method}.jsonl"
        save_rows(path, [
            each.model_copy(update={"answer": texts[place % len(texts)], "support": [
                support.model_copy(update={"quote": texts[(place + 1) % len(texts)]}) for support in each.support
            ]})
            for place, each in enumerate(load_rows(Prediction, path))
        ])  # fmt: skip


def test_no_cell_of_either_form_is_a_formula_and_numbers_stay_as_they_are(paths):
    hostile(paths)
    rows = table(paths)
    texts = {str(row[name]) for row in rows for name in ("question", "answer", "quote", "gold")}
    assert {"=1+1", "-2+3", "-5.2"} <= texts
    written = answers_csv(rows)
    cells = [cell for row in csv.reader(io.StringIO(written, newline="")) for cell in row]
    assert not [cell for cell in cells if reads_as_formula(cell) and not cell.startswith("'")]
    assert "'=1+1" in cells and "-5.2" in cells and "'-5.2" not in cells
    assert [row[3] for row in read_csv_table(written)[1:]] == [row["question"] for row in rows], "and can be read back"
    data = answers_workbook(rows)
    assert formulas(data) == 0
    sheet = load_workbook(io.BytesIO(data)).active
    assert [cell.value for cell in sheet[1]] == list(COLUMNS)
    by_name = dict(zip(COLUMNS, zip(*sheet.iter_rows(min_row=2), strict=True), strict=True))
    assert [cell.value for cell in by_name["question"]] == [row["question"] for row in rows]
    assert all(
        cell.data_type == "s" and cell.quotePrefix == reads_as_formula(cell.value) for cell in by_name["question"]
    )
    assert all(cell.value is None or cell.data_type == "n" for cell in by_name["confidence"])


def test_the_stage_writes_both_files_and_the_same_bytes_again(paths):
    hostile(paths)
    folders = ["--data", str(paths.data), "--indexes", str(paths.indexes), "--results", str(paths.results)]
    arguments = ["--run", RUN, "--methods", *METHODS, "--datasets", DATASET, "--judged", "0", *folders]
    assert tabulate.main(arguments) == 0
    first = {name: (paths.results / RUN / name).read_bytes() for name in ("answers.csv", "answers.xlsx")}
    (paths.results / RUN / "answers.xlsx").unlink()
    assert tabulate.main(arguments) == 0
    assert {name: (paths.results / RUN / name).read_bytes() for name in first} == first
    (paths.results / RUN / "predictions" / "cosee.jsonl").write_text("{}\n")
    assert tabulate.main(arguments) == 2


def test_json_lines_are_the_same_rows(paths):
    rows = table(paths)
    assert [json.loads(line) for line in answers_jsonl(rows).splitlines()] == rows


def log_of(paths: Paths, method: str) -> dict:
    results = run_results(paths, RUN, METHODS, [DATASET], judged=False)[method]
    return inspect_log(RUN, method, results, created="2026-01-02T03:04:05+00:00", settings={"seed": 0})


def test_a_log_of_inspect_ai_counts_what_the_run_counted(paths):
    log = log_of(paths, "page_rag")
    assert list(log)[0] == "version" and list(log)[-1] == "samples", "its readers take the header from the front"
    samples = {each["id"]: each for each in log["samples"]}
    assert len(samples) == 8 and "scores" not in samples["q08"]
    scores = [each["scores"]["accuracy"]["value"] for each in samples.values() if "scores" in each]
    assert log["results"]["scores"][0]["metrics"]["mean"]["value"] == pytest.approx(sum(scores) / 7)
    assert "error" in samples["q05"] and "error" not in samples["q01"]


def test_inspect_ai_reads_the_log(paths, tmp_path):
    inspect = pytest.importorskip("inspect_ai.log", reason="inspect_ai is not installed")
    path = tmp_path / "2026-01-02T03-04-05+00-00_trial-page-rag_abc.json"
    path.write_text(json.dumps(log_of(paths, "page_rag")))
    (listed,) = inspect.list_eval_logs(str(tmp_path))
    assert inspect.read_eval_log(listed, header_only=True).eval.task == "trial/page_rag"
    log = inspect.read_eval_log(listed)
    assert log.status == "success" and len(log.samples) == 8
    assert log.samples[0].input == "How many ships were built?" and log.samples[0].target == ["1,204"]
    assert log.samples[4].error is not None and log.samples[7].scores is None
    assert log.results.scores[0].scored_samples == 7
