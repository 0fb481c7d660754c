"""``cosee``: the command line. Every command is one function of ``cosee.commands``, loaded when it is called."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from cosee.commands.arguments import asking, project, results

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


COMMANDS: tuple[Callable[..., Any], ...] = (
    project.new, project.init, asking.ask, asking.serve, asking.mcp, asking.quality, results.show, results.compare,
    results.export, results.estimate, project.doctor, project.remove, project.run_stage,
)  # fmt: skip
"""In the order of the help."""
for declared in COMMANDS:
    app.command(cls=results.ShowCommand if declared is results.show else None)(declared)


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
