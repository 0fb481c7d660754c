import argparse
import json
from pathlib import Path

import pytest
from benchmarks.common import argument_parser, chosen


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    rows = []
    for number, (doc_id, dataset) in enumerate([("long", "reports"), ("short", "manuals"), ("middle", "reports")]):
        (tmp_path / "docs" / f"{doc_id}.pdf").write_bytes(b"%PDF" + b"x" * {"short": 1, "middle": 5, "long": 9}[doc_id])
        rows.append({"qid": f"q{number}", "doc_id": doc_id, "question": "?", "source_dataset": dataset, "other": 1})
    (tmp_path / "questions.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return tmp_path


def options_of(folder: Path, *more: str) -> tuple[argparse.ArgumentParser, argparse.Namespace]:
    parser = argument_parser("Test.")
    return parser, parser.parse_args(["--qa", str(folder), "--json", str(folder / "out.json"), *more])


def test_dataset_and_limit_choose_the_smallest_documents_of_any_folder(folder: Path) -> None:
    qa, documents = chosen(*options_of(folder))
    assert documents == ["short", "middle", "long"] and len(qa.questions) == 3
    qa, documents = chosen(*options_of(folder, "--dataset", "reports", "--limit", "1"))
    assert documents == ["middle"] and [each.question_id for each in qa.questions] == ["q2"]


@pytest.mark.parametrize(
    ("more", "said"),
    [(("--dataset", "report"), "datasets: ['manuals', 'reports']"), (("--limit", "0"), "no questions")],
)
def test_no_questions_is_an_error_of_usage(
    folder: Path, more: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        chosen(*options_of(folder, *more))
    assert stop.value.code == 2 and said in capsys.readouterr().err


def test_missing_pdf_or_folder_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "docs" / "long.pdf").unlink()
    with pytest.raises(SystemExit):
        chosen(*options_of(folder))
    assert "long.pdf: not there" in capsys.readouterr().err
    assert chosen(*options_of(folder, "--dataset", "manuals"))[1] == ["short"]
    with pytest.raises(SystemExit):
        chosen(*options_of(folder / "nowhere"))
    assert "nowhere" in capsys.readouterr().err
