"""Progress of a job: a bar on a terminal, one plain line a document and a question in a log; cosee.pipeline.job_log
reads them."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Self

from cosee.artifacts.ledger import LedgerRow

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

logger = logging.getLogger(__name__)


class Progress:
    """A context that counts documents. The bar has no thread of its own, since stages fork."""

    def __init__(self, title: str, total: int) -> None:
        self.title = title
        self.total = total
        self.done = 0
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and self.total:
            from rich.console import Console
            from rich.progress import Progress as Bar

            self._bar = Bar(console=Console(stderr=True), auto_refresh=False)
            self._bar.start()
            self._task = self._bar.add_task(self.title, total=self.total)
        return self

    def step(self, row: LedgerRow) -> None:
        """One document ended."""
        self.done += 1
        reason = f" ({row.reason}: {row.message})" if row.reason else ""
        counts = " ".join(f"{name}={number}" for name, number in sorted(row.counts.items()))
        if self._bar is not None:
            self._bar.update(self._task, advance=1)
            self._bar.refresh()
        if self._bar is None or row.status == "failed":
            logger.info(
                "%s %d/%d %s: %s%s %s", self.title, self.done, self.total, row.doc_id, row.status, reason, counts
            )

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def log_question(doc_id: str, number: int, total: int, status: str) -> None:
    """One question of a document ended, the ``number``-th of ``total``."""
    logger.info("%s: question %d/%d %s", doc_id, number, total, status)
