"""A page of a tree as Markdown text with HTML tables: what a reader of the tree would be given to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from benchmarks.doctree_cells import Cell, from_table
from benchmarks.doctree_headings import fold
from cosee.artifacts.documents.content import Region, TableData
from cosee.artifacts.documents.doctree import DocTree, Node


def page_markdown(tree: DocTree, page_idx: int) -> str:
    """The nodes that begin on a page (0-based) in reading order; hidden text and furniture are not among them."""
    return "\n\n".join(part for node in _nodes(tree, page_idx) if (part := _markdown(node)))


def plain_pages(tree: DocTree, pdf: Path) -> list[str]:
    """Each page's text without marks: one node a line, a table's cells between spaces, a spanning cell once.

    A paragraph or table over several pages is divided again, at the words that the PDF has in its later regions, so
    that each page has what is printed on it.
    """
    import pymupdf

    pages: list[list[str]] = [[] for _ in tree.pages]
    with pymupdf.open(pdf) as document:

        def printed(region: Region) -> str:
            page = document[region.page_idx]
            box = pymupdf.Rect(*region.bbox) * pymupdf.Matrix(page.rect.width, page.rect.height)
            return str(page.get_text(clip=box * page.derotation_matrix))

        for node in tree.nodes[1:]:
            if "hidden" in node.flags:
                continue
            own = node.page_idx
            later = [region for region in node.regions if region.page_idx > own]
            numbers = [own, *dict.fromkeys(region.page_idx for region in later)]
            texts = [" ".join(map(printed, (r for r in later if r.page_idx == number))) for number in numbers[1:]]
            for number, part in zip(numbers, divided(_lines(node), texts), strict=True):
                pages[number] += [part] if part else []
    return ["\n".join(parts) for parts in pages]


def divided(lines: Sequence[str], later: Sequence[str]) -> list[str]:
    """Lines of one node cut in as many parts as it has pages: before the beginning of what each later page holds.

    One line is cut inside; of several (rows of a table, entries of a list) each goes to the page that holds it.
    """
    parts: list[str] = []
    rest = list(lines)
    for text in reversed(later):
        if len(rest) == 1:
            head, tail = _cut(rest[0], text)
            rest, part = [head], [tail]
        else:
            given = fold(text)
            start = len(rest)
            while start > 0 and fold(rest[start - 1]) in given:
                start -= 1
            rest, part = rest[:start], rest[start:]
        parts.insert(0, "\n".join(part))
    return ["\n".join(rest), *parts]


def _cut(text: str, later: str) -> tuple[str, str]:
    """A text before and from where ``later`` begins in it; all of it before where that is not found."""
    wanted = fold(later)[:24]
    places = [n for n, char in enumerate(text) for _ in fold(char)]
    found = fold(text).rfind(wanted) if wanted else -1
    if found < 0 or len(places) != len(fold(text)):
        return text, ""
    return text[: places[found]], text[places[found] :]


def _nodes(tree: DocTree, page_idx: int) -> Iterator[Node]:
    return (node for node in tree.nodes[1:] if node.page_idx == page_idx and "hidden" not in node.flags)


def _markdown(node: Node) -> str:
    if node.type == "section":
        return f"{'#' * min(6, max(1, node.level))} {node.title or node.text}"
    if node.table:
        rows = ["".join(map(_html, row)) for row in _rows(node.table)]
        return "<table>\n" + "\n".join(f"<tr>{row}</tr>" for row in rows) + "\n</table>"
    return f"$$\n{node.latex}\n$$" if node.latex else node.text


def _rows(table: TableData) -> list[list[tuple[Cell, bool]]]:
    """The cells that begin in each row, and whether they are in the header."""
    rows: list[list[tuple[Cell, bool]]] = [[] for _ in table.rows]
    for cell in from_table(table):
        rows[cell.row].append((cell, cell.row < table.header_rows))
    return rows


def _html(entry: tuple[Cell, bool]) -> str:
    cell, heading = entry
    tag = "th" if heading else "td"
    rows, columns = cell.last_row - cell.row + 1, cell.last_column - cell.column + 1
    spans = (f' rowspan="{rows}"' if rows > 1 else "") + (f' colspan="{columns}"' if columns > 1 else "")
    return f"<{tag}{spans}>{escape(cell.text)}</{tag}>"


def _lines(node: Node) -> list[str]:
    if node.table:
        return [" ".join(cell.text for cell, _ in row if cell.text) for row in _rows(node.table)]
    text = (node.title or node.text) if node.type == "section" else node.text
    return text.split("\n")
