"""A document's tables as one XLSX workbook, a sheet each: merged cells kept, numbers as numbers, nothing a formula."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cosee.artifacts.documents.content import TableData
from cosee.artifacts.documents.doctree import Node
from cosee.artifacts.documents.layout import CellSpan
from cosee.export.grid import covered, merged_cells
from cosee.export.tables import file_name, reads_as_formula
from cosee.export.thresholds import CELL_CHARACTERS, COLUMN_WIDTHS, NUMBER_DIGITS, SHEET_NAME_CHARACTERS

CONTENTS = "Contents"
_NUMBER = re.compile(
    r"(?P<lead>[$€£¥](?=\())?(?P<open>\()?(?P<sign>-)?(?P<money>[$€£¥])?(?P<figure>(?P<whole>0|[1-9]\d{0,14}|[1-9]\d{0,2}(?:,\d{3})+)"
    r"(?P<part>\.\d{1,9})?)(?P<percent> ?%)?(?P<close>\))?"
)
_UNCERTAIN = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
"""Thousands in one country, thousandths in another."""
# General knowledge: the control characters that XML 1.0 cannot hold.
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_MODIFIED = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*(</dcterms:\2>)")
_LONG_AGO = "1980-01-01T00:00:00Z"


@dataclass(frozen=True)
class Sheet:
    """A table as it was read back."""

    rows: list[list[str]]
    spans: list[CellSpan]


def number_in(text: str, language: str | None) -> tuple[float, str] | None:
    """What a cell is worth and the format that shows it as it is written; None where that is not certain.

    ``(2,980)`` is negative and ``$5`` has its sign in the format, so that a column adds up. ``1,234`` is a number in an
    English document only. Codes with zeros in front and figures of more than 15 digits, which the format cannot hold,
    are none.
    """
    match = _NUMBER.fullmatch(text)
    english = (language or "").split("-")[0] == "en"
    if match is None or (_UNCERTAIN.fullmatch(match["figure"]) and not english):
        return None
    digits = match["figure"].replace(",", "")
    if len(digits.replace(".", "")) > NUMBER_DIGITS:
        return None
    whole = "#,##0" if "," in match["whole"] else "0"
    part = f".{'0' * (len(match['part']) - 1)}" if match["part"] else ""
    sign = match["lead"] or match["money"]
    money = f'"{sign}"' if sign else ""
    form = f"{money}{whole}{part}{match['percent'] or ''}"
    value = float(digits) / (100 if match["percent"] else 1)
    if match["open"]:
        form = f"{form};{money}({form.removeprefix(money)})" if match["lead"] else f"{form};({form})"
    if match["open"] or match["sign"]:
        value = -value
    return (value, form) if _shown(value, form) == text else None


def _shown(value: float, form: str) -> str:
    """A number as one of our formats shows it."""
    positive, _, negative = form.partition(";")
    money = positive[1] if positive.startswith('"') else ""
    percent = positive[len(positive.rstrip("% ")) :]
    places = len(positive.removesuffix(percent).partition(".")[2])
    figure = f"{abs(value) * (100 if percent else 1):{',' if ',' in positive else ''}.{places}f}"
    text = f"{money}{figure}{percent}"
    if value >= 0:
        return text
    if not negative:
        return f"-{text}"
    return f"({text})" if negative.startswith("(") else f"{money}({figure}{percent})"


def workbook(tables: Sequence[Node], language: str | None) -> bytes:
    """The file's bytes, the same for the same tables. The first sheet lists the others with page and caption.

    Raises:
        ImportError: openpyxl is not installed.
    """
    from openpyxl import Workbook
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    book = Workbook()
    contents = book.active
    contents.title = CONTENTS
    bold = Font(bold=True)
    heads = ("Sheet", "Page", "Label", "Caption", "Rows", "Columns", "Node", "CSV")
    for column, head in enumerate(heads, start=1):
        contents.cell(1, column, head).font = bold
    for place, (name, node) in enumerate(zip(_names(tables), tables, strict=True), start=2):
        assert node.table is not None
        rows = node.table.rows
        told: tuple[str | int, ...] = (
            name, node.page_idx + 1, node.label or "", node.title or "", len(rows), len(rows[0]), node.id,
            file_name(node),
        )  # fmt: skip
        for column, value in enumerate(told, start=1):
            set_value(contents.cell(place, column), value)
        _fill(book.create_sheet(name), node.table, language, bold)
    for letter, width in zip("ABCDEFGH", (24, 6, 12, 60, 6, 8, 12, 32), strict=True):
        contents.column_dimensions[letter].width = width
    contents.freeze_panes = "A2"
    for sheet in book.worksheets[1:]:
        for column in range(1, sheet.max_column + 1):
            longest = max(len(str(cell.value or "")) for (cell,) in sheet.iter_rows(min_col=column, max_col=column))
            narrowest, widest = COLUMN_WIDTHS
            sheet.column_dimensions[get_column_letter(column)].width = min(max(longest + 2, narrowest), widest)
    written = io.BytesIO()
    book.save(written)
    return without_times(written.getvalue())


def read_workbook(data: bytes) -> Mapping[str, Sheet]:
    """Node id -> its sheet, as a person sees it: a merged cell's text in each of its slots."""
    from openpyxl import load_workbook

    book = load_workbook(io.BytesIO(data))
    found = {}
    for name, _, _, _, rows, columns, node_id, _ in book[CONTENTS].iter_rows(min_row=2, values_only=True):
        sheet = book[str(name)]
        merged = sorted(
            (each.min_row - 1, each.min_col - 1, each.max_row - each.min_row + 1, each.max_col - each.min_col + 1)
            for each in sheet.merged_cells.ranges
        )
        spans = [CellSpan(row=row, column=column, rows=high, columns=wide) for row, column, high, wide in merged]
        texts = [[_text(sheet.cell(row + 1, column + 1)) for column in range(columns)] for row in range(rows)]
        for span in spans:
            for row in range(span.row, span.row + span.rows):
                for column in range(span.column, span.column + span.columns):
                    texts[row][column] = texts[span.row][span.column]
        found[str(node_id)] = Sheet(texts, spans)
    return found


def expected_sheet(table: TableData) -> Sheet:
    """The table as its sheet has to hold it."""
    spans = sorted(merged_cells(table), key=lambda span: (span.row, span.column))
    return Sheet([list(row) for row in table.rows], spans)


def formulas(data: bytes) -> int:
    """Cells of a workbook that are formulas."""
    from openpyxl import load_workbook

    sheets = load_workbook(io.BytesIO(data)).worksheets
    return sum(cell.data_type == "f" for sheet in sheets for row in sheet.iter_rows() for cell in row)


def _fill(sheet: Any, table: TableData, language: str | None, bold: Any) -> None:
    from openpyxl.styles import Alignment

    spans = merged_cells(table)
    hidden = covered(spans)
    for row, cells in enumerate(table.rows):
        for column, text in enumerate(cells):
            if (row, column) in hidden:
                continue
            cell = sheet.cell(row + 1, column + 1)
            number = number_in(text, language)
            if number is not None and row >= table.header_rows:
                cell.value, cell.number_format = number
            else:
                set_value(cell, text)
            if row < table.header_rows:
                cell.font = bold
            if "\n" in text:
                cell.alignment = Alignment(wrap_text=True, vertical="top")
    for span in spans:
        sheet.merge_cells(
            start_row=span.row + 1, start_column=span.column + 1, end_row=span.row + span.rows,
            end_column=span.column + span.columns,
        )  # fmt: skip
    if 0 < table.header_rows < len(table.rows):
        sheet.freeze_panes = f"A{table.header_rows + 1}"


def set_value(cell: Any, value: str | int) -> None:
    """A value that stays what it is: text is text, whatever it begins with, and stays text when it is edited."""
    if isinstance(value, int):
        cell.value = value
    elif value:
        cell.value = _NOT_IN_XML.sub("\ufffd", value)[:CELL_CHARACTERS]
        cell.data_type = "s"
        cell.quotePrefix = reads_as_formula(value)


def _text(cell: Any) -> str:
    if cell.value is None:
        return ""
    return cell.value if isinstance(cell.value, str) else _shown(float(cell.value), cell.number_format)


def _names(tables: Sequence[Node]) -> list[str]:
    """Names of sheets: the table's label, else its id; 31 characters, each once, whatever their case."""
    taken = {CONTENTS.lower()}
    names = []
    for node in tables:
        words = (
            " ".join(re.sub(r"[^\w .-]+", " ", node.label or node.id).split())[:SHEET_NAME_CHARACTERS].strip()
            or "Table"
        )
        name, number = words, 1
        while name.lower() in taken:
            number += 1
            told = f" ({number})"
            name = words[: SHEET_NAME_CHARACTERS - len(told)] + told
        taken.add(name.lower())
        names.append(name)
    return names


def without_times(data: bytes) -> bytes:
    """The same workbook without the time at which it was written."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename == "docProps/core.xml":
                content = _MODIFIED.sub(rb"\g<1>" + _LONG_AGO.encode() + rb"\g<3>", content)
            target.writestr(zipfile.ZipInfo(entry.filename, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return written.getvalue()
