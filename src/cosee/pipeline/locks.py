"""File locks that vanish with their holder, and processes that die with their parent."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import logging
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from cosee.artifacts import files

logger = logging.getLogger(__name__)
_held: dict[Path, IO[str]] = {}


class LockHeld(RuntimeError):
    """Somebody else holds the lock; ``holder`` is the process id it wrote, where readable."""

    def __init__(self, path: Path, holder: str) -> None:
        super().__init__(f"{path} is held by process {holder or 'unknown'}")
        self.holder = holder


def acquire(path: Path, *, wait: bool) -> IO[str]:
    """Take an exclusive lock on ``path`` until the returned file is closed or the process ends.

    Raises:
        LockHeld: somebody else has it and ``wait`` is false.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = open(path, "a+", encoding="utf-8")  # noqa: SIM115 - the open file is the lock
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.seek(0)
            holder = handle.read(20).strip()
            if not wait:
                raise LockHeld(path, holder) from None
            logger.info("waiting for %s, held by process %s", path, holder or "unknown")
            fcntl.flock(handle, fcntl.LOCK_EX)
        with files.writing(path):
            handle.seek(0)
            handle.truncate()
            handle.write(f"{os.getpid()}\n")
            handle.flush()
    except BaseException:
        handle.close()
        raise
    return handle


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock for a block, waiting for it first."""
    handle = acquire(path, wait=True)
    try:
        yield
    finally:
        handle.close()


def hold_for_life(path: Path) -> None:
    """Take the lock for as long as this process lives; one that it has already is kept. Raises LockHeld."""
    if path.resolve() not in _held:
        _held[path.resolve()] = acquire(path, wait=False)


def children() -> Iterator[int]:
    """Process ids of this process's children (Linux; elsewhere none are found)."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = status.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1]
            if int(parent) == os.getpid():
                yield int(status.parent.name)


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends (Linux; elsewhere a job ends by itself)."""
    if not sys.platform.startswith("linux"):
        return
    parent = os.getppid()
    pr_set_pdeathsig = 1
    ctypes.CDLL(None, use_errno=True).prctl(pr_set_pdeathsig, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
