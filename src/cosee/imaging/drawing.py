"""The one way to a page's pixels, with a bound on the time that a page may take: some pages never end to draw.

MuPDF draws inside one call that nothing in Python can interrupt. In a child process that may be ended
(``bounded_drawing``) a timer ends the process instead, by ``ENDED_BY``; the page stands in a note, so that the next
try gives up that page's picture and keeps its text.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SECONDS_A_PAGE = 15.0
"""Of CPU time; far above what the slowest page takes that does end."""
MOST_GIVEN_UP = 5
"""Pages of a document that are tried and given up; after them nothing of it is drawn."""
ENDED_BY = signal.SIGPROF
"""The signal that ends the process."""


class RenderError(RuntimeError):
    """A page that cannot be rendered; the message names the file, the page and the cause."""


def draw(page: Any, **how: Any) -> Any:
    """``page.get_pixmap(**how)`` of an open ``pymupdf.Page``.

    Raises:
        RenderError: the page was given up.
        one of ``pdf_faults``: it cannot be drawn.
    """
    return page.get_pixmap(**how) if _watch is None else _watch.draw(page, how)


@contextmanager
def bounded_drawing(note: Path | None, ended: int = 0) -> Iterator[set[int]]:
    """Bound ``draw`` in this process, which may end; gives the 0-based pages that were given up, more to come.

    ``note`` is a file that outlives the process and is removed when the block is left; without one nothing is bounded.
    ``ended`` is how many processes with this note the timer has ended before.
    """
    global _watch
    if note is None:
        yield set()
        return
    _watch = _Watch(note, ended)
    try:
        yield _watch.given_up
    finally:
        _watch.close()
        _watch = None
        note.unlink(missing_ok=True)


class _Watch:
    """The note holds the pages that were given up, and as the last the one that is being drawn."""

    def __init__(self, note: Path, ended: int) -> None:
        noted = note.read_text("utf-8").split() if ended and note.is_file() else []
        self.tried = [int(page) for page in noted[:ended]]
        self.given_up = set(self.tried)
        self._file = note.open("w", encoding="utf-8")
        self._page: int | None = None
        signal.signal(ENDED_BY, signal.SIG_DFL)

    def draw(self, page: Any, how: dict[str, Any]) -> Any:
        number = int(page.number)
        if number in self.tried or len(self.tried) >= MOST_GIVEN_UP:
            self.given_up.add(number)
            raise RenderError(f"page {number + 1}: given up, since drawing it did not end")
        if self._page != number:
            self._file.seek(0)
            self._file.truncate()
            self._file.write(" ".join(map(str, [*self.tried, number])))
            self._file.flush()
            self._page = number
        signal.setitimer(signal.ITIMER_PROF, SECONDS_A_PAGE)
        try:
            return page.get_pixmap(**how)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def close(self) -> None:
        self._file.close()


_watch: _Watch | None = None
