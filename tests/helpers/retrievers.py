"""A retriever over a tree that a test built."""

from functools import partial
from pathlib import Path

from benchmarks.small_embedder import small_embedder

from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.build import build_index
from cosee.index.vectors import make_view, save_view
from cosee.models.embedding.embedders import encode_texts
from cosee.retrieval.retriever import Retriever

DEFAULTS = IndexSettings()
QUESTIONS = {"q1": "How accurate is the Heron model?", "q2": "Which pump wins?"}


def make(
    folder: Path,
    tree: DocTree,
    *,
    vectors: bool = True,
    index: IndexSettings = DEFAULTS,
    **settings,
) -> Retriever:
    embedder = small_embedder() if vectors else None
    build_index(tree, folder, index, embedder)
    if embedder:
        identity = (embedder.name, embedder.revision, embedder.dimensions)
        encode = partial(encode_texts, embedder)
        save_view(folder, make_view("questions", list(QUESTIONS), list(QUESTIONS.values()), encode, identity))
    return Retriever.load(tree, folder, RetrievalSettings(**settings))
