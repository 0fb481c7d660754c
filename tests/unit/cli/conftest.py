"""One small project that went through every stage by ``cosee run-stage``; tests read it, or work on a copy."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.project import CONFIG, Project
from helpers.search_server import running

from cosee.commands.search_service import Limits, SearchService
from cosee.commands.serve import make_service
from cosee.pipeline.config import read_config

STAGES = ("adapt", "enhance", "build", "index", "questions", "answer", "collect", "evaluate", "summarize")
Cosee = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def cosee() -> Cosee:
    """Run ``cosee`` in a project's folder as a person does; never lets a traceback pass."""

    def run(project: Project, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "cosee.cli", *map(str, arguments)]
        environment = {**project.environment(), "COLUMNS": "160"}
        result = subprocess.run(
            command, cwd=project.folder, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert "Traceback" not in result.stderr, result.stderr
        return result

    return run


@pytest.fixture(scope="session")
def ran(tmp_path_factory: pytest.TempPathFactory, cosee: Cosee) -> Project:
    run = {"datasets": ["tiny"], "methods": ["constant", "cosee"]}
    config = {**CONFIG, "shard_pages": 100, "runs": {"tiny": run}}  # one shard, two methods: fewer processes
    project = Project.create(tmp_path_factory.mktemp("cli") / "project", config)
    for stage in STAGES:
        result = cosee(project, "run-stage", stage)
        assert result.returncode == 0, result.stdout + result.stderr
    return project


@pytest.fixture(scope="module")
def service(ran: Project) -> Iterator[SearchService]:
    """Behind ``cosee serve``; the working folder is the project's."""
    before = Path.cwd()
    os.chdir(ran.folder)
    try:
        yield make_service(read_config(Path("config/config.yaml")), None, None, Limits())
    finally:
        os.chdir(before)


@pytest.fixture(scope="module")
def port(service: SearchService) -> Iterator[int]:
    """Where the service listens."""
    with running(service) as found:
        yield found
