"""DESIGN section 6, atomic artifacts: whatever fails on the disk, a file is absent, old or new."""

import json
from pathlib import Path

import pytest
from benchmarks.disk_faults import FAULTS
from benchmarks.reliability_faults import STARTS, STEPS, Fault, make_plans, try_fault

SAMPLE = 30
"""Faults that are tried here, spread evenly over all of them; the benchmark tries every one."""


@pytest.mark.slow
def test_a_failing_disk_leaves_each_file_absent_old_or_new_and_the_next_run_mends_it(tmp_path: Path) -> None:
    plans = make_plans(tmp_path)
    assert {(plan.start, plan.step) for plan in plans} == {(start, step) for start in STARTS for step in STEPS}
    faults: list[tuple[int, Fault]] = [(n, fault) for n, plan in enumerate(plans) for fault in plan.faults()]
    written = {fault.path.removesuffix(".tmp").rpartition("/")[2].lstrip(".") for _, fault in faults}
    kinds = {"alder.json", "adapt.0000.jsonl", "alder.jsonl", "alder-1.ndjson", "metrics.parquet", "index.html"}
    assert kinds <= written, "stamps, ledgers, journals, traces, tables and the report are among what can fail"
    assert {(fault.operation, fault.kind) for _, fault in faults} == {
        (operation, kind) for operation, kinds in FAULTS.items() for kind in kinds
    }
    wrong = []
    for number, fault in faults[:: max(1, len(faults) // SAMPLE)]:
        wrong += [
            f"{json.dumps(fault.__dict__)}: {text}" for text in try_fault(plans[number], fault, tmp_path / "trial")
        ]
    assert wrong == []
