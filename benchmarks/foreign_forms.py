"""A document of ours as MinerU 2.5 and docling-core 1.10 would write it, down to what their forms cannot say.

No weights of MinerU's or docling's can be had here, so that what they would have read is not known: these files hold
our reading in their form. What is lost on the way and back is the form's and the importer's, not the reader's.
"""

from __future__ import annotations

from typing import Any

from cosee.artifacts.base import BBox
from cosee.artifacts.documents.content import ContentItem, ContentList, DroppedItem, Region, TableData
from cosee.parse.tables.html_table import table_html

GRID = 1000
MARGINS = {"header": "page_header", "footer": "page_footer", "page_number": "page_footer"}
"""Drop reason of what stands in a page's margin -> docling's label; MinerU's type is the reason."""
_LABELS = {"paragraph": "text", "equation": "formula", "caption": "caption", "footnote": "footnote", "code": "code"}


def mineru_form(content: ContentList) -> list[dict[str, Any]]:
    """``content_list.json`` of an enhanced content list: one box a block, captions without boxes of their own."""
    text = {item.id: item.text for item in content.items}
    owned = {part for item in content.items for part in (*_captions(item), *item.footnote_ids)}
    found = [_mineru_block(item, text) for item in content.items if item.id not in owned]
    return found + [
        {"type": each.reason, "text": each.text, "page_idx": each.page_idx, "bbox": _on_grid(each.bbox)}
        for each in content.dropped
        if each.reason in MARGINS and each.bbox
    ]


def _captions(item: ContentItem) -> list[str]:
    return item.caption_ids if item.role in ("image", "table") else []


def _mineru_block(item: ContentItem, text: dict[str, str]) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "page_idx": item.page_idx, "bbox": _on_grid(item.bbox)}
    notes = [text[each] for each in item.footnote_ids if each in text]
    captions = [text[each] for each in _captions(item) if each in text]
    if item.role == "image":
        return block | {
            "type": "image", "img_path": "images/there.png", "image_caption": captions, "image_footnote": notes
        }  # fmt: skip
    if item.role == "table" and item.table is not None:
        body = table_html(item.table.rows, item.table.spans)
        return block | {"type": "table", "table_body": body, "table_caption": captions, "table_footnote": notes}
    if item.role in ("list", "toc"):
        return block | {"type": "list", "list_items": item.text.split("\n")}
    if item.role in ("equation", "code"):
        return block | {"type": item.role, "text": item.text}
    return block | {"text": item.text} | ({"text_level": item.level or 1} if item.role == "heading" else {})


def _on_grid(box: BBox | None) -> list[int]:
    return [round(value * GRID) for value in box or (0.0, 0.0, 0.0, 0.0)]


def docling_form(content: ContentList) -> dict[str, Any]:
    """``DoclingDocument`` of schema version 1.10.0 of an enhanced content list."""
    writer = _DoclingWriter(content)
    for item in content.items:
        writer.add(item)
    for each in content.dropped:
        writer.add_margin(each)
    return writer.document()


class _DoclingWriter:
    def __init__(self, content: ContentList) -> None:
        self.content = content
        self.lists: dict[str, list[dict[str, Any]]] = {name: [] for name in ("texts", "tables", "pictures", "groups")}
        self.order: list[dict[str, str]] = []
        self.refs: dict[str, dict[str, str]] = {}
        self.owner = {
            part: item.id
            for item in content.items
            if item.role in ("image", "table")
            for part in (*item.caption_ids, *item.footnote_ids)
        }

    def add(self, item: ContentItem) -> None:
        """Append one item: a table or picture names its captions and notes when all are written."""
        prov = self._prov(item)
        if item.role == "list":
            group = self._node("groups", "list", item.id, name="list")
            group["children"] = [
                self._ref(self._text("list_item", line, prov, self._ref(group), enumerated=False, marker=""))
                for line in item.text.split("\n")
            ]
            self.order.append(self._ref(group))
        elif item.role in ("table", "toc"):
            table = item.table or TableData(rows=[[line] for line in item.text.split("\n")], header_rows=0)
            label = "table" if item.role == "table" else "document_index"
            node = self._node("tables", label, item.id, prov=prov, data=_cells(table), **_named())
            self.order.append(self._ref(node))
        elif item.role == "image":
            said = [{"kind": "description", "text": item.description, "provenance": "figure model"}]
            annotations = said if "described_by_model" in item.flags else []
            node = self._node("pictures", "picture", item.id, prov=prov, annotations=annotations, **_named())
            words = [line for line in item.text.split("\n") if line]
            node["children"] = [self._ref(self._text("text", line, prov, self._ref(node))) for line in words]
            self.order.append(self._ref(node))
        else:
            more: dict[str, Any] = {"level": item.level or 1} if item.role == "heading" else {}
            more |= {"code_language": "unknown", **_named()} if item.role == "code" else {}
            text = self._text(_LABELS.get(item.role, "section_header"), item.text, prov, None, item.id, **more)
            if item.id not in self.owner:
                self.order.append(self._ref(text))

    def add_margin(self, item: DroppedItem) -> None:
        """Append a running header or footer or a page number that the tree left out; nothing else."""
        if item.reason in MARGINS and item.bbox and item.text:
            prov = [self._place(Region(page_idx=item.page_idx, bbox=item.bbox), len(item.text))]
            text = self._text(MARGINS[item.reason], item.text, prov, None)
            text["content_layer"] = "furniture"
            self.order.append(self._ref(text))

    def document(self) -> dict[str, Any]:
        """The whole."""
        for item in self.content.items:
            node = self._written(item.id)
            for field, parts in (("captions", item.caption_ids), ("footnotes", item.footnote_ids)):
                for part in parts:
                    text = self._written(part) if self.owner.get(part) == item.id else None
                    if node is not None and text is not None:
                        node[field].append(self.refs[part])
                        node["children"].append(self.refs[part])
                        text["parent"] = self.refs[item.id]
        root = {"name": "_root_", "label": "unspecified"}
        return {
            "schema_name": "DoclingDocument",
            "version": "1.10.0",
            "name": self.content.doc_id,
            "furniture": {"self_ref": "#/furniture", "children": [], "content_layer": "furniture", **root},
            "body": {"self_ref": "#/body", "children": self.order, "content_layer": "body", **root},
            **self.lists,
            "key_value_items": [],
            "form_items": [],
            "pages": {
                str(page.page_idx + 1): {
                    "size": {"width": page.width, "height": page.height}, "page_no": page.page_idx + 1
                }
                for page in self.content.pages
            },
        }  # fmt: skip

    def _written(self, item_id: str) -> dict[str, Any] | None:
        if item_id not in self.refs:
            return None
        _, name, place = self.refs[item_id]["$ref"].split("/")
        return self.lists[name][int(place)]

    def _node(self, collection: str, label: str, item_id: str | None, **more: Any) -> dict[str, Any]:
        node = {
            "self_ref": f"#/{collection}/{len(self.lists[collection])}", "parent": {"$ref": "#/body"}, "children": [],
            "content_layer": "body", "label": label, **more,
        }  # fmt: skip
        self.lists[collection].append(node)
        if item_id is not None:
            self.refs[item_id] = self._ref(node)
        return node

    def _text(
        self, label: str, text: str, prov: list[dict[str, Any]], parent: dict[str, str] | None,
        item_id: str | None = None, **more: Any,
    ) -> dict[str, Any]:  # fmt: skip
        node = self._node("texts", label, item_id, prov=prov, orig=text, text=text, **more)
        if parent is not None:
            node["parent"] = parent
        return node

    @staticmethod
    def _ref(node: dict[str, Any]) -> dict[str, str]:
        return {"$ref": node["self_ref"]}

    def _prov(self, item: ContentItem) -> list[dict[str, Any]]:
        regions = item.regions or [Region(page_idx=item.page_idx, bbox=item.bbox)]
        ends = [region.begins for region in regions[1:]] + [len(item.text)]
        return [self._place(region, end) for region, end in zip(regions, ends, strict=True)]

    def _place(self, region: Region, end: int) -> dict[str, Any]:
        page = self.content.pages[region.page_idx]
        x0, y0, x1, y1 = region.bbox
        box = {
            "l": x0 * page.width, "t": (1 - y0) * page.height, "r": x1 * page.width, "b": (1 - y1) * page.height,
            "coord_origin": "BOTTOMLEFT",
        }  # fmt: skip
        return {"page_no": region.page_idx + 1, "bbox": box, "charspan": [region.begins, max(end, region.begins)]}


def _named() -> dict[str, list[Any]]:
    return {"captions": [], "references": [], "footnotes": []}


def _cells(table: TableData) -> dict[str, Any]:
    """The cells of a table, those that a span covers once."""
    spans = {(span.row, span.column): span for span in table.spans}
    covered = {
        (row, column)
        for span in table.spans
        for row in range(span.row, span.row + span.rows)
        for column in range(span.column, span.column + span.columns)
    } - set(spans)
    cells = []
    for row, texts in enumerate(table.rows):
        for column, text in enumerate(texts):
            span = spans.get((row, column))
            rows, columns = (span.rows, span.columns) if span else (1, 1)
            if (row, column) not in covered:
                cells.append({
                    "row_span": rows, "col_span": columns, "start_row_offset_idx": row,
                    "end_row_offset_idx": row + rows, "start_col_offset_idx": column,
                    "end_col_offset_idx": column + columns, "text": text, "column_header": row < table.header_rows,
                    "row_header": False, "row_section": False, "fillable": False,
                })  # fmt: skip
    return {
        "table_cells": cells, "num_rows": len(table.rows), "num_cols": max(map(len, table.rows), default=0)
    }  # fmt: skip
