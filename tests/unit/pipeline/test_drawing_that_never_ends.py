"""A page whose drawing never ends costs its picture, not its document."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from tests.helpers.docling_documents import handbook

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.imaging import drawing
from cosee.imaging.drawing import RenderError, bounded_drawing, draw
from cosee.parse import pdf_reader
from cosee.pipeline.isolation import Limits, Outcome, run_isolated, times_ended
from cosee.pipeline.stage import DocFolder, StageResult
from cosee.stages.adapt import NOTE, AdaptStage


class Page:
    """A page that is drawn at once, or never."""

    def __init__(self, number: int, *, hangs: bool) -> None:
        self.number, self.hangs = number, hangs

    def get_pixmap(self, **_: Any) -> str:
        while self.hangs:
            pass
        return f"page {self.number}"


def drawn(note: Path, hanging: Sequence[int], count: int) -> StageResult:
    found = 0
    with bounded_drawing(note, times_ended() or 0) as given_up:
        for number in range(count):
            try:
                found += draw(Page(number, hangs=number in hanging)) == f"page {number}"
            except RenderError:
                continue
    return StageResult(outputs=[], counts={"drawn": found, "given_up": sum(1 << page for page in given_up)})


def outcome(task: Any) -> Outcome[int]:
    (found,) = run_isolated([(0, task)], Limits(seconds=120), 1)
    return found


@pytest.mark.parametrize(
    ("hanging", "counts"),
    [
        ([], {"drawn": 8, "given_up": 0}),
        ([1], {"drawn": 7, "given_up": 0b10}),
        ([0, 3], {"drawn": 6, "given_up": 0b1001}),
        ([0, 1, 2, 3, 4, 6], {"drawn": 0, "given_up": 0b11111111}),
    ],
)
def test_pages_that_never_end_are_given_up_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hanging: list[int], counts: dict[str, int]
) -> None:
    monkeypatch.setattr(drawing, "SECONDS_A_PAGE", 0.1)
    found = outcome(partial(drawn, tmp_path / "note", hanging, 8))
    assert found.failure is None and found.result is not None and found.result.counts == counts
    assert not (tmp_path / "note").exists()


def test_the_note_of_a_process_that_something_else_ended_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "note").write_text("0 1", encoding="utf-8")
    found = outcome(partial(drawn, tmp_path / "note", [], 2))
    assert found.result is not None and found.result.counts == {"drawn": 2, "given_up": 0}


def test_nothing_is_bounded_where_nobody_would_begin_anew(tmp_path: Path) -> None:
    assert times_ended() is None
    with bounded_drawing(None) as given_up:
        assert draw(Page(0, hangs=False)) == "page 0" and given_up == set()
    assert list(tmp_path.iterdir()) == []


def hang(page: Any, **_: Any) -> None:
    while True:
        pass


@pytest.mark.parametrize("engine", ["off", "missing", "there"])
def test_a_document_keeps_the_text_of_such_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    with pymupdf.open() as pdf:
        for number in range(2):
            page = pdf.new_page(width=400, height=600)
            page.insert_text((50, 500), f"The text of page {number + 1} reads at once.", fontsize=11)
            page.insert_text((50, 100), "Perhaps not seen", fontsize=11, color=(1, 1, 1))
            page.insert_image((50, 150, 350, 450), pixmap=pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 300, 300)))
            page.insert_text((60, 200), "Under the picture", fontsize=11, render_mode=3)
            page.insert_text((150, 560), "E = m c + 12 (3)", fontsize=11)
        pdf.save(tmp_path / "full.pdf")
    monkeypatch.setattr(drawing, "SECONDS_A_PAGE", 0.1)
    monkeypatch.setattr(pymupdf.Page, "get_pixmap", hang)
    doc = DocFolder("demo", "doc", tmp_path, tmp_path)
    if engine == "missing":
        monkeypatch.setattr(pdf_reader, "find_engine", lambda *_: None)
    found = outcome(partial(AdaptStage().run, doc, AdaptSettings(ocr="none" if engine == "off" else "auto")))
    assert found.result is not None, found.failure
    assert (found.result.status, found.result.reason) == ("partial", "images_missing")
    assert found.result.message is not None and "drawing pages 1-2 does not end" in found.result.message
    content = ContentList.load(tmp_path / "content_list.adapted.json")
    assert sum("reads at once" in item.text for item in content.items) == 2
    assert [item.image_path for item in content.items if item.role == "equation"] == [None, None]
    assert not (tmp_path / NOTE).exists()


def test_a_docling_document_keeps_its_text_without_such_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pymupdf.open() as pdf:
        for _ in range(2):
            pdf.new_page(width=400, height=600)
        pdf.save(tmp_path / "full.pdf")
    (tmp_path / "docling").mkdir()
    (tmp_path / "docling" / "document.json").write_text(json.dumps(handbook()), encoding="utf-8")
    monkeypatch.setattr(drawing, "SECONDS_A_PAGE", 0.1)
    monkeypatch.setattr(pymupdf.Page, "get_pixmap", hang)
    doc = DocFolder("demo", "doc", tmp_path, tmp_path)
    found = outcome(partial(AdaptStage().run, doc, AdaptSettings(ocr="none")))
    assert found.result is not None and (found.result.status, found.result.reason) == ("partial", "image_missing")
    assert found.result.counts["tables"] == 1 and not (tmp_path / NOTE).exists()
