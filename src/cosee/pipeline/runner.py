"""Running one stage over one shard: skip what is done, isolate what is dangerous, write the ledger whole."""

from __future__ import annotations

import logging
import os
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import jsonlines  # noqa: F401 - here, so that it is loaded once and not in each document's process

from cosee.artifacts import files
from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.ledger import LedgerRow, OutputTable, Stamp
from cosee.artifacts.reasons import RETRIED
from cosee.pipeline import stamps
from cosee.pipeline.isolation import KILLED, Limits, Outcome, Task, run_isolated
from cosee.pipeline.locks import locked
from cosee.pipeline.paths import MINERU_FOLDER, Paths, following
from cosee.pipeline.progress import Progress
from cosee.pipeline.stage import DocFolder, Stage, StageFailure, StageResult
from cosee.pipeline.threads import run_threads

logger = logging.getLogger(__name__)
STOPPED = ("failed", "skipped")
"""What a document is not after which the next stage can work on it."""


@dataclass(frozen=True)
class Job:
    """One stage over one shard."""

    stage: Stage
    settings: Any
    settings_sha256: str
    code_sha256: str
    paths: Paths
    dataset: str
    shard: str
    upstream: list[Path]
    """Ledgers of the stages before; a document that any of them could not finish is skipped. Empty for the first."""
    limits: Limits = field(default_factory=Limits)
    workers: int = 1
    redo: bool = False
    """Ignore stamps."""
    ahead: Sequence[Job] = ()
    """The stages after it: the process of a document does those too whose stamp says that they are to be done."""


def run_shard(job: Job) -> list[LedgerRow]:
    """Run the job and write its ledger; returns the rows, in document order.

    A stage that was done ahead for every document of the shard gets a ledger too, which its own job takes. What failed
    there is left to that job, with all that it needs of its own.
    """
    chain = [job, *job.ahead]
    places = [each.paths.place(each.stage.name, job.dataset, job.shard) for each in chain]
    with ExitStack() as locks:
        for place in places:
            locks.enter_context(locked(place.lock))
        for name in following(job.stage.name):  # what was done ahead of an earlier run of the job
            job.paths.place(name, job.dataset, job.shard).ahead.unlink(missing_ok=True)
        rows: list[dict[str, LedgerRow]] = [{} for _ in chain]
        pending: list[tuple[DocFolder, dict[str, str]]] = []
        documents = _documents(job)
        for doc_id, blocked in documents:
            doc = job.paths.folder(job.dataset, doc_id)
            done, inputs = _row_without_running(job, doc, blocked)
            if done is None:
                pending.append((doc, inputs))
            else:
                rows[0][doc_id] = done
        logger.info(
            "%s %s/%s: %d documents, %d to do", job.stage.name, job.dataset, job.shard, len(documents), len(pending)
        )
        with Progress(f"{job.stage.name} {job.dataset}/{job.shard}", len(pending)) as progress:
            for outcome, doc, inputs in _outcomes(chain, pending):
                if outcome.part == 0:
                    rows[0][doc.doc_id] = _finish(job, doc, inputs, outcome)
                    progress.step(rows[0][doc.doc_id])
                elif outcome.result is not None:
                    known = rows[outcome.part - 1][doc.doc_id].outputs
                    own = chain[outcome.part]
                    inputs = stamps.hashes(list(own.stage.inputs(doc, own.settings)), known)
                    rows[outcome.part][doc.doc_id] = _finish(own, doc, inputs, outcome)
                elif outcome.failure is not None:
                    name = chain[outcome.part].stage.name
                    logger.info("%s %s: %s; left to the job of %s", name, doc.doc_id, outcome.failure.reason, name)
        ordered = [rows[0][doc_id] for doc_id, _ in documents]
        _write_table(places[0].outputs, ordered)
        save_rows(places[0].ledger, ordered)
        for own, place, before, made in zip(chain[1:], places[1:], rows, rows[1:], strict=False):
            if not _completed(own, before, made):
                break
            _write_table(place.outputs, [made[doc_id] for doc_id, _ in documents])
            save_rows(place.ahead, [made[doc_id] for doc_id, _ in documents])
            logger.info("%s %s/%s: done ahead", own.stage.name, job.dataset, job.shard)
    return ordered


def _completed(job: Job, before: Mapping[str, LedgerRow], rows: dict[str, LedgerRow]) -> bool:
    """Whether every document has its row of a stage that was done ahead, those added that need not run."""
    for doc_id, upstream in before.items():
        if doc_id not in rows:
            blocked = upstream if upstream.status in STOPPED else None
            row, _ = _row_without_running(job, job.paths.folder(job.dataset, doc_id), blocked)
            if row is None:
                return False
            rows[doc_id] = row
    return True


def _documents(job: Job) -> list[tuple[str, LedgerRow | None]]:
    """(doc_id, the upstream row that blocks it or None), in document order."""
    if not job.upstream:
        rows_file = job.paths.rows(job.dataset, job.shard)
        return [(str(row["doc_id"]), None) for row in files.read_json(rows_file)]
    blocked: dict[str, LedgerRow | None] = {}
    for ledger in job.upstream:
        for row in load_rows(LedgerRow, ledger):
            blocked[row.doc_id] = blocked.get(row.doc_id) or (row if row.status in STOPPED else None)
    return sorted(blocked.items())


def _row_without_running(
    job: Job, doc: DocFolder, blocked: LedgerRow | None
) -> tuple[LedgerRow | None, dict[str, str]]:
    link = _linked_folder(doc)
    if link is not None:
        message = f"{link} is a link to a folder, through which outputs would be written elsewhere; put the folder here"
        return LedgerRow(doc_id=doc.doc_id, status="failed", reason="link", message=message), {}
    stamp_path = job.paths.stamp(job.stage.name, doc)
    stamp = stamps.load(stamp_path)
    if blocked is not None:
        stamps.set_aside(stamp)
        stamps.remove_stale(stamp, {})
        stamp_path.unlink(missing_ok=True)
        return LedgerRow(
            doc_id=doc.doc_id, status="skipped", reason=blocked.reason, message="an earlier stage failed"
        ), {}
    inputs = stamps.hashes(list(job.stage.inputs(doc, job.settings)))
    if stamp is None or job.redo:
        return None, inputs
    return stamps.still_valid(stamp, inputs, *_identity(job)), inputs


def _linked_folder(doc: DocFolder) -> Path | None:
    """The document's folder, or one in it that outputs go to, where it is a symbolic link. PDFs, and MinerU's folder,
    are only read and may be links."""
    for folder in (doc.data, doc.index):
        if folder.is_symlink():
            return folder
        for entry in os.scandir(folder) if folder.is_dir() else ():
            if entry.is_symlink() and entry.is_dir() and entry.name != MINERU_FOLDER:
                return Path(entry.path)
    return None


def _outcomes(
    chain: Sequence[Job], pending: Sequence[tuple[DocFolder, dict[str, str]]]
) -> Iterator[tuple[Outcome[int], DocFolder, dict[str, str]]]:
    tasks: list[tuple[int, *tuple[Task, ...]]] = [
        (number, *_tasks(chain, doc)) for number, (doc, _) in enumerate(pending)
    ]
    job = chain[0]
    if _is_isolated(job):
        outcomes = run_isolated(tasks, job.limits, job.workers)
    else:
        # No stage but that of answers has it: the model's calls of several documents are then under way together.
        at_a_time = getattr(job.stage, "at_a_time", None)
        outcomes = run_threads(tasks, at_a_time(job.settings) if at_a_time is not None and tasks else 1)
    for outcome in outcomes:
        doc, inputs = pending[outcome.key]
        yield outcome, doc, inputs


def _tasks(chain: Sequence[Job], doc: DocFolder) -> Iterator[Task]:
    """The job's task for a document, and those of the stages after it up to one that may have nothing to do."""
    job, *ahead = chain
    yield partial(_task, job, doc)
    for each in ahead:
        stamp = stamps.load(each.paths.stamp(each.stage.name, doc))
        if _is_isolated(each) != _is_isolated(job) or (
            stamp is not None and stamps.is_current(stamp, *_identity(each))
        ):
            return
        yield partial(_task, each, doc)


def _identity(job: Job) -> tuple[str, str]:
    return job.settings_sha256, job.code_sha256


def _is_isolated(job: Job) -> bool:
    return job.stage.isolated and not getattr(job.settings, "opens_model", False)


def _task(job: Job, doc: DocFolder) -> StageResult:
    """Run the stage for one document, edited files set aside first."""
    stamp_path = job.paths.stamp(job.stage.name, doc)
    stamp = stamps.load(stamp_path)
    kept = stamps.set_aside(stamp, job.stage.inputs(doc, job.settings))
    stamps.begin(stamp_path, stamp)
    result = job.stage.run(doc, job.settings)
    absent = [path for path in result.outputs if not Path(path).is_file()]
    if absent or not result.outputs:
        raise StageFailure("no_output", f"the stage did not write {absent[0] if absent else 'anything'}")
    if kept:
        note = "edited files kept as " + ", ".join(kept)
        return StageResult(
            result.outputs, result.status, result.reason, "; ".join(filter(None, [result.message, note])), result.counts
        )
    return result


def _finish(job: Job, doc: DocFolder, inputs: dict[str, str], outcome: Outcome[int]) -> LedgerRow:
    """Turn an outcome into a row; write the measured values, then the stamp."""
    stamp_path = job.paths.stamp(job.stage.name, doc)
    stamp = stamps.load(stamp_path)
    if outcome.result is not None:
        row = LedgerRow(
            doc_id=doc.doc_id,
            status=outcome.result.status,
            reason=outcome.result.reason,
            message=outcome.result.message,
            counts=outcome.result.counts,
            inputs=inputs,
            outputs=stamps.hashes([Path(path) for path in outcome.result.outputs]),
        )
    else:
        assert outcome.failure is not None
        row = LedgerRow(
            doc_id=doc.doc_id,
            status="failed",
            reason=outcome.failure.reason,
            message=outcome.failure.message,
            inputs=inputs,
        )
    stamps.remove_stale(stamp, {**row.inputs, **row.outputs})
    measured = {
        "seconds": round(outcome.seconds, 3),
        "peak_rss_mb": round(outcome.peak_rss_mb, 1),
        "host": platform.node(),
        "ended": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    files.write_json(job.paths.measured(job.stage.name, doc), measured)
    if row.reason in RETRIED:
        stamp_path.unlink(missing_ok=True)
    else:
        Stamp(settings=job.settings_sha256, code=job.code_sha256, row=row).save(stamp_path)
    return row


def _write_table(path: Path, rows: Sequence[LedgerRow]) -> None:
    try:
        generation = OutputTable.load(path).generation + 1
    except files.ArtifactError:
        generation = 1
    table: dict[str, tuple[int, int, str]] = {}
    for row in rows:
        for name, sha256 in row.outputs.items():
            status = Path(name).stat()
            table[name] = (status.st_size, status.st_mtime_ns, sha256)
    killed = [row.doc_id for row in rows if (row.status, row.reason) == ("failed", KILLED)]
    OutputTable(generation=generation, files=table, killed=killed).save(path)
