"""Files of questions that people write: CSV, JSON lines and Excel workbooks, read to rows by our field names."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError

ALIASES = {
    "document": ("document", "file", "pdf", "doc_id", "doc", "filename", "file_name"),
    "question": ("question", "query"),
    "answer": ("answer", "gold", "gold_answer", "expected"),
    "answer_format": ("answer_format", "format"),
    "evidence_pages": ("evidence_pages", "pages", "page"),
    "question_id": ("question_id", "id", "qid"),
    "source_dataset": ("source_dataset", "source"),
    "language": ("language", "lang"),
    "password": ("password",),
}
"""Field -> accepted column names, without regard to case."""

MAX_WORKBOOK_BYTES = 200_000_000
"""A workbook is a ZIP file; one that unpacks to more is not opened."""

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
    header = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=header.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        columns = _renamed(dict.fromkeys(reader.fieldnames or []))
        if needed not in columns:
            raise ArtifactError(f"{path}, line 1: no column {needed!r}; the columns are {reader.fieldnames}")
        for row in reader:
            if None in row:
                raise ArtifactError(f"{path}, line {reader.line_num}: more fields than columns; quote the commas")
            if any(row.values()):
                yield reader.line_num, _renamed(row)
    except csv.Error as error:
        raise ArtifactError(f"{path}, line {reader.line_num}: {error}") from error


def _workbook_rows(path: Path, needed: str) -> Iterator[Row]:
    """Rows of the first sheet that has the column ``needed``; formulas count by the values saved with them."""
    _check_workbook(path)
    try:
        import openpyxl
    except ImportError as error:
        raise ArtifactError(f"{path}: reading it needs pip install 'cosee[xlsx]'; or save it as CSV UTF-8") from error
    headers = {}
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # What the file says of its size need not be true.
            rows = sheet.iter_rows(values_only=True)
            columns = [str(value or "").strip() for value in next(rows, ())]
            headers[sheet.title] = columns
            if needed not in _renamed(dict.fromkeys(columns)):
                continue
            found: list[Row] = []
            for number, values in enumerate(rows, start=2):
                cells = {column: _cell(value) for column, value in zip(columns, values, strict=False) if column}
                if any(value is not None for value in cells.values()):
                    found.append((number, _renamed(cells)))
            book.close()
            return iter(found)
        book.close()
    except Exception as error:  # a damaged workbook may raise anything from the reader
        raise ArtifactError(f"{path}: is no readable workbook ({type(error).__name__}: {error})") from error
    raise ArtifactError(f"{path}: no sheet has a column {needed!r} in its first row; the columns are {headers}")


def _check_workbook(path: Path) -> None:
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except FileNotFoundError as error:
        raise ArtifactError(f"{path}: no such file") from error
    except (OSError, zipfile.BadZipFile, ValueError) as error:
        raise ArtifactError(f"{path}: is no readable workbook ({error})") from error
    if size > MAX_WORKBOOK_BYTES:
        raise ArtifactError(f"{path}: unpacks to {size} bytes, more than {MAX_WORKBOOK_BYTES}; save it as CSV UTF-8")


def _cell(value: Any) -> Any:
    """A cell as a person sees it: a whole number without its ``.0``, a date as ``2024-03-01``, TRUE as Yes."""
    import datetime

    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(" ")
    return str(value)


def _renamed(row: Mapping[str, Any]) -> dict[str, Any]:
    by_column = {str(column).strip().lower(): value for column, value in row.items()}
    return {
        field: by_column[alias]
        for field, aliases in ALIASES.items()
        for alias in reversed(aliases)
        if alias in by_column
    }
