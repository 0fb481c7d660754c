"""What a person types to ask, of documents and of one image."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from cosee.commands.arguments.shared import DEFAULT_CONFIG, Config
from cosee.registry import METHODS


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
) -> int:
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
    return status


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
) -> int:
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
    return command(dataset, config=config, model=model, host=host, port=port, limits=limits)


def mcp(
    dataset: Annotated[str | None, typer.Argument(help="The dataset; may be left out where there is one.")] = None,
    project: Annotated[
        Path | None, typer.Option(help="The project's folder, for an assistant that starts elsewhere; default: here.")
    ] = None,
    config: Config = DEFAULT_CONFIG,
    model: Annotated[str | None, typer.Option(help="A name of config/models.yaml; default: the run's.")] = None,
) -> int:
    """Offer a dataset's documents to an assistant as tools, by the Model Context Protocol over standard input.

    An assistant starts this itself, as its settings say: command 'cosee', arguments 'mcp --project FOLDER'. It can
    then list documents, see outlines, figures and pages, read, search and ask; nothing can be written. Only documents
    that have been indexed are offered. Needs pip install 'cosee\\[mcp]'.

    Examples:

      cosee mcp demo

      cosee mcp reports --project ~/reports --config config/reports.yaml
    """
    from cosee.commands.serve import serve_tools as command

    return command(dataset, config=config, model=model, project=project)


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
) -> int:
    """Answer a question about the quality of one image, and show the measurements behind the answer.

    Needs pip install 'cosee\\[quality]'; no model.

    Examples:

      cosee quality scan.png "is the table readable?"

      cosee quality photo.jpg "What is the SSIM?" --reference original.png
    """
    from cosee.commands.quality import quality as command

    return command(
        image, question, Console(), reference=reference, model=model, as_json=as_json, log=log, config=config
    )
