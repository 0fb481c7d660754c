"""``cosee remove DATASET DOC...``: documents leave a project, with everything that was made of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from cosee.artifacts.files import ArtifactError
from cosee.commands.console import line
from cosee.pipeline.config import read_mapping
from cosee.pipeline.locks import hold_for_life
from cosee.pipeline.paths import Paths
from cosee.pipeline.workflow import LOCK
from cosee.runs.removal import remove_documents
from cosee.text.counts import counted
from cosee.text.likeness import did_you_mean


def remove(dataset: str, doc_ids: Sequence[str], config: Path, console: Console) -> int:
    """Take documents out; returns 0. ``config`` says where the project's folders are, where it exists.

    Raises:
        ArtifactError: there is no such dataset or document.
        ConfigError: the configuration cannot be read.
        LockHeld: a run lives in this folder.
    """
    value = read_mapping(config) if config.exists() else {}
    names = (("data_dir", "data"), ("indexes_dir", "indexes"), ("results_dir", "results"))
    data, indexes, results = (Path(str(value.get(key) or default)) for key, default in names)
    paths = Paths(data, indexes, results)
    _check(paths, dataset)
    hold_for_life(LOCK)
    removal = remove_documents(paths, dataset, list(dict.fromkeys(doc_ids)))
    line(
        console,
        f"{paths.dataset(dataset)}: removed {', '.join(removal.documents)} with "
        f"{counted(removal.questions, 'question')} and all that was made of them",
        "bold",
    )
    if removal.runs:
        line(console, f"changed: {', '.join(removal.runs)}; the next snakemake makes metrics and report anew")
    return 0


def _check(paths: Paths, dataset: str) -> None:
    """Refuse a dataset that is not there."""
    if Path(dataset).name != dataset or not paths.dataset(dataset).is_dir():
        there = [path.name for path in paths.data.glob("*/") if not path.name.startswith(".")]
        raise ArtifactError(f"{paths.data}: has no dataset {dataset!r}{did_you_mean(dataset, there)}")
