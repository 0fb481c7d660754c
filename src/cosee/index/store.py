"""The files of a document's index: sealed when they are written, checked when they are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.base import REDO
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.index import IndexManifest, VectorMeta, ViewName
from cosee.artifacts.files import ArtifactError
from cosee.index.document_index import DocumentIndex
from cosee.index.self_check import check_numbers, check_titles
from cosee.index.sparse import sparse_of
from cosee.index.thresholds import PROBES_AT_LOAD, PROBLEMS_NAMED
from cosee.index.vectors import VectorView, view_of
from cosee.models.embedding.embedders import Embedder

MANIFEST = "index.meta.json"
VIEWS: tuple[ViewName, ...] = ("coarse", "leaf", "leaf_raw", "rows")
REMEDY = "redo the index stage"


def tree_digest(tree: DocTree) -> str:
    """sha256 of everything in a tree that its index is made from."""
    nodes = [
        (node.id, node.type, node.parent, node.page_idx, node.page_span, node.level, node.flags, node.label, node.title,
         node.text, node.description, node.kind, node.chart_form, node.caption_ids, node.caption_of,
         [region.page_idx for region in node.regions],
         (node.table.header_rows, node.table.rows) if node.table else None)
        for node in tree.nodes
    ]  # fmt: skip
    pages = [(page.page_idx, page.page_label, page.flags) for page in tree.pages]
    return files.sha256_bytes(repr((nodes, pages)).encode("utf-8", "surrogatepass"))


def seal_index(
    folder: Path,
    tree: DocTree,
    outputs: Iterable[Path],
    counts: dict[str, int],
    embedder: Embedder | None,
) -> Path:
    """Write ``index.meta.json`` over the files of a new index; its path."""
    manifest = IndexManifest(
        doc_id=tree.doc_id,
        tree_sha256=tree_digest(tree),
        embedder=embedder.name if embedder else "none",
        revision=embedder.revision if embedder else "",
        dimensions=embedder.dimensions if embedder else 0,
        precision=embedder.precision if embedder else None,
        files={str(path.relative_to(folder)): files.sha256_file(path) for path in outputs},
        counts=counts,
    )
    manifest.save(folder / MANIFEST)
    return folder / MANIFEST


def load_index(folder: Path, tree: DocTree) -> DocumentIndex:
    """Read the index of ``tree`` from ``folder``: every file is the one that was written and checked, of this tree.

    Raises:
        ArtifactError: a file is missing or changed, or the index is of another tree; names it and says what to do.
    """
    try:
        manifest = IndexManifest.load(folder / MANIFEST)
        if (manifest.doc_id, manifest.tree_sha256) != (tree.doc_id, tree_digest(tree)):
            raise ArtifactError(f"{folder}: the index of {manifest.doc_id!r} is not of this version of its tree")
        contents = {name: _checked(folder / name, digest) for name, digest in manifest.files.items()}
        index = _index_of(folder, manifest, contents)
    except ArtifactError as error:
        said = str(error).removesuffix(REDO)
        raise ArtifactError(said if "redo the" in said else f"{said}; {REMEDY}") from error
    if problems := [*check_numbers(index), *check_titles(index, PROBES_AT_LOAD)]:
        raise ArtifactError(f"{folder}: the index is not sound: {'; '.join(problems[:PROBLEMS_NAMED])}; {REMEDY}")
    return index


def _checked(path: Path, digest: str) -> bytes:
    data = files.read_bytes(path)
    if files.sha256_bytes(data) != digest:
        raise ArtifactError(f"{path}: not the file that {MANIFEST} describes; it changed since the index was built")
    return data


def _index_of(folder: Path, manifest: IndexManifest, contents: Mapping[str, bytes]) -> DocumentIndex:
    views: dict[ViewName, VectorView] = {}
    try:
        for name in (name for name in VIEWS if f"{name}.meta.json" in contents):
            meta = VectorMeta.parse(contents[f"{name}.meta.json"], str(folder / f"{name}.meta.json"))
            graph = contents[f"{name}.faiss"] if len(meta.ids) > meta.hnsw_above else b""
            views[name] = view_of(meta, contents[f"{name}.vectors.npy"], graph, str(folder / f"{name}.vectors.npy"))
        coarse, leaf = sparse_of(contents, "coarse", folder), sparse_of(contents, "leaf", folder)
    except KeyError as error:
        raise ArtifactError(f"{folder / MANIFEST}: does not list {error}") from error
    texts = {name: data for name, data in contents.items() if name.endswith((".json", ".jsonl"))}
    return DocumentIndex(folder, manifest, views, coarse, leaf, texts)
