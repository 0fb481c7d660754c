"""The benchmark of exports finds nothing in a sound document, and what is wrong in others."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.exports import KINDS, Checked, check, figures_of
from helpers.export_trees import write_folder


def test_a_sound_document_has_no_fault(tmp_path: Path) -> None:
    found = check(write_folder(tmp_path / "odd"), "odd")
    assert found.faults == {} and found.furthest < 0.01
    assert found.counts["pdf.highlights"] == 8 and found.counts["pdf.continued"] == 1
    assert found.counts["tables.cells"] == 15 and set(found.seconds) == {*KINDS, "pdf"}
    figures = figures_of({"odd": found, "other": Checked(faults={"no_tree": "damaged"})})
    assert figures["markdown_kept"] == figures["pdf_text_kept"] == 0.5


def test_what_is_lost_or_moved_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cosee.export.markdown.escaped", lambda text: text)
    monkeypatch.setattr("cosee.export.html_page.escape", str)
    monkeypatch.setattr(
        "cosee.export.workbook.number_in", lambda text, language: (0.0, "0") if text == "-5.2" else None
    )
    found = check(write_folder(tmp_path / "odd"), "odd")
    assert set(found.faults) == set(KINDS)
    assert "t_2" in found.faults["markdown"] and "t_2" in found.faults["html"] and "tab_3" in found.faults["tables"]
