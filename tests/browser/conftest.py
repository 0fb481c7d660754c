"""A small run made by the real stages, its report in a headless Chromium that may open nothing but files."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.browser import HOSTILE, watching
from helpers.project import CONFIG, TOPICS, Project, write_document

METHODS = ("constant", "page_rag", "cosee", "navigator", "decision", "oracle_pages")


@pytest.fixture(scope="session")
def project(tmp_path_factory) -> Project:
    """Four documents, one of them hostile, six questions, methods of every kind."""
    project = Project.create(tmp_path_factory.mktemp("browser") / "project")
    methods = [{"strategy": "cosee", "max_steps": 2} if name == "cosee" else name for name in METHODS]
    project.configure({**CONFIG, "shard_pages": 100, "runs": {"tiny": {"datasets": ["tiny"], "methods": methods}}})
    fact = f"The tower was 77 metres high {HOSTILE} in the spring of 1901."
    write_document(project.data / "delta" / "full.pdf", f"Delta {HOSTILE} Towers", fact)
    write_questions(project.data / "qa" / "questions.jsonl")
    project.run()
    return project


@pytest.fixture(scope="session")
def report(project) -> Path:
    return project.results / "report"


@pytest.fixture(scope="module")
def chromium() -> Iterator:
    # Not for the session: as long as Playwright is open, an event loop runs in this thread, and nobody else has one.
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail("no Chromium: apt-get install chromium")
        pytest.skip("no Chromium on this machine (apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # A container's root has no namespaces for Chromium's own sandbox; the pages are our own.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def watch(chromium, report) -> Iterator:
    """Opens pages of the report."""
    with watching(chromium, report.as_uri()) as make:
        yield make


def write_questions(path: Path) -> None:
    import json

    rows = [
        {"question_id": f"{doc_id}-1", "doc_id": doc_id, "question": question, "answer": answer, "answer_format": "Int",
         "evidence_pages": [1], "source_dataset": "wells" if doc_id == "alpha" else "mills"}
        for doc_id, (_, _, question, answer) in sorted(TOPICS.items())
    ]  # fmt: skip
    rows += [
        {"question_id": "alpha-2", "doc_id": "alpha", "question": "Who painted the ceiling of the chapel?",
         "answer": "Not answerable", "answer_format": "None", "source_dataset": "wells"},
        {"question_id": "beta-2", "doc_id": "beta", "question": "What goes on next year?", "answer": "the whole canal",
         "answer_format": "Str", "evidence_pages": [2], "source_dataset": "mills"},
        {"question_id": "delta-1", "doc_id": "delta", "question": f"How high was the tower {HOSTILE}?",
         "answer": f"77 {HOSTILE}", "answer_format": "Str", "evidence_pages": [1], "source_dataset": HOSTILE},
    ]  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, sort_keys=True) + "\n" for row in rows), encoding="utf-8")
