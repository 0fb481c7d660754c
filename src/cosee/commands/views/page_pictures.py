"""Pictures for ``cosee show``: a page with the box of every node, or what one node covers."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.documents.content import ContentList, DroppedItem, Region
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.layout import Layout
from cosee.artifacts.files import ArtifactError
from cosee.commands.views.document_views import check_page
from cosee.commands.views.thresholds import CROP_DPI, PAGE_DPI
from cosee.commands.views.tree_views import node_of
from cosee.imaging.page_boxes import DROPPED, Mark, draw_marks, stack_crops
from cosee.imaging.render import render_page_isolated
from cosee.imaging.upright import Turn


def draw_page(path: Path, page: int, out: Path) -> Counter[str]:
    """Draw a page (1-based) of the document beside ``path`` with a box around each of its nodes, items or blocks.

    Returns the number of boxes by role; ``dropped`` are those of the drop list.

    Raises:
        ArtifactError: the file has no boxes, there is no such page, or ``full.pdf`` is not beside the file.
        RenderError: the page cannot be rendered.
    """
    marks = _marks(path, page)
    with tempfile.TemporaryDirectory() as scratch:
        picture = render_page_isolated(_pdf(path), page, PAGE_DPI, Path(scratch))
        draw_marks(picture, marks, out, f"{path.parent.name}, page {page}")
    return Counter(mark.role for mark in marks)


def draw_node(path: Path, node_id: str, out: Path) -> int:
    """Cut what a node covers out of its pages, one region below the other; returns the number of regions.

    Raises:
        ArtifactError: the file is no tree or content list, has no such node, or ``full.pdf`` is not beside it.
        RenderError: a page cannot be rendered.
    """
    regions = _regions(path, node_id)
    with tempfile.TemporaryDirectory() as scratch:
        pictures = [
            (render_page_isolated(_pdf(path), region.page_idx + 1, CROP_DPI, Path(scratch)), region.bbox)
            for region in regions
        ]
        stack_crops(pictures, out)
    return len(regions)


def _pdf(path: Path) -> Path:
    pdf = path.parent / "full.pdf"
    if not pdf.is_file():
        raise ArtifactError(f"{pdf}: no such file; boxes are drawn on the PDF that lies beside the artifact")
    return pdf


def _schema(path: Path) -> Any:
    value = files.read_json(path)
    return value.get("schema") if isinstance(value, dict) else None


def _regions(path: Path, node_id: str) -> list[Region]:
    schema = _schema(path)
    if schema == DocTree.schema_name:
        tree = DocTree.load(path)
        node = node_of(tree, node_id)
        if not node.regions:
            raise ArtifactError(f"{tree.doc_id}: node {node_id!r} covers no part of a page; name one of its children")
        return node.regions
    if schema == ContentList.schema_name:
        content = ContentList.load(path)
        for item in content.items:
            if item.id == node_id:
                return item.regions or [Region(page_idx=item.page_idx, bbox=item.bbox)]
        raise ArtifactError(f"{content.doc_id}: no item {node_id!r} in the list")
    raise ArtifactError(f"{path}: has no nodes; name a doctree.mm.json or a content list of ours")


def _marks(path: Path, page: int) -> list[Mark]:
    schema = _schema(path)
    if schema == DocTree.schema_name:
        tree = DocTree.load(path)
        check_page(page, len(tree.pages), tree.doc_id)
        nodes = [tree.node(node_id) for node_id in tree.page_nodes.get(page - 1, [])]
        marks = [
            Mark(region.bbox, node.type, f"{place} L{node.level}" if node.type == "section" else str(place))
            for place, node in enumerate(nodes, 1)
            for region in node.regions
            if region.page_idx == page - 1
        ]
        return marks + _dropped_marks(tree.dropped, page)
    if schema == ContentList.schema_name:
        content = ContentList.load(path)
        check_page(page, len(content.pages), content.doc_id)
        items = [item for item in content.items if item.page_idx == page - 1]
        marks = [Mark(item.bbox, item.role, str(place)) for place, item in enumerate(items, 1)]
        return marks + _dropped_marks(content.dropped, page)
    if schema == Layout.schema_name:
        layout = Layout.load(path)
        check_page(page, len(layout.pages), layout.doc_id)
        seen = layout.pages[page - 1]
        width, height = max(seen.width, 1.0), max(seen.height, 1.0)
        turn = Turn(seen.width, seen.height, seen.turn)
        return [
            Mark((b[0] / width, b[1] / height, b[2] / width, b[3] / height), block.kind, str(place))
            for place, block in enumerate(seen.blocks, 1)
            for b in [turn.back(block.bbox)]
        ]
    raise ArtifactError(f"{path}: has no boxes; name a doctree.mm.json, a content list of ours or a layout.json")


def _dropped_marks(dropped: Sequence[DroppedItem], page: int) -> list[Mark]:
    return [
        Mark(item.bbox, DROPPED, item.reason)
        for item in dropped
        if item.page_idx == page - 1 and item.bbox is not None and item.reason != "merged"
    ]
