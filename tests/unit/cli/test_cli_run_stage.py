"""``cosee run-stage``: the same commands as Snakemake's rules."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from helpers.project import CONFIG, Project

from cosee.commands.run_stage import STAGES, Choice, stage_jobs
from cosee.pipeline.workflow import open_project

Cosee = Callable[..., "CompletedProcess[str]"]


def command_key(arguments: list[str]) -> tuple[str, ...]:
    """Module and options of a stage's command, without what may differ: number of workers, order of options."""
    groups: list[list[str]] = []
    for argument in arguments:
        if argument.startswith("--") or not groups:
            groups.append([])
        groups[-1].append(argument)
    groups = [group for group in groups if group[0] != "--workers"]
    return tuple(sorted(" ".join(group) for group in groups))


def test_commands_are_those_of_the_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project.create(tmp_path / "project")
    with open(project.data / "qa" / "questions.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps({"question_id": "all", "question": "Which of the three was measured?"}) + "\n")
    result = project.snakemake("-n", "--printshellcmds")
    assert result.returncode == 0, result.stdout + result.stderr
    printed = set()
    for line in (result.stdout + result.stderr).splitlines():
        if " -m cosee.stages." in line:
            words = shlex.split(re.split(r"\s>\s", line.strip())[0])
            printed.add(command_key(words[words.index("-m") + 1 :]))
    monkeypatch.chdir(project.folder)
    configured = open_project(CONFIG, runs_jobs=False, dryrun=True)
    ours = {command_key(job.arguments) for stage in STAGES for job in stage_jobs(configured, Choice(stage))}
    assert len(printed) > 15
    # None of them may write on after its scheduler was killed.
    assert all("--die-with-parent" in command for command in printed)
    assert ours == printed
    (job,) = stage_jobs(configured, Choice("answer", shard="0001", method="cosee"))
    assert job.name == "answer tiny cosee tiny/0001"
    assert job.needs == ["indexes/tiny/.ledger/index.0001.jsonl", "indexes/tiny/.ledger/questions.0001.jsonl"]
    (job,) = stage_jobs(configured, Choice("answer", shard="c0000", method="cosee"))
    index = [f"indexes/tiny/.collection/{shard}.json" for shard in ("0000", "0001")]
    assert job.needs == ["indexes/tiny/.ledger/questions.c0000.jsonl", *index]


def test_every_stage_wrote_what_snakemake_looks_for(ran: Project) -> None:
    assert (ran.results / "metrics_summary.json").is_file()
    assert (ran.results / "report" / "index.html").is_file()
    for method in ("constant", "cosee"):
        rows = (ran.results / "tiny" / "predictions" / f"{method}.jsonl").read_text().splitlines()
        assert [json.loads(row)["question_id"] for row in rows] == ["alpha-1", "beta-1", "gamma-1"]


def test_a_second_call_skips_and_redo_runs_with_the_same_bytes(ran: Project, tmp_path: Path, cosee: Cosee) -> None:
    # contract: D1
    project = ran.copy(tmp_path / "copy")
    before, stamps = project.artifacts(), project.stamps("build")
    assert cosee(project, "run-stage", "build").returncode == 0
    assert project.stamps("build") == stamps
    assert cosee(project, "run-stage", "build", "--redo").returncode == 0
    assert all(mtime != stamps[doc_id] for doc_id, mtime in project.stamps("build").items())
    assert project.artifacts() == before


def test_answers_with_other_settings_are_refused(ran: Project, tmp_path: Path, cosee: Cosee) -> None:
    project = ran.copy(tmp_path / "copy")
    config = json.loads((project.folder / "config" / "config.yaml").read_text())
    config["runs"]["tiny"]["seed"] = 7
    project.configure(config)
    result = cosee(project, "run-stage", "answer", "--method", "constant")
    assert result.returncode == 2
    assert "run 'tiny' exists with other settings" in result.stderr
    assert "seed is 7, was 0" in result.stderr
