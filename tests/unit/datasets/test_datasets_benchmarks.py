"""Published benchmarks in their own formats."""

import json
from pathlib import Path

import pytest
from helpers.run_maker import make_pdf
from PIL import Image

from cosee.artifacts.base import load_rows
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.questions import Question
from cosee.datasets.mmlongbench import import_mmlongbench
from cosee.datasets.mpdocvqa import build_dev_subset, load_mpdocvqa_split


@pytest.fixture
def mpdocvqa(tmp_path: Path) -> Path:
    (tmp_path / "images").mkdir()
    for page in ("d_p0", "d_p1"):
        Image.new("L", (20, 30), 200).save(tmp_path / "images" / f"{page}.jpg")
    rows = [
        {"questionId": n, "question": f"Q{n}?", "doc_id": "d", "page_ids": ["d_p0", "d_p1"], "answers": answers,
         "answer_page_idx": index}
        for n, (answers, index) in enumerate([(["Paris"], 1), (["a", "b"], 0), ([], None)])
    ]  # fmt: skip
    (tmp_path / "val.json").write_text(json.dumps({"data": rows}), encoding="utf-8")
    return tmp_path


def test_mpdocvqa_samples(mpdocvqa: Path) -> None:
    # contract: C1, C55
    first, second, third = load_mpdocvqa_split("val", root=mpdocvqa)
    assert [image.size for image in first["images"]] == [(20, 30)] * 2 and first["images"][0].mode == "RGB"
    assert first["question"] == "Q0?" and first["answer"] == "Paris" and second["answer"] == ["a", "b"]
    assert first["meta"]["answer_page"] == 2 and third["meta"]["answer_page"] is None and third["answer"] == []
    assert set(first) == {"images", "question", "answer", "meta"}


def test_mpdocvqa_dev_subset(mpdocvqa: Path) -> None:
    # contract: C56
    ids = [[sample["meta"]["question_id"] for sample in build_dev_subset("val", 2, root=mpdocvqa)] for _ in range(2)]
    assert ids == [["0", "1"]] * 2
    assert len(build_dev_subset("val", 99, root=mpdocvqa)) == 3 and build_dev_subset("val", 0, root=mpdocvqa) == []


@pytest.mark.parametrize(
    ("row", "message"),
    [({"question": "?"}, "not a question of MP-DocVQA"), ([], "not a question"),
     ({"questionId": 1, "question": "?", "doc_id": "d", "page_ids": ["../../up"]}, "no page image")],
)  # fmt: skip
def test_mpdocvqa_names_bad_rows(mpdocvqa: Path, row: object, message: str) -> None:
    (mpdocvqa / "val.json").write_text(json.dumps({"data": [row]}), encoding="utf-8")
    with pytest.raises(ArtifactError, match=message):
        list(load_mpdocvqa_split("val", root=mpdocvqa))
    with pytest.raises(ArtifactError, match=r"test\.json"):
        list(load_mpdocvqa_split("test", root=mpdocvqa))


def test_mmlongbench(tmp_path: Path) -> None:
    make_pdf(tmp_path / "documents" / "A report.pdf", "a", pages=1)
    row = {"doc_id": "A report.pdf", "doc_type": "x", "question": "Which?", "answer": "['x', 'y']",
           "evidence_pages": "[3, 5]", "evidence_sources": "['Chart']", "answer_format": "List"}  # fmt: skip
    none = {**row, "answer": "Not answerable", "answer_format": "None", "evidence_pages": "[]", "doc_id": "gone.pdf"}
    samples = tmp_path / "samples.json"
    samples.write_text(json.dumps([row, row, none, {**row, "answer": 5, "answer_format": "Int"}]), encoding="utf-8")
    target = tmp_path / "data" / "mmlb"
    report = import_mmlongbench(samples, tmp_path / "documents", target)
    rows = load_rows(Question, target / "qa" / "questions.jsonl")
    assert [each.question_id for each in rows] == ["00000", "00001", "00002", "00003"]
    assert rows[0].answer == ["x", "y"] and rows[0].evidence_pages == [3, 5] and rows[0].evidence_sources == ["Chart"]
    assert rows[2].unanswerable and rows[3].answer == "5"
    assert (target / "A_report" / "full.pdf").is_file() and "gone.pdf" in report.problems[0]
    samples.write_text(json.dumps([{**row, "evidence_pages": "[__import__('os')]"}]), encoding="utf-8")
    with pytest.raises(ArtifactError, match="row 0"):
        import_mmlongbench(samples, tmp_path / "documents", target)
