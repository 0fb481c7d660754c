"""Running one stage over one shard: skip what is done, isolate what is dangerous, write the ledger whole."""

from __future__ import annotations

import logging
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import jsonlines  # noqa: F401 - here, so that it is loaded once and not in each document's process

from cosee.artifacts import files
from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.ledger import LedgerRow, OutputTable, Stamp
from cosee.artifacts.reasons import RETRIED
from cosee.machine import found_of
from cosee.pipeline import stamps
from cosee.pipeline.isolation import KILLED, Limits, Outcome, run_isolated
from cosee.pipeline.locks import locked
from cosee.pipeline.paths import GIVEN, Paths
from cosee.pipeline.progress import Progress
from cosee.pipeline.stage import DocFolder, Stage, StageFailure, StageResult
from cosee.pipeline.threads import run_threads

logger = logging.getLogger(__name__)


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


def run_shard(job: Job) -> list[LedgerRow]:
    """Run the job and write its ledger; returns the rows, in document order."""
    place = job.paths.place(job.stage.name, job.dataset, job.shard)
    with locked(place.lock):
        rows: dict[str, LedgerRow] = {}
        pending: list[tuple[DocFolder, dict[str, str]]] = []
        documents = _documents(job)
        for doc_id, blocked in documents:
            doc = job.paths.folder(job.dataset, doc_id)
            done, inputs = _row_without_running(job, doc, blocked)
            if done is None:
                pending.append((doc, inputs))
            else:
                rows[doc_id] = done
                # No stage but that of answers has it: what an earlier job spent counts into the budget of its run.
                if (kept := getattr(job.stage, "kept", None)) is not None:
                    kept(doc, job.settings)
        logger.info(
            "%s %s/%s: %d documents, %d to do", job.stage.name, job.dataset, job.shard, len(documents), len(pending)
        )
        with Progress(f"{job.stage.name} {job.dataset}/{job.shard}", len(pending)) as progress:
            for outcome, doc, inputs in _outcomes(job, pending):
                row = _finish(job, doc, inputs, outcome)
                rows[doc.doc_id] = row
                progress.step(row)
        ordered = [rows[doc_id] for doc_id, _ in documents]
        _write_table(place.outputs, ordered)
        save_rows(place.ledger, ordered)
    return ordered


def _documents(job: Job) -> list[tuple[str, LedgerRow | None]]:
    """(doc_id, the upstream row that blocks it or None), in document order."""
    if not job.upstream:
        rows_file = job.paths.rows(job.dataset, job.shard)
        return [(str(row["doc_id"]), None) for row in files.read_json(rows_file)]
    blocked: dict[str, LedgerRow | None] = {}
    for ledger in job.upstream:
        for row in load_rows(LedgerRow, ledger):
            stopped = row.status in ("failed", "skipped")
            blocked[row.doc_id] = blocked.get(row.doc_id) or (row if stopped else None)
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
    return stamps.still_valid(stamp, inputs, job.settings_sha256, job.code_sha256), inputs


def _linked_folder(doc: DocFolder) -> Path | None:
    """The document's folder, or one in it that outputs go to, where it is a symbolic link. PDFs, and the folders of
    other readers, are only read and may be links."""
    for folder in (doc.data, doc.index):
        if folder.is_symlink():
            return folder
        for entry in os.scandir(folder) if folder.is_dir() else ():
            if entry.is_symlink() and entry.is_dir() and entry.name not in GIVEN:
                return Path(entry.path)
    return None


def _outcomes(
    job: Job, pending: Sequence[tuple[DocFolder, dict[str, str]]]
) -> Iterator[tuple[Outcome[int], DocFolder, dict[str, str]]]:
    tasks: list[tuple[int, Callable[[], StageResult]]] = [
        (number, partial(_task, job, doc)) for number, (doc, _) in enumerate(pending)
    ]
    if job.stage.isolated and not getattr(job.settings, "opens_model", False):
        outcomes = run_isolated(tasks, job.limits, job.workers)
    else:
        # No stage but that of answers has it: the model's calls of several documents are then under way together.
        at_a_time = getattr(job.stage, "at_a_time", None)
        outcomes = run_threads(tasks, at_a_time(job.settings) if at_a_time is not None and tasks else 1)
    for outcome in outcomes:
        doc, inputs = pending[outcome.key]
        yield outcome, doc, inputs


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
        return replace(result, message="; ".join(filter(None, [result.message, note])))
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
            lacked=_absent(outcome.result.lacked),
        )
    else:
        assert outcome.failure is not None
        row = LedgerRow(
            doc_id=doc.doc_id,
            status="failed",
            reason=outcome.failure.reason,
            message=outcome.failure.message,
            inputs=inputs,
            lacked=_absent(outcome.failure.lacked),
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


def _absent(lacked: Sequence[str]) -> list[str]:
    """What a stage lacked; without what is there all the same, for which no redo would do anything new."""
    return sorted(set(lacked) - set(found_of(lacked)))


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
    lacked = sorted({name for row in rows for name in row.lacked})
    OutputTable(generation=generation, files=table, killed=killed, lacked=lacked).save(path)
