"""The tutorials and the first hour, block by block: files are written as they are shown, commands are run in the order
of the pages."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.model_server import model_server
from helpers.project import ROOT

TUTORIALS = ("own-documents", "own-model", "compare-methods", "write-a-method")
"""One after the other, in one project."""
PAGES = {name: f"tutorial-{name}.md" for name in TUTORIALS} | {"first-hour": "first-hour.md"}
BLOCK = re.compile(r'^```(?:\w+ title="(?P<file>[^"]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the commands ``cosee`` and ``snakemake`` of this checkout."""
    folder = tmp_path_factory.mktemp("tutorials")
    commands = folder / "bin"
    commands.mkdir()
    for name, module in (("cosee", "cosee.cli"), ("snakemake", "snakemake"), ("python", "")):
        words = f"-m {module}" if module else ""
        (commands / name).write_text(f'#!/bin/sh\nexec {sys.executable} {words} "$@"\n')
        (commands / name).chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with model_server() as running:
        running.replies = [json.dumps({"answer": "MR-2219", "quotes": [{"page": 6, "quote": "MR-2219"}]})]
        yield running.url


@pytest.mark.parametrize("name", PAGES)
def test_every_block_of_a_page_runs(name: str, place: Path, server: str) -> None:
    environment = {
        **os.environ,
        "PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "OMP_NUM_THREADS": "1",
        "COSEE_CACHE": str(place / "cache"),
        "XDG_CACHE_HOME": str(place / "xdg"),
        "MY_SERVER": server,
        "MY_MODEL": "tiny-vision",
    }
    folder = place / "reports" if name in TUTORIALS[1:] else place
    blocks = list(BLOCK.finditer((ROOT / "docs" / PAGES[name]).read_text(encoding="utf-8")))
    assert len(blocks) >= 3
    for block in blocks:
        if block["file"] is not None:
            (folder / block["file"]).write_text(block["text"], encoding="utf-8")
            continue
        command = f"set -e\n{block['text']}\npwd > {place}/where\n"
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, f"{block['text']}\n{done.stdout}\n{done.stderr}"
        folder = Path((place / "where").read_text().strip())


def test_what_the_tutorials_promise(place: Path) -> None:
    results = place / "reports" / "results"
    assert "under grant MR-2219." in (results / "tides/predictions/page_rag.jsonl").read_text(), "the passage is shown"
    assert '"answer":"MR-2219"' in (results / "tides-mine/predictions/page_rag.jsonl").read_text().replace(": ", ":")
    assert (results / "tides-method/predictions/first_code.jsonl").is_file()
    assert (results / "report" / "index.html").is_file()


def test_what_the_first_hour_promises(place: Path) -> None:
    results = place / "study" / "results"
    assert {"answers.csv", "answers.xlsx"} <= {path.name for path in (results / "first").iterdir()}
    assert any((place / "study" / "logs").iterdir())
    assert not (place / "study" / "data" / "papers" / "harbor").exists()
    assert '"answer":"MR-2219"' in (results / "served/predictions/page_rag.jsonl").read_text().replace(": ", ":")
    assert (results / "served" / "estimate.json").is_file()
