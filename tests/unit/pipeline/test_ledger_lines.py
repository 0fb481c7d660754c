"""Rows of a ledger that tell something, whoever wrote the ledger."""

import json
from pathlib import Path

import pytest

from cosee.artifacts.base import save_rows
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.ledger import LedgerRow
from cosee.pipeline.ledger_lines import is_ok, read_row, rows_by_document, rows_that_tell

SAYS_OK = 'said "status":"ok" and "lacked":[]'
ROWS = [
    LedgerRow(doc_id="done", status="ok", outputs={"a/status": "0" * 64}),
    LedgerRow(doc_id='with "quotes" and \\', status="ok"),
    LedgerRow(doc_id="später", status="ok"),
    LedgerRow(doc_id="lacking", status="ok", lacked=["tesseract"]),
    LedgerRow(doc_id="half", status="partial", reason="damaged", message=SAYS_OK),
    LedgerRow(doc_id="failed", status="failed", reason="timeout", message="stopped"),
]


def test_only_rows_that_tell_something_are_read(tmp_path: Path) -> None:
    save_rows(tmp_path / "adapt.0000.jsonl", ROWS)
    assert [row.doc_id for row in rows_that_tell(tmp_path / "adapt.0000.jsonl")] == ["lacking", "half", "failed"]


def test_every_document_has_its_row_and_the_last_one_counts(tmp_path: Path) -> None:
    ledger = tmp_path / "adapt.0000.jsonl"
    save_rows(ledger, [ROWS[0].model_copy(update={"status": "failed"}), *ROWS])
    found = rows_by_document(ledger)
    assert {doc_id: read_row(line, "x") for doc_id, line in found.items()} == {row.doc_id: row for row in ROWS}
    assert [doc_id for doc_id, line in found.items() if is_ok(line)] == [
        row.doc_id for row in ROWS if row.status == "ok"
    ]


def test_rows_that_a_person_wrote_are_read_as_well(tmp_path: Path) -> None:
    ledger = tmp_path / "adapt.0000.jsonl"
    ledger.write_text("\n".join(json.dumps(row.model_dump(mode="json"), indent=None) for row in ROWS) + "\n")
    assert list(rows_that_tell(ledger)) == ROWS
    assert list(rows_by_document(ledger)) == [row.doc_id for row in ROWS]


@pytest.mark.parametrize("broken", ['{"doc_id":"torn","st', "no JSON", '{"doc_id": 3}'])
def test_a_broken_row_is_named_with_its_line(tmp_path: Path, broken: str) -> None:
    ledger = tmp_path / "adapt.0000.jsonl"
    save_rows(ledger, ROWS[:1])
    with open(ledger, "a") as file:
        file.write(broken)
    for read in (rows_by_document, lambda path: list(rows_that_tell(path))):
        with pytest.raises(ArtifactError, match=r"adapt\.0000\.jsonl, line 2"):
            read(ledger)
