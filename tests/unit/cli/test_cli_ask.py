"""``cosee ask``: one PDF, one question; the second question is quick; the trace streams."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pymupdf
import pytest
from helpers.model_server import MODEL, model_server
from helpers.project import Project

from cosee.cli import main
from cosee.models.vision import ocr_tesseract

Cosee = Callable[..., "CompletedProcess[str]"]
QUESTION = "How wide was the river?"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory, cosee: Cosee) -> tuple[Project, CompletedProcess[str]]:
    project = Project.create(tmp_path_factory.mktemp("ask") / "project")
    return project, cosee(project, "ask", "data/tiny/alpha/full.pdf", QUESTION, "-c", "config/config.yaml")


def workspace(project: Project) -> Path:
    (found,) = (project.folder / ".cache" / "ask").iterdir()
    return found


def test_the_answer_comes_with_page_quote_and_trace(asked: tuple[Project, CompletedProcess[str]]) -> None:
    project, result = asked
    assert result.returncode == 0, result.stderr
    assert "42" in result.stdout.splitlines()[0]
    assert "pages: 1" in result.stdout
    assert "The river was 42 metres wide at the old bridge." in result.stdout
    trace = next(line for line in result.stdout.splitlines() if line.startswith("trace: ")).split()[1]
    assert json.loads((project.folder / trace).read_text().splitlines()[-1])["type"] == "complete"


def test_the_same_document_under_another_name_is_known(
    asked: tuple[Project, CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project, first = asked
    monkeypatch.chdir(project.folder)
    copy = Path("copy of it.pdf")
    copy.write_bytes(Path("data/tiny/alpha/full.pdf").read_bytes())
    stamps = {path: path.stat().st_mtime_ns for path in workspace(project).rglob(".stamps/**/*.json")}
    assert main(["ask", str(copy), QUESTION, "-c", "config/config.yaml"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == first.stdout.splitlines()[0]
    assert {path: path.stat().st_mtime_ns for path in stamps} == stamps


def test_a_second_question_reads_the_document_no_second_time(
    asked: tuple[Project, CompletedProcess[str]], cosee: Cosee
) -> None:
    project, _ = asked
    stamps = {path: path.stat().st_mtime_ns for path in workspace(project).rglob(".stamps/*.json")}
    early = [path for path in stamps if path.stem in ("adapt", "enhance", "build", "index")]
    assert len(early) == 4
    arguments = ("--method", "page_rag", "--stream", "-c", "config/config.yaml")
    result = cosee(project, "ask", "data/tiny/alpha/full.pdf", "What was written down by hand?", *arguments)
    assert result.returncode == 0, result.stderr
    assert {path: path.stat().st_mtime_ns for path in early} == {path: stamps[path] for path in early}


@pytest.mark.parametrize("question", [QUESTION, "Who measured twice?"])
def test_a_stream_is_the_trace_as_ndjson(
    asked: tuple[Project, CompletedProcess[str]], cosee: Cosee, question: str
) -> None:
    # contract: E36
    project, _ = asked
    result = cosee(project, "ask", "data/tiny/alpha/full.pdf", question, "--stream", "-c", "config/config.yaml")
    assert result.returncode == 0, result.stderr
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert all(event["type"] for event in events)
    assert events[-1]["type"] == "complete"
    trace = next(line for line in result.stderr.splitlines() if line.startswith("trace: ")).split()[1]
    assert [json.loads(line) for line in (project.folder / trace).read_text().splitlines()] == events


def test_the_decision_agent_streams_the_frames_of_its_design(
    asked: tuple[Project, CompletedProcess[str]], cosee: Cosee
) -> None:
    # contract: E36, E38, E40
    project, _ = asked
    arguments = ("--method", "decision", "--stream", "-c", "config/config.yaml")
    result = cosee(project, "ask", "data/tiny/alpha/full.pdf", QUESTION, *arguments)
    assert result.returncode == 0, result.stderr
    frames = [json.loads(line) for line in result.stdout.splitlines()]
    decided = [frame["tool"] for frame in frames if frame["type"] == "decision"]
    assert decided == ["fast_vector_search", "text_response"]
    tokens = "".join(frame["content"] for frame in frames if frame["type"] == "token")
    assert tokens == frames[-1]["message"] == result.stderr.splitlines()[0] and "42" in tokens
    (measured,) = workspace(project).rglob("measured/answers/decision/ask/document.json")
    (parts,) = json.loads(measured.read_text())["parts"].values()
    assert set(parts) == {"fast_vector_search", "text_response"}
    assert str(parts["fast_vector_search"][0]) not in result.stdout


def test_the_model_is_the_configurations_unless_another_is_named(
    asked: tuple[Project, CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(asked[0].folder)
    settings = json.loads(Path("config/config.yaml").read_text())
    for run in settings["runs"].values():
        run["model"] = "nobody"
    Path("config/other.yaml").write_text(json.dumps(settings))
    arguments = ["ask", "data/tiny/alpha/full.pdf", QUESTION, "-c", "config/other.yaml"]
    assert main(arguments) == 2
    assert "there is no model 'nobody'" in capsys.readouterr().err
    assert main([*arguments, "--model", "embedded"]) == 0
    assert "no model read this" in capsys.readouterr().out


def test_a_server_that_is_down_is_one_line_before_the_document_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("openai", reason="the openai library is not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COSEE_CACHE", str(tmp_path / "cache"))
    with model_server() as server:
        entry = {"kind": "openai", "model": MODEL, "base_url": f"{server.url}/v1"}
    Path("config").mkdir()
    Path("config/models.yaml").write_text(json.dumps({"models": {"served": entry}}))
    Path("a.pdf").write_bytes(b"%PDF-1.7 of no use")
    assert main(["ask", "a.pdf", QUESTION, "--model", "served"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and "is the server running" in said.err
    assert not (tmp_path / "cache" / "ask").exists()


def test_a_folder_and_questions_from_standard_input_give_one_json_object_an_answer(
    asked: tuple[Project, CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(asked[0].folder)
    folder = Path("several")
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "alpha.pdf").write_bytes(Path("data/tiny/alpha/full.pdf").read_bytes())
    (folder / "beta.pdf").write_bytes(Path("data/tiny/beta/full.pdf").read_bytes())
    (folder / "notes.txt").write_text("no document")
    text = f"{QUESTION}\n\n  What was written down by hand?\n{QUESTION}\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    arguments = ["ask", str(folder), "several/beta.pdf", "-", "--json", "--method", "page_rag"]
    assert main([*arguments, "-c", "config/config.yaml"]) == 0
    printed = capsys.readouterr()
    rows = [json.loads(row) for row in printed.out.splitlines()]
    asked_of = [(row["document"], row["question"]) for row in rows]
    assert asked_of == [
        (f"several/{name}.pdf", question)
        for name in ("below/alpha", "beta")
        for question in (QUESTION, "What was written down by hand?")
    ]
    assert "42" in rows[0]["answer"] and rows[0]["pages"] == [1] and rows[0]["support"][0]["quote_verified"]
    assert Path(rows[0]["trace"]).is_file()
    assert printed.err == ""


def test_a_document_that_cannot_be_used_does_not_stop_the_others(
    asked: tuple[Project, CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(asked[0].folder)
    Path("broken.pdf").write_bytes(b"no pdf at all")
    arguments = ["ask", "broken.pdf", "data/tiny/beta/full.pdf", "data/tiny/alpha/full.pdf", QUESTION]
    assert main([*arguments, "-c", "config/config.yaml"]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("cosee: broken.pdf: stage adapt failed (not_a_pdf)")
    lines = printed.out.splitlines()
    assert f"data/tiny/alpha/full.pdf: {QUESTION}" in lines and f"data/tiny/beta/full.pdf: {QUESTION}" in lines
    assert lines[-1].startswith("surest: ") and "42" in lines[-1] and "data/tiny/alpha/full.pdf" in lines[-1]


@pytest.mark.parametrize("name", ["scan.png", "scan.jpeg", "scan.tiff"])
def test_a_picture_is_asked_like_a_document(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if not ocr_tesseract.installed_languages():
        pytest.skip("tesseract is not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COSEE_CACHE", str(tmp_path / "cache"))
    with pymupdf.open() as made:
        page = made.new_page(width=420, height=300)
        page.insert_text((40, 80), "The harbour was 37 metres deep.", fontsize=18)
        page.get_pixmap(dpi=200).pil_save(name)
    assert main(["ask", name, "How deep was the harbour?"]) == 0
    assert "37" in capsys.readouterr().out.splitlines()[0]


def test_json_and_stream_exclude_each_other_and_no_question_is_told(
    asked: tuple[Project, CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(asked[0].folder)
    assert main(["ask", "data/tiny/alpha/full.pdf", QUESTION, "--json", "--stream"]) == 2
    assert "--json" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b" \n\n")))
    assert main(["ask", "data/tiny/alpha/full.pdf", "-"]) == 2
    assert capsys.readouterr().err == "cosee: ask: standard input holds no question; write one a line\n"


def test_a_server_is_probed_once(
    asked: tuple[Project, CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("openai", reason="the openai library is not installed")
    monkeypatch.chdir(asked[0].folder)
    reply = {"explanation": "it says so", "quotes": [], "answer": "7 metres", "confidence": 0.5}
    with model_server() as server:
        server.replies = [json.dumps(reply)]
        entry = {"kind": "openai", "model": MODEL, "base_url": f"{server.url}/v1", "sees_images": False}
        Path("config/models.yaml").write_text(json.dumps({"models": {"served": entry}}))
        arguments = ["ask", "data/tiny/alpha/full.pdf", "How wide was the ford?", "--method", "page_rag"]
        assert main([*arguments, "--model", "served", "-c", "config/config.yaml"]) == 0, capsys.readouterr().err
        assert len(server.probes) == 1 and len(server.requests) == 1


def test_together_all_documents_of_a_folder_give_one_answer(
    asked: tuple[Project, CompletedProcess[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(asked[0].folder)
    folder = Path("shelf")
    folder.mkdir()
    for name in ("alpha", "beta", "gamma"):
        (folder / f"{name}.pdf").write_bytes(Path(f"data/tiny/{name}/full.pdf").read_bytes())
    (folder / "broken.pdf").write_bytes(b"no pdf at all")

    def ask(question: str) -> dict:
        arguments = ["ask", str(folder), question, "--together", "--method", "page_rag", "-c", "config/config.yaml"]
        assert main([*arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    found = ask(QUESTION)
    assert "42" in found["answer"] and ["alpha", 1] in found["pages"]
    assert {support["doc_id"] for support in found["support"]} == {"alpha"}
    assert "broken" in found["unread"] and set(found["documents"]) <= {"alpha", "beta", "gamma"}

    (root,) = (path for path in Path(".cache/ask").iterdir() if path.name.startswith("together-"))
    trees = {path: path.stat().st_mtime_ns for path in root.rglob("doctree.mm.json")}
    (folder / "alpha.pdf").unlink()
    (folder / "broken.pdf").unlink()
    found = ask("How many pupils were there?")
    assert "57" in found["answer"] and found["unread"] is None and "alpha" not in found["documents"]
    assert {path: path.stat().st_mtime_ns for path in trees} == trees, "no document is read again"
    assert ask(QUESTION)["pages"] != [["alpha", 1]]
