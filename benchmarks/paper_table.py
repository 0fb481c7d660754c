"""Fills the table of a paper's run in docs/reproduce.md: ``python -m benchmarks.paper_table mmlongbench``.

``--config`` and ``--docs`` name other files; ``--empty`` writes the table without figures. A method answered with
several seeds has the mean and the sample standard deviation over them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.common import ROOT
from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.results.metrics import Block, MetricsSummary, RunSummary, SeedGroup
from cosee.pipeline.config import Config, ConfigError, read_config

COLUMNS = {
    "accuracy": "accuracy",
    "f1": "F1",
    "page_recall@5": "page recall@5",
    "cited_page_f1": "cited pages F1",
    "evidence_sufficient": "evidence sufficient",
    "tokens_in": "tokens read a question",
}
"""Figure of a seed group -> heading."""


def main(argv: list[str] | None = None) -> int:
    """Write the table; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.paper_table", description=__doc__)
    parser.add_argument("name", help="mmlongbench or longdocurl: config/paper_<name>.yaml")
    parser.add_argument("--config", type=Path, help="another configuration")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs" / "reproduce.md")
    parser.add_argument("--empty", action="store_true", help="write the table without figures")
    options = parser.parse_args(argv)
    try:
        config = read_config(options.config or ROOT / "config" / f"paper_{options.name}.yaml")
        place = Path(config.results_dir) / "metrics_summary.json"
        runs = {} if options.empty else MetricsSummary.load(place).runs
        filled = between(files.read_bytes(options.docs).decode(), options.name, "\n".join(table(config, runs)))
    except (ArtifactError, ConfigError, ValueError) as error:
        sys.stderr.write(f"paper_table: {error}\n")
        return 2
    files.write_text(options.docs, filled)
    return 0


def table(config: Config, runs: Mapping[str, RunSummary]) -> Iterator[str]:
    """The lines of the table: a row for each run and method of the configuration, figures where there are some."""
    yield f"| run | method | {' | '.join(COLUMNS.values())} |"
    yield f"| --- | --- |{' --- |' * len(COLUMNS)}"
    for run, settings in config.runs.items():
        for method in dict.fromkeys(each.family for each in settings.methods):
            yield f"| {run} | `{method}` | {' | '.join(_figures(runs.get(run), method))} |"


def between(text: str, name: str, lines: str) -> str:
    """A page with ``lines`` between its marks for a table; raises ValueError where it has none."""
    first, last = f"<!-- paper {name} -->", f"<!-- /paper {name} -->"
    before, found, rest = text.partition(first)
    _, ended, after = rest.partition(last)
    if not found or not ended:
        raise ValueError(f"the page has no table between {first!r} and {last!r}")
    return f"{before}{first}\n\n{lines}\n\n{last}{after}"


def _figures(run: RunSummary | None, method: str) -> Iterator[str]:
    group = next((each for each in run.seeds if each.method == method), None) if run is not None else None
    block = run.methods.get(method) if run is not None else None
    for figure in COLUMNS:
        yield _of_seeds(group, figure) if group is not None else _of_block(block, figure)


def _of_seeds(group: SeedGroup, figure: str) -> str:
    spread = group.figures.get(figure)
    if spread is None:
        return ""
    digits = 0 if figure == "tokens_in" else 3
    return f"{spread.mean:.{digits}f}" + (f" ± {spread.sd:.{digits}f}" if spread.sd is not None else "")


def _of_block(block: Block | None, figure: str) -> str:
    if block is None:
        return ""
    found = {
        "accuracy": block.accuracy,
        "f1": block.f1,
        "page_recall@5": block.pages.recall.get("5"),
        "cited_page_f1": block.cited_pages.f1,
        "evidence_sufficient": block.measures.get("evidence_sufficient"),
        "tokens_in": block.usage.tokens_in,
    }
    value = found[figure]
    return "" if value is None else f"{value:.0f}" if figure == "tokens_in" else f"{value:.3f}"


if __name__ == "__main__":
    raise SystemExit(main())
