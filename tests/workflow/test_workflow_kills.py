"""DESIGN section 6: killed at any moment, the same command goes on to the same bytes and repeats no model call."""

import argparse
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from benchmarks import reliability_kills
from helpers.project import CONFIG, Project, jobs_in

KILLS = 20
ADAPTED = "data/tiny/.ledger/adapt.0000.jsonl"
BUILT = "data/tiny/.ledger/build.0000.jsonl"
INDEXED = "indexes/tiny/.ledger/index.0000.jsonl"


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_twenty_kills_leave_the_bytes_of_an_undisturbed_run_and_repeat_no_call(tmp_path):
    measured = reliability_kills.measure(argparse.Namespace(work=tmp_path, kills=KILLS, seed=3))
    assert measured.figures["kills"] >= KILLS
    assert measured.detail["faults"] == []
    assert measured.figures["kills_identical"] == measured.figures["kills"]
    assert measured.figures["repeated_calls"] == 0
    assert measured.detail["targets"].keys() >= {"tree", "scheduler", "job"}, "seed 3 draws each of them"
    # Nothing is measured twice: with as many kills on record there is nothing left to do.
    (tmp_path / "kills" / "trial" / "run.log").unlink()
    again = reliability_kills.measure(argparse.Namespace(work=tmp_path, kills=KILLS, seed=3))
    assert again.figures == measured.figures
    assert not (tmp_path / "kills" / "trial" / "run.log").exists()


def started(project: Project, target: str, sign: str) -> subprocess.Popen:
    """A run that has come as far as the file ``sign``."""
    process = subprocess.Popen(
        project.command(target),
        cwd=project.folder,
        env=project.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 120
    while not list(project.folder.glob(sign)) and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.02)
    return process


def children_of(pid: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(status.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(status.parent.name))
        except OSError:
            continue
    return found


def test_sigterm_ends_a_run_and_its_jobs_within_ten_seconds(finished, tmp_path):
    project = Project.create(tmp_path / "project")
    # A job that takes its time: what Snakemake by itself would wait for.
    stage = project.folder / "src" / "cosee" / "stages" / "adapt.py"
    source = stage.read_text()
    stage.write_text("import time\ntime.sleep(100)\n")
    process = started(project, ADAPTED, "logs/tiny/adapt.*.log")
    deadline = time.monotonic() + 20
    while not (jobs := children_of(process.pid)) and time.monotonic() < deadline:
        time.sleep(0.02)
    before = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=60) != 0
    assert time.monotonic() - before < 10
    assert jobs and not [job for job in jobs if Path(f"/proc/{job}").exists()], "a job lives on"
    stage.write_text(source)
    result = project.snakemake(target=ADAPTED)
    assert result.returncode == 0, result.stderr
    complete = finished.artifacts()
    assert {name: complete[name] for name in project.artifacts() if "/alpha/" in name} == {
        name: content for name, content in project.artifacts().items() if "/alpha/" in name
    }


def test_a_clock_that_was_set_back_loses_nothing_and_reruns_nothing(project):
    """Every file lies an hour ahead of the clock, as after a run before the clock was set back."""
    for path in sorted(project.folder.rglob("*")):
        status = path.lstat()
        ahead = (status.st_atime_ns + 3600 * 10**9, status.st_mtime_ns + 3600 * 10**9)
        os.utime(path, ns=ahead, follow_symlinks=False)
    assert project.planned() == set()
    (project.data / "alpha" / "doctree.mm.json").unlink()
    result = project.snakemake(target=BUILT)
    assert jobs_in(result.stdout + result.stderr) == {"build:0000"}, "and it is not lost either"
    # The new ledger is older than every other file, and nothing that follows has to run: its bytes are the old ones.
    assert project.planned() == set()


def test_a_full_disk_is_one_clear_line_and_the_run_goes_on_when_there_is_space(finished, project):
    indexes = project.folder / "indexes"
    shutil.rmtree(indexes)
    indexes.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48k", "tmpfs", str(indexes)], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip("needs the right to mount a small file system")
    try:
        result = project.snakemake(target=INDEXED)
        assert result.returncode == 1
        log = (project.folder / "logs" / "tiny" / "index.0000.log").read_text()
        assert re.search(r"index: indexes/tiny/\S+: cannot be written \(No space left on device\)", log)
        assert "Traceback" not in log
        assert "cannot be written" in result.stdout + result.stderr, "the log of a failed job is shown"
        complete = finished.artifacts()
        partial = {name: content for name, content in project.artifacts().items() if name.startswith("indexes/")}
        assert partial and partial == {name: complete[name] for name in partial}
        assert not list(indexes.rglob("*.tmp"))
        subprocess.run(["mount", "-o", "remount,size=100m", str(indexes)], check=True)
        assert project.snakemake(target=INDEXED).returncode == 0
        made = {name: content for name, content in project.artifacts().items() if name.startswith("indexes/tiny/alpha")}
        assert made.keys() > partial.keys()
        assert made == {name: complete[name] for name in made}
    finally:
        subprocess.run(["umount", "-l", str(indexes)], check=False)


def test_documents_that_hit_a_bound_are_named_with_the_command_that_tries_them_again(project):
    project.configure({**CONFIG, "limits": {"seconds": 0.001, "memory_mb": 2000}})
    result = project.snakemake("-R", "adapt", "--", target=ADAPTED)
    assert "adapt: alpha (timeout), beta (timeout) hit a bound of 'limits'" in result.stderr
    assert "'cosee run-stage adapt'" in result.stderr
    project.configure(CONFIG)
    result = project.snakemake(target=ADAPTED)
    assert jobs_in(result.stdout + result.stderr) == {"adapt:0000"}, "raised bounds try the documents again"
    assert "hit a bound" not in result.stderr
