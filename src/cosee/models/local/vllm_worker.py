"""What vLLM's workers load of ours: its engine, processes of their own, ends when the job is killed.

vLLM itself ends them only where the job ends in order; after a kill they would hold the GPU for ever.
"""

from __future__ import annotations

import os
import select
import signal
import threading

JOB = "COSEE_ENGINE_OF"
"""Variable with the process id of the job that started the engine."""


class EndsWithJob:
    """Mixed into the worker (``worker_extension_cls``) by name, in whichever process that runs."""


def _end_with(job: int) -> None:
    """Kill the worker, and the engine that started it, when ``job`` has ended."""
    engine = os.getppid()
    waiting = select.poll()
    try:
        waiting.register(os.pidfd_open(job))
        waiting.poll()
    except ProcessLookupError:
        pass  # it has ended already
    if engine != job:
        os.kill(engine, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


if JOB in os.environ:
    threading.Thread(target=_end_with, args=(int(os.environ[JOB]),), name="ends-with-job", daemon=True).start()
