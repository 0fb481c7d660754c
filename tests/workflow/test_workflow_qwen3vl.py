"""The workflow with a vision-language model: GPUs asked for where one runs in the job, and a real run on a tiny one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from benchmarks.tiny_qwen3vl import build_tiny_qwen3vl
from helpers.project import CONFIG, ROOT, Project
from helpers.tiny_page_models import build_tiny_colqwen2, build_tiny_cross_encoder

TINY = {
    **CONFIG,
    "enhance": {"figure_model": "tiny"},
    "failure_budget": 1.0,
    "shard_pages": 1000,
    "index": {"embedder": "none"},
    "limits": {"seconds": 120, "memory_mb": 4000},
    "runs": {
        "tiny": {
            "datasets": ["tiny"],
            "model": "tiny",
            "methods": ["constant", {"strategy": "page_rag", "pages": 1}, {"strategy": "cosee", "max_steps": 1}],
            "budget": {"calls": 2, "tokens_out": 40},
        }
    },
}


def with_models(project: Project, **models: object) -> Project:
    (project.folder / "config" / "models.yaml").write_text(yaml.safe_dump({"models": models}), encoding="utf-8")
    return project


def gpus(plan: str) -> dict[str, set[str]]:
    """Rule -> values of ``gpu`` that the jobs of a dry run ask for."""
    found: dict[str, set[str]] = {}
    rule = ""
    for line in plan.splitlines():
        if line.strip().startswith(("rule ", "localrule ")):
            rule = line.split()[1].rstrip(":")
        if line.strip().startswith("resources:"):
            asked = dict(part.split("=", 1) for part in line.split(":", 1)[1].strip().split(", ") if "=" in part)
            found.setdefault(rule, set()).add(asked.get("gpu", "0"))
    return found


@pytest.mark.parametrize(("device", "wanted"), [("auto", "1"), ("cuda:0", "1"), ("cpu", "0")])
def test_jobs_with_a_local_model_ask_for_a_gpu(tmp_path: Path, device: str, wanted: str) -> None:
    # contract: D106
    project = Project.create(tmp_path / "project", TINY)
    with_models(project, tiny={"kind": "qwen_vl", "model_path": "models/none", "device": device})
    asked = gpus(project.snakemake("-n").stdout)
    assert asked["answer"] == {wanted} and asked["enhance"] == {wanted}
    assert asked["adapt"] == {"0"} and asked["index"] == {"0"}


def test_a_page_embedder_asks_for_a_gpu_where_it_is_used(tmp_path: Path) -> None:
    # contract: D106
    settings = {"embedder": "none", "page_embedder": {"model_path": "models/colqwen2"}}
    project = Project.create(tmp_path / "project", {**CONFIG, "index": settings})
    asked = gpus(project.snakemake("-n").stdout)
    assert asked["index"] == asked["questions"] == {"1"} and asked["build"] == asked["answer"] == {"0"}


@pytest.mark.timeout(600)
def test_m2_sees_pages_reads_passages_and_writes_summaries_once(tmp_path: Path) -> None:
    # contract: D31, D62
    models = tmp_path / "models"
    settings = {
        "embedder": "none",
        "summaries": "llm",
        "summary_model": "writer",
        "summary_words": 10,
        "page_embedder": {"model_path": str(build_tiny_colqwen2(models / "see")), "device": "cpu", "max_patches": 32},
        "reranker": {"model_path": str(build_tiny_cross_encoder(models / "read"))},
    }
    project = Project.create(tmp_path / "project", {**CONFIG, "shard_pages": 1000, "index": settings})
    entry = {"kind": "scripted", "replies": ['{"summary": "A report about the year."}'], "repeat_last": True}
    (project.folder / "config" / "models.yaml").write_text(json.dumps({"models": {"writer": entry}}))
    project.run("--until", "questions")
    ledgers = project.folder / "indexes" / "tiny" / ".ledger"
    rows = [json.loads(line) for line in (ledgers / "index.0000.jsonl").read_text("utf-8").splitlines()]
    assert [row["counts"]["pages_seen"] for row in rows] == [2, 2, 2]
    asked = [row["counts"]["summaries_by_model"] + row["counts"]["summaries_kept"] for row in rows]
    assert all(asked) and any(row["counts"]["summaries_by_model"] for row in rows)
    for name in ("page_vectors.npy", "question_pages.npy", "passage_scores.json"):
        assert len(list((project.folder / "indexes" / "tiny").glob(f"*/{name}"))) == 3
    assert not {job for job in project.planned() if job.split(":")[0] in ("index", "questions")}
    assert len(list((project.folder / "indexes" / "tiny" / ".journal" / "index").glob("*.jsonl"))) == 3


def test_the_projects_own_qwen_configuration_plans_with_gpus(tmp_path: Path) -> None:
    project = Project.create(tmp_path / "project")
    text = (ROOT / "config" / "qwen3vl.yaml").read_text("utf-8").replace("[demo]", "[tiny]")
    (project.folder / "config" / "qwen3vl.yaml").write_text(text, encoding="utf-8")
    result = project.snakemake("-n", "--configfile", "config/qwen3vl.yaml", target="")
    assert result.returncode == 0, result.stdout + result.stderr
    assert gpus(result.stdout)["answer"] == {"1"} and gpus(result.stdout)["enhance"] == {"1"}


def test_a_model_that_is_not_configured_is_refused_at_once(tmp_path: Path) -> None:
    project = Project.create(tmp_path / "project", TINY)
    result = project.snakemake("-n")
    assert result.returncode == 2
    assert "enhance.figure_model: there is no model 'tiny'" in result.stderr


@pytest.mark.timeout(600)
def test_a_run_on_the_tiny_model_ends_in_metrics(tmp_path: Path) -> None:
    # contract: D106
    project = Project.create(tmp_path / "project", TINY)
    folder = build_tiny_qwen3vl(tmp_path / "tiny")
    entry = {"kind": "qwen_vl", "model_path": str(folder), "device": "cpu", "max_pixels": 262_144}
    with_models(project, tiny=entry).run()
    summary = json.loads((project.results / "metrics_summary.json").read_text("utf-8"))
    assert set(summary["runs"]) == {"tiny"}
    for method in ("page_rag", "cosee"):
        lines = (project.results / "tiny" / "predictions" / f"{method}.jsonl").read_text("utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        assert len(rows) == 3 and {row["model"] for row in rows} == {"tiny"}
        assert all(row["usage"]["images"] >= 1 and row["usage"]["tokens_in"] > 100 for row in rows)
    journals = list((project.results / "tiny" / "journal").rglob("*.jsonl"))
    assert journals and all(path.stat().st_size for path in journals)
    assert project.planned() == set()


@pytest.mark.parametrize("name", ["embedded", "short"])
def test_what_is_no_model_writes_no_summaries_under_any_name(tmp_path: Path, name: str) -> None:
    project = Project.create(tmp_path / "project", {**CONFIG, "index": {"summaries": "llm", "summary_model": name}})
    entries = {"models": {"short": {"kind": "embedded"}}}
    (project.folder / "config" / "models.yaml").write_text(json.dumps(entries))
    result = project.snakemake("-n")
    assert result.returncode == 2
    assert f"index.summary_model: '{name}' is no model and writes no summaries" in result.stderr
