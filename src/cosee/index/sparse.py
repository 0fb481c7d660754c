"""BM25F over the fields of a document's nodes: the texts, the index on disk, and the scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cosee.artifacts import files
from cosee.artifacts.documents.doctree import Node
from cosee.artifacts.documents.index import DenseLeaf, SparseDoc, SparseMeta
from cosee.artifacts.files import ArtifactError
from cosee.index.dense import child_surface
from cosee.index.features import aliases_for
from cosee.index.postings import Columns, columns_of
from cosee.index.thresholds import NO_LENGTH
from cosee.index.view import PATH_SEPARATOR, IndexView, media_text, table_schema
from cosee.text.tokens import ANALYZER_VERSION, analyze

if TYPE_CHECKING:
    import numpy as np

SparseView = Literal["coarse", "leaf"]
FIELDS: dict[SparseView, tuple[str, ...]] = {
    "coarse": (
        "heading", "headings_path", "child_labels", "child_table_schema", "caption_bag", "title", "caption",
        "table_schema", "labels", "aliases", "body",
    ),
    "leaf": ("body", "headings_path", "aliases"),
}  # fmt: skip


@dataclass(frozen=True)
class FieldScoring:
    """Weight of each field and how much its length counts (``b``, 0..1), and the saturation ``k1`` of BM25F."""

    weights: Mapping[str, float] = field(
        default_factory=lambda: {
            "heading": 3.0, "headings_path": 0.5, "child_labels": 1.0, "child_table_schema": 1.0, "caption_bag": 1.0,
            "title": 2.5, "caption": 1.5, "table_schema": 2.0, "labels": 2.0, "aliases": 0.3, "body": 1.0,
        }
    )  # fmt: skip
    length_normalisation: Mapping[str, float] = field(default_factory=lambda: {"aliases": 0.2, "heading": 0.3})
    default_normalisation: float = 0.6
    k1: float = 1.5


def coarse_documents(view: IndexView, summaries: dict[str, str]) -> list[SparseDoc]:
    """The fields of every section, image and table, in reading order."""
    documents = []
    for node in view.nodes:
        if node.type == "section":
            documents.append(_section_document(view, node, summaries.get(node.id, "")))
        elif node.type in ("image", "table"):
            documents.append(_media_document(view, node))
    return documents


def _section_document(view: IndexView, section: Node, summary: str) -> SparseDoc:
    children = [child for child in view.tree.children(section.id) if child.id in view.visible]
    media = [child for child in children if child.type in ("image", "table")]
    title = view.title(section.id)
    return SparseDoc(
        id=section.id,
        role="section",
        heading=title,
        headings_path=PATH_SEPARATOR.join(view.heading_path(section.id)),
        child_labels="; ".join(dict.fromkeys(child.label for child in media if child.label)),
        child_table_schema="; ".join(dict.fromkeys(name for child in media for name in table_schema(child))),
        caption_bag="; ".join(dict.fromkeys(child.title for child in media if child.title)),
        aliases=aliases_for(f"{title}\n{summary}\n{child_surface(view, section)}"),
        body=summary,
        filters={"level": section.level, "page_span": list(section.page_span), "page_idx": section.page_idx},
    )


def _media_document(view: IndexView, node: Node) -> SparseDoc:
    captions = " ".join(view.tree.node(each).text for each in node.caption_ids if each in view.visible)
    title = node.title or ""
    return SparseDoc(
        id=node.id,
        role=node.type,
        headings_path=PATH_SEPARATOR.join(view.heading_path(node.id)),
        title=title,
        caption=captions if captions and captions != title else (node.description or ""),
        table_schema="; ".join(table_schema(node)),
        labels=node.label or "",
        aliases=aliases_for(f"{title}\n{media_text(node)}"),
        body=media_text(node),
        filters={"page_idx": node.page_idx, "parent_section": view.parent_section[node.id]},
    )


def leaf_documents(view: IndexView, leaves: Sequence[DenseLeaf]) -> list[SparseDoc]:
    """One document a chunk, with the chunk's id; ``body`` is its raw text."""
    return [
        SparseDoc(
            id=leaf.node_id,
            role=leaf.role,
            headings_path=PATH_SEPARATOR.join(view.heading_path(leaf.orig_node_id)),
            aliases=aliases_for(leaf.raw_text),
            body=leaf.raw_text,
            filters=leaf.filters,
        )
        for leaf in leaves
    ]


class SparseIndex:
    """An inverted index with counts a field; see ``SparseMeta`` for the arrays."""

    def __init__(
        self,
        ids: Sequence[str],
        fields: Sequence[str],
        vocabulary: Sequence[str],
        postings: np.ndarray,
        scoring: FieldScoring | None = None,
    ) -> None:
        self.ids = list(ids)
        self.fields = list(fields)
        self.vocabulary = list(vocabulary)
        self.postings = postings
        self.scoring = scoring or FieldScoring()

    @classmethod
    def build(
        cls, documents: Iterable[SparseDoc], fields: Sequence[str], scoring: FieldScoring | None = None
    ) -> SparseIndex:
        """Index the given fields of ``documents``."""
        import numpy

        rows: list[tuple[int, int, str, int]] = []
        ids: list[str] = []
        for place, document in enumerate(documents):
            ids.append(document.id)
            counts = [Counter(analyze(getattr(document, name))) for name in fields]
            rows += [(place, number, term, n) for number, bag in enumerate(counts) for term, n in bag.items()]
        vocabulary = sorted({row[2] for row in rows})
        number_of = {term: number for number, term in enumerate(vocabulary)}
        table = sorted((place, number, number_of[term], count) for place, number, term, count in rows)
        return cls(ids, fields, vocabulary, numpy.array(table, dtype=numpy.int32).reshape(-1, 4), scoring)

    @cached_property
    def terms(self) -> dict[str, int]:
        """Term -> its column."""
        return {term: number for number, term in enumerate(self.vocabulary)}

    @cached_property
    def lengths(self) -> np.ndarray:
        """The terms of each document (row) and field (column)."""
        import numpy

        cells = self.postings[:, 0].astype(numpy.int64) * len(self.fields) + self.postings[:, 1]
        counts = numpy.bincount(cells, self.postings[:, 3], minlength=len(self.ids) * len(self.fields))
        return counts.astype(numpy.int32).reshape(len(self.ids), len(self.fields))

    @cached_property
    def weights(self) -> Columns:
        """BM25F weight of each document (row) for each term (column).

        The counts of ``normalised_counts`` are saturated and multiplied by ``ln(1 + (N - df + 0.5) / (df + 0.5))``,
        which is positive however small the collection. ``df`` counts documents, in whatever field. A field's average
        length is over the documents that have the field.
        """
        import numpy

        filled = (self.lengths > 0).sum(axis=0)
        average = self.lengths.sum(axis=0) / numpy.maximum(filled, 1)
        documents, terms, counts = self.normalised_counts(numpy.maximum(average, NO_LENGTH))
        values = counts * (self.scoring.k1 + 1) / (self.scoring.k1 + counts)
        found = columns_of(terms, documents, values, len(self.vocabulary))
        frequency = numpy.diff(found.starts)
        idf = numpy.log1p((len(self.ids) - frequency + 0.5) / (frequency + 0.5))
        return Columns(found.starts, found.rows, found.values * numpy.repeat(idf, frequency))

    def normalised_counts(self, usual_lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Each document and term that go together, with the term's counts weighted and normalised by length a field,
        and summed over the fields. ``usual_lengths``: of each field, in terms."""
        import numpy

        scoring, documents = self.scoring, max(1, len(self.ids))
        b = numpy.array([scoring.length_normalisation.get(n, scoring.default_normalisation) for n in self.fields])
        weight = numpy.array([scoring.weights.get(name, 1.0) for name in self.fields])
        norm = 1 - b + b * self.lengths / usual_lengths
        place, number, term, count = self.postings.T
        cells, cell_of = numpy.unique(term.astype(numpy.int64) * documents + place, return_inverse=True)
        counts = numpy.bincount(cell_of, weight[number] * count / norm[place, number], minlength=len(cells))
        return cells % documents, cells // documents, counts

    def scores(self, query: Mapping[str, float]) -> np.ndarray:
        """The BM25F score of every document in the order of ``ids``, to 6 digits. ``query``: term -> weight."""
        scores: np.ndarray = self._scores(query)[self._ranks]
        return scores

    def search(self, query: Mapping[str, float], count: int) -> list[tuple[str, float]]:
        """At most ``count`` documents that match, best first; ties in order of id."""
        import numpy

        scores = self._scores(query)
        found = scores.nonzero()[0]
        values = scores[found]
        if len(found) > count > 0:
            kept = values >= numpy.partition(values, len(values) - count)[len(values) - count]
            found, values = found[kept], values[kept]
        order = numpy.argsort(-values, kind="stable")[:count]
        return list(zip(map(self._sorted_ids.__getitem__, found[order].tolist()), values[order].tolist(), strict=True))

    def _scores(self, query: Mapping[str, float]) -> np.ndarray:
        """The scores in order of id, so that a stable sort by score leaves ties in that order."""
        import numpy

        terms, (starts, documents, values) = self.terms, self._columns
        columns = [(terms[term], query[term]) for term in sorted(query) if term in terms]
        if not columns:
            return numpy.zeros(len(self.ids))
        parts = [slice(starts[column], starts[column + 1]) for column, _ in columns]
        pairs = zip(parts, columns, strict=True)
        weighted = [values[part] if weight == 1.0 else values[part] * weight for part, (_, weight) in pairs]
        places = numpy.concatenate([documents[part] for part in parts])
        total: np.ndarray = numpy.bincount(places, numpy.concatenate(weighted), minlength=len(self.ids))
        return total.round(6)

    @cached_property
    def _sorted_ids(self) -> list[str]:
        return sorted(self.ids)

    @cached_property
    def _ranks(self) -> np.ndarray:
        """The place of each document among the sorted ids; equal ids keep their order."""
        import numpy

        ranks = numpy.empty(len(self.ids), dtype=numpy.int64)
        ranks[sorted(range(len(self.ids)), key=self.ids.__getitem__)] = numpy.arange(len(self.ids))
        return ranks

    @cached_property
    def _columns(self) -> tuple[list[int], np.ndarray, np.ndarray]:
        """Where each term's documents begin, the documents as places among the sorted ids, and their weights."""
        return self.weights.starts.tolist(), self._ranks[self.weights.rows], self.weights.values

    def save(self, folder: Path, view: SparseView) -> list[Path]:
        """Write the index into ``folder``; the files written."""
        postings, meta = folder / "postings.npy", folder / "meta.json"
        files.write_npy(postings, self.postings)
        SparseMeta(
            view=view, analyzer=ANALYZER_VERSION, ids=self.ids, fields=self.fields, vocabulary=self.vocabulary
        ).save(meta)
        return [postings, meta]


def sparse_of(contents: Mapping[str, bytes], view: SparseView, where: Path) -> SparseIndex:
    """The index in ``bm25_<view>/`` from the bytes of its files, by path below the folder ``where``.

    Raises:
        ArtifactError: the files do not fit each other, or another analyzer made them; says what to redo.
    """
    folder = f"bm25_{view}"
    meta = SparseMeta.parse(contents[f"{folder}/meta.json"], str(where / folder / "meta.json"))
    if meta.analyzer != ANALYZER_VERSION:
        raise ArtifactError(
            f"{where / folder}: of analyzer {meta.analyzer}, not {ANALYZER_VERSION}; redo the index stage"
        )
    postings = files.parse_npy(contents[f"{folder}/postings.npy"], f"{where / folder}/postings.npy")
    if postings.shape[1:] != (4,):
        raise ArtifactError(f"{where / folder}: postings of shape {postings.shape}; redo the index stage")
    return SparseIndex(meta.ids, meta.fields, meta.vocabulary, postings)
