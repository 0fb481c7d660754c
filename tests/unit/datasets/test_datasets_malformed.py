"""Published files that are not what they should be: a clear message or a told problem, never a traceback."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from helpers.benchmark_layouts import (
    MMLONGBENCH,
    SLIDES,
    longdocurl_row,
    make_mmlongbench,
    make_mmlongbench_v2,
    make_mpdocvqa,
    make_slidevqa,
    mmlongbench_row,
    mpdocvqa_row,
    slidevqa_row,
    write_json,
    write_lines,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from cosee.artifacts.base import load_rows
from cosee.artifacts.datasets.imports import ImportReport
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.files import ArtifactError
from cosee.datasets.answer_format import format_fault
from cosee.datasets.benchmarks import import_benchmark
from cosee.datasets.image_pdf import BadImage, checked_image
from cosee.datasets.importer import Options
from cosee.datasets.published_ocr import read_ocr, tesseract_words, textract_words, vision_words
from cosee.datasets.reading import dataset_ids, unique_ids
from cosee.datasets.rows import gold_pages

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 30) | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
ROWS: dict[str, tuple[Callable[[], dict[str, Any]], Callable[[Path, list[Any]], None]]] = {
    "mmlongbench-doc": (
        lambda: mmlongbench_row("a.pdf", "Who?", "x", "Str", "[1]"),
        lambda root, rows: (write_json(root / "samples.json", rows), (root / "documents").mkdir(exist_ok=True))[0],
    ),
    "longdocurl": (lambda: longdocurl_row("q"), lambda root, rows: write_lines(root / "LongDocURL_public.jsonl", rows)),
    "mp-docvqa": (
        lambda: mpdocvqa_row(1, "it", ["p0", "p1"], 1, ["x"]),
        lambda root, rows: write_json(root / "val.json", {"data": rows}),
    ),
    "slidevqa": (lambda: slidevqa_row(1), lambda root, rows: write_lines(root / "annotations/qa/dev.jsonl", rows)),
}


@pytest.mark.parametrize("name", ROWS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_value_of_any_field_is_taken_or_refused_by_name(name: str, data: st.DataObject) -> None:
    make, write = ROWS[name]
    row = make()
    key = data.draw(st.sampled_from(sorted(row)))
    row[key] = data.draw(JSON)
    if data.draw(st.booleans()):
        del row[key]
    with tempfile.TemporaryDirectory() as folder:
        root, target = Path(folder) / "src", Path(folder) / "data" / "bench"
        root.mkdir()
        write(root, [make(), row])
        try:
            report = import_benchmark(name, root, target)
        except ArtifactError as error:
            assert "row 1" in str(error) or "line 2" in str(error)
            return
        questions = load_rows(Question, target / "qa" / "questions.jsonl")
        assert len(questions) == report.questions == 2 and len({each.question_id for each in questions}) == 2
        assert all(page >= 1 for each in questions for page in each.evidence_pages)
        assert ImportReport.load(target / "qa" / "import_report.json") == report
        assert {path.name for path in Path(folder).iterdir()} == {"src", "data"}


@settings(max_examples=150, deadline=None)
@given(value=JSON, size=st.just((100, 200)))
def test_any_ocr_is_read_or_refused(value: Any, size: tuple[int, int]) -> None:
    shapes = [value, {"WORD": value}, {"WORD": [value]}, {"Blocks": [value]}, {"fullTextAnnotation": value},
              {"text": value, "left": value, "top": value, "width": value, "height": value}]  # fmt: skip
    for shape in shapes:
        for read in (textract_words, lambda it: vision_words(it, size), lambda it: tesseract_words(it, size)):
            try:
                found = read(shape)
            except ValueError:
                continue
            assert all(word.bbox[0] < word.bbox[2] and word.line[0] < word.line[1] for word in found)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=8, unique=True))
def test_documents_and_questions_get_ids_of_their_own(names: list[str]) -> None:
    ids = dataset_ids(names)
    assert len({each.lower() for each in ids.values()}) == len(names)
    assert all("/" not in each and not each.startswith(".") and each.isascii() for each in ids.values())
    questions = [Question(question_id=name[:2], doc_id="d", question="?") for name in names for _ in range(2)]
    told = list(unique_ids(questions))
    assert len({question.question_id for question in questions}) == len(questions) and len(told) >= len(names)


@given(JSON, st.sampled_from([0, 1]))
def test_gold_pages_count_from_one(value: Any, first: int) -> None:
    pages = gold_pages(value, "row", [], first=first)
    assert pages == sorted(set(pages)) and all(isinstance(page, int) and page >= 1 for page in pages)


@pytest.mark.parametrize(
    ("answer", "kind", "fault"),
    [("5", "Int", False), ("1,204", "Int", False), ("21%", "Int", True), ("GPT-4", "Int", True),
     ("73.2%", "Float", False),
     ("$1577.00", "Float", False), ("12.5 million", "Float", True), (["a"], "List", False), ([], "List", True),
     ("a", "List", True), (["a"], "Str", True), ("yes", "Bool", False), ("maybe", "Bool", True),
     ("Yes, it can be", "Bool", False), ("Nothing", "Bool", True), ("(917)", "Float", False),
     ("Not answerable or 0 or none", "None", False), ("x", "None", True), ("Not answerable", "Str", True),
     ("", "Str", True), ("x", None, False), (None, "Int", False)],
)  # fmt: skip
def test_gold_that_contradicts_its_format(answer: Any, kind: Any, fault: bool) -> None:
    assert (format_fault(answer, kind) is not None) == fault


def test_names_that_lead_out_of_the_folder(tmp_path: Path) -> None:
    secret = tmp_path / "secret.jpg"
    Image.new("RGB", (30, 40), (200, 0, 0)).save(secret)
    root, target = make_mpdocvqa(tmp_path / "src"), tmp_path / "data" / "mp"
    (root / "images" / "link.jpg").symlink_to(secret)
    pages = ["../../secret", str(tmp_path / "secret"), "link", "a\0b", "ffbb0001_p0"]
    row = mpdocvqa_row(1, "it", pages, 4, ["x"], "../../../escape")
    write_json(root / "val.json", {"data": [row, mpdocvqa_row(2, "it", ["../../secret"], 0, ["x"], "/etc/passwd")]})
    report = import_benchmark("mp-docvqa", root, target)
    assert list(report.documents) == ["../../../escape"] and set(report.documents.values()) == {"escape"}
    assert len(report.of_kind("missing_page")) == 5 and report.of_kind("missing_document")[0].where == "/etc/passwd"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "secret.jpg", "src"]
    with pymupdf.open(target / "escape" / "full.pdf") as pdf:
        assert [len(page.get_images()) for page in pdf] == [0, 0, 0, 0, 1]


def test_pictures_broken_huge_and_of_other_formats(tmp_path: Path) -> None:
    root, target = make_slidevqa(tmp_path / "src", None), tmp_path / "data" / "deck"
    images = root / "images" / "dev" / "keeperdeck"
    whole = (images / SLIDES[0]).read_bytes()
    (images / SLIDES[0]).write_bytes(whole[: len(whole) // 2])
    Image.new("1", (10_000, 10_001)).save(images / SLIDES[1], "PNG")
    Image.new("RGBA", (40, 30), (10, 200, 30, 128)).save(images / SLIDES[2], "WEBP", lossless=True)
    report = import_benchmark("slidevqa", root, target)
    told = [problem.message for problem in report.of_kind("missing_page")]
    assert len(told) == 2 and "not a readable image" in told[0] and "more than 100000000 pixels" in told[1]
    with pymupdf.open(target / "keeperdeck" / "full.pdf") as pdf:
        assert [len(page.get_images()) for page in pdf] == [0, 0, 1, 1]
        assert pdf[2].get_pixmap().pixel(20, 20)[1] > 200
    with pytest.raises(BadImage):
        checked_image(b"%PDF-1.7")


def test_ocr_that_is_missing_or_of_another_form(tmp_path: Path) -> None:
    root, target = make_mpdocvqa(tmp_path / "src"), tmp_path / "data" / "mp"
    (root / "ocr" / "ffbb0001_p0.json").unlink()
    (root / "ocr" / "ffbb0001_p1.json").write_text("{", encoding="utf-8")
    write_json(root / "ocr" / "ffbb0001_p2.json", {"text": ["x"]})
    (root / "ocr" / "ffbb0001_p3.json").write_bytes(b"\x1f\x8b broken")
    write_json(root / "ocr" / "ffbb0001_p4.json", {"PAGE": []})
    line = {"Text": "a line", "Geometry": {"BoundingBox": {"Left": 0.1, "Top": 0.1, "Width": 0.5, "Height": 0.1}}}
    write_json(root / "ocr" / "ffbb0001_p5.json", {"LINE": [line, {**line, "Text": None}, {"Text": "no box"}]})
    report = import_benchmark("mp-docvqa", root, target)
    with pymupdf.open(target / "ffbb0001_p3-p5" / "full.pdf") as pdf:
        assert [page.get_text().strip() for page in pdf] == ["", "", "a line"]
    told = [str(problem) for problem in report.of_kind("missing_ocr")]
    assert [line.split(":")[0] for line in told] == [f"page ffbb0001_p{n}" for n in range(4)]
    assert "no such file" in told[0] and "not valid JSON" in told[1] and "its keys are ['text']" in told[2]
    with pytest.raises(ValueError, match="cannot be read"):
        read_ocr(root / "ocr" / "ffbb0001_p3.json")


@pytest.mark.parametrize(
    ("name", "files", "message"),
    [
        ("mmlongbench-doc", {}, "has none of data/samples.json, samples.json"),
        ("mmlongbench-doc", {"samples.json": {}}, "samples.json: expected a list"),
        ("mmlongbench-doc", {"samples.json": [{"doc_id": "a.pdf", "question": "?"}]}, "no folder of PDFs at"),
        ("mmlongbench-doc", {"samples.json": [{"question": "?"}]}, "row 0: needs the string 'doc_id', found None"),
        ("mmlongbench-doc-v2", {}, "has none of data/corrections/corrections.json"),
        ("mmlongbench-doc-v2", {"data/corrections/corrections.json": []}, "has none of samples_v1.json"),
        ("longdocurl", {}, "has none of LongDocURL_public_with_subtask_category.jsonl"),
        ("mp-docvqa", {"val.json": []}, "expected an object with the list 'data'"),
        ("mp-docvqa", {"val.json": {"data": [7]}}, "expected an object, found int"),
        ("slidevqa", {}, "has none of annotations/qa/dev.jsonl"),
        ("slidevqa", {"data/val-0.parquet": "no table"}, "val-0.parquet: not a readable table"),
    ],
)
def test_folders_of_another_form_are_named(tmp_path: Path, name: str, files: dict[str, Any], message: str) -> None:
    root = tmp_path / "src"
    root.mkdir()
    for path, value in files.items():
        write_json(root / path, value)
    with pytest.raises(ArtifactError) as caught:
        import_benchmark(name, root, tmp_path / "data" / "bench")
    assert message in str(caught.value) and not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("dude", Options(), "no benchmark 'dude'; there are mmlongbench-doc, "),
        ("longdocurl", Options(split="val"), "longdocurl takes no --split"),
        ("slidevqa", Options(pdfs=Path()), "slidevqa takes no --pdfs"),
        ("mp-docvqa", Options(split="dev"), "MP-DocVQA has the splits val, train, test, not 'dev'"),
    ],
)
def test_options_that_do_not_fit(tmp_path: Path, name: str, options: Options, message: str) -> None:
    with pytest.raises(ArtifactError, match=message):
        import_benchmark(name, tmp_path, tmp_path / "data" / "bench", options)
    with pytest.raises(ArtifactError, match="holds the published files"):
        import_benchmark("mp-docvqa", tmp_path, tmp_path)


def test_gold_that_is_no_gold_is_told_row_by_row(tmp_path: Path) -> None:
    root = make_mmlongbench(tmp_path / "src")
    rows = [
        {**MMLONGBENCH[0], "evidence_pages": "[__import__('os')]"},
        {**MMLONGBENCH[1], "answer": "['open"},
        {**MMLONGBENCH[3], "answer": "Elvis", "evidence_sources": "Chart"},
        {**MMLONGBENCH[2], "answer_format": "Number", "evidence_pages": [2]},
    ]
    write_json(root / "data" / "samples.json", rows)
    report = import_benchmark("mmlongbench-doc", root, tmp_path / "data" / "m")
    questions = load_rows(Question, tmp_path / "data" / "m" / "qa" / "questions.jsonl")
    assert [each.evidence_pages for each in questions] == [[], [1, 2], [], [2]]
    assert questions[1].answer == "['open" and questions[2].unanswerable
    told = "\n".join(map(str, report.problems))
    for part in (
        "row 0: gold pages",
        "row 1: the answer",
        "row 2: the answer 'Elvis'",
        "row 3: no answer format 'Number'",
    ):
        assert part in told


def test_a_correction_without_its_fields_is_named(tmp_path: Path) -> None:
    first, root = make_mmlongbench(tmp_path / "v1"), make_mmlongbench_v2(tmp_path / "v2")
    (root / "data" / "corrections" / "corrections.json").write_text(json.dumps([{"doc_id": "x.pdf"}]), encoding="utf-8")
    options = Options(pdfs=first / "data" / "documents")
    with pytest.raises(ArtifactError, match=r"corrections\.json, row 0: needs the string 'question'"):
        import_benchmark("mmlongbench-doc-v2", root, tmp_path / "data" / "bench", options)
