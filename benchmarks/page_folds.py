"""The weights of the page ranking that were not fitted on a document: ``benchmarks/page_weights.json``."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.retrieval.page_weights import PageWeights

FOLDS = 5
TABLE = Path(__file__).with_name("page_weights.json")
"""``documents``: the first 16 digits of the sha256 of each id that was fitted on; ``folds``: the weights of each fold,
fitted on the documents of the others; ``all``: those fitted on all, which are shipped."""


def name_of(doc_id: str) -> str:
    """A document in the table."""
    return hashlib.sha256(doc_id.encode()).hexdigest()[:16]


def fold_of(doc_id: str) -> int:
    """The fold of a document, 0 to 4."""
    return int(hashlib.sha256(doc_id.encode()).hexdigest(), 16) % FOLDS


def unseen_weights(doc_id: str) -> PageWeights:
    """The weights of the document's fold; the shipped ones for a document that was not fitted on."""
    table = _table()
    if name_of(doc_id) not in table["documents"]:
        return PageWeights()
    return PageWeights(**table["folds"][fold_of(doc_id)])


@cache
def _table() -> dict[str, Any]:
    if not TABLE.is_file():
        return {"documents": []}
    table: dict[str, Any] = files.read_json(TABLE)
    return {**table, "documents": set(table["documents"])}
