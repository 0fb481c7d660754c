"""The site of the documentation builds without a warning, and holds what is made of the code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]


def build(folder: Path, config: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", str(config), "-d", str(folder)]
    environment = {**os.environ, "PYTHONPATH": f"{PROJECT / 'src'}{os.pathsep}{PROJECT}", "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=300)


def test_the_site_builds_and_every_link_in_it_leads_somewhere(tmp_path: Path) -> None:
    pytest.importorskip("mkdocstrings")
    done = build(tmp_path / "site", PROJECT / "mkdocs.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stdout + done.stderr
    commands = (tmp_path / "site" / "command-line.html").read_text(encoding="utf-8")
    assert 'id="cosee-new"' in commands and "--concurrency" in commands
    assert 'id="cosee.commands.document.read"' in (tmp_path / "site" / "python-reference.html").read_text("utf-8")
    assert "icdar2013" in (tmp_path / "site" / "accepted.html").read_text(encoding="utf-8")
    for page in ("contributing.html", "readme.html", "demo.html"):
        assert (tmp_path / "site" / page).is_file()
