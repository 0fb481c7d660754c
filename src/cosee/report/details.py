"""Payloads of trace events as bounded pieces that a template can show: text, pages, lists, tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cosee.artifacts import files
from cosee.report.thresholds import (
    LINE_CHARACTERS,
    LIST_ENTRIES,
    LONGEST_WORD,
    SPARED_CHARACTERS,
    TABLE_ROWS,
    TEXT_CHARACTERS,
    WIDE_COLUMN_CHARACTERS,
)

INTERNAL = frozenset(("_REF_ID", "nodes", "hits", "found"))
"""Keys of a result's objects that only programs read."""
PAGE_KEYS = frozenset(("page", "pages", "read", "page_number", "page_numbers", "page_references", "dropped_pages"))


@dataclass(frozen=True)
class Text:
    """A text cut to ``TEXT_CHARACTERS`` characters; ``more`` counts those left out."""

    key: str
    text: str
    more: int = 0
    kind: str = "text"


@dataclass(frozen=True)
class Pages:
    """Page numbers from 1; ``more`` counts those left out."""

    key: str
    pages: list[int]
    more: int = 0
    kind: str = "pages"


@dataclass(frozen=True)
class Entries:
    """Short texts side by side; ``more`` counts those left out."""

    key: str
    entries: list[str]
    more: int = 0
    kind: str = "entries"


@dataclass(frozen=True)
class Table:
    """Records with the same keys; ``more`` counts the rows left out. A cell is a text, a number or pages."""

    key: str
    columns: list[str]
    rows: list[list[str]]
    numeric: list[bool]
    more: int = 0
    kind: str = "table"


Detail = Text | Pages | Entries | Table


def cut(text: str, length: int) -> tuple[str, int]:
    """The start of a text, where it can be between two words, and how many characters were left out."""
    if len(text) <= length + SPARED_CHARACTERS:
        return text, 0
    end = text.rfind(" ", max(length - LONGEST_WORD, 0), length + 1)
    end = length if end <= 0 else end
    return f"{text[:end].rstrip()} …", len(text) - end


def shortened(text: str, length: int) -> str:
    """The start of a text, where it can be between two words."""
    return cut(text, length)[0]


def details(payload: Mapping[str, Any]) -> list[Detail]:
    """A payload's fields in the order of their names; empty ones are left out."""
    return [_detail(key, value) for key, value in sorted(payload.items()) if value not in (None, [], {}, "")]


def _detail(key: str, value: Any) -> Detail:
    if key in PAGE_KEYS:
        numbers = [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, int)]
        if numbers:
            return Pages(key, numbers[:LIST_ENTRIES], max(len(numbers) - LIST_ENTRIES, 0))
    if isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
        return table(key, value)
    if isinstance(value, list):
        entries = [shortened(scalar(each), LINE_CHARACTERS) for each in value[:LIST_ENTRIES]]
        return Entries(key, entries, max(len(value) - LIST_ENTRIES, 0))
    if isinstance(value, Mapping):
        named = sorted(value.items())
        return Entries(key, [f"{name}: {shortened(scalar(each), LINE_CHARACTERS)}" for name, each in named])
    text, more = cut(scalar(value), TEXT_CHARACTERS)
    return Text(key, text, more)


def table(key: str, records: Sequence[Mapping[str, Any]], rows: int = TABLE_ROWS) -> Table:
    """Records as rows; the columns are all of their keys, short ones first and running text last."""
    shown = [flat(record) for record in records[:rows]]
    names = list(dict.fromkeys(name for record in shown for name in record))
    longest = {name: max(len(scalar(record.get(name, ""))) for record in shown) for name in names}
    columns = sorted(names, key=lambda name: (longest[name] > WIDE_COLUMN_CHARACTERS, names.index(name)))
    return Table(
        key=key,
        columns=columns,
        rows=[[shortened(scalar(record.get(name, "")), LINE_CHARACTERS) for name in columns] for record in shown],
        numeric=[all(isinstance(record.get(name, 0), int | float) for record in shown) for name in columns],
        more=max(len(records) - rows, 0),
    )


def flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record with the fields of its inner records beside its own, without what only programs read."""
    fields: dict[str, Any] = {}
    for name, value in record.items():
        if name in INTERNAL or name in ("anchors", "bbox") or value in (None, "", [], {}):
            continue
        if isinstance(value, Mapping) and name in ("payload", "quality"):
            fields.update({inner: each for inner, each in flat(value).items() if inner not in record})
        else:
            fields[name] = value
    return fields


def scalar(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list) and all(isinstance(each, str | int | float) for each in value):
        return ", ".join(scalar(each) for each in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {scalar(each)}" for name, each in sorted(value.items()))
    return files.canonical_json(value)
