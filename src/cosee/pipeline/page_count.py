"""Page counts of new documents, read in a child process that a hostile file may kill."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from cosee.imaging.pdf_file import open_pdf
from cosee.pipeline.isolation import Limits, run_isolated
from cosee.pipeline.stage import StageResult

MAX_PAGES = 100_000
BYTES_PER_PAGE = 40_000
LIMITS = Limits(seconds=20, memory_mb=2000)


def count_pages(pdfs: Sequence[Path], workers: int = 2) -> dict[Path, int]:
    """Pages of each document, at least 1; for shard sizes only. What is no PDF, or cannot be opened, is estimated from
    its size."""
    known = known_pages([path for path in pdfs if path.suffix == ".pdf"], workers)
    return {path: known.get(path) or _estimate(path) for path in pdfs}


def known_pages(pdfs: Sequence[Path], workers: int = 2) -> dict[Path, int]:
    """Pages of each PDF that can be opened."""
    known: dict[Path, int] = {}
    batches = [list(pdfs[start : start + 50]) for start in range(0, len(pdfs), 50)]
    tasks = [(number, _Batch(batch)) for number, batch in enumerate(batches)]
    for outcome in run_isolated(tasks, LIMITS, workers):
        counts = outcome.result.counts if outcome.result is not None else {}
        known.update({batches[outcome.key][int(number)]: count for number, count in counts.items() if count})
    return known


class _Batch:
    """Counts one batch; a crash costs the exact counts of this batch only."""

    def __init__(self, paths: list[Path]) -> None:
        self.paths = paths

    def __call__(self) -> StageResult:
        import pymupdf

        pymupdf.TOOLS.mupdf_display_errors(False)
        counts = {}
        for number, path in enumerate(self.paths):
            try:
                with open_pdf(path) as document:
                    counts[str(number)] = min(MAX_PAGES, document.page_count)
            except Exception as error:  # any fault of a hostile file means: estimate
                sys.stderr.write(f"{path}: pages cannot be counted ({type(error).__name__})\n")
        return StageResult(outputs=[], counts=counts)


def _estimate(path: Path) -> int:
    return max(1, min(MAX_PAGES, path.stat().st_size // BYTES_PER_PAGE))
