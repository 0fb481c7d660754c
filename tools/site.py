"""What ``make docs`` adds to the pages of ``docs/``: the reference that is made of code, the accepted figures of the
benchmarks, and the pages that lie elsewhere in the repository. A hook of MkDocs, named in ``mkdocs.yml``.
"""

from __future__ import annotations

import json
import posixpath
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from cosee import _HOMES
from cosee.cli import app

ROOT = Path(__file__).resolve().parents[1]
ELSEWHERE = {
    "readme.md": "README.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "report-a-vulnerability.md": "SECURITY.md",
    "demo.md": "data/demo/README.md",
    "configure.md": "config/README.md",
}
"""Page of the site -> file of the repository."""
LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)\s]*)(?=\))")
PARTS = {
    "headings": "Headings",
    "tables": "Tables",
    "text": "Page texts",
    "pages": "Pages found",
    "answers": "Answers of page_rag without a model",
}
"""Part of ``benchmarks/accepted`` -> its title."""
BESIDE = {"questions", "from", "reason"}
"""What stands beside a document's figures."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are no files of ``docs/``."""
    made = {site: (ROOT / source).read_text(encoding="utf-8") for site, source in ELSEWHERE.items()}
    made["command-line.md"] = "".join(command_line())
    made["python-reference.md"] = python_reference()
    made["accepted.md"] = "".join(accepted_figures(ROOT / "benchmarks" / "accepted"))
    made["schemas.md"] = schemas(ROOT / "docs" / "schemas")
    made["LICENSE"] = (ROOT / "LICENSE").read_text(encoding="utf-8")
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links at where the repository's files are in the site."""
    where = page.file.src_uri
    source = ELSEWHERE.get(where, f"docs/{where}")
    return LINK.sub(lambda link: linked(link[1], source, where), markdown)


def linked(link: str, source: str, where: str) -> str:
    """A link of the file ``source`` as the page ``where`` has it; one that leads out of the site stays as it is."""
    path, mark, anchor = link.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path)) if path else source
    pages = {file: site for site, file in ELSEWHERE.items()}
    if target == "docs/schemas":
        target = "docs/schemas.md"
    found = pages.get(target) or target.removeprefix("docs/")
    return f"{posixpath.relpath(found, posixpath.dirname(where) or '.')}{mark}{anchor}" if path else link


def command_line() -> Iterator[str]:
    """Every command with its arguments and options, from the program itself."""
    group: Any = typer.main.get_command(app)
    yield "# Command line\n\nMade from the program. `cosee COMMAND -h` prints the same in a terminal.\n\n"
    for name, command in sorted(group.commands.items()):
        context = command.make_context(name, [], resilient_parsing=True)
        parameters = [each for each in command.get_params(context) if each.name != "help"]
        given = [f"{_name(each)}" if each.required else f"[{_name(each)}]" for each in parameters if _is_argument(each)]
        usage = " ".join(["cosee", name, "[OPTIONS]", *given])
        yield f"## cosee {name}\n\n```\n{usage}\n```\n\n{_text(command.help or '')}\n\n"
        rows = [_row(each) for each in parameters]
        if rows:
            yield "| | meaning | default |\n| --- | --- | --- |\n" + "".join(rows) + "\n"


def _text(help_text: str) -> str:
    """Help text as Markdown: examples, which are indented by two, become code."""
    blocks = [block.strip() for block in help_text.split("\n\n")]
    told = [f"```\n{block}\n```" if re.match(r"(cosee|snakemake|cd|curl) ", block) else block for block in blocks]
    return re.sub(r"\[\[(?=\w)", "[", "\n\n".join(told)).replace("[b]", "**").replace("[/b]", "**")


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _name(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper()) if _is_argument(parameter) else ", ".join(parameter.opts)


def _row(parameter: Any) -> str:
    default = parameter.default
    shown = "" if default is None or default is False or callable(default) else f"`{default}`"
    meaning = re.sub(r"\[\[(?=\w)", "[", parameter.help or "")
    cells = (f"`{_name(parameter)}`", meaning, shown)
    row = " | ".join(cell.replace("|", r"\|") for cell in cells)
    return f"| {row} |\n".replace("[b]", "**").replace("[/b]", "**")


def python_reference() -> str:
    """The public names, each read from the module that holds it."""
    names = "".join(f"::: {module}.{name}\n\n" for name, module in sorted(_HOMES.items()))
    return f"# Python\n\nThe names that `import cosee` gives. [How to use them](python.md).\n\n{names}"


def accepted_figures(folder: Path) -> Iterator[str]:
    """The accepted figures by part and set of documents, with the commit and day of the files."""
    log = ["git", "log", "-1", "--format=%h %ad", "--date=short", "--", str(folder)]
    told = subprocess.run(log, cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    commit = f"Commit `{told[0]}`, {told[1]}. " if told else ""
    yield (
        "# Accepted figures\n\nMade from `benchmarks/accepted/*.json`, which "
        f"[each change is held against](measurements.md#before-and-after-a-change). {commit}A figure is the mean over "
        "the documents of a set, for pages and answers over their questions.\n\n"
    )
    for part, title in PARTS.items():
        documents: dict[str, dict[str, Any]] = json.loads((folder / f"{part}.json").read_text(encoding="utf-8"))
        found: dict[tuple[str, str], list[tuple[float, int]]] = {}
        for name, values in documents.items():
            group = name.split("/")[0] if "questions" not in values else "QA"
            for figure in values.keys() - BESIDE:
                found.setdefault((group, figure), []).append((values[figure], values.get("questions", 1)))
        yield f"## {title}\n\n| set | documents | figure | mean |\n| --- | ---: | --- | --- |\n"
        for (group, figure), rows in sorted(found.items()):
            mean = sum(value * weight for value, weight in rows) / sum(weight for _, weight in rows)
            yield f'| {group} | {len(rows)} | `{figure}` | <meter value="{mean:.3f}"></meter> {mean:.3f} |\n'
        yield "\n"


def schemas(folder: Path) -> str:
    """A list of the schemas."""
    names = "".join(f"- [{path.name}](schemas/{path.name})\n" for path in sorted(folder.glob("*.json")))
    return f"# JSON Schemas\n\nOne for each kind of file; [what the fields mean](artifacts.md).\n\n{names}"
