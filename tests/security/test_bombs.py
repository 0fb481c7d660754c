"""Files that are small on disk and huge once read cost a bounded amount, and end in words."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.datasets.importers.mpdocvqa import _image
from cosee.imaging import picture_file
from cosee.imaging.picture_file import MAX_PIXELS, PictureError, decode_picture, picture_size, read_picture
from cosee.models.blocks import PageImage
from cosee.pipeline.isolation import Limits, run_isolated
from cosee.pipeline.stage import DocFolder
from cosee.quality.image_file import ImageFileError, open_image
from cosee.stages.adapt import AdaptStage


def png_bomb(side: int) -> bytes:
    """A grey PNG of side x side zeros: a thousandth of its pixels on disk."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = zlib.compressobj(9)
    data = b"".join(row.compress(b"\0" * (side + 1)) for _ in range(side)) + row.flush()
    header = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


@pytest.fixture(scope="module")
def bomb() -> bytes:
    data = png_bomb(11_000)
    assert MAX_PIXELS < 11_000**2 and len(data) < 300_000
    return data


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_decoded(
    bomb: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # contract: P28
    path = tmp_path / "bomb.png"
    path.write_bytes(bomb)
    monkeypatch.setattr(Image.Image, "convert", lambda *_: pytest.fail("it was decoded"))
    for read in (read_picture, picture_size, lambda path: PageImage(1, path).load(), open_image):
        with pytest.raises((PictureError, ImageFileError), match="more than 100000000 pixels"):
            read(path)
    with pytest.raises(PictureError, match="more than 100000000 pixels"):
        decode_picture(bomb[:33] + bomb[33:80], "far.png")


def test_a_picture_beyond_what_pillow_bears_is_refused_alike() -> None:
    vast = bytearray(png_bomb(20))
    vast[16:24] = struct.pack(">II", 60_000, 60_000)
    vast[29:33] = struct.pack(">I", zlib.crc32(vast[12:29]))
    with pytest.raises(PictureError, match="more than 100000000 pixels"):
        decode_picture(bytes(vast), "vast.png")


def test_a_large_file_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Image.new("L", (50, 50)).save(tmp_path / "a.png")
    monkeypatch.setattr(picture_file, "MAX_BYTES", 10)
    with pytest.raises(PictureError, match="more than 10 bytes"):
        read_picture(tmp_path / "a.png")


@pytest.mark.parametrize("name", ["a.png", "a.eps"])
def test_postscript_is_no_picture_whatever_its_name(tmp_path: Path, name: str) -> None:
    # Pillow would start Ghostscript on it.
    text = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n(%pipe%touch pwned) (w) file\n"
    (tmp_path / name).write_bytes(text)
    with pytest.raises(PictureError, match="not an image of a known format"):
        read_picture(tmp_path / name)
    with pytest.raises(OSError, match="not an image of a known format"):
        PageImage(1, tmp_path / name).load()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "TIFF", "BMP", "GIF", "PPM"])
def test_each_known_format_is_read_and_a_damaged_one_is_told(kind: str) -> None:
    buffer = io.BytesIO()
    Image.effect_noise((60, 40), 90).save(buffer, kind)
    data = buffer.getvalue()
    assert decode_picture(data, "x").size == (60, 40)
    for damaged in (data[:20], data[: len(data) // 3], b"", b"\0" * 200):
        try:
            decode_picture(damaged, "x.bin")
        except PictureError as error:
            assert "'x.bin'" in str(error)


def test_a_dataset_of_page_images_refuses_a_bomb(bomb: bytes, tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "p1.jpg").write_bytes(bomb)
    with pytest.raises(ArtifactError, match=r"no page image .*p1\.jpg \(.*pixels"):
        _image(tmp_path, "p1", "line 1")


def adapted(folder: Path, pdf: bytes, limits: Limits) -> tuple[str, str, float]:
    """(status, reason, MB at the peak) of M0 over one PDF, in a child process as in a run."""
    doc = DocFolder("d", "doc", folder / "data/d/doc", folder / "indexes/d/doc")
    files.write_bytes(doc.data / "full.pdf", pdf)
    (outcome,) = run_isolated([(0, lambda: AdaptStage().run(doc, AdaptSettings(ocr="none")))], limits, 1)
    if outcome.result is not None:
        return outcome.result.status, outcome.result.reason or "", outcome.peak_rss_mb
    assert outcome.failure is not None
    return "failed", outcome.failure.reason, outcome.peak_rss_mb


def test_a_picture_bomb_inside_a_pdf_stays_within_the_memory_bound(bomb: bytes, tmp_path: Path) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((72, 72), "The bridge was opened in 1931.")
        page.insert_image((100, 100, 300, 300), stream=bomb)
        data = pdf.tobytes()
    status, reason, peak = adapted(tmp_path, data, Limits(seconds=120, memory_mb=1500))
    assert status in ("ok", "partial") or reason in ("memory", "timeout")
    assert peak < 1500


def test_a_stream_bomb_inside_a_pdf_stays_within_the_memory_bound(tmp_path: Path) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_text((72, 72), "The bridge was opened in 1931.")
        xref = page.get_contents()[0]
        pdf.update_stream(xref, pdf.xref_stream(xref) + b"\n" + b" " * 200_000_000, compress=True)
        data = pdf.tobytes()
    assert len(data) < 1_000_000
    status, reason, peak = adapted(tmp_path, data, Limits(seconds=120, memory_mb=1200))
    assert status in ("ok", "partial") or reason in ("memory", "timeout", "damaged_pdf")
    assert peak < 1700


def test_attachments_are_listed_and_never_unpacked(tmp_path: Path) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("../../escape.txt", b"\0" * 50_000_000)
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "See the attachment.")
        pdf.embfile_add("../../evil.zip", archive.getvalue(), filename="../../evil.zip")
        data = pdf.tobytes()
    status, _, _ = adapted(tmp_path, data, Limits(seconds=120, memory_mb=1500))
    assert status == "ok"
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert all(name.startswith("data/d/doc/") for name in written)
    assert not [name for name in written if "evil" in name or "escape" in name]
    content = files.read_json(tmp_path / "data/d/doc/content_list.adapted.json")
    assert "evil.zip" in str(content["attachments"])
