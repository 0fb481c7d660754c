"""Kill, repeat, hostile input, two runs at once: the promises of DESIGN section 6 on a small project."""

import json
import os
import signal
import subprocess
import time

from helpers.project import CONFIG, Project


def test_two_runs_from_scratch_are_equal_byte_for_byte(finished, tmp_path):
    # contract: D117
    other = Project.create(tmp_path / "elsewhere" / "project")
    other.configure({**CONFIG, "shard_pages": 4})
    result = subprocess.run(
        [*other.command()[:3], "--cores", "1", "results/metrics_summary.json"],
        cwd=other.folder,
        env={**other.environment(), "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stderr + other.logs()
    first, second = finished.artifacts(), other.artifacts()
    assert sorted(first) == sorted(second)
    assert [name for name in first if first[name] != second[name]] == []


def test_a_killed_run_goes_on_with_the_same_command(finished, tmp_path):
    project = Project.create(tmp_path / "project")
    for delay in (2.0, 4.0, 6.5, 9.0):
        process = subprocess.Popen(
            project.command("results/metrics_summary.json"),
            cwd=project.folder,
            env=project.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(delay)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    project.run()
    assert project.planned() == set()
    assert project.artifacts() == finished.artifacts()
    for journal in (project.results / "tiny" / "journal").rglob("*.jsonl"):
        keys = [json.loads(line)["key"] for line in journal.read_text().splitlines()]
        assert len(keys) == len(set(keys)), journal


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
