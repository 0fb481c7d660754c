"""What a person types to make, check, run and change a project."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from cosee.commands.arguments.shared import DEFAULT_CONFIG, Config
from cosee.registry import IMPORTERS


def new(
    project: Annotated[Path, typer.Argument(help="The folder to make.")],
) -> int:
    """Make a project folder: a Snakefile that uses the installed workflow, configurations, profiles, and the demo.

    Example:

      cosee new reports

      cd reports

      snakemake --cores all
    """
    from cosee.commands.new import new as command

    return command(project, Console())


def init(
    name: Annotated[str, typer.Argument(help="Name of the dataset: folder data/NAME, configuration config/NAME.yaml.")],
    pdfs: Annotated[
        Path | None,
        typer.Option(
            "--documents",
            "--pdfs",
            help="A folder of PDFs, office files, web pages and pictures; subfolders count. With --from: where the "
            "benchmark's PDFs are.",
        ),
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(help="CSV, JSON lines or XLSX with at least the columns doc_id (or file) and question."),
    ] = None,
    qa: Annotated[
        Path | None, typer.Option(help="A folder with docs.jsonl, questions.jsonl and docs/; instead of the two above.")
    ] = None,
    benchmark: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="BENCHMARK",
            help=f"A published benchmark: {', '.join(IMPORTERS.names())}, or one that a plugin reads.",
        ),
    ] = None,
    path: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the benchmark's files as its authors publish them. Default: benchmarks.BENCHMARK of the "
            "configuration, else the folder COSEE_DATA (or its subfolder BENCHMARK), else data/BENCHMARK."
        ),
    ] = None,
    split: Annotated[
        str | None, typer.Option(help="The split, where the benchmark has several; its own first one by default.")
    ] = None,
    corrections: Annotated[
        Path | None,
        typer.Option(help="mmlongbench-doc-v2: its corrections.json, where --path is the first version's folder."),
    ] = None,
    passwords: Annotated[
        Path | None,
        typer.Option(help="CSV, JSON lines or XLSX with the columns file and password, for PDFs that are encrypted."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Take only the first so many documents that have questions.")
    ] = None,
    config: Annotated[
        Path, typer.Option("--config", "-c", help="Its section 'benchmarks' may say where files are.")
    ] = DEFAULT_CONFIG,
) -> int:
    """Make a dataset and its configuration from your PDFs and questions, or from a published benchmark.

    Writes data/NAME and config/NAME.yaml, tells what it could not take as it was (all of it in
    data/NAME/qa/import_report.json), and prints the next command. Nothing is downloaded.

    Examples:

      cosee init reports --documents ~/reports --questions questions.csv

      cosee init bench --qa ~/mmlongbench

      cosee init mpdoc --from mp-docvqa --path ~/MP-DocVQA --split val --limit 50
    """
    from cosee.commands.init import Sources
    from cosee.commands.init import init as command

    sources = Sources(pdfs, questions, qa, benchmark, path, split, corrections, limit, passwords)
    return command(name, Console(), sources, config=config)


def doctor(
    config: Config = DEFAULT_CONFIG,
    keys: Annotated[bool, typer.Option(help="List every configuration key with its default instead.")] = False,
) -> int:
    """Tell what is installed, which models are where, and what a configuration would run.

    Ends with 1 where something that the configuration needs is missing.

    Examples:

      cosee doctor

      cosee doctor --config config/reports.yaml

      cosee doctor --keys
    """
    from cosee.commands.doctor import doctor as command

    return command(Console(), config, keys=keys)


def remove(
    dataset: Annotated[str, typer.Argument(help="The dataset: a folder of data/.")],
    documents: Annotated[list[str], typer.Argument(metavar="DOC...", help="Ids of documents, as in documents.tsv.")],
    config: Config = DEFAULT_CONFIG,
) -> int:
    """Take documents out of a project for good, with their questions and all that was made of them.

    Artifacts, indexes, journals, traces, rows, report and caches lose them; the sheet documents.tsv keeps their ids
    and digests, and the runs that had them are marked as changed. Your own copy of a file elsewhere is not touched.

    Examples:

      cosee remove reports annual_2019

      cosee remove reports annual_2019 annual_2020 --config config/reports.yaml
    """
    from cosee.commands.remove import remove as command

    return command(dataset, documents, config, Console())


def run_stage(
    stage: Annotated[
        str,
        typer.Argument(
            help="adapt, enhance, build, index, questions, collection, answer, collect, evaluate or summarize."
        ),
    ],
    dataset: Annotated[str | None, typer.Option(help="Only this dataset.")] = None,
    shard: Annotated[str | None, typer.Option(help="Only this shard of documents.tsv, e.g. 0000.")] = None,
    run: Annotated[str | None, typer.Option(help="Only this run (answer, collect, evaluate).")] = None,
    method: Annotated[str | None, typer.Option(help="Only this method (answer, collect).")] = None,
    redo: Annotated[bool, typer.Option(help="Run every document again, whatever its stamp says.")] = False,
    workers: Annotated[int, typer.Option(min=1, help="Documents at a time, for stages that parse PDFs.")] = 1,
    config: Config = DEFAULT_CONFIG,
) -> int:
    """Run one stage without Snakemake, by the same command and with the same bytes as its rule.

    It does not run the stages before it; 'snakemake --until STAGE' does.

    Examples:

      cosee run-stage adapt

      cosee run-stage answer --method cosee --redo --config config/reports.yaml
    """
    from cosee.commands.run_stage import Choice
    from cosee.commands.run_stage import run_stage as command

    choice = Choice(stage, dataset, shard, run, method, redo, workers)
    return command(choice, config, Console())
