"""Files of questions that people write: CSV, JSON lines and Excel workbooks, read to rows by our field names."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.datasets.cell_text import cell_text
from cosee.datasets.thresholds import LARGEST_WORKBOOK, TITLE_ROWS
from cosee.text.likeness import nearest_word

COLUMN_NAMES = {
    "document": ("document", "file", "pdf", "doc_id", "doc", "filename", "file_name", "documents", "files", "doc_ids"),
    "question": ("question", "query"),
    "answer": ("answer", "gold", "gold_answer", "expected"),
    "answer_format": ("answer_format", "format"),
    "evidence_pages": ("evidence_pages", "pages", "page"),
    "evidence_documents": ("evidence_documents", "evidence_document"),
    "question_id": ("question_id", "id", "qid"),
    "source_dataset": ("source_dataset", "source"),
    "language": ("language", "lang"),
    "password": ("password",),
}
"""Field -> accepted column names, without regard to case."""

SEPARATORS = ",;\t"
"""What may part the columns of a CSV file."""

Row = tuple[int, dict[str, Any]]
"""(1-based line or row number, column -> value)."""


def read_rows(path: Path, needed: str = "question") -> Iterator[Row]:
    """Rows of a CSV (``,``, ``;`` or tab), JSONL or XLSX file, by our field names; the column ``needed`` must be there.

    Raises:
        ArtifactError: names file and line, or what to install for XLSX.
    """
    suffix = path.suffix.lower()
    if suffix in (".jsonl", ".ndjson"):
        return _json_rows(path)
    if suffix in (".xlsx", ".xlsm"):
        return _workbook_rows(path, needed)
    if suffix in (".xls", ".ods", ".numbers"):
        raise ArtifactError(f"{path}: save it as .xlsx or as CSV UTF-8")
    return _csv_rows(path, needed)


def _json_rows(path: Path) -> Iterator[Row]:
    for line, value in files.iter_jsonl(path):
        if not isinstance(value, dict):
            raise ArtifactError(f"{path}, line {line}: expected an object, found {type(value).__name__}")
        yield line, _renamed(value)


def _csv_rows(path: Path, needed: str) -> Iterator[Row]:
    try:
        text = files.read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ArtifactError(f"{path}: is not UTF-8 (byte {error.start}); save it as CSV UTF-8") from error
    if not text.strip():
        raise ArtifactError(f"{path}: is empty; its first line names the columns, e.g. 'file,question,answer'")
    lines = text.splitlines()[:TITLE_ROWS]
    headers = (line for line in lines if any(_names_columns(line.split(mark), needed) for mark in SEPARATORS))
    header = next(headers, lines[0])
    separator = max(SEPARATORS, key=header.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    columns: list[str] | None = None
    above: list[list[str]] = []
    try:
        for cells in rows:
            number = rows.line_num
            if columns is None:
                if _names_columns(cells, needed):
                    columns = cells
                elif len(above) == TITLE_ROWS:
                    break
                elif any(cells):
                    above.append(cells)
            elif len(cells) > len(columns):
                raise ArtifactError(f"{path}, line {number}: more fields than columns; quote the commas")
            elif any(cells):
                yield number, _renamed(dict(zip_longest(columns, cells)))
    except csv.Error as error:
        raise ArtifactError(f"{path}, line {rows.line_num}: {error}") from error
    if columns is None:
        raise ArtifactError(f"{path}, line 1: {_no_column(needed, above[0] if above else [])}")


def _names_columns(cells: Iterable[str], needed: str) -> bool:
    """Whether a row of cells is the one that names the columns."""
    return needed in _renamed(dict.fromkeys(cells))


def _no_column(needed: str, columns: Iterable[str]) -> str:
    """What a sheet lacks, the columns that it has, and the nearest of them."""
    names = [str(name) for name in columns if str(name or "").strip()]
    near = nearest_word(needed, names)
    hint = f"; is {near!r} meant?" if near is not None else ""
    return f"no column {needed!r}; the columns are {', '.join(map(repr, names)) or 'without names'}{hint}"


def _workbook_rows(path: Path, needed: str) -> Iterator[Row]:
    """Rows of the first sheet that has the column ``needed``, below its title where it has one.

    Cells are what the sheet shows; formulas count by the values saved with them.
    """
    _check_workbook(path)
    try:
        import openpyxl
    except ImportError as error:
        raise ArtifactError(f"{path}: reading it needs pip install 'cosee[xlsx]'; or save it as CSV UTF-8") from error
    headers: dict[str, list[str]] = {}
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # What the file says of its size need not be true.
            rows = enumerate(sheet.iter_rows(), start=1)
            columns = _sheet_header(rows, needed, headers.setdefault(sheet.title, []))
            if columns is None:
                continue
            found: list[Row] = []
            for number, values in rows:
                cells = {column: _shown(cell) for column, cell in zip(columns, values, strict=False) if column}
                if any(value is not None for value in cells.values()):
                    found.append((number, _renamed(cells)))
            book.close()
            return iter(found)
        book.close()
    except Exception as error:  # a damaged workbook may raise anything from the reader
        raise ArtifactError(f"{path}: is no readable workbook ({type(error).__name__}: {error})") from error
    named = "; ".join(f"sheet {title!r}: {_no_column(needed, names)}" for title, names in headers.items() if any(names))
    raise ArtifactError(f"{path}: {named or 'every sheet is empty'}")


def _sheet_header(rows: Iterator[tuple[int, Any]], needed: str, first: list[str]) -> list[str] | None:
    """The columns of a sheet, read from its first rows; None where none of them names the needed one. The first row
    with something in it is put into ``first``."""
    for number, row in rows:
        names = [str(cell.value or "").strip() for cell in row]
        if _names_columns(names, needed):
            return names
        if not first and any(names):
            first += names
        if number >= TITLE_ROWS:
            break
    return None


def _shown(cell: Any) -> str | None:
    return None if cell.value is None else cell_text(cell.value, cell.number_format)


def _check_workbook(path: Path) -> None:
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except FileNotFoundError as error:
        raise ArtifactError(f"{path}: no such file") from error
    except (OSError, zipfile.BadZipFile, ValueError) as error:
        raise ArtifactError(f"{path}: is no readable workbook ({error})") from error
    if size > LARGEST_WORKBOOK:
        raise ArtifactError(f"{path}: unpacks to {size} bytes, more than {LARGEST_WORKBOOK}; save it as CSV UTF-8")


def _renamed(row: Mapping[str, Any]) -> dict[str, Any]:
    by_column = {str(column).strip().strip('"').lower(): value for column, value in row.items()}
    return {
        field: by_column[name] for field, names in COLUMN_NAMES.items() for name in reversed(names) if name in by_column
    }
