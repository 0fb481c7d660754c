from __future__ import annotations

import io
import subprocess
from pathlib import Path

import pymupdf
import pytest
from helpers.make_pdf import make_pdf
from PIL import Image

from cosee.imaging.page_boxes import Mark, draw_marks, stack_crops
from cosee.imaging.render import (
    RENDERING,
    RegionRenderer,
    RenderError,
    image_stream,
    render_page,
    render_page_isolated,
    render_pages_isolated,
    render_region,
)
from cosee.imaging.thresholds import MAX_RENDERED_PIXELS


def test_pages_are_cached_by_content_and_drawn_on(tmp_path: Path) -> None:
    pdf = make_pdf(tmp_path / "a.pdf", lambda page: None, lambda page: None)
    first = render_page(pdf, 2, 72, tmp_path / "cache")
    copy = tmp_path / "b.pdf"
    copy.write_bytes(pdf.read_bytes())
    assert first.name == "2.png" and first.parent.name == f"pymupdf{pymupdf.VersionBind}-{RENDERING}-72"
    assert render_page(copy, 2, 72, tmp_path / "cache") == first
    with Image.open(first) as picture:
        assert picture.size == (595, 842)
    marks = [Mark((0.1, 0.1, 0.5, 0.5), "section", "1 L2"), Mark((0.0, 0.9, 1.0, 1.0), "dropped", "footer")]
    draw_marks(first, marks, tmp_path / "boxed.png", "a, page 2")
    with Image.open(tmp_path / "boxed.png") as picture:
        assert picture.width == 595 and picture.height > 842
        assert (214, 39, 40) in [picture.getpixel((x, 300)) for x in range(58, 63)]
        legend = {picture.getpixel((x, y)) for x in range(595) for y in range(845, picture.height)}
        assert {(214, 39, 40), (154, 154, 154)} <= legend
    stack_crops([(first, (0.1, 0.1, 0.5, 0.2)), (first, (0.1, 0.8, 0.5, 0.9))], tmp_path / "crops.png")
    with Image.open(tmp_path / "crops.png") as picture:
        assert 230 < picture.width < 270 and 168 < picture.height < 220


def test_pixels_are_bounded_on_a_huge_page(tmp_path: Path) -> None:
    pdf = make_pdf(tmp_path / "a.pdf", lambda page: None, size=(14_400, 14_400))
    path = render_page(pdf, 1, 150, tmp_path / "cache")
    with Image.open(path) as picture:
        assert picture.width * picture.height <= MAX_RENDERED_PIXELS * 1.01


def test_faults_are_named(tmp_path: Path) -> None:
    pdf = make_pdf(tmp_path / "a.pdf", lambda page: None)
    with pytest.raises(RenderError, match="has no page 7"):
        render_region(pdf, 7, (0, 0, 1, 1), 72)
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.4 nothing")
    with pytest.raises(RenderError, match="broken.pdf"):
        render_page_isolated(broken, 1, 72, tmp_path / "cache")
    with pytest.raises(RenderError, match="more than"):
        render_page_isolated(pdf, 1, 72, tmp_path / "cache", timeout=0.001)
    assert render_page_isolated(pdf, 1, 72, tmp_path / "cache").is_file()


def test_pages_are_rendered_by_one_child_and_a_fault_costs_its_own_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pdf = make_pdf(tmp_path / "a.pdf", *[lambda page: None] * 3)
    children: list[object] = []
    plain = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda *args, **options: children.append(args) or plain(*args, **options))
    found = render_pages_isolated(pdf, [1, 2, 3], 72, tmp_path / "all")
    assert [path.name for path in found.values()] == ["1.png", "2.png", "3.png"] and len(children) == 1
    found = render_pages_isolated(pdf, [9, 3, 1], 72, tmp_path / "some")
    assert isinstance(found.pop(9), RenderError) and [path.name for path in found.values()] == ["3.png", "1.png"]


def test_the_file_of_a_pages_jpeg_is_found_by_its_size() -> None:
    picture = Image.effect_noise((60, 40), 50)
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=7)
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_image((0, 0, 60, 40), stream=buffer.getvalue())
        assert image_stream(page, 2400) == buffer.getvalue()
        assert image_stream(page, 2401) == b""
        other = io.BytesIO()
        picture.resize((50, 40)).save(other, "PNG")
        page.insert_image((0, 50, 60, 90), stream=other.getvalue())
        assert image_stream(page, 2000) == b"", "not a JPEG"


@pytest.mark.parametrize("expected", [1, 3])
def test_a_region_grows_up_and_down_to_the_next_row_without_ink(expected: int) -> None:
    with pymupdf.open() as document:
        page = document.new_page(width=200, height=200)
        page.draw_rect((50, 80, 60, 130), fill=(0, 0, 0))
        page.draw_rect((100, 0, 110, 200), fill=(0, 0, 0))
        renderer = RegionRenderer(page, 144, 2_000_000, expected)
        assert renderer.uncut((50, 90, 70, 110), 40) == pytest.approx((50, 79.5, 70, 130.5), abs=1.0)
        assert renderer.uncut((95, 90, 110, 110), 40) == (95, 90, 110, 110)  # ink as far as it looks
        assert renderer.uncut((70, 150, 90, 170), 40) == pytest.approx((70, 150, 90, 170), abs=1.0)  # nothing cut
