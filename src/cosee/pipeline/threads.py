"""Work that waits for servers, in threads of this process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TypeVar

from cosee.pipeline.isolation import Key, Outcome, run_here
from cosee.pipeline.stage import StageResult

Value = TypeVar("Value")


def in_thread(function: Callable[..., Value], *arguments: object) -> Future[Value]:
    """Call ``function`` in a thread of its own, which ends with the process: a person who stops a job does not wait for
    the replies that are under way."""
    future: Future[Value] = Future()

    def work() -> None:
        try:
            future.set_result(function(*arguments))
        except BaseException as error:  # for whoever asks for the result, a full disk as well
            future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return future


def run_threads(tasks: Sequence[tuple[Key, Callable[[], StageResult]]], at_a_time: int) -> Iterator[Outcome[Key]]:
    """Run each task, ``at_a_time`` in threads, or one after the other in this one; yields outcomes as they come.

    Raises:
        JobFailure: that of a task, when those that were running have ended and been given.
    """
    if at_a_time == 1:
        for key, task in tasks:
            yield run_here(key, task)
        return
    waiting = list(tasks)[::-1]
    running: set[Future[Outcome[Key]]] = set()
    while waiting or running:
        while waiting and len(running) < at_a_time:
            running.add(in_thread(run_here, *waiting.pop()))
        ended, running = wait(running, return_when=FIRST_COMPLETED)
        if any(each.exception() is not None for each in ended):
            ended, waiting = ended | wait(running).done, []
        for each in sorted(ended, key=lambda each: each.exception() is not None):
            yield each.result()
