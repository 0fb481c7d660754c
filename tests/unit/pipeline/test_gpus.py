"""GPUs that the jobs of M2 ask for."""

from pathlib import Path
from typing import Any

import pytest

from cosee.models.clients.qwen_vl import QwenVLEntry
from cosee.models.clients.vllm import VllmEntry
from cosee.models.entries import Entry
from cosee.pipeline.config import load_config
from cosee.pipeline.paths import Paths
from cosee.pipeline.workflow import Project


def asked(index: dict[str, Any]) -> tuple[int, int]:
    """GPUs of an index job and of a questions job."""
    config = load_config({"datasets": ["d"], "runs": {"r": {"datasets": ["d"]}}, "index": index})
    models: dict[str, Entry] = {
        "two": VllmEntry(kind="vllm", model_path="m", tensor_parallel_size=2),
        "build for cpu": VllmEntry(kind="vllm", model_path="m", device="cpu", tensor_parallel_size=2),
        "gpu": QwenVLEntry(kind="qwen_vl", model_path="m"),
        "cpu": QwenVLEntry(kind="qwen_vl", model_path="m", device="cpu"),
    }
    project = Project(config, Paths(Path("data"), Path("indexes"), Path("results")), models=models)
    return project.resources.index_gpus(), project.resources.question_gpus()


@pytest.mark.parametrize(
    ("index", "gpus"),
    [
        ({}, (0, 0)),
        ({"device": "auto"}, (1, 1)),
        ({"device": "auto", "embedder": "none"}, (0, 0)),
        ({"page_embedder": {"model_path": "m"}}, (1, 1)),
        ({"page_embedder": {"model_path": "m", "device": "cpu"}}, (0, 0)),
        ({"page_embedder": {"device": "cuda:0"}}, (0, 0)),
        ({"reranker": {"model_path": "m"}}, (0, 0)),
        ({"reranker": {"model_path": "m", "device": "auto"}}, (0, 1)),
        ({"summaries": "llm", "summary_model": "gpu"}, (1, 0)),
        ({"summaries": "llm", "summary_model": "cpu"}, (0, 0)),
        ({"summaries": "llm", "summary_model": "two"}, (2, 0)),
        ({"summaries": "llm", "summary_model": "build for cpu"}, (0, 0)),
    ],
)
def test_a_job_asks_for_a_gpu_where_its_model_runs_on_one(index: dict[str, Any], gpus: tuple[int, int]) -> None:
    # contract: D106
    assert asked(index) == gpus
