"""Tables as CSV: every cell as the document has it, none that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from cosee.artifacts import files
from cosee.artifacts.documents.doctree import DocTree, Node

# General knowledge: what a spreadsheet takes for the beginning of a formula, in ASCII and in full width.
_FORMULA = re.compile(r"['\s]*[=+\-@＝＋－＠]|'*[\t\r]")
_NUMBER = re.compile(r"[-+]?[$€£¥]?\s?(?:\d[\d.,  \u2009\u202f]*|\.\d+)\s?[%$€£¥]?|-\s?[%$€£¥]?")
"""What begins with a sign and is no formula: a number as it is written anywhere, and the dash of an empty cell."""


def tables_of(tree: DocTree) -> list[Node]:
    """The tables whose cells were read, in the document's order."""
    return [node for node in tree.of_type("table") if node.table is not None and node.table.rows]


def file_name(node: Node) -> str:
    """``page-008-tab_114.csv``."""
    return f"page-{node.page_idx + 1:03}-{files.safe_name(node.id)}.csv"


def reads_as_formula(text: str) -> bool:
    """Whether a spreadsheet that opens a file with this cell would take it for a formula.

    Numbers are not among them (``-5.2``, ``+3 %``), nor is a dash alone.
    """
    return bool(_FORMULA.match(text)) and not _NUMBER.fullmatch(text)


def csv_table(rows: Sequence[Sequence[str]]) -> str:
    """The rows as RFC 4180 has it. A cell that would be run gets an apostrophe in front: it is shown as text then."""
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerows([f"'{cell}" if reads_as_formula(cell) else cell for cell in row] for row in rows)
    return written.getvalue()


def read_csv_table(text: str) -> list[list[str]]:
    """The rows that ``csv_table`` wrote, the apostrophes that it set taken away."""
    found = csv.reader(io.StringIO(text, newline=""))
    return [
        [cell[1:] if cell.startswith("'") and reads_as_formula(cell[1:]) else cell for cell in row] for row in found
    ]
