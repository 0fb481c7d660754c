"""Whether the files of an index fit the tree and each other.

``check_numbers`` and ``check_titles`` look at what is loaded for any search and run whenever an index is read; the
manifest's checksums tell the rest then. ``check_index`` looks at everything, before the manifest is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from cosee.artifacts import files
from cosee.artifacts.documents.doctree import DocTree, split_id
from cosee.artifacts.documents.index import DenseLeaf, GraphEdge, IdMaps, Summaries
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.dense import embedded_texts
from cosee.index.document_index import DocumentIndex
from cosee.index.thresholds import (
    APPROXIMATE_HITS,
    COSINE_TOLERANCE,
    FRESH_VECTORS,
    NORM_TOLERANCE,
    PROBES_AT_BUILD,
    PROBLEMS_NAMED,
    SAME_TEXT_COSINE,
    SHARED_VECTORS,
)
from cosee.index.vectors import VectorView
from cosee.models.embedding.embedders import Embedder
from cosee.text.folding import fold
from cosee.text.tokens import query_weights

if TYPE_CHECKING:
    import numpy as np


def check_index(tree: DocTree, index: DocumentIndex, settings: IndexSettings, embedder: Embedder | None) -> list[str]:
    """Every problem of an index that was just written."""
    texts = embedded_texts(index.coarse, index.leaves, index.rows, settings) if embedder else {}
    views = list(index.views.items())[:1]
    return [
        *check_records(tree, index),
        *check_numbers(index),
        *check_titles(index, PROBES_AT_BUILD),
        *(f"{name}: has records and no vectors" for name in texts if texts[name] and name not in index.views),
        *(problem for name, view in index.views.items() for problem in check_texts(view, texts[name])),
        *(problem for name, view in views if embedder for problem in check_embedder(view, texts[name], embedder)),
        *check_graph(tree, index.leaves, index.edges, index.maps),
        *check_summaries(tree, index.summaries),
    ]


def check_numbers(index: DocumentIndex) -> list[str]:
    """Problems of arrays and ids: dense against sparse, repeated ids, norms other than 1 (or 0), postings."""
    import numpy

    problems: list[str] = []
    for name, view in index.views.items():
        if len(set(view.meta.ids)) != len(view.meta.ids):
            problems.append(f"{name}: an id occurs twice")
        norms = numpy.sqrt(numpy.einsum("ij,ij->i", view.vectors, view.vectors))
        off = numpy.flatnonzero(~((numpy.abs(norms - 1) <= NORM_TOLERANCE) | (norms == 0)))
        if len(off):
            problems.append(f"{name}: the vector of {view.meta.ids[int(off[0])]} has norm {norms[int(off[0])]:.4f}")
        if (view.meta.embedder, view.meta.revision, view.meta.dimensions) != index.identity:
            problems.append(f"{name}: of another embedder ({view.meta.embedder} {view.meta.revision}) than the index")
        if name.startswith("leaf") and view.meta.ids != index.sparse_leaf.ids:
            problems.append(f"{name} and bm25_leaf hold different chunks")
        if name == "coarse" and not {split_id(each)[0] for each in view.meta.ids} <= set(index.sparse_coarse.ids):
            problems.append("coarse holds a node that bm25_coarse does not")
    for part, sparse in (("bm25_coarse", index.sparse_coarse), ("bm25_leaf", index.sparse_leaf)):
        if len(set(sparse.ids)) != len(sparse.ids):
            problems.append(f"{part}: an id occurs twice")
        bounds = (len(sparse.ids), len(sparse.fields), len(sparse.vocabulary))
        if (sparse.postings < 0).any() or (sparse.postings[:, :3] >= bounds).any():
            problems.append(f"{part}: a posting points outside the index")
    return problems


def check_titles(index: DocumentIndex, most: int) -> list[str]:
    """The known-item probe: at most ``most`` titles, spread over the document, each of which must find its node."""
    titles = {node_id: each.title for node_id, each in index.nodes.items() if each.title}
    places = {node_id: place for place, node_id in enumerate(index.sparse_coarse.ids)}
    for node_id, title in list(titles.items())[:: max(1, -(-len(titles) // most))]:
        terms = query_weights(title)
        if terms and not (node_id in places and index.sparse_coarse.scores(terms)[places[node_id]] > 0):
            return [f"bm25_coarse: the title of {node_id}, {title[:60]!r}, does not find it"]
    return []


def check_texts(view: VectorView, texts: Mapping[str, str]) -> list[str]:
    """Problems of a view against the texts of its records: missing or surplus rows, other texts, vectors all alike.

    An embedder may give a few different texts one vector (it may ignore case, and what follows its last token); one
    that gives most of them the vector of another text is broken, or its cache is.
    """
    name = view.meta.view
    if view.meta.ids != list(texts):
        return [f"{name}: {len(view.meta.ids)} vectors do not belong to the {len(texts)} records"]
    for node_id, digest in zip(view.meta.ids, view.meta.text_sha256, strict=True):
        if files.sha256_bytes(texts[node_id].encode("utf-8")) != digest:
            return [f"{name}: the text of {node_id} is not the one that was embedded"]
    same: dict[bytes, set[str]] = {}
    for text, vector in zip(texts.values(), view.vectors, strict=True):
        if vector.any():
            same.setdefault(vector.tobytes(), set()).add("".join(filter(str.isalnum, fold(text))))
    shared = sum(len(each) for each in same.values() if len(each) > 1)
    if shared > max(SHARED_VECTORS, sum(len(each) for each in same.values()) // 2):
        return [f"{name}: {shared} different texts share their vectors with other texts"]
    return []


def check_embedder(view: VectorView, texts: Mapping[str, str], embedder: Embedder) -> list[str]:
    """A few headings embedded once more, past the cache, must be where the index has them, and find their text."""
    if not view.meta.ids:
        return []
    if (view.meta.embedder, view.meta.revision) != (embedder.name, embedder.revision):
        return [f"vectors of {view.meta.embedder} {view.meta.revision}, not of {embedder.name} {embedder.revision}"]
    headings = [each for each in texts if split_id(each)[1] == "h"] or list(texts)
    sample = headings[:: max(1, -(-len(headings) // FRESH_VECTORS))]
    for node_id, vector in zip(sample, embedder.encode([texts[each] for each in sample]), strict=True):
        if vector.any() and not _finds(view, vector, {each for each in texts if texts[each] == texts[node_id]}):
            return [
                f"{view.meta.view}: the text of {node_id} does not find its vector; the vector cache may be damaged"
            ]
    return []


def _finds(view: VectorView, vector: np.ndarray, ids: set[str]) -> bool:
    hits = view.search(vector, len(view.meta.ids) if len(view.meta.ids) <= view.meta.hnsw_above else APPROXIMATE_HITS)
    best = hits[0][1] if hits else 0.0
    return best > SAME_TEXT_COSINE and any(score >= best - COSINE_TOLERANCE for each, score in hits if each in ids)


def check_records(tree: DocTree, index: DocumentIndex) -> list[str]:
    """Problems of records: unknown or repeated ids, sections without their four variants, sparse against dense."""
    problems: list[str] = []
    found = {
        "dense_coarse": [each.node_id for each in index.coarse],
        "dense_leaf": [each.node_id for each in index.leaves],
        "dense_rows": [each.node_id for each in index.rows],
    }
    for name, ids in found.items():
        if len(set(ids)) != len(ids):
            problems.append(f"{name}: an id occurs twice")
        unknown = [each for each in ids if split_id(each)[0] not in tree.by_id]
        if unknown:
            problems.append(f"{name}: {unknown[0]} is not a node of the tree")
    variants: dict[str, int] = {}
    for record in index.coarse:
        if record.role == "section":
            node_id = split_id(record.node_id)[0]
            variants[node_id] = variants.get(node_id, 0) + 1
    problems += [f"dense_coarse: section {node_id} has {n} variants" for node_id, n in variants.items() if n != 4][:1]
    if index.sparse_coarse.ids != list(dict.fromkeys(split_id(each)[0] for each in found["dense_coarse"])):
        problems.append("bm25_coarse and dense_coarse.jsonl hold different nodes")
    if index.sparse_leaf.ids != found["dense_leaf"]:
        problems.append("bm25_leaf and dense_leaf.jsonl hold different chunks")
    return problems


def check_graph(tree: DocTree, leaves: list[DenseLeaf], edges: Iterable[GraphEdge], maps: IdMaps) -> list[str]:
    """Problems of edges and maps: ends that do not exist, nodes without their parent edge, unknown ids."""
    columns: set[str] = set()
    known = set(tree.by_id) | {leaf.node_id for leaf in leaves} | {f"P{page.page_idx}" for page in tree.pages}
    problems: list[str] = []
    parents: set[str] = set()
    for edge in edges:
        if edge.type == "has_col":
            columns.add(edge.dst)
        if edge.type == "parent":
            parents.add(edge.src)
        for end in (edge.src, edge.dst):
            if end not in known and end not in columns:
                problems.append(f"graph_edges: {edge.type} edge {edge.src} -> {edge.dst} ends in nothing")
    orphans = [node.id for node in tree.nodes[1:] if node.id not in parents]
    if orphans:
        problems.append(f"graph_edges: {orphans[0]} has no parent edge")
    for node_id in [*maps.label2id.values(), *maps.figure.values(), *maps.table.values()]:
        if node_id not in tree.by_id:
            problems.append(f"id_maps: {node_id} is not a node of the tree")
    return problems[:PROBLEMS_NAMED]


def check_summaries(tree: DocTree, summaries: Summaries) -> list[str]:
    """Problems of summaries: of another document, or of unknown nodes."""
    if summaries.doc_id != tree.doc_id:
        return [f"summary: of {summaries.doc_id!r}, not of {tree.doc_id!r}"]
    return [f"summary: {each} is not a node of the tree" for each in summaries.summaries if each not in tree.by_id][:1]
