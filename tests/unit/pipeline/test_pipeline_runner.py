import json
import os
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from cosee.artifacts import files
from cosee.artifacts.base import load_rows
from cosee.artifacts.ledger import LedgerRow
from cosee.pipeline.isolation import Limits
from cosee.pipeline.locks import LockHeld, acquire
from cosee.pipeline.paths import Paths
from cosee.pipeline.runner import Job, run_shard
from cosee.pipeline.shards import sync_state
from cosee.pipeline.stage import DocFolder, StageFailure, StageResult


@dataclass
class Copy:
    """Copies full.pdf to layout.json; a file that says so misbehaves instead."""

    name: str = "adapt"
    isolated: bool = True
    ran: list[str] = field(default_factory=list)

    def inputs(self, doc: DocFolder, settings):
        return [doc.data / "full.pdf"]

    def run(self, doc: DocFolder, settings) -> StageResult:
        self.ran.append(doc.doc_id)
        text = (doc.data / "full.pdf").read_text()
        if text == "refuse":
            raise StageFailure("not_a_pdf", "no PDF header")
        if text == "bug":
            raise KeyError("missing")
        if text == "hang":
            time.sleep(60)
        if text == "memory":
            return StageResult([], counts={"n": len(bytearray(1 << 40))})
        if text == "die":
            os.kill(os.getpid(), 9)
        if text == "die once" and not (doc.data / "died").exists():
            (doc.data / "died").touch()
            os.kill(os.getpid(), 9)
        if text == "nothing":
            return StageResult([])
        out = doc.data / "layout.json"
        files.write_text(out, text.upper())
        return StageResult([out], counts={"characters": len(text)})


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def job_for(texts: dict[str, str], stage=None, **changes) -> Job:
    paths = Paths()
    for doc_id, text in texts.items():
        files.write_text(paths.folder("d", doc_id).data / "full.pdf", text)
    files.write_json(paths.rows("d", "0000"), [{"doc_id": doc_id, "sha256": ""} for doc_id in sorted(texts)])
    job = Job(stage or Copy(), {}, "settings", "code", paths, "d", "0000", [], Limits(seconds=2, memory_mb=500))
    return replace(job, **changes)


def test_one_bad_document_never_stops_the_others(project):
    # contract: D1
    texts = {
        "a": "good",
        "b": "refuse",
        "c": "bug",
        "d": "hang",
        "e": "memory",
        "f": "die",
        "g": "nothing",
        "h": "good",
    }
    rows = {row.doc_id: row for row in run_shard(job_for(texts, workers=3))}
    assert {doc_id: (row.status, row.reason) for doc_id, row in rows.items()} == {
        "a": ("ok", None),
        "b": ("failed", "not_a_pdf"),
        "c": ("failed", "error:KeyError"),
        "d": ("failed", "timeout"),
        "e": ("failed", "memory"),
        "f": ("failed", "killed"),
        "g": ("failed", "no_output"),
        "h": ("ok", None),
    }
    assert load_rows(LedgerRow, Path("data/d/.ledger/adapt.0000.jsonl")) == list(rows.values())


def test_a_document_whose_process_was_killed_is_tried_once_more_and_again_by_the_next_run(project):
    job = job_for({"a": "good", "b": "die once", "c": "die"})
    place = job.paths.place("adapt", "d", "0000")
    rows = run_shard(job)
    assert [(row.status, row.reason) for row in rows] == [("ok", None), ("ok", None), ("failed", "killed")]
    assert rows[1].outputs.keys() == {"data/d/b/layout.json"}
    sync_state(place)
    first = place.state.read_bytes()
    assert json.loads(first)["killed"] == ["c"]
    run_shard(job)
    sync_state(place)
    assert place.state.read_bytes() != first, "the next call must run the job again"
    files.write_text(Path("data/d/c/full.pdf"), "good")
    assert {row.status for row in run_shard(job)} == {"ok"}
    last = place.state.read_bytes()
    sync_state(place)
    assert place.state.read_bytes() == last


def edited_by_hand(stage: Copy) -> tuple[Job, Path]:
    """A shard of one document that was run, and its output, edited since."""
    job = job_for({"a": "one"}, stage)
    run_shard(job)
    out = Path("data/d/a/layout.json")
    out.write_text("by hand")
    return job, out


def test_what_a_killed_rewrite_left_is_no_edit_and_what_it_made_stale_goes(project):
    stage = Copy(isolated=False)
    job, out = edited_by_hand(stage)
    files.write_text(Path("data/d/a/full.pdf"), "two")

    def killed(doc: DocFolder, settings) -> StageResult:
        files.write_text(out, "half of the work")
        raise KeyboardInterrupt

    stage.run = killed
    with pytest.raises(KeyboardInterrupt):
        run_shard(job)
    del stage.run
    rows = run_shard(job)
    assert out.read_text() == "TWO"
    assert out.with_name("layout.json.edited").read_text() == "by hand"
    assert rows[0].status == "ok" and rows[0].message is None
    files.write_text(Path("data/d/a/full.pdf"), "refuse")
    stage.run = killed
    with pytest.raises(KeyboardInterrupt):
        run_shard(job)
    del stage.run
    assert run_shard(job)[0].status == "failed"
    assert not out.exists()


@pytest.mark.parametrize("isolated", [False, True])
def test_a_full_disk_stops_the_job_and_is_nobodys_failure(project, isolated, monkeypatch):
    job = job_for({"a": "one", "b": "two"}, Copy(isolated=isolated))
    write = os.fsync

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(files.DiskFailure, match=r"layout.json: cannot be written \(No space left on device\)"):
        run_shard(job)
    assert not list(Path("data").rglob("*.tmp")) and not list(Path("data").rglob("layout.json"))
    monkeypatch.setattr(os, "fsync", write)
    assert {row.status for row in run_shard(job)} == {"ok"}


def test_a_second_run_skips_and_a_changed_setting_code_or_input_does_not(project):
    stage = Copy(isolated=False)
    job = job_for({"a": "one", "b": "two"}, stage)
    first = run_shard(job)
    before = Path("data/d/.ledger/adapt.0000.jsonl").read_bytes()
    assert run_shard(job) == first
    assert stage.ran == ["a", "b"]
    assert Path("data/d/.ledger/adapt.0000.jsonl").read_bytes() == before
    for change in ({"settings_sha256": "other"}, {"code_sha256": "other"}, {"redo": True}):
        stage.ran.clear()
        run_shard(replace(job, **change))
        assert stage.ran == ["a", "b"]
        run_shard(job)
    stage.ran.clear()
    files.write_text(Path("data/d/a/full.pdf"), "changed")
    run_shard(job)
    assert stage.ran == ["a"]


def test_an_edited_output_survives_until_its_inputs_change(project):
    stage = Copy(isolated=False)
    job, out = edited_by_hand(stage)
    rows = run_shard(job)
    assert out.read_text() == "by hand"
    assert rows[0].edited == ["data/d/a/layout.json"]
    assert rows[0].outputs["data/d/a/layout.json"] == files.sha256_file(out)
    files.write_text(Path("data/d/a/full.pdf"), "two")
    rows = run_shard(job)
    assert out.read_text() == "TWO"
    assert out.with_name("layout.json.edited").read_text() == "by hand"
    assert "layout.json.edited" in (rows[0].message or "")


def test_a_deleted_output_comes_back_and_a_failed_document_loses_its_old_outputs(project):
    stage = Copy(isolated=False)
    job = job_for({"a": "one"}, stage)
    run_shard(job)
    out = Path("data/d/a/layout.json")
    out.unlink()
    run_shard(job)
    assert out.read_text() == "ONE"
    files.write_text(Path("data/d/a/full.pdf"), "refuse")
    run_shard(job)
    assert not out.exists()


def test_a_document_that_failed_before_is_skipped_with_the_first_reason(project):
    run_shard(job_for({"a": "good", "b": "refuse"}))
    ledger = Path("data/d/.ledger/adapt.0000.jsonl")
    rows = run_shard(job_for({"a": "good", "b": "refuse"}, Copy(name="enhance"), upstream=[ledger]))
    assert [(row.status, row.reason) for row in rows] == [("ok", None), ("skipped", "not_a_pdf")]


def test_the_state_file_changes_once_per_deviation(project):
    job = job_for({"a": "one"}, Copy(isolated=False))
    run_shard(job)
    place = job.paths.place("adapt", "d", "0000")
    sync_state(place)
    assert json.loads(place.state.read_text()) == {}
    out = Path("data/d/a/layout.json")
    os.utime(out)
    sync_state(place)
    assert json.loads(place.state.read_text()) == {}
    out.unlink()
    sync_state(place)
    missing = place.state.read_bytes()
    assert json.loads(missing)["files"] == {"data/d/a/layout.json": "missing"}
    sync_state(place)
    assert place.state.read_bytes() == missing
    run_shard(job)
    sync_state(place)
    assert place.state.read_bytes() == missing
    out.unlink()
    sync_state(place)
    assert place.state.read_bytes() != missing


def test_a_lock_is_exclusive_and_names_its_holder(tmp_path):
    handle = acquire(tmp_path / "lock", wait=False)
    with pytest.raises(LockHeld, match=str(os.getpid())):
        acquire(tmp_path / "lock", wait=False)
    handle.close()
    acquire(tmp_path / "lock", wait=False).close()
