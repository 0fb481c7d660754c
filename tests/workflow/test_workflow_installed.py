"""The built wheel: what it holds, and a new project that uses nothing else of CoSee."""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from helpers.project import ROOT

LARGEST = 3_000_000
"""Bytes that the wheel may have."""


def build(source: Path, kind: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


def test_the_wheel_holds_what_a_project_needs(wheel: Path) -> None:
    assert wheel.stat().st_size < LARGEST
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    folders = [path for name in ("workflow", "profiles") for path in (ROOT / name).rglob("*")]
    configurations = [path for path in (ROOT / "config").iterdir() if path.name != "real.yaml"]
    demo = [*(ROOT / "data/demo").glob("*/full.pdf"), ROOT / "data/demo/qa/questions.jsonl"]
    wanted = [path for path in (*folders, *configurations, *demo) if path.is_file() and "__pycache__" not in path.parts]
    assert len(wanted) > 25
    for path in wanted:
        assert held[f"cosee/project/{path.relative_to(ROOT).as_posix()}"] == path.read_bytes()
    packages = {path.parent.name for path in (ROOT / "src").glob("*/__init__.py")}
    assert {name.split("/")[0] for name in held if ".dist-info/" not in name} == packages


def test_the_sdist_gives_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    sdist = build(ROOT, "sdist", tmp_path / "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    again = build(source, "wheel", tmp_path / "wheel")
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as other:
        assert {each.filename: each.CRC for each in one.infolist()} == {
            each.filename: each.CRC for each in other.infolist()
        }


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel unpacked in a folder of its own, as an installer does, beside the packages of this environment."""
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def run(installed: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(installed),
        "OMP_NUM_THREADS": "1",
        "COSEE_CACHE": str(folder / ".cache"),
        "XDG_CACHE_HOME": str(folder / ".xdg"),
    }
    command = [sys.executable, "-m", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def test_a_new_project_answers_the_demo(installed: Path, tmp_path: Path) -> None:
    made = run(installed, tmp_path, "cosee.cli", "new", "reports")
    assert made.returncode == 0 and "snakemake --cores all" in made.stdout, made.stderr
    project = tmp_path / "reports"
    for document in ("atlas", "harbor", "letter"):  # one document stands for all: the demo itself has a test of its own
        shutil.rmtree(project / "data" / "demo" / document)
    questions = project / "data" / "demo" / "qa" / "questions.jsonl"
    kept = [line for line in questions.read_text().splitlines(keepends=True) if json.loads(line)["doc_id"] == "tidal"]
    questions.write_text("".join(kept))
    linted = run(installed, project, "snakemake", "--lint")
    assert linted.returncode == 0, linted.stdout + linted.stderr
    done = run(installed, project, "snakemake", "--cores", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads((project / "results" / "metrics_summary.json").read_text())
    assert summary["runs"]["demo"]["counts"]["questions"]["ok"] > 0
    assert (project / "results" / "report" / "index.html").is_file()


def test_a_folder_with_something_in_it_is_not_written_to(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    refused = run(installed, tmp_path, "cosee.cli", "new", "mine")
    assert refused.returncode == 2
    assert "'mine' is there already" in refused.stderr and "Traceback" not in refused.stderr
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]
