"""The workflow on a real SLURM of one node (`make slurm-test`): skipped where none runs.

One run has it all: its scheduler is killed while a job runs, the command that asks for states fails twice, a job takes
more memory than it asked for, an output is seen eight seconds late, and a model wants a GPU.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
import yaml
from benchmarks.tiny_qwen3vl import build_tiny_qwen3vl
from helpers.project import CONFIG, Project

HERE = Path(__file__).parent
SMALL = {
    **CONFIG,
    "shard_pages": 1000,
    "limits": {"seconds": 60, "memory_mb": 300},
    "failure_budget": 1.0,
    "runs": {
        "tiny": {"datasets": ["tiny"], "methods": ["page_rag"]},
        "seen": {
            "datasets": ["tiny"],
            "model": "seeing",
            "methods": [{"strategy": "page_rag", "generation": {"max_new_tokens": 16}}],
        },
    },
}
OVER_MEMORY = """
    import os
    import time

    if "SLURM_JOB_ID" in os.environ:
        print("takes 850 MB", flush=True)
        ballast = bytearray(b"x") * 850_000_000
        time.sleep(4)
"""
LATE = """
    import os
    import subprocess
    import sys

    status = main()
    name = "results/tiny/predictions/page_rag.jsonl"
    if "SLURM_JOB_ID" in os.environ and "tiny" in sys.argv[sys.argv.index("--run") :][:2]:
        subprocess.run(["mv", name, name + ".late"], check=True)
        subprocess.Popen(["sh", "-c", f"sleep 8; mv {name}.late {name}"], start_new_session=True)
    raise SystemExit(status)
"""


def slurm_runs() -> bool:
    try:
        return subprocess.run(["sinfo", "-h"], capture_output=True, timeout=20).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1500),
    pytest.mark.skipif(not slurm_runs(), reason="no SLURM runs here; `make slurm-test` starts one (root, Debian)"),
]


def create(folder: Path) -> Project:
    project = Project.create(folder, SMALL)
    build_tiny_qwen3vl(folder / "models" / "tiny", context=4_096)
    # Kept prompt states would be counted, and which document asks first is chance.
    seeing = {"kind": "qwen_vl", "model_path": "models/tiny", "max_pixels": 4096, "prefix_gib": 0}
    models = {"embedded": {"kind": "embedded"}, "seeing": seeing}
    (folder / "config" / "models.yaml").write_text(yaml.safe_dump({"models": models}))
    return project


def patch(project: Project, stage: str, lines: str) -> None:
    """Put lines at the head of a stage's main block."""
    path = project.folder / "src" / "cosee" / "stages" / f"{stage}.py"
    head = 'if __name__ == "__main__":'
    path.write_text(path.read_text().replace(head, head + lines))


class Cluster:
    """A project's runs on SLURM."""

    def __init__(self, project: Project, tools: Path) -> None:
        self.project = project
        self.environment = {**project.environment(), "PATH": f"{tools}:{os.environ['PATH']}"}

    def command(self, *options: str) -> list[str]:
        profiles = ["--profile", str(HERE / "profile"), "--workflow-profile", "profiles/slurm"]
        return [*self.project.command()[:3], *profiles, "--jobs", "2", *options, "results/metrics_summary.json"]

    def start(self, log: Path) -> subprocess.Popen:
        with open(log, "wb") as output:
            return subprocess.Popen(
                self.command(), cwd=self.project.folder, env=self.environment, stdout=output, stderr=subprocess.STDOUT
            )

    def jobs(self) -> dict[str, list[dict[str, str]]]:
        """Rule -> its jobs of this project in order, each as SLURM shows it."""
        shown = subprocess.run(["scontrol", "show", "job", "--oneliner"], capture_output=True, text=True, check=True)
        found: dict[str, list[dict[str, str]]] = {}
        for line in shown.stdout.splitlines():
            job = dict(part.split("=", 1) for part in line.split() if "=" in part)
            if job.get("WorkDir") == str(self.project.folder):
                rule = re.match(r"rule_(\w+?)(_wildcards.*)?$", job["Comment"])
                assert rule, job
                found.setdefault(rule.group(1), []).append(job)
        return {rule: sorted(jobs, key=lambda job: int(job["JobId"])) for rule, jobs in found.items()}


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder with a squeue that fails twice."""
    folder = tmp_path / "tools"
    folder.mkdir()
    real = shutil.which("squeue")
    (folder / "squeue").write_text(
        f'#!/bin/sh\necho >> {folder}/calls\n[ $(wc -l < {folder}/calls) -le 2 ] && exit 1\nexec {real} "$@"\n'
    )
    (folder / "squeue").chmod(0o755)
    return folder


def test_a_run_on_a_cluster_survives_and_ends_in_the_same_bytes(tmp_path: Path, tools: Path) -> None:
    local, project = create(tmp_path / "local"), create(tmp_path / "cluster")
    for each in (local, project):  # the same code in both, since metrics name it
        patch(each, "build", OVER_MEMORY)
        patch(each, "collect", LATE)
    local.run()
    cluster = Cluster(project, tools)
    first = cluster.start(tmp_path / "first.log")
    deadline = time.monotonic() + 900
    while not any(job["JobState"] == "RUNNING" for job in cluster.jobs().get("index", [])):
        assert first.poll() is None, (tmp_path / "first.log").read_text()
        assert time.monotonic() < deadline
        time.sleep(0.5)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    second = cluster.start(tmp_path / "second.log")
    assert second.wait(timeout=900) == 0, (tmp_path / "second.log").read_text() + project.logs()

    assert project.artifacts() == local.artifacts()
    jobs = cluster.jobs()
    # Only the killed job ran twice, and the job that the dead scheduler had left running did its work once.
    assert {rule: len(found) for rule, found in jobs.items()} == {
        "adapt": 1, "enhance": 1, "build": 2, "index": 2, "questions": 1,
        "answer": 2, "collect": 2, "evaluate": 2, "summarize": 1,
    }  # fmt: skip
    log = (project.folder / "logs" / "tiny" / "index.0000.log").read_text()
    assert "3 documents, 0 to do" in log
    for journal in (project.results / "tiny" / "journal").rglob("*.jsonl"):
        keys = [json.loads(line)["key"] for line in journal.read_text().splitlines()]
        assert len(keys) == len(set(keys)), journal

    killed, retried = jobs["build"]
    assert (killed["JobState"], killed["MinMemoryNode"]) == ("FAILED", "650M")
    assert (retried["JobState"], retried["MinMemoryNode"]) == ("COMPLETED", "1300M")
    shown = (tmp_path / "first.log").read_text()
    assert "takes 850 MB" in shown, "the failed job's log is shown"
    assert "exceeded memory limit" in "".join(path.read_text() for path in project.folder.glob("logs/slurm/**/*.log"))

    asked = {rule: {job.get("TresPerJob", "none") for job in found} for rule, found in jobs.items()}
    assert asked.pop("answer") == {"none", "gres:gpu:1"}
    assert set().union(*asked.values()) == {"none"}
    assert len((tools / "calls").read_text()) > 2


def test_asking_for_a_stage_reaches_its_job_on_the_cluster(tmp_path: Path, tools: Path) -> None:
    project = Project.create(tmp_path / "project", {**SMALL, "runs": {"tiny": SMALL["runs"]["tiny"]}})
    project.snakemake(target="data/tiny/.ledger/enhance.0000.jsonl")
    before = {stage: project.stamps(stage) for stage in ("adapt", "enhance")}
    command = Cluster(project, tools).command("--forcerun", "enhance", "--until", "enhance")
    result = subprocess.run(
        command, cwd=project.folder, env=Cluster(project, tools).environment, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr + project.logs()
    assert project.stamps("adapt") == before["adapt"]
    assert all(project.stamps("enhance")[doc_id] != before["enhance"][doc_id] for doc_id in before["enhance"])
