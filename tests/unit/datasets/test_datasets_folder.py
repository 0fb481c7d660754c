"""A user's folder of PDFs and questions, good and bad."""

import json
import os
from pathlib import Path

import pytest
from helpers.run_maker import make_pdf

from cosee.artifacts.base import load_rows
from cosee.artifacts.datasets.imports import ImportReport
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.files import ArtifactError
from cosee.datasets.answer_format import infer_format
from cosee.datasets.folder import import_folder
from cosee.datasets.placing import document_ids
from cosee.datasets.qa_folder import import_qa_folder


@pytest.fixture
def pdfs(tmp_path: Path) -> Path:
    folder = tmp_path / "reports"
    for name in ("Annual Report 2023.pdf", "letter.PDF", "old/letter.pdf"):
        make_pdf(folder / name, name)
    return folder


def questions_of(target: Path) -> list[Question]:
    return load_rows(Question, target / "qa" / "questions.jsonl")


def test_csv_becomes_questions_with_formats(pdfs: Path, tmp_path: Path) -> None:
    csv = tmp_path / "q.csv"
    csv.write_text(
        "\ufeffFile,Question,Answer,Pages\n"
        'Annual Report 2023.pdf,"Revenue, in total?","1,204",3;4\n'
        "annual report 2023,Is it audited?,Yes,\n"
        "old/letter.pdf,Who signed?,,\n"
        "old/letter.pdf,Who paid?,not answerable,\n",
        encoding="utf-8",
    )
    target = tmp_path / "data" / "mine"
    report = import_folder(pdfs, csv, target)
    rows = questions_of(target)
    assert [row.answer_format for row in rows] == ["Int", "Bool", None, "None"]
    assert rows[0].evidence_pages == [3, 4] and rows[0].question == "Revenue, in total?"
    assert rows[3].answer == NOT_ANSWERABLE and rows[3].unanswerable
    assert rows[0].doc_id == rows[1].doc_id == "Annual_Report_2023"
    assert len({row.question_id for row in rows}) == 4 and report.questions == 4
    for name, doc_id in report.documents.items():
        assert (target / doc_id / "full.pdf").read_bytes() == (pdfs / name).read_bytes()
    assert len(set(report.documents.values())) == 3
    assert [str(problem) for problem in report.problems] == ["letter.PDF: no question is about it"]


def test_import_again_changes_nothing(pdfs: Path, tmp_path: Path) -> None:
    target = tmp_path / "data" / "mine"
    first = import_folder(pdfs, None, target)
    before = {path: path.stat().st_ino for path in target.rglob("full.pdf")}
    assert import_folder(pdfs, None, target) == first
    assert {path: path.stat().st_ino for path in target.rglob("full.pdf")} == before


def test_missing_pdf_and_repeated_questions_are_listed(pdfs: Path, tmp_path: Path) -> None:
    rows = [
        {"doc_id": "letter", "question": "Two files are called letter?"},
        {"doc_id": "../../etc/passwd", "question": "Where?"},
        {"doc_id": "Annual Report 2023", "question": "Same?", "id": "a"},
        {"doc_id": "Annual Report 2023", "question": "Same?", "id": "b"},
        {"doc_id": "Annual Report 2023", "question": "Other?", "id": "a", "answer": ["x", "y"]},
    ]
    path = tmp_path / "q.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    target = tmp_path / "data" / "mine"
    report = import_folder(pdfs, path, target)
    questions = questions_of(target)
    assert [row.question_id for row in questions[2:]] == ["a", "a-2"]
    assert questions[1].doc_id == "passwd" and not (target / "passwd").exists()
    assert questions[3].answer_format == "List"
    text = "\n".join(map(str, report.problems))
    assert "letter: no such document" in text and "../../etc/passwd: no such document" in text
    assert "line 4: repeats line 3" in text and "question 'a': the id occurs twice" in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("file,answer\nx,y\n", "line 1: no column 'question'"),
        ("file,question\nletter.pdf,\n", "line 2: the question is empty"),
        ("file,question\nletter.pdf,What, now?\n", "line 2: more fields than columns"),
        ("file,question,pages\nold/letter.pdf,What?,iv\n", "line 2: evidence_pages 'iv'"),
        ("file,question,pages\nold/letter.pdf,What?,0\n", "line 2: evidence_pages are 1-based"),
        ("file,question,format\nold/letter.pdf,What?,Number\n", "line 2: answer_format"),
        ("question\nWhich?\n", "line 2: names no document"),
        ('file,question\n"letter.pdf,What?\n', "line"),
        ("file,question\n", "holds no questions"),
    ],
)
def test_bad_question_files_say_where(pdfs: Path, tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "q.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ArtifactError, match="q.csv") as caught:
        import_folder(pdfs, path, tmp_path / "data" / "mine")
    assert message in str(caught.value)
    assert not (tmp_path / "data").exists(), "nothing is written before the questions are read"


def test_a_question_may_name_several_documents_or_none(pdfs: Path, tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text(
        "file,question,pages,evidence_documents\n"
        "old/letter.pdf; Annual Report 2023,Which is older?,1;2,Annual Report 2023; old/letter.pdf\n"
        ",Who signed?,,\n",
        encoding="utf-8",
    )
    report = import_folder(pdfs, path, tmp_path / "data" / "mine")
    several, every = questions_of(tmp_path / "data" / "mine")
    known = set(report.documents.values())
    assert len(several.doc_ids) == 2 and set(several.doc_ids) <= known and not several.doc_id
    assert several.gold_pages == [(several.doc_ids[1], 1), (several.doc_ids[0], 2)]
    assert (every.doc_id, every.doc_ids) == ("", [])
    assert "unasked_document" not in {problem.kind for problem in report.problems}


def test_latin_1_is_named(pdfs: Path, tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_bytes("file,question\nletter.pdf,Où?\n".encode("latin-1"))
    with pytest.raises(ArtifactError, match="UTF-8"):
        import_folder(pdfs, path, tmp_path / "data" / "mine")


def test_links_out_of_the_folder_are_left_out(pdfs: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.pdf"
    make_pdf(secret, "secret")
    (pdfs / "evil.pdf").symlink_to(secret)
    (pdfs / "loop.pdf").symlink_to(pdfs / "loop.pdf")
    (pdfs / "fine.pdf").symlink_to(pdfs / "old" / "letter.pdf")
    target = tmp_path / "data" / "mine"
    report = import_folder(pdfs, None, target)
    assert {"evil.pdf", "loop.pdf"}.isdisjoint(report.documents) and "fine.pdf" in report.documents
    assert len(report.of_kind("left_out_document")) == 2
    assert not (target / "fine" / "full.pdf").is_symlink()


def test_a_link_in_the_way_is_refused(pdfs: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    target = tmp_path / "data" / "mine"
    target.mkdir(parents=True)
    (target / "Annual_Report_2023").symlink_to(outside)
    with pytest.raises(ArtifactError, match="is a link"):
        import_folder(pdfs, None, target)
    assert not list(outside.iterdir())


@pytest.mark.parametrize("name", ["..", ".hidden", "a b"])
def test_a_dataset_needs_a_safe_name(pdfs: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(ArtifactError, match="dataset is named|plain folder"):
        import_folder(pdfs, None, tmp_path / "data" / name)


def test_document_ids_are_safe_and_unique() -> None:
    names = ["a.pdf", "A.pdf", "x/a.pdf", "é.pdf", "qa.pdf", "...pdf", "../../up.pdf", "a" * 300 + ".pdf", "日本.pdf"]
    ids = document_ids(names)
    assert ids["a.pdf"] == "a"
    assert len({each.lower() for each in ids.values()}) == len(names)
    assert all(each and len(each) <= 100 and "/" not in each and not each.startswith(".") for each in ids.values())
    assert ids["qa.pdf"].startswith("qa-")


@pytest.mark.parametrize(
    ("answer", "kind"),
    [("12", "Int"), ("1,204", "Int"), ("3.5%", "Float"), ("$4", "Float"), ("No", "Bool"), (["a"], "List"),
     ("['a', 'b']", "List"), ("Not answerable", "None"), ("Ada Lovelace", "Str"), ("word " * 20, "FreeText")],
)  # fmt: skip
def test_formats_are_inferred(answer: str | list[str], kind: str) -> None:
    assert infer_format(answer) == kind


def make_qa_folder(folder: Path) -> None:
    make_pdf(folder / "docs" / "one.pdf", "one")
    make_pdf(folder / "docs" / "two.pdf", "two")
    docs = [
        {"doc_id": "one.v1", "file": "docs/one.pdf", "kind": "report"},
        {"doc_id": "two", "file": "docs/two.pdf"},
        {"doc_id": "evil", "file": "../outside.pdf"},
    ]
    questions = [
        {"qid": "q#1", "doc_id": "one.v1", "question": "A?", "answer": "x", "answer_format": "Str",
         "source_dataset": "s1", "licence": "ours", "evidence_pages": [1], "answer_alt": ["y"]},
        {"qid": "q#2", "doc_id": "two", "question": "B?", "answer": ["x", "y"], "answer_format": "List",
         "source_dataset": "s2", "evidence_mode": "any"},
        {"qid": "q#3", "doc_id": "evil", "question": "C?", "answer": "Not answerable", "answer_format": "None"},
        {"qid": "q#3", "doc_id": "two", "question": "D?", "answer": "z", "answer_format": "Str"},
    ]  # fmt: skip
    (folder / "docs.jsonl").write_text("\n".join(map(json.dumps, docs)), encoding="utf-8")
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)), encoding="utf-8")


def test_qa_folder(tmp_path: Path) -> None:
    make_pdf(tmp_path / "outside.pdf", "outside")
    make_qa_folder(tmp_path / "src")
    target = tmp_path / "data" / "bench"
    report = import_qa_folder(tmp_path / "src", target)
    rows = questions_of(target)
    assert [row.question_id for row in rows] == ["q#1", "q#2", "q#3", "q#3-2"]
    assert rows[0].answer_alt == ["y"] and rows[1].evidence_mode == "any" and rows[1].answer == ["x", "y"]
    assert report.documents == {"one.v1": "one.v1", "two": "two"}
    assert (target / "one.v1" / "full.pdf").is_file() and not (target / "evil").exists()
    text = "\n".join(map(str, report.problems))
    assert "'../outside.pdf' is not a file inside" in text and "occurs twice" in text
    assert "evil: no such document" in text


def test_qa_folder_selection(tmp_path: Path) -> None:
    make_qa_folder(tmp_path / "src")
    report = import_qa_folder(tmp_path / "src", tmp_path / "data" / "part", source_datasets=["s2"])
    assert list(report.documents) == ["two"] and report.questions == 1
    first = import_qa_folder(tmp_path / "src", tmp_path / "data" / "first", limit=1)
    assert list(first.documents) == ["one.v1"] and first.questions == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", "expected an object"),
        ('{"qid": 1, "doc_id": "two"}', "qid"),
        ("{", "not valid JSON"),
        ('{"qid": "x", "doc_id": "two", "question": "?", "answer_format": "Prose"}', "answer_format"),
    ],
)
def test_qa_folder_names_bad_lines(tmp_path: Path, line: str, message: str) -> None:
    make_qa_folder(tmp_path / "src")
    (tmp_path / "src" / "questions.jsonl").write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(ArtifactError, match="line 2") as caught:
        import_qa_folder(tmp_path / "src", tmp_path / "data" / "bench")
    assert message in str(caught.value)


@pytest.mark.shared
def test_shared_questions_import(shared: Path, tmp_path: Path) -> None:
    report = import_qa_folder(shared / "qa", tmp_path / "data" / "qa", source_datasets=["FinanceBench"], limit=2)
    assert report.problems == [] and len(report.documents) == 2 and report.questions > 0


def test_file_names_that_are_no_utf_8(pdfs: Path, tmp_path: Path) -> None:
    name = os.fsdecode(b"na\xefve.pdf")
    make_pdf(pdfs / name, "naive")
    (pdfs / os.fsdecode(b"lost\xff.pdf")).symlink_to(tmp_path / "nowhere")
    target = tmp_path / "data" / "mine"
    report = import_folder(pdfs, None, target)
    assert report.documents["na\\udcefve.pdf"] == "nave" and (target / "nave" / "full.pdf").is_file()
    assert report.of_kind("left_out_document")[0].where == "lost\\udcff.pdf"
    assert ImportReport.load(target / "qa" / "import_report.json") == report
