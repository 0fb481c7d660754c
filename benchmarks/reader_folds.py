"""The reader's weights as fitted without a document: ``reader_folds.json``, written by ``benchmarks.fit_reader``."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from cosee.artifacts import files
from cosee.reader.weights import Weights, fitted

FOLDS = Path(__file__).with_name("reader_folds.json")
"""``documents``: fold by ``document_key``; ``weights``: those fitted without each fold."""


def document_key(doc_id: str) -> str:
    """What stands for a document in the table."""
    return hashlib.sha256(doc_id.encode()).hexdigest()[:16]


def fold_weights(doc_id: str) -> Weights:
    """The weights fitted without the document and its fold; those of all for a document that none was fitted on."""
    fold = _folds()[0].get(document_key(doc_id))
    return fitted() if fold is None else _folds()[1][fold]


@lru_cache(maxsize=1)
def _folds() -> tuple[dict[str, str], dict[str, Weights]]:
    table = files.read_json(FOLDS)
    return table["documents"], {fold: Weights(**each) for fold, each in table["weights"].items()}
