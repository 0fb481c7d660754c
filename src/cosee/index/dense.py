"""Dense records of a document, their vectors on disk, and exact search in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cosee.artifacts import files
from cosee.artifacts.doctree import Node, split_id
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.index import DenseCoarse, DenseLeaf, LeafRole, Ref, VectorMeta
from cosee.artifacts.settings.index import IndexSettings
from cosee.index import features
from cosee.index.references import LabelIndex, mentions
from cosee.index.sentences import chunk_ranges
from cosee.index.summarizer import shorten, summarize_leaf
from cosee.index.view import PATH_SEPARATOR, IndexView, row_names, table_schema

if TYPE_CHECKING:
    import numpy as np

ViewName = Literal["coarse", "leaf", "leaf_raw", "questions"]
Encoder = Callable[[Sequence[str]], "np.ndarray"]


def coarse_records(view: IndexView, summaries: dict[str, str], settings: IndexSettings) -> list[DenseCoarse]:
    """Four variants of every section, one record of every image and table, in reading order."""
    sketcher = features.Sketcher(view)
    records: list[DenseCoarse] = []
    for node in view.nodes:
        if node.type == "section":
            records.extend(_section_records(view, node, summaries.get(node.id, ""), settings, sketcher))
        elif node.type in ("image", "table"):
            records.append(_media_record(view, node, summaries.get(node.id, ""), settings))
    return records


def _section_records(
    view: IndexView, section: Node, summary: str, settings: IndexSettings, sketcher: features.Sketcher
) -> list[DenseCoarse]:
    title = view.title(section.id)
    shared: dict[str, Any] = {
        "role": "section",
        "title": title,
        "summary": summary,
        "filters": features.section_filters(view, section),
        "affordances": features.section_affordances(view, section),
        "subtree_sketch": sketcher.sketch(section),
    }
    ancestors = view.heading_path(section.id)[:-1] if title else view.heading_path(section.id)
    texts = {
        "heading": title,
        "gist": summary or title,
        "child": shorten(child_surface(view, section), 2 * settings.summary_words) or title,
        "path": PATH_SEPARATOR.join([*ancestors, title]) if title else PATH_SEPARATOR.join(ancestors),
    }
    # A section without a searchable heading still has four variants: the first text that says something stands in.
    instead = next((text for text in (title, summary, texts["child"], texts["path"]) if text), "section")
    return [
        DenseCoarse(node_id=f"{section.id}#{variant[0]}", variant=variant, dense_text=text or instead, **shared)
        for variant, text in texts.items()
    ]


def child_surface(view: IndexView, section: Node) -> str:
    """What a section's children show of themselves: captions, table columns, headings."""
    parts: list[str] = []
    for child in view.tree.children(section.id):
        if child.id not in view.visible:
            continue
        if child.type in ("image", "table"):
            parts += [child.title or child.description or "", ", ".join(table_schema(child))]
        elif child.type == "section":
            parts.append(view.title(child.id))
    return "; ".join(dict.fromkeys(part for part in parts if part))


def _media_record(view: IndexView, node: Node, summary: str, settings: IndexSettings) -> DenseCoarse:
    is_table = node.type == "table"
    description = node.description or ""
    parts = [description] if node.title and node.title in description else [node.title or "", description]
    if is_table:
        parts += ["; ".join(table_schema(node)), "; ".join(row_names(node)) or summary]
    else:
        parts += [node.text, view.title(view.parent_section[node.id])]
    affordances = features.table_affordances(node) if is_table else features.image_affordances(node)
    text = "\n".join(dict.fromkeys(part for part in parts if part.strip())) or node.kind or node.type
    return DenseCoarse(
        node_id=node.id,
        role="table" if is_table else "image",
        dense_text=shorten(text, 2 * settings.summary_words),
        title=node.title or "",
        summary=summary,
        filters=features.media_filters(view, node),
        affordances=affordances,
    )


def leaf_records(view: IndexView, settings: IndexSettings) -> list[DenseLeaf]:
    """The chunks of every leaf, in reading order; together they hold every character of its text."""
    labels = LabelIndex(view.nodes)
    records: list[DenseLeaf] = []
    for node in view.leaves:
        role: LeafRole = "list" if node.type == "toc" else node.type  # type: ignore[assignment]
        ranges = chunk_ranges(node.text, settings.chunk_words, settings.chunk_overlap)
        for number, (start, end) in enumerate(ranges):
            raw = node.text[start:end]
            records.append(
                DenseLeaf(
                    node_id=f"{node.id}#c{number}",
                    orig_node_id=node.id,
                    role=role,
                    dense_text=summarize_leaf(raw, settings) or raw.strip(),
                    raw_text=raw,
                    filters=features.leaf_filters(view, node, raw),
                    refs=_refs(labels, node, raw),
                )
            )
    return records


def _refs(labels: LabelIndex, node: Node, text: str) -> list[Ref]:
    refs = []
    for mention in mentions(text):
        for target in labels.resolve(mention)[:1]:
            if target not in (node.id, node.caption_of):
                refs.append(Ref(label=mention.label, target=target))
    return refs


@dataclass(frozen=True)
class VectorView:
    """One view's vectors: row ``i`` of ``vectors`` (float32, unit norm or zero) belongs to ``meta.ids[i]``."""

    meta: VectorMeta
    vectors: np.ndarray

    @cached_property
    def groups(self) -> list[np.ndarray]:
        """Rows of each section variant apart, and of everything else together."""
        import numpy

        rows: dict[str | None, list[int]] = {}
        for row, record_id in enumerate(self.meta.ids):
            rows.setdefault(split_id(record_id)[1], []).append(row)
        return [numpy.array(each) for each in rows.values()]

    def search(self, query: np.ndarray, count: int, rows: np.ndarray | None = None) -> list[tuple[str, float]]:
        """The ``count`` ids nearest to one query vector with their cosine, best first; ties in order of id.

        ``rows`` restricts the search.

        Raises:
            ArtifactError: the query has other dimensions than the index.
        """
        import numpy

        query = numpy.ascontiguousarray(query, dtype=numpy.float32).reshape(-1)
        if not self.meta.ids or count <= 0:
            return []
        if query.shape[0] != self.meta.dimensions:
            raise ArtifactError(
                f"a query vector of {query.shape[0]} dimensions cannot be searched in {self.meta.view} vectors of "
                f"{self.meta.dimensions} dimensions made by {self.meta.embedder} ({self.meta.revision})"
            )
        scores = numpy.round(numpy.nan_to_num(self.vectors @ query, nan=-1.0).astype(float), 6)
        candidates = numpy.arange(len(scores)) if rows is None else rows
        count = min(count, len(candidates))
        if not count:
            return []
        border = numpy.partition(scores[candidates], len(candidates) - count)[len(candidates) - count]
        near = candidates[scores[candidates] >= border].tolist()
        places = sorted(near, key=lambda i: (-scores[i], self.meta.ids[i]))
        return [(self.meta.ids[place], float(scores[place])) for place in places[:count]]


def make_view(
    name: ViewName, ids: Sequence[str], texts: Sequence[str], encode: Encoder | None, identity: tuple[str, str, int]
) -> VectorView:
    """Vectors of ``texts``; without an encoder a view without rows. ``identity``: embedder, revision, dimensions.

    Raises:
        ArtifactError: a vector is not finite, or has other dimensions than promised.
    """
    import numpy

    embedder, revision, dimensions = identity
    if encode is None:
        ids, texts = [], []
    vectors = numpy.zeros((0, dimensions), dtype=numpy.float32)
    if encode is not None and texts:
        vectors = numpy.ascontiguousarray(encode(texts), dtype=numpy.float32)
    if vectors.shape != (len(ids), dimensions):
        raise ArtifactError(f"{name}: {embedder} gave vectors of shape {vectors.shape}, not {(len(ids), dimensions)}")
    faulty = numpy.flatnonzero(~numpy.isfinite(vectors).all(axis=1))
    if len(faulty):
        raise ArtifactError(f"{name}: the vector of {ids[int(faulty[0])]} is not finite")
    meta = VectorMeta(
        view=name,
        embedder=embedder,
        revision=revision,
        dimensions=dimensions,
        ids=list(ids),
        text_sha256=[files.sha256_bytes(text.encode("utf-8")) for text in texts],
        vectors_sha256="",
    )
    return VectorView(meta, vectors)


def save_view(folder: Path, view: VectorView, *, faiss: bool = True, hnsw_above: int = 50_000) -> list[Path]:
    """Write ``<view>.vectors.npy``, ``.meta.json`` and, unless told not to, ``.faiss``; the files written.

    The FAISS index is flat inner product up to ``hnsw_above`` vectors, then HNSW (32, 200, 64) built by one thread.
    """
    import numpy

    name = view.meta.view
    vectors_path, meta_path = folder / f"{name}.vectors.npy", folder / f"{name}.meta.json"
    files.write_npy(vectors_path, numpy.ascontiguousarray(view.vectors, dtype=numpy.float32))
    view.meta.model_copy(update={"vectors_sha256": files.sha256_file(vectors_path)}).save(meta_path)
    written = [vectors_path, meta_path]
    if faiss:
        files.write_bytes(folder / f"{name}.faiss", _faiss_bytes(view.vectors, hnsw_above))
        written.append(folder / f"{name}.faiss")
    return written


def _faiss_bytes(vectors: np.ndarray, hnsw_above: int) -> bytes:
    import faiss

    dimensions = max(1, vectors.shape[1])
    if len(vectors) > hnsw_above:
        faiss.omp_set_num_threads(1)
        index: Any = faiss.IndexHNSWFlat(dimensions, 32, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction, index.hnsw.efSearch = 200, 64
    else:
        index = faiss.IndexFlatIP(dimensions)
    if len(vectors):
        index.add(vectors)
    return bytes(faiss.serialize_index(index).tobytes())


def load_view(folder: Path, name: ViewName) -> VectorView:
    """Read a view and check it.

    Raises:
        ArtifactError: a file is missing or damaged, or rows, ids and dimensions do not fit.
    """
    meta = VectorMeta.load(folder / f"{name}.meta.json")
    path = folder / f"{name}.vectors.npy"
    digest = files.sha256_bytes(files.read_bytes(path))
    if digest != meta.vectors_sha256:
        raise ArtifactError(f"{path}: not the vectors that {name}.meta.json describes; redo the stage that made them")
    vectors = files.read_npy(path)
    if vectors.shape != (len(meta.ids), meta.dimensions) or len(meta.text_sha256) != len(meta.ids):
        raise ArtifactError(
            f"{path}: {vectors.shape[0]} rows of {vectors.shape[-1]} for {len(meta.ids)} ids of {meta.dimensions}"
        )
    return VectorView(meta, vectors)
