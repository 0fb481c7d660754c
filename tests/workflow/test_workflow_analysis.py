"""The notebook of a run, run as a rule, and Snakemake's own report with captions."""

import hashlib
import json
import re
from pathlib import Path

import pytest

TARGETS = ("results/metrics_summary.json", "analyses")


def analysed(project) -> dict[str, str]:
    result = project.snakemake(*TARGETS, target="")
    assert result.returncode == 0, result.stdout + result.stderr + project.logs()
    folder = project.results / "tiny" / "analysis"
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def project(finished, tmp_path_factory):
    return finished.copy(tmp_path_factory.mktemp("analysis") / "project")


@pytest.fixture(scope="module")
def done(project) -> dict[str, str]:
    return analysed(project)


def test_the_notebook_writes_figures_that_repeat_byte_for_byte(project, done):
    # contract: D118
    assert sorted(done) == ["accuracy.svg", "causes.svg", "costs.svg", "methods.csv", "pages.svg", "sources.csv"]
    executed = json.loads((project.folder / "logs" / "tiny" / "analysis.ipynb").read_text())
    outputs = [output for cell in executed["cells"] for output in cell.get("outputs", [])]
    assert outputs and not [output for output in outputs if output["output_type"] == "error"]
    again = project.snakemake("-R", "analysis", "--", *TARGETS, target="")
    assert again.returncode == 0, again.stderr
    assert analysed(project) == done


def test_its_table_holds_the_figures_of_the_metrics(project, done):
    metrics = json.loads((project.results / "tiny" / "metrics.json").read_text())
    table = (project.results / "tiny" / "analysis" / "methods.csv").read_text().splitlines()
    header = table[0].split(",")
    assert [line.split(",")[0] for line in table[1:]] == metrics["method_order"]
    for line in table[1:]:
        row = dict(zip(header, line.split(","), strict=True))
        block = metrics["methods"][row["method"]]["all"]
        assert float(row["accuracy"]) == pytest.approx(block["accuracy"], abs=1e-5)
        assert int(row["questions"]) == block["questions"] == 3


def test_snakemake_report_has_every_figure_with_its_caption(project, done):
    result = project.snakemake("--report", "results/report.html", "--", *TARGETS, target="")
    assert result.returncode == 0, result.stdout + result.stderr
    page = (project.results / "report.html").read_text(encoding="utf-8")
    captions = Path(project.folder / "workflow" / "report")
    for name in (*done, "metrics_summary.json"):
        assert name in page
    for caption in captions.glob("*.rst"):
        words = re.split(r"``|\{\{", caption.read_text(encoding="utf-8"))[0].strip()
        assert words.split(" ")[0] in page and words[:25].replace("\n", " ") in page.replace("\\n", " ")
