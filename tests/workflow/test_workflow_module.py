"""CoSee as a Snakemake module of another workflow, in a folder that holds nothing of ours but documents."""

import json
import os
import subprocess
import sys
from pathlib import Path

from helpers.project import ROOT, TOPICS, write_document, write_questions

CONFIG = {
    "datasets": ["tiny"],
    "index": {"embedder": "none"},
    "evaluate": {"bootstrap": 50},
    "runs": {"tiny": {"datasets": ["tiny"], "methods": ["page_rag"]}},
}
ANSWERED = "results/metrics_summary.json"


def write_dataset(folder: Path, doc_id: str) -> None:
    title, fact, *_ = TOPICS[doc_id]
    write_document(folder / doc_id / "full.pdf", title, fact)
    write_questions(folder, {doc_id: TOPICS[doc_id]})


def module(name: str, *more: str) -> str:
    """A module statement with every rule of it in use."""
    head = ["from cosee import SNAKEFILE", f"module {name}:", "    snakefile: SNAKEFILE", f"    config: {CONFIG!r}"]
    return "\n".join([*head, *(f"    {line}" for line in more), f"use rule * from {name} as {name}_*", ""])


def snakemake(folder: Path, *options: str) -> str:
    """Run in ``folder``, which must succeed; returns what was printed."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "OMP_NUM_THREADS": "1",
        "XDG_CACHE_HOME": str(folder / ".xdg"),
    }
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--scheduler", "greedy", *options]
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout + result.stderr


def answer_of(summary: Path, doc_id: str) -> str:
    row = json.loads((summary.parent / "tiny" / "predictions" / "page_rag.jsonl").read_text())
    assert row["doc_id"] == doc_id
    return str(row["answer"])


def test_a_module_without_a_prefix_answers_from_another_folder(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data" / "tiny", "alpha")
    (tmp_path / "Snakefile").write_text(
        module("cosee") + "rule report:\n    default_target: True\n    input: rules.cosee_summarize.output.summary\n"
    )
    snakemake(tmp_path)
    assert TOPICS["alpha"][3] in answer_of(tmp_path / ANSWERED, "alpha")
    assert "Nothing to be done" in snakemake(tmp_path, "-n")
    assert not (tmp_path / "config").exists()


def test_two_modules_side_by_side_each_have_a_prefix(tmp_path: Path) -> None:
    for name, doc_id in (("north", "alpha"), ("south", "beta")):
        write_dataset(tmp_path / name / "data" / "tiny", doc_id)
    both = ", ".join(f"'{name}/{ANSWERED}'" for name in ("north", "south"))
    (tmp_path / "Snakefile").write_text(
        module("north", "prefix: 'north'")
        + module("south", "prefix: 'south'")
        + f"rule both:\n    default_target: True\n    input: {both}\n"
    )
    snakemake(tmp_path)
    assert TOPICS["alpha"][3] in answer_of(tmp_path / "north" / ANSWERED, "alpha")
    assert TOPICS["beta"][3] in answer_of(tmp_path / "south" / ANSWERED, "beta")
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")} == {
        "Snakefile", "north", "south"
    }  # fmt: skip
    assert "Nothing to be done" in snakemake(tmp_path, "-n")
    # An edit by hand is seen where the prefix has put the file.
    next((tmp_path / "south" / "data" / "tiny" / "beta").glob("doctree.mm.json")).unlink()
    planned = snakemake(tmp_path, "-n")
    assert "rule south_build:" in planned and "rule north_build:" not in planned


def test_a_module_that_replaces_a_folder_of_ours_finds_its_files(tmp_path: Path) -> None:
    write_dataset(tmp_path / "corpus" / "tiny", "gamma")
    (tmp_path / "Snakefile").write_text(module("cosee", "replace_prefix: {'data/': 'corpus/'}"))
    snakemake(tmp_path, "--until", "cosee_enhance")
    assert (tmp_path / "corpus" / "tiny" / "gamma" / "content_list.enhanced.json").is_file()
    assert not (tmp_path / "data").exists()
