"""What a person can do about documents that another try may cure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from cosee.artifacts.ledger import LedgerRow
from cosee.pipeline.isolation import KILLED, MEMORY, TIMEOUT
from cosee.pipeline.ledger_lines import rows_that_tell
from cosee.text.counts import counted

SHOWN = 5
_TOLD = ("no_text_layer", "garbage_text", "no_converter", "model")
"""Reasons under which what was lacked is the cause."""


def curable(ledgers: Iterable[Path]) -> Iterator[str]:
    """A sentence for each stage with documents that ran out of time or memory, were killed, or lacked something on
    the machine: what tries them again.

    Raises:
        ArtifactError: a ledger cannot be read.
    """
    found: dict[tuple[str, bool], list[str]] = {}
    lacking: dict[tuple[str, tuple[str, ...]], list[LedgerRow]] = {}
    for path in ledgers:
        stage = path.name.split(".", 1)[0]
        for row in rows_that_tell(path) if path.exists() else ():
            if row.status == "failed" and row.reason in (TIMEOUT, MEMORY, KILLED):
                found.setdefault((stage, row.reason == KILLED), []).append(f"{row.doc_id} ({row.reason})")
            elif row.message and _is_told(row):
                lacking.setdefault((stage, tuple(row.lacked)), []).append(row)
    for (stage, killed), documents in sorted(found.items()):
        more = f" and {len(documents) - SHOWN} more" if len(documents) > SHOWN else ""
        names = f"{', '.join(documents[:SHOWN])}{more}"
        if killed:
            yield f"{stage}: the process of {names} was killed from outside; the same command tries again"
        else:
            yield (
                f"{stage}: {names} hit a bound of 'limits'; raise it, or free the machine and run "
                f"'cosee run-stage {stage}'; then give the same command again"
            )
    for (stage, _), rows in sorted(lacking.items()):
        more = f" and {counted(len(rows) - 1, 'more document')}" if len(rows) > 1 else ""
        again = "them" if more else "it"
        yield f"{stage}: {rows[0].doc_id}{more}: {rows[0].message}; then the same command does {again} again"


def _is_told(row: LedgerRow) -> bool:
    """Whether a document lacked something whose absence its message tells."""
    return bool(row.lacked) and (row.reason in _TOLD or any(name.startswith("weights:") for name in row.lacked))
