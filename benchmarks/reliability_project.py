"""A small project in a folder of its own, the documented command that runs it, and the hashes of what it made."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import ROOT
from benchmarks.small_embedder import FOLDER, INDEX, write_small_embedder
from cosee.artifacts import files
from cosee.artifacts.base import load_rows
from cosee.artifacts.ledger import LedgerRow

DATASET = "small"
FACTS = {
    "alder": ("Alder River Survey", "The river was 42 metres wide at the old bridge.", "How wide was the river?"),
    "birch": ("Birch Mill Accounts", "The mill earned 310 crowns from flour in 1899.", "What did the mill earn?"),
    "cedar": ("Cedar School Report", "The school had 57 pupils in the autumn term.", "How many pupils were there?"),
}
"""Document -> its title, a fact and a question about it."""
CONFIG: dict[str, Any] = {
    "datasets": [DATASET],
    "index": INDEX,
    "adapt": {"ocr": "none"},
    "limits": {"seconds": 120, "memory_mb": 3000},
    "evaluate": {"bootstrap": 50},
    "runs": {DATASET: {"datasets": [DATASET], "methods": ["page_rag"]}},
}
OUTSIDE = {"measured", "logs", ".stamps", ".shards", "journal", ".journal", ".cache", "costs.json"}
"""Names that the promise of equal bytes leaves out: what tells of one run, and what another run writes again."""
HANG_SECONDS = 900


class SmallProject:
    """A project folder. ``python`` finds the library in the folder's own ``src``."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.extra = dict(environment or {})

    @classmethod
    def create(
        cls,
        folder: Path,
        config: Mapping[str, Any] = CONFIG,
        documents: Sequence[str] = tuple(FACTS),
        environment: Mapping[str, str] | None = None,
    ) -> SmallProject:
        """Make the folder anew with the code as it is now, and a one-page PDF and a question for each document."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in ("src", "workflow", "profiles"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        shutil.copy(ROOT / "Snakefile", folder)
        write_small_embedder(folder / FOLDER)
        project = cls(folder, environment)
        project.configure(config)
        for doc_id in documents:
            write_document(project.pdf(doc_id), *FACTS[doc_id][:2])
        rows = [
            {"question_id": f"{doc_id}-1", "doc_id": doc_id, "question": FACTS[doc_id][2], "evidence_pages": [1]}
            for doc_id in documents
        ]
        if rows:
            files.write_jsonl(folder / "data" / DATASET / "qa" / "questions.jsonl", rows)
        return project

    def pdf(self, doc_id: str) -> Path:
        """A document's file."""
        return self.folder / "data" / DATASET / doc_id / "full.pdf"

    def configure(self, config: Mapping[str, Any], models: Mapping[str, Any] | None = None) -> None:
        """Write the configuration and the models; JSON is YAML."""
        files.write_json(self.folder / "config" / "config.yaml", dict(config))
        files.write_json(
            self.folder / "config" / "models.yaml", {"models": {"embedded": {"kind": "embedded"}, **(models or {})}}
        )

    def copy(self, folder: Path) -> SmallProject:
        """The same project elsewhere, times of files kept; its code is that of this folder, not copied."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for entry in self.folder.iterdir():
            if entry.name == "src":
                (folder / "src").symlink_to(entry.resolve())
            elif entry.is_dir():
                shutil.copytree(entry, folder / entry.name, symlinks=True)
            else:
                shutil.copy2(entry, folder)
        return SmallProject(folder, self.extra)

    def command(self, *options: str, cores: int = 2) -> list[str]:
        """What a user types; the profile is found by itself."""
        return [sys.executable, "-m", "snakemake", "--cores", str(cores), *options]

    def environment(self) -> dict[str, str]:
        """The variables of a run."""
        own = {"PYTHONPATH": str((self.folder / "src").resolve()), "XDG_CACHE_HOME": str(self.folder / ".xdg")}
        return {**os.environ, "OMP_NUM_THREADS": "1", **own, **self.extra}

    def start(self, *options: str) -> subprocess.Popen[bytes]:
        """Start the command in a process group of its own; what it says goes to ``run.log``."""
        with open(self.folder / "run.log", "ab") as log:
            return subprocess.Popen(
                self.command(*options),
                cwd=self.folder,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def run(self, *options: str, cores: int = 2, elsewhere: bool = False) -> subprocess.CompletedProcess[str]:
        """Run the command to its end; ``elsewhere``: given in another folder, the root of the file system."""
        there = ["--snakefile", str(self.folder / "Snakefile"), "--directory", str(self.folder)]
        return subprocess.run(
            self.command(*options, *(there if elsewhere else []), cores=cores),
            cwd="/" if elsewhere else self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=HANG_SECONDS,
            check=False,
        )

    def tree(self) -> dict[str, str]:
        """sha256 of every file under the promise of equal bytes, by its path."""
        return tree_sha256(self.folder)

    def litter(self) -> list[str]:
        """Files that no run should leave: unfinished ones, and copies of edits that nobody made."""
        found = [path for root in ("data", "indexes", "results") for path in (self.folder / root).rglob("*")]
        return sorted(
            path.relative_to(self.folder).as_posix() for path in found if path.name.endswith((".tmp", ".edited"))
        )

    def ledger_rows(self) -> dict[str, list[LedgerRow]]:
        """Stage (with its method) -> the rows of its ledgers."""
        found: dict[str, list[LedgerRow]] = {}
        ledgers = [path for root in ("data", "indexes", "results") for path in (self.folder / root).rglob("*.jsonl")]
        for path in sorted(path for path in ledgers if path.parent.name in (".ledger", "ledger")):
            found.setdefault(path.name.rsplit(".", 2)[0], []).extend(load_rows(LedgerRow, path))
        return found

    def failures(self) -> list[LedgerRow]:
        """Rows of documents that failed, of every stage."""
        return [row for rows in self.ledger_rows().values() for row in rows if row.status == "failed"]

    def journal(self) -> list[dict[str, Any]]:
        """Every recorded call, unfinished lines left out."""
        lines = [
            line
            for path in sorted((self.folder / "results").rglob("journal/**/*.jsonl"))
            for line in path.read_bytes().split(b"\n")[:-1]
        ]
        return [json.loads(line) for line in lines]


def write_document(path: Path, title: str, fact: str) -> None:
    """One page: a heading, the fact and a second section. The same input gives the same bytes."""
    import pymupdf

    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    page.insert_text((72, 90), title, fontsize=20, fontname="hebo")
    page.insert_textbox((72, 120, 520, 200), f"{fact} It was measured twice, and both readings agreed.", fontsize=11)
    page.insert_text((72, 230), "Methods", fontsize=14, fontname="hebo")
    page.insert_textbox((72, 250, 520, 330), "Everything was written down by hand in a small green book.", fontsize=11)
    page.draw_rect((100, 400, 300, 500), fill=(0.2, 0.4, 0.6))
    page.draw_circle((400, 450), 40, fill=(0.7, 0.3, 0.2))
    page.insert_text((150, 530), f"Figure 1: {title} as a plan", fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    document.save(path, no_new_id=True)
    document.close()


def tree_sha256(folder: Path) -> dict[str, str]:
    """sha256 of every file of a project that is under the promise of equal bytes, by its path."""
    found = {}
    for root in ("data", "indexes", "results"):
        for path in sorted((folder / root).rglob("*")):
            relative = path.relative_to(folder)
            if path.is_file() and not OUTSIDE & set(relative.parts) and path.suffix not in (".lock", ".tmp"):
                found[relative.as_posix()] = files.sha256_file(path)
    return found


def differences(first: Mapping[str, str], second: Mapping[str, str]) -> list[str]:
    """Paths that are not in both trees with the same bytes."""
    return sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))


def code_of(folder: Path) -> str:
    """One hash over the code that a project runs, so that figures are never mixed over two versions of it."""
    sources = sorted(path for path in (folder / "src").rglob("*") if path.is_file() and not _made(path))
    rules = sorted(path for path in (folder / "workflow").rglob("*.smk"))
    return files.sha256_value([[path.name, files.sha256_file(path)] for path in [*sources, *rules]])


def _made(path: Path) -> bool:
    return bool(re.search(r"__pycache__|\.egg-info", path.as_posix()))
