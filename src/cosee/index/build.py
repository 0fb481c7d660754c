"""From a tree to every file of its index."""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.base import save_rows
from cosee.artifacts.doctree import DocTree
from cosee.artifacts.index import Summaries
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.dense import coarse_records, leaf_records, make_view, save_view
from cosee.index.graph import graph_edges, id_maps
from cosee.index.llm_summaries import rewrite_summaries
from cosee.index.sparse import FIELDS, SparseIndex, coarse_documents, leaf_documents
from cosee.index.store import load_index
from cosee.index.summarizer import node_summaries
from cosee.index.view import IndexView
from cosee.models.base import VLMClient
from cosee.models.embedders import Embedder, encode_texts

LOGGER = logging.getLogger(__name__)

NO_EMBEDDER = ("none", "", 0)
"""Name, revision and dimensions written where an index has no vectors."""


def build_index(
    tree: DocTree,
    folder: Path,
    settings: IndexSettings,
    embedder: Embedder | None,
    summary_client: VLMClient | None = None,
) -> tuple[list[Path], dict[str, int]]:
    """Write the index of ``tree`` into ``folder``, read it back and check it; the files written, and counts.

    Without an embedder the vector files are written without rows, and name the embedder ``none``. With
    ``summary_client`` a model writes the summaries.

    Raises:
        ArtifactError: what was written does not pass the self-check.
        ModelError: the embedder failed.
    """
    view = IndexView(tree)
    summaries = node_summaries(view, settings)
    by_model = rewrite_summaries(view, summaries, summary_client, settings) if summary_client else None
    coarse, leaves = coarse_records(view, summaries, settings), leaf_records(view, settings)
    edges = graph_edges(view, leaves)
    outputs: list[Path] = []

    def path(name: str) -> Path:
        outputs.append(folder / name)
        return folder / name

    written = {"method": "llm", "by_model": by_model.written} if by_model else {}
    Summaries(doc_id=tree.doc_id, summaries=summaries, **written).save(path("summary.json"))
    save_rows(path("dense_coarse.jsonl"), coarse)
    save_rows(path("dense_leaf.jsonl"), leaves)
    sparse_coarse, sparse_leaf = coarse_documents(view, summaries), leaf_documents(view, leaves)
    save_rows(path("sparse_coarse.jsonl"), sparse_coarse)
    save_rows(path("sparse_leaf.jsonl"), sparse_leaf)
    save_rows(path("graph_edges.jsonl"), edges)
    id_maps(view).save(path("id_maps.json"))
    for name, documents in (("coarse", sparse_coarse), ("leaf", sparse_leaf)):
        index = SparseIndex.build(documents, FIELDS[name])  # type: ignore[index]
        source = files.sha256_file(folder / f"sparse_{name}.jsonl")
        outputs += index.save(folder / f"bm25_{name}", name, source)  # type: ignore[arg-type]

    encode = partial(encode_texts, embedder) if embedder else None
    identity = (embedder.name, embedder.revision, embedder.dimensions) if embedder else NO_EMBEDDER
    texts = {
        "coarse": [(record.node_id, record.dense_text) for record in coarse],
        "leaf": [(record.node_id, record.dense_text) for record in leaves],
        "leaf_raw": [(record.node_id, record.raw_text) for record in leaves],
    }
    for name, rows in texts.items():
        made = make_view(name, [row[0] for row in rows], [row[1] for row in rows], encode, identity)  # type: ignore[arg-type]
        outputs += save_view(folder, made, hnsw_above=settings.hnsw_above)
    load_index(folder, tree)
    counts = {
        "summaries": len(summaries),
        "coarse": len({record.node_id.split("#")[0] for record in coarse}),
        "leaf_chunks": len(leaves),
        "edges": len(edges),
        "vectors": sum(len(rows) for rows in texts.values()) if embedder else 0,
    }
    if by_model:
        counts |= {"summaries_by_model": len(by_model.written), "summaries_kept": len(by_model.kept)}
        for node_id, reason in by_model.kept.items():
            LOGGER.warning("%s: %s keeps its extractive summary: %s", tree.doc_id, node_id, reason)
    return outputs, counts
