"""Small sound inputs of every kind, which the fuzzer breaks."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from typing import Any


def _pages() -> Any:
    """Two pages with headings, prose, a ruled table, a picture, a drawing and bookmarks."""
    import pymupdf

    document = pymupdf.open()
    for number in (1, 2):
        page = document.new_page(width=400, height=500)
        page.insert_text((40, 60), f"{number} Results of station {number}", fontsize=16, fontname="hebo")
        for line in range(8):
            page.insert_text((40, 90 + 13 * line), f"Line {line} of page {number} tells how the station fared.")
        for row in range(3):
            for column in range(3):
                box = pymupdf.Rect(40 + 90 * column, 220 + 18 * row, 130 + 90 * column, 238 + 18 * row)
                page.draw_rect(box, width=0.5)
                page.insert_text((box.x0 + 4, box.y1 - 5), f"{row * column + number}", fontsize=9)
        pixmap = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 30, 30), False)
        pixmap.set_rect(pixmap.irect, (200, 40 * number, 90))
        page.insert_image(pymupdf.Rect(40, 300, 140, 380), pixmap=pixmap)
        page.insert_text((40, 395), f"Figure {number}: The station from the air.", fontsize=9)
        page.draw_circle((250, 340), 30, fill=(0.2, 0.5, 0.9))
    document.set_toc([[1, "1 Results of station 1", 1], [1, "2 Results of station 2", 2]])
    return document


def _form() -> Any:
    """A turned page with a form field, a note, a link and an attachment."""
    import pymupdf

    document = pymupdf.open()
    page = document.new_page(width=300, height=400)
    page.insert_text((40, 60), "Application form", fontsize=16)
    field_ = pymupdf.Widget()
    field_.field_name, field_.field_type, field_.field_value = "name", pymupdf.PDF_WIDGET_TYPE_TEXT, "Ada Marsh"
    field_.rect = pymupdf.Rect(40, 80, 200, 100)
    page.add_widget(field_)
    page.add_text_annot((40, 140), "Check this entry.")
    page.insert_link({"kind": pymupdf.LINK_URI, "from": pymupdf.Rect(40, 160, 90, 170), "uri": "https://example.org"})
    page.set_rotation(90)
    document.embfile_add("values.csv", b"a,b\n1,2\n", filename="values.csv")
    document.set_page_labels([{"startpage": 0, "prefix": "A-", "style": "D", "firstpagenum": 1}])
    return document


def pdf_seeds() -> list[bytes]:
    """Plain, compressed, with object streams, with a form; a web page that names the format."""
    plain = _pages().tobytes(no_new_id=True, deflate=False)
    packed = _pages().tobytes(no_new_id=True, deflate=True, garbage=3)
    streams = _pages().tobytes(no_new_id=True, deflate=True, use_objstms=1)
    form = _form().tobytes(no_new_id=True, deflate=True)
    page = b"<!DOCTYPE html><html><body>%PDF-1.7 <p>startxref</p> 1 0 obj <<a>></body></html>"
    return [plain, packed, packed, streams, form, page]


def mineru_seeds() -> list[bytes]:
    """Content lists of versions 1, 2, 2.5 and 3, wrapped and not, and middle JSON."""
    text = {"type": "text", "text": "1 Results", "text_level": 1, "page_idx": 0}
    prose = {"type": "text", "text": "The station fared well in the first year.", "page_idx": 0}
    table = {
        "type": "table",
        "table_body": "<table><tr><td>a</td><td>1</td></tr></table>",
        "table_caption": ["Table 1"],
    }
    image = {
        "type": "image",
        "img_path": "images/a.jpg",
        "img_caption": ["Figure 1"],
        "img_footnote": [],
        "page_idx": 1,
    }
    box = {"bbox": [100, 100, 500, 140]}
    newer = {**image, "image_caption": ["Figure 1"], "image_footnote": ["Source: ours"], "bbox": [100, 200, 500, 400]}
    first = [text, prose, {**table, "page_idx": 1}, image, {"type": "equation", "text": "$$a=b$$", "page_idx": 1}]
    second = [{**text, **box}, {**prose, "bbox": [100, 150, 900, 200]}, {**table, **box, "page_idx": 1}, newer]
    third = [
        *second,
        {"type": "list", "sub_type": "text", "list_items": ["- one", "- two"], "page_idx": 1, **box},
        {"type": "code", "code_body": "print(1)", "code_caption": ["Listing 1"], "page_idx": 1, **box},
        {"type": "header", "text": "Annual report", "page_idx": 0, **box},
        {"type": "page_number", "text": "2", "page_idx": 1, **box},
        {"type": "discarded", "text": "draft", "page_idx": 1, **box},
    ]
    span = {"type": "text", "content": "The station fared well."}
    paged = [[{"type": "paragraph", "content": {"paragraph_content": [span]}, **box}], [{"type": "title", **box}]]
    line = {"bbox": [10, 10, 90, 20], "spans": [{"bbox": [10, 10, 90, 20], "type": "text", "content": "A line."}]}
    block = {"type": "text", "bbox": [10, 10, 90, 20], "lines": [line]}
    middle = {"pdf_info": [{"page_idx": 0, "page_size": [400, 500], "para_blocks": [block], "discarded_blocks": []}]}
    values = (
        first,
        second,
        third,
        {"content_list": third},
        {"results": {"a": {"content_list": second}}},
        paged,
        middle,
    )
    return [json.dumps(value).encode() for value in values]


def docling_seeds() -> list[bytes]:
    """A document of schema version 1.10.0 with a list in a list, a table, a picture, a caption and furniture."""

    def ref(place: str) -> dict[str, str]:
        return {"$ref": f"#/{place}"}

    def node(label: str, text: str, *, page: int = 1, origin: str = "BOTTOMLEFT", **more: object) -> dict[str, object]:
        box = {"l": 50.0, "t": 700.0, "r": 400.0, "b": 650.0, "coord_origin": origin}
        prov = [{"page_no": page, "bbox": box, "charspan": [0, len(text)]}]
        layer = "furniture" if label.startswith("page_") else "body"
        return {"label": label, "text": text, "orig": text, "prov": prov, "children": [], "content_layer": layer} | more

    texts = [
        node("title", "The station"),
        node("section_header", "1 Results", level=1),
        node("text", "The station fared well in the first year.", origin="TOPLEFT"),
        node("list_item", "one", marker="-", children=[ref("groups/1")]),
        node("list_item", "two", marker="1.", enumerated=True),
        node("caption", "Table 1: Means"),
        node("formula", "a = b \\tag{2}"),
        node("page_footer", "2", page=2),
    ]
    cells = [
        {"text": text, "start_row_offset_idx": n, "end_row_offset_idx": n + 1, "start_col_offset_idx": 0,
         "end_col_offset_idx": 2, "row_span": 1, "col_span": 2, "column_header": n == 0}
        for n, text in enumerate(("Site", "4.1"))
    ]  # fmt: skip
    table = node("table", "", captions=[ref("texts/5")], data={"table_cells": cells, "num_rows": 2, "num_cols": 2})
    picture = node("picture", "", children=[ref("texts/2")], annotations=[{"kind": "description", "text": "A valve."}])
    groups = [{"label": "list", "children": [ref("texts/3")]}, {"label": "list", "children": [ref("texts/4")]}]
    order = ["texts/0", "texts/1", "groups/0", "tables/0", "pictures/0", "texts/6", "texts/7"]
    document = {
        "schema_name": "DoclingDocument", "version": "1.10.0", "name": "station", "texts": texts, "groups": groups,
        "tables": [table], "pictures": [picture], "body": {"children": [ref(each) for each in order]},
        "pages": {"1": {"page_no": 1, "size": {"width": 612.0, "height": 792.0}}},
    }  # fmt: skip
    return [json.dumps(document).encode()]


def reply_seeds() -> list[bytes]:
    """What models write for a typed request."""
    answer = '{"answer": "412 ships", "confidence": 0.8, "quotes": [{"page": 3, "quote": "412 ships"}]}'
    action = '{"action": "HYPOTHESIZE", "content": "It is 412.", "confidence": "high", "target": null, "answer": "412"}'
    plan = (
        '{"directives": [{"move": "MOVE_TO", "node": "sec_1"}], "candidates": ["sec_1", "tab_2"], "reason": "a table"}'
    )
    return [
        text.encode()
        for text in (
            answer,
            action,
            plan,
            f"<think>The table says so. {{}}</think>\n```json\n{action}\n```\nHope that helps!",
            f"Sure! Here it is:\n```\n{answer}\n```\nor\n```\n{answer}\n```",
            "{'answer': 'caf\\u00e9 \\ud83d\\ude00', // a comment\n confidence: None, 'quotes': [],}",
            f'"{json.dumps(answer)[1:-1]}"',
            f"[{answer}]",
            "I cannot tell.",
        )
    ]


def question_seeds() -> list[bytes]:
    """A line with the suffix, then the file: CSV with every separator, JSON lines, a workbook."""
    columns = ["file", "question", "answer", "evidence_pages", "question_id", "answer_format"]
    rows = [
        ["one.pdf", "What was revenue?", "4.2", "1", "q1", "Float"],
        ["two.pdf", "Who, then?", "Ada; Ben", "1", "q2", "Str"],
        ["one.pdf", "How many?", "", "", "", ""],
    ]
    tables = [
        f"{suffix}\n".encode() + mark + "".join(_line(row, separator) for row in (columns, *rows)).encode()
        for suffix, mark, separator in ((".csv", b"", ","), (".csv", b"\xef\xbb\xbf", ";"), (".tsv", b"", "\t"))
    ]
    lists: list[dict[str, Any]] = [
        {"doc_id": "one", "question": "What was revenue?", "answer": "4.2", "answer_format": "Float"},
        {"doc_id": "two", "question": "Wie viele?", "answer": ["a", "b"], "evidence_pages": [1], "question_id": 7},
    ]
    lines = b".jsonl\n" + "".join(json.dumps(row) + "\n" for row in lists).encode()
    return [*tables, lines, lines, b".xlsx\n" + _workbook([columns, *rows])]


def _line(cells: Sequence[str], separator: str) -> str:
    return separator.join(f'"{cell}"' if separator in cell else cell for cell in cells) + "\n"


def _workbook(rows: Sequence[Sequence[str]]) -> bytes:
    """The smallest workbook, its parts stored as they are so that a mutation reaches them."""
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    sheet = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    mime = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    cells = "".join(
        "<row>" + "".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in row) + "</row>" for row in rows
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{mime}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{mime}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{kind}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{sheet}" xmlns:r="{kind}"><sheets><sheet name="a" sheetId="1" r:id="r1"/>'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{kind}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{sheet}"><sheetData>{cells}</sheetData></worksheet>',
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return buffer.getvalue()


def config_seeds() -> list[bytes]:
    """Configurations and model entries."""
    full = """
datasets: [demo, "reports"]
results_dir: results
shard_pages: 500
failure_budget: 0.25
limits: {seconds: 60, memory_mb: 2000}
adapt: {ocr: none, max_pages: 50}
index: &index
  embedder: none
runs:
  demo:
    datasets: [demo]
    model: embedded
    methods:
      - constant
      - strategy: cosee
        name: cosee_three
        max_steps: 3
      - {strategy: page_rag, name: rag}
    budget: {calls: 40, tokens_in: 100000}
quality: {backend: embedded, temperature: 0.0}
"""
    models = (
        "models:\n  embedded: {kind: embedded}\n  served: {kind: openai, base_url: 'http://x/v1', model: '${M:-m}'}\n"
    )
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{new}: &{new} [*{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}]\n"
        for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    bombs = (f"{bomb}datasets: [demo]\n{key}: *i\n" for key in ("shard_pages", "adapt", "runs", "quality", "models"))
    values = (full, full, full, models, *bombs, "datasets: [demo]\nshard_pages: 0x10\n")
    nested = {
        "datasets": ["demo"],
        "limits": {"seconds": 60},
        "index": {"embedder": "none"},
        "runs": {
            "demo": {"datasets": ["demo"], "methods": ["constant", {"strategy": "cosee", "max_steps": 3}], "seed": 1}
        },
        "quality": {"backend": "embedded"},
    }
    entries = {"models": {"a": {"kind": "embedded"}, "b": {"kind": "openai", "base_url": "http://x/v1", "model": "m"}}}
    as_json = [json.dumps(value, indent=1) for value in (nested, nested, nested, nested, entries, entries)]
    return [value.encode() for value in (*values, *as_json)]
