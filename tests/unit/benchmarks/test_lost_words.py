from __future__ import annotations

import json
import sys
from pathlib import Path

import pymupdf
import pytest
from benchmarks import lost_words
from benchmarks.fit_headings import fold_models
from benchmarks.heading_evidence import FOLDS
from benchmarks.lost_words import drawn_pages, is_kept, words_of
from helpers.make_pdf import lines, make_pdf

from cosee.models.vision import ocr_tesseract
from cosee.structure.headings.model import heading_model


def test_a_word_is_kept_within_one_edit_and_at_the_end_of_a_line_as_part_of_one():
    words = {"harbour", "international"}
    assert is_kept("harbour", words) and is_kept("harbor", words) and is_kept("harbours", words)
    assert not is_kept("harbo", words) and not is_kept("inter", words)
    assert is_kept("inter", words, at_edge=True) and is_kept("national", words, at_edge=True)


def test_words_with_hyphens_count_whole_and_in_parts():
    assert set(words_of("Long-term café")) == {"longterm", "long", "term", "cafe"}


def test_the_same_seed_draws_the_same_pages(tmp_path: Path):
    pdfs = []
    for name, count in (("a", 7), ("b", 5)):
        with pymupdf.open() as document:
            for _ in range(count):
                document.new_page()
            document.save(tmp_path / f"{name}.pdf")
        pdfs.append(tmp_path / f"{name}.pdf")
    drawn = drawn_pages(pdfs, 6, 3)
    assert drawn == drawn_pages(pdfs, 6, 3) and sum(map(len, drawn.values())) == 6
    assert all(pages == sorted(set(pages)) and pages[0] >= 1 for pages in drawn.values())
    assert sum(map(len, drawn_pages(pdfs, 99, 0).values())) == 12


@pytest.mark.skipif(not ocr_tesseract.installed_languages(), reason="tesseract is not installed")
def test_what_is_seen_and_not_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    shown = ["The inspectors found that the eastern pump", "had lost a third of its oil over the winter"]
    (tmp_path / "docs").mkdir()
    make_pdf(tmp_path / "docs" / "d.pdf", lambda page: lines(page, 60, 80, shown, size=14))
    monkeypatch.setattr(lost_words, "_strings", lambda item: [item["text"].replace("eastern", "")])
    found = lost_words._measured((tmp_path / "docs" / "d.pdf", [1]), tmp_path / "work")[1]
    assert found[1]["lost"] == ["eastern"] and found[1]["words"] >= 12
    monkeypatch.undo()
    monkeypatch.setattr(sys, "argv", ["lost_words", "--qa", str(tmp_path), "--json", str(tmp_path / "out.json"),
                                      "--work", str(tmp_path / "work"), "--jobs", "1"])  # fmt: skip
    assert lost_words.main() == 0
    assert json.loads((tmp_path / "out.json").read_text())["figures"]["lost"] == 0


def test_the_weights_of_the_folds_are_those_of_the_packages_fit():
    models, package = fold_models(), heading_model()
    assert len(models) == FOLDS
    assert all(list(model.columns) == list(package.columns) for model in models)
    assert {model.threshold for model in models} == {package.threshold}
