"""What a run prints: a line a job, a bar on a terminal, the reasons of a dry run; nothing else of Snakemake's.

Snakemake finds this handler as ``snakemake_logger_plugin_cosee``; the profiles name it with ``logger: cosee``. It works
in the process that a person started, whoever runs the jobs. With ``-p``, ``--verbose`` or ``--debug-dag`` Snakemake's
own output is left as it is.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

from cosee.pipeline.interrupts import STOPPING, end_at_once, stopping

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from cosee.pipeline.job_log import LoggedProgress

TICK_S = 0.5
FIRST_WORD_S, LAST_WORD_S = 30.0, 600.0
"""Where there is no terminal, what is running is told after this time without a line, and then ever more seldom."""
BARS = 8
"""Jobs that have a bar of their own."""
TAIL = 20
"""Lines of a failed job's log."""
NOISE = ("Assuming unrestricted shared filesystem usage", "Building DAG of jobs", "host: ")
"""What Snakemake says before it knows whether it will run anything, and nobody needs."""
TOLD = ("Trying to restart job", "SLURM run ID")
"""What a person needs of the rest that it says."""

closing: Callable[[], str] | None = None
"""What to print where nothing had to be done; the workflow sets it."""


def say(text: str) -> None:
    """Print something through Snakemake's log, in its place among the other lines."""
    from snakemake.logging import logger

    for line in text.splitlines():
        logger.info(line, extra={"cosee": True})


@dataclass
class _Job:
    name: str
    log: LoggedProgress
    ledger: Path | None
    started: float = field(default_factory=time.monotonic)
    task: TaskID | None = None

    def state(self) -> str:
        """How far it is: documents, questions, failures, time left."""
        log = self.log
        words = [f"{log.done}/{log.documents} documents"] if log.documents else []
        words += [f"{log.questions} questions"] if log.questions else []
        words += [f"{log.failed} failed"] if log.failed else []
        if 0 < log.share < 1:
            spent = time.monotonic() - self.started
            words.append(f"about {duration(spent / log.share - spent)} left")
        return ", ".join(words)


class RunLog(LogHandlerBase):
    """Snakemake's log records in, a few lines out. Records come in a thread of their own."""

    def __post_init__(self) -> None:
        from rich.console import Console
        from snakemake.logging import ColorizingTextHandler, DefaultFormatter

        from cosee.pipeline.plan import Plan

        settings: Any = self.common_settings
        self._dryrun = bool(settings.dryrun)
        stream = sys.stdout if settings.stdout else sys.stderr
        self._plain = ColorizingTextHandler(
            nocolor=settings.nocolor,
            stream=stream,
            formatter=DefaultFormatter(settings.quiet, settings.show_failed_logs),
        )
        self._whole = bool(settings.printshellcmds or settings.verbose or settings.debug_dag)
        self._console: Console = Console(file=stream, no_color=settings.nocolor or None, highlight=False)
        self._plan = Plan()
        self._jobs: dict[int, _Job] = {}
        self._total = self._finished = 0
        self._before: list[logging.LogRecord] | None = []
        self._bar: Bar | None = None
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._spoke, self._patience = time.monotonic(), FIRST_WORD_S
        if threading.current_thread() is threading.main_thread():
            end_at_once()
        threading.Thread(target=self._tick, daemon=True).start()

    @property
    def writes_to_stream(self) -> bool:
        """It takes the place of Snakemake's own lines."""
        return True

    @property
    def writes_to_file(self) -> bool:
        """The file below ``.snakemake/log`` is Snakemake's own, with everything in it."""
        return False

    @property
    def has_filter(self) -> bool:
        """Snakemake's filter stays: ``--quiet`` works."""
        return False

    @property
    def has_formatter(self) -> bool:
        """Lines are made here."""
        return True

    @property
    def needs_rulegraph(self) -> bool:
        """No graph."""
        return False

    def emit(self, record: logging.LogRecord) -> None:
        """Print what a person needs of a record."""
        try:
            with self._lock:
                if self._whole:
                    self._plain.emit(record)
                elif not stopping.is_set():
                    self._take(record)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        """End the bar, print what was held back."""
        self._ended.set()
        with self._lock:
            self._end_bar()
            for record in [] if self._before is None or stopping.is_set() else self._before:
                self._plain.emit(record)
            self._before = None
        super().close()

    def _take(self, record: logging.LogRecord) -> None:
        event, fields = getattr(record, "event", None), record.__dict__
        known: dict[LogEvent, Callable[[dict[str, Any]], None]] = {
            LogEvent.WORKFLOW_STARTED: self._workflow_started,
            LogEvent.RUN_INFO: self._run_info,
            LogEvent.JOB_INFO: self._job_info,
            LogEvent.JOB_FINISHED: self._job_finished,
            LogEvent.JOB_ERROR: self._job_error,
        }
        if event in known:
            known[event](fields)
        elif event == LogEvent.ERROR or record.levelno >= logging.WARNING:
            self._problem(record)
        elif event is None:
            self._message(record)

    def _workflow_started(self, _: dict[str, Any]) -> None:
        self._before = None

    def _run_info(self, fields: dict[str, Any]) -> None:
        stats = {name: count for name, count in fields["stats"].items() if name not in ("total", "all")}
        if self._dryrun or self._total:
            return
        self._total = sum(stats.values())
        self._print(
            f"{self._total} {'job' if self._total == 1 else 'jobs'}: "
            + ", ".join(f"{name} {count}" for name, count in stats.items())
        )

    def _job_info(self, fields: dict[str, Any]) -> None:
        from cosee.pipeline.job_log import LoggedProgress
        from cosee.pipeline.plan import job_name

        if self._dryrun:
            self._plan.add(fields)
        elif fields["output"]:
            log = LoggedProgress(Path(_path(fields["log"][0]) if fields["log"] else "/dev/null"))
            first = Path(_path(fields["output"][0]))
            ledger = first if first.parent.name in ("ledger", ".ledger") else None
            self._jobs[fields["jobid"]] = _Job(job_name(fields["rule_name"], fields["wildcards"]), log, ledger)
            self._show_bars()

    def _job_finished(self, fields: dict[str, Any]) -> None:
        job = self._jobs.pop(fields["job_id"], None)
        if job is not None:
            self._finished += 1
            self._print(f"{job.name}: {self._outcome(job)}{duration(time.monotonic() - job.started)}")
            self._drop_bar(job)

    def _job_error(self, fields: dict[str, Any]) -> None:
        from cosee.pipeline.plan import job_name

        job = self._jobs.pop(fields["jobid"], None)
        name = job.name if job is not None else job_name(fields["rule_name"], None)
        if job is not None:
            self._drop_bar(job)
        logs = [_path(each) for each in fields["log"]]
        self._print(f"{name}: failed{f'; see {logs[0]}' if logs else ''}", "red")
        settings: Any = self.common_settings
        for each in logs if settings.show_failed_logs else []:
            for line in _tail(Path(each)):
                self._print(f"  {line}")

    def _problem(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if getattr(record, "exception", None) == "RuleException" and "CalledProcessError" in text:
            return  # what follows it says which job failed, without its whole command line
        self._print(text.rstrip(), "red" if record.levelno >= logging.ERROR else "yellow")

    def _message(self, record: logging.LogRecord) -> None:
        text = record.getMessage() if record.msg else ""
        if getattr(record, "cosee", False):
            self._end_bar()
            self._print(text)
        elif text.startswith(TOLD):
            self._print(text)
        elif text.startswith("Nothing to be done"):
            self._before = None
            self._print("Nothing to be done: everything is up to date.")
            for line in closing().splitlines() if closing is not None and not self._dryrun else []:
                self._print(line)
        elif text.startswith("This was a dry-run"):
            for line in self._plan.lines():
                self._print(line)
        elif self._before is not None and not text.startswith(NOISE):
            self._before.append(record)

    def _outcome(self, job: _Job) -> str:
        from cosee.artifacts.base import load_rows
        from cosee.artifacts.files import ArtifactError
        from cosee.artifacts.ledger import LedgerRow
        from cosee.pipeline.job_log import counted

        if job.ledger is None:
            return ""
        job.log.look()
        try:
            rows = load_rows(LedgerRow, job.ledger)
        except ArtifactError:
            return ""
        as_before = len(rows) - job.log.documents
        kept = f" ({as_before} as before)" if as_before > 0 else ""
        return f"{counted(rows)}{kept}; "

    def _print(self, text: str, style: str = "") -> None:
        from rich.text import Text

        self._spoke = time.monotonic()
        line = "".join(char if char.isprintable() or char == "\n" else " " for char in text)
        self._console.print(Text(line, style=style), soft_wrap=True)

    def _tick(self) -> None:
        """Look at the running jobs now and then; say so at once when the run is stopped."""
        while not self._ended.is_set():
            if stopping.wait(TICK_S):
                with self._lock:
                    self._end_bar()
                    self._print(STOPPING)
                return
            with self._lock:
                if self._jobs:
                    self._look()

    def _look(self) -> None:
        for job in self._jobs.values():
            job.log.look()
        if self._bar is not None:
            self._show_bars()
        elif time.monotonic() - self._spoke > self._patience:
            self._patience = min(2 * self._patience, LAST_WORD_S)
            self._print(f"{self._finished}/{self._total} jobs; running: {'; '.join(self._running())}")

    def _running(self) -> Iterator[str]:
        for job in list(self._jobs.values())[:3]:
            state = job.state()
            yield f"{job.name}{f' ({state})' if state else ''}"
        if len(self._jobs) > 3:
            yield f"{len(self._jobs) - 3} more"

    def _show_bars(self) -> None:
        if not self._console.is_terminal:
            return
        if self._bar is None:
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as Bar

            columns = (
                TextColumn("{task.description}", markup=False),
                BarColumn(20),
                TextColumn("{task.fields[state]}"),
            )
            self._bar = Bar(*columns, console=self._console, auto_refresh=False, transient=True)
            self._bar.start()
            self._overall = self._bar.add_task("jobs", state="")
        self._bar.update(
            self._overall, total=self._total, completed=self._finished, state=f"{self._finished}/{self._total}"
        )
        for job in list(self._jobs.values())[:BARS]:
            if job.task is None:
                job.task = self._bar.add_task(job.name, total=1.0, state="")
            self._bar.update(job.task, completed=job.log.share, state=job.state())
        self._bar.refresh()

    def _drop_bar(self, job: _Job) -> None:
        if self._bar is not None and job.task is not None:
            self._bar.remove_task(job.task)

    def _end_bar(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02d} min"


def _path(text: str) -> str:
    """A file of Snakemake's record without the marks that may follow it."""
    return str(text).split(" (", 1)[0]


def _tail(log: Path) -> list[str]:
    try:
        return log.read_text(encoding="utf-8", errors="replace").splitlines()[-TAIL:]
    except OSError:
        return []
