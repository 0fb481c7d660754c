"""``cosee export``: a run's documents, one tree, one PDF that was asked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from helpers.project import CONFIG, Project

from cosee.cli import main
from cosee.export.highlights import read_highlights

Cosee = Callable[..., "CompletedProcess[str]"]


@pytest.fixture(scope="module")
def project(ran: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    return ran.copy(tmp_path_factory.mktemp("export") / "project")


def test_a_run_is_exported_in_every_form(project: Project, cosee: Cosee) -> None:
    result = cosee(project, "export", "tiny")
    assert result.returncode == 0, result.stderr
    exports = project.results / "tiny" / "exports"
    for kind, name in (("pdf", "evidence.pdf"), ("markdown", "md"), ("html", "html"), ("tables", None)):
        rows = [json.loads(line) for line in (exports / f"{kind}.jsonl").read_text().splitlines()]
        assert [(row["doc_id"], row["status"]) for row in rows] == [(doc, "ok") for doc in ("alpha", "beta", "gamma")]
        for row in rows if name else []:
            assert f"{row['doc_id']}.{name}" in row["outputs"]
    (mark, *_) = read_highlights(exports / "tiny" / "alpha" / "alpha.evidence.pdf")
    assert (mark.page, mark.methods) == (1, "cosee")
    assert mark.note.startswith("Question: How wide was the river?\nAnswer: ") and "\nMethod: cosee\n" in mark.note
    assert "The river was 42 metres wide" in (exports / "tiny" / "alpha" / "alpha.md").read_text()


def test_a_document_that_fails_has_a_row_and_the_others_their_files(project: Project, cosee: Cosee) -> None:
    tree = project.data / "beta" / "doctree.mm.json"
    kept = tree.read_bytes()
    tree.write_text("{}")
    try:
        result = cosee(project, "export", "tiny", "--html")
    finally:
        tree.write_bytes(kept)
    assert result.returncode == 1
    rows = (project.results / "tiny" / "exports" / "html.jsonl").read_text().splitlines()
    found = {row["doc_id"]: (row["status"], row["reason"]) for row in map(json.loads, rows)}
    assert found == {"alpha": ("ok", None), "beta": ("failed", "no_tree"), "gamma": ("ok", None)}


def test_answers_are_taken_along_in_four_forms(project: Project, cosee: Cosee) -> None:
    for form in ("csv", "xlsx", "jsonl", "inspect"):
        assert cosee(project, "export", "tiny", "--format", form).returncode == 0
    exports = project.results / "tiny" / "exports"
    rows = [json.loads(line) for line in (exports / "answers.jsonl").read_text().splitlines()]
    assert [(row["question_id"], row["method"]) for row in rows][:2] == [("alpha-1", "constant"), ("alpha-1", "cosee")]
    assert (exports / "answers.csv").read_text().count("How wide was the river?") == 2
    assert (exports / "answers.xlsx").read_bytes()[:2] == b"PK"
    assert cosee(project, "export", "tiny", "--format", "inspect").returncode == 0
    logs = [json.loads(path.read_text()) for path in sorted((exports / "inspect").iterdir())]
    assert sorted(log["eval"]["task"] for log in logs) == ["tiny/constant", "tiny/cosee"], "one a method, however often"
    for arguments in (("tiny", "--format", "word"), ("none", "--format", "csv")):
        refused = cosee(project, "export", *arguments)
        assert refused.returncode == 2 and refused.stderr.count("\n") == 1


def test_a_tree_needs_no_run(project: Project, tmp_path: Path) -> None:
    assert main(["export", str(project.data / "gamma" / "doctree.mm.json"), "--html", "--out", str(tmp_path)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["gamma.html"]


def test_a_pdf_is_marked_with_what_was_asked_of_it(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(project.folder)
    monkeypatch.setenv("COSEE_CACHE", str(tmp_path / "cache"))
    Path("config/ask.json").write_text(json.dumps({"datasets": ["ask"], "index": CONFIG["index"]}))
    pdf = Path("data/tiny/alpha/full.pdf")
    asked = ["ask", str(pdf), "How wide was the river?", "--method", "page_rag", "-c", "config/ask.json"]
    assert main(asked) == 0
    assert main(["export", str(pdf), "--pdf", "--out", str(tmp_path / "out")]) == 0
    (mark, *_) = read_highlights(tmp_path / "out" / "full.evidence.pdf")
    assert mark.note.startswith("Question: How wide was the river?\nAnswer: ") and "42" in mark.note
