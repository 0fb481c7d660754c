from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from helpers.make_pdf import lines, make_pdf, picture, sentence

from cosee.artifacts import files
from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.documents.layout import Layout
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.parse.figures import cut_pictures
from cosee.pipeline.paths import Paths
from cosee.pipeline.stage import DocFolder, StageFailure, StageResult
from cosee.stages import adapt
from cosee.stages.adapt import AdaptStage

DEMO = Path(__file__).parents[2] / "data" / "demo"


def folder(root: Path) -> DocFolder:
    return DocFolder("demo", "doc", root, root)


def run(root: Path, **settings: Any) -> StageResult:
    return AdaptStage().run(folder(root), AdaptSettings(**{"ocr": "none", **settings}))


def text_page(page: Any) -> None:
    lines(page, 60, 60, [sentence(n, 12) for n in range(5)])


def picture_page(page: Any) -> None:
    picture(page, (60, 60, 260, 200), (20, 120, 20))


def scan(page: Any) -> None:
    source = pymupdf.open()
    inner = source.new_page()
    lines(inner, 72, 100, ["The station was checked", "on Monday morning."], size=24, pitch=40)
    page.insert_image(page.rect, pixmap=inner.get_pixmap(dpi=150))


def test_outputs_repeat_byte_for_byte_and_stale_pictures_go(tmp_path: Path) -> None:
    # contract: D2, D3, D8
    make_pdf(tmp_path / "full.pdf", text_page, picture_page)
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / ("0" * 64 + ".png")).write_bytes(b"old")
    result = run(tmp_path)
    first = {path: path.read_bytes() for path in result.outputs}
    assert result.status == "ok" and result.counts["pages"] == 2 and result.counts["images"] == 1
    names = ["layout.json", "content_list.json", "content_list.adapted.json"]
    assert [path.name for path in result.outputs[:3]] == names
    assert sorted((tmp_path / "images").iterdir()) == sorted(result.outputs[3:])
    again = run(tmp_path)
    assert {path: path.read_bytes() for path in again.outputs} == first
    assert Layout.load(tmp_path / "layout.json").pages[1].blocks[0].image_sha256 == result.outputs[3].stem
    assert ContentList.load(tmp_path / "content_list.adapted.json").stage == "adapted"


def formula_page(page: Any) -> None:
    lines(page, 60, 60, [sentence(n, 12) for n in range(5)])
    page.insert_text((250, 160), "E = m c + 12 (3)", fontsize=11)


def test_the_picture_of_a_formula_is_kept_beside_it(tmp_path: Path) -> None:
    make_pdf(tmp_path / "full.pdf", formula_page)
    (kept,) = run(tmp_path).outputs[3:]
    (formula,) = (
        item for item in ContentList.load(tmp_path / "content_list.adapted.json").items if item.role == "equation"
    )
    assert formula.image_path == f"images/{kept.name}"
    crop = pymupdf.Pixmap(str(kept))
    x0, y0, x1, y1 = formula.bbox  # a margin of two points at the sides, at 144 dots an inch
    assert (crop.width, crop.height) == pytest.approx((2 * 595 * (x1 - x0) + 8, 2 * 842 * (y1 - y0)), abs=4)
    assert not crop.is_unicolor
    (listed,) = (entry for entry in files.read_json(tmp_path / "content_list.json") if entry["type"] == "equation")
    assert listed["img_path"] == formula.image_path
    assert len(run(tmp_path, pictures=False).outputs) == 3 and not kept.exists()


def test_a_document_of_very_many_formulas_is_whole_without_the_pictures_of_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cut_pictures, "MAX_CROPS", 2)
    monkeypatch.setattr(adapt, "MAX_CROPS", 2)

    def formulas(page: Any) -> None:
        text_page(page)
        for n in range(5):
            page.insert_text((250, 160 + 60 * n), f"E = m c + {n}2 ({n})", fontsize=11)

    make_pdf(tmp_path / "full.pdf", formulas)
    result = run(tmp_path)
    assert result.status == "ok" and len(result.outputs) == 3 + 2


def encrypted(path: Path, owner: str, user: str) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((60, 60), "Secret section")
    document.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw=owner, user_pw=user)


def test_bad_files_fail_with_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "full.pdf"
    with pytest.raises(StageFailure) as missing:
        run(tmp_path)
    assert missing.value.reason == "missing_file"
    for data, reason in (
        (b"", "empty_file"),
        (b"<html><body>404</body></html>", "not_a_pdf"),
        (b"%PDF-1.4\nno objects at all", "damaged"),
        (
            b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[2 0 R]/Count 1>>endobj\n"
            b"trailer<</Root 1 0 R/Size 3>>\n%%EOF",
            "damaged",
        ),
        (
            b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1>>endobj\n"
            b"trailer<</Root 1 0 R/Size 3>>\n%%EOF",
            "damaged",
        ),
        (
            b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
            b"trailer<</Root 1 0 R/Size 3>>\n%%EOF",
            "no_pages",
        ),
    ):
        path.write_bytes(data)
        with pytest.raises(StageFailure) as caught:
            run(tmp_path)
        assert caught.value.reason == reason
    encrypted(path, "owner", "user")
    with pytest.raises(StageFailure) as locked:
        run(tmp_path)
    assert locked.value.reason == "needs_password"
    encrypted(path, "owner", "")
    assert run(tmp_path).status == "ok"


def test_limits_and_missing_text_are_partial_and_name_the_pages(tmp_path: Path) -> None:
    make_pdf(tmp_path / "full.pdf", text_page, scan, scan, text_page, text_page)
    result = run(tmp_path, max_pages=4)
    assert (result.status, result.reason) == ("partial", "max_pages")
    assert "4 of 5 pages" in str(result.message) and "pages 2-3 could not be read (OCR is switched off)" in str(
        result.message
    )
    content = ContentList.load(tmp_path / "content_list.adapted.json")
    assert [item.role for item in content.items if item.page_idx == 1] == ["image"]


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_scanned_page_is_recognised(tmp_path: Path) -> None:
    make_pdf(tmp_path / "full.pdf", scan)
    result = run(tmp_path, ocr="auto")
    content = ContentList.load(tmp_path / "content_list.adapted.json")
    text = " ".join(item.text for item in content.items)
    assert result.status == "ok" and result.counts["ocr_pages"] == 1
    assert "The station was checked on Monday morning." in text
    read = [item for item in content.items if item.text]
    assert all("ocr" in item.flags and (item.confidence or 0) > 0.5 for item in read)


def test_ocr_layer_of_a_scan_is_its_text(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        scan(page)
        page.insert_text((72, 100), "The station was checked", fontsize=24, render_mode=3)

    make_pdf(tmp_path / "full.pdf", draw)
    assert run(tmp_path).status == "ok"
    content = ContentList.load(tmp_path / "content_list.adapted.json")
    assert [(item.role, item.text) for item in content.items] == [("paragraph", "The station was checked")]
    assert [dropped.reason for dropped in content.dropped] == ["page_scan"]


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_boxes_are_those_of_the_page_as_seen(tmp_path: Path, rotation: int) -> None:
    # contract: D7
    def draw(page: Any) -> None:
        picture(page, (100, 150, 250, 240), (200, 30, 30))
        page.set_cropbox((40, 50, 440, 600))
        page.set_rotation(rotation)

    make_pdf(tmp_path / "full.pdf", draw)
    run(tmp_path)
    content = ContentList.load(tmp_path / "content_list.adapted.json")
    box, page = content.items[0].bbox, content.pages[0]
    seen = [round(v * s) for v, s in zip(box, (page.width, page.height) * 2, strict=True)]
    x0, y0, x1, y1, wide, high = 60, 100, 210, 190, 400, 550
    expected = {
        0: [x0, y0, x1, y1],
        90: [high - y1, x0, high - y0, x1],
        180: [wide - x1, high - y1, wide - x0, high - y0],
        270: [y0, wide - x1, y1, wide - x0],
    }[rotation]
    assert seen == expected


def test_a_documents_process_loads_no_library_of_its_own(tmp_path):
    """What every document needs is loaded once, before their processes start, and not a hundred times."""
    paths = Paths(tmp_path / "data", tmp_path / "indexes", tmp_path / "results")
    for doc_id in ("letter", "atlas"):
        pdf = paths.folder("d", doc_id).data / "full.pdf"
        pdf.parent.mkdir(parents=True)
        shutil.copy(DEMO / doc_id / "full.pdf", pdf)
    files.write_json(paths.rows("d", "0000"), [{"doc_id": doc_id, "sha256": ""} for doc_id in ("atlas", "letter")])
    command = [sys.executable, "-X", "importtime", "-m", "cosee.stages.adapt", "--dataset", "d", "--shard", "0000"]
    command += ["--data", str(paths.data), "--settings", '{"ocr": "none"}']
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    before, _, children = done.stderr.partition("2 to do")
    loaded = {line.rsplit("|", 1)[1].strip().split(".")[0] for line in children.splitlines() if "import time:" in line}
    assert {"pymupdf", "scipy"} <= set(before.split())
    assert "2/2 letter: partial" in children
    assert loaded <= sys.stdlib_module_names
