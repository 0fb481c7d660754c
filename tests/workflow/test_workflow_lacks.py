"""What a machine lacked: said while it lacks it, and made good, for the documents that lacked it alone, when it is
there."""

import json
import shutil
import subprocess
import sys

import pytest
from helpers.machine import Machine, write_scan
from helpers.project import CONFIG, ROOT, Project

from cosee.artifacts.ledger import LedgerRow
from cosee.models import weights
from cosee.models.vision import ocr_rapid

UNREAD = "page 1 could not be read (no OCR engine): install tesseract-ocr"
QUESTION = "What is the annual fee for a berth?"
LINES = ["Harbour office", "The annual fee for a berth is 4310 euros.", "The harbour master is called Ilse Brandt."]

needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")


class OnMachine(Project):
    """A project on a machine of its own."""

    machine: Machine

    def environment(self) -> dict[str, str]:
        return self.machine.environment(self.folder / "src")

    def rows(self, stage: str) -> dict[str, LedgerRow]:
        folder = self.folder / ("indexes" if stage in ("index", "questions") else "data") / "tiny" / ".ledger"
        lines = [line for path in folder.glob(f"{stage}.*.jsonl") for line in path.read_text().splitlines()]
        return {row.doc_id: row for row in map(LedgerRow.model_validate_json, lines)}

    def answer(self, doc_id: str) -> dict:
        lines = (self.results / "tiny" / "predictions" / "page_rag.jsonl").read_text().splitlines()
        return next(row for row in map(json.loads, lines) if row["doc_id"] == doc_id)


@pytest.mark.parametrize(
    "engine",
    [
        pytest.param("tesseract", marks=needs_tesseract),
        pytest.param("rapidocr", marks=pytest.mark.skipif(not ocr_rapid.is_installed(), reason="no RapidOCR")),
    ],
)
def test_ask_reads_what_it_could_not_read_once_an_engine_is_there(tmp_path, engine):
    write_scan(tmp_path / "scan.pdf", LINES)
    machine = Machine(tmp_path / "machine", tesseract=False)

    def ask() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "cosee.cli", "ask", "scan.pdf", QUESTION],
            cwd=tmp_path,
            env=machine.environment(ROOT / "src"),
            capture_output=True,
            text=True,
            timeout=300,
        )

    blind = ask()
    assert blind.returncode == 0, blind.stderr
    assert UNREAD in blind.stderr
    assert blind.stdout.splitlines()[:2] == [UNREAD, "Not answerable"]
    assert "confidence: none given" in blind.stdout
    # The index is without vectors too, and says what to do about it.
    assert "python -m cosee.models.weights --fetch minilm" in blind.stderr
    setattr(machine, engine, True)
    read = ask()
    assert read.returncode == 0, read.stderr
    assert read.stdout.splitlines()[0] == "4310 euros"
    assert "could not be read" not in read.stdout + read.stderr
    setattr(machine, engine, False)
    again = ask()
    assert again.stdout == read.stdout


@pytest.mark.slow
@needs_tesseract
def test_the_workflow_redoes_what_lacked_something_and_nothing_else(tmp_path):
    project = Project.create(tmp_path / "project", {**CONFIG, "index": {}, "shard_pages": 100})
    project.__class__ = OnMachine
    project.machine = Machine(tmp_path / "machine", tesseract=False)
    write_scan(project.data / "scan" / "full.pdf", LINES)
    with (project.data / "qa" / "questions.jsonl").open("a") as questions:
        row = {
            "question_id": "scan-1",
            "doc_id": "scan",
            "question": QUESTION,
            "answer": "4310",
            "answer_format": "Int",
        }
        questions.write(json.dumps(row) + "\n")

    told = project.run()
    assert UNREAD in told and "--fetch minilm" in told
    assert project.rows("adapt")["scan"].lacked == ["rapidocr", "tesseract"]
    assert project.rows("adapt")["alpha"].lacked == []
    assert {tuple(row.lacked) for row in project.rows("index").values()} == {(weights.lacked("minilm"),)}
    blind = project.answer("scan")
    assert (blind["abstained"], blind["status"], blind["reason"]) == (True, "partial", "unread_pages")
    assert (blind["unread"], blind["confidence"]) == (UNREAD, None)
    assert project.answer("alpha")["unread"] is None
    project.machine.tesseract = True
    before = {stage: project.stamps(stage) for stage in ("adapt", "build", "index")}
    assert "adapt:0000" in project.done()
    for stage, stamps in before.items():
        changed = {doc_id for doc_id, time in project.stamps(stage).items() if time != stamps[doc_id]}
        assert changed == {"scan"}, stage
    read = project.answer("scan")
    assert (read["answer"], read["unread"], read["status"]) == ("4310 euros", None, "ok")

    project.machine.tesseract = False
    assert project.planned() == set()

    folder = weights.find("minilm")
    if folder is None:
        return
    project.machine.install(folder)
    adapted, indexed = project.stamps("adapt"), project.stamps("index")
    jobs = project.done()
    assert "index:0000" in jobs and "adapt:0000" not in jobs
    assert project.stamps("adapt") == adapted
    assert all(project.stamps("index")[doc_id] != time for doc_id, time in indexed.items())
    assert all(row.lacked == [] and row.message is None for row in project.rows("index").values())
    assert project.answer("scan")["answer"] == "4310 euros"
