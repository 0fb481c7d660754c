"""``python -m benchmarks.doctree`` from the PDF to the JSON, on a folder made by code."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from benchmarks import doctree
from helpers.make_pdf import lines, make_pdf, sentence
from helpers.project import ROOT

CASE = "hd-same-size-bold"


def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *more: str) -> dict[str, Any]:
    folders = [f"--{name}={tmp_path / name}" for name in ("cases", "parse", "qa", "work")]
    monkeypatch.setattr(sys, "argv", ["doctree", *folders, f"--json={tmp_path / 'out.json'}", *more])
    assert doctree.main() == 0
    value: dict[str, Any] = json.loads((tmp_path / "out.json").read_text("utf-8"))
    return value


def chapter(page: Any, title: str) -> None:
    page.insert_text((72, 90), title, fontsize=20, fontname="hebo")
    lines(page, 72, 130, [sentence(n, 12) for n in range(30)])


def test_what_is_absent_is_not_zero(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    value = report(tmp_path, monkeypatch)
    assert value["figures"] == {}
    assert "not measured: table_cell_f1*: no *-str.xml with its PDF in icdar2013/" in capsys.readouterr().out


def test_cases_are_counted_by_severity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "tests" / "cases" / CASE, tmp_path / "cases" / CASE)
    value = report(tmp_path, monkeypatch, "--only", "cases")
    assert value["figures"] == {
        "cases_passed": 1, "cases_total": 1, "cases_must_passed": 1, "cases_must_total": 1,
    }  # fmt: skip


def test_headings_are_measured_without_and_with_bookmarks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    titles = ["1 Background", "2 Methods", "3 Results"]
    folder = tmp_path / "parse" / "outline"
    pdf = make_pdf(tmp_path / "plain.pdf", *(lambda page, title=title: chapter(page, title) for title in titles))
    (folder / "pdf").mkdir(parents=True)
    (folder / "truth").mkdir()
    with pymupdf.open(pdf) as document:
        document.set_toc([[1, title, number] for number, title in enumerate(titles, start=1)])
        document.save(folder / "pdf" / "report.pdf")
    outline = [
        {"level": 1, "title": title, "page": n, "title_on_page": True} for n, title in enumerate(titles, start=1)
    ]
    truth = {"pdf": "pdf/report.pdf", "outline": outline}
    (folder / "truth" / "report.json").write_text(json.dumps(truth), "utf-8")

    value = report(tmp_path, monkeypatch, "--only", "headings")

    assert value["figures"]["heading_f1_title"] == value["figures"]["heading_f1_level"] == 1
    assert value["figures"]["heading_f1_title_with_outline"] == 1
    assert value["detail"]["headings"]["heading_f1_title"]["report"]["missed"] == []
    assert [path.name.endswith("stripped-1") for path in sorted((tmp_path / "work" / "doctree").iterdir())] == [
        False,
        True,
    ]
    assert report(tmp_path, monkeypatch, "--only", "headings", "--documents", "other")["figures"] == {}
