"""What a PPTX says of its structure: titles, tables with merged cells, alternative texts, speaker notes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cosee.artifacts.base import BBox
from cosee.artifacts.documents.content import TableData
from cosee.artifacts.documents.layout import CellSpan
from cosee.artifacts.documents.original import OriginalBlock
from cosee.geometry import rounded
from cosee.parse.originals.thresholds import MAX_DEPTH
from cosee.parse.tables.text import header_row_count
from cosee.text.cleaning import one_line


def slide_blocks(path: Path) -> Iterator[OriginalBlock]:
    """Slide by slide, hidden ones left out as they have no page. Raises whatever a damaged file makes it."""
    import pptx

    deck = pptx.Presentation(str(path))
    size = (float(deck.slide_width or 1), float(deck.slide_height or 1))
    shown = [slide for slide in deck.slides if slide.element.get("show") not in ("0", "false")]
    for page_idx, slide in enumerate(shown):
        title = slide.shapes.title
        text = one_line(title.text_frame.text) if title is not None else ""
        if text:
            yield OriginalBlock(kind="heading", text=text, level=1, page_idx=page_idx)
        for shape in _shapes(slide.shapes):
            if title is None or shape.shape_id != title.shape_id:
                for block in _blocks(shape, size):
                    yield block.model_copy(update={"page_idx": page_idx})
        notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        if notes is not None and notes.text.strip():
            lines = [one_line(line) for line in notes.text.splitlines()]
            yield OriginalBlock(kind="notes", text="\n".join(filter(None, lines)), page_idx=page_idx)


def _shapes(shapes: Any, depth: int = 0) -> Iterator[Any]:
    for shape in shapes:
        if hasattr(shape, "shapes") and depth < MAX_DEPTH:
            yield from _shapes(shape.shapes, depth + 1)
        else:
            yield shape


def _blocks(shape: Any, size: tuple[float, float]) -> Iterator[OriginalBlock]:
    if getattr(shape, "has_table", False):
        table = _table(shape.table)
        if any(map(any, table.rows)):
            yield OriginalBlock(kind="table", table=table)
    elif getattr(shape, "has_chart", False) or hasattr(shape, "image") or shape.element.tag.endswith("}pic"):
        about = next((part for part in shape.element.iter() if part.tag.endswith("}cNvPr")), None)
        text = "" if about is None else about.get("descr") or about.get("title") or ""
        yield OriginalBlock(kind="picture", text=one_line(text), bbox=_box(shape, size))
    elif shape.has_text_frame:
        for paragraph in shape.text_frame.paragraphs:
            if text := one_line(paragraph.text):
                yield OriginalBlock(kind="text", text=text)


def _box(shape: Any, size: tuple[float, float]) -> BBox | None:
    """Of a shape on the slide itself; None where a group or the layout says where it is."""
    if None in (shape.left, shape.top, shape.width, shape.height) or shape.element.getparent().tag.endswith("}grpSp"):
        return None
    x0, y0 = shape.left / size[0], shape.top / size[1]
    box = (x0, y0, x0 + shape.width / size[0], y0 + shape.height / size[1])
    return rounded(box, 6)


def _table(table: Any) -> TableData:
    rows = [[one_line(cell.text) for cell in row.cells] for row in table.rows]
    spans = []
    for r, row in enumerate(table.rows):
        for c, cell in enumerate(row.cells):
            if cell.is_merge_origin and rows[r][c]:
                spans.append(CellSpan(row=r, column=c, rows=cell.span_height, columns=cell.span_width))
    for span in spans:
        for r in range(span.row, min(span.row + span.rows, len(rows))):
            for c in range(span.column, min(span.column + span.columns, len(rows[r]))):
                rows[r][c] = rows[span.row][span.column]
    return TableData(rows=rows, spans=spans, header_rows=max(1, header_row_count(rows)) if table.first_row else 0)
