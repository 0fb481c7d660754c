"""A clock that was set back must not hide a change: what it left in the future is moved to now, in its order."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

STEP_NS = 1_000_000


def settle(paths: Iterable[Path]) -> None:
    """Move modification times that lie ahead of the clock to just before now; their order stays.

    Snakemake redoes a job when an input is newer than its output. An output from the future would be newer than every
    change that is made from now on.
    """
    now = time.time_ns()
    found = ((_modified(path), path) for path in paths)
    ahead = [(modified, path) for modified, path in found if modified is not None and modified > now]
    ranks = {modified: rank for rank, modified in enumerate(sorted({modified for modified, _ in ahead}, reverse=True))}
    for modified, path in ahead:
        moved = now - ranks[modified] * STEP_NS
        os.utime(path, ns=(moved, moved))


def _modified(path: Path) -> int | None:
    """Modification time in nanoseconds; None where there is no such file. One look, since a project has many."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns if stat.S_ISREG(status.st_mode) else None


def compared(datasets: Iterable[Path], results: Path, runs: Iterable[str]) -> Iterator[Path]:
    """Files whose times Snakemake compares: ledgers and states below the datasets' folders, and the runs' results."""
    for folder in (*datasets, *(results / run for run in runs)):
        for pattern in (
            ".ledger/*.jsonl", "ledger/*.jsonl", ".shards/*.json", ".collection/*", "predictions/*.jsonl", "*.json",
        ):  # fmt: skip
            yield from folder.glob(pattern)
        yield from folder.glob("*.parquet")
    yield from (results / "metrics_summary.json", results / "report" / "index.html")
