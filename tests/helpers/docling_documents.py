"""Documents in the form of docling-core's ``DoclingDocument`` (schema version 1.10.0), made by hand."""

from __future__ import annotations

from typing import Any

WIDTH, HEIGHT = 400.0, 600.0


def ref(place: str) -> dict[str, str]:
    """A reference to ``texts/3``."""
    return {"$ref": f"#/{place}"}


def where(left: float, top: float, right: float, bottom: float, page: int = 1, **more: Any) -> dict[str, Any]:
    """A place measured from the bottom left corner, as docling gives it; ``top`` and ``bottom`` from the top."""
    box = {"l": left, "t": HEIGHT - top, "r": right, "b": HEIGHT - bottom, "coord_origin": "BOTTOMLEFT"}
    return {"page_no": page, "bbox": box, "charspan": more.get("charspan", [0, 0])}


def node(place: str, label: str, prov: list[dict[str, Any]], parent: str = "body", **more: Any) -> dict[str, Any]:
    """A node of ``texts``, ``tables`` or ``pictures``."""
    fields: dict[str, Any] = {
        "self_ref": f"#/{place}",
        "parent": ref(parent),
        "children": [],
        "content_layer": "body",
        "label": label,
        "prov": prov,
    }
    return fields | more


def said(text: str) -> dict[str, str]:
    """What a text says, raw and cleaned."""
    return {"orig": text, "text": text}


def cell(text: str, row: int, column: int, *, rows: int = 1, columns: int = 1, head: bool = False) -> dict[str, Any]:
    """A cell of a table."""
    return {
        "row_span": rows,
        "col_span": columns,
        "start_row_offset_idx": row,
        "end_row_offset_idx": row + rows,
        "start_col_offset_idx": column,
        "end_col_offset_idx": column + columns,
        "text": text,
        "column_header": head,
        "row_header": False,
        "row_section": False,
        "fillable": False,
    }


def handbook() -> dict[str, Any]:
    """Two pages with a title, headings, a paragraph over both, a list in a list, a table with spans, a picture with
    words in it, captions, a note, a formula, a listing, a contents table, check boxes, header and footer."""
    texts = [
        node("texts/0", "page_header", [where(40, 10, 200, 20)], content_layer="furniture", **said("Handbook")),
        node("texts/1", "title", [where(40, 40, 360, 60)], **said("Pumps of the valley")),
        node("texts/2", "section_header", [where(40, 80, 200, 95)], level=1, **said("1 Flow")),
        node(
            "texts/3",
            "text",
            [where(40, 100, 360, 140, charspan=[0, 17]), where(40, 40, 360, 60, 2, charspan=[18, 37])],
            **said("The pumps run day and night in spring"),
        ),
        node("texts/4", "list_item", [where(50, 150, 300, 160)], "groups/0", enumerated=True, marker="1.",
             **said("open the gate")),
        node("texts/5", "list_item", [where(50, 165, 300, 175)], "groups/0", enumerated=True, marker="2.",
             children=[ref("groups/1")], **said("start the pump")),
        node("texts/6", "list_item", [where(60, 180, 300, 190)], "groups/1", enumerated=False, marker="-",
             **said("with care")),
        node("texts/7", "caption", [where(40, 200, 300, 210)], "tables/0", **said("Table 1: Rates of the sites")),
        node("texts/8", "footnote", [where(40, 300, 300, 310)], "tables/0", **said("a Mean of three years")),
        node("texts/9", "text", [where(60, 330, 120, 340)], "pictures/0", **said("Inlet valve")),
        node("texts/10", "caption", [where(40, 430, 300, 440)], "pictures/0", **said("Figure 1: The inlet")),
        node("texts/11", "formula", [where(40, 70, 200, 90, 2)], orig="q = a v", text=""),
        node("texts/12", "code", [where(40, 100, 200, 130, 2)], captions=[], references=[], footnotes=[],
             code_language="Python", **said("def f():\n    return 1")),
        node("texts/13", "checkbox_selected", [where(40, 140, 200, 150, 2)], **said("Inspected")),
        node("texts/14", "text", [where(40, 160, 80, 170, 2)], "groups/2", **said("Speed is")),
        node("texts/15", "formula", [where(80, 160, 100, 170, 2)], "groups/2", **said("v")),
        node("texts/16", "page_footer", [where(190, 580, 210, 590, 2)], content_layer="furniture", **said("12")),
    ]  # fmt: skip
    heads = [cell("Site", 0, 0, rows=2, head=True), cell("Rate", 0, 1, columns=2, head=True)]
    cells = [
        *heads,
        cell("2021", 1, 1, head=True),
        cell("2022", 1, 2, head=True),
        cell("North", 2, 0),
        cell("4.1", 2, 1),
        cell("4.3", 2, 2),
    ]
    contents = [cell("1 Flow", 0, 0), cell("1", 0, 1)]
    tables = [
        node("tables/0", "table", [where(40, 215, 360, 295)], children=[ref("texts/7"), ref("texts/8")],
             captions=[ref("texts/7")], references=[], footnotes=[ref("texts/8")], annotations=[],
             data={"table_cells": cells, "num_rows": 3, "num_cols": 3}),
        node("tables/1", "document_index", [where(40, 450, 360, 470)], captions=[], references=[], footnotes=[],
             annotations=[], data={"table_cells": contents, "num_rows": 1, "num_cols": 2}),
    ]  # fmt: skip
    pictures = [
        node(
            "pictures/0",
            "picture",
            [where(40, 320, 360, 425)],
            children=[ref("texts/9"), ref("texts/10")],
            captions=[ref("texts/10")],
            references=[],
            footnotes=[],
            annotations=[
                {"kind": "description", "text": "A valve beside a pipe.", "provenance": "a model"},
                {
                    "kind": "classification",
                    "provenance": "a model",
                    "predicted_classes": [{"class_name": "engineering_drawing", "confidence": 0.9}],
                },
            ],
        )
    ]

    def group(number: int, label: str, children: list[str], parent: str = "body") -> dict[str, Any]:
        return {
            "self_ref": f"#/groups/{number}",
            "parent": ref(parent),
            "children": [ref(child) for child in children],
            "content_layer": "body",
            "name": label,
            "label": label,
        }

    order = ["texts/0", "texts/1", "texts/2", "texts/3", "groups/0", "tables/0", "pictures/0", "tables/1", "texts/11",
             "texts/12", "texts/13", "groups/2", "texts/16"]  # fmt: skip
    root = {"content_layer": "body", "name": "_root_", "label": "unspecified"}
    return {
        "schema_name": "DoclingDocument",
        "version": "1.10.0",
        "name": "handbook",
        "furniture": {"self_ref": "#/furniture", "children": [], **root, "content_layer": "furniture"},
        "body": {"self_ref": "#/body", "children": [ref(each) for each in order], **root},
        "groups": [
            group(0, "list", ["texts/4", "texts/5"]),
            group(1, "list", ["texts/6"], "texts/5"),
            group(2, "inline", ["texts/14", "texts/15"]),
        ],
        "texts": texts,
        "pictures": pictures,
        "tables": tables,
        "key_value_items": [],
        "form_items": [],
        "pages": {
            str(page): {"size": {"width": WIDTH, "height": HEIGHT}, "page_no": page} for page in (1, 2)
        },
    }  # fmt: skip
