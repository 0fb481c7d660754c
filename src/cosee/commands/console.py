"""What every command prints with: text of documents is data, never markup and never terminal control."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text


def plain(value: Any, limit: int | None = None) -> str:
    """One line without control characters; cut at ``limit`` characters with ``…``."""
    text = "".join(
        " " if char in "\n\t\r" else "�" if unicodedata.category(char) in ("Cc", "Cf") else char for char in str(value)
    )
    return text if limit is None or len(text) <= limit else text[: limit - 1] + "…"


def line(console: Console, text: Any = "", style: str = "") -> None:
    """Print one line as it is, wrapped only by the terminal."""
    console.print(Text(plain(text), style=style), soft_wrap=True)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], caption: str | None = None) -> Table:
    """A table of plain cells. Columns whose name ends in ``#`` are right-aligned numbers."""
    made = Table(title=Text(plain(title), style="bold"), title_justify="left", caption=caption, caption_justify="left")
    made.box, made.show_edge, made.pad_edge, made.collapse_padding = box.SIMPLE_HEAD, False, False, True
    for place, column in enumerate(columns):
        number = column.endswith("#")
        made.add_column(
            column.removesuffix("#"),
            justify="right" if number else "left",
            no_wrap=number,
            overflow="fold",
            min_width=10 if place == 0 and not number else None,
        )
    for row in rows:
        made.add_row(*(Text(cell_text(value)) for value in row))
    return made


def cell_text(value: Any) -> str:
    """A value in a cell: figures to three digits, mappings as ``name=value``, None as nothing."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, dict):
        return " ".join(
            f"{plain(name)}=({cell_text(item)})" if isinstance(item, dict) else f"{plain(name)}={cell_text(item)}"
            for name, item in value.items()
        )
    if isinstance(value, list | tuple):
        return ", ".join(cell_text(item) for item in value)
    return plain(value)
