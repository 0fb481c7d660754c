"""Killed at any moment and started again, answering gives the same rows and makes no recorded call twice."""

from __future__ import annotations

import json
import multiprocessing
import random
import time
from pathlib import Path

import pytest
from helpers.agent_trees import small_tree

from cosee.agents.cosee.settings import CoSeeMethod
from cosee.artifacts.base import save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.trace import Budget
from cosee.artifacts.settings.answer import AnswerSettings, RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.pipeline.stage import DocFolder
from cosee.stages.answer import AnswerStage
from cosee.stages.index import IndexStage

SUBJECTS = ("revenue", "headcount", "office", "dividend", "people", "year", "company", "growth")
KILLS = 20


def document(folder: Path) -> DocFolder:
    doc = DocFolder("tests", "doc_a", folder / "data/tests/doc_a", folder / "indexes/tests/doc_a", folder / "results/r")
    small_tree().save(doc.data / "doctree.mm.json")
    texts = [f"What was the {subject} in 20{year}?" for subject in SUBJECTS for year in (21, 22, 23)]
    rows = [Question(question_id=f"q{n:02}", doc_id="doc_a", question=text) for n, text in enumerate(texts)]
    save_rows(doc.questions, rows)
    IndexStage().run(doc, IndexSettings(embedder="none"))
    return doc


def answer(doc: DocFolder) -> None:
    settings = AnswerSettings(
        run="r", method=CoSeeMethod(), model="embedded", retrieval=RetrievalSettings(), budget=Budget(), seed=0
    )
    AnswerStage(doc.data / "no-models.yaml").run(doc, settings)


def outputs(doc: DocFolder) -> dict[str, bytes]:
    assert doc.results is not None
    folders = [doc.results / "answers", doc.results / "traces"]
    # A kill between writing and renaming leaves a dotted temporary file, which nothing reads.
    paths = sorted(path for folder in folders for path in folder.rglob("[!.]*") if path.is_file())
    return {path.relative_to(doc.results).as_posix(): path.read_bytes() for path in paths}


def journal_keys(doc: DocFolder) -> list[str]:
    assert doc.results is not None
    (journal,) = (doc.results / "journal").rglob("*.jsonl")
    return [json.loads(line)["key"] for line in journal.read_text("utf-8").splitlines()]


@pytest.mark.timeout(300)
def test_twenty_kills_leave_the_same_predictions_and_no_key_twice(tmp_path: Path) -> None:
    # contract: C69
    answer(document(tmp_path / "first"))  # loads what the others find loaded
    undisturbed = document(tmp_path / "undisturbed")
    started = time.monotonic()
    answer(undisturbed)
    whole = time.monotonic() - started
    killed = document(tmp_path / "killed")
    moments = random.Random(11)
    processes = multiprocessing.get_context("fork")
    interrupted, recorded = 0, [0]
    for _ in range(KILLS):
        process = processes.Process(target=answer, args=(killed,))
        process.start()
        process.join(moments.uniform(0.02, 0.9) * whole)
        interrupted += process.is_alive()
        process.kill()
        process.join()
        if (tmp_path / "killed/results/r/journal").exists():
            recorded.append(len(journal_keys_so_far(killed)))
    answer(killed)
    assert interrupted > KILLS / 4, "most runs ended before they were killed; the moments prove nothing"
    assert recorded == sorted(recorded), "a kill lost recorded calls"
    first, second = outputs(killed), outputs(undisturbed)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []
    keys = journal_keys(killed)
    assert len(keys) == len(set(keys)) and sorted(keys) == sorted(journal_keys(undisturbed))


def journal_keys_so_far(doc: DocFolder) -> list[bytes]:
    """Whole lines; a torn last one is not a row yet."""
    assert doc.results is not None
    journals = list((doc.results / "journal").rglob("*.jsonl"))
    return [line for path in journals for line in path.read_bytes().split(b"\n")[:-1]]
