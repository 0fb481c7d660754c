"""Reasons are a closed list, each with a remedy; no stage can give another."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from pydantic import ValidationError

from cosee.artifacts.ledger import LedgerRow
from cosee.artifacts.reasons import REASONS, RETRIED
from cosee.commands.reasons import EXPLAINED, remedy
from cosee.pipeline.stage import StageFailure, StageResult

SOURCES = Path(__file__).resolve().parents[3] / "src" / "cosee"


def test_every_reason_has_a_meaning_and_a_remedy_in_the_order_of_the_list() -> None:
    assert list(EXPLAINED) == list(REASONS)
    assert all(each.meaning.endswith(".") and each.remedy.endswith(".") for each in EXPLAINED.values())
    assert set(REASONS) >= RETRIED
    assert remedy("error:KeyError") == remedy("error")


def test_no_row_result_or_failure_has_a_reason_of_its_own() -> None:
    assert LedgerRow(doc_id="a", status="failed", reason="error:KeyError").reason == "error:KeyError"
    for wrong in ("because", "timeout:KeyError", "error:", ""):
        with pytest.raises(ValidationError):
            LedgerRow(doc_id="a", status="failed", reason=wrong)
        with pytest.raises(ValueError, match="no known reason"):
            StageFailure(wrong, "message")
        with pytest.raises(ValueError, match="no known reason"):
            StageResult([], status="partial", reason=wrong)


def test_reasons_written_in_the_code_are_in_the_list() -> None:
    written = set()
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if name in ("StageFailure", "UnreadablePdf", "PasswordError") and isinstance(node.args[0], ast.Constant):
                written.add(node.args[0].value)
    assert len(written) > 12
    assert written <= set(REASONS)
