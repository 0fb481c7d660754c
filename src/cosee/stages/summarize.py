"""M4, second half: the runs' metrics to ``metrics_summary.json`` and the static report."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from cosee.artifacts.datasets.documents import current, load_sheet
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.files import ArtifactError, DiskFailure, safe_name
from cosee.artifacts.ledger import LedgerRow
from cosee.artifacts.results.metrics import Costs, Metrics, MetricsSummary
from cosee.artifacts.results.trace import TraceEvent, load_trace
from cosee.evaluation.results import join
from cosee.evaluation.run_summary import summarize
from cosee.pipeline.job import begin, project_arguments
from cosee.pipeline.paths import Paths
from cosee.report.build import build_site
from cosee.report.views import DocumentView, RunView, SiteInput, pages_of_documents, shown_pages
from cosee.runs import files as run_files
from cosee.runs.page_pictures import PageRenderer, RendererDied
from cosee.runs.provenance import other_runs, stale

logger = logging.getLogger(__name__)


def summarize_runs(
    paths: Paths, runs: Sequence[str], failure_budget: float, *, pictures: bool = True, workers: int = 1
) -> MetricsSummary:
    """Write the summary of these runs, and the site of these and of every other run of the results folder.

    Raises:
        ArtifactError: an input of these runs cannot be read.
    """
    with PageRenderer(paths, workers) as renderer:
        return _summarize(paths, runs, failure_budget, renderer if pictures else None)


def _summarize(
    paths: Paths, runs: Sequence[str], failure_budget: float, renderer: PageRenderer | None
) -> MetricsSummary:
    views = [_run_view(paths, run) for run in runs]
    summary = summarize([view.metrics for view in views], failure_budget)
    views += _other_views(paths, runs)
    datasets = list(dict.fromkeys(dataset for view in views for dataset in view.metrics.datasets))
    documents = [document for dataset in datasets for document in _documents(paths, dataset, views)]
    wanted = {page for view in views for page in shown_pages(view.results)}
    wanted |= pages_of_documents(documents)
    content = SiteInput(
        runs=views,
        documents=documents,
        pages=renderer.render(sorted(wanted)) if renderer else {},
    )
    written = build_site(content, paths.results / "report")
    logger.info("%s: %d files", paths.results / "report", len(written))
    # The summary last: it is there only when the report is.
    summary.save(paths.results / "metrics_summary.json")
    return summary


def _other_views(paths: Paths, runs: Sequence[str]) -> Iterator[RunView]:
    """Earlier runs of the results folder, with what changed since; one that can no longer be read is left out."""
    for run in other_runs(paths, runs):
        try:
            view = _run_view(paths, run)
        except (ArtifactError, ValueError) as error:
            logger.warning("run %s is left out of the report: %s", run, error)
            continue
        yield replace(view, stale=list(stale(paths, view.metrics)), listed=False)


def _run_view(paths: Paths, run: str) -> RunView:
    metrics = Metrics.load(paths.results / run / "metrics.json")
    questions = run_files.questions_of(paths, metrics.datasets)
    first = next(iter(metrics.methods.values())).all
    recall_at = [int(k) for k in first.pages.recall]
    results = {
        method: join(
            questions,
            run_files.load_predictions(paths, run, method),
            recall_at,
            run_files.load_judgements(paths, run, method) if metrics.provenance.judge else None,
            run_files.load_checks(paths, run, method) if metrics.provenance.evidence else None,
        )[0]
        for method in metrics.method_order
    }
    costs = paths.results / run / "costs.json"
    return RunView(
        metrics,
        results,
        _trace_reader(paths, run),
        Costs.load(costs) if costs.exists() else None,
        run_files.method_settings(paths, run),
    )


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


def _documents(paths: Paths, dataset: str, views: Sequence[RunView]) -> list[DocumentView]:
    statuses: dict[str, list[tuple[str, LedgerRow]]] = {}
    for number, view in enumerate(view for view in views if dataset in view.metrics.datasets):
        for stage, rows in run_files.ledgers(paths, view.name, dataset, view.metrics.method_order):
            # Every run's ledgers begin with the same stages of the dataset.
            name = stage if not stage.startswith("answer") else f"{stage} ({view.name})"
            if number == 0 or stage.startswith("answer"):
                for doc_id, row in rows.items():
                    statuses.setdefault(doc_id, []).append((name, row))
    documents = []
    for doc_id in sorted(current(load_sheet(paths.sheet(dataset)))):
        tree, note = None, "There is no tree of this document."
        path = paths.folder(dataset, doc_id).data / "doctree.mm.json"
        if path.exists():
            try:
                tree = DocTree.load(path)
            except ArtifactError as error:
                logger.warning("%s", error)
                note = "The tree of this document cannot be read."
        documents.append(DocumentView(dataset, doc_id, tree, note, statuses.get(doc_id, [])))
    return documents


def main(argv: list[str] | None = None) -> int:
    """Run from the command line; returns the exit status: 1 for a broken disk, 2 for wrong arguments or inputs.

    A failure budget that is overrun is in the summary, not in the exit status: the files must stay.
    """
    parser = argparse.ArgumentParser(prog="python -m cosee.stages.summarize", description=__doc__)
    parser.add_argument("--runs", nargs="+", required=True, help="names of runs below --results")
    parser.add_argument("--budget-of-failures", type=float, default=0.5, help="share of failures that is accepted")
    parser.add_argument("--no-pictures", action="store_true", help="leave the rendered pages out of the report")
    parser.add_argument("--workers", type=int, default=1, help="documents whose pages are rendered side by side")
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
