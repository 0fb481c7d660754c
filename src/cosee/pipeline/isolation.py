"""Child processes with limits: untrusted bytes can cost a child its life, never the job's."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import Field

from cosee.artifacts.base import Record
from cosee.artifacts.files import DiskFailure
from cosee.pipeline.locks import die_with_parent
from cosee.pipeline.stage import StageFailure, StageResult

logger = logging.getLogger(__name__)
Key = TypeVar("Key")
Task = Callable[[], StageResult]
TIMEOUT, MEMORY = "timeout", "memory"
"""Reasons of a document that hit a bound."""
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
    """What became of one task: exactly one of ``result`` and ``failure``. ``part`` counts the tasks of a child."""

    key: Key
    result: StageResult | None
    failure: StageFailure | None
    seconds: float
    peak_rss_mb: float
    part: int = 0


@dataclass
class _Running(Generic[Key]):
    """A child, the task that it is at, and when it began that."""

    key: Key
    tasks: Sequence[Task]
    process: BaseProcess
    part: int
    started: float


def run_isolated(
    tasks: Sequence[tuple[Key, *tuple[Task, ...]]], limits: Limits, workers: int
) -> Iterator[Outcome[Key]]:
    """Run each task in a forked child, ``workers`` at a time; yields outcomes as they come.

    Further tasks after the first run one after the other in the same child, up to one that fails. Each has the whole
    of ``limits.seconds``. A child that overruns its time, breaks its memory bound or dies becomes a failure with reason
    ``timeout``, ``memory``, ``killed`` or ``crash``; an exception other than StageFailure gets the reason
    ``error:<class>``. One that was killed from outside in its first task is tried once more when the others have begun.

    Raises:
        DiskFailure: a child could not write; the others are ended.
    """
    context = multiprocessing.get_context("fork")
    waiting = list(tasks)[::-1]
    again = {task[0]: task for task in tasks}
    running: dict[Connection, _Running[Key]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < max(1, workers):
                key, *parts = waiting.pop()
                receiver, sender = context.Pipe(duplex=False)
                process = context.Process(target=_child, args=(parts, sender, limits), daemon=False)
                process.start()
                sender.close()
                running[receiver] = _Running(key, parts, process, 0, time.monotonic())
            deadline = min(child.started for child in running.values()) + limits.seconds
            ready = set(wait(list(running), timeout=max(0.0, deadline - time.monotonic())))
            for receiver, child in list(running.items()):
                now = time.monotonic()
                if receiver in ready:
                    outcome = _received(child, receiver, now - child.started)
                    if outcome.failure is None and child.part + 1 < len(child.tasks):
                        child.part, child.started = child.part + 1, now
                        yield outcome
                        continue
                    _end(child.process)
                    if _was_killed(outcome) and child.key in again:
                        logger.warning("%s; it is tried once more", outcome.failure and outcome.failure.message)
                        waiting.insert(0, again.pop(child.key))
                    else:
                        yield outcome
                elif now - child.started >= limits.seconds:
                    _kill(child.process)
                    failure = StageFailure(TIMEOUT, f"stopped after {limits.seconds:g} s")
                    yield Outcome(child.key, None, failure, now - child.started, 0.0, child.part)
                else:
                    continue
                receiver.close()
                del running[receiver]
    finally:
        for receiver, child in running.items():
            _kill(child.process)
            receiver.close()


def _was_killed(outcome: Outcome[Key]) -> bool:
    return outcome.part == 0 and outcome.failure is not None and outcome.failure.reason == KILLED


def run_here(key: Key, *tasks: Task) -> Iterator[Outcome[Key]]:
    """Run tasks in this process, up to one that fails; for stages that keep a model in memory."""
    for part, task in enumerate(tasks):
        started = time.monotonic()
        result, failure = _guarded(task)
        yield Outcome(key, result, failure, time.monotonic() - started, _peak_rss_mb(), part)
        if failure is not None:
            return


def _guarded(task: Task) -> tuple[StageResult | None, StageFailure | None]:
    try:
        return task(), None
    except StageFailure as failure:
        return None, failure
    except MemoryError:
        return None, StageFailure(MEMORY, "the memory bound was reached")
    except Exception as error:  # one bad document must not stop the others; the log keeps the traceback
        logger.exception("unexpected error")
        return None, StageFailure(f"error:{type(error).__name__}", str(error)[:500] or "no message")


def _child(tasks: Sequence[Task], sender: Connection, limits: Limits) -> None:
    die_with_parent()
    os.setsid()
    used = _address_space()
    bound = used + limits.memory_mb * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (bound, bound))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for task in tasks:
        try:
            result, failure = _guarded(task)
        except DiskFailure as broken:
            _send(sender, {"disk": str(broken)})
            break
        message = {
            "result": None if result is None else {**asdict(result), "outputs": [str(path) for path in result.outputs]},
            "failure": None if failure is None else [failure.reason, failure.message],
            "peak_rss_mb": _peak_rss_mb(),
        }
        _send(sender, message)
        if failure is not None:
            break
    sender.close()
    logging.shutdown()
    os._exit(0)


def _send(sender: Connection, message: dict[str, Any]) -> None:
    sender.send_bytes(json.dumps(message).encode("utf-8"))


def _received(child: _Running[Key], receiver: Connection, seconds: float) -> Outcome[Key]:
    """What the child says of the task that it was at."""
    answer: Any = None
    try:
        answer = json.loads(receiver.recv_bytes())
    except (EOFError, OSError, ValueError):
        answer = None
    if answer is None:
        _end(child.process)
        code = child.process.exitcode
        cause = f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"
        reason = KILLED if code == -signal.SIGKILL else "crash"
        failure = StageFailure(reason, f"the process that read the document died ({cause})")
        return Outcome(child.key, None, failure, seconds, 0.0, child.part)
    if "disk" in answer:
        raise DiskFailure(answer["disk"])
    result = answer["result"]
    return Outcome(
        child.key,
        StageResult(**{**result, "outputs": [Path(path) for path in result["outputs"]]}) if result else None,
        StageFailure(*answer["failure"]) if answer["failure"] else None,
        seconds,
        answer["peak_rss_mb"],
        child.part,
    )


def _end(process: BaseProcess) -> None:
    """Wait for a child that has said its last, and end it where it lingers."""
    process.join(timeout=10)
    _kill(process)


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
