"""Whether the files of an index fit the tree and each other; asked when an index is built and when it is read."""

from __future__ import annotations

from collections.abc import Iterable

from cosee.artifacts import files
from cosee.artifacts.doctree import DocTree, split_id
from cosee.artifacts.index import DenseCoarse, DenseLeaf, GraphEdge, IdMaps
from cosee.index.dense import VectorView
from cosee.index.sparse import SparseIndex


def check_views(views: dict[str, VectorView], coarse: list[DenseCoarse], leaves: list[DenseLeaf]) -> list[str]:
    """Problems of vectors: missing or surplus rows, texts that changed since, norms other than 1 (or 0)."""
    import numpy

    texts = {
        "coarse": {record.node_id: record.dense_text for record in coarse},
        "leaf": {record.node_id: record.dense_text for record in leaves},
        "leaf_raw": {record.node_id: record.raw_text for record in leaves},
    }
    problems: list[str] = []
    for name, view in views.items():
        if view.meta.embedder == "none":
            continue
        expected = texts[name]
        if view.meta.ids != list(expected):
            problems.append(f"{name}: {len(view.meta.ids)} vectors do not belong to the {len(expected)} records")
            continue
        for node_id, digest in zip(view.meta.ids, view.meta.text_sha256, strict=True):
            if files.sha256_bytes(expected[node_id].encode("utf-8")) != digest:
                problems.append(f"{name}: the text of {node_id} is not the one that was embedded")
                break
        norms = numpy.linalg.norm(view.vectors, axis=1)
        off = numpy.flatnonzero((numpy.abs(norms - 1) > 1e-3) & (norms > 0))
        if len(off):
            problems.append(f"{name}: the vector of {view.meta.ids[int(off[0])]} has norm {norms[int(off[0])]:.4f}")
    identities = {(view.meta.embedder, view.meta.revision, view.meta.dimensions) for view in views.values()}
    if len(identities) > 1:
        problems.append(f"vectors of several embedders: {sorted(identities)}")
    return problems


def check_records(
    tree: DocTree,
    coarse: list[DenseCoarse],
    leaves: list[DenseLeaf],
    sparse_coarse: SparseIndex,
    sparse_leaf: SparseIndex,
) -> list[str]:
    """Problems of records: unknown or repeated ids, sections without their four variants, sparse against dense."""
    problems: list[str] = []
    for name, ids in (("dense_coarse", [r.node_id for r in coarse]), ("dense_leaf", [r.node_id for r in leaves])):
        if len(set(ids)) != len(ids):
            problems.append(f"{name}: an id occurs twice")
        unknown = [each for each in ids if split_id(each)[0] not in tree.by_id]
        if unknown:
            problems.append(f"{name}: {unknown[0]} is not a node of the tree; the tree is newer than the index")
    variants: dict[str, int] = {}
    for record in coarse:
        if record.role == "section":
            node_id = split_id(record.node_id)[0]
            variants[node_id] = variants.get(node_id, 0) + 1
    problems += [f"dense_coarse: section {node_id} has {n} variants" for node_id, n in variants.items() if n != 4][:1]
    if sparse_coarse.ids != list(dict.fromkeys(split_id(record.node_id)[0] for record in coarse)):
        problems.append("bm25_coarse and dense_coarse.jsonl hold different nodes")
    if sparse_leaf.ids != [record.node_id for record in leaves]:
        problems.append("bm25_leaf and dense_leaf.jsonl hold different chunks")
    for name, index in (("bm25_coarse", sparse_coarse), ("bm25_leaf", sparse_leaf)):
        problems += _check_postings(name, index)
    return problems


def _check_postings(name: str, index: SparseIndex) -> list[str]:
    import numpy

    if not len(index.postings):
        return [f"{name}: lengths without postings"] if int(index.lengths.sum()) else []
    bounds = (len(index.ids), len(index.fields), len(index.vocabulary))
    if index.postings.min() < 0 or any(index.postings[:, column].max() >= bounds[column] for column in range(3)):
        return [f"{name}: a posting points outside the index"]
    sums = numpy.zeros_like(index.lengths)
    numpy.add.at(sums, (index.postings[:, 0], index.postings[:, 1]), index.postings[:, 3])
    return [] if bool((sums == index.lengths).all()) else [f"{name}: lengths are not the sums of the postings"]


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
    return problems[:5]
