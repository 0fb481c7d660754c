"""A heading that a table detector took for the first row of the table below it."""

from __future__ import annotations

from statistics import median

from cosee import geometry
from cosee.artifacts.documents.layout import LayoutBlock, Line

LARGER = 1.1
"""Size of a heading over that of the table's cells."""


def without_title(block: LayoutBlock) -> list[LayoutBlock]:
    """The table, and before it the text block of its first row where that is a heading: one line in larger type."""
    rows, lines = block.rows or [], block.lines
    if len(rows) < 3 or len(lines) < 3:
        return [block]
    first = min(lines, key=lambda line: line.bbox[1])
    rest = [line for line in lines if line is not first]
    cells = " ".join(dict.fromkeys(cell.strip() for cell in rows[0] if cell.strip()))
    text = first.text
    if not cells or _letters(cells) != _letters(text) or first.size < LARGER * median(line.size for line in rest):
        return [block]
    top = min(line.bbox[1] for line in rest)
    box = (block.bbox[0], max(top, block.bbox[1]), block.bbox[2], block.bbox[3])
    spans = [span.model_copy(update={"row": span.row - 1}) for span in block.spans if span.row]
    table = block.model_copy(update={"rows": rows[1:], "spans": spans, "lines": rest, "bbox": box})
    return [text_block(block, [first], []), table]


def text_block(table: LayoutBlock, lines: list[Line], flags: list[str]) -> LayoutBlock:
    """Lines of a block, a table as a rule, as a text block with the same id and with more flags."""
    box = geometry.union(line.bbox for line in lines)
    kept = [flag for flag in table.flags if flag != "ruled"]
    return table.model_copy(
        update={"kind": "text", "rows": None, "spans": [], "lines": lines, "bbox": box, "flags": [*kept, *flags]}
    )


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))
