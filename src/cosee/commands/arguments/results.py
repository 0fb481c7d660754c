"""What a person types to look at what a run made, to compare it and to take it along."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
import typer.core
from rich.console import Console

from cosee.commands.arguments.shared import DEFAULT_CONFIG, Config


class ShowCommand(typer.core.TyperCommand):
    """Lets ``--boxes`` stand without a value: the picture is then named after what it shows."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Put an empty name behind a ``--boxes`` that has none."""
        made: list[str] = []
        for place, argument in enumerate(args):
            made.append(argument)
            after = args[place + 1 : place + 2]
            if argument == "--boxes" and (not after or after[0].startswith("-")):
                made.append("")
        return super().parse_args(ctx, made)


def show(
    file: Annotated[Path, typer.Argument(help="Any file that the pipeline wrote.")],
    page: Annotated[int | None, typer.Option(min=1, help="Only this page, counted from 1.")] = None,
    item: Annotated[
        str | None, typer.Option("--id", "--node", help="Only this node, item, question or document, in full.")
    ] = None,
    boxes: Annotated[
        str | None,
        typer.Option(
            metavar="[PNG]",
            help="With --page: draw the page with the box of every node. With --node: cut out what the node covers. "
            "Without a name the picture is written to the current folder.",
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=0, help="Rows shown at most; 0 shows all.")] = 40,
) -> None:
    """Make any artifact readable: trees, content lists, index records, answers, traces, ledgers, metrics.

    A tree is shown as an outline with its pages, flags and quality report.

    A picture of a page has a box for every node: the colour is its type, the
    number its place in reading order, L2 the level of a heading. Grey is what
    was dropped, with the reason.

    Examples:

      cosee show results/metrics_summary.json

      cosee show data/demo/atlas/doctree.mm.json

      cosee show data/demo/atlas/doctree.mm.json --page 3 --boxes

      cosee show data/demo/atlas/doctree.mm.json --node tab_41 --boxes table.png

      cosee show results/demo/predictions/cosee.jsonl --id atlas-01
    """
    from cosee.commands.show import draw
    from cosee.commands.show import show as command

    if boxes is None:
        command(file, Console(), page=page, item=item, limit=limit)
    elif (page is None) == (item is None):
        raise typer.BadParameter("needs --page N or --node ID, one of them", param_hint="--boxes")
    else:
        draw(file, Console(), page=page, item=item, out=boxes, limit=limit)


def compare(
    first: Annotated[str, typer.Argument(metavar="RUN_A", help="RUN or RUN:METHOD; a run's name, or its folder.")],
    second: Annotated[str, typer.Argument(metavar="RUN_B", help="What it is compared with, written alike.")],
    method: Annotated[
        str | None, typer.Option(help="The method of both runs; default: every method that both have.")
    ] = None,
    swap: Annotated[
        bool,
        typer.Option(
            "--swap", help="Where a run has no oracle_pages, have its model answer the flips from their gold pages now."
        ),
    ] = False,
    out: Annotated[Path | None, typer.Option("--json", help="Also write everything to this file.")] = None,
    limit: Annotated[int, typer.Option(min=0, help="Flips shown at most; 0 shows all.")] = 40,
    config: Config = DEFAULT_CONFIG,
) -> int:
    """Show which questions flip between two runs or methods, and at which stage the wrong side fell.

    The stage at fault is found by swapping one stage's output for an oracle's: another scorer, an extractor that
    cannot miss, the gold pages (the run's method oracle_pages, or --swap). docs/compare-and-ablate.md explains each.

    Examples:

      cosee compare demo:page_rag demo:cosee

      cosee compare before after --method cosee --json flips.json

      cosee compare demo:cosee ../yesterday/results/demo:cosee --swap
    """
    from cosee.commands.compare import compare as command

    return command(first, second, Console(), config=config, method=method, swap=swap, out=out, limit=limit)


def export(
    target: Annotated[
        str, typer.Argument(metavar="RUN|FILE", help="A run of the configuration; or one PDF, or one doctree.mm.json.")
    ],
    pdf: Annotated[bool, typer.Option("--pdf", help="The PDF with its evidence highlighted.")] = False,
    tables: Annotated[bool, typer.Option("--tables", help="Every table as CSV, and all as one workbook.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="The document as Markdown, figures beside it.")] = False,
    html: Annotated[bool, typer.Option("--html", help="The document as one HTML file, figures in it.")] = False,
    answers: Annotated[
        str | None,
        typer.Option("--format", help="The run's answers instead: csv, xlsx, jsonl, or inspect (logs of inspect_ai)."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the exports of one file, or for answers; default: the current one, the run's."),
    ] = None,
    config: Config = DEFAULT_CONFIG,
) -> int:
    """Take documents and evidence along: marked PDFs, tables, Markdown, HTML. Without an option all four.

    A run's exports are written to results/RUN/exports; 'snakemake exports' makes them after the run. A file needs no
    run: a PDF is read as 'ask' reads it, and marked with the evidence of what was asked of it.

    Whatever is written has been read back: every text of the tree stands in it once and in order, every cell is
    there. No cell is a formula: in CSV one that begins like a formula gets an apostrophe, numbers stay as they are.

    Examples:

      cosee export demo --pdf

      cosee export report.pdf --tables --out tables

      cosee export data/demo/atlas/doctree.mm.json --markdown --html

      cosee export demo --format xlsx
    """
    from cosee.artifacts.results.export import ExportKind
    from cosee.commands.export import export as command
    from cosee.commands.export import export_answers

    if answers is not None:
        return export_answers(target, answers, Console(), config=config, out=out)

    chosen: dict[ExportKind, bool] = {"pdf": pdf, "tables": tables, "markdown": markdown, "html": html}
    kinds = [kind for kind, wanted in chosen.items() if wanted]
    return command(target, kinds, Console(), config=config, out=out)


def estimate(
    run: Annotated[str | None, typer.Argument(help="A run of the configuration; default: each.")] = None,
    sample: Annotated[
        int, typer.Option(min=0, help="Questions whose prompts are made, evenly spread; 0 makes all.")
    ] = 200,
    config: Config = DEFAULT_CONFIG,
) -> int:
    """Tell what a run will cost in calls, tokens, pictures and money, before a model is asked.

    Every method runs over the documents that are indexed, with all its searching and prompting, but asks nobody. Where
    the number of calls is open the figures are ranges. Prices stand in config/models.yaml (price:). The report sets the
    estimate beside what was spent.

    Examples:

      cosee estimate

      cosee estimate reports --sample 0 --config config/reports.yaml
    """
    from cosee.commands.estimate import estimate as command

    return command(run, Console(), config=config, sample=sample)
