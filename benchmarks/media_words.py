"""What finds figures and tables: recall on questions whose evidence is one, with and without each kind of their words.

``python -m benchmarks.media_words --qa DIR --json OUT``. The first rung is the whole; every other leaves one kind out
of the index (texts and vectors) or adds one: ``captions`` (caption texts and titles), ``figure_words`` (words inside
figures, read from the text layer or by OCR, axis labels and legends among them, and descriptions), ``table_heads``
(column heads and the first cell of each row), ``table_cells`` (all of a table); ``+mentions`` (sentences of the text
that name a figure or table) and ``+lead`` (the sentence before one without a caption) with the weight of body text.
Questions by what the source says of their evidence (``evidence_sources``): ``media`` for tables, charts and figures,
``text`` for the others. Differences are paired by question, intervals over documents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.common import QaSet, argument_parser, chosen, print_table, write_report
from benchmarks.prepare import Prepared, add_options, is_prepared, one_by_one
from benchmarks.retrieval import CUTS, RESAMPLES, SEED, load_retriever, measures
from cosee.artifacts import files
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.content import TableData
from cosee.artifacts.documents.doctree import DocTree, Node
from cosee.artifacts.documents.index import ViewName
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.evaluation.intervals import bootstrap_mean
from cosee.index.dense import coarse_records, embedded_texts, leaf_records
from cosee.index.document_index import DocumentIndex
from cosee.index.rows import row_records
from cosee.index.sparse import FIELDS, SparseIndex, coarse_documents, leaf_documents
from cosee.index.summarizer import node_summaries
from cosee.index.vectors import VectorView
from cosee.index.view import IndexView
from cosee.models.embedding.embedders import Embedder, encode_texts, load_embedder
from cosee.retrieval.retriever import Retriever
from cosee.text.sentences import split_sentences

MEDIA = frozenset(("Table", "Chart", "Figure"))
GROUPS = ("media", "text")
MEASURES = (*(f"recall@{k}" for k in CUTS), "mrr")
MENTIONS = 3
"""Sentences of one text that name a figure or table, at most."""


def _without_captions(node: Node) -> Node:
    if node.type == "caption":
        return node.model_copy(update={"flags": [*node.flags, "hidden"]})
    return node.model_copy(update={"title": None}) if node.type in ("image", "table") else node


def _without_figure_words(node: Node) -> Node:
    return node.model_copy(update={"text": "", "description": None, "chart": None}) if node.type == "image" else node


def _without_table_heads(node: Node) -> Node:
    if node.table is None:
        return node
    rows = [
        ["" if place < node.table.header_rows or column == 0 else cell for column, cell in enumerate(row)]
        for place, row in enumerate(node.table.rows)
    ]
    return _with_rows(node, rows)


def _without_table_cells(node: Node) -> Node:
    return node if node.table is None else _with_rows(node, [])


def _with_rows(node: Node, rows: list[list[str]]) -> Node:
    header_rows = node.table.header_rows if node.table and rows else 0
    table = TableData(rows=rows, header_rows=header_rows)
    return node.model_copy(update={"table": table, "text": "\n".join(" | ".join(row) for row in rows)})


LEFT_OUT: dict[str, Callable[[Node], Node]] = {
    "captions": _without_captions,
    "figure_words": _without_figure_words,
    "table_heads": _without_table_heads,
    "table_cells": _without_table_cells,
}


def _mentions(tree: DocTree, index: DocumentIndex, node: Node) -> str:
    """Sentences that name the figure or table, of the texts that refer to it."""
    number = (node.label or "").casefold().split()[-1:]
    texts = [tree.node(each).text for each in index.referring.get(node.id, ())]
    found = [[s for s in split_sentences(text) if number and number[0] in s.casefold()][:MENTIONS] for text in texts]
    return " ".join(sentence for sentences in found for sentence in sentences)


def _lead(tree: DocTree, _: DocumentIndex, node: Node) -> str:
    """The last sentence of the text right before a figure or table that has no caption."""
    if node.title or node.parent is None:
        return ""
    siblings = tree.children(node.parent)
    before = siblings[: [each.id for each in siblings].index(node.id)]
    last = before[-1] if before and before[-1].type in ("paragraph", "list") and before[-1].readable else None
    return (split_sentences(last.text) or [""])[-1] if last is not None else ""


ADDED: dict[str, Callable[[DocTree, DocumentIndex, Node], str]] = {"+mentions": _mentions, "+lead": _lead}
METHODS = ("whole", *LEFT_OUT, *ADDED)


def variant(whole: Retriever, name: str, settings: IndexSettings, embedder: Embedder | None) -> Retriever:
    """The retriever of the same document with one kind of words left out or added."""
    if name == "whole":
        return whole
    questions = whole._questions
    if name in ADDED:
        view = IndexView(whole.tree)
        documents = [
            each.model_copy(update={"body": f"{each.body}\n{ADDED[name](whole.tree, whole.index, node)}"})
            if (node := whole.tree.node(each.id)).type in ("image", "table")
            else each
            for each in coarse_documents(view, whole.index.summaries.summaries)
        ]
        sparse = SparseIndex.build(documents, FIELDS["coarse"])
        return Retriever(whole.tree, replace(whole.index, sparse_coarse=sparse), RetrievalSettings(), questions)
    nodes = [LEFT_OUT[name](node) for node in whole.tree.nodes]
    tree = DocTree.model_validate(whole.tree.model_copy(update={"nodes": nodes}).model_dump())
    view = IndexView(tree)
    summaries = node_summaries(view, settings)
    coarse, leaves = coarse_records(view, summaries, settings), leaf_records(view, settings)
    texts = embedded_texts(coarse, leaves, row_records(view, settings), settings) if embedder else {}
    index = replace(
        whole.index,
        sparse_coarse=SparseIndex.build(coarse_documents(view, summaries), FIELDS["coarse"]),
        sparse_leaf=SparseIndex.build(leaf_documents(view, leaves), FIELDS["leaf"]),
        views=_views(whole.index, texts, embedder),
    )
    return Retriever(tree, index, RetrievalSettings(), questions)


def _views(
    index: DocumentIndex, texts: Mapping[ViewName, Mapping[str, str]], embedder: Embedder | None
) -> dict[ViewName, VectorView]:
    """The vectors of the records that are left, those of changed texts made anew."""
    import numpy

    found: dict[ViewName, VectorView] = {}
    for name, view in index.views.items():
        wanted = texts.get(name, {})
        rows = [row for row, record in enumerate(view.meta.ids) if record in wanted]
        vectors = numpy.array(view.vectors[rows])
        keys = [files.sha256_bytes(wanted[view.meta.ids[row]].encode("utf-8")) for row in rows]
        changed = [place for place, row in enumerate(rows) if keys[place] != view.meta.text_sha256[row]]
        if changed and embedder is not None:
            vectors[changed] = encode_texts(embedder, [wanted[view.meta.ids[rows[place]]] for place in changed])
        ids = [view.meta.ids[row] for row in rows]
        found[name] = VectorView(view.meta.model_copy(update={"ids": ids, "text_sha256": keys}), vectors)
    return found


def group_of(row: Mapping[str, Any]) -> str:
    """``media`` where the source names a table, chart or figure as evidence."""
    return "media" if MEDIA & set(row.get("evidence_sources") or ()) else "text"


def run_document(
    qa: QaSet, doc_id: str, prepared: Prepared, settings: IndexSettings, embedder: Embedder | None
) -> dict[str, dict[str, dict[str, float]]]:
    """Question id -> method -> measures, for the questions of one document that have gold pages."""
    asked = [each for each in qa.questions if each.doc_id == doc_id and each.evidence_pages]
    found: dict[str, dict[str, dict[str, float]]] = {each.question_id: {} for each in asked}
    whole = load_retriever(prepared)
    for name in METHODS:
        retriever = variant(whole, name, settings, embedder)
        for each in asked:
            pages = retriever.search(each.question, question_id=each.question_id).pages
            found[each.question_id][name] = measures(each, pages)
    return found


def report(
    questions: Sequence[Question],
    groups: Mapping[str, str],
    rows: Mapping[str, Mapping[str, Mapping[str, float]]],
) -> tuple[dict[str, float], dict[str, list[float]]]:
    """Figures ``<measure>.<group>.<method>``, and the paired differences of each method to the whole with intervals."""
    owner = {each.question_id: each.doc_id for each in questions}
    figures: dict[str, float] = {}
    paired: dict[str, list[float]] = {}
    for group in GROUPS:
        keys = [key for key in rows if groups[key] == group]
        for name in MEASURES if keys else ():
            for method in METHODS:
                values = [rows[key][method][name] for key in keys]
                figures[f"{name}.{group}.{method}"] = sum(values) / len(values)
                gaps = [rows[key][method][name] - rows[key]["whole"][name] for key in keys]
                found = bootstrap_mean(gaps, [owner[key] for key in keys], resamples=RESAMPLES, seed=SEED)
                if found and method != "whole":
                    paired[f"{name}.{group}.{method}-whole"] = [round(sum(gaps) / len(gaps), 6), found.low, found.high]
    return figures, paired


def main() -> int:
    """Run the benchmark."""
    parser = argument_parser(__doc__ or "")
    add_options(parser)
    options = parser.parse_args()
    qa, documents = chosen(parser, options)
    documents = [each for each in sorted(documents) if not options.prepared or is_prepared(qa.pdf(each), options.work)]
    embedder = load_embedder(options.embedder, options.precision)
    settings = IndexSettings(embedder=options.embedder, precision=options.precision)
    rows: dict[str, dict[str, dict[str, float]]] = {}
    failed: dict[str, str] = {}
    for doc_id, prepared in one_by_one(qa, documents, options, failed):
        rows |= run_document(qa, doc_id, prepared, settings, embedder)
    groups = {key: group_of(qa.rows[key]) for key in rows}
    figures, paired = report(qa.questions, groups, rows)
    for group in GROUPS:
        print(f"\n{group}: {sum(each == group for each in groups.values())} questions; difference to the whole, 95 %")
        table = []
        for method in METHODS:
            gap = paired.get(f"recall@5.{group}.{method}-whole")
            cells = [figures.get(f"{name}.{group}.{method}") for name in MEASURES]
            table.append([method, *cells, "{:+.3f} ({:+.3f} to {:+.3f})".format(*gap) if gap else None])
        print_table(["method", *MEASURES, "recall@5 to the whole"], table)
    detail = {"documents": documents, "failed": failed, "groups": groups, "paired": paired}
    write_report(options.json, "media_words", figures, detail)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
