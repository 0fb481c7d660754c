"""Three hundred documents in six shards: jobs grow with shards, and to see that nothing changed no artifact is opened.

The times for 10,000 documents are measured by `python -m benchmarks.scale`.
"""

import json
import os
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest
from benchmarks.scale_corpus import DATASET, make_project, snakemake, write_documents
from benchmarks.small_embedder import INDEX

from cosee.artifacts import files
from cosee.pipeline import workflow

DOCUMENTS = 300
CONFIG = {"datasets": [DATASET], "shard_pages": 50, "index": INDEX}
STAGES = ("adapt", "enhance", "build")


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("scale")
    make_project(folder, CONFIG)
    write_documents(folder / "data" / DATASET, DOCUMENTS)
    run = snakemake(folder, "--until", "build", cores=2)
    assert run.status == 0, run.output
    assert run.jobs() == dict.fromkeys(STAGES, 6)
    return folder


def stamps(project: Path) -> dict[str, int]:
    return {
        path.relative_to(project).as_posix(): path.stat().st_mtime_ns
        for path in project.glob(f"data/{DATASET}/*/.stamps/*.json")
    }


def opened(project: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Counter[str], int]:
    """Files that the scheduler looks at, opens or writes when it starts, and its peak of memory in bytes."""
    calls: Counter[str] = Counter()
    monkeypatch.chdir(project)
    monkeypatch.setattr(workflow, "hold_for_life", lambda path: None)
    for module, name in ((os, "stat"), (files, "read_bytes"), (files, "sha256_file"), (files, "write_bytes")):
        real = getattr(module, name)

        def counted(*args, _real=real, _name=name, **kwargs):
            calls[_name] += 1
            return _real(*args, **kwargs)

        monkeypatch.setattr(module, name, counted)
    tracemalloc.start()
    workflow.open_project(CONFIG, runs_jobs=True, dryrun=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    monkeypatch.undo()
    return calls, peak


def test_the_scheduler_looks_at_each_artifact_once_and_opens_none(project, monkeypatch):
    # contract: D1
    tables = [json.loads(path.read_text())["files"] for path in project.glob(f"data/{DATASET}/.shards/*.outputs.json")]
    artifacts = sum(map(len, tables))
    assert artifacts == 5 * DOCUMENTS
    calls, peak = opened(project, monkeypatch)
    per_document = (calls["stat"] - artifacts) / DOCUMENTS
    assert per_document < 5, "the PDF, MinerU's list, the questions and a little more"
    assert calls["sha256_file"] == calls["write_bytes"] == 0
    assert calls["read_bytes"] < 100, "what a shard has, not what a document has"
    assert peak < 20_000_000


def test_memory_of_the_scheduler_is_bounded(project):
    plan = snakemake(project, "-n", "-F")
    assert plan.status == 0, plan.output
    assert {rule: count for rule, count in plan.jobs().items() if count > 3} == {
        **dict.fromkeys((*STAGES, "index", "questions"), 6),
        "answer": 6 * 3,
    }, "a job a shard and stage, and for answers a method"
    assert 50 < plan.own_rss_mb < 400


def test_one_document_more_reruns_one_shard(project):
    before = stamps(project)
    write_documents(project / "data" / DATASET, DOCUMENTS + 1)
    run = snakemake(project, "--until", "build", cores=2)
    assert run.status == 0, run.output
    assert run.jobs() == dict.fromkeys(STAGES, 1)
    after = stamps(project)
    changed = {name for name in after if before.get(name) != after[name]}
    assert changed == {f"data/{DATASET}/d{DOCUMENTS:05d}/.stamps/{stage}.json" for stage in STAGES}
    again = snakemake(project, "--until", "build")
    assert again.status == 0 and not again.jobs()
