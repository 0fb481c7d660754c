"""Child processes with limits: untrusted bytes can cost a child its life, never the job's."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import resource
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeVar

from pydantic import Field

from cosee.artifacts.base import Record
from cosee.artifacts.files import DiskFailure
from cosee.imaging.drawing import ENDED_BY, MOST_GIVEN_UP
from cosee.pipeline.locks import die_with_parent
from cosee.pipeline.stage import StageFailure, StageResult

logger = logging.getLogger(__name__)
Key = TypeVar("Key")
TIMEOUT, MEMORY = "timeout", "memory"
"""Reasons of a document that hit a bound."""
CRASH = "crash"
TRIES = MOST_GIVEN_UP + 1
"""Times that a document is begun whose process its own timer ends (``drawing.bounded_drawing``)."""
KILLED = "killed"
"""Reason of a document whose process got a SIGKILL from outside: from the system out of memory, or from a person."""


class Limits(Record):
    """Bounds of one document in one isolated stage, far above normal times."""

    seconds: float = Field(
        1800.0,
        gt=0,
        description="Seconds before the document counts as failed (timeout). Reading a scan takes about 3 a page.",
    )
    memory_mb: int = Field(6000, ge=100, description="Memory that a document may take, in MB.")


@dataclass(frozen=True)
class Outcome(Generic[Key]):
    """What became of one task: exactly one of ``result`` and ``failure``."""

    key: Key
    result: StageResult | None
    failure: StageFailure | None
    seconds: float
    peak_rss_mb: float


def run_isolated(
    tasks: Sequence[tuple[Key, Callable[[], StageResult]]], limits: Limits, workers: int
) -> Iterator[Outcome[Key]]:
    """Run each task in a forked child, ``workers`` at a time; yields outcomes as they come.

    A child that overruns its time, breaks its memory bound or dies becomes a failure with reason ``timeout``,
    ``memory``, ``killed`` or ``crash``; an exception other than StageFailure gets the reason ``error:<class>``. One
    that was killed from outside is tried once more when the others have begun, one that its own timer ended at once.

    Raises:
        DiskFailure: a child could not write; the others are ended.
    """
    context = multiprocessing.get_context("fork")
    waiting = list(tasks)[::-1]
    task_of = dict(tasks)
    killed: set[Key] = set()
    hung: Counter[Key] = Counter()
    running: dict[Connection, tuple[Key, BaseProcess, float]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < max(1, workers):
                key, task = waiting.pop()
                receiver, sender = context.Pipe(duplex=False)
                child = context.Process(target=_child, args=(task, sender, limits, hung[key]), daemon=False)
                child.start()
                sender.close()
                running[receiver] = (key, child, time.monotonic())
            deadline = min(started for _, _, started in running.values()) + limits.seconds
            ready = set(wait(list(running), timeout=max(0.0, deadline - time.monotonic())))
            for receiver, (key, process, started) in list(running.items()):
                elapsed = time.monotonic() - started
                if receiver in ready:
                    outcome = _received(key, receiver, process, elapsed)
                    if outcome.failure is not None and outcome.failure.reason == KILLED and key not in killed:
                        logger.warning("%s; it is tried once more", outcome.failure.message)
                        killed.add(key)
                        waiting.insert(0, (key, task_of[key]))
                    elif process.exitcode == -ENDED_BY and hung[key] < TRIES - 1:
                        hung[key] += 1
                        waiting.append((key, task_of[key]))
                    else:
                        yield outcome
                elif elapsed >= limits.seconds:
                    _kill(process)
                    failure = StageFailure(TIMEOUT, f"stopped after {limits.seconds:g} s")
                    yield Outcome(key, None, failure, elapsed, 0.0)
                else:
                    continue
                receiver.close()
                del running[receiver]
    finally:
        for receiver, (_, process, _) in running.items():
            _kill(process)
            receiver.close()


def run_here(key: Key, task: Callable[[], StageResult]) -> Outcome[Key]:
    """Run one task in this process; for stages that keep a model in memory."""
    started = time.monotonic()
    result, failure = _guarded(task)
    return Outcome(key, result, failure, time.monotonic() - started, _peak_rss_mb())


def _guarded(task: Callable[[], StageResult]) -> tuple[StageResult | None, StageFailure | None]:
    try:
        return task(), None
    except StageFailure as failure:
        return None, failure
    except MemoryError:
        return None, StageFailure(MEMORY, "the memory bound was reached")
    except Exception as error:  # one bad document must not stop the others; the log keeps the traceback
        logger.exception("unexpected error")
        return None, StageFailure(f"error:{type(error).__name__}", str(error)[:500] or "no message")


def times_ended() -> int | None:
    """How many processes of this task its own timer has ended before this one; None where this is no child of
    ``run_isolated``, and nobody begins the task anew."""
    return _times_ended


_times_ended: int | None = None


def _child(task: Callable[[], StageResult], sender: Connection, limits: Limits, ended: int) -> None:
    global _times_ended
    _times_ended = ended
    die_with_parent()
    os.setsid()
    used = _address_space()
    bound = used + limits.memory_mb * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        result, failure = _guarded(task)
    except DiskFailure as broken:
        _send(sender, {"disk": str(broken)})
    message = {
        "result": None if result is None else {**asdict(result), "outputs": [str(path) for path in result.outputs]},
        "failure": None if failure is None else [failure.reason, failure.message, list(failure.lacked)],
        "peak_rss_mb": _peak_rss_mb(),
    }
    _send(sender, message)


def _send(sender: Connection, message: dict[str, Any]) -> NoReturn:
    """The child's last act."""
    sender.send_bytes(json.dumps(message).encode("utf-8"))
    sender.close()
    logging.shutdown()
    os._exit(0)


def _received(key: Key, receiver: Connection, process: BaseProcess, seconds: float) -> Outcome[Key]:
    answer: Any = None
    try:
        answer = json.loads(receiver.recv_bytes())
    except (EOFError, OSError, ValueError):
        answer = None
    process.join(timeout=10)
    _kill(process)
    if answer is None:
        code = process.exitcode
        cause = f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"
        reason = KILLED if code == -signal.SIGKILL else CRASH
        failure = StageFailure(reason, f"the process that read the document died ({cause})")
        return Outcome(key, None, failure, seconds, 0.0)
    if "disk" in answer:
        raise DiskFailure(answer["disk"])
    result = answer["result"]
    return Outcome(
        key,
        StageResult(**{**result, "outputs": [Path(path) for path in result["outputs"]]}) if result else None,
        StageFailure(*answer["failure"]) if answer["failure"] else None,
        seconds,
        answer["peak_rss_mb"],
    )


def _kill(process: BaseProcess) -> None:
    """End the child and what it started."""
    if process.pid is not None and process.exitcode is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
    process.join(timeout=10)


def _address_space() -> int:
    """Bytes of address space in use; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return 0


def _peak_rss_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
