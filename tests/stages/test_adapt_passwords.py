"""A dataset's sheet of passwords in a run: what it makes stale, and that nothing of it gets anywhere else."""

from __future__ import annotations

import logging
from pathlib import Path

import pymupdf
import pytest

from cosee.artifacts import files
from cosee.artifacts.datasets.passwords import write_passwords
from cosee.artifacts.ledger import LedgerRow
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.imaging.render import render_page_isolated
from cosee.pipeline.paths import Paths
from cosee.pipeline.runner import Job, run_shard
from cosee.pipeline.shards import sync_dataset
from cosee.stages.adapt import AdaptStage

SECRET = "xK9-vermilion-trumpet"
DOCUMENTS = {"locked": SECRET, "other": "also-Secret-77", "plain": ""}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for doc_id, password in DOCUMENTS.items():
        (tmp_path / "data" / "d" / doc_id).mkdir(parents=True)
        with pymupdf.open() as document:
            document.new_page().insert_text((72, 72), f"This is the {doc_id} document.")
            ways = {"encryption": pymupdf.PDF_ENCRYPT_AES_256, "user_pw": password, "owner_pw": f"{password}!"}
            document.save(tmp_path / "data" / "d" / doc_id / "full.pdf", **(ways if password else {}))
    return tmp_path


def run() -> dict[str, LedgerRow]:
    sync_dataset(Paths(), "d", 1000)
    settings = AdaptSettings(ocr="none")
    job = Job(AdaptStage(), settings, files.sha256_value("s"), files.sha256_value("c"), Paths(), "d", "0000", [])
    return {row.doc_id: row for row in run_shard(job)}


def reasons() -> list[str | None]:
    return [row.reason for row in run().values()]


def test_a_sheet_opens_its_documents_and_is_taken_up_when_it_is_corrected(project: Path) -> None:
    rows, sheet = Paths().rows("d", "0000"), project / "data" / "d" / "passwords.tsv"
    assert reasons() == ["needs_password", "needs_password", None]
    before = files.read_json(rows)
    write_passwords(sheet, {"locked": "not this one", "other": DOCUMENTS["other"]})
    assert reasons() == ["wrong_password", None, None]
    wrong = files.read_json(rows)
    assert wrong != before, "the shard's job has to run again"
    read = (project / "data/d/other/measured/adapt.json").stat().st_mtime_ns
    write_passwords(sheet, {"locked": SECRET, "other": DOCUMENTS["other"]})
    assert reasons() == [None, None, None]
    assert files.read_json(rows) != wrong
    assert (project / "data/d/other/measured/adapt.json").stat().st_mtime_ns == read, "it was not read again"
    assert "This is the locked document." in (project / "data/d/locked/content_list.adapted.json").read_text()
    same = files.read_json(rows)
    run()
    assert files.read_json(rows) == same


def test_pages_of_an_encrypted_document_are_rendered(project: Path) -> None:
    write_passwords(project / "data/d/passwords.tsv", {"locked": SECRET})
    picture = render_page_isolated(Path("data/d/locked/full.pdf"), 1, 36, project / "cache")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_no_password_gets_into_another_file_or_the_log(project: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    write_passwords(project / "data/d/passwords.tsv", {"locked": SECRET, "other": "wrong-Secret-66"})
    assert reasons() == [None, "wrong_password", None]
    secrets = [SECRET, "wrong-Secret-66"]
    traces = [word for secret in secrets for word in (secret, files.sha256_bytes(secret.encode()))]
    for path in sorted(path for path in project.rglob("*") if path.is_file() and path.name != "passwords.tsv"):
        assert not any(trace.encode() in path.read_bytes() for trace in traces), path
    assert not any(trace in caplog.text for trace in traces)
