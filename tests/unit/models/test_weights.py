"""Fetched weights are the user's, for all projects; those of a project or of COSEE_CACHE come first."""

from pathlib import Path

import pytest

from cosee.models import weights

FILE = "model.bin"
PACKAGE = weights.Package(folder="Tiny", requirement="tiny==1", wheel_sha256="", member_prefix="", sha256={FILE: ""})


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(weights.PACKAGES, "tiny", PACKAGE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    monkeypatch.delenv("COSEE_CACHE", raising=False)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")


def put(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / FILE).write_bytes(b"weights")
    return folder


def test_weights_of_the_user_are_found_from_every_project(tmp_path: Path) -> None:
    assert weights.find("tiny") is None
    assert weights.fetched_root() == tmp_path / "user" / "cosee" / "models"
    folder = put(weights.fetched_root() / "Tiny")
    assert weights.find("tiny") == folder
    own = put(tmp_path / "project" / ".cache" / "models" / "Tiny")
    assert weights.find("tiny") == own.relative_to(tmp_path / "project")


def test_a_named_cache_is_the_only_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(weights.fetched_root() / "Tiny")
    monkeypatch.setenv("COSEE_CACHE", str(tmp_path / "other"))
    assert weights.find("tiny") is None
    assert weights.fetched_root() == tmp_path / "other" / "models"


def test_an_incomplete_folder_of_the_project_does_not_hide_the_whole_one(tmp_path: Path) -> None:
    (tmp_path / "project" / ".cache" / "models" / "Tiny").mkdir(parents=True)
    folder = put(weights.fetched_root() / "Tiny")
    assert weights.find("tiny") == folder
