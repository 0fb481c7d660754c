"""Kill, repeat, hostile input, two runs at once: the promises of DESIGN section 6 on a small project."""

import json
import os
import subprocess
import sys
import time

from helpers.project import CONFIG, Project

from cosee.commands.run_stage import DOCUMENT_STAGES


def test_two_runs_from_scratch_are_equal_byte_for_byte(finished, tmp_path):
    """Another folder, working folder, umask, hash seed, time zone, language and number of workers."""
    # contract: D117
    other = Project.create(tmp_path / "elsewhere, 'moved'" / "pröject")
    strange = {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0"}
    before = os.umask(0o077)
    try:
        result = subprocess.run(
            [*other.command()[:3], "--cores", "1", "--snakefile", str(other.folder / "Snakefile"),
             "--directory", str(other.folder), "results/metrics_summary.json"],
            cwd="/",
            env={**other.environment(), **strange},
            capture_output=True,
            text=True,
            timeout=300,
        )  # fmt: skip
    finally:
        os.umask(before)
    assert result.returncode == 0, result.stderr + other.logs()
    first, second = finished.artifacts(), other.artifacts()
    assert sorted(first) == sorted(second)
    assert [name for name in first if first[name] != second[name]] == []


def test_the_command_line_makes_the_bytes_of_the_workflow(finished, tmp_path):
    other = Project.create(tmp_path / "project")
    for stage in DOCUMENT_STAGES:
        subprocess.run(
            [sys.executable, "-m", "cosee.cli", "run-stage", stage],
            cwd=other.folder,
            env=other.environment(),
            capture_output=True,
            check=True,
            timeout=300,
        )
    complete = finished.artifacts()
    made = other.artifacts()
    assert {name for name in complete if name.startswith(("data/", "indexes/"))} == made.keys()
    assert [name for name in made if made[name] != complete[name]] == []


def test_a_second_run_at_once_is_refused(tmp_path):
    project = Project.create(tmp_path / "project")
    first = subprocess.Popen(
        project.command("results/metrics_summary.json"),
        cwd=project.folder,
        env=project.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 30
        while not (project.folder / ".cosee.lock").exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        second = project.snakemake()
        assert second.returncode == 2
        assert f"another run lives in this folder (process {first.pid})" in second.stderr
        assert first.wait(timeout=240) == 0
    finally:
        first.kill()


def test_bad_documents_are_rows_and_the_good_ones_do_not_notice(project, finished):
    # contract: D1
    bad = {
        "zero": b"",
        "text": b"just words, no PDF",
        "header": b"%PDF-1.7\n",
        "cut": (project.data / "alpha" / "full.pdf").read_bytes()[:300],
        "html": b"<html><body>404 Not Found</body></html>",
    }
    for doc_id, content in bad.items():
        (project.data / doc_id).mkdir()
        (project.data / doc_id / "full.pdf").write_bytes(content)
    project.configure({**CONFIG, "failure_budget": 1.0})
    project.run()
    rows = {}
    for ledger in (project.data / ".ledger").glob("adapt.*.jsonl"):
        rows |= {row["doc_id"]: row for row in map(json.loads, ledger.read_text().splitlines())}
    assert {doc_id for doc_id, row in rows.items() if row["status"] == "failed"} == set(bad)
    assert all(rows[doc_id]["reason"] and rows[doc_id]["message"] for doc_id in bad)
    before, after = finished.artifacts(), project.artifacts()
    for name in before:
        if name.startswith(("data/tiny/alpha", "indexes/tiny/beta", "data/tiny/gamma", "results/tiny/predictions")):
            assert after[name] == before[name], name


def test_too_many_failures_end_with_status_3(project):
    for number in range(5):
        folder = project.data / f"bad{number}"
        folder.mkdir()
        (folder / "full.pdf").write_bytes(b"no PDF")
    result = project.snakemake()
    assert result.returncode == 3, result.stderr
    assert "5 of 8 documents failed, more than failure_budget 0.5 allows" in result.stderr
    assert (project.results / "metrics_summary.json").exists()


def test_a_bug_in_a_stage_ends_with_status_1(project):
    source = project.folder / "src" / "cosee" / "stages" / "collect.py"
    source.write_text("raise RuntimeError('a bug')\n")
    result = project.snakemake()
    assert result.returncode == 1


def test_a_dataset_without_questions_still_gets_its_trees_and_indexes(project):
    (project.data / "qa" / "questions.jsonl").unlink()
    project.run()
    assert project.planned() == set()
    assert (project.results / "tiny" / "predictions" / "page_rag.jsonl").read_text() == ""
