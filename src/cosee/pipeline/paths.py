"""Where everything is: one place that turns datasets, documents, stages and shards into paths."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cosee.artifacts.datasets.names import COLLECTION
from cosee.pipeline.stage import DocFolder

DATA_STAGES = ("adapt", "enhance", "build")
INDEX_STAGES = ("index", "questions")
ANSWER_STAGE = "answer"
RESERVED = ("qa",)
"""Folder names of a dataset that are no documents."""
GIVEN = {"mineru": "mineru/content_list.json", "docling": "docling/document.json"}
"""Another reader -> where, in a document's folder, lies what it made of the document; the first that is there is taken.
"""


@dataclass(frozen=True)
class Place:
    """Files of one stage over one shard."""

    ledger: Path
    lock: Path
    outputs: Path
    """The table of every output as the job left it."""
    state: Path
    """Outputs that a person changed since; written by the scheduler, an input of the job."""


@dataclass(frozen=True)
class Paths:
    """The project's folders; relative to the working folder, so that artifacts never hold a machine's path."""

    data: Path = Path("data")
    indexes: Path = Path("indexes")
    results: Path = Path("results")
    run: str | None = None
    method: str | None = None

    def dataset(self, dataset: str) -> Path:
        """``data/<dataset>``."""
        return self.data / dataset

    def folder(self, dataset: str, doc_id: str) -> DocFolder:
        """One document's folders."""
        results = self.results / self.run if self.run else None
        return DocFolder(dataset, doc_id, self.data / dataset / doc_id, self.indexes / dataset / doc_id, results)

    def sheet(self, dataset: str) -> Path:
        """The dataset's ``documents.tsv``."""
        return self.data / dataset / "documents.tsv"

    def code(self, name: str) -> Path:
        """Digest of a stage's source files, or of those of the answers of one method (``answer.<method>``)."""
        return self.data / ".code" / f"{name}.json"

    def question_file(self, dataset: str) -> Path:
        """The dataset's questions."""
        return self.data / dataset / "qa" / "questions.jsonl"

    def shards(self, dataset: str) -> Path:
        """Folder of the small files through which a job sees its own rows only."""
        return self.data / dataset / ".shards"

    def rows(self, dataset: str, shard: str) -> Path:
        """The shard's rows of the sheet."""
        return self.shards(dataset) / f"{shard}.rows.json"

    def question_state(self, dataset: str, shard: str) -> Path:
        """Hashes of the shard's questions."""
        return self.shards(dataset) / f"{shard}.questions.json"

    def collection(self, dataset: str, shard: str) -> Path:
        """The collection's index of one shard of documents: its table of contents, beside which its arrays stand."""
        return self.indexes / dataset / COLLECTION / f"{shard}.json"

    def place(self, stage: str, dataset: str, shard: str) -> Place:
        """Ledger and companions of a stage over a shard."""
        if stage in DATA_STAGES:
            folder, name, state = self.data / dataset / ".ledger", f"{stage}.{shard}", self.shards(dataset)
        elif stage in INDEX_STAGES:
            folder = self.indexes / dataset / ".ledger"
            name, state = f"{stage}.{shard}", self.indexes / dataset / ".shards"
        else:
            base = self._run_folder()
            folder, name, state = base / "ledger", f"{stage}.{self.method}.{dataset}.{shard}", base / ".shards"
        return Place(
            folder / f"{name}.jsonl",
            folder / f"{name}.lock",
            state / f"{name}.outputs.json",
            state / f"{name}.state.json",
        )

    def stamp(self, stage: str, doc: DocFolder) -> Path:
        """The document's stamp for a stage."""
        if stage in DATA_STAGES:
            return doc.data / ".stamps" / f"{stage}.json"
        if stage in INDEX_STAGES:
            return doc.index / ".stamps" / f"{stage}.json"
        return self._run_folder() / ".stamps" / str(self.method) / doc.dataset / f"{doc.doc_id}.json"

    def measured(self, stage: str, doc: DocFolder) -> Path:
        """The document's measured values for a stage, outside the byte promise."""
        if stage in DATA_STAGES:
            return doc.data / "measured" / f"{stage}.json"
        if stage in INDEX_STAGES:
            return doc.index / "measured" / f"{stage}.json"
        return self._run_folder() / "measured" / "jobs" / str(self.method) / doc.dataset / f"{doc.doc_id}.json"

    def _run_folder(self) -> Path:
        if not self.run or not self.method:
            raise ValueError("an answer stage needs a run and a method")
        return self.results / self.run
