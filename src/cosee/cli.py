"""``cosee``: the command line. Every command is one function of ``cosee.commands``, loaded when it is called."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core
from rich.console import Console

from cosee.registry import IMPORTERS, METHODS

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Answers questions about long documents, and shows why.\n\n"
    "A folder of PDFs and a file of questions become a dataset ([b]init[/b]); [b]snakemake[/b] runs the pipeline over "
    "it; [b]show[/b] makes every file that it wrote readable, [b]export[/b] takes documents and evidence along. "
    "[b]ask[/b] needs none of that: one file, one question.",
    epilog='Start with:  cosee doctor  |  cosee ask report.pdf "What was revenue in 2023?"  |  make run',
)

Config = Annotated[Path, typer.Option("--config", "-c", help="The configuration.", show_default=True)]
DEFAULT_CONFIG = Path("config/config.yaml")


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            print(f"cosee {version('cosee')}")
        except PackageNotFoundError:
            print("cosee, run from its source without being installed")
        raise typer.Exit()


@app.callback()
def _start(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and end.")
    ] = False,
) -> None:
    pass


@app.command()
def new(
    project: Annotated[Path, typer.Argument(help="The folder to make.")],
) -> None:
    """Make a project folder: a Snakefile that uses the installed workflow, configurations, profiles, and the demo.

    Example:

      cosee new reports

      cd reports

      snakemake --cores all
    """
    from cosee.commands.new import new as command

    raise typer.Exit(command(project, Console()))


@app.command()
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
) -> None:
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
    raise typer.Exit(command(name, Console(), sources, config=config))


@app.command()
def ask(
    documents: Annotated[list[Path], typer.Argument(help="One document or several, or a folder of them.")],
    question: Annotated[str, typer.Argument(help="The question; '-' reads one a line from standard input.")],
    method: Annotated[
        str,
        typer.Option(help=f"Who answers: a method of the configuration, or {', '.join(METHODS.names())}."),
    ] = "cosee",
    model: Annotated[
        str | None,
        typer.Option(help="A name of config/models.yaml; default: the configuration's, else 'embedded': no model."),
    ] = None,
    stream: Annotated[bool, typer.Option(help="Print the trace as NDJSON while it happens, then the answer.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object an answer, and nothing else.")] = False,
    together: Annotated[
        bool, typer.Option(help="Ask all documents at once: one answer, from those that the question needs.")
    ] = False,
    config: Annotated[
        Path | None, typer.Option("--config", "-c", help="Settings of stages, methods and model; default: built in.")
    ] = None,
) -> None:
    """Ask documents a question: PDFs, office files, web pages, or pictures (PNG, JPEG, TIFF).

    A document is read and indexed once, in the cache folder; a second question about it is quick. Of several each is
    asked by itself, or with --together all of them at once.

    Examples:

      cosee ask report.pdf "What was revenue in 2023?"

      cosee ask report.pdf "How many line charts are there?" --method navigator --stream

      cosee ask reports/ scan.png - --json < questions.txt

      cosee ask reports/ "Which of the reports names the highest revenue?" --together
    """
    from cosee.commands.ask_all import ask_all as command

    if stream and as_json:
        raise typer.BadParameter("not together with --stream, which prints JSON of another kind", param_hint="--json")
    status = command(
        documents, question, method=method, model=model, stream=stream, as_json=as_json, config=config,
        together=together,
    )  # fmt: skip
    raise typer.Exit(status)


@app.command()
def serve(
    dataset: Annotated[str | None, typer.Argument(help="The dataset; may be left out where there is one.")] = None,
    config: Config = DEFAULT_CONFIG,
    model: Annotated[str | None, typer.Option(help="A name of config/models.yaml; default: the run's.")] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; by default nobody but this machine.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    concurrency: Annotated[
        int, typer.Option(min=1, help="Questions answered at a time; one for a model in this process.")
    ] = 4,
    seconds: Annotated[float, typer.Option(min=1, help="Time for one answer.")] = 300.0,
    body_bytes: Annotated[int, typer.Option(min=1024, help="Largest body of a request.")] = 65536,
) -> None:
    """Serve a page to ask on, and the decision agent behind it: POST /agentic_search streams its frames as NDJSON.

    Answers about the documents of one dataset that have been indexed, and no others. Open http://localhost:8000 in a
    browser; /docs describes the endpoint. Nothing can be uploaded, and no page asks another machine.

    Examples:

      cosee serve demo

      curl -N localhost:8000/agentic_search -H 'content-type: application/json'
      -d '{"doc_id": "atlas", "question": "Which firm audited the statements?"}'
    """
    from cosee.commands.search_service import Limits
    from cosee.commands.serve import serve as command

    limits = Limits(concurrency=concurrency, seconds=seconds, body_bytes=body_bytes)
    raise typer.Exit(command(dataset, config=config, model=model, host=host, port=port, limits=limits))


@app.command()
def mcp(
    dataset: Annotated[str | None, typer.Argument(help="The dataset; may be left out where there is one.")] = None,
    project: Annotated[
        Path | None, typer.Option(help="The project's folder, for an assistant that starts elsewhere; default: here.")
    ] = None,
    config: Config = DEFAULT_CONFIG,
    model: Annotated[str | None, typer.Option(help="A name of config/models.yaml; default: the run's.")] = None,
) -> None:
    """Offer a dataset's documents to an assistant as tools, by the Model Context Protocol over standard input.

    An assistant starts this itself, as its settings say: command 'cosee', arguments 'mcp --project FOLDER'. It can
    then list documents, see outlines, figures and pages, read, search and ask; nothing can be written. Only documents
    that have been indexed are offered. Needs pip install 'cosee\\[mcp]'.

    Examples:

      cosee mcp demo

      cosee mcp reports --project ~/reports --config config/reports.yaml
    """
    from cosee.commands.serve import serve_tools as command

    raise typer.Exit(command(dataset, config=config, model=model, project=project))


@app.command()
def quality(
    image: Annotated[Path, typer.Argument(help="The image: PNG, JPEG, TIFF, WebP, BMP, GIF or PPM.")],
    question: Annotated[str, typer.Argument(help="The question, e.g. 'is the table readable?'")],
    reference: Annotated[Path | None, typer.Option(help="A flawless version of the image to compare with.")] = None,
    model: Annotated[
        str | None, typer.Option(help="A name of config/models.yaml that plans and answers; default: by rules.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print plan, evidence and answer as JSON.")] = False,
    log: Annotated[Path | None, typer.Option(help="Append what was planned to this file, as JSON lines.")] = None,
    config: Annotated[
        Path | None, typer.Option("--config", "-c", help="Its section 'quality' is used; default: built in.")
    ] = None,
) -> None:
    """Answer a question about the quality of one image, and show the measurements behind the answer.

    Needs pip install 'cosee\\[quality]'; no model.

    Examples:

      cosee quality scan.png "is the table readable?"

      cosee quality photo.jpg "What is the SSIM?" --reference original.png
    """
    from cosee.commands.quality import Question
    from cosee.commands.quality import quality as command

    asked = Question(image, question, reference)
    raise typer.Exit(command(asked, Console(), model=model, as_json=as_json, log=log, config=config))


class _ShowCommand(typer.core.TyperCommand):
    """Lets ``--boxes`` stand without a value: the picture is then named after what it shows."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        made: list[str] = []
        for place, argument in enumerate(args):
            made.append(argument)
            after = args[place + 1 : place + 2]
            if argument == "--boxes" and (not after or after[0].startswith("-")):
                made.append("")
        return super().parse_args(ctx, made)


@app.command(cls=_ShowCommand)
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
    from cosee.commands.show import show as command

    console = Console()
    if boxes is None:
        command(file, console, page=page, item=item, limit=limit)
        return
    from cosee.artifacts import files
    from cosee.commands.views.page_pictures import draw_node, draw_page

    if (page is None) == (item is None):
        raise typer.BadParameter("needs --page N or --node ID, one of them", param_hint="--boxes")
    name = f"page{page}" if page is not None else files.safe_name(str(item))
    out = Path(boxes or f"{file.resolve().parent.name}.{name}.png")
    if page is not None:
        counts = draw_page(file, page, out)
        dropped = counts.pop("dropped", 0)
        also = f", {dropped} of dropped content" if dropped else ""
        message = f"{out}: page {page} with {counts.total()} boxes{also}"
    else:
        command(file, console, item=item, limit=limit)
        message = f"{out}: {draw_node(file, str(item), out)} regions of {item}"
    console.print(message, markup=False, highlight=False, soft_wrap=True)


@app.command()
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
) -> None:
    """Show which questions flip between two runs or methods, and at which stage the wrong side fell.

    The stage at fault is found by swapping one stage's output for an oracle's: another scorer, an extractor that
    cannot miss, the gold pages (the run's method oracle_pages, or --swap). docs/compare-and-ablate.md explains each.

    Examples:

      cosee compare demo:page_rag demo:cosee

      cosee compare before after --method cosee --json flips.json

      cosee compare demo:cosee ../yesterday/results/demo:cosee --swap
    """
    from cosee.commands.compare import compare as command

    raise typer.Exit(command(first, second, Console(), config=config, method=method, swap=swap, out=out, limit=limit))


@app.command()
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
) -> None:
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
        raise typer.Exit(export_answers(target, answers, Console(), config=config, out=out))

    chosen: dict[ExportKind, bool] = {"pdf": pdf, "tables": tables, "markdown": markdown, "html": html}
    kinds = [kind for kind, wanted in chosen.items() if wanted]
    raise typer.Exit(command(target, kinds, Console(), config=config, out=out))


@app.command()
def estimate(
    run: Annotated[str | None, typer.Argument(help="A run of the configuration; default: each.")] = None,
    sample: Annotated[
        int, typer.Option(min=0, help="Questions whose prompts are made, evenly spread; 0 makes all.")
    ] = 200,
    config: Config = DEFAULT_CONFIG,
) -> None:
    """Tell what a run will cost in calls, tokens, pictures and money, before a model is asked.

    Every method runs over the documents that are indexed, with all its searching and prompting, but asks nobody. Where
    the number of calls is open the figures are ranges. Prices stand in config/models.yaml (price:). The report sets the
    estimate beside what was spent.

    Examples:

      cosee estimate

      cosee estimate reports --sample 0 --config config/reports.yaml
    """
    from cosee.commands.estimate import estimate as command

    raise typer.Exit(command(run, Console(), config=config, sample=sample))


@app.command()
def doctor(
    config: Config = DEFAULT_CONFIG,
    keys: Annotated[bool, typer.Option(help="List every configuration key with its default instead.")] = False,
) -> None:
    """Tell what is installed, which models are where, and what a configuration would run.

    Ends with 1 where something that the configuration needs is missing.

    Examples:

      cosee doctor

      cosee doctor --config config/reports.yaml

      cosee doctor --keys
    """
    from cosee.commands.doctor import doctor as command

    raise typer.Exit(command(Console(), config, keys=keys))


@app.command()
def remove(
    dataset: Annotated[str, typer.Argument(help="The dataset: a folder of data/.")],
    documents: Annotated[list[str], typer.Argument(metavar="DOC...", help="Ids of documents, as in documents.tsv.")],
    config: Config = DEFAULT_CONFIG,
) -> None:
    """Take documents out of a project for good, with their questions and all that was made of them.

    Artifacts, indexes, journals, traces, rows, report and caches lose them; the sheet documents.tsv keeps their ids
    and digests, and the runs that had them are marked as changed. Your own copy of a file elsewhere is not touched.

    Examples:

      cosee remove reports annual_2019

      cosee remove reports annual_2019 annual_2020 --config config/reports.yaml
    """
    from cosee.commands.remove import remove as command

    raise typer.Exit(command(dataset, documents, config, Console()))


@app.command("run-stage")
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
) -> None:
    """Run one stage without Snakemake, by the same command and with the same bytes as its rule.

    It does not run the stages before it; 'snakemake --until STAGE' does.

    Examples:

      cosee run-stage adapt

      cosee run-stage answer --method cosee --redo --config config/reports.yaml
    """
    from cosee.commands.run_stage import Choice
    from cosee.commands.run_stage import run_stage as command

    choice = Choice(stage, dataset, shard, run, method, redo, workers)
    raise typer.Exit(command(choice, config, Console()))


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit status. A fault of the user is one line and status 2, no traceback."""
    from cosee.artifacts.files import JobFailure
    from cosee.pipeline.locks import LockHeld

    try:
        status = app(args=arguments, prog_name="cosee", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except JobFailure as error:
        _refuse(str(error))
        return 1
    except LockHeld as error:
        return _refuse(f"another run lives in this folder (process {error.holder}); wait for it or stop it")
    except BrokenPipeError:
        # The reader of a pipe (``| head``) has seen enough; Python must not complain about it at its end either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _refuse(f"{error.filename or 'file'}: {error.strerror or error}")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except _faults_of_the_user() as error:
        return _refuse(str(error))
    except Exception as error:
        return _wrong_line(error) if hasattr(error, "format_message") else _internal(error)


def _wrong_line(error: Any) -> int:
    """A command line that cannot be understood, in one line; without any command, the help."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return 2
    command = error.ctx.command_path if getattr(error, "ctx", None) is not None else "cosee"
    message = " ".join(str(error.format_message()).split()).rstrip(".")
    message = re.sub(r"Input should be a valid integer.*", "it must be a whole number", message)
    message = message.replace("Input should be", "it must be").replace("Possible options: ", "did you mean ")
    mark = "" if message.endswith("?") else ";"
    return _refuse(f"{message[:1].lower()}{message[1:]}{mark} '{command} -h' tells how it is called")


def _internal(error: Exception) -> int:
    """A fault of ours: one line, and the traceback in a file that can be sent."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile("w", prefix="cosee-error-", suffix=".txt", delete=False, encoding="utf-8") as file:
        file.write("".join(traceback.format_exception(error)))
    said = " ".join(str(error).split())[:200]
    told = f"internal error ({type(error).__name__}: {said})"
    _refuse(f"{told}; it is a fault of CoSee: please report it with {file.name}")
    return 1


def _faults_of_the_user() -> tuple[type[Exception], ...]:
    """Their classes, looked up once something has failed: importing all of them takes a tenth of a second."""
    from cosee.artifacts.files import ArtifactError
    from cosee.imaging.render import RenderError
    from cosee.models.calls import ModelError
    from cosee.pipeline.config import ConfigError
    from cosee.quality.graph import GraphError
    from cosee.quality.planner import PlannerError

    return ConfigError, ArtifactError, ModelError, RenderError, GraphError, PlannerError


def _refuse(message: str) -> int:
    sys.stderr.write(f"cosee: {message}\n")
    return 2


if __name__ == "__main__":
    raise SystemExit(main())
