"""Reading the published files of benchmarks: rows whose fields are checked, and files found in either of two places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.datasets.imports import Problem
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, AnswerFormat
from cosee.artifacts.files import ArtifactError
from cosee.datasets.answer_format import infer_format, is_abstention
from cosee.datasets.literals import read_list
from cosee.datasets.thresholds import TABLE_BATCH

Numbered = tuple[str, dict[str, Any]]
"""(where the row stands, for messages; the row)."""


def first_file(folder: Path, names: Sequence[str]) -> Path:
    """The first of ``names`` that is a file below ``folder``. Raises ArtifactError that lists them."""
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise ArtifactError(f"{folder}: has none of {', '.join(names)}")


def json_rows(path: Path, key: str | None = None) -> Iterator[Numbered]:
    """Rows of a JSON list, or of the list ``key`` of a JSON object; numbered from 0 as the list is."""
    value = files.read_json(path)
    if key is not None:
        value = value.get(key) if isinstance(value, dict) else None
    if not isinstance(value, list):
        wanted = f"an object with the list {key!r}" if key else "a list"
        raise ArtifactError(f"{path}: expected {wanted}")
    for number, row in enumerate(value):
        yield _checked(f"{path.name}, row {number}", row, path)


def jsonl_rows(path: Path) -> Iterator[Numbered]:
    """Rows of a JSONL file, numbered from 1."""
    for line, row in files.iter_jsonl(path):
        yield _checked(f"{path.name}, line {line}", row, path)


def table_rows(path: Path) -> Iterator[Numbered]:
    """Rows of a parquet file, numbered from 0, a few in memory at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(path) as table:
            for batch in table.iter_batches(batch_size=TABLE_BATCH):
                for row in batch.to_pylist():
                    yield f"{path.name}, row {number}", row
                    number += 1
    except (pa.ArrowException, OSError, ValueError) as error:
        raise ArtifactError(f"{path}: not a readable table ({error})") from error


def _checked(where: str, row: Any, path: Path) -> Numbered:
    if not isinstance(row, dict):
        raise ArtifactError(f"{path.parent / where}: expected an object, found {type(row).__name__}")
    return where, row


def text(row: Mapping[str, Any], key: str, where: str) -> str:
    """The non-empty string of a field; a number counts as its digits. Raises ArtifactError."""
    value = row.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise ArtifactError(f"{where}: needs the string {key!r}, found {value!r:.80}")
    return value


def listed(value: Any) -> list[Any]:
    """A list that is one, or is written as a Python literal; None is empty. Raises ValueError."""
    if value is None or value == "":
        return []
    if isinstance(value, list | tuple):
        return list(value)
    return read_list(str(value))


def gold_pages(value: Any, where: str, problems: list[Problem], *, first: int = 1) -> list[int]:
    """Gold pages, 1-based, of a field that counts from ``first``; what are no pages is told and taken as unknown."""
    try:
        pages = listed(value)
    except ValueError as error:
        problems.append(Problem(kind="gold_pages", where=where, message=f"gold pages {value!r:.80} are {error}"))
        return []
    wrong = [page for page in pages if not isinstance(page, int) or isinstance(page, bool) or page < first]
    if wrong:
        message = f"gold pages {wrong!r:.80} are no page numbers from {first} on and are left out"
        problems.append(Problem(kind="gold_pages", where=where, message=message))
    return sorted({page - first + 1 for page in pages if page not in wrong})


def as_answer(value: Any) -> str | list[str]:
    """A gold answer of any JSON type as text or a list of texts; an object counts as its values joined by ``-``."""
    if isinstance(value, list | tuple):
        return [item if isinstance(item, str) else str(as_answer(item)) for item in value]
    if isinstance(value, dict):
        return "-".join(str(item) for item in value.values())
    return "" if value is None else str(value)


def known_format(
    published: Any,
    formats: Mapping[str, AnswerFormat],
    answer: str | list[str],
    where: str,
    problems: list[Problem],
) -> AnswerFormat:
    """Our name of the format that a source gives for an ``answer``; a format without one is told and inferred."""
    if isinstance(published, str) and published in formats:
        return formats[published]
    message = f"no answer format {published!r:.40}; it is inferred"
    problems.append(Problem(kind="gold_type", where=where, message=message))
    return infer_format(answer)


def of_format(answer: str | list[str], kind: AnswerFormat, where: str, problems: list[Problem]) -> str | list[str]:
    """A gold answer; one of the format None that does not say so is told and replaced."""
    if kind != "None" or is_abstention(str(answer)):
        return answer
    message = f"the answer {answer!r:.80} is of the format None; it is taken as {NOT_ANSWERABLE!r}"
    problems.append(Problem(kind="gold_type", where=where, message=message))
    return NOT_ANSWERABLE


def labels(value: Any) -> list[str]:
    """Names of evidence sources; what is no list of them is none."""
    try:
        return [str(item) for item in listed(value)]
    except ValueError:
        return []
