"""Pictures of pages made by processes that are started once and stay, so that many threads can ask for pages."""

from __future__ import annotations

import json
import os
import queue
import select
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from cosee.artifacts import files
from cosee.artifacts.base import BBox
from cosee.artifacts.files import DiskFailure
from cosee.imaging.model_pictures import mended_page, mended_place
from cosee.imaging.render import (
    RenderError,
    cached_page,
    cached_part,
    part_dpi,
    render_page,
    render_part,
)
from cosee.imaging.thresholds import MEMORY_LIMIT, MOST_WORKERS, SECONDS_A_RENDERING


class PageWorkers:
    """Renders pages of files that nobody vouches for, in processes with a bound on memory and on the time of a page.

    ``start`` them before the first thread; else the first page does. A page that several threads want at once is made
    once; a process that dies or overruns its time is replaced.
    """

    def __init__(self) -> None:
        self._idle: queue.LifoQueue[_Worker] = queue.LifoQueue()
        self._lock = threading.Lock()
        self._started = False
        self._making: dict[Path, threading.Lock] = {}

    def start(self) -> None:
        """Start the processes, once."""
        with self._lock:
            if not self._started:
                for _ in range(min(MOST_WORKERS, os.cpu_count() or 1)):
                    self._idle.put(_Worker())
                self._started = True

    def page(self, pdf: Path, page: int, dpi: int, cache: Path, *, mended: bool = False) -> Path:
        """The page (1-based) as a PNG at ``page_place``, made when it is not there yet.

        Raises:
            RenderError: the page cannot be rendered, or its process ran out of memory or time.
            DiskFailure: the picture cannot be written.
        """
        target = page_place(pdf, page, dpi, cache, mended=mended)
        return self._made(target, {"pdf": str(pdf), "page": page, "dpi": dpi, "cache": str(cache), "mended": mended})

    def part(self, pdf: Path, page: int, cache: Path, box: BBox, *, mended: bool = False) -> Path:
        """The part of the page (1-based) in a box of 0..1, at ``part_place``; raises as ``page``."""
        target = part_place(pdf, page, cache, box, mended=mended)
        return self._made(target, {"pdf": str(pdf), "page": page, "box": box, "cache": str(cache), "mended": mended})

    def _made(self, target: Path, asked: Mapping[str, Any]) -> Path:
        if target.is_file():
            return target
        with self._lock:
            making = self._making.setdefault(target, threading.Lock())
        with making:
            if not target.is_file():
                self._make(asked)
        return target

    def _make(self, asked: Mapping[str, Any]) -> None:
        self.start()
        where = f"{asked['pdf']}, page {asked['page']}"
        worker = self._idle.get()
        try:
            for _ in range(2):  # a process that was killed, out of memory or by a person, is not the file's fault
                answer = worker.ask(asked)
                if answer is not None:
                    break
                worker = _Worker()
        finally:
            self._idle.put(worker)
        if answer is None:
            raise RenderError(f"{where}: the process that renders it died, or took more than {SECONDS_A_RENDERING:g} s")
        if "disk" in answer:
            raise DiskFailure(answer["disk"])
        if "error" in answer:
            raise RenderError(f"{where}: rendering failed ({answer['error']})")


def page_place(pdf: Path, page: int, dpi: int, cache: Path, *, mended: bool = False) -> Path:
    """Where the picture of a page is kept; the mended one of a poor scan stands beside the page as it is."""
    place = cached_page(pdf, page, dpi, cache)
    return mended_place(place) if mended else place


def part_place(pdf: Path, page: int, cache: Path, box: BBox, *, mended: bool = False) -> Path:
    """Where the picture of a part of a page is kept."""
    place = cached_part(pdf, page, box, cache)
    return mended_place(place) if mended else place


class _Worker:
    """One process: a request a line in, an answer a line out. It ends when its input does."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "cosee.imaging.page_workers"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any] | None:
        """The answer; None where the process died or took too long, and has ended."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(f"{json.dumps(request)}\n".encode())
            ready, _, _ = select.select([self._process.stdout], [], [], SECONDS_A_RENDERING)
            line = self._process.stdout.readline() if ready else b""
            if line.endswith(b"\n"):
                answer: dict[str, Any] = json.loads(line)
                return answer
        except (OSError, ValueError):
            pass
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            pipe.close()
        return None


def _serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Make what each line asks for, until there is no more."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    for line in requests:
        answer: dict[str, str] = {}
        try:
            _render(json.loads(line))
        except (RenderError, MemoryError) as error:
            answer = {"error": str(error) or "out of memory"}
        except DiskFailure as error:
            answer = {"disk": str(error)}
        answers.write(f"{files.canonical_json(answer)}\n".encode())
        answers.flush()


def _render(asked: Mapping[str, Any]) -> None:
    pdf, page, cache = Path(asked["pdf"]), int(asked["page"]), Path(asked["cache"])
    if "box" in asked:
        left, top, right, bottom = asked["box"]
        box = (left, top, right, bottom)
        picture = render_part(pdf, page, box, cache)
    else:
        picture = render_page(pdf, page, int(asked["dpi"]), cache)
    if asked["mended"]:
        mended_page(picture, part_dpi(pdf, page, box) if "box" in asked else int(asked["dpi"]))


if __name__ == "__main__":
    # What a library prints must not stand among the answers.
    answers_of_ours = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _serve(sys.stdin.buffer, answers_of_ours)
