"""One document in each form. Whatever is written has been read back and compared with the tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.documents.doctree import DocTree, Node
from cosee.artifacts.results.export import ExportKind
from cosee.artifacts.results.prediction import Prediction
from cosee.export.check import html_difference, markdown_difference
from cosee.export.figures import Picture, pictures
from cosee.export.highlights import highlights, write_highlights
from cosee.export.html_page import html_page
from cosee.export.markdown import markdown
from cosee.export.tables import csv_table, file_name, read_csv_table, reads_as_formula, tables_of
from cosee.export.workbook import expected_sheet, read_workbook, workbook

INSTALL = "workbooks need openpyxl: pip install 'cosee[xlsx]'"


class ExportDiffers(ValueError):
    """What was to be written does not read back as the tree has it: a fault of the program, and no file."""


@dataclass(frozen=True)
class Source:
    """What is exported of one document."""

    folder: Path
    """Holds ``doctree.mm.json``, ``full.pdf`` and the crops."""
    name: str
    """Begins the names of the files."""
    answers: Sequence[Prediction] = ()
    questions: Mapping[str, str] = field(default_factory=dict)
    """Question id -> its words."""

    def tree(self) -> DocTree:
        """The document's tree. Raises ArtifactError."""
        return DocTree.load(self.folder / "doctree.mm.json")


@dataclass(frozen=True)
class Written:
    """The files that were written, and what they hold."""

    outputs: list[Path]
    counts: dict[str, int]


def export(kind: ExportKind, source: Source, out: Path) -> Written:
    """Write one form of a document into the folder ``out``. The same document gives the same bytes.

    Raises:
        ArtifactError: the tree cannot be read.
        ImportError: openpyxl is not installed, for tables.
        ExportDiffers: what was to be written is not what the tree holds.
        PasswordError or one of ``pdf_faults``: the PDF cannot be opened.
    """
    return _WRITERS[kind](source, out, files.safe_name(source.name))


def _pdf(source: Source, out: Path, name: str) -> Written:
    target = out / f"{name}.evidence.pdf"
    marks = highlights(source.answers, source.questions)
    return Written([target], {"highlights": write_highlights(source.folder / "full.pdf", marks, target)})


def _tables(source: Source, out: Path, name: str) -> Written:
    tree = source.tree()
    tables = tables_of(tree)
    folder = out / f"{name}.tables"
    written: dict[Path, bytes] = {}
    counts = {"tables": len(tables), "cells": 0, "merged": 0, "guarded": 0}
    for node in tables:
        assert node.table is not None
        text = csv_table(node.table.rows)
        if read_csv_table(text) != node.table.rows:
            raise ExportDiffers(f"{node.id}: its CSV does not read back as the table")
        written[folder / file_name(node)] = text.encode("utf-8")
        cells = [cell for row in node.table.rows for cell in row]
        counts["cells"] += len(cells)
        counts["guarded"] += sum(map(reads_as_formula, cells))
    if tables:
        data, counts["merged"] = _workbook(tables, tree.language)
        written[out / f"{name}.tables.xlsx"] = data
    else:
        (out / f"{name}.tables.xlsx").unlink(missing_ok=True)
    _clear(folder, "page-*.csv", written)
    for path, data in written.items():
        files.write_bytes(path, data)
    return Written(list(written), counts)


def _workbook(tables: Sequence[Node], language: str | None) -> tuple[bytes, int]:
    """A workbook that reads back as the tables, and how many merged cells it has."""
    data = workbook(tables, language)
    found, merged = read_workbook(data), 0
    for node in tables:
        assert node.table is not None
        wanted = expected_sheet(node.table)
        if found.get(node.id) != wanted:
            raise ExportDiffers(f"{node.id}: its sheet does not read back as the table")
        merged += len(wanted.spans)
    return data, merged


def _markdown(source: Source, out: Path, name: str) -> Written:
    tree = source.tree()
    folder = out / f"{name}.images"
    found: dict[Path, bytes] = {}

    def figure(node: Node) -> list[str]:
        crops = pictures(node, source.folder)
        found.update({folder / crop.name: crop.data for crop in crops})
        return [f"{folder.name}/{crop.name}" for crop in crops]

    written = _document(tree, markdown(tree, figure), markdown_difference, out / f"{name}.md", found)
    _clear(folder, "*", found)
    return written


def _html(source: Source, out: Path, name: str) -> Written:
    tree = source.tree()
    crops: list[Picture] = []

    def figure(node: Node) -> list[str]:
        own = pictures(node, source.folder)
        crops.extend(own)
        return [crop.uri for crop in own]

    written = _document(tree, html_page(tree, figure), html_difference, out / f"{name}.html", {})
    return Written(written.outputs, {**written.counts, "figures": len(crops)})


def _document(
    tree: DocTree,
    text: str,
    difference: Callable[[DocTree, str], str | None],
    target: Path,
    figures: Mapping[Path, bytes],
) -> Written:
    differs = difference(tree, text)
    if differs:
        raise ExportDiffers(f"{target.name}: {differs}")
    for path, data in figures.items():
        files.write_bytes(path, data)
    files.write_text(target, text)
    return Written([target, *figures], {"nodes": len(tree.nodes) - 1, "figures": len(figures)})


def _clear(folder: Path, pattern: str, kept: Mapping[Path, bytes]) -> None:
    """Remove what an earlier export of the document left in a folder that holds nothing else."""
    for path in folder.glob(pattern):
        if path not in kept and path.is_file():
            path.unlink()


_WRITERS: Mapping[ExportKind, Callable[[Source, Path, str], Written]] = {
    "pdf": _pdf,
    "tables": _tables,
    "markdown": _markdown,
    "html": _html,
}
