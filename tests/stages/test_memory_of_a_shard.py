"""A job's memory does not grow with the number of its documents."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.small_embedder import FOLDER, INDEX, write_small_embedder
from helpers.agent_trees import small_tree
from helpers.project import write_document

from cosee.artifacts import files
from cosee.artifacts.base import save_rows
from cosee.artifacts.ledger import LedgerRow
from cosee.pipeline.paths import Paths

FEW, MANY = 4, 40
MOST = 1.2
"""Peak with many documents over the peak with few."""


def peak_kb(folder: Path, stage: str, count: int) -> int:
    """Peak resident memory of the job and of its children over a shard of ``count`` documents."""
    paths = Paths(folder / "data", folder / "indexes", folder / "results")
    ids = [f"doc{number:02}" for number in range(count)]
    for doc_id in ids:
        doc = paths.folder("d", doc_id)
        write_document(doc.data / "full.pdf", f"Report {doc_id}", "The bridge is 42 metres long.")
        small_tree().save(doc.data / "doctree.mm.json")
    files.write_json(paths.rows("d", "0000"), [{"doc_id": doc_id, "sha256": ""} for doc_id in ids])
    ledger = folder / "before.jsonl"
    save_rows(ledger, [LedgerRow(doc_id=doc_id, status="ok") for doc_id in ids])
    write_small_embedder(folder / FOLDER)
    command = [sys.executable, "-m", f"cosee.stages.{stage}", "--dataset", "d", "--shard", "0000"]
    command += ["--data", str(paths.data), "--indexes", str(paths.indexes)]
    command += ["--upstream", str(ledger), "--settings", json.dumps(INDEX)] if stage == "index" else []
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert len(list(folder.glob(f"*/d/*/.stamps/{stage}.json"))) == count
    return usage.ru_maxrss


@pytest.mark.parametrize("stage", ["adapt", "index"])
def test_peak_memory_is_that_of_a_few_documents(tmp_path, stage):
    few, many = peak_kb(tmp_path / "few", stage, FEW), peak_kb(tmp_path / "many", stage, MANY)
    assert many < MOST * few
