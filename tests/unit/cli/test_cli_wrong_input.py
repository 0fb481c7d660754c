"""Wrong command lines, configurations, sheets and environments: one to three lines that say what, where and what to do;
no traceback, and the status that the README gives."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from helpers.project import ROOT, Project, write_document

from cosee import cli as command_line
from cosee.pipeline import locks

DEMO = "datasets: [demo]\nruns:\n  demo:\n    datasets: [demo]\n"
"""Four lines: what is added begins in line 5."""

COMMAND_LINES = [
    (["aks"], "no such command 'aks'", "'ask'"),
    (["--versoin"], "no such option: --versoin", "--version"),
    (["ask"], "missing argument", "cosee ask -h"),
    (["ask", "pdfs/alpha.pdf"], "missing argument", "cosee ask -h"),
    (["ask", "pdfs/alhpa.pdf", "How wide?"], "pdfs/alhpa.pdf", "no such file"),
    (["ask", "pdfs/alpha.pdf", " "], "the question is empty"),
    (["ask", "pdfs/alpha.pdf", "How wide?", "--modle", "x"], "no such option: --modle", "--model"),
    (["ask", "pdfs/alpha.pdf", "How wide?", "--method", "cose"], "no method 'cose'", "did you mean 'cosee'"),
    (["ask", "pdfs/alpha.pdf", "How wide?", "--model", "qwen3v"], "no model 'qwen3v'", "did you mean 'qwen3vl'"),
    (["ask", "pdfs/alpha.pdf", "How wide?", "--model", "qwen3vl"], "models.qwen3vl", "Qwen3-VL", "give the folder"),
    (["ask", "pdfs/alpha.pdf", "How wide?", "-c", "config/dmeo.yaml"], "config/dmeo.yaml: no such file", "demo.yaml"),
    (["ask", "empty.pdf", "How wide?"], "empty.pdf", "empty_file"),
    (["ask", "words.pdf", "How wide?"], "words.pdf", "not_a_pdf"),
    (["show", "nothing.json"], "nothing.json", "no such file"),
    (["show", "data"], "data: is a folder"),
    (["show", "pdfs/alpha.pdf"], "not an artifact"),
    (["run-stage", "adpat"], "no stage 'adpat'", "did you mean 'adapt'"),
    (["run-stage", "adapt", "--dataset", "dmeo"], "no dataset 'dmeo'", "did you mean 'demo'"),
    (["run-stage", "answer", "--method", "page_rga"], "no method 'page_rga'", "did you mean 'page_rag'"),
    (["run-stage", "adapt", "--workers", "two"], "--workers", "whole number"),
    (["run-stage", "adapt", "--shard", "0099"], "no shard '0099'"),
    (["run-stage", "enhance"], "adapt.0000.jsonl: not there", "run the stage before"),
    (["compare", "demo:page_rag", "other:page_rag"], "no run 'demo'", "run snakemake first"),
    (["export", "demo"], "no answers yet", "run snakemake first"),
    (["export", "dmeo"], "'dmeo' is no file and no run of config/config.yaml; runs: demo"),
    (["export", "demo", "--out", "x"], "--out is for a single file"),
    (["quality", "nothing.png", "Is it sharp?"], "nothing.png"),
    (["serve", "demo", "--port", "99999"], "--port", "65535"),
    (["serve", "dmeo"], "no dataset 'dmeo'"),
    (["remove", "dmeo", "alpha"], "no dataset 'dmeo'", "did you mean 'demo'"),
    (["remove", "demo", "alhpa"], "no document 'alhpa'", "did you mean 'alpha'"),
    (["init", "mine"], "name your documents by --documents FOLDER --questions FILE, by --qa FOLDER"),
    (["init", "a/b", "--documents", "pdfs"], "'a/b' is no name"),
    (["init", "mine", "--documents", "nowhere"], "nowhere: no such folder"),
    (["init", "mine", "--from", "mmlongbench-doc", "--path", "nowhere"], "nowhere"),
    (["init", "mine", "--from", "mmlong"], "no benchmark 'mmlong'", "mmlongbench-doc"),
]  # fmt: skip

CONFIGURATIONS = [
    ("", "is empty", "datasets: [NAME]"),
    ("- a\n", "must be a mapping of sections"),
    ("datasets: [demo\nruns: {}\n", "line 2: not valid YAML"),
    ("datasets: [demo]\n\tindex: 1\n", "line 2: not valid YAML"),
    ("datasets: [demo]\ndatasets: [demo]\n", "line 2: the key 'datasets' stands twice"),
    ("runs: {}\n", "datasets: is missing"),
    ("datasets: demo\n", "line 1: datasets: must be a list, found 'demo'; write [demo]"),
    ("datasets: [nope]\n", "data/nope: no such dataset folder", "cosee init"),
    ("datasets: [../x]\n", "'../x' cannot be a folder name"),
    ("datasets: [demo]\nadpat: {ocr: none}\n", "line 2: adpat: unknown key 'adpat'; did you mean 'adapt'"),
    ("datasets: [demo]\nadapt:\n  orc: none\n", "line 3: adapt.orc: unknown key 'orc'; did you mean 'ocr'"),
    ("datasets: [demo]\nadapt:\n  ocr: tesserakt\n", "line 3: adapt.ocr", "did you mean 'tesseract'"),
    ("datasets: [demo]\nadapt: {ocr_dpi: 20}\n", "line 2: adapt.ocr_dpi: must be at least 72, found 20"),
    ("datasets: [demo]\nlimits: {seconds: soon}\n", "line 2: limits.seconds: must be a number, found 'soon'"),
    ("datasets: [demo]\nindex: {embedder: served}\n", "line 2: index: embedder 'served' and an embedding_model"),
    ("datasets: [demo]\nindex: 3\n", "line 2: index: must be a mapping"),
    ("datasets: [demo]\nplugins: [mine.py]\n", "line 2: plugins: there is no file 'mine.py'"),
    ("datasets: [demo]\nevaluate: {judge: nobody}\n", "line 2: evaluate.judge: there is no model 'nobody'"),
    ("datasets: [demo]\nquality: {backend: '${NO_SUCH_VARIABLE}'}\n", "NO_SUCH_VARIABLE is not set"),
    ("datasets: [demo]\nruns:\n  demo:\n    datasets: [dmeo]\n", "line 4: runs.demo.datasets: 'dmeo' is not among"),
    (DEMO + "    methods: [page_rga]\n", "line 5: runs.demo.methods.0", "did you mean 'page_rag'"),
    (DEMO + "    methods: page_rag\n", "line 5: runs.demo.methods: must be a list", "write [page_rag]"),
    (DEMO + "    methods: [page_rag, page_rag]\n", "line 5: runs.demo.methods: two methods have one name"),
    (DEMO + "    methods:\n      - strategy: page_rag\n        pagse: 3\n", "line 7", "did you mean 'pages'"),
    (DEMO + "    methods:\n      - strategy: cosee\n        max_steps: many\n", "line 7", "must be a whole number"),
    (DEMO + "    methods:\n      - name: mine\n", "line 6", "a mapping with 'strategy'"),
    (DEMO + "    model: qwn3vl\n", "line 5: runs.demo.model", "did you mean 'qwen3vl'"),
    (DEMO + "    methods:\n      - {strategy: page_rag, seed: -1}\n", "line 6", "must be at least 0, found -1"),
    (DEMO + "    extractor: perhaps\n", "line 5: runs.demo.extractor: must be true or false, found 'perhaps'"),
]  # fmt: skip

MODELS = [
    ("models: [qwen]\n", "config/models.yaml: expected a mapping 'models:'"),
    ("models:\n  m: {kind: qwenvl}\n", "models.m: kind: unknown kind; did you mean 'qwen_vl'"),
    ("models:\n  m: {kind: qwen_vl}\n", "models.m: model_path: is missing"),
    ("models:\n  m: {kind: openai, model: x, timout: 3}\n", "models.m: timout: unknown key 'timout'", "'timeout'"),
    ("models:\n  m: {kind: openai, model: x, timeout: secret}\n", "models.m: timeout: must be a number"),
    ("models:\n  m: {kind: openai\n", "config/models.yaml, line 3: not valid YAML"),
]  # fmt: skip

SHEETS: list[tuple[str, Any, *tuple[str, ...]]] = [
    ("q.csv", "", "is empty", "file,question,answer"),
    ("q.csv", "file,quesiton\nalpha.pdf,How?\n", "line 1: no column 'question'", "is 'quesiton' meant?"),
    ("q.csv", "file,question\n", "holds no questions"),
    ("q.csv", "file,question\nalpha.pdf,\n", "line 2: the question is empty"),
    ("q.csv", "file,question,pages\nalpha.pdf,How?,iv\n", "line 2: evidence_pages 'iv' are no page numbers"),
    ("q.csv", "file,question,pages\nalpha.pdf,How?,0\n", "line 2: evidence_pages are 1-based"),
    ("q.csv", "file,question\nalpha.pdf,How, why?\n", "line 2: more fields than columns; quote the commas"),
    ("q.csv", 'file,question\nalpha.pdf,"How?\n', "line 2"),
    ("q.csv", "file,question\nalpha.pdf,Wie gro\xdf?\n".encode("latin-1"), "is not UTF-8", "save it as CSV UTF-8"),
    ("q.csv", "file,question,answer,answer_format\nalpha.pdf,How?,4,Itn\n", "line 2: answer_format", "'Int'"),
    ("q.csv", "question\nHow?\n", "line 2: names no document, and there are 2", "add a column 'document'"),
    ("q.jsonl", '{"question": \n', "line 1: not valid JSON"),
    ("q.jsonl", "[1]\n", "line 1: expected an object, found list"),
    ("q.ods", "x", "save it as .xlsx or as CSV UTF-8"),
    ("q.xlsx", "x", "is no readable workbook"),
    ("q.xlsx", [["file", "answer"], ["alpha.pdf", "x"]], "sheet 'Sheet': no column 'question'", "'file', 'answer'"),
    ("q.xlsx", [], "every sheet is empty"),
]  # fmt: skip

ENVIRONMENTS = [
    (["mcp", "demo"], "mcp", "pip install 'cosee[mcp]'"),
    (["init", "mine", "--documents", "pdfs", "--questions", "good.xlsx"], "openpyxl", "pip install 'cosee[xlsx]'"),
]  # fmt: skip


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project that is sound in all that a test does not spoil; its lock is let go of after each command."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    (tmp_path / "config" / "demo.yaml").write_text(DEMO)
    (tmp_path / "config" / "config.yaml").write_text(DEMO + "    methods: [page_rag]\n")
    for name in ("alpha", "beta"):
        write_document(tmp_path / "data" / "demo" / name / "full.pdf", name.title(), "The river was 42 metres wide.")
        write_document(tmp_path / "pdfs" / f"{name}.pdf", name.title(), "The river was 42 metres wide.")
    (tmp_path / "empty.pdf").touch()
    (tmp_path / "words.pdf").write_text("just words")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COSEE_CACHE", str(tmp_path / "cache"))
    yield tmp_path
    while locks._held:
        locks._held.popitem()[1].close()


def check(capsys: pytest.CaptureFixture[str], arguments: list[str], words: tuple[str, ...]) -> None:
    """One to three lines on standard error, none of them of Python, with ``words``, and status 2."""
    assert command_line.main(arguments) == 2
    printed = capsys.readouterr()
    lines = printed.err.splitlines()
    assert printed.out == "" and 1 <= len(lines) <= 3, printed
    assert lines[0].startswith("cosee: ")
    missing = [word for word in words if word not in printed.err]
    assert missing == [], printed.err
    assert not re.search(r"Traceback|pydantic|Input (should|tag)|Value error|\bNone\b(?!')", printed.err), printed.err


def test_there_are_sixty_of_them() -> None:
    assert sum(map(len, (COMMAND_LINES, CONFIGURATIONS, MODELS, SHEETS, ENVIRONMENTS))) >= 60


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("case", COMMAND_LINES, ids=lambda case: " ".join(case[0]))
def test_a_wrong_command_line(case: tuple[Any, ...], capsys: pytest.CaptureFixture[str]) -> None:
    check(capsys, case[0], case[1:])


@pytest.mark.parametrize("case", CONFIGURATIONS, ids=lambda case: repr(case[0][-40:]))
def test_a_wrong_configuration(case: tuple[Any, ...], project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "config" / "mine.yaml").write_text(case[0])
    words = case[1:] if "dataset folder" in case[1] else ("config/mine.yaml", *case[1:])
    check(capsys, ["run-stage", "adapt", "-c", "config/mine.yaml"], words)


@pytest.mark.parametrize("case", MODELS, ids=lambda case: repr(case[0]))
def test_a_wrong_entry_of_a_model(case: tuple[Any, ...], project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "config" / "models.yaml").write_text(case[0])
    check(capsys, ["run-stage", "adapt"], case[1:])
    assert "secret" not in capsys.readouterr().err


@pytest.mark.parametrize("case", SHEETS, ids=lambda case: repr(case[:2]))
def test_a_wrong_sheet(case: tuple[Any, ...], project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, content = case[:2]
    if isinstance(content, list):
        write_workbook(project / name, content)
    else:
        (project / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    check(capsys, ["init", "mine", "--documents", "pdfs", "--questions", name], (name, *case[2:]))
    assert not (project / "data" / "mine").exists()


def write_workbook(path: Path, rows: list[list[Any]]) -> None:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)


@pytest.mark.parametrize("case", ENVIRONMENTS, ids=lambda case: " ".join(case[0]))
def test_a_package_that_is_not_installed(
    case: tuple[Any, ...], project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_workbook(project / "good.xlsx", [["file", "question"], ["alpha.pdf", "How wide?"]])
    for name in [each for each in sys.modules if each.partition(".")[0] == case[1]]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, case[1], None)
    check(capsys, case[0], case[2:])


@pytest.mark.usefixtures("project")
def test_a_cache_folder_that_is_a_file(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSEE_CACHE", "words.pdf")
    check(capsys, ["ask", "pdfs/alpha.pdf", "How wide?"], ("words.pdf",))


def test_a_fault_of_ours_is_a_line_and_a_file(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cosee.commands.show.show", lambda *_, **__: {}["nothing"])
    monkeypatch.setenv("TMPDIR", str(project))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert command_line.main(["show", "words.pdf"]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "internal error (KeyError: 'nothing')" in said
    (report,) = project.glob("cosee-error-*.txt")
    assert str(report) in said and "Traceback" in report.read_text()


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["--version"]) == 0
    assert re.fullmatch(r"cosee \d+\.\d+\.\d+\S*\n", capsys.readouterr().out)


@pytest.mark.parametrize("command", ["mcp", "quality"])
def test_help_names_the_extra_whole(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main([command, "--help"]) == 0
    assert f"'cosee[{command}]'" in capsys.readouterr().out


# Snakemake's own ways, for real.
STARTS = [
    (["--configfile", "config/none.yaml"], "", "config/none.yaml: no such file", "cosee init"),
    (["--configfile", "config/mine.yaml"], "datasets: [tiny\nruns: {}\n", "config/mine.yaml, line 2: not valid YAML"),
    (["--configfile", "config/mine.yaml"], "datasets: [tiny]\nidnex: 1\n", "mine.yaml, line 2: idnex", "'index'"),
    (["--configfile", "config/mine.yaml"], "- a\n", "config/mine.yaml: must be a mapping"),
    (["--workflow-profile", "profiles/slrm"], "", "profiles/slrm: no such profile", "did you mean 'profiles/slurm'"),
    (["--workflow-profile", "profiles/mine"], "executor: flux\n", "profiles/mine/config.yaml: the executor 'flux'"),
    (["--executor", "flux"], "", "needs snakemake-executor-plugin-flux: pip install snakemake-executor-plugin-flux"),
    (["--configfile", "config/mine.yaml"], "datasets: [nope]\n", "data/nope: no such dataset folder", "cosee init"),
]  # fmt: skip


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project.create(tmp_path_factory.mktemp("started") / "project")


@pytest.mark.parametrize("case", STARTS, ids=lambda case: " ".join(case[0]) + repr(case[1]))
def test_a_wrong_start_of_snakemake(case: tuple[Any, ...], started: Project) -> None:
    options, content, *words = case
    (started.folder / "profiles" / "mine").mkdir(exist_ok=True)
    (started.folder / "profiles" / "mine" / "config.yaml").write_text(content if "profile" in options[0] else "")
    (started.folder / "config" / "mine.yaml").write_text(content)
    result = subprocess.run(
        [*started.command("-n"), *options],
        cwd=started.folder,
        env={**started.environment(), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    said = result.stdout + result.stderr
    assert result.returncode == 2, said
    assert all(word in said for word in words), said
    assert len(said.splitlines()) <= 3 and "Traceback" not in said, said


def test_other_projects_of_snakemake_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "Snakefile").write_text("rule all:\n    shell: 'echo done'\n")
    result = subprocess.run(
        [sys.executable, "-m", "snakemake", "-n", "--configfile", "none.yaml"],
        cwd=tmp_path,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 1 and "cosee" not in result.stdout + result.stderr.replace(str(ROOT), "")
