"""From a tree to every file of its index."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from cosee.artifacts.base import save_rows
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.index import Summaries, ViewName
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.dense import coarse_records, embedded_texts, leaf_records
from cosee.index.graph import graph_edges, id_maps
from cosee.index.llm_summaries import rewrite_summaries
from cosee.index.rows import row_records
from cosee.index.self_check import check_index
from cosee.index.sparse import FIELDS, SparseIndex, coarse_documents, leaf_documents
from cosee.index.store import MANIFEST, load_index, seal_index
from cosee.index.summarizer import node_summaries
from cosee.index.thresholds import PROBLEMS_NAMED
from cosee.index.vectors import Encoder, make_view, save_view
from cosee.index.view import IndexView
from cosee.models.base import VLMClient
from cosee.models.embedding.embedders import Embedder, encode_texts

LOGGER = logging.getLogger(__name__)


def build_index(
    tree: DocTree,
    folder: Path,
    settings: IndexSettings,
    embedder: Embedder | None,
    summary_client: VLMClient | None = None,
) -> tuple[list[Path], dict[str, int]]:
    """Write the index of ``tree`` into ``folder``, read it back and check it; the files written, and counts.

    Every record is written; those of ``settings.vectors`` have vectors, none where there is no embedder. With
    ``summary_client`` a model writes the summaries.

    Raises:
        ArtifactError: what was written does not pass the self-check.
        ModelError: the embedder failed.
    """
    view = IndexView(tree)
    summaries = node_summaries(view, settings)
    by_model = rewrite_summaries(view, summaries, summary_client, settings) if summary_client else None
    coarse, leaves = coarse_records(view, summaries, settings), leaf_records(view, settings)
    rows = row_records(view, settings)
    edges = graph_edges(view, leaves)
    outputs: list[Path] = []

    def path(name: str) -> Path:
        outputs.append(folder / name)
        return folder / name

    written = {"method": "llm", "by_model": by_model.written} if by_model else {}
    Summaries(doc_id=tree.doc_id, summaries=summaries, **written).save(path("summary.json"))
    save_rows(path("dense_coarse.jsonl"), coarse)
    save_rows(path("dense_leaf.jsonl"), leaves)
    save_rows(path("dense_rows.jsonl"), rows)
    sparse_coarse, sparse_leaf = coarse_documents(view, summaries), leaf_documents(view, leaves)
    save_rows(path("sparse_coarse.jsonl"), sparse_coarse)
    save_rows(path("sparse_leaf.jsonl"), sparse_leaf)
    save_rows(path("graph_edges.jsonl"), edges)
    id_maps(view).save(path("id_maps.json"))
    outputs += SparseIndex.build(sparse_coarse, FIELDS["coarse"]).save(folder / "bm25_coarse", "coarse")
    outputs += SparseIndex.build(sparse_leaf, FIELDS["leaf"]).save(folder / "bm25_leaf", "leaf")

    texts = embedded_texts(coarse, leaves, rows, settings) if embedder else {}
    if embedder:
        outputs += _save_vectors(folder, texts, settings, embedder)
    counts = {
        "summaries": len(summaries),
        "coarse": len(sparse_coarse),
        "leaf_chunks": len(leaves),
        "table_rows": len(rows),
        "edges": len(edges),
        "vectors": sum(map(len, texts.values())),
    }
    if by_model:
        counts |= {"summaries_by_model": len(by_model.written), "summaries_kept": len(by_model.kept)}
        for node_id, reason in by_model.kept.items():
            LOGGER.warning("%s: %s keeps its extractive summary: %s", tree.doc_id, node_id, reason)
    outputs.append(seal_index(folder, tree, outputs, counts, embedder))
    if problems := check_index(tree, load_index(folder, tree), settings, embedder):
        (folder / MANIFEST).unlink()
        raise ArtifactError(f"{folder}: the index is not sound: {'; '.join(problems[:PROBLEMS_NAMED])}")
    return outputs, counts


def _save_vectors(
    folder: Path, texts: Mapping[ViewName, Mapping[str, str]], settings: IndexSettings, embedder: Embedder
) -> list[Path]:
    """The files of the views; of those that have a record, but with ``vectors: all`` of each."""
    whole = settings.vectors == "all"
    encode = _encoder(embedder, [text for view in texts.values() for text in view.values()])
    identity = (embedder.name, embedder.revision, embedder.dimensions)
    written: list[Path] = []
    for name, view in texts.items():
        if view or whole:
            made = make_view(name, list(view), list(view.values()), encode, identity)
            written += save_view(folder, made, int8=settings.int8, flat_faiss=whole)
    return written


def _encoder(embedder: Embedder, texts: Sequence[str]) -> Encoder:
    """Vectors of parts of ``texts``, all of which are embedded at once: that fills the embedder's batches best."""
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    vectors = encode_texts(embedder, list(places))
    return lambda part: vectors[[places[text] for text in part]]
