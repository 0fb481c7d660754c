"""``cosee estimate``: what it prints and keeps; beside a server that counts it stands in test_workflow_demo.py."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from helpers.project import Project

from cosee.artifacts.results.estimate import Estimate

Cosee = Callable[..., "CompletedProcess[str]"]


@pytest.fixture(scope="module")
def project(ran: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    return ran.copy(tmp_path_factory.mktemp("estimate") / "project")


def test_the_command_prints_and_keeps_the_estimate_with_its_price(project: Project, cosee: Cosee) -> None:
    price = {"tokens_in": 1000000.0, "tokens_out": 0.0, "call": 2.0, "currency": "EUR"}
    entry = {"kind": "openai", "model": "m", "base_url": "http://127.0.0.1:1/v1", "api_key_env": "NO_SUCH_KEY",
             "price": price}  # fmt: skip
    (project.folder / "config" / "models.yaml").write_text(json.dumps({"models": {"served": entry}}))
    config = json.loads((project.folder / "config" / "config.yaml").read_text())
    config["runs"]["dear"] = {"datasets": ["tiny"], "model": "served", "methods": ["constant", "page_rag", "cosee"]}
    project.configure(config)
    result = cosee(project, "estimate", "dear")
    assert result.returncode == 0, result.stderr
    assert "run dear with served: 3 questions, 3 documents, 6 pages" in result.stdout and "EUR" in result.stdout
    made = Estimate.load(project.results / "dear" / "estimate.json")
    reading = made.methods["page_rag"]
    assert reading.calls.low == reading.calls.high == 3 and reading.looked_at == 3
    assert reading.money is not None and reading.money.likely == reading.tokens_in.likely + 6.0
    assert made.methods["cosee"].calls.low == 9 and made.methods["cosee"].calls.high == 18
    assert made.methods["constant"].money is not None and made.methods["constant"].money.high == 0.0
    part = cosee(project, "estimate", "dear", "--sample", "1")
    assert "from the prompts of 1 of 3 questions" in part.stdout
    sampled = Estimate.load(project.results / "dear" / "estimate.json").methods["page_rag"]
    assert sampled.calls.likely == 3 and sampled.tokens_in.likely == pytest.approx(reading.tokens_in.likely, rel=0.1)


def test_without_an_index_it_says_what_to_run(project: Project, cosee: Cosee, tmp_path: Path) -> None:
    bare = project.copy(tmp_path / "bare")
    for path in (bare.folder / "indexes").glob("tiny/*/index.meta.json"):
        path.unlink()
    result = cosee(bare, "estimate", "tiny")
    assert result.returncode == 1 and "snakemake --cores all --until questions" in result.stdout
    refused = cosee(bare, "estimate", "none")
    assert refused.returncode == 2 and refused.stderr.startswith("cosee: estimate: there is no run 'none'")
