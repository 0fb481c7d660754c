"""What a workbook says of itself, as LibreOffice shows it: the visible sheets with their cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from cosee.artifacts.documents.content import TableData
from cosee.artifacts.documents.layout import CellSpan
from cosee.artifacts.documents.original import OriginalBlock
from cosee.parse.originals.web import parsed, shown_text
from cosee.parse.tables.html_table import table_from_html
from cosee.parse.tables.text import header_row_count
from cosee.text.cleaning import one_line

HTML = "html:HTML (StarCalc):SkipImages"
"""What LibreOffice is asked for: cells with their values as the sheet shows them."""


def sheet_blocks(html: Path) -> Iterator[OriginalBlock]:
    """Of each sheet with anything in it its name, its cells, without the empty rows and columns around them, and its
    comments."""
    body = parsed(html.read_text(encoding="utf-8", errors="replace"))
    name: str | None = None
    tables = [element for element in body.iter() if element.tag in ("em", "table")]
    if not any(element.tag == "em" for element in tables):
        # A single sheet has no title.
        title = next((element for element in body.iter("title")), None)
        name = shown_text(title) if title is not None else ""
    for element in tables:
        if element.tag == "em":
            name = shown_text(element)
        elif name is not None:
            comments = list(filter(None, map(one_line, _without_comments(element))))
            markup = ElementTree.tostring(element, encoding="unicode", method="html")
            table = _trimmed(table_from_html(markup))
            if table.rows or comments:
                yield OriginalBlock(kind="sheet", text=name)
            if table.rows:
                yield OriginalBlock(kind="table", table=table)
            if comments:
                yield OriginalBlock(kind="notes", text="\n".join(comments))
            name = None


def _without_comments(table: Any) -> Iterator[str]:
    """Take the comments out of a table's cells; gives ``value: comment`` for each. The value of a cell may stand behind
    its comment, outside of any other element."""
    for cell in table.iter("td"):
        comments = cell.findall("comment")
        for comment in comments:
            at = list(cell).index(comment)
            cell.remove(comment)
            if at:
                cell[at - 1].tail = f"{cell[at - 1].tail or ''}{comment.tail or ''}"
            else:
                cell.text = f"{cell.text or ''}{comment.tail or ''}"
            comment.tail = None
        said = shown_text(cell)
        yield from (f"{said}: {shown_text(comment)}" if said else shown_text(comment) for comment in comments)


def with_pictures(blocks: Iterable[OriginalBlock], path: Path) -> Iterator[OriginalBlock]:
    """The blocks of an XLSX, behind the cells of each sheet its pictures and charts from top to bottom."""
    from pptx.opc.constants import RELATIONSHIP_TYPE
    from pptx.opc.package import OpcPackage

    book: Any = OpcPackage.open(str(path)).part_related_by(RELATIONSHIP_TYPE.OFFICE_DOCUMENT)
    sheets: dict[str, Any] = {}
    for sheet in _elements(book.blob, "sheet"):
        key = next((value for name, value in sheet.attrib.items() if str(name).endswith("}id")), "")
        sheets[one_line(sheet.get("name") or "")] = book.related_part(key)
    name = ""
    for block in blocks:
        yield block
        if block.kind == "sheet":
            name = block.text
        elif block.kind == "table" and name in sheets:
            related = sheets[name].rels.values()
            drawings = [each.target_part.blob for each in related if each.reltype == RELATIONSHIP_TYPE.DRAWING]
            for _, text in sorted(found for blob in drawings for found in _drawn(blob)):
                yield OriginalBlock(kind="picture", text=text)


def _drawn(drawing: bytes) -> Iterator[tuple[tuple[int, int], str]]:
    """Row and column where each picture or chart begins, and its alternative text."""
    for tag in ("oneCellAnchor", "twoCellAnchor"):
        for anchor in _elements(drawing, tag):
            parts = {element.tag.rpartition("}")[2]: element for element in reversed(list(anchor.iter()))}
            # General knowledge: elements of a workbook's drawings.
            if ("pic" in parts or "graphicFrame" in parts) and {"row", "col", "cNvPr"} <= parts.keys():
                at = int(parts["row"].text or 0), int(parts["col"].text or 0)
                yield at, one_line(parts["cNvPr"].get("descr") or parts["cNvPr"].get("title") or "")


def _elements(xml: bytes, tag: str) -> list[Any]:
    from pptx.oxml import parse_xml

    return list(parse_xml(xml).iter("{*}" + tag))


def _trimmed(table: TableData) -> TableData:
    rows = table.rows
    filled = [(r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell]
    if not filled:
        return TableData(rows=[])
    top, bottom = filled[0][0], filled[-1][0] + 1
    left, right = min(c for _, c in filled), max(c for _, c in filled) + 1
    kept = [row[left:right] for row in rows[top:bottom]]
    spans = [
        CellSpan(row=span.row - top, column=span.column - left, rows=span.rows, columns=span.columns)
        for span in table.spans
    ]
    return TableData(rows=kept, spans=spans, header_rows=header_row_count(kept))
