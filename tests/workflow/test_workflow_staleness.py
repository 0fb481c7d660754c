"""DESIGN section 2, staleness: each change redoes what depends on it and nothing else, and the next call does nothing.

The small project has three documents of two pages and shards of four pages: alpha and beta in 0000, gamma in 0001.
"""

import json
import os
import shutil
import time

import pytest
from helpers.project import CONFIG, TOPICS, Project, write_document, write_questions

SHARDS = ("0000", "0001")
METHODS = ("constant", "cosee", "page_rag")
DOCUMENT_STAGES = ("adapt", "enhance", "build", "index", "questions")
TAIL = {"evaluate", "summarize"}


def answers(shards=SHARDS) -> set[str]:
    return {f"answer:{method}:{shard}" for method in METHODS for shard in shards}


def collects() -> set[str]:
    return {f"collect:{method}" for method in METHODS}


def from_stage(stage: str, shards=SHARDS) -> set[str]:
    """Jobs of a document stage and all that follow it, for some shards."""
    stages = DOCUMENT_STAGES[DOCUMENT_STAGES.index(stage) :]
    return {f"{name}:{shard}" for name in stages for shard in shards} | answers(shards) | collects() | TAIL


def touched(before: dict[str, int], after: dict[str, int]) -> set[str]:
    return {doc_id for doc_id in after if before.get(doc_id) != after[doc_id]}


def test_a_second_call_has_nothing_to_do(project):
    # contract: D1
    assert project.planned() == set()
    result = project.snakemake()
    assert result.returncode == 0
    assert "Nothing to be done" in result.stdout + result.stderr


def test_a_dry_run_writes_no_artifact(tmp_path):
    fresh = Project.create(tmp_path / "project")
    assert fresh.planned() == from_stage("adapt")
    assert not (fresh.data / ".ledger").exists()


def test_until_stops_at_a_stage(tmp_path):
    fresh = Project.create(tmp_path / "project")
    result = fresh.snakemake("--until", "build")
    assert result.returncode == 0, result.stderr
    assert (fresh.data / "alpha" / "doctree.mm.json").exists()
    assert not (fresh.folder / "indexes" / "tiny" / "alpha").exists()


def test_forcing_a_stage_redoes_its_documents_and_skips_the_rest(project):
    before = {stage: project.stamps(stage) for stage in DOCUMENT_STAGES}
    assert project.done("-R", "index", "--") == from_stage("index")
    assert touched(before["index"], project.stamps("index")) == set(TOPICS)
    for stage in ("adapt", "enhance", "build", "questions"):
        assert project.stamps(stage) == before[stage]


@pytest.mark.parametrize(
    ("module", "first"),
    [("artifacts/files.py", "adapt"), ("structure/enhance.py", "enhance"), ("index/sparse.py", "index")],
)
def test_an_edited_source_file_redoes_its_stages_and_what_follows(project, module, first):
    before = project.stamps("adapt")
    source = project.folder / "src" / "cosee" / module
    source.write_text(source.read_text() + "\n# a remark\n")
    assert project.done() == from_stage(first)
    assert touched(before, project.stamps("adapt")) == (set(TOPICS) if first == "adapt" else set())


def test_the_code_of_a_stage_is_one_input_and_a_lost_digest_makes_nothing_stale(project):
    shutil.rmtree(project.data.parent / ".code")
    plan = project.snakemake("-n", "-F").stdout
    (inputs,) = [
        line for line in plan.splitlines() if line.strip().startswith("input: ") and ".shards/build.0000" in line
    ]
    assert "data/.code/build.json" in inputs and "src/" not in inputs
    shutil.rmtree(project.data.parent / ".code")
    assert project.planned() == set()
    source = project.folder / "src" / "cosee" / "report" / "__init__.py"
    source.write_text(source.read_text() + "\n# a remark\n")
    shutil.rmtree(project.data.parent / ".code")
    assert project.planned() == {"summarize"}, "nor does it hide an edit"


def test_an_edited_report_or_scorer_runs_no_model(project):
    source = project.folder / "src" / "cosee" / "report" / "__init__.py"
    source.write_text(source.read_text() + "\n# a remark\n")
    assert project.done() == {"summarize"}
    source = project.folder / "src" / "cosee" / "evaluation" / "scorers" / "mmlongbench_v1.py"
    source.write_text(source.read_text() + "\n# a remark\n")
    assert project.done() == TAIL


@pytest.mark.parametrize(
    ("section", "key", "value", "jobs"),
    [
        ("evaluate", "bootstrap", 60, TAIL),
        ("index", "embedder", "none", from_stage("index")),
        ("enhance", "remove_furniture", False, from_stage("enhance")),
    ],
)
def test_an_edited_setting_redoes_its_section_and_what_follows(project, section, key, value, jobs):
    project.configure({**CONFIG, section: {**CONFIG.get(section, {}), key: value}})
    assert project.done() == jobs


def test_an_edited_entry_redoes_what_its_model_wrote_and_no_other_entry_does(tmp_path):
    config = {**CONFIG, "index": {"embedder": "none", "summaries": "llm", "summary_model": "writer"}}
    project = Project.create(tmp_path / "project", config)
    models = project.folder / "config" / "models.yaml"
    entries = {"writer": {"kind": "scripted", "replies": ["a summary"]}}
    models.write_text(json.dumps({"models": entries}))
    project.run("--until", "index")
    other = {"kind": "openai", "model": "m", "base_url": "http://127.0.0.1:1/v1"}
    models.write_text(json.dumps({"models": {**entries, "other": other}}))
    assert not project.planned("--until", "index") & {"index:0000", "index:0001"}
    models.write_text(json.dumps({"models": {"writer": {"kind": "scripted", "replies": ["another"]}}}))
    assert project.planned("--until", "index") == {"index:0000", "index:0001"}


def test_settings_of_an_existing_run_are_refused_with_what_differs(project):
    runs = json.loads(json.dumps(CONFIG["runs"]))
    runs["tiny"]["methods"][2]["max_steps"] = 3
    project.configure({**CONFIG, "runs": runs})
    result = project.snakemake()
    assert result.returncode == 2
    assert "run 'tiny' exists with other settings" in result.stderr
    assert "cosee.method.max_steps is 3, was 2" in result.stderr
    forced = project.copy(project.folder.with_name("forced"))
    forced.run("-R", "answer")
    settings = json.loads((forced.results / "tiny" / "run.json").read_text())
    assert settings["cosee"]["method"]["max_steps"] == 3
    assert forced.planned() == set()
    project.configure({**CONFIG, "runs": {**CONFIG["runs"], "three": runs["tiny"]}})
    assert project.done() == answers() | collects() | TAIL
    summary = json.loads((project.results / "metrics_summary.json").read_text())
    assert sorted(summary["runs"]) == ["three", "tiny"]


def test_an_added_document_touches_one_shard(project):
    before = {stage: project.stamps(stage) for stage in DOCUMENT_STAGES}
    topics = {**TOPICS, "delta": ("Delta Farm Log", "The farm kept 12 goats.", "How many goats?", "12")}
    write_document(project.data / "delta" / "full.pdf", *topics["delta"][:2])
    write_questions(project.data, topics)
    assert project.done() == from_stage("adapt", ("0001",))
    for stage in DOCUMENT_STAGES:
        assert touched(before[stage], project.stamps(stage)) == {"delta"}


def test_a_changed_document_redoes_itself_only(project):
    before = {stage: project.stamps(stage) for stage in DOCUMENT_STAGES}
    write_document(project.data / "beta" / "full.pdf", "Beta Mill Accounts", "The mill earned 999 crowns in 1899.")
    assert project.done() == from_stage("adapt", ("0000",))
    for stage in ("adapt", "enhance", "build", "index"):
        assert touched(before[stage], project.stamps(stage)) == {"beta"}
    assert b"999 crowns" in (project.data / "beta" / "doctree.mm.json").read_bytes()


def test_a_removed_document_leaves_with_its_answers(project):
    shutil.rmtree(project.data / "beta")
    write_questions(project.data, {doc_id: topic for doc_id, topic in TOPICS.items() if doc_id != "beta"})
    before = project.stamps("adapt")
    project.done()
    assert project.stamps("adapt") == before
    predictions = (project.results / "tiny" / "predictions" / "page_rag.jsonl").read_text().splitlines()
    assert [json.loads(line)["doc_id"] for line in predictions] == ["alpha", "gamma"]


def test_an_edited_question_touches_its_document(project):
    before = {stage: project.stamps(stage) for stage in DOCUMENT_STAGES}
    topics = {**TOPICS, "gamma": (*TOPICS["gamma"][:2], "How many pupils did the school have?", "57")}
    write_questions(project.data, topics)
    assert project.done() == {"questions:0001"} | answers(("0001",)) | collects() | TAIL
    assert touched(before["questions"], project.stamps("questions")) == {"gamma"}
    assert project.stamps("index") == before["index"]


def test_a_touched_file_redoes_nothing(project):
    for path in (project.data / "alpha" / "full.pdf", project.data / "beta" / "content_list.json"):
        os.utime(path, (time.time(), time.time()))
    assert project.planned() == set()


def test_a_hand_edited_tree_is_used_and_kept(project):
    before = {stage: project.stamps(stage) for stage in DOCUMENT_STAGES}
    tree = project.data / "alpha" / "doctree.mm.json"
    tree.write_text(tree.read_text().replace("42 metres", "44 metres"))
    edited = tree.read_bytes()
    jobs = project.done()
    assert jobs == from_stage("build", ("0000",))
    assert tree.read_bytes() == edited
    assert touched(before["index"], project.stamps("index")) == {"alpha"}
    ledger = [json.loads(line) for line in (project.data / ".ledger" / "build.0000.jsonl").read_text().splitlines()]
    assert [row["edited"] for row in ledger] == [["data/tiny/alpha/doctree.mm.json"], []]


def test_a_deleted_artifact_comes_back_with_the_same_bytes(project):
    before = {stage: project.stamps(stage) for stage in DOCUMENT_STAGES}
    index = project.folder / "indexes" / "tiny" / "alpha" / "summary.json"
    content = index.read_bytes()
    index.unlink()
    assert project.done() == from_stage("index", ("0000",))
    assert index.read_bytes() == content
    assert touched(before["index"], project.stamps("index")) == {"alpha"}
    assert touched(before["questions"], project.stamps("questions")) == set()


def test_a_deleted_answer_file_comes_back_without_a_model_call(project):
    answer = next((project.results / "tiny" / "answers" / "page_rag" / "tiny").glob("alpha.jsonl"))
    journal = project.results / "tiny" / "journal" / "page_rag" / "tiny" / "alpha.jsonl"
    content, calls = answer.read_bytes(), journal.read_bytes()
    answer.unlink()
    assert project.done() == {"answer:page_rag:0000", "collect:page_rag"} | TAIL
    assert answer.read_bytes() == content
    assert journal.read_bytes() == calls


def test_a_remark_in_the_workflow_or_the_environment_redoes_nothing(project):
    for name in ("Snakefile", "workflow/rules/adapt.smk", "workflow/envs/cpu.yaml"):
        path = project.folder / name
        path.write_text(path.read_text() + "\n# a remark\n")
    assert project.planned() == set()


def test_an_unknown_key_ends_before_anything_runs(project):
    project.configure({**CONFIG, "idnex": {}})
    result = project.snakemake()
    assert result.returncode == 2
    assert "unknown key 'idnex'; did you mean 'index'?" in result.stderr
    assert "Traceback" not in result.stderr
