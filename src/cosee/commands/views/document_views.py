"""How a content list and a layout look in a terminal; a tree has its own module, ``tree_views``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from cosee.artifacts.documents.content import ContentList, DroppedItem, MinerUItem
from cosee.artifacts.documents.layout import Layout
from cosee.artifacts.files import ArtifactError
from cosee.commands.console import line, plain, show_table
from cosee.commands.views.thresholds import WIDE_CELL, WIDEST_CELL
from cosee.text.counts import counted

ALL_ROWS = 1_000_000_000
"""The limit of a view that leaves nothing out."""


@dataclass(frozen=True)
class View:
    """What of a file is shown: ``page`` (1-based), ``item`` (an id), at most ``limit`` rows."""

    page: int | None = None
    item: str | None = None
    limit: int = 40


def show_content(content: ContentList, console: Console, view: View) -> None:
    """Items in reading order, a row each."""
    if view.page is not None:
        check_page(view.page, len(content.pages), content.doc_id)
    items = [item for item in content.items if view.item in (None, item.id) and view.page in (None, item.page_idx + 1)]
    if view.item is not None and not items:
        gone = next((item.reason for item in content.dropped if item.id == view.item), None)
        why = f"; it was dropped as {gone!r}" if gone else ""
        raise ArtifactError(f"{content.doc_id}: no item {view.item!r} in the list{why}")
    columns = ("id", "page#", "role", "label", "text")
    rows = [
        (
            item.id,
            item.page_idx + 1,
            f"{item.role} {item.level}" if item.level else item.role,
            item.label,
            plain(item.text or item.caption or item.image_path or "", WIDEST_CELL),
        )
        for item in items[: view.limit]
    ]
    title = (
        f"{content.doc_id}: {content.stage} content list from {content.source}, {counted(len(content.pages), 'page')}, "
        f"{len(content.items)} items, {drop_list(content.dropped)}"
    )
    show_table(console, title, columns, rows)
    more(console, len(items), view)


def show_mineru(items: Sequence[MinerUItem], console: Console, view: View) -> None:
    """MinerU's list, a row each; boxes on its 0..1000 grid."""
    chosen = [item for item in items if view.page in (None, item.page_idx + 1)]
    columns = ("page#", "type", "level#", "bbox 0..1000", "text")
    rows = [
        (
            item.page_idx + 1,
            item.type,
            item.text_level,
            list(item.bbox),
            plain(item.text or item.img_path or "", WIDEST_CELL),
        )
        for item in chosen[: view.limit]
    ]
    show_table(console, f"MinerU content list: {len(items)} items", columns, rows)
    more(console, len(chosen), view)


def show_layout(layout: Layout, console: Console, view: View) -> None:
    """A row a page; the blocks of one page where asked for."""
    title = f"{layout.doc_id}: {layout.title or 'no title'}, read by {layout.parser}"
    if view.page is not None:
        check_page(view.page, len(layout.pages), layout.doc_id)
        blocks = layout.pages[view.page - 1].blocks
        rows = [
            (
                block.id,
                block.kind,
                [round(value) for value in block.bbox],
                block.flags,
                plain(" ".join(span.text for row in block.lines for span in row.spans), WIDE_CELL),
            )
            for block in blocks[: view.limit]
        ]
        show_table(console, f"{title}; page {view.page}", ("id", "kind", "bbox in points", "flags", "text"), rows)
        more(console, len(blocks), view)
        return
    page_rows = [
        (
            page.page_idx + 1,
            page.page_label,
            f"{page.width:.0f} x {page.height:.0f}",
            dict(sorted(Counter(block.kind for block in page.blocks).items())),
            page.flags,
        )
        for page in layout.pages[: view.limit]
    ]
    show_table(console, title, ("page#", "label", "points", "blocks", "flags"), page_rows)
    more(console, len(layout.pages), view)


def check_page(page: int, pages: int, doc_id: str) -> None:
    """Raises ArtifactError where the document has no such page (1-based)."""
    if not 1 <= page <= pages:
        raise ArtifactError(f"{doc_id}: no page {page}; pages are 1 to {pages}")


def in_words(counts: Mapping[Any, int]) -> str:
    """``3 table, 1 image``; ``none`` for nothing."""
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items())) or "none"


def drop_list(dropped: Sequence[DroppedItem]) -> str:
    """How many entries it has, by reason."""
    reasons = Counter(item.reason for item in dropped)
    return f"{len(dropped)} dropped" + (f" ({in_words(reasons)})" if reasons else "")


def more(console: Console, total: int, view: View) -> None:
    """Say how many rows were not shown."""
    if total > view.limit:
        line(console, f"… {total - view.limit} more (--limit 0 shows all)", "dim")
