"""Questions from Excel workbooks, sound and hostile."""

import builtins
import datetime
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from helpers.run_maker import make_pdf

from cosee.artifacts.base import load_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.files import ArtifactError
from cosee.datasets import question_files
from cosee.datasets.folder import import_folder


@pytest.fixture
def pdfs(tmp_path: Path) -> Path:
    make_pdf(tmp_path / "reports" / "one.pdf", "one")
    make_pdf(tmp_path / "reports" / "two.pdf", "two")
    return tmp_path / "reports"


def workbook(path: Path, *sheets: list[list[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for rows in sheets:
        sheet = book.create_sheet()
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_cells_are_read_as_a_person_sees_them(pdfs: Path, tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "q.xlsx",
        [["Notes"], ["nothing here"]],
        [
            ["File", "Question", None, "Answer", "Pages"],
            ["one.pdf", "How many?", "remark", 1204.0, 2],
            [],
            ["two.pdf", "What share?", None, 0.25, "1;2"],
            ["two", "When?", None, datetime.datetime(2024, 3, 1), None],
            ["two", "Is it so?", None, True, None],
            ["two", "Of a formula?", None, "=1+1", None],
        ],
    )
    target = tmp_path / "data" / "mine"
    report = import_folder(pdfs, path, target)
    rows = load_rows(Question, target / "qa" / "questions.jsonl")
    assert [row.answer for row in rows] == ["1204", "0.25", "2024-03-01 0:00:00", "Yes", None]
    assert rows[2].answer_alt == ["2024-03-01"]
    assert [row.answer_format for row in rows] == ["Int", "Float", "Str", "Bool", None]
    assert [row.evidence_pages for row in rows[:2]] == [[2], [1, 2]] and report.problems == []
    assert rows[1].question_id == "two#0004", "the number of the sheet's row"


def test_formatted_cells_are_gold_as_they_are_shown_and_as_they_are(pdfs: Path, tmp_path: Path) -> None:
    cells = [
        (0.53, "0%", "53%", ["0.53"]),
        (0.125, "0.0%", "12.5%", ["0.125"]),
        (7660, "#,##0", "7,660", ["7660"]),
        (1987, "General", "1987", []),
        (datetime.datetime(2022, 3, 5), "d mmmm yyyy", "5 March 2022", ["2022-03-05"]),
        (datetime.datetime(2022, 3, 5), "mm-dd-yy", "2022-03-05", []),
        (datetime.time(6, 45), "h:mm:ss", "6:45:00", ["06:45"]),
        (datetime.timedelta(hours=26, minutes=5), "[h]:mm", "26:05", ["26:05:00"]),
        (89.5, '0.00 "€"', "89.50 €", ["89.5"]),
        (1234.5, "[$€-407] #,##0.00", "€ 1,234.50", ["1234.5"]),
        (-1234.5, "#,##0.00;[Red](#,##0.00)", "(1,234.50)", ["-1234.5"]),
        (1234567, '#,##0.0,,"M"', "1.2M", ["1234567"]),
        (0.00012, "0.00E+00", "1.20E-04", ["0.00012"]),
        (1.5, "# ?/?", "1 1/2", ["1.5"]),
        (12, "00000", "00012", ["12"]),
        (True, "General", "Yes", []),
    ]
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["The questions of spring"])
    sheet.append([])
    sheet.append(["file", "question", "answer", "evidence_pages"])
    for number, (value, form, _, _) in enumerate(cells):
        sheet.append(["one.pdf", f"What is value {number}?", value, 1])
        sheet.cell(sheet.max_row, 3).number_format = form
        sheet.cell(sheet.max_row, 4).number_format = "0.00"
    book.save(tmp_path / "q.xlsx")
    target = tmp_path / "data" / "mine"
    import_folder(pdfs, tmp_path / "q.xlsx", target)
    rows = load_rows(Question, target / "qa" / "questions.jsonl")
    assert [(row.answer, row.answer_alt) for row in rows] == [(shown, others) for _, _, shown, others in cells]
    assert {tuple(row.evidence_pages) for row in rows} == {(1,)}


@pytest.mark.shared
def test_the_formatted_sheet_of_the_shared_report(shared: Path, tmp_path: Path) -> None:
    folder = shared / "reports" / "spreadsheet-formats"
    target = tmp_path / "data" / "ferry"
    documents = tmp_path / "pdfs"
    documents.mkdir()
    (documents / "ferry.pdf").write_bytes((folder / "ferry.pdf").read_bytes())
    import_folder(documents, folder / "q.xlsx", target)
    rows = load_rows(Question, target / "qa" / "questions.jsonl")
    accepted = [{row.answer, *row.answer_alt} for row in rows]
    wanted = ["53%", "12.5%", "1987", "7660", "5 March 2022", "06:45", "89.50 €", "0.30", "Yes"]
    assert all(each in forms for each, forms in zip(wanted, accepted, strict=True))
    import_folder(documents, folder / "title-above.xlsx", target)
    assert [row.answer for row in load_rows(Question, target / "qa" / "questions.jsonl")] == ["7660"]


def test_it_gives_what_the_same_csv_gives(pdfs: Path, tmp_path: Path) -> None:
    rows = [
        ["file", "question", "answer", "pages"],
        ["one.pdf", "Which?", "1,204", "2"],
        ["two.pdf", "Why, then?", "No", ""],
    ]
    book = workbook(tmp_path / "q.xlsx", rows)
    text = "\n".join(",".join(f'"{cell}"' for cell in row) for row in rows)
    (tmp_path / "q.csv").write_text(text, encoding="utf-8")
    for path, name in ((book, "xlsx"), (tmp_path / "q.csv", "csv")):
        import_folder(pdfs, path, tmp_path / name / "mine")
    questions = [(tmp_path / name / "mine" / "qa" / "questions.jsonl").read_bytes() for name in ("xlsx", "csv")]
    assert questions[0] == questions[1]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["file", "answer"], ["one.pdf", "x"]], "no column 'question'; the columns are 'file', 'answer'"),
        ([["file", "question"], ["one.pdf", None]], "line 2: the question is empty"),
        ([["file", "question", "pages"], ["one.pdf", "What?", "iv"]], "line 2: evidence_pages 'iv'"),
        ([["file", "question"]], "holds no questions"),
    ],
)
def test_bad_workbooks_say_where(pdfs: Path, tmp_path: Path, rows: list[list[Any]], message: str) -> None:
    path = workbook(tmp_path / "q.xlsx", rows)
    with pytest.raises(ArtifactError, match=r"q\.xlsx") as caught:
        import_folder(pdfs, path, tmp_path / "data" / "mine")
    assert message in str(caught.value) and not (tmp_path / "data").exists()


def test_damaged_and_huge_workbooks_are_not_read(pdfs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, path = tmp_path / "data" / "mine", tmp_path / "q.xlsx"
    path.write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(ArtifactError, match="no readable workbook"):
        import_folder(pdfs, path, target)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<not/><xml>")
    with pytest.raises(ArtifactError, match="no readable workbook"):
        import_folder(pdfs, path, target)
    monkeypatch.setattr(question_files, "LARGEST_WORKBOOK", 10_000)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * 1_000_000)
    assert path.stat().st_size < 10_000
    with pytest.raises(ArtifactError, match="unpacks to 1000000 bytes, more than 10000"):
        import_folder(pdfs, path, target)
    with pytest.raises(ArtifactError, match="save it as .xlsx or as CSV"):
        import_folder(pdfs, tmp_path / "old.xls", target)


def test_without_the_library_it_says_what_to_install(
    pdfs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = workbook(tmp_path / "q.xlsx", [["file", "question"], ["one.pdf", "What?"]])
    real = builtins.__import__

    def absent(name: str, *rest: Any, **named: Any) -> Any:
        if name == "openpyxl":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ArtifactError, match=r"pip install 'cosee\[xlsx\]'"):
        import_folder(pdfs, path, tmp_path / "data" / "mine")
