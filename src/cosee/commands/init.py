"""``cosee init NAME``: PDFs and questions of yours become a dataset and a configuration."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.commands.console import line
from cosee.datasets.folder import import_folder
from cosee.datasets.placing import ImportReport
from cosee.datasets.qa_folder import import_qa_folder

SHOWN_PROBLEMS = 20

CONFIGURATION = """\
# Made by 'cosee init {name}'. Every key but datasets is optional; docs/configuration.md explains them.
datasets: [{name}]

runs:
  {name}:
    datasets: [{name}]
    model: embedded
    methods:
      - constant
      - page_rag
      - strategy: cosee
        max_steps: 2
"""


def init(name: str, console: Console, *, pdfs: Path | None, questions: Path | None, qa: Path | None) -> int:
    """Import into ``data/<name>`` and write ``config/<name>.yaml`` where there is none; returns 0.

    Raises:
        ArtifactError: neither or both ways to name the sources were used, or a source cannot be used.
    """
    if (pdfs is None) == (qa is None) or (questions is not None and pdfs is None):
        raise ArtifactError("init: name your documents by --pdfs FOLDER --questions FILE, or by --qa FOLDER")
    if Path(name).name != name:
        raise ArtifactError(f"init: {name!r} is no name: use letters, digits, '.', '_' and '-'")
    target = Path("data") / name
    if qa is not None:
        report = import_qa_folder(qa, target)
    else:
        assert pdfs is not None
        report = import_folder(pdfs, questions, target)
    config = Path("config") / f"{report.dataset}.yaml"
    _tell(console, report, target)
    if config.exists():
        line(console, f"{config}: kept as it is")
    else:
        files.write_text(config, CONFIGURATION.format(name=report.dataset))
        line(console, f"{config}: written")
    if report.questions:
        line(console, "next:")
        line(console, f"  snakemake --cores all --configfile {config}", "bold")
    else:
        line(console, f"next: put questions into {target}/qa/questions.jsonl, or call init again with --questions")
    return 0


def _tell(console: Console, report: ImportReport, target: Path) -> None:
    line(console, f"{target}: {len(report.documents)} documents, {report.questions} questions", "bold")
    renamed = [(source, doc_id) for source, doc_id in report.documents.items() if Path(source).stem != doc_id]
    for source, doc_id in renamed[:SHOWN_PROBLEMS] if report.documents else []:
        if source != doc_id:
            line(console, f"  {source} is called {doc_id}")
    for problem in report.problems[:SHOWN_PROBLEMS]:
        line(console, f"  {problem}", "yellow")
    if len(report.problems) > SHOWN_PROBLEMS:
        line(console, f"  … and {len(report.problems) - SHOWN_PROBLEMS} more like these", "yellow")
