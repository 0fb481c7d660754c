"""Ctrl-C and SIGTERM end a run and its jobs at once, without a traceback; a second one does not even wait for them."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from types import FrameType

from cosee.pipeline.locks import children

STOPPING = "stopping; the same command goes on"
SHOW_CURSOR = b"\x1b[?25h"

stopping = threading.Event()
"""Set when a person, or the system, has asked this process to end."""


def end_at_once() -> None:
    """Let SIGINT and SIGTERM end this process and its jobs. Call it again where a library took a signal over.

    Snakemake by itself waits for running jobs, which may take hours, and of a second Ctrl-C makes a traceback. What a
    job has written is whole (every file appears under its name only when it is), so that nothing needs to be waited
    for.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)


def _end(number: int, _: FrameType | None) -> None:
    if stopping.is_set():
        _signal_children(signal.SIGKILL)
        if sys.stderr.isatty():
            os.write(sys.stderr.fileno(), SHOW_CURSOR + b"\n")
        os._exit(128 + number)
    stopping.set()
    _signal_children(signal.SIGTERM)
    raise SystemExit(128 + number)


def _signal_children(number: signal.Signals) -> None:
    for job in children():
        with contextlib.suppress(ProcessLookupError):
            os.kill(job, number)
