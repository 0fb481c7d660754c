"""A collection as a run's answers see it: its index opened once, documents read when a question needs them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cosee.artifacts.datasets.names import document_of, name_of
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.index.vectors import VectorView, load_view
from cosee.pipeline.paths import Paths
from cosee.pipeline.stage import DocFolder
from cosee.question.several import compared_documents
from cosee.retrieval.collection.joined import Chosen, CollectionRetriever
from cosee.retrieval.collection.search import CollectionSearch, Scored, searched_terms
from cosee.retrieval.collection.store import Shard
from cosee.retrieval.retriever import Retriever
from cosee.runs.thresholds import DOCUMENTS_KEPT, ENOUGH_CHANCE


@dataclass(frozen=True)
class Opened:
    """The retriever of the documents of one question, with their folders in the same order."""

    retriever: CollectionRetriever
    folders: Sequence[DocFolder]


class OpenCollection:
    """The documents of some datasets; shards of the index by path, each ``indexes/<dataset>/.collection/<shard>.json``.

    Not for several threads.
    """

    def __init__(self, shards: Sequence[Path], paths: Paths, settings: RetrievalSettings) -> None:
        self._files, self._paths, self._settings = sorted(shards), paths, settings
        self._known: OrderedDict[tuple[str, str], Retriever] = OrderedDict()

    @cached_property
    def _search(self) -> CollectionSearch:
        return CollectionSearch([(path.parent.parent.name, Shard(path)) for path in self._files])

    @cached_property
    def _missing(self) -> dict[tuple[str, str], str]:
        return {
            (dataset, each.doc_id): each.reason for dataset, shard in self._search.shards for each in shard.meta.missing
        }

    def open(self, question: Question, place: DocFolder) -> Opened:
        """The documents that a question needs, as one retriever; ``place`` is where M2 keeps the question's vector.

        Raises:
            ArtifactError: the index cannot be read, or no document that the question is about can.
        """
        named = [document_of(each, place.dataset) for each in question.doc_ids]
        missing = self._absent(named)
        view = self._vectors(place)
        scored = self._search.search(
            searched_terms(question.question) if "sparse" in self._settings.channels else {},
            view.vectors[0] if view is not None and "dense" in self._settings.channels else None,
            set(named) if named else None,
        )
        compared = compared_documents(question.question) if not named else len(named)
        wanted = likeliest(scored, self._settings.documents, len(named), compared)
        members, folders = [], []
        for each in wanted:
            document = (each.dataset, each.doc_id)
            try:
                retriever = self._retriever(document)
                if view is not None and retriever.index.views:
                    retriever = retriever.with_questions(view, place.index)
            except ArtifactError as error:
                missing[document] = str(error)
                continue
            members.append(Chosen(name_of(document, place.dataset), retriever, each.chance))
            folders.append(self._paths.folder(*document))
        told = {name_of(document, place.dataset): reason for document, reason in sorted(missing.items())}
        if not members:
            raise ArtifactError("; ".join(f"{name}: {reason}" for name, reason in told.items()) or "no documents")
        in_turns = compared is not None and len(members) > 1
        return Opened(CollectionRetriever(members, told, in_turns=in_turns), folders)

    def _absent(self, named: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """What of the question's documents has no index -> why."""
        if not named:
            return dict(self._missing)
        known = set(self._search.documents)
        return {each: self._missing.get(each, "document_missing") for each in named if each not in known}

    def _vectors(self, place: DocFolder) -> VectorView | None:
        """The question's vector, where M2 made one."""
        if not (place.index / "questions.meta.json").exists():
            return None
        view = load_view(place.index, "questions")
        return view if len(view.vectors) else None

    def _retriever(self, document: tuple[str, str]) -> Retriever:
        """The document's retriever; the last ones asked for stay in memory."""
        if document not in self._known:
            folder = self._paths.folder(*document)
            tree = DocTree.load(folder.data / "doctree.mm.json")
            # The settings are the same: what is worked out about the document at once stays with it.
            self._known[document] = Retriever.load(tree, folder.index, self._settings).with_settings(self._settings)
            while len(self._known) > DOCUMENTS_KEPT:
                self._known.popitem(last=False)
        self._known.move_to_end(document)
        return self._known[document]


def likeliest(scored: Sequence[Scored], most: int, named: int = 0, compared: int | None = None) -> Sequence[Scored]:
    """The likeliest documents, at most ``most``, until one of them holds the answer with ``ENOUGH_CHANCE``; of
    ``named`` ones all of these, and as many as a question compares."""
    if named or compared is not None:
        return scored[: max(most, named) if named else compared or most]
    total = 0.0
    for number, each in enumerate(scored[:most], start=1):
        total += each.chance
        if total >= ENOUGH_CHANCE:
            return scored[:number]
    return scored[:most]
