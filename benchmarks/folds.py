"""The weights of the page ranking and of the reader as they were fitted without a document.

``page_weights.json`` is written by ``benchmarks.tune_retrieval``, ``reader_folds.json`` by ``benchmarks.fit_reader``.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.reader.weights import Weights, fitted
from cosee.retrieval.page_weights import PageWeights

FOLDS = 5
PAGES = Path(__file__).with_name("page_weights.json")
"""``documents``: the keys of those that were fitted on; ``folds``: the weights of each fold, fitted on the documents of
the others; ``all``: those fitted on all, which are shipped."""
READER = Path(__file__).with_name("reader_folds.json")
"""``documents``: fold by the key of each; ``weights``: those fitted without each fold."""


def document_key(doc_id: str) -> str:
    """What stands for a document in the tables."""
    return hashlib.sha256(doc_id.encode()).hexdigest()[:16]


def fold_of(doc_id: str) -> int:
    """The fold of a document in the page ranking and in a collection, 0 to 4."""
    return int(hashlib.sha256(doc_id.encode()).hexdigest(), 16) % FOLDS


def unseen_weights(doc_id: str) -> PageWeights:
    """The weights of the document's fold; the shipped ones for a document that was not fitted on."""
    table = _read(PAGES)
    return (
        PageWeights(**table["folds"][fold_of(doc_id)]) if document_key(doc_id) in table["documents"] else PageWeights()
    )


def fold_weights(doc_id: str) -> Weights:
    """The reader's weights fitted without the document and its fold; those of all for one that none was fitted on."""
    table = _read(READER)
    fold = table["documents"].get(document_key(doc_id))
    return fitted() if fold is None else Weights(**table["weights"][fold])


@cache
def _read(path: Path) -> dict[str, Any]:
    table: dict[str, Any] = files.read_json(path)
    return table
