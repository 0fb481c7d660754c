"""Ablations as a Snakemake target, and the comparison of what they answered."""

import json
import subprocess
import sys

import pandas
from helpers.project import CONFIG, Project

METHODS = ["constant", "cosee", {"strategy": "cosee", "without": ["board"]}, "oracle_pages"]
SEARCH = {"strategy": "cosee", "without": ["bm25f"]}
TABLE = "results/off/ablations.parquet"


def configure(project: Project, methods: list) -> None:
    run = {"datasets": ["tiny"], "methods": methods}
    project.configure({**CONFIG, "runs": {**CONFIG["runs"], "off": run}})


def test_ablations_are_a_target_and_one_more_answers_one_more(project: Project) -> None:
    # contract: D111
    configure(project, METHODS)
    made = project.snakemake(target=TABLE)
    assert made.returncode == 0, made.stdout + made.stderr
    ledgers = sorted((project.results / "off" / "ledger").glob("answer.cosee.*"))
    before = {path: path.stat().st_mtime_ns for path in ledgers}
    configure(project, [*METHODS, SEARCH])
    assert project.snakemake().returncode == 0
    assert {path: path.stat().st_mtime_ns for path in ledgers} == before, "the whole method is not answered again"
    table = pandas.read_parquet(project.folder / TABLE)
    overall = table[table["grouping"] == "all"].set_index("method")
    off = overall.loc[["cosee-without-board", "cosee-without-bm25f"]]
    assert list(off["without"]) == ["board", "bm25f"] and set(off["reference"]) == {"cosee"}
    assert off["changed"].iloc[1] == (
        "method.without: [] -> ['bm25f']; retrieval.channels: ['dense', 'sparse'] -> ['dense']"
    )
    assert off["accuracy_difference"].notna().all() and off["mcnemar_p"].notna().all()
    summary = json.loads((project.results / "metrics_summary.json").read_text())
    assert set(summary["runs"]["off"]["methods"]) == set(overall.index)
    shown = subprocess.run(
        [sys.executable, "-m", "cosee.cli", "compare", "off:constant", "off:cosee", "--json", "flips.json"],
        cwd=project.folder, env=project.environment(), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert shown.returncode == 0, shown.stderr
    (comparison,) = json.loads((project.folder / "flips.json").read_text())["comparisons"]
    flips = comparison["flips"]
    assert flips and {flip["fault"]["cause"] for flip in flips} == {"not_retrieved"}
    assert all(flip["fault"]["proven"] for flip in flips), "oracle_pages of the run is the swap"
    pages = project.results / "report" / "compare" / "off"
    assert (pages / "cosee--cosee-without-board.html").exists()
