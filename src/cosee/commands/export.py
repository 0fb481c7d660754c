"""``cosee export``: a run's documents, or one document without a run, as marked PDFs, tables, Markdown and HTML."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.results.export import ExportKind
from cosee.commands.ask import settings_of
from cosee.commands.console import line, show_table
from cosee.commands.document import Document
from cosee.commands.thresholds import OUTPUTS_SHOWN
from cosee.export.answers import answer_table, answers_csv, answers_jsonl, answers_workbook
from cosee.export.documents import Source
from cosee.export.inspect_log import inspect_log
from cosee.pipeline.config import ConfigError, read_config
from cosee.pipeline.isolation import Limits, run_isolated
from cosee.pipeline.paths import Paths
from cosee.runs import files as run_files
from cosee.stages.export import KINDS, export_run, exporting
from cosee.stages.tabulate import run_results
from cosee.text.counts import counted

TREE = "doctree.mm.json"
FORMATS = ("csv", "xlsx", "jsonl", "inspect")
"""Forms of a run's answers; ``inspect`` is the log of inspect_ai."""


def export(target: str, kinds: Sequence[ExportKind], console: Console, *, config: Path, out: Path | None) -> int:
    """Write the forms asked for, all of them where none is; returns 1 where a document could not be exported.

    ``target`` is a run of the configuration, a tree of ours, or a PDF, which is then read as ``cosee ask`` reads it.

    Raises:
        ArtifactError: the file, or what the run wrote, cannot be used.
        ConfigError: there is neither a run nor a file of this name.
    """
    path = Path(target)
    if path.is_file():
        return _export_file(path, kinds, console, out or Path())
    settings = read_config(config)
    if target not in settings.runs:
        raise ConfigError(f"export: {target!r} is no file and no run of {config}; runs: {', '.join(settings.runs)}")
    if out is not None:
        raise ConfigError("export: --out is for a single file; a run's exports are in results/RUN/exports")
    paths = Paths(Path(settings.data_dir), Path(settings.indexes_dir), Path(settings.results_dir))
    run = settings.runs[target]
    methods = [method.label for method in run.methods]
    if not all((paths.results / target / "predictions" / f"{method}.jsonl").exists() for method in methods):
        raise ArtifactError(f"{paths.results / target}: the run {target!r} has no answers yet; run snakemake first")
    failed, told = 0, []
    for kind in kinds or KINDS:
        rows = export_run(paths, target, kind, run.datasets, methods, settings.limits)
        for row in rows:
            files = counted(len(row.outputs), "file") if row.status == "ok" else f"{row.reason}: {row.message}"
            told.append((kind, row.dataset, row.doc_id, row.status, row.counts, files))
            failed += row.status == "failed"
    show_table(console, "", ("form", "dataset", "document", "status", "holds", "written"), told)
    line(console, f"in {paths.results / target / 'exports'}")
    return int(failed > 0)


def export_answers(run: str, form: str, console: Console, *, config: Path, out: Path | None) -> int:
    """Write a run's answers in one of ``FORMATS``: a file, or of inspect_ai's logs one a method.

    Raises:
        ArtifactError: what the run wrote cannot be used.
        ConfigError: there is no such form, or no such run.
    """
    settings = read_config(config)
    if form not in FORMATS:
        raise ConfigError(f"export: there is no format {form!r}; formats are {', '.join(FORMATS)}")
    if run not in settings.runs:
        raise ConfigError(f"export: {run!r} is no run of {config}; runs: {', '.join(settings.runs)}")
    paths = Paths(Path(settings.data_dir), Path(settings.indexes_dir), Path(settings.results_dir))
    methods = [method.label for method in settings.runs[run].methods]
    judged = settings.evaluate.judge is not None
    results = run_results(paths, run, methods, settings.runs[run].datasets, judged=judged)
    folder = out or paths.results / run / "exports"
    if form == "inspect":
        told = run_files.method_settings(paths, run)
        for method in methods:
            collected = (paths.results / run / "predictions" / f"{method}.jsonl").stat().st_mtime
            created = datetime.fromtimestamp(collected, UTC).isoformat(timespec="seconds")
            log = inspect_log(run, method, results[method], created=created, settings=told.get(method, {}))
            # The viewer lists files of this name alone; one of earlier answers would stand beside it.
            name = f"{files.safe_name(f'{run}-{method}').replace('_', '-')}_{log['eval']['task_id']}.json"
            for earlier in (folder / "inspect").glob(f"*_{name}"):
                earlier.unlink()
            written = folder / "inspect" / f"{created.replace(':', '-')}_{name}"
            # In this order: its readers take the header from the front without the samples.
            files.write_text(written, json.dumps(log, ensure_ascii=False, allow_nan=False))
            line(console, written)
        line(console, f"look at them: inspect view --log-dir {folder / 'inspect'}", "dim")
        return 0
    rows = answer_table(results)
    target = folder / f"answers.{form}"
    if form == "xlsx":
        files.write_bytes(target, answers_workbook(rows))
    else:
        files.write_text(target, answers_csv(rows) if form == "csv" else answers_jsonl(rows))
    line(console, f"{target}: {len(rows)} answers")
    return 0


def _export_file(path: Path, kinds: Sequence[ExportKind], console: Console, out: Path) -> int:
    source = _source(path)
    if "pdf" in kinds and not (source.folder / "full.pdf").is_file():
        raise ArtifactError(
            f"{source.folder / 'full.pdf'}: no such file; evidence is marked in the PDF beside the tree"
        )
    wanted = kinds or [kind for kind in KINDS if kind != "pdf" or source.answers]
    failed = 0
    tasks = [(kind, exporting(kind, source, out)) for kind in wanted]
    for outcome in run_isolated(tasks, Limits(), 1):
        if outcome.failure is not None:
            failed += 1
            line(console, f"{outcome.key}: {outcome.failure.reason}: {outcome.failure.message}")
        else:
            assert outcome.result is not None
            for written in outcome.result.outputs[:OUTPUTS_SHOWN]:
                line(console, written)
            more = len(outcome.result.outputs) - OUTPUTS_SHOWN
            counts = ", ".join(f"{count} {name}" for name, count in outcome.result.counts.items())
            line(console, f"{outcome.key}: {counts}" + (f", and {more} more files" if more > 0 else ""), "dim")
    return int(failed > 0)


def _source(path: Path) -> Source:
    """A tree lies in its document's folder; a PDF is read, and has the answers that were ever asked of it."""
    if path.name == TREE:
        return Source(path.parent, path.resolve().parent.name)
    document = Document(path, settings_of(None))
    asked = document.answers()
    _ = document.tree  # read now, so that a file that cannot be read is told of once
    return Source(
        document.folder, path.stem, [answer for _, answer in asked],
        {answer.question_id: question for question, answer in asked},
    )  # fmt: skip
