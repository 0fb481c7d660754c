"""What a reranker says of the pages of a question set, kept beside the artifacts: each passage is read once."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.common import QaSet, progress
from benchmarks.folds import unseen_weights
from benchmarks.prepare import Prepared
from cosee.artifacts import files
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.index import PassageScores
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.artifacts.settings.index import RerankerSettings
from cosee.models.embedding.rerankers import PassageReranker, load_reranker
from cosee.retrieval.passage_scores import passage_scores
from cosee.retrieval.retriever import Retriever


class KeptReadings(PassageReranker):
    """A reranker whose scores are in a file, by the sha256 of the question and the passage: it reads what is new."""

    def __init__(self, reranker: PassageReranker, path: Path) -> None:
        self.name, self.revision = reranker.name, reranker.revision
        self._reranker, self._path = reranker, path
        self._kept: dict[str, float] = files.read_json(path) if path.exists() else {}

    def _scores(self, question: str, passages: Sequence[str]) -> list[float]:
        keys = [files.sha256_bytes(f"{question}\0{each}".encode()) for each in passages]
        new = [place for place, key in enumerate(keys) if key not in self._kept]
        if new:
            read = self._reranker.scores(question, [passages[place] for place in new])
            self._kept |= dict(zip((keys[place] for place in new), read, strict=True))
            files.write_json(self._path, self._kept)
        return [self._kept[key] for key in keys]


def add_reranker_option(parser: argparse.ArgumentParser) -> None:
    """``--reranker FOLDER``."""
    parser.add_argument("--reranker", help="folder of a reranker, as index.reranker.model_path; absent: none reads")


def load_retriever(prepared: Prepared) -> Retriever:
    """The retriever of a prepared document with the default settings, and weights not fitted on it."""
    tree = DocTree.load(prepared.doc.data / "doctree.mm.json")
    return Retriever.load(tree, prepared.doc.index, RetrievalSettings(), unseen_weights(prepared.doc.doc_id))


def readings(qa: QaSet, prepared: dict[str, Prepared], folder: str | None) -> dict[str, PassageScores]:
    """Document id -> what the reranker in ``folder`` says of the pages that its questions may need, as ranked with
    weights that were not fitted on the document; empty where there is none."""
    reranker = load_reranker(RerankerSettings(model_path=folder))
    if reranker is None:
        return {}
    found: dict[str, PassageScores] = {}
    for number, (doc_id, document) in enumerate(prepared.items(), start=1):
        progress("read", number, len(prepared), doc_id)
        if document.failure is None:
            kept = KeptReadings(reranker, document.doc.data.parents[2] / f"readings.{reranker.revision}.json")
            asked = [each for each in qa.questions if each.doc_id == doc_id and each.evidence_pages]
            found[doc_id] = passage_scores(kept, load_retriever(document), asked)
    progress("", 0, 0, "")
    return found
