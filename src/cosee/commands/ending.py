"""The end of a run in a terminal: its methods side by side, what failed, and where the report is."""

from __future__ import annotations

import shutil
from io import StringIO
from pathlib import Path

from rich.console import Console

from cosee.artifacts.results.metrics import MetricsSummary
from cosee.commands.console import line
from cosee.commands.thresholds import FILE_TERMINAL_WIDTH
from cosee.commands.views.result_views import show_methods


def ending(results: Path) -> str:
    """What ``metrics_summary.json`` says, in a few lines. Empty where there is none, as after a part of the stages.

    Raises:
        ArtifactError: it cannot be read.
    """
    path = results / "metrics_summary.json"
    if not path.exists():
        return ""
    out = StringIO()
    console = Console(file=out, width=shutil.get_terminal_size((FILE_TERMINAL_WIDTH, 0)).columns)
    summary = MetricsSummary.load(path)
    show_methods(summary, console)
    tables = [table for run in summary.runs if (table := results / run / "answers.xlsx").exists()]
    for words in (
        f"more: cosee show {path}",
        *(f"answers: {table}, .csv" for table in tables),
        f"report: {results / 'report' / 'index.html'}",
    ):
        line(console, words)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())
