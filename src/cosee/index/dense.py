"""Dense records of a document: the texts that get vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cosee.artifacts.documents.doctree import Node
from cosee.artifacts.documents.index import DenseCoarse, DenseLeaf, DenseRow, LeafRole, Ref, ViewName
from cosee.artifacts.settings.index import IndexSettings
from cosee.index import features
from cosee.index.references import LabelIndex, PartIndex
from cosee.index.summarizer import shorten, summarize_leaf
from cosee.index.thresholds import CHUNK_OVERLAP
from cosee.index.view import PATH_SEPARATOR, IndexView, row_names, table_schema
from cosee.text.mentions import mentions
from cosee.text.part_names import part_names
from cosee.text.sentences import chunk_ranges


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
    texts = {
        "heading": title,
        "gist": summary or title,
        "child": shorten(child_surface(view, section), 2 * settings.summary_words) or title,
        "path": PATH_SEPARATOR.join(view.heading_path(section.id)),
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


def embedded_texts(
    coarse: Sequence[DenseCoarse], leaves: Sequence[DenseLeaf], rows: Sequence[DenseRow], settings: IndexSettings
) -> dict[ViewName, dict[str, str]]:
    """View -> record id -> the text that its vector is of."""
    kinds = settings.vector_kinds
    return {
        "coarse": {each.node_id: each.dense_text for each in coarse if (each.variant or "media") in kinds},
        "leaf": {each.node_id: each.dense_text for each in leaves if "leaf" in kinds},
        "leaf_raw": {each.node_id: each.raw_text for each in leaves if "leaf_raw" in kinds},
        "rows": {each.node_id: each.dense_text for each in rows if "rows" in kinds},
    }


def leaf_records(view: IndexView, settings: IndexSettings) -> list[DenseLeaf]:
    """The chunks of every leaf, in reading order; together they hold every character of its text."""
    labels = LabelIndex(view.tree, view.nodes)
    parts = PartIndex(node for node in view.nodes if node.type == "section")
    records: list[DenseLeaf] = []
    for node in view.leaves:
        role: LeafRole = "list" if node.type == "toc" else node.type  # type: ignore[assignment]
        ranges = chunk_ranges(node.text, settings.chunk_words, CHUNK_OVERLAP)
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
                    refs=_refs(labels, parts, node, raw),
                )
            )
    return records


def _refs(labels: LabelIndex, parts: PartIndex, node: Node, text: str) -> list[Ref]:
    """What a chunk mentions: figures and tables, and sections but for those that a table of contents lists."""
    targets = [(each, labels.resolve(each, node)) for each in mentions(text)]
    if node.type != "toc":
        targets += [(each, parts.resolve(each)) for each in part_names(text, own=True)]
    return [
        Ref(label=mention.label, target=ids[0])
        for mention, ids in dict(targets).items()
        if ids and ids[0] not in (node.id, node.caption_of)
    ]
