"""environment.yml (for developers who use conda) lists what pyproject.toml lists, as do the environments of rules."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml
from tools.environments import environments

PROJECT = Path(__file__).resolve().parents[2]
STANDS_ON = {
    "snakemake", "torch", "transformers", "accelerate", "pymupdf", "pillow", "faiss-cpu", "rank-bm25",
    "sentence-transformers", "pandas", "pyarrow", "jsonlines", "pytest",
}  # fmt: skip


def conda() -> dict[str, Any]:
    environment: dict[str, Any] = yaml.safe_load((PROJECT / "environment.yml").read_text(encoding="utf-8"))
    return environment


def from_pip() -> list[str]:
    (pip,) = [entry["pip"] for entry in conda()["dependencies"] if isinstance(entry, dict)]
    return [line for line in pip if not line.startswith("-")]


def name_of(requirement: str) -> str:
    return re.split(r"[\s<>=!~\[;]", requirement, maxsplit=1)[0].lower()


def test_environment_lists_core_and_dev() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["dev"]]
    assert sorted(from_pip()) == sorted(wanted)


def test_environments_of_the_rules_are_pinned_and_hold_what_their_need_takes() -> None:
    written = environments(PROJECT)
    assert {name: (PROJECT / "workflow" / "envs" / name).read_text(encoding="utf-8") for name in written} == written
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core = {name_of(requirement) for requirement in project["dependencies"]}
    for name, brought in {
        "cpu.yaml": core,
        "gpu.yaml": core | {"bitsandbytes"},
        "notebook.yaml": {"papermill"},
    }.items():
        (pip,) = [each["pip"] for each in yaml.safe_load(written[name])["dependencies"] if isinstance(each, dict)]
        assert all(re.fullmatch(r"[a-z0-9-]+==[\w.]+", each) for each in pip)
        assert {name_of(each) for each in pip} >= brought


def test_environment_has_the_packages_that_the_project_stands_on() -> None:
    assert {name_of(requirement) for requirement in from_pip()} >= STANDS_ON


def test_environment_has_the_python_of_the_project() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"python{project['requires-python']}" in conda()["dependencies"]


def test_core_and_dev_are_pinned_by_the_constraints() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (PROJECT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {name_of(line).replace("_", "-") for line in lines if "==" in line}
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["notebook"], *extras["dev"]]
    assert {name_of(requirement) for requirement in wanted} - pinned == set()
