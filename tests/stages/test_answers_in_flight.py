"""Many calls under way over questions and documents: the same rows and traces, no answered call twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from benchmarks.serving import server
from benchmarks.serving_server import MODEL, Service
from helpers.agent_trees import small_tree

from cosee.artifacts.base import save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.settings.answer import AnswerSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.models.calls import Generation, ServerFailure
from cosee.pipeline.job import run_stage
from cosee.pipeline.paths import Paths
from cosee.stages.answer import AnswerStage
from cosee.stages.index import IndexStage

SUBJECTS = ("revenue", "headcount", "office", "dividend", "people", "year", "company", "growth")
DOCUMENTS = ("doc_a", "doc_b", "doc_c")
QUESTIONS = 16
"""Of each document."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    paths = Paths(folder / "data", folder / "indexes", folder / "results")
    for doc_id in DOCUMENTS:
        doc = paths.folder("tests", doc_id)
        small_tree().save(doc.data / "doctree.mm.json")
        texts = [f"What was the {subject} of {doc_id} in 20{year}?" for subject in SUBJECTS for year in (21, 22)]
        save_rows(
            doc.questions,
            [Question(question_id=f"{doc_id}-{n}", doc_id=doc_id, question=t) for n, t in enumerate(texts)],
        )
        IndexStage().run(doc, IndexSettings(embedder="none"))
    paths.rows("tests", "0000").write_text(json.dumps([{"doc_id": doc_id} for doc_id in DOCUMENTS]))
    return folder


@contextmanager
def served(folder: Path, **fields: object) -> Iterator[tuple[str, Path]]:
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    with server(Service(str(report), slots=64, sigma=1.0, read_rate=1e9, **fields)) as address:
        yield address, report


def seen(report: Path) -> dict:
    time.sleep(0.5)  # the server writes its report every 0.2 s
    return json.loads(report.read_text())


def command(project: Path, results: Path, method: str, address: str, concurrency: int) -> list[str]:
    results.mkdir(exist_ok=True)
    entry = {"kind": "openai", "model": MODEL, "base_url": address, "concurrency": concurrency, "sees_images": False}
    (results / "models.json").write_text(json.dumps({"models": {"m": entry}}))
    value = {"run": "r", "method": method, "model": "m", "retrieval": {}, "budget": {}, "seed": 0}
    folders = ["--data", project / "data", "--indexes", project / "indexes", "--results", results]
    named = ["--dataset", "tests", "--shard", "0000", "--run", "r", "--method", method, "--settings", json.dumps(value)]
    return [*map(str, folders), *named]


def answer(results: Path, argv: list[str], only: set[str] | None = None) -> int:
    return run_stage(AnswerStage(results / "models.json", only=only), AnswerSettings, argv)


def recorded(results: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in (results / "r" / "journal").rglob("*.jsonl"))


def outputs(results: Path) -> dict[str, bytes]:
    kinds = (results / "r" / "answers", results / "r" / "traces")
    paths = sorted(path for kind in kinds for path in kind.rglob("*") if path.is_file())
    return {path.relative_to(results).as_posix(): path.read_bytes() for path in paths}


def keys(results: Path) -> dict[str, list[str]]:
    journals = sorted((results / "r" / "journal").rglob("*.jsonl"))
    return {path.name: [json.loads(line)["key"] for line in path.read_text().splitlines()] for path in journals}


@pytest.mark.parametrize("method", ["self_consistency", "cosee", "navigator", "decision"])
def test_rows_and_traces_do_not_depend_on_the_order_of_replies(project, tmp_path, method):
    # contract: D52
    only = {f"{doc_id}-{n}" for doc_id in DOCUMENTS for n in range(3)}
    found = []
    for concurrency in (1, 32):
        results = tmp_path / f"{concurrency}"
        with served(tmp_path, seconds=0.002 * concurrency, seed=concurrency) as (address, report):
            assert answer(results, command(project, results, method, address, concurrency), only) == 0
            assert seen(report)["asked_again"] == 0
        found.append((outputs(results), keys(results)))
    (rows, alone), (same_rows, together) = found
    assert rows.keys() == same_rows.keys() and len(rows) == len(DOCUMENTS) * (3 + 1)
    assert [name for name in rows if rows[name] != same_rows[name]] == []
    assert {name: set(each) for name, each in alone.items()} == {name: set(each) for name, each in together.items()}
    assert all(len(set(each)) == len(each) for each in together.values())


def test_a_kill_with_calls_under_way_has_no_recorded_call_made_again(project, tmp_path):
    # contract: C69
    results = tmp_path / "results"
    with served(tmp_path, seconds=0.8) as (address, report):
        argv = command(project, results, "page_rag", address, 32)
        code = "import test_answers_in_flight as t; from pathlib import Path; "
        code += f"t.answer(Path({str(results)!r}), {argv!r})"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(Path(__file__).parent)])}
        process = subprocess.Popen([sys.executable, "-c", code], env=environment, stderr=subprocess.DEVNULL)
        under_way = 0
        while under_way < 24 or not recorded(results):
            assert process.poll() is None, "it ended before many calls were under way"
            time.sleep(0.05)
            now = json.loads(report.read_text()) if report.exists() else {"requests": 0, "answered": 0}
            under_way = now["requests"] - now["answered"]
        process.send_signal(signal.SIGKILL)
        process.wait()
        kept, before = recorded(results), seen(report)["requests"]
        assert answer(results, argv) == 0
        assert kept > 0 and seen(report)["requests"] - before == len(DOCUMENTS) * QUESTIONS - kept


def test_a_server_that_is_gone_ends_the_job_and_fails_no_question(project, tmp_path, monkeypatch, capsys):
    # contract: D52
    from cosee.models.served.client import ServedClient

    calls = []

    def chat_typed(self, messages, schema, sampling=None):
        calls.append(messages)
        if len(calls) > 7:
            raise ServerFailure("the server is gone")
        return Generation(text='{"answer": "412", "quotes": [], "confidence": 0.5}')

    monkeypatch.setattr(ServedClient, "chat_typed", chat_typed)
    argv = command(project, tmp_path, "page_rag", "http://127.0.0.1:1/v1", 4)
    assert answer(tmp_path, argv) == 1
    assert "the server is gone" in capsys.readouterr().err
    assert outputs(tmp_path) == {} and sum(map(len, keys(tmp_path).values())) == 7
    calls.clear()
    monkeypatch.setattr(
        ServedClient, "chat_typed", lambda *_: calls.append(1) or Generation(text='{"answer": "1", "quotes": []}')
    )
    assert answer(tmp_path, argv) == 0 and len(calls) == len(DOCUMENTS) * QUESTIONS - 7
