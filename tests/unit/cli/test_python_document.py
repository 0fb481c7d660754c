"""``cosee.read``: the example of docs/python.md, the pictures of a notebook, and what importing costs."""

from __future__ import annotations

import asyncio
import io
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.small_embedder import FOLDER, INDEX, write_small_embedder
from helpers.project import ROOT, TOPICS, write_document
from PIL import Image

import cosee
from cosee.artifacts.files import ArtifactError


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("python")
    write_document(folder / "report.pdf", *TOPICS["alpha"][:2])
    (folder / "ask.json").write_text(json.dumps({"datasets": ["ask"], "index": INDEX}))
    write_small_embedder(folder / FOLDER)
    return folder


@pytest.fixture
def doc(folder: Path, monkeypatch: pytest.MonkeyPatch) -> cosee.Document:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COSEE_CACHE", str(folder / "cache"))
    return cosee.read("report.pdf", config="ask.json")


def test_the_example_of_the_documentation_runs(
    doc: cosee.Document, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (example,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / "python.md").read_text(), re.M | re.S)
    assert len(example.splitlines()) <= 11
    monkeypatch.setattr("cosee.commands.ask.load_config", lambda _: doc._settings)  # no weights to load
    Path("example.py").write_text(example)
    runpy.run_path("example.py")
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["Alpha River Survey 2", "1 Alpha River Survey 1"]
    assert "42" in lines[-1] and lines[-1].split(" [")[1].startswith("1] ")


def test_a_notebook_shows_pictures(doc: cosee.Document) -> None:
    picture = Image.open(io.BytesIO(doc.page(1)._repr_png_()))
    assert picture.height > picture.width > 700
    assert (214, 39, 40) in {color for _, color in picture.getcolors(1 << 24) or []}, "a section's box"
    hits = doc.search("old bridge <b>")
    for shown in (doc, hits, doc.ask("How wide was the river?", method="page_rag")):
        assert "src='data:image/png;base64," in shown._repr_html_()
    assert "old bridge &lt;b&gt;" in hits._repr_html_() and "<b>" not in hits._repr_html_()


def test_questions_are_kept_and_may_be_asked_inside_a_running_loop(doc: cosee.Document) -> None:
    async def cell() -> object:
        return doc.ask("How wide was the river?", method="decision")

    answer = asyncio.run(cell())
    assert "42" in str(answer) and answer.pages == [1] and answer.trace[-1].type == "complete"
    assert ("How wide was the river?", "decision") in [(text, row.method) for text, row in doc.answers()]


def test_faults_say_what_was_wrong(doc: cosee.Document, folder: Path) -> None:
    with pytest.raises(ArtifactError, match="absent.pdf: no such file"):
        cosee.read("absent.pdf")
    with pytest.raises(ArtifactError, match=r"has no page 3; pages are 1 to 2"):
        doc.page(3)
    with pytest.raises(ArtifactError, match="the question is empty"):
        doc.search(" ")
    (folder / "broken.pdf").write_bytes(b"no pdf at all")
    with pytest.raises(ArtifactError, match=r"stage adapt failed \(not_a_pdf\)"):
        _ = cosee.read(folder / "broken.pdf").tree


def test_importing_and_opening_load_no_library_of_models_and_no_reader(folder: Path) -> None:
    program = (
        "import sys, cosee; early = set(sys.modules); cosee.read('report.pdf')\n"
        "heavy = {name for name in sys.modules if name.split('.')[0] in ('torch', 'transformers', 'pandas')}\n"
        "heavy |= {name for name in sys.modules if name.startswith('cosee.reader')}\n"
        "assert not heavy, heavy\n"
        "assert not [name for name in early if name.startswith('cosee.')], early\n"
    )
    environment = {"PYTHONPATH": str(ROOT / "src"), "COSEE_CACHE": str(folder / "cache")}
    subprocess.run([sys.executable, "-c", program], cwd=folder, env=environment, check=True, timeout=60)


def test_the_stub_types_every_public_name() -> None:
    stub = (ROOT / "src" / "cosee" / "__init__.pyi").read_text()
    found = re.findall(r"^from ([\w.]+) import (\w+) as \2$", stub, re.M)
    assert sorted(found) == sorted((home, name) for name, home in cosee._HOMES.items())
