"""Tables of pdfplumber, camelot and PyMuPDF, each in the ways that a user can call it without looking at the page.

``lines_then_text`` (camelot: ``lattice_then_stream`` ...) takes the second strategy on pages where the first finds no
table.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.doctree_cells import Box, Cell, Table, from_boxes, from_rows

Finder = Callable[[Path, str], list[Table]]
TOLERANCE = 1.0
"""Points within which edges of cells are the same."""


def pdfplumber_tables(pdf: Path, strategy: str) -> list[Table]:
    """``page.find_tables`` with the default settings (``lines``) or with both strategies ``text``."""
    import pdfplumber

    logging.getLogger("pdfminer").setLevel(logging.ERROR)
    settings = {} if strategy == "lines" else {"vertical_strategy": "text", "horizontal_strategy": "text"}
    found = []
    with pdfplumber.open(pdf) as document:
        for number, page in enumerate(document.pages, start=1):
            for table in page.find_tables(settings):
                rows = [row.cells for row in table.rows]
                found.append(_from_grid(rows, table.extract(), number, _share(table.bbox, page.bbox)))
            page.close()
    return found


def pymupdf_tables(pdf: Path, strategy: str) -> list[Table]:
    """``page.find_tables(strategy=...)``."""
    import pymupdf

    found = []
    with pymupdf.open(pdf) as document:
        for number, page in enumerate(document, start=1):
            for table in page.find_tables(strategy=strategy).tables:
                rows = [row.cells for row in table.rows]
                found.append(_from_grid(rows, table.extract(), number, _share(table.bbox, tuple(page.rect))))
    return found


def camelot_tables(pdf: Path, flavor: str) -> list[Table]:
    """``camelot.read_pdf`` over all pages."""
    from camelot.io import read_pdf

    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    found = []
    for table in read_pdf(str(pdf), pages="all", flavor=flavor, suppress_stdout=True):
        width, height = table.pdf_size
        left, bottom, right, top = table._bbox
        box = (left / width, 1 - top / height, right / width, 1 - bottom / height)
        cells = _without_inner_edges(table.cells) if flavor == "lattice" else from_rows(table.df.values.tolist())
        found.append(Table(cells, [(int(table.page), box)]))
    return found


PEERS: dict[str, tuple[str, Finder, Sequence[str]]] = {
    "pdfplumber": ("pdfplumber", pdfplumber_tables, ("lines", "text")),
    "camelot": ("camelot-py", camelot_tables, ("lattice", "stream", "network", "hybrid")),
    "pymupdf": ("pymupdf", pymupdf_tables, ("lines", "text")),
}
"""Figure suffix -> package, function, strategies; the first is the one for ruled tables."""


def with_fallbacks(ways: dict[str, list[Table]], ruled: str) -> dict[str, list[Table]]:
    """The ways of a peer on one file, with those that fall back from ``ruled`` page by page."""
    pages = {page for table in ways[ruled] for page, _ in table.regions}
    return ways | {
        f"{ruled}_then_{name}": ways[ruled] + [table for table in tables if table.regions[0][0] not in pages]
        for name, tables in ways.items()
        if name != ruled
    }


def _from_grid(
    boxes: Sequence[Sequence[Box | None]], texts: Sequence[Sequence[str | None]], page: int, region: Box
) -> Table:
    """A table from rows of cell boxes (None under a spanning cell) and the same rows of texts."""
    cells = [
        (box, text or "")
        for box_row, text_row in zip(boxes, texts, strict=False)
        for box, text in zip(box_row, text_row, strict=False)
        if box is not None
    ]
    return Table(from_boxes(cells, TOLERANCE), [(page, region)])


def _share(box: Sequence[float], page: Sequence[float]) -> Box:
    width, height = page[2] - page[0], page[3] - page[1]
    left, top, right, bottom = box
    return (
        (left - page[0]) / width,
        (top - page[1]) / height,
        (right - page[0]) / width,
        (bottom - page[1]) / height,
    )


def _without_inner_edges(rows: Sequence[Sequence[Any]]) -> list[Cell]:
    """Camelot's lattice cells, those joined that no line divides."""
    whole = {(r, c): (r, c) for r, row in enumerate(rows) for c in range(len(row))}

    def root(place: tuple[int, int]) -> tuple[int, int]:
        while whole[place] != place:
            place = whole[place]
        return place

    for (r, c), _ in sorted(whole.items()):
        for neighbour, divided in (((r, c + 1), rows[r][c].right), ((r + 1, c), rows[r][c].bottom)):
            if neighbour in whole and not divided:
                one, other = sorted((root((r, c)), root(neighbour)))
                whole[other] = one
    groups: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for place in sorted(whole):
        groups.setdefault(root(place), []).append(place)
    return [
        Cell(
            min(r for r, _ in places),
            min(c for _, c in places),
            max(r for r, _ in places),
            max(c for _, c in places),
            "\n".join(text for r, c in places if (text := rows[r][c].text.strip())),
        )
        for places in groups.values()
    ]
