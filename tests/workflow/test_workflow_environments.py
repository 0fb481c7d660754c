"""Which conda environments `--sdm conda` makes for which configuration. No conda is needed to say so: a stand-in
answers Snakemake's questions about the installation, and refuses everything else."""

import os
import re
import subprocess
from pathlib import Path

import yaml
from helpers.project import CONFIG, Project

CONDA = """#!/bin/sh
case "$1" in
info) echo '{"conda_prefix": "/nowhere", "root_prefix": "/nowhere", "platform": "linux-64"}' ;;
config) echo '{"get": {"channel_priority": "strict"}}' ;;
--version) echo 'conda 25.9.1' ;;
*) exit 1 ;;
esac
"""


def planned(project: Project, folder: Path, *targets: str) -> set[str]:
    """Names of the environments that a dry run would make."""
    conda = folder / "conda"
    conda.write_text(CONDA)
    conda.chmod(0o755)
    result = subprocess.run(
        project.command(*targets, "-n", "--sdm", "conda"),
        cwd=project.folder,
        env={**project.environment(), "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    found = re.findall(r"^Conda environment \S*/envs/(\w+)\.yaml will be created", result.stdout + result.stderr, re.M)
    return set(found)


def test_each_need_has_its_environment(tmp_path: Path) -> None:
    project = Project.create(tmp_path / "project")
    assert planned(project, tmp_path) == {"cpu"}
    assert planned(project, tmp_path, "analyses") == {"cpu", "notebook"}
    entry = {"kind": "qwen_vl", "model_path": "models/none", "device": "auto"}
    (project.folder / "config" / "models.yaml").write_text(yaml.safe_dump({"models": {"local": entry}}))
    project.configure({**CONFIG, "runs": {"tiny": {"datasets": ["tiny"], "model": "local", "methods": ["direct"]}}})
    assert planned(project, tmp_path) == {"cpu", "gpu"}


def test_jobs_of_an_environment_find_the_code_and_nothing_beside_it(tmp_path: Path) -> None:
    project = Project.create(tmp_path / "project")
    planned(project, tmp_path)
    code = project.folder / ".snakemake" / "code"
    assert [path.name for path in code.iterdir()] == ["cosee"]
    assert (code / "cosee").resolve() == project.folder / "src" / "cosee"
