"""Broken inputs of every kind end in success or in a refusal of ours, and the fuzzer sees it when one does not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.fuzz.mutations import BYTES, Mutation
from benchmarks.fuzz.targets import TARGETS, Seeds, Target
from benchmarks.reliability_fuzz import Fuzzed, fuzz

RUNS = 60
"""Of each target: 300 in all."""


def found(fuzzed: Fuzzed) -> list[str]:
    return [f"{each.target} {each.key}: {each.kind}\n{each.detail}" for each in fuzzed.findings]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_no_input_breaks_a_promise(tmp_path: Path, target: Target) -> None:
    fuzzed = fuzz(RUNS, 20, tmp_path, [target])
    assert found(fuzzed) == []
    assert fuzzed.runs == RUNS
    assert len(fuzzed.outcomes[target.name]) >= 2
    assert list(tmp_path.iterdir()) == []


def test_inputs_repeat_for_the_same_seed() -> None:
    for target in TARGETS:
        assert Seeds().input(target, "7/1").data == Seeds().input(target, "7/1").data
    assert len({Seeds().input(TARGETS[1], f"7/{number}").data for number in range(20)}) > 15


def _kill(_: Path, __: bytes, ___: Mutation) -> str:
    os.abort()


def _hang(_: Path, __: bytes, ___: Mutation) -> str:
    while True:
        pass


def _raise(_: Path, data: bytes, __: Mutation) -> str:
    raise KeyError(data)


def _write(folder: Path, _: bytes, __: Mutation) -> str:
    (folder.parent.parent.parent / "escaped.txt").write_text("out")
    return "ok"


def _start(_: Path, __: bytes, ___: Mutation) -> str:
    subprocess.run([sys.executable, "-c", ""], check=False)
    return "ok"


def _devour(_: Path, __: bytes, ___: Mutation) -> str:
    return "ok" if bytearray(3 << 30) else ""


@pytest.mark.parametrize(
    ("read", "kind"),
    [
        (_kill, "killed"),
        (_hang, "seconds"),
        (_raise, "exception"),
        (_write, "forbidden"),
        (_start, "forbidden"),
        (_devour, "memory"),
    ],
)
def test_every_way_to_break_a_promise_is_seen(
    tmp_path: Path, read: object, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.reliability_fuzz.CPU_SECONDS", 0.3)
    (tmp_path / "work").mkdir()
    target = Target("broken", lambda: [b"seed"], BYTES, read)  # type: ignore[arg-type]
    fuzzed = fuzz(2, 1, tmp_path / "work", [target])
    assert [each.kind for each in fuzzed.findings] == [kind, kind]
