from pathlib import Path

import pytest

from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.ledger import LedgerRow
from cosee.artifacts.results.prediction import Prediction, failed_prediction
from cosee.stages.collect import main


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two datasets; in ``one`` each document ended differently, in ``two`` all went well."""
    documents = {"one": ["good", "broken", "blocked", "unindexed", "crashed", "waiting", "absent"], "two": ["good"]}
    for dataset, names in documents.items():
        rows = [Question(question_id=f"{name}#1", doc_id=name, question="What?") for name in reversed(names)]
        save_rows(tmp_path / "data" / dataset / "qa" / "questions.jsonl", rows)
        for name in names:
            if name != "absent":
                (tmp_path / "data" / dataset / name).mkdir(parents=True)
                (tmp_path / "data" / dataset / name / "full.pdf").write_bytes(b"%PDF")
    ledger(tmp_path / "data/one/.ledger/adapt.0000.jsonl", good="ok", broken="failed:not_a_pdf")
    ledger(tmp_path / "data/one/.ledger/adapt.0001.jsonl", blocked="failed:needs_password")
    ledger(tmp_path / "data/one/.ledger/build.0000.jsonl", broken="skipped:not_a_pdf", blocked="skipped:needs_password")
    ledger(tmp_path / "indexes/one/.ledger/index.0000.jsonl", unindexed="failed:index_unsound", broken="skipped")
    ledger(
        tmp_path / "results/r/ledger/answer.m.one.0000.jsonl",
        crashed="failed:no_index",
        unindexed="skipped:index_unsound",
    )
    ledger(tmp_path / "results/r/ledger/answer.other.one.0000.jsonl", waiting="failed:crash")
    for dataset in documents:
        answer = failed_prediction(question_id="good#1", doc_id="good", dataset=dataset, method="m", reason="x")
        gone = answer.model_copy(update={"question_id": "gone#1"})
        answered = answer.model_copy(update={"status": "ok", "reason": None, "answer": f"answer of {dataset}"})
        save_rows(tmp_path / "results/r/answers/m" / dataset / "good.jsonl", [answered, gone])
    return tmp_path


def ledger(path: Path, **rows: str) -> None:
    pairs = {name: value.partition(":") for name, value in rows.items()}
    save_rows(path, [LedgerRow(doc_id=name, status=a, reason=c or None) for name, (a, _, c) in pairs.items()])


def run(project: Path, *datasets: str) -> int:
    folders = [f"--{name}={project / name}" for name in ("data", "indexes", "results")]
    return main(["--run", "r", "--method", "m", "--datasets", *datasets, *folders])


def test_every_question_has_exactly_one_row_with_its_reason(project):
    # contract: D114
    assert run(project, "two", "one") == 0
    rows = load_rows(Prediction, project / "results/r/predictions/m.jsonl")
    assert [(row.dataset, row.doc_id, row.status, row.reason) for row in rows] == [
        ("one", "absent", "failed", "document_missing"),
        ("one", "blocked", "failed", "adapt:needs_password"),
        ("one", "broken", "failed", "adapt:not_a_pdf"),
        ("one", "crashed", "failed", "answer:no_index"),
        ("one", "good", "ok", None),
        ("one", "unindexed", "failed", "index:index_unsound"),
        ("one", "waiting", "failed", "no_answer"),
        ("two", "good", "ok", None),
    ]
    assert rows[4].answer == "answer of one" and rows[7].answer == "answer of two"
    assert {row.answer for row in rows if row.status == "failed"} == {""}


def test_rows_repeat_byte_for_byte(project):
    # contract: D117
    path = project / "results/r/predictions/m.jsonl"
    run(project, "one", "two")
    first = path.read_bytes()
    run(project, "two", "one", "two")
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("data/one/qa/questions.jsonl", '{"question_id": 3}\n'),
        ("data/one/qa/questions.jsonl", '{"question_id":"a","doc_id":"d","question":"q"}\n' * 2),
        ("results/r/answers/m/one/good.jsonl", "{broken\n"),
    ],
)
def test_faulty_input_is_a_message_and_exit_2(project, capsys, name, text):
    (project / name).write_text(text)
    assert run(project, "one") == 2
    printed = capsys.readouterr().err
    assert name.rpartition("/")[2] in printed and "Traceback" not in printed
    assert not (project / "results/r/predictions/m.jsonl").exists()


def test_missing_dataset_is_named_and_one_without_questions_has_no_rows(project, capsys):
    assert run(project, "three") == 2
    assert "three: no such dataset" in capsys.readouterr().err
    (project / "data" / "three").mkdir()
    assert run(project, "three") == 0
