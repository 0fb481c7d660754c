"""Make the n-th write, fsync or rename below a folder fail, in this process and in those that it forks."""

from __future__ import annotations

import builtins
import errno
import io
import json
import mmap
import os
import signal
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

FAULTS = {
    "write": ("no space", "input/output error", "short write", "kill"),
    "fsync": ("input/output error", "kill"),
    "rename": ("no space", "kill", "kill after"),
}
"""What can befall each operation. A short write puts half of the bytes on the disk, then there is no space."""
_ERRORS = {"no space": errno.ENOSPC, "short write": errno.ENOSPC, "input/output error": errno.EIO}


class Disk:
    """Counts the operations below ``folder``; ``fail`` makes one of them fail. The count is shared with forks.

    ``notes`` gets a JSON line [operation, path] each, for the run that only counts.
    """

    def __init__(self, folder: Path, fail: int = 0, fault: str = "", notes: Path | None = None) -> None:
        self.folder, self.fail, self.fault = f"{folder.resolve()}/", fail, fault
        self._count = mmap.mmap(-1, 8)
        self._real = (builtins.open, os.fsync, os.replace)
        self._notes = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND) if notes is not None else None

    def install(self) -> None:
        """Stand in for ``open``, ``os.fsync`` and ``os.replace`` until the process ends."""
        builtins.open = io.open = self._open  # type: ignore[assignment]
        os.fsync = self._fsync
        os.replace = self._replace  # type: ignore[assignment]

    def step(self, operation: str, path: str, act: Callable[[], Any], half: Callable[[], Any] | None = None) -> Any:
        """Do one operation, or what is to befall it."""
        if not self._watched(path):
            return act()
        number = struct.unpack("q", self._count[:])[0] + 1
        self._count[:] = struct.pack("q", number)
        if self._notes is not None:
            os.write(self._notes, (json.dumps([operation, path.removeprefix(self.folder)]) + "\n").encode())
        if number != self.fail:
            return act()
        if self.fault == "kill after":
            act()
        if self.fault in ("short write", "kill") and half is not None:
            half()
        if self.fault.startswith("kill"):
            os.kill(os.getpid(), signal.SIGKILL)
        code = _ERRORS[self.fault]
        raise OSError(code, os.strerror(code), path)

    def _watched(self, path: str) -> bool:
        return path.startswith(self.folder) and "/logs/" not in path

    def _open(self, file: Any, mode: str = "r", buffering: int = -1, *rest: Any, **named: Any) -> Any:
        if not set(mode) & set("wax+") or "b" not in mode:
            return self._real[0](file, mode, buffering, *rest, **named)
        raw = _Raw(self, file, mode)
        return raw if buffering == 0 else io.BufferedWriter(raw)

    def _fsync(self, descriptor: int) -> None:
        self.step("fsync", _path_of(descriptor), lambda: self._real[1](descriptor))

    def _replace(self, source: Any, target: Any, **named: Any) -> None:
        self.step("rename", str(Path.cwd() / target), lambda: self._real[2](source, target, **named))


class _Raw(io.FileIO):
    """A file whose writes are counted."""

    def __init__(self, disk: Disk, file: Any, mode: str) -> None:
        super().__init__(file, mode.replace("b", ""))
        self._disk = disk

    def write(self, data: Any) -> int:
        whole = super().write
        view = memoryview(data)
        path = _path_of(self.fileno())
        written: int = self._disk.step("write", path, lambda: whole(view), lambda: whole(view[: len(view) // 2]))
        return written


def _path_of(descriptor: int) -> str:
    return str(Path(f"/proc/self/fd/{descriptor}").readlink())
