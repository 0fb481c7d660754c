"""A paper's runs, ready: a dry run over a benchmark of the published form, and the table that the run fills."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks import paper_table
from helpers.benchmark_layouts import make_longdocurl, make_mmlongbench

from cosee.artifacts.results.metrics import MetricsSummary
from cosee.pipeline.config import read_config

ROOT = Path(__file__).parents[2]
MAKERS = {"mmlongbench": ("mmlongbench-doc", make_mmlongbench), "longdocurl": ("longdocurl", make_longdocurl)}
METHODS = 14
SEEDED = 13


def call(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    return subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", MAKERS)
def test_a_dry_run_plans_every_method_with_both_models_and_three_seeds(tmp_path: Path, name: str) -> None:
    benchmark, make = MAKERS[name]
    project = tmp_path / "project"
    for part in ("workflow", "config", "profiles", "src"):
        shutil.copytree(ROOT / part, project / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Snakefile", project)
    make(tmp_path / "files")
    before = (project / "config" / f"paper_{name}.yaml").read_bytes()
    made = call(project, "cosee.cli", "init", f"paper_{name}", "--from", benchmark, "--path", str(tmp_path / "files"))
    assert made.returncode == 0, made.stderr
    assert (project / "config" / f"paper_{name}.yaml").read_bytes() == before, "the configuration is kept"
    profile = ["--workflow-profile", "profiles/gpu", "--cores", "2"]
    planned = call(project, "snakemake", "-n", *profile, "--configfile", f"config/paper_{name}.yaml")
    assert planned.returncode == 0, planned.stderr + planned.stdout
    jobs = dict(re.findall(r"^  (\w+) +(\d+)  ", planned.stdout + planned.stderr, re.MULTILINE))
    shards = len({line.split("\t")[3] for line in (project / "data" / f"paper_{name}" / "documents.tsv").read_text()
                  .splitlines()[1:]})  # fmt: skip
    assert int(jobs["answer"]) == 2 * (3 * SEEDED + 1) * shards
    assert int(jobs["judge"]) == int(jobs["collect"]) == 2 * (3 * SEEDED + 1)
    assert jobs["evaluate"] == "2" and jobs["summarize"] == "1" and "evidence" not in jobs


@pytest.mark.parametrize("name", MAKERS)
def test_both_runs_have_every_method(name: str) -> None:
    from cosee.registry import METHODS as KNOWN

    config = read_config(ROOT / "config" / f"paper_{name}.yaml")
    first, second = config.runs.values()
    assert [method.label for method in first.methods] == [method.label for method in second.methods]
    assert {first.model, second.model} == {"qwen3vl-4b", "qwen3vl-8b"} and config.evaluate.judge == "qwen3vl-8b"
    families = {method.family for method in first.methods}
    assert len(families) == METHODS and families >= {name for name in KNOWN.names() if not name.startswith("cosee")}
    assert {name for name in families if name.startswith("cosee")} == {"cosee_base", "cosee_light", "cosee_expanded"}


def test_the_table_is_empty_until_a_run_fills_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from helpers.run_maker import RUN, make_run

    from cosee.stages import evaluate, summarize

    page = tmp_path / "page.md"
    page.write_text("# A page\n\n<!-- paper mmlongbench -->\nold\n<!-- /paper mmlongbench -->\n\nThe end.\n")
    assert paper_table.main(["mmlongbench", "--docs", str(page), "--empty"]) == 0
    text = page.read_text()
    assert text.startswith("# A page\n") and text.endswith("\nThe end.\n") and "old" not in text
    assert text.count("| `page_rag` |") == 2 and "| qwen3vl-8b | `navigator` |  |  |" in text
    heading = text.split("\n\n")[2].splitlines()[0]
    assert (ROOT / "docs" / "reproduce.md").read_text().count(heading) == 2, "the page has both tables"

    make_run(tmp_path)
    monkeypatch.chdir(tmp_path)
    arguments = ["--run", RUN, "--methods", "constant", "page_rag", "--datasets", "small"]
    assert evaluate.main([*arguments, "--settings", "{}"]) == 0 and summarize.main(["--runs", RUN]) == 0
    (tmp_path / "paper.yaml").write_text(
        f"datasets: [small]\nruns: {{{RUN}: {{datasets: [small], methods: [constant, page_rag, navigator]}}}}\n"
    )
    assert paper_table.main(["mmlongbench", "--docs", str(page), "--config", "paper.yaml"]) == 0
    block = MetricsSummary.load(Path("results/metrics_summary.json")).runs[RUN].methods["page_rag"]
    row = next(line for line in page.read_text().splitlines() if "`page_rag`" in line)
    assert f"| {block.accuracy:.3f} | {block.f1:.3f} |" in row and f"| {block.usage.tokens_in:.0f} |" in row
    assert f"| {RUN} | `navigator` |  |" in page.read_text()
    assert paper_table.main(["longdocurl", "--docs", str(page), "--empty"]) == 2
