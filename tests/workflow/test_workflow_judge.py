"""A run whose free text a model judges, one method with two seeds: what is written, and what is redone."""

import json
from pathlib import Path

import pytest
from helpers.project import CONFIG, Project

JUDGE = {"kind": "scripted", "replies": ['{"equivalent": true, "abstained": false, "reason": "the same"}']}
METHODS = ["constant", {"strategy": "page_rag", "seeds": [0, 4]}]
JUDGED = {"judge:constant", "judge:page_rag_seed0", "judge:page_rag_seed4"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    config = {**CONFIG, "evaluate": {"bootstrap": 50, "judge": "local", "evidence": "embedded"},
              "runs": {"tiny": {"datasets": ["tiny"], "methods": METHODS}}}  # fmt: skip
    project = Project.create(tmp_path_factory.mktemp("judge") / "project", config)
    models = {"models": {"embedded": {"kind": "embedded"}, "local": JUDGE}}
    (project.folder / "config" / "models.yaml").write_text(json.dumps(models))
    questions = project.data / "qa" / "questions.jsonl"
    questions.write_text(questions.read_text().replace('"Int"', '"FreeText"'))
    project.run()
    return project


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_judge_scores_and_seeds_are_summarised(project: Project) -> None:
    run = json.loads((project.results / "metrics_summary.json").read_text())["runs"]["tiny"]
    assert {name: block["accuracy"] for name, block in run["methods"].items()} == {
        "constant": 1.0, "page_rag_seed0": 1.0, "page_rag_seed4": 1.0,
    }  # fmt: skip
    assert run["provenance"]["judge"].startswith("scripted@") and "judge" in run["provenance"]["code"]
    (group,) = run["seeds"]
    assert (group["method"], group["seeds"]) == ("page_rag", [0, 4])
    predicted = rows(project.results / "tiny" / "predictions" / "page_rag_seed4.jsonl")
    assert {row["seed"] for row in predicted} == {4} and len(predicted) == 3
    samples = rows(project.results / "tiny" / "samples.jsonl")
    assert {row["scores"]["accuracy"]["rule"] for row in samples} == {"judge: the same"}
    stages = json.loads((project.results / "tiny" / "costs.json").read_text())["stages"]
    for name, block in run["methods"].items():
        checked = rows(project.results / "tiny" / "evidence" / f"{name}.jsonl")
        assert len(checked) == 3 - block["abstention"]["abstained"] and (
            "evidence_sufficient" in block["measures"]
        ) == bool(checked)
    assert run["methods"]["page_rag_seed0"]["measures"]["evidence_sufficient"] > 0.5
    assert run["provenance"]["evidence"].startswith("embedded@") and stages["evidence"]["jobs"] == 3
    assert group["figures"]["evidence_sufficient"]["sd"] == 0.0
    assert stages["judge"]["calls"] > 0 and stages["judge"]["jobs"] == 3
    assert stages["adapt"]["documents"] == 3 and stages["adapt"]["job_seconds"] > 0


def test_a_redo_asks_nothing_and_without_a_judge_no_job_is_left(project: Project) -> None:
    journal = project.results / "tiny" / "journal" / "judge"
    before = {path.name: path.read_bytes() for path in journal.iterdir()}
    written = (project.results / "tiny" / "samples.jsonl").read_bytes()
    models = project.folder / "config" / "models.yaml"
    entries = json.loads(models.read_text())["models"]
    models.write_text(json.dumps({"models": {**entries, "other": {"kind": "scripted", "replies": ["x"]}}}))
    assert not project.planned("--until", "judge")
    project.run("-R", "judge")
    assert {path.name: path.read_bytes() for path in journal.iterdir()} == before
    assert (project.results / "tiny" / "samples.jsonl").read_bytes() == written
    config = json.loads((project.folder / "config" / "config.yaml").read_text())
    project.configure({**config, "evaluate": {"bootstrap": 50, "samples": False}})
    assert project.planned() == {"evaluate", "summarize"}
    project.configure({**config, "evaluate": {**config["evaluate"], "evidence": "other"}})
    assert {job.partition(":")[0] for job in project.planned()} >= {"evidence", "evaluate", "summarize"}
    assert not any(job.startswith(("answer", "judge")) for job in project.planned())
