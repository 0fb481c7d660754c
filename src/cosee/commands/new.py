"""``cosee new PROJECT``: a folder with a Snakefile that uses the installed workflow, configurations, and the demo."""

from __future__ import annotations

import shlex
from pathlib import Path

from rich.console import Console

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.commands.console import line
from cosee.project.installed import BEGINNING, ROOT

IGNORED = """\
.cache/
.snakemake/
.cosee.lock
indexes/
logs/
measured/
results/
"""
COPIED = ("config/*.yaml", "config/README.md", "profiles/*/config.yaml", "data/demo/*/full.pdf", "data/demo/qa/*.jsonl")


def new(folder: Path, console: Console) -> int:
    """Write a project into ``folder``, which must be new or empty; returns 0.

    Raises:
        ArtifactError: there is something in the folder already.
    """
    from cosee.models.weights import find

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ArtifactError(f"new: {str(folder)!r} is there already and is no empty folder; give a new name")
    for source in (path for pattern in COPIED for path in sorted(ROOT.glob(pattern))):
        files.write_bytes(folder / source.relative_to(ROOT), source.read_bytes())
    files.write_text(folder / ".gitignore", IGNORED)
    # Last, so that a folder which has it is whole.
    files.write_bytes(folder / "Snakefile", BEGINNING.read_bytes())
    line(console, f"{folder}: a project with the demo", "bold")
    line(console, "next:")
    line(console, f"  cd {shlex.quote(str(folder))} && snakemake --cores all", "bold")
    if find("minilm") is None:
        line(
            console, "the embedder's weights are not on this machine; without them the index is sparse-only:", "yellow"
        )
        line(console, "  python -m cosee.models.weights --fetch minilm", "yellow")
    return 0
