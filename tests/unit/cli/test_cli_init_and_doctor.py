"""``cosee init`` makes a project that the pipeline takes; ``cosee doctor`` tells the truth about it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from helpers.benchmark_layouts import MMLONGBENCH, make_mmlongbench, mmlongbench_row, write_json
from helpers.model_server import MODEL, model_server
from helpers.project import TOPICS, write_document

from cosee.cli import main
from cosee.pipeline.config import read_config

PROJECT = Path(__file__).resolve().parents[3]
Cli = Callable[..., tuple[int, str, str]]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    (tmp_path / "config").mkdir()
    shutil.copy(PROJECT / "config" / "models.yaml", tmp_path / "config")
    title, fact, _, _ = TOPICS["alpha"]
    write_document(tmp_path / "pdfs" / "River survey.pdf", title, fact)
    (tmp_path / "q.csv").write_text("file,question,answer\nRiver survey.pdf,How wide?,42\ngone.pdf,Why?,\n")

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(list(arguments))
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def test_init_writes_a_dataset_and_a_configuration_and_names_the_next_command(cli: Cli) -> None:
    status, out, _ = cli("init", "mine", "--pdfs", "pdfs", "--questions", "q.csv")
    assert status == 0
    assert "data/mine: 1 document, 2 questions" in out
    assert "River survey.pdf is called River_survey" in out
    assert "gone.pdf: no such document; its questions are kept" in out
    assert out.splitlines()[-1].strip() == "snakemake --cores all --configfile config/mine.yaml"
    config = read_config(Path("config/mine.yaml"))
    assert config.datasets == ["mine"]
    assert [method.label for method in config.runs["mine"].methods] == ["constant", "page_rag", "cosee"]
    assert Path("data/mine/River_survey/full.pdf").is_file()


def test_init_keeps_a_configuration_that_is_there(cli: Cli) -> None:
    cli("init", "mine", "--pdfs", "pdfs", "--questions", "q.csv")
    Path("config/mine.yaml").write_text("datasets: [mine]\nshard_pages: 3\n")
    _, out, _ = cli("init", "mine", "--pdfs", "pdfs", "--questions", "q.csv")
    assert "config/mine.yaml: kept as it is" in out
    assert yaml.safe_load(Path("config/mine.yaml").read_text())["shard_pages"] == 3


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["mine", "--pdfs", "pdfs", "--qa", "pdfs"], "by --qa FOLDER"),
        (["mine", "--questions", "q.csv"], "by --qa FOLDER"),
        (["../out", "--pdfs", "pdfs", "--questions", "q.csv"], "'../out' is no name"),
        (["a b", "--pdfs", "pdfs"], "a dataset is named with letters"),
        (["mine", "--qa", "pdfs"], "docs.jsonl"),
    ],
)
def test_init_refuses_in_one_line(cli: Cli, tmp_path: Path, arguments: list[str], complaint: str) -> None:
    status, _, err = cli("init", *arguments)
    assert status == 2
    assert complaint in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config", "pdfs", "q.csv"]
    assert [path.name for path in (tmp_path / "config").iterdir()] == ["models.yaml"]


def test_init_imports_a_benchmark_and_says_where_all_is_told(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    # contract: C55
    root = make_mmlongbench(Path("published") / "MMLongBench-Doc")
    rows = [mmlongbench_row("gone.pdf", f"Who was number {n}?", "x", "Int") for n in range(25)]
    write_json(root / "data" / "samples.json", [*MMLONGBENCH, *rows])
    monkeypatch.setenv("COSEE_DATA", "published")
    status, out, _ = cli("init", "mmlb", "--from", "mmlongbench-doc")
    assert status == 0 and "data/mmlb: 1 document, 33 questions" in out
    told = "documents that are not there: 1, questions asked twice: 1, gold answers that contradict their format: 26"
    assert told in " ".join(out.split())
    assert "each is in data/mmlb/qa/import_report.json" in " ".join(out.split())
    assert out.splitlines()[-1].strip() == "snakemake --cores all --configfile config/mmlb.yaml"
    status, out, _ = cli("init", "few", "--from", "mmlongbench-doc", "--path", str(root), "--limit", "1")
    assert status == 0 and "data/few: 1 document, 7 questions" in out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--from", "dude"], "no benchmark 'dude'; there are mmlongbench-doc, mmlongbench-doc-v2, longdocurl"),
        (["--from", "slidevqa"], "COSEE_DATA is not set; the default: no folder data/slidevqa"),
        (["--from", "slidevqa", "--path", "pdfs", "--qa", "pdfs"], "leave out --questions and --qa"),
        (["--from", "slidevqa", "--path", "pdfs"], "has none of annotations/qa/dev.jsonl"),
        (["--pdfs", "pdfs", "--split", "val"], "--split belongs to --from BENCHMARK"),
    ],
)
def test_init_refuses_a_benchmark_in_one_line(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, arguments: list[str], complaint: str
) -> None:
    monkeypatch.delenv("COSEE_DATA", raising=False)
    status, _, err = cli("init", "bench", *arguments)
    assert status == 2 and complaint in err and err.count("\n") == 1
    assert not Path("data").exists() and not Path("config/bench.yaml").exists()


def test_doctor_lists_what_is_there_and_what_is_missing(cli: Cli) -> None:
    cli("init", "mine", "--pdfs", "pdfs", "--questions", "q.csv")
    status, out, _ = cli("doctor", "-c", "config/mine.yaml")
    assert status == 0, out
    rows = {line.split()[0]: line for line in out.splitlines() if line.split()}
    assert "2.13.0" in rows["torch"] or "absent" not in rows["torch"]
    assert "1 PDFs" in rows["mine"]
    assert "absent" in rows["minilm"]
    assert "not yet" in rows["adapt"]
    assert "sparse-only" in out


def test_doctor_ends_with_1_for_a_model_that_nobody_knows(cli: Cli) -> None:
    Path("config/c.yaml").write_text("datasets: [mine]\nruns: {r: {datasets: [mine], model: huge}}\n")
    status, out, _ = cli("doctor", "-c", "config/c.yaml")
    assert status == 1
    assert "there is no model 'huge' in config/models.yaml" in out
    assert "cosee init mine" in out


def test_doctor_asks_the_server_of_a_model_that_is_used(cli: Cli) -> None:
    pytest.importorskip("openai", reason="the openai library is not installed")
    Path("config/c.yaml").write_text("datasets: [mine]\nruns: {r: {datasets: [mine], model: served}}\n")
    with model_server() as server:
        entry = {"kind": "openai", "model": MODEL, "base_url": f"{server.url}/v1"}
        Path("config/models.yaml").write_text(json.dumps({"models": {"served": entry, "unused": entry}}))
        _, out, _ = cli("doctor", "-c", "config/c.yaml")
        assert "has the model, takes pictures, takes a schema" in " ".join(out.split()) and len(server.probes) == 1
    status, out, _ = cli("doctor", "-c", "config/c.yaml")
    assert status == 1 and "problem: model served" in out and "is the server running" in " ".join(out.split())


def test_doctor_names_the_models_of_the_index(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "models" / "colqwen2"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text('{"model_type": "colqwen2"}')
    text = (
        "datasets: [mine]\nindex: {page_embedder: {model_path: models/colqwen2}, reranker: {model_path: models/none}}\n"
    )
    Path("config/c.yaml").write_text(text)
    status, out, _ = cli("doctor", "-c", "config/c.yaml")
    rows = {line.split()[0]: line for line in out.splitlines() if line.split()}
    assert "models/colqwen2 (revision" in rows["page_embedder"]
    assert status == 1 and "index.reranker: there is no model folder 'models/none'" in out


def test_doctor_says_what_is_wrong_with_a_configuration(cli: Cli) -> None:
    Path("config/c.yaml").write_text("datasets: [mine]\nshard_page: 3\n")
    status, out, _ = cli("doctor", "-c", "config/c.yaml")
    assert status == 2
    assert "unknown key 'shard_page'; did you mean 'shard_pages'?" in out


def test_doctor_lists_every_key(cli: Cli) -> None:
    status, out, _ = cli("doctor", "--keys")
    assert status == 0
    assert "runs.<name>.retrieval.recall_k" in out
    assert "failure_budget" in out


@pytest.mark.parametrize("command", [[], ["init"], ["ask"], ["show"], ["doctor"], ["run-stage"]])
def test_help_teaches_with_examples(cli: Cli, command: list[str]) -> None:
    status, out, _ = cli(*command, "--help")
    assert status == 0
    assert out.count("cosee ") >= 3
