"""What is said at the end of a run of documents that another try may cure."""

from pathlib import Path

from cosee.artifacts.base import save_rows
from cosee.artifacts.ledger import LedgerRow
from cosee.pipeline.failures import curable


def test_what_documents_lacked_is_told_once_a_stage_with_its_remedy(tmp_path: Path) -> None:
    unread = "page 1 could not be read (no OCR engine): install tesseract-ocr"
    lacked = ["rapidocr", "tesseract"]
    rows = [
        LedgerRow(doc_id="a", status="partial", reason="no_text_layer", message=unread, lacked=lacked),
        LedgerRow(doc_id="b", status="partial", reason="no_text_layer", message=unread, lacked=lacked),
        # A document that would be read better with another language, and whose own fault is another one.
        LedgerRow(doc_id="c", status="partial", reason="damaged", message="cut off", lacked=["tesseract:deu"]),
        LedgerRow(doc_id="d", status="failed", reason="timeout", message="stopped"),
        LedgerRow(doc_id="e", status="ok"),
    ]
    save_rows(tmp_path / "adapt.0000.jsonl", rows)
    sparse = LedgerRow(doc_id="e", status="ok", message="sparse only", lacked=["weights:m/w"])
    save_rows(tmp_path / "index.0000.jsonl", [sparse])
    told = list(curable([tmp_path / "adapt.0000.jsonl", tmp_path / "index.0000.jsonl", tmp_path / "none.jsonl"]))
    assert told[1:] == [
        f"adapt: a and 1 more document: {unread}; then the same command does them again",
        "index: e: sparse only; then the same command does it again",
    ]
    assert told[0].startswith("adapt: d (timeout)")
