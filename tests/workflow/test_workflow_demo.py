"""The demo as `make run` runs it: four real-sized documents, thirty questions, three methods, metrics and report."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest
from helpers import estimates
from helpers.project import ROOT, Project

from cosee.export.highlights import read_highlights
from cosee.models.weights import find
from cosee.pipeline.paths import Paths
from cosee.stages.export import KINDS, export_run

PAGES = {"atlas": 20, "harbor": 15, "letter": 2, "tidal": 6}


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "project"
    Project.create(folder)
    shutil.rmtree(folder / "data")
    kept = shutil.ignore_patterns(
        ".*", "documents.tsv", "images", "measured", "content_list*", "layout.json", "doctree*"
    )
    shutil.copytree(ROOT / "data" / "demo", folder / "data" / "demo", ignore=kept)
    shutil.copy(ROOT / "config" / "config.yaml", folder / "config" / "config.yaml")
    plan = snakemake(folder, "-n")
    (folder / "plan.txt").write_text(plan.stdout + plan.stderr)
    result = snakemake(folder)
    assert result.returncode == 0, result.stdout + result.stderr + Project(folder).logs()
    (folder / "run.txt").write_text(result.stdout + result.stderr)
    return folder


def snakemake(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    cache = os.environ.get("COSEE_CACHE", str(ROOT / ".cache"))
    return subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "2", "--configfile", "config/config.yaml", *options],
        cwd=folder,
        env={**Project(folder).environment(), "COSEE_CACHE": cache},
        capture_output=True,
        text=True,
        timeout=900,
    )


def test_every_question_has_a_row_for_every_method(demo):
    # contract: D114, D115, C69
    questions = (demo / "data" / "demo" / "qa" / "questions.jsonl").read_text().splitlines()
    assert len(questions) == 30
    for method in ("constant", "page_rag", "cosee"):
        rows = [
            json.loads(line)
            for line in (demo / "results/demo/predictions" / f"{method}.jsonl").read_text().splitlines()
        ]
        assert [row["question_id"] for row in rows] == sorted(json.loads(line)["question_id"] for line in questions)
        assert {row["status"] for row in rows} <= {"ok", "partial"}
        for row in rows:
            assert (demo / "results/demo/traces" / method / "demo" / f"{row['question_id']}.ndjson").exists()


def test_cited_pages_exist_and_quotes_stand_on_them(demo):
    cited = []
    for method in ("page_rag", "cosee"):
        for line in (demo / "results/demo/predictions" / f"{method}.jsonl").read_text().splitlines():
            row = json.loads(line)
            cited += [(row["doc_id"], support) for support in row["support"]]
    assert len(cited) > 20
    assert all(1 <= support["page"] <= PAGES[doc_id] for doc_id, support in cited)
    quotes = [support["quote_verified"] for _, support in cited if support["quote"]]
    assert sum(quotes) / len(quotes) >= 0.95


def test_the_summary_beats_always_abstaining(demo):
    # contract: D118
    summary = json.loads((demo / "results" / "metrics_summary.json").read_text())
    methods = summary["runs"]["demo"]["methods"]
    assert methods["page_rag"]["accuracy"] > methods["constant"]["accuracy"]
    assert methods["page_rag"]["pages"]["recall"]["5"] >= 0.9
    assert summary["runs"]["demo"]["counts"]["documents"]["ok"] >= 3
    assert (demo / "results" / "report" / "index.html").exists()


def test_every_document_is_exported_and_marked_where_its_evidence_is(demo):
    paths = Paths(demo / "data", demo / "indexes", demo / "results")
    for kind in KINDS:
        rows = export_run(paths, "demo", kind, ["demo"], ["page_rag", "cosee"])
        assert [(row.doc_id, row.status) for row in rows] == [(doc, "ok") for doc in sorted(PAGES)], kind
    checked = 0
    for doc_id in PAGES:
        pdf, out = demo / "data/demo" / doc_id / "full.pdf", demo / "results/demo/exports/demo" / doc_id
        with pymupdf.open(pdf) as before, pymupdf.open(out / f"{doc_id}.evidence.pdf") as after:
            assert [page.get_text("words") for page in after] == [page.get_text("words") for page in before]
            sizes = [(page.rect.width, page.rect.height) for page in before]
        found = read_highlights(out / f"{doc_id}.evidence.pdf")
        for support in supports(demo, doc_id):
            wide, high = sizes[support["page"] - 1]
            box = [share * side for share, side in zip(support["bbox"], (wide, high, wide, high), strict=True)]
            near = [mark for mark in found if mark.page == support["page"] and mark.bbox == pytest.approx(box, abs=2)]
            assert any(support["quote"] in mark.note for mark in near)
            checked += 1
    assert checked > 20


def supports(demo: Path, doc_id: str) -> list[dict]:
    rows = [
        json.loads(line)
        for method in ("page_rag", "cosee")
        for line in (demo / "results/demo/predictions" / f"{method}.jsonl").read_text().splitlines()
    ]
    return [each for row in rows if row["doc_id"] == doc_id for each in row["support"] if each["bbox"]]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("sees_images", [False, True])
def test_what_is_estimated_is_what_a_server_then_sees(demo, tmp_path, sees_images):
    """Two documents and their eleven questions, every method, a server on a real socket that counts."""
    if find("minilm") is None:
        pytest.skip("the server counts with the embedder's tokenizer, whose files are not there")
    for root in ("data", "indexes"):
        for doc_id in ("letter", "tidal"):
            shutil.copytree(demo / root / "demo" / doc_id, tmp_path / root / "demo" / doc_id)
    shutil.copytree(demo / "data/demo/.shards", tmp_path / "data/demo/.shards")
    shutil.copytree(demo / "data/demo/qa", tmp_path / "data/demo/qa")
    sheet = (demo / "data/demo/documents.tsv").read_text().splitlines(keepends=True)
    kept = [line for line in sheet if not line.startswith(("atlas", "harbor"))]
    (tmp_path / "data/demo/documents.tsv").write_text("".join(kept))
    paths = Paths(tmp_path / "data", tmp_path / "indexes", tmp_path / "results")
    found = estimates.measure(paths, "demo", tmp_path, sees_images=sees_images)
    assert {name for name, row in found.items() if row["open"]} == {"cosee", "navigator", "decision"}
    assert found["self_consistency"]["calls"]["seen"] == 33 and found["constant"]["calls"]["seen"] == 0
    for method, row in found.items():
        for figure in estimates.COLUMNS:
            if row["open"]:
                assert row[figure]["inside"], (method, figure, row[figure])
            else:
                assert abs(row[figure]["off"]) <= 0.15, (method, figure, row[figure])
    assert (found["page_rag"]["images"]["seen"] > 0) == sees_images


def test_a_dry_run_fits_a_screen_and_gives_a_reason_a_stage(demo):
    lines = (demo / "plan.txt").read_text().splitlines()
    assert len(lines) <= 40
    assert "16 jobs would run:" in lines
    (answer,) = [line for line in lines if line.startswith("  answer ")]
    assert "not made yet" in answer and "after index, questions" in answer and "demo:cosee demo/0000" in answer
    assert {line.split()[0] for line in lines if line.startswith("  ")} == {
        "adapt", "enhance", "build", "index", "questions", "answer", "collect", "evaluate", "summarize", "tabulate",
    }  # fmt: skip


def test_a_run_prints_a_line_a_stage_and_ends_with_the_table(demo):
    lines = (demo / "run.txt").read_text().splitlines()
    assert len(lines) <= 60
    stage = next(line for line in lines if line.startswith("answer demo:page_rag demo/0000: "))
    assert "4 documents, 30 questions, " in stage and "not answerable" in stage and stage.endswith(" s")
    assert lines[-1] == "report: results/report/index.html"
    table = lines[lines.index("run demo on demo: 30 questions") :]
    accuracy = json.loads((demo / "results" / "metrics_summary.json").read_text())["runs"]["demo"]["methods"]
    for method in ("constant", "page_rag", "cosee", "oracle_pages"):
        (row,) = [line.split() for line in table if line.startswith(f"{method} ")]
        assert row[1] == f"{accuracy[method]['accuracy']:.3f}"


def test_nothing_is_left_to_do_and_the_table_is_shown_again(demo):
    result = snakemake(demo)
    lines = (result.stdout + result.stderr).splitlines()
    assert any("Nothing to be done" in line for line in lines)
    assert lines[-1] == "report: results/report/index.html" and len(lines) < 20
