"""Files that are PDFs under other names, and passwords that come with a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pymupdf
import pytest
from rich.console import Console

from cosee.artifacts.datasets.passwords import read_passwords
from cosee.artifacts.files import ArtifactError
from cosee.commands.init import Sources, init
from cosee.datasets.folder import import_folder
from cosee.imaging.pdf_file import open_pdf


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "reports"
    folder.mkdir()
    with pymupdf.open() as document:
        document.new_page().insert_text((72, 72), "Hello.")
        document.save(folder / "open.txt")
        for name, password in (("Board Minutes.pdf", "ä,b"), ("locked", "two words")):
            document.save(folder / name, encryption=pymupdf.PDF_ENCRYPT_AES_128, user_pw=password, owner_pw="boss")
    (folder / "notes.txt").write_text("These are notes about %PDF-1.7 files.")
    (folder / "page.pdf").write_text("<html>404</html>")
    return folder


def test_pdfs_are_known_by_what_they_are(reports: Path, tmp_path: Path) -> None:
    questions = tmp_path / "q.csv"
    questions.write_text("file,question\nopen.txt,Who?\nlocked,What?\npage,Where?\nboard minutes,When?\n")
    report = import_folder(reports, questions, tmp_path / "data" / "mine")
    assert sorted(report.documents) == ["Board Minutes.pdf", "locked", "open.txt", "page.pdf"]
    assert [each for each in report.problems if each.kind != "unasked_document"] == []


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_table_of_passwords_becomes_the_sheet_of_the_dataset(
    reports: Path, tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"file": "board minutes.pdf", "password": "ä,b"}, {"file": "locked", "password": "two words"}]
    rows.append({"file": "gone.pdf", "password": "Hush"})
    lines = ["File;Password", *(f"{row['file']};{row['password']}" for row in rows)]
    table = tmp_path / f"secrets{suffix}"
    table.write_text("\n".join(lines if suffix == ".csv" else map(json.dumps, rows)) + "\n", encoding="utf-8")
    assert init("mine", Console(), Sources(pdfs=reports, passwords=table), config=Path("none.yaml")) == 0
    told = capsys.readouterr().out
    assert "line 4" in told or "line 3" in told
    assert "'gone.pdf'" in told
    assert "Hush" not in told and "two words" not in told
    assert read_passwords(Path("data/mine/passwords.tsv")) == {"Board_Minutes": "ä,b", "locked": "two words"}
    for doc_id in ("Board_Minutes", "locked"):
        with open_pdf(Path("data/mine") / doc_id / "full.pdf") as document:
            assert document[0].get_text().strip() == "Hello."
    table.write_text(
        "file,password\nopen.txt,later\n" if suffix == ".csv" else '{"file": "open", "password": "later"}\n'
    )
    init("mine", Console(), Sources(pdfs=reports, passwords=table), config=Path("none.yaml"))
    assert sorted(read_passwords(Path("data/mine/passwords.tsv"))) == ["Board_Minutes", "locked", "open.txt"]


def test_a_table_without_passwords_is_refused_without_showing_one(reports: Path, tmp_path: Path) -> None:
    table = tmp_path / "secrets.csv"
    for text, message in (("file,word\nlocked,x\n", "no column 'password'"), ("file,password\nlocked,\n", "line 2")):
        table.write_text(text)
        with pytest.raises(ArtifactError, match=message):
            init("mine", Console(), Sources(pdfs=reports, passwords=table), config=Path("none.yaml"))
