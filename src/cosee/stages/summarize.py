"""M4, second half: the runs' metrics to ``metrics_summary.json`` and the static report."""

from __future__ import annotations

import argparse
import hashlib
import logging
import sys
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.datasets.documents import current, load_sheet
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.files import ArtifactError, DiskFailure, safe_name
from cosee.artifacts.results.costs import Costs
from cosee.artifacts.results.estimate import Estimate
from cosee.artifacts.results.metrics import MetricsSummary
from cosee.artifacts.results.trace import TraceEvent, load_trace
from cosee.evaluation.run_summary import summarize
from cosee.pipeline.code_closure import stage_code
from cosee.pipeline.garbage_collection import seldom_collected
from cosee.pipeline.job import begin, project_arguments
from cosee.pipeline.ledger_lines import read_row
from cosee.pipeline.paths import Paths
from cosee.report import kept
from cosee.report.build import build_site
from cosee.report.kept import DocumentKey
from cosee.report.thresholds import SMALL_REPORT
from cosee.report.views import DocumentView, RunView, SiteInput, pages_of_document, shown_pages
from cosee.runs import files as run_files
from cosee.runs.page_pictures import PageRenderer, RendererDied
from cosee.runs.provenance import other_runs, stale
from cosee.runs.report_source import RunSource, state_of

logger = logging.getLogger(__name__)
TREE = "doctree.mm.json"


@seldom_collected
def summarize_runs(
    paths: Paths,
    runs: Sequence[str],
    failure_budget: float,
    *,
    pictures: bool = True,
    workers: int = 1,
    redo: bool = False,
) -> MetricsSummary:
    """Write the summary of these runs, and the site of these and of every other run of the results folder. The pages of
    unchanged documents stay unless ``redo`` is given.

    Raises:
        ArtifactError: an input of these runs cannot be read.
    """
    with PageRenderer(paths, workers) as renderer:
        return _summarize(paths, runs, failure_budget, renderer if pictures else None, redo=redo)


def _summarize(
    paths: Paths,
    runs: Sequence[str],
    failure_budget: float,
    renderer: PageRenderer | None,
    *,
    redo: bool,
    without: Collection[str] = (),
) -> MetricsSummary:
    """``without`` are earlier runs that turned out to be faulty."""
    sources = [RunSource(paths, run) for run in runs]
    summary = summarize([source.metrics for source in sources], failure_budget)
    others = [source for source in _other_sources(paths, runs) if source.metrics.run not in without]
    sources += others
    datasets = list(dict.fromkeys(dataset for source in sources for dataset in source.metrics.datasets))
    sheets = {dataset: current(load_sheet(paths.sheet(dataset))) for dataset in datasets}
    present = [(dataset, doc_id) for dataset in datasets for doc_id in sorted(sheets[dataset])]
    small = sum(row.pages for sheet in sheets.values() for row in sheet.values()) <= SMALL_REPORT
    statuses = {dataset: _statuses(paths, dataset, sources) for dataset in datasets}
    digests = _digests(paths, sources, present, statuses, [renderer is not None, small])
    target, memory = paths.results / "report", paths.results / ".stamps" / "report.jsonl"
    earlier = {} if redo else kept.load(memory, kept.standing_files(target))
    same = {key: earlier[key] for key, digest in digests.items() if key in earlier and earlier[key].digest == digest}
    changed = {key: digest for key, digest in digests.items() if key not in same}
    views = [_run_view(paths, source, changed) for source in sources[: len(runs)]]
    for source in others:
        try:
            view = _run_view(paths, source, changed)
        except (ArtifactError, ValueError) as error:
            logger.warning("run %s is left out of the report: %s", source.metrics.run, error)
            faulty = {*without, source.metrics.run}
            return _summarize(paths, runs, failure_budget, renderer, redo=redo, without=faulty)
        views.append(replace(view, stale=list(stale(paths, view.metrics)), listed=False))
    documents = [_document(paths, *key, statuses[key[0]]) for key in present if key in changed]
    wanted = {page for view in views for page in shown_pages(view.results)}
    wanted.update(page for document in documents for page in pages_of_document(document, all_of_it=small))
    pages = renderer.render(sorted(wanted)) if renderer else {}
    written, shown = build_site(SiteInput(views, present, changed, documents, same, pages), target)
    logger.info("%s: %d files, those of %d documents anew", target, len(written), len(changed))
    # A page that could not be rendered is tried again next time.
    unrendered = {key[:2] for key, page in pages.items() if page.picture is None}
    kept.save(memory, {key: each for key, each in shown.items() if key not in unrendered}, target)
    # The summary last: it is there only when the report is.
    summary.save(paths.results / "metrics_summary.json")
    return summary


def _other_sources(paths: Paths, runs: Sequence[str]) -> Iterator[RunSource]:
    """Earlier runs of the results folder; one that can no longer be read is left out."""
    for run in other_runs(paths, runs):
        try:
            yield RunSource(paths, run)
        except (ArtifactError, ValueError) as error:
            logger.warning("run %s is left out of the report: %s", run, error)


Statuses = Mapping[str, Sequence[tuple[str, bytes]]]
"""Document -> stage and line of each of its ledger rows."""


def _statuses(paths: Paths, dataset: str, sources: Sequence[RunSource]) -> Statuses:
    statuses: dict[str, list[tuple[str, bytes]]] = {}
    for number, metrics in enumerate(each.metrics for each in sources if dataset in each.metrics.datasets):
        for stage, rows in run_files.ledgers(paths, metrics.run, dataset, metrics.method_order):
            # Every run's ledgers begin with the same stages of the dataset.
            name = stage if not stage.startswith("answer") else f"{stage} ({metrics.run})"
            if number == 0 or stage.startswith("answer"):
                for doc_id, row in rows.items():
                    statuses.setdefault(doc_id, []).append((name, row))
    return statuses


def _digests(
    paths: Paths,
    sources: Sequence[RunSource],
    present: Sequence[DocumentKey],
    statuses: Mapping[str, Statuses],
    pictures: Sequence[bool],
) -> dict[DocumentKey, str]:
    """Each document, and each that only questions name -> one hash over all that its pages show."""
    shared = [stage_code("summarize").sha256, version("jinja2"), pictures]
    shared += [[each.metrics.run, each.metrics.method_order, each.recall_at] for each in sources]
    start = hashlib.sha256(files.canonical_json(shared).encode())
    known = set(present)
    keys = dict.fromkeys([*present, *((dataset, doc_id) for each in sources for dataset, doc_id, _ in each.order)])
    hashes = {key: start.copy() for key in keys}
    for key in keys:
        hashes[key].update(b"present" if key in known else b"absent")

    def mark(key: DocumentKey, name: str, line: bytes) -> None:
        hashes[key].update(b"%b\0%b\n" % (name.encode(), line))

    for source in sources:
        source.mark(mark)
    for dataset, doc_id in keys:
        for stage, line in statuses[dataset].get(doc_id, ()):
            mark((dataset, doc_id), stage, line)
        for name in (TREE, "full.pdf"):
            mark((dataset, doc_id), name, state_of(f"{paths.data}/{dataset}/{doc_id}/{name}"))
    return {key: each.hexdigest() for key, each in hashes.items()}


def _run_view(paths: Paths, source: RunSource, changed: Container[DocumentKey]) -> RunView:
    run = source.metrics.run
    costs = paths.results / run / "costs.json"
    return RunView(
        source.metrics,
        source.order,
        source.results(changed),
        source.results,
        _trace_reader(paths, run),
        source.gold,
        Costs.load(costs) if costs.exists() else None,
        run_files.method_settings(paths, run),
        estimate=_estimate(paths.results / run / "estimate.json"),
    )


def _estimate(path: Path) -> Estimate | None:
    """What was expected; None where nobody asked, or where another version wrote it: the run does not hang on it."""
    try:
        return Estimate.load(path) if path.exists() else None
    except ArtifactError as error:
        logger.warning("%s; 'cosee estimate' makes it anew", error)
        return None


def _trace_reader(paths: Paths, run: str) -> Callable[[str, str, str], Sequence[TraceEvent] | str]:
    def read(method: str, dataset: str, question_id: str) -> Sequence[TraceEvent] | str:
        path = paths.results / run / "traces" / method / dataset / f"{safe_name(question_id)}.ndjson"
        if not path.exists():
            return "No trace was recorded."
        try:
            return load_trace(path)
        except ArtifactError as error:
            logger.warning("%s", error)
            return "The trace cannot be read."

    return read


def _document(paths: Paths, dataset: str, doc_id: str, statuses: Statuses) -> DocumentView:
    tree, note = None, "There is no tree of this document."
    path = paths.folder(dataset, doc_id).data / TREE
    if path.exists():
        try:
            tree = DocTree.load(path)
        except ArtifactError as error:
            logger.warning("%s", error)
            note = "The tree of this document cannot be read."
    rows = [(name, read_row(line, f"ledger of {name}")) for name, line in statuses.get(doc_id, ())]
    return DocumentView(dataset, doc_id, tree, note, rows)


def main(argv: list[str] | None = None) -> int:
    """Run from the command line; returns the exit status: 1 for a broken disk, 2 for wrong arguments or inputs.

    A failure budget that is overrun is in the summary, not in the exit status: the files must stay.
    """
    parser = argparse.ArgumentParser(prog="python -m cosee.stages.summarize", description=__doc__)
    parser.add_argument("--runs", nargs="+", required=True, help="names of runs below --results")
    parser.add_argument("--budget-of-failures", type=float, default=0.5, help="share of failures that is accepted")
    parser.add_argument("--no-pictures", action="store_true", help="leave the rendered pages out of the report")
    parser.add_argument("--workers", type=int, default=1, help="documents whose pages are rendered side by side")
    parser.add_argument("--redo", type=int, default=0, help="1: write every page again, whatever its stamp says")
    project_arguments(parser)
    arguments = parser.parse_args(argv)
    paths = begin(arguments)
    try:
        summary = summarize_runs(
            paths,
            arguments.runs,
            arguments.budget_of_failures,
            pictures=not arguments.no_pictures,
            workers=max(arguments.workers, 1),
            redo=bool(arguments.redo),
        )
    except (ArtifactError, DiskFailure, RendererDied) as error:
        sys.stderr.write(f"summarize: {error}\n")
        return 2 if isinstance(error, ArtifactError) else 1
    for run, block in summary.runs.items():
        if not block.within_budget:
            logger.warning("%s: failures %s exceed the budget of %g", run, block.failure_shares, summary.failure_budget)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
