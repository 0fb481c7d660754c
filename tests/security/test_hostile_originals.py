"""Office files and web pages that are broken, hold macros, unfold without end, hang or reach for what is not theirs."""

from __future__ import annotations

import io
import os
import socket
import struct
import threading
import time
import zipfile
from pathlib import Path

import pymupdf
import pytest
from helpers.make_originals import make_fax, make_letter

from cosee.artifacts import files
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.datasets.folder import import_folder
from cosee.parse.originals import child, office
from cosee.parse.originals.convert import convert
from cosee.parse.originals.kinds import Unconvertible, kind_of
from cosee.pipeline.paths import Paths
from cosee.pipeline.runner import Job, run_shard
from cosee.pipeline.shards import sync_dataset
from cosee.stages.adapt import AdaptStage

needs_office = pytest.mark.skipif(office.soffice() is None, reason="LibreOffice is not installed")


def with_part(path: Path, name: str, data: bytes) -> Path:
    """The letter with one more part."""
    make_letter(path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    return path


def compound(*names: str) -> bytes:
    """An OLE file of empty streams."""
    entries = [("Root Entry", 5, 1 if names else -1), *((name, 2, -1) for name in names)]
    directory = b""
    for number, (name, kind, child_id) in enumerate(entries):
        raw = (name + "\0").encode("utf-16-le")
        right = number + 1 if 0 < number < len(names) else -1
        directory += raw.ljust(64, b"\0") + struct.pack("<HBB3i", len(raw), kind, 1, -1, right, child_id)
        directory += b"\0" * 36 + struct.pack("<iQ", -2, 0)
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16 + struct.pack("<5H", 62, 3, 0xFFFE, 9, 6)
    header += (
        b"\0" * 6 + struct.pack("<IIIIIiIiI", 0, 1, 1, 0, 4096, -2, 0, -2, 0) + struct.pack("<109i", 0, *[-1] * 108)
    )
    fat = struct.pack("<128i", -3, -2, *[-1] * 126)
    return header + fat + directory.ljust(512, b"\0")


def broken_xml(path: Path) -> None:
    """A DOCX whose packing is sound and whose text breaks off."""
    whole = path.with_suffix(".whole")
    make_letter(whole)
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(path, "w") as target:
        for entry in source.infolist():
            data = source.read(entry)
            target.writestr(entry, data[: len(data) // 2] if entry.filename == "word/document.xml" else data)
    whole.unlink()


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("empty.docx", b"", "empty_file"),
        ("page.docx", b"just some words", "unknown_kind"),
        ("cut.docx", b"PK\x03\x04" + b"\0" * 100, "damaged"),
        ("cut.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\1" * 2000, "damaged"),
        ("locked.docx", compound("EncryptedPackage", "EncryptionInfo"), "unsupported_encryption"),
        ("macro.doc", compound("WordDocument", "Macros"), "macros"),
        ("mail.doc", compound("__properties_version1.0"), "unknown_kind"),
    ],
)
def test_what_is_no_sound_document_is_told_before_any_converter_starts(
    tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(Unconvertible) as caught:
        kind_of(tmp_path / name)
    assert caught.value.reason == reason and name in caught.value.message


def test_macros_are_found_whatever_the_file_is_called(tmp_path: Path) -> None:
    for name, part in (
        ("a.docm", "word/vbaProject.bin"),
        ("b.docx", "word/VBAPROJECT.BIN"),
        ("c.xlsx", "xl/macrosheets/s.xml"),
    ):
        with pytest.raises(Unconvertible, match="holds macros"):
            kind_of(with_part(tmp_path / name, part, b"x"))
    assert kind_of(with_part(tmp_path / "d.txt", "word/extra.xml", b"<a/>")) == "docx"


def test_files_that_unfold_without_end_are_refused(tmp_path: Path) -> None:
    bomb = with_part(tmp_path / "bomb.docx", "word/media/zeros.bin", b"\0" * 60_000_000)
    assert bomb.stat().st_size < 200_000
    with pytest.raises(Unconvertible, match="unfolds to") as caught:
        kind_of(bomb)
    assert caught.value.reason == "too_large"


def test_each_gets_a_row_and_the_others_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    given = tmp_path / "given"
    given.mkdir()
    with_part(given / "macro.docx", "word/vbaProject.bin", b"x")
    (given / "broken.pptx").write_bytes(b"PK\x03\x04 and no more")
    (given / "~$macro.docx").write_bytes(b"left by an editor")
    make_fax(given / "fax.tiff")
    report = import_folder(given, None, Path("data/mixed"))
    assert sorted(report.documents) == ["broken.pptx", "fax.tiff", "macro.docx"] and report.problems == []
    sync_dataset(Paths(), "mixed", 100)
    rows = run_shard(Job(AdaptStage(), AdaptSettings(ocr="none"), "s", "c", Paths(), "mixed", "0000", []))
    assert {row.doc_id: row.reason for row in rows} == {
        "broken.pptx": "damaged",
        "fax.tiff": "no_text_layer",
        "macro.docx": "macros",
    }
    assert all("Traceback" not in (row.message or "") for row in rows)


def test_a_missing_converter_is_named_with_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_letter(tmp_path / "letter.docx")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unconvertible, match="apt-get install .*libreoffice-writer") as caught:
        convert(tmp_path / "letter.docx", "d", tmp_path / "full.pdf", tmp_path / "original.json")
    assert caught.value.lacked == ("office",)
    assert caught.value.reason == "no_converter" and not (tmp_path / "full.pdf").exists()


@pytest.mark.parametrize("alone", [True, False])
def test_a_converter_that_hangs_is_ended_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alone: bool
) -> None:
    if not alone:
        monkeypatch.setattr(child, "_namespaces", lambda: ())
    program = tmp_path / "bin" / "soffice"
    program.parent.mkdir()
    # A number of its own: the suite runs in several processes, and the other case's child is not ours.
    seconds = f"{600 + alone}.{os.getpid()}"
    program.write_text(f"#!/bin/sh\nsleep {seconds} &\necho started > {tmp_path}/started\nwait\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setattr(child, "SECONDS", 1)
    make_letter(tmp_path / "letter.docx")
    with pytest.raises(Unconvertible, match="stopped after 1 s") as caught:
        convert(tmp_path / "letter.docx", "d", tmp_path / "full.pdf", tmp_path / "original.json")
    assert caught.value.reason == "timeout" and (tmp_path / "started").exists()
    # Ended with its namespace it is killed, but not waited for: give the kernel a moment.
    ends = time.monotonic() + 10
    while (left := _running(f"sleep\0{seconds}\0".encode())) and time.monotonic() < ends:
        time.sleep(0.02)
    assert left == []


def _running(command: bytes) -> list[Path]:
    return [path for path in Path("/proc").glob("[0-9]*/cmdline") if _says(path, command)]


def _says(path: Path, command: bytes) -> bool:
    try:
        return command in path.read_bytes()
    except OSError:
        return False


@needs_office
def test_a_document_reaches_no_other_file_and_nobody_else(tmp_path: Path) -> None:
    """An OpenDocument text that takes a section from another file and a picture from a server."""
    secret = tmp_path / "secret.txt"
    secret.write_text("the combination is 4711")
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=lambda: asked.append(server.accept()[0].recv(10)), daemon=True).start()
        picture = f"http://127.0.0.1:{server.getsockname()[1]}/a.png"
        (tmp_path / "link.odt").write_bytes(open_document(secret.as_uri(), picture))
        convert(tmp_path / "link.odt", "d", tmp_path / "full.pdf", tmp_path / "original.json")
    with pymupdf.open(tmp_path / "full.pdf") as document:
        text = "".join(page.get_text() for page in document)
    assert "ordinary words" in text and "4711" not in text and asked == []
    assert "4711" not in (tmp_path / "original.json").read_text()


def open_document(section: str, picture: str) -> bytes:
    names = (
        'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
        'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
        'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" '
        'xmlns:xlink="http://www.w3.org/1999/xlink"'
    )
    body = (
        f'<office:document-content {names} office:version="1.2"><office:body><office:text><text:p>ordinary words '
        f'</text:p><text:section text:name="S"><text:section-source xlink:href="{section}" text:filter-name="Text"/>'
        f'<text:p>old</text:p></text:section><text:p><draw:frame svg:width="5cm" svg:height="5cm"><draw:image '
        f'xlink:href="{picture}"/></draw:frame></text:p></office:text></office:body></office:document-content>'
    )
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry '
        'manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/><manifest:file-entry '
        'manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", body)
        archive.writestr("META-INF/manifest.xml", manifest)
    return out.getvalue()


@needs_office
def test_a_document_whose_text_breaks_off_is_damaged(tmp_path: Path) -> None:
    broken_xml(tmp_path / "broken.docx")
    with pytest.raises(Unconvertible) as caught:
        convert(tmp_path / "broken.docx", "d", tmp_path / "full.pdf", tmp_path / "original.json")
    assert caught.value.reason == "damaged" and not (tmp_path / "full.pdf").exists()


def test_another_file_in_its_place_is_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture, then another, then a PDF under the same name: what was made of the former goes, what was put stays."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "given"
    folder.mkdir()

    def row() -> tuple[str, dict[str, str]]:
        import_folder(folder, None, Path("data/one"))
        sync_dataset(Paths(), "one", 100)
        (found,) = run_shard(Job(AdaptStage(), AdaptSettings(ocr="none"), "s", "c", Paths(), "one", "0000", []))
        return found.status, found.inputs

    make_fax(folder / "doc.tiff")
    (folder / "doc.tiff").rename(folder / "doc.png")  # its bytes say what it is
    first = row()[1]
    made = files.sha256_file(Path("data/one/doc.png/full.pdf"))
    assert row()[1] == first and files.sha256_file(Path("data/one/doc.png/full.pdf")) == made
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "words of the file that replaced the picture")
        document.save(tmp_path / "put.pdf")
    (folder / "doc.png").unlink()
    (tmp_path / "put.pdf").rename(folder / "doc.png")
    status, inputs = row()
    target = Path("data/one/doc.png")
    assert status == "ok" and list(inputs) == [(target / "full.pdf").as_posix()]
    assert sorted(path.name for path in target.glob("original*")) == []
    assert files.sha256_file(target / "full.pdf") == files.sha256_file(folder / "doc.png")
