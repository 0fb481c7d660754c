"""A small run made by the real stages, its report in a headless Chromium that may open nothing but files."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.project import CONFIG, TOPICS, Project, write_document

HOSTILE = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>'
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


class Watched:
    """A page whose console errors and requests are kept; every request that is no file is refused."""

    def __init__(self, browser, report: Path, **options) -> None:
        self.report = report
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on(
            "console", lambda message: message.type in ("error", "warning") and self.errors.append(message.text)
        )
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.route(lambda url: not url.startswith(("file:", "data:")), lambda route: route.abort())

    def open(self, path: str):
        self.page.goto(f"{self.report.as_uri()}/{path}")
        return self.page


@pytest.fixture
def watch(chromium, report) -> Iterator:
    """Opens pages of the report; at the end none of them may have complained or asked for more than files."""
    opened: list[Watched] = []

    def make(**options) -> Watched:
        opened.append(Watched(chromium, report, **options))
        return opened[-1]

    yield make
    for each in opened:
        each.context.close()
        assert each.errors == []
        outside = [url for url in each.requests if not url.startswith((report.as_uri(), "data:"))]
        assert outside == []


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
