"""What every command prints with: text of documents is data, never markup and never terminal control."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cosee.commands.thresholds import TABLE_WORDS_WIDTH
from cosee.report.charts import figure


def plain(value: Any, limit: int | None = None) -> str:
    """One line without control characters; cut at ``limit`` characters with ``…``."""
    text = "".join(
        " " if char in "\n\t\r" else "�" if unicodedata.category(char) in ("Cc", "Cf") else char for char in str(value)
    )
    return text if limit is None or len(text) <= limit else text[: limit - 1] + "…"


def line(console: Console, text: Any = "", style: str = "") -> None:
    """Print one line as it is, wrapped only by the terminal."""
    console.print(Text(plain(text), style=style), soft_wrap=True)


def show_table(
    console: Console, title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], caption: str | None = None
) -> None:
    """Print a table of plain cells; columns whose name ends in ``#`` are right-aligned numbers.

    Where the terminal is too narrow, columns of words are folded, never below ``TABLE_WORDS_WIDTH``: the table is then
    wider than the terminal.
    """
    cells = [[cell_text(value) for value in row] for row in rows]
    numbers = [column.endswith("#") for column in columns]
    # Names of numbers stand word below word: their values are narrower than they.
    names = [
        column.removesuffix("#").replace(" ", "\n") if number else column
        for column, number in zip(columns, numbers, strict=True)
    ]
    widths = [
        max(map(cell_len, [*name.split("\n"), *(row[place] for row in cells)])) for place, name in enumerate(names)
    ]
    least = [width if number else min(width, TABLE_WORDS_WIDTH) for width, number in zip(widths, numbers, strict=True)]
    gaps = len(columns) - 1
    gap = 2 if sum(least) + 2 * gaps <= console.width else 1
    made = Table(title=Text(plain(title), style="bold"), title_justify="left", caption=caption, caption_justify="left")
    made.box, made.show_edge, made.pad_edge, made.collapse_padding = box.SIMPLE_HEAD, False, False, True
    made.padding = (0, gap - 1)
    made.width = min(max(console.width, sum(least) + gap * gaps), sum(widths) + gap * gaps)
    for name, number, width in zip(names, numbers, least, strict=True):
        made.add_column(name, justify="right" if number else "left", no_wrap=number, overflow="fold", min_width=width)
    for row in cells:
        made.add_row(*map(Text, row))
    console.print(made, crop=False)


def cell_text(value: Any) -> str:
    """A value in a cell: figures to three digits, mappings as ``name=value``, None as nothing."""
    if value is None:
        return ""
    if isinstance(value, float):
        return figure(value)
    if isinstance(value, dict):
        return " ".join(
            f"{plain(name)}=({cell_text(item)})" if isinstance(item, dict) else f"{plain(name)}={cell_text(item)}"
            for name, item in value.items()
        )
    if isinstance(value, list | tuple):
        return ", ".join(cell_text(item) for item in value)
    return plain(value)
