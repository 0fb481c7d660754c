import json
import logging
from pathlib import Path

import pytest
from helpers.agent_trees import small_tree

from cosee.agents.cosee.settings import CoSeeMethod
from cosee.agents.methods.page_rag import PageRagMethod
from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.files import safe_name
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.trace import Budget, load_trace
from cosee.artifacts.settings.answer import AnswerSettings, RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.pipeline.stage import DocFolder, StageFailure
from cosee.stages.answer import AnswerStage
from cosee.stages.index import IndexStage

QUESTIONS = {
    "doc_a#2": "How many people did the company employ in 2023?",
    "doc_a#1": "What was the revenue in 2022?",
    "doc/3": "What was the dividend per share in 2019?",
}


@pytest.fixture
def doc(tmp_path: Path) -> DocFolder:
    """The small tree, indexed without vectors, with three questions."""
    folder = DocFolder(
        "tests", "doc_a", tmp_path / "data/tests/doc_a", tmp_path / "indexes/tests/doc_a", tmp_path / "results/run"
    )
    small_tree().save(folder.data / "doctree.mm.json")
    rows = [Question(question_id=name, doc_id="doc_a", question=text) for name, text in QUESTIONS.items()]
    save_rows(folder.questions, rows)
    IndexStage().run(folder, IndexSettings(embedder="none"))
    return folder


def settings(method: object = None, **fields: object) -> AnswerSettings:
    values = {"run": "run", "method": method or CoSeeMethod(), "model": "embedded", "retrieval": RetrievalSettings()}
    return AnswerSettings.model_validate({**values, "budget": Budget(), "seed": 0, **fields})


def stage(tmp_path: Path) -> AnswerStage:
    return AnswerStage(tmp_path / "models.yaml")


def answers(doc: DocFolder, method: str = "cosee") -> list[Prediction]:
    return load_rows(Prediction, doc.results / "answers" / method / "tests" / "doc_a.jsonl")


def test_answers_traces_and_journal_are_written(doc, tmp_path):
    # contract: D114, D3
    result = stage(tmp_path).run(doc, settings())
    rows = answers(doc)
    assert [row.question_id for row in rows] == sorted(QUESTIONS) and result.status == "ok"
    assert result.counts == {"questions": 3, "abstained": 1, "failed": 0}
    by_id = {row.question_id: row for row in rows}
    assert by_id["doc_a#2"].answer == "412" and "2.9" in by_id["doc_a#1"].answer and by_id["doc/3"].abstained
    assert {row.model for row in rows} == {"embedded"} and all(row.usage.calls >= 3 for row in rows)
    assert len({row.config_hash for row in rows}) == 1 and len(rows[0].config_hash) == 64
    traces = [doc.results / "traces/cosee/tests" / f"{safe_name(name)}.ndjson" for name in sorted(QUESTIONS)]
    assert set(result.outputs) == {*traces, doc.results / "answers/cosee/tests/doc_a.jsonl"}
    for path in traces:
        events = load_trace(path)
        assert events[0].type == "start" and events[-1].type == "complete"
        assert {"retrieval", "call", "action", "cell", "hypothesis"} <= {event.type for event in events}


def test_traces_can_be_switched_off_and_nothing_else_changes(doc, tmp_path):
    # contract: C68
    kept = stage(tmp_path).run(doc, settings())
    rows = [row.model_copy(update={"config_hash": None}) for row in answers(doc)]
    journal = (doc.results / "journal/cosee/tests/doc_a.jsonl").read_bytes()
    traces = list((doc.results / "traces").rglob("*.ndjson"))
    assert len(traces) == 3 and set(traces) < set(kept.outputs)
    without = stage(tmp_path).run(doc, settings(keep_trace=False))
    assert not list((doc.results / "traces").rglob("*.ndjson")), "those of before would tell of other answers"
    assert set(without.outputs) == {doc.results / "answers/cosee/tests/doc_a.jsonl"}
    assert [row.model_copy(update={"config_hash": None}) for row in answers(doc)] == rows
    assert (doc.results / "journal/cosee/tests/doc_a.jsonl").read_bytes() == journal


def test_second_run_repeats_bytes_and_calls_nothing(doc, tmp_path, monkeypatch):
    # contract: D117, D107
    first = stage(tmp_path).run(doc, settings())
    before = {path: path.read_bytes() for path in first.outputs}
    journal = (doc.results / "journal/cosee/tests/doc_a.jsonl").read_bytes()
    assert journal.count(b"\n") >= 9
    monkeypatch.setattr("cosee.reader.client.EmbeddedClient.chat_typed", lambda *_: pytest.fail("a call was made"))
    stage(tmp_path).run(doc, settings())
    assert {path: path.read_bytes() for path in before} == before
    assert (doc.results / "journal/cosee/tests/doc_a.jsonl").read_bytes() == journal


def test_seconds_are_measured_beside_the_artifacts_only(doc, tmp_path):
    result = stage(tmp_path).run(doc, settings())
    measured = json.loads((doc.results / "measured/answers/cosee/tests/doc_a.json").read_text())
    assert set(measured["seconds"]) == set(QUESTIONS) and all(value >= 0 for value in measured["seconds"].values())
    assert not any("measured" in path.parts or b"seconds" in path.read_bytes() for path in result.outputs)


def test_a_failing_question_is_a_row_and_the_others_go_on(doc, tmp_path, monkeypatch, caplog):
    from cosee.agents.baselines.read_once import ReadOnceStrategy as PageRagStrategy

    original = PageRagStrategy.answer

    def answer(self, question, context):
        if question.question_id == "doc_a#1":
            raise TypeError("broken")
        return original(self, question, context)

    monkeypatch.setattr(PageRagStrategy, "answer", answer)
    with caplog.at_level(logging.ERROR):
        result = stage(tmp_path).run(doc, settings(PageRagMethod()))
    row = {row.question_id: row for row in answers(doc, "page_rag")}["doc_a#1"]
    assert (row.status, row.reason, row.answer, row.exit_reason) == ("failed", "error:TypeError", "", "error")
    assert (result.status, result.reason, result.counts["failed"]) == ("partial", "questions_failed", 1)
    assert "doc_a#1" in caplog.text and "Traceback" in caplog.text
    events = load_trace(doc.results / "traces/page_rag/tests" / f"{safe_name('doc_a#1')}.ndjson")
    assert [event.type for event in events] == ["error", "complete"]


def test_used_up_budget_is_a_recorded_status(doc, tmp_path):
    # contract: C54
    stage(tmp_path).run(doc, settings(budget=Budget(calls=1)))
    for row in answers(doc):
        assert (row.status, row.reason, row.exit_reason, row.usage.calls) == ("failed", "budget", "budget", 1)


@pytest.mark.parametrize("gone", ["data", "index"])
def test_without_tree_or_index_the_document_fails(doc, tmp_path, gone):
    target = doc.data / "doctree.mm.json" if gone == "data" else doc.index / "sparse_leaf.jsonl"
    target.unlink()
    with pytest.raises(StageFailure) as failure:
        stage(tmp_path).run(doc, settings())
    assert failure.value.reason == "no_index" and target.name in failure.value.message


def test_document_without_questions_has_an_empty_file(doc, tmp_path):
    doc.questions.unlink()
    result = stage(tmp_path).run(doc, settings())
    assert result.counts["questions"] == 0 and [path.read_bytes() for path in result.outputs] == [b""]


def test_a_scripted_model_answers_with_pictures(doc, tmp_path):
    # contract: D106
    import pymupdf

    with pymupdf.open() as pdf:
        for _ in range(3):
            pdf.new_page(width=200, height=200)
        pdf.save(doc.data / "full.pdf")
    reply = json.dumps({"answer": "412", "confidence": 0.9, "quotes": [{"page": 2, "quote": "employed 412 people"}]})
    models = {"models": {"fixed": {"kind": "scripted", "replies": [reply]}}}
    (tmp_path / "models.yaml").write_text(json.dumps(models))
    stage(tmp_path).run(doc, settings(PageRagMethod(pages=2), model="fixed"))
    rows = answers(doc, "page_rag")
    assert {row.answer for row in rows} == {"412"} and {row.model for row in rows} == {"scripted"}
    assert all(row.support[0].quote_verified for row in rows)
    assert all(row.usage.images == (min(2, len(row.retrieved_pages)) or 2) for row in rows)


def test_inputs_name_all_that_decides(doc, tmp_path):
    (doc.index / ".stamps").mkdir()
    (doc.index / ".stamps" / "index.json").write_text("{}")
    named = stage(tmp_path).inputs(doc, settings())
    names = {each.name for each in named}
    model = f"{tmp_path / 'models.yaml'}#embedded"
    assert {"doctree.mm.json", "doc_a.jsonl", "sparse_leaf.jsonl", "full.pdf", model} <= names
    assert not any(".stamps" in each.parts for each in named if isinstance(each, Path))
