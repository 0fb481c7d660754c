"""The same documents in another place, another order and another environment: the same bytes?

Two documents of the demo go through every stage with four methods, once plainly and once for each variation. What is
compared is every file whose bytes are promised to repeat; where the documents lie in other shards, the ledgers' rows
are compared instead of the ledgers.
"""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT, print_table
from benchmarks.reliability_parts import Measured
from benchmarks.reliability_project import CONFIG, DATASET, SmallProject, differences
from cosee.artifacts import files

DOCUMENTS = ("letter", "tidal")
METHODS = ("page_rag", "cosee", "navigator", "decision")
RUN_CONFIG: dict[str, Any] = {**CONFIG, "runs": {DATASET: {"datasets": [DATASET], "methods": list(METHODS)}}}


@dataclass(frozen=True)
class Variation:
    """What is other than in the plain run."""

    name: str
    environment: dict[str, str] = field(default_factory=dict)
    cores: int = 1
    folder: str = "project"
    config: dict[str, Any] = field(default_factory=dict)
    umask: int = 0o022
    one_by_one: bool = False
    """The documents arrive one after the other, the last one first, with a run between them."""
    elsewhere: bool = False
    """The command is given in another folder, with ``--directory``."""


PLAIN = Variation("plain", {"PYTHONHASHSEED": "0"})
VARIATIONS = (
    Variation("hash seed 1", {"PYTHONHASHSEED": "1"}),
    Variation("random hash seed", {"PYTHONHASHSEED": "random"}),
    Variation("two workers", cores=2),
    Variation("a shard for each document", config={"shard_pages": 1}, cores=2),
    Variation("documents one by one", one_by_one=True),
    Variation("another working folder", elsewhere=True),
    Variation("time zone", {"TZ": "Pacific/Kiritimati"}),
    Variation("language C", {"LANG": "C", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}),
    Variation("language C.utf8", {"LANG": "C.utf8", "LC_ALL": "C.utf8", "LANGUAGE": "tr"}),
    Variation("umask 077", umask=0o077),
    Variation("umask 000", umask=0),
    Variation("moved folder", folder="mövéd to, another 'place'"),
)


def measure(options: argparse.Namespace) -> Measured:
    """Run every variation and compare it with the plain run."""
    work = options.work / "determinism"
    plain = comparable(run(work, PLAIN))
    found = {}
    for variation in VARIATIONS:
        found[variation.name] = differences(plain, comparable(run(work, variation)))
        print(f"{variation.name}: {len(found[variation.name])} files differ {found[variation.name][:3]}", flush=True)
    print_table(["variation", "files that differ"], [(name, len(each)) for name, each in found.items()])
    figures = {
        "determinism_runs": len(found),
        "determinism_files": len(plain),
        "determinism_different": sum(bool(each) for each in found.values()),
    }
    detail = {name: each[:20] for name, each in found.items() if each}
    return Measured(figures, detail, kept=not figures["determinism_different"])


def run(work: Path, variation: Variation, place: Callable[[SmallProject, str], None] | None = None) -> SmallProject:
    """A project that ran to its end under a variation. Raises RuntimeError when it did not."""
    place = place or place_demo_document
    before = os.umask(variation.umask)
    try:
        config = {**RUN_CONFIG, **variation.config}
        project = SmallProject.create(work / variation.folder, config, (), variation.environment)
        rows = files.read_jsonl(ROOT / "data" / "demo" / "qa" / "questions.jsonl")
        kept = [row for row in rows if row["doc_id"] in DOCUMENTS]
        files.write_jsonl(project.folder / "data" / DATASET / "qa" / "questions.jsonl", kept)
        for number, doc_id in enumerate(sorted(DOCUMENTS, reverse=variation.one_by_one), start=1):
            place(project, doc_id)
            if variation.one_by_one and number < len(DOCUMENTS):
                _finish(project, variation, "--until", "index")
        _finish(project, variation)
    finally:
        os.umask(before)
    return project


def place_demo_document(project: SmallProject, doc_id: str) -> None:
    """A document of the demo."""
    project.pdf(doc_id).parent.mkdir(parents=True)
    shutil.copy(ROOT / "data" / "demo" / doc_id / "full.pdf", project.pdf(doc_id))


def _finish(project: SmallProject, variation: Variation, *options: str) -> None:
    result = project.run(*options, cores=variation.cores, elsewhere=variation.elsewhere)
    if result.returncode != 0 or project.failures():
        raise RuntimeError(f"{variation.name}: {result.stderr[-1000:]} {project.failures()[:2]}")


def comparable(project: SmallProject) -> dict[str, str]:
    """The tree, with the rows of the ledgers in place of the ledgers, and without the sheet's history."""
    tree = {
        path: sha256
        for path, sha256 in project.tree().items()
        if not {".ledger", "ledger"} & set(path.split("/")) and not path.endswith("documents.tsv")
    }
    for stage, rows in project.ledger_rows().items():
        for row in rows:
            tree[f"{stage}: {row.doc_id}"] = files.sha256_value(row.model_dump(mode="json"))
    return tree
