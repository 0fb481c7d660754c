"""What a file is, its content says; what cannot be opened has one reason."""

from __future__ import annotations

import re
from pathlib import Path

import pymupdf
import pytest

from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.parse.pdf.opening import UnreadablePdf, check_header
from cosee.parse.pdf_reader import ReadResult, read_pages, read_pdf


@pytest.fixture
def sound() -> bytes:
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "Read me all the same.")
        data: bytes = document.tobytes(no_new_id=True)
    return data


def read(tmp_path: Path, data: bytes) -> ReadResult:
    (tmp_path / "full.pdf").write_bytes(data)
    return read_pdf(tmp_path / "full.pdf", "d", AdaptSettings(ocr="none"), tmp_path / "images")


@pytest.mark.parametrize("head", [b"", b"%!PS-Adobe-3.0\n", b"%PfD-1.7\n", b"Received: by mail\n" * 700])
def test_a_lost_or_buried_header_does_not_hide_a_pdf(tmp_path: Path, sound: bytes, head: bytes) -> None:
    body = sound if len(head) > 100 else sound.split(b"\n", 1)[1]
    result = read(tmp_path, head + body)
    text = [span.text for block in result.layout.pages[0].blocks for line in block.lines for span in line.spans]
    assert "".join(text) == "Read me all the same."


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty_file"),
        (b"<!DOCTYPE html><html><body>404 Not Found</body></html>", "not_a_pdf"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "not_a_pdf"),
        (b"\0" * 5000, "not_a_pdf"),
        (b"PK\x03\x04" + b"x" * 3000, "not_a_pdf"),
        (b"How to read startxref, and why an obj is no object. " * 60, "not_a_pdf"),
        (b" " * 2000 + b"%PDF-1.4", "not_a_pdf"),
    ],
    ids=["empty", "html", "lfs", "nul", "zip", "prose", "late header"],
)
def test_other_files_are_no_pdf_whatever_they_are_called(tmp_path: Path, data: bytes, reason: str) -> None:
    (tmp_path / "full.pdf").write_bytes(data)
    with pytest.raises(UnreadablePdf) as caught:
        check_header(tmp_path / "full.pdf")
    assert caught.value.reason == reason


@pytest.mark.parametrize("indirect", [True, False])
def test_encryption_that_nobody_can_open_is_named(tmp_path: Path, sound: bytes, indirect: bool) -> None:
    handler = b"<</Filter/ReadRights.Service/V 1>>"
    data = sound.replace(
        b"trailer\n<<", b"trailer\n<</Encrypt %b/ID[<00><00>]" % (b"900 0 R" if indirect else handler), 1
    )
    data = data.replace(b"xref\n0", b"900 0 obj\n%b\nendobj\nxref\n0" % handler, 1) if indirect else data
    with pytest.raises(UnreadablePdf, match=r"ReadRights\.Service") as caught:
        read(tmp_path, data)
    assert caught.value.reason == "unsupported_encryption"


def test_what_is_beyond_repair_is_damaged_for_every_reader(tmp_path: Path, sound: bytes) -> None:
    (tmp_path / "full.pdf").write_bytes(sound[:40])
    for reader in (
        lambda pdf: read(tmp_path, pdf.read_bytes()),
        lambda pdf: read_pages(pdf, "d", AdaptSettings(), "r"),
    ):
        with pytest.raises(UnreadablePdf) as caught:
            reader(tmp_path / "full.pdf")
        assert (caught.value.reason, str(tmp_path) in caught.value.message) == ("damaged", False)


def test_a_page_whose_content_breaks_off_is_named_and_the_rest_is_whole(tmp_path: Path) -> None:
    with pymupdf.open() as document:
        for page in range(3):
            written = document.new_page()
            for line in range(30):
                written.insert_text((72, 60 + 20 * line), f"Line {line} of page {page} tells of the year {line * 37}.")
            written.clean_contents()
        data = document.tobytes(no_new_id=True, deflate=True)
    streams = [found for found in re.finditer(rb"stream\n(.*?)\nendstream", data, re.DOTALL) if len(found[1]) > 300]
    second = streams[1]
    keep = second.start(1) + len(second[1]) // 2
    broken = data[:keep] + b"\xff" * (second.end(1) - keep) + data[second.end(1) :]
    assert read(tmp_path, data).problems == []
    result = read(tmp_path, broken)
    assert [reason for reason, _ in result.problems] == ["damaged"]
    assert "page 2 " in result.problems[0][1]
    assert ["damaged" in page.flags for page in result.layout.pages] == [False, True, False]


def test_a_file_that_lost_both_its_header_and_its_end_is_read(tmp_path: Path, sound: bytes) -> None:
    both = sound[sound.index(b"1 0 obj") : sound.rindex(b"xref")]
    assert read(tmp_path, both).layout.pages[0].blocks
    for wrong in (b"7 0 obj <<", b"see '1 0 obj <<' and '2 0 obj <<' in the manual", b"plain text"):
        with pytest.raises(UnreadablePdf) as caught:
            read(tmp_path, wrong * 3 if wrong[0] == 55 else wrong)
        assert caught.value.reason == "not_a_pdf"
