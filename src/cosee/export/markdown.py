"""The tree as Markdown: CommonMark with the tables of GitHub's."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from cosee.artifacts.documents.content import TableData
from cosee.artifacts.documents.doctree import DocTree, Node
from cosee.export.figures import alternative
from cosee.export.pages import node_text, own_title, why_unread, with_pages

# General knowledge: what CommonMark and GitHub's Markdown read as markup inside a line, and at the start of one.
_INLINE = re.compile(r"[\\`*\[\]~$]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=#|[A-Za-z][A-Za-z0-9]*;)")
_START = re.compile(r"(#{1,6}(?=\s|$)|>|[-+](?=\s|$)|=+$|[-:|\s]+$)")
_COUNT = re.compile(r"\d{1,9}[.)](?=\s|$)")
LINES = ("list", "toc", "footnote", "equation")
"""Types whose lines are lines of their own."""


def escaped(text: str) -> str:
    """Text of a document so that Markdown shows it as it is; lines stay lines, blanks around them go."""
    return "\n".join(_escaped_line(line) for line in text.splitlines())


def _escaped_inline(line: str) -> str:
    return _INLINE.sub(lambda match: "\\" + match[0], line.strip())


def _escaped_line(line: str) -> str:
    line = _escaped_inline(line)
    if _COUNT.match(line):
        return re.sub(r"[.)]", lambda match: "\\" + match[0], line, count=1)
    return "\\" + line if _START.match(line) else line


def markdown(tree: DocTree, figure: Callable[[Node], Sequence[str]]) -> str:
    """The document; ``figure`` gives the addresses of a node's pictures, relative to the file; it is not asked for
    those of a formula in LaTeX, which is drawn from that.

    Pages begin with a comment. Text that its page does not show stands in a quotation under a comment that says so.
    """
    parts: list[str] = []
    for page, node in with_pages(tree):
        if page is not None:
            parts.append(f"<!-- page {page} -->")
        addresses = () if node.latex else figure(node)
        parts += [f"![{_one_line(alternative(node))}](<{address}>)" for address in addresses]
        if title := own_title(node):
            parts.append(_one_line(title))
        body = _body(node)
        if not body:
            continue
        if why := why_unread(node):
            parts.append(f"<!-- not to be read on the page: {why} -->")
            body = "\n".join(f"> {line}" for line in body.split("\n"))
        parts.append(body)
    return "\n\n".join(parts) + "\n"


def _body(node: Node) -> str:
    text = node_text(node)
    if node.table is not None and node.table.rows:
        return _table(node.table)
    if not text.strip():
        return ""
    if node.type == "section":
        return f"{'#' * min(max(node.level, 1), 6)} {_heading(text)}"
    if node.type == "code":
        return _fenced(text)
    if node.latex:
        return _fenced(node.latex, "math")
    lines = [line for line in escaped(text).split("\n") if line]
    return ("\\\n" if node.type in LINES else "\n").join(lines)


def _heading(text: str) -> str:
    line = _one_line(text)
    return re.sub(r"(?<=\s)(#+)$", lambda match: "\\" + match[0], line)


def _one_line(text: str) -> str:
    return _escaped_line(" ".join(text.split()))


def _fenced(text: str, language: str = "") -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([fence + language, *text.splitlines(), fence])


def _table(table: TableData) -> str:
    """Every cell in its place, one that spans several repeated: a table of Markdown has no merged cells."""
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    width = len(rows[0])
    header = rows[0] if table.header_rows else [""] * width
    body = rows[1:] if table.header_rows else rows
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, ["---"] * width, *body))


def _cell(text: str) -> str:
    return "<br>".join(_escaped_inline(line).replace("|", "\\|") for line in text.splitlines())
