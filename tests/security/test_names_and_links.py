"""File names and links of a corpus lead nowhere but into its own folders."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pymupdf
import pytest

from cosee.artifacts import files
from cosee.artifacts.base import load_rows
from cosee.artifacts.datasets.documents import load_sheet
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.ledger import LedgerRow
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.datasets.placing import document_ids
from cosee.pipeline.paths import Paths
from cosee.pipeline.runner import Job, run_shard
from cosee.pipeline.shards import sync_dataset
from cosee.stages.adapt import AdaptStage

ODD = ["$(touch pwned)", "-rf", "{wild}", "a;b|c&d", "quote'\"x", "ü", "x" * 200, "CON", "con", " lead", "%41", "a b"]


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    monkeypatch.chdir(tmp_path)
    files.write_jsonl(Path("data/d/qa/questions.jsonl"), [])
    add("plain")
    return Paths()


def add(doc_id: str, folder: Path = Path("data/d")) -> Path:
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "The bridge was opened in 1931.")
    files.write_bytes(folder / doc_id / "full.pdf", document.tobytes())
    return folder / doc_id


def adapt(paths: Paths) -> dict[str, LedgerRow]:
    shards = sync_dataset(paths, "d", shard_pages=100)
    settings = AdaptSettings(ocr="none")
    job = Job(AdaptStage(), settings, "s", "c", paths, "d", next(iter(shards)), upstream=[])
    run_shard(job)
    return {row.doc_id: row for row in load_rows(LedgerRow, paths.place("adapt", "d", next(iter(shards))).ledger)}


def everything(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_odd_folder_names_are_documents_like_others(paths: Paths, tmp_path: Path) -> None:
    for name in ODD:
        add(name)
    rows = adapt(paths)
    assert set(rows) == {"plain", *ODD} and {row.status for row in rows.values()} == {"ok"}
    assert {row.doc_id for row in load_sheet(paths.sheet("d"))} == set(rows)
    assert not list(tmp_path.rglob("pwned"))


@pytest.mark.parametrize(
    "name", ["a\tb", "a\nb", "a\x85b", "a\u2028b", "\x1b[31m", "=1+1", "+1", "@SUM(1)", "-1+cmd|'calc'!A0"]
)
def test_a_name_that_would_break_the_sheet_is_refused(paths: Paths, name: str) -> None:
    # Tabs and line ends would forge rows, the last four run in a spreadsheet.
    add(name)
    with pytest.raises(ArtifactError, match="cannot be a document") as caught:
        sync_dataset(paths, "d", shard_pages=100)
    assert repr(name) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.skipif(sys.platform != "linux", reason="file names of any bytes")
def test_a_name_that_is_no_text_is_refused(paths: Paths) -> None:
    add(os.fsdecode(b"bad\xff"))
    with pytest.raises(ArtifactError, match=r"'bad\\udcff' cannot be a document"):
        sync_dataset(paths, "d", shard_pages=100)


def test_ids_of_imported_names_are_plain_and_distinct() -> None:
    names = [
        *(f"{name}.pdf" for name in ODD),
        "a  b.pdf",
        "re\u0301sume\u0301.pdf",
        "r\u00e9sum\u00e9.pdf",
        "REPORT.PDF",
        "report.pdf",
        "one/report.pdf",
        "two/report.pdf",
        ".hidden.pdf",
        "doc.pdf.pdf",
        "\u62a5\u544a.pdf",
        "100%.pdf",
    ]
    ids = document_ids(names)
    assert len({identifier.lower() for identifier in ids.values()}) == len(set(names))
    for identifier in ids.values():
        assert files.safe_name(identifier) == identifier and len(identifier) <= 100
    hostile = ["../../etc/passwd.pdf", "..", "/etc/passwd", "a\0b.pdf", "=cmd|' /C calc'!A0.pdf", "\ud800.pdf"]
    for identifier in document_ids(hostile).values():
        assert "/" not in identifier and not identifier.startswith((".", "=", "+", "@")) and identifier


def test_a_document_that_is_a_link_gets_a_row_and_nothing_is_written_through_it(paths: Paths, tmp_path: Path) -> None:
    outside = add("outside", tmp_path / "elsewhere")
    Path("data/d/linked").symlink_to(outside)
    before = everything(tmp_path / "elsewhere")
    rows = adapt(paths)
    assert (rows["linked"].status, rows["linked"].reason) == ("failed", "link") and rows["plain"].status == "ok"
    assert "data/d/linked is a link to a folder" in (rows["linked"].message or "")
    assert everything(tmp_path / "elsewhere") == before


@pytest.mark.parametrize("inner", ["images", ".stamps", "measured"])
def test_a_linked_folder_inside_a_document_is_found_too(paths: Paths, tmp_path: Path, inner: str) -> None:
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (outside / "keep.png").write_bytes(b"mine")
    (add("doc") / inner).symlink_to(outside)
    row = adapt(paths)["doc"]
    assert (row.status, row.reason) == ("failed", "link") and f"data/d/doc/{inner}" in (row.message or "")
    assert everything(outside) == {"keep.png": b"mine"}


@pytest.mark.parametrize("inner", [".ledger", ".shards"])
def test_the_pipelines_own_folders_may_not_be_links(paths: Paths, tmp_path: Path, inner: str) -> None:
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (Path("data/d") / inner).symlink_to(outside)
    with pytest.raises(ArtifactError, match=rf"{inner}: is a link"):
        sync_dataset(paths, "d", shard_pages=100)
    assert everything(outside) == {}


@pytest.mark.parametrize("name", ["layout.json", "content_list.adapted.json"])
def test_a_file_that_is_a_link_is_replaced_and_its_target_kept(paths: Paths, tmp_path: Path, name: str) -> None:
    target = tmp_path / "precious.json"
    target.write_text("mine")
    (add("doc") / name).symlink_to(target)
    assert adapt(paths)["doc"].status == "ok"
    assert target.read_text() == "mine" and not (Path("data/d/doc") / name).is_symlink()


def test_a_pdf_and_mineru_output_may_be_links_for_they_are_only_read(paths: Paths, tmp_path: Path) -> None:
    outside = add("outside", tmp_path / "elsewhere")
    folder = Path("data/d/doc")
    folder.mkdir()
    (folder / "full.pdf").symlink_to(outside / "full.pdf")
    mineru = tmp_path / "elsewhere" / "mineru"
    files.write_json(mineru / "content_list.json", [{"type": "text", "text": "From elsewhere.", "page_idx": 0}])
    (folder / "mineru").symlink_to(mineru)
    before = everything(tmp_path / "elsewhere")
    assert adapt(paths)["doc"].status == "ok"
    assert everything(tmp_path / "elsewhere") == before
