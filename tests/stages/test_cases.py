"""Every case below ``tests/cases`` that M0 and M1 answer for, read through the stages and judged on all it demands."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from helpers.conservation import conservation_problems

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT))

from benchmarks.case_check import check  # noqa: E402
from benchmarks.case_rules.observed import Observed  # noqa: E402
from benchmarks.cases import Case, read_cases, run  # noqa: E402


def parameters() -> list[object]:
    cases = read_cases(PROJECT / "tests" / "cases")
    assert len(cases) > 70
    return [pytest.param(case, id=case.name) for case in cases]


@pytest.mark.parametrize("case", parameters())
def test_case(case: Case, tmp_path: Path) -> None:
    run(case, tmp_path)
    if (tmp_path / "doctree.mm.json").is_file():
        assert conservation_problems(tmp_path) == []  # contract: D22
    assert case.failing == {}


def test_the_judge_finds_what_is_wrong() -> None:
    heading = {"id": "t_0", "role": "heading", "text": "Scope", "page": 1, "level": 2, "rows": None}
    seen = Observed("ok", pages=[{"w": 100, "h": 100, "label": None, "flags": []}], nodes=[heading])
    expect = {
        "status": "partial",
        "headings": [{"text": "Scope", "level": 1, "page": 1}],
        "text_present": ["Scope", "missing"],
        "figure_count": 1,
        "page_flags": {"1": ["blank"]},
        "something_new": True,
    }
    failing = check(expect, seen)
    assert set(failing) == set(expect) and failing["something_new"] == ["no rule of this name"]
    assert failing["text_present"] == ["missing"]
