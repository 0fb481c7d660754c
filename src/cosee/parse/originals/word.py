"""What a DOCX says of its structure: heading styles, tables with merged cells, alternative texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosee.artifacts.documents.content import TableData
from cosee.artifacts.documents.layout import CellSpan
from cosee.artifacts.documents.original import OriginalBlock
from cosee.parse.originals.thresholds import MAX_DEPTH, MAX_LEVEL
from cosee.parse.tables.text import header_row_count
from cosee.parse.tables.thresholds import MAX_CELLS, MAX_SPAN
from cosee.text.cleaning import one_line

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr"
_SHOWN = ("picture", "chart")
"""What a drawing has to hold to be a picture on the page, by the end of its type's address."""


def word_blocks(path: Path) -> Iterator[OriginalBlock]:
    """The document's headings, paragraphs, tables and pictures, in order, and its comments. Raises whatever a damaged
    file makes it."""
    import docx

    document = docx.Document(str(path))
    levels = _style_levels(document.styles.element)
    for element in _content(document.element.body):
        if element.tag == f"{_W}tbl":
            table = _table(element)
            if any(map(any, table.rows)):
                yield OriginalBlock(kind="table", table=table)
            continue
        text = one_line(_text(element))
        level = _level(element, levels)
        if text:
            yield OriginalBlock(kind="heading" if level else "text", text=text, level=level)
        for drawing in _inside(element, f"{_W}drawing"):
            kinds = [part.get("uri", "").rpartition("/")[2] for part in drawing.iter() if part.get("uri")]
            about = next(drawing.iter(_DRAWN), None)
            if about is not None and any(kind in _SHOWN for kind in kinds):
                yield OriginalBlock(kind="picture", text=one_line(about.get("descr") or about.get("title") or ""))
    if comments := list(_comments(document)):
        yield OriginalBlock(kind="notes", text="\n".join(comments))


def _comments(document: Any) -> Iterator[str]:
    from docx.oxml import parse_xml

    for related in document.part.rels.values():
        if related.reltype.endswith("/comments") and not related.is_external:
            try:
                comments = parse_xml(related.target_part.blob)
            except SyntaxError:  # lxml's: the text is there without them
                continue
            for comment in comments.iter(f"{_W}comment"):
                author = comment.get(f"{_W}author") or ""
                text = one_line(" ".join(_text(line) for line in comment.iter(f"{_W}p")))
                if text:
                    yield f"{author}: {text}" if author else text


def _content(parent: Any, depth: int = 0) -> Iterator[Any]:
    """The paragraphs and tables of a body, those in content controls and insertions included."""
    for child in parent:
        if child.tag in (f"{_W}p", f"{_W}tbl"):
            yield child
        elif child.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml") and depth < MAX_DEPTH:
            yield from _content(child, depth + 1)


def _style_levels(styles: Any) -> dict[str, int]:
    """Style id -> its heading level: by its outline level, its name, or the style that it is based on."""
    own: dict[str, int] = {}
    based: dict[str, str] = {}
    for style in styles.iter(f"{_W}style"):
        style_id = style.get(f"{_W}styleId")
        if not style_id:
            continue
        name, outline = _value(style, "name").casefold(), next(style.iter(f"{_W}outlineLvl"), None)
        if name.startswith("heading ") and name[8:].isdecimal():
            own[style_id] = int(name[8:])
        elif outline is not None:
            own[style_id] = int(outline.get(f"{_W}val", "9")) + 1
        based[style_id] = _value(style, "basedOn")
    found: dict[str, int] = {}
    for style_id in based:
        at: str = style_id
        for _ in range(MAX_DEPTH):
            if at in own or at not in based:
                break
            at = based[at]
        found[style_id] = own.get(at, 0)
    return found


def _value(element: Any, name: str) -> str:
    child = element.find(f"{_W}{name}")
    return "" if child is None else str(child.get(f"{_W}val") or "")


def _level(paragraph: Any, levels: dict[str, int]) -> int | None:
    """The paragraph's heading level, its own outline level before its style's; None for running text."""
    properties = paragraph.find(f"{_W}pPr")
    if properties is None:
        return None
    outline = _value(properties, "outlineLvl")
    level = int(outline) + 1 if outline.isdecimal() else levels.get(_value(properties, "pStyle"), 0)
    return level if 1 <= level <= MAX_LEVEL else None


def _inside(element: Any, tag: str) -> Iterator[Any]:
    """Elements below, but not those that stand there twice for older programs."""
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag != _FALLBACK:
            yield from _inside(child, tag)


def _text(element: Any) -> str:
    """The text of a paragraph or cell; what is deleted, and what stands in a box beside it, is not of it."""
    parts: list[str] = []
    for child in element:
        if child.tag == f"{_W}t":
            parts.append(child.text or "")
        elif child.tag in (f"{_W}tab", f"{_W}br", f"{_W}cr"):
            parts.append(" ")
        elif child.tag == f"{_W}noBreakHyphen":
            parts.append("-")
        elif child.tag not in (f"{_W}pPr", f"{_W}del", f"{_W}drawing", f"{_W}pict", f"{_W}object", _FALLBACK):
            parts.append(_text(child))
            if child.tag == f"{_W}p":
                parts.append(" ")
    return "".join(parts)


@dataclass
class _Cell:
    text: str
    column: int
    columns: int
    goes_on: bool
    """Whether it continues the cell above."""


def _table(table: Any) -> TableData:
    lines: list[list[_Cell]] = []
    header_rows = 0
    for row in _inside(table, f"{_W}tr"):
        lines.append(list(_cells(row)))
        header_rows += header_rows == len(lines) - 1 and next(row.iter(f"{_W}tblHeader"), None) is not None
    width = max((cell.column + cell.columns for line in lines for cell in line), default=0)
    if not 0 < width * len(lines) <= MAX_CELLS:
        return TableData(rows=[])
    rows = [[""] * width for _ in lines]
    spans: dict[tuple[int, int], CellSpan] = {}
    open_at: dict[int, CellSpan] = {}
    for r, line in enumerate(lines):
        for cell in line:
            span = open_at.get(cell.column)
            if cell.goes_on and span is not None and span.columns == cell.columns:
                span.rows += 1
            else:
                span = CellSpan(row=r, column=cell.column, columns=cell.columns)
                spans[r, cell.column] = open_at[cell.column] = span
                rows[r][cell.column] = cell.text
            text = rows[span.row][span.column]
            rows[r][cell.column : cell.column + cell.columns] = [text] * cell.columns
    wide = [span for at, span in spans.items() if (span.rows > 1 or span.columns > 1) and rows[at[0]][at[1]]]
    return TableData(rows=rows, spans=wide, header_rows=header_rows or max(1, header_row_count(rows)))


def _cells(row: Any) -> Iterator[_Cell]:
    properties = row.find(f"{_W}trPr")
    before = _value(properties, "gridBefore") if properties is not None else ""
    column = int(before) if before.isdecimal() else 0
    for cell in _inside(row, f"{_W}tc"):
        about = cell.find(f"{_W}tcPr")
        columns, merge = ("", None) if about is None else (_value(about, "gridSpan"), about.find(f"{_W}vMerge"))
        width = min(int(columns), MAX_SPAN) if columns.isdecimal() and int(columns) else 1
        goes_on = merge is not None and merge.get(f"{_W}val") != "restart"
        yield _Cell("" if goes_on else one_line(_text(cell)), column, width, goes_on)
        column += width
