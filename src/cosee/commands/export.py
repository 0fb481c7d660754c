"""``cosee export``: a run's documents, or one document without a run, as marked PDFs, tables, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from cosee.artifacts.files import ArtifactError
from cosee.artifacts.results.export import ExportKind
from cosee.commands.ask import settings_of
from cosee.commands.console import line, show_table
from cosee.commands.document import Document
from cosee.export.documents import Source
from cosee.pipeline.config import ConfigError, read_config
from cosee.pipeline.isolation import Limits, run_isolated
from cosee.pipeline.paths import Paths
from cosee.stages.export import KINDS, export_run, exporting

TREE = "doctree.mm.json"


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
    failed, told = 0, []
    for kind in kinds or KINDS:
        rows = export_run(paths, target, kind, run.datasets, methods, settings.limits)
        for row in rows:
            files = f"{len(row.outputs)} files" if row.status == "ok" else f"{row.reason}: {row.message}"
            told.append((kind, row.dataset, row.doc_id, row.status, row.counts, files))
            failed += row.status == "failed"
    show_table(console, "", ("form", "dataset", "document", "status", "holds", "written"), told)
    line(console, f"in {paths.results / target / 'exports'}")
    return int(failed > 0)


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
            for written in outcome.result.outputs[:3]:
                line(console, written)
            more = len(outcome.result.outputs) - 3
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
