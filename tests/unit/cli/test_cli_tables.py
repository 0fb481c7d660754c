"""Tables in the terminal: whatever its width, no column is lost."""

import io

import pytest
from rich.console import Console

from cosee.commands.console import show_table

COLUMNS = ("method", "accuracy#", "95 %", "right on wrong pages#", "tokens in#")
ROWS = [("multi_agent_chat_no_board", 0.33057, "0.26-0.38", 0.105, 51321), ("page_rag", 1.0, None, None, 8387)]


def printed(width: int) -> list[str]:
    out = io.StringIO()
    show_table(Console(file=out, width=width), "run", COLUMNS, ROWS)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [10, 40, 60, 80, 200])
def test_every_value_stands_in_its_column_at_any_width(width: int) -> None:
    lines = printed(width)
    (row,) = (line for line in lines if line.startswith("page_rag"))
    assert row.split() == ["page_rag", "1.000", "8387"]
    (first,) = (line for line in lines if line.startswith("multi"))
    assert first.split()[1:] == ["0.331", "0.26-0.38", "0.105", "51321"]
    folded = lines[lines.index(first) + 1 : lines.index(row)]
    assert first.split()[0] + "".join(line.strip() for line in folded) == "multi_agent_chat_no_board"


def test_a_wide_terminal_folds_nothing() -> None:
    assert any(line.startswith("multi_agent_chat_no_board ") for line in printed(200))
    assert all(len(line) <= 80 for line in printed(80))
