"""Reads an export back: every node's text has to be there once, in order, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

from cosee.artifacts.documents.doctree import DocTree, Node
from cosee.export.grid import covered, merged_cells
from cosee.export.pages import node_text, own_title, with_pages


def markdown_difference(tree: DocTree, written: str) -> str | None:
    """Where the words that a Markdown reader shows are not the tree's; None where they are, one for one."""
    return _difference(_expected(tree, merged=False), _markdown_words(written))


def html_difference(tree: DocTree, written: str) -> str | None:
    """Where the words of an HTML page are not the tree's, or its nodes' elements do not stand in the tree's order, each
    once; None where all is as in the tree."""
    reader = _Reader()
    reader.feed(written)
    reader.close()
    ids = [node.id for _, node in with_pages(tree)]
    if reader.ids != ids:
        place = next((place for place, pair in enumerate(zip(ids, reader.ids, strict=False)) if pair[0] != pair[1]), -1)
        return f"{len(reader.ids)} elements for {len(ids)} nodes; they differ at {ids[place]!r}"
    return _difference(_expected(tree, merged=True), "".join(reader.text).split())


def _expected(tree: DocTree, *, merged: bool) -> list[tuple[str, str]]:
    """(node id, word) in order; a cell that spans several counts once where ``merged``, else in each of its slots."""
    return [(node.id, word) for _, node in with_pages(tree) for part in _parts(node, merged) for word in part.split()]


def _parts(node: Node, merged: bool) -> Iterator[str]:
    yield own_title(node)
    if node.latex and not merged:
        yield node.latex
        return
    if node.table is None or not node.table.rows:
        yield node_text(node)
        return
    hidden = covered(merged_cells(node.table)) if merged else set()
    for row, cells in enumerate(node.table.rows):
        for column, cell in enumerate(cells):
            if (row, column) not in hidden:
                yield cell


def _difference(expected: list[tuple[str, str]], found: list[str]) -> str | None:
    for (node_id, word), other in zip(expected, found, strict=False):
        if word != other:
            return f"{node_id}: {word!r} was to stand where {other!r} stands"
    if len(expected) > len(found):
        node_id, word = expected[len(found)]
        return f"{node_id}: {word!r} and what follows is missing"
    return f"{found[len(expected)]!r} stands behind the last node" if len(found) > len(expected) else None


def _markdown_words(written: str) -> list[str]:
    from markdown_it import MarkdownIt

    words: list[str] = []
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(written):
        if token.type in ("fence", "code_block"):
            words += token.content.split()
        # A comment is ours; any other block of HTML is left out of the words, and so is found.
        text = []
        for child in token.children or ():
            if child.type in ("text", "code_inline"):
                text.append(child.content)
            elif child.type in ("softbreak", "hardbreak", "html_inline"):
                text.append(" ")
        words += "".join(text).split()
    return words


class _Reader(HTMLParser):
    """The words of the body, and the ids of its elements."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self.ids: list[str] = []
        self._in_body = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_body = self._in_body or tag == "body"
        self.text.append(" ")
        self.ids += [value for name, value in attrs if name == "id" and value is not None]

    def handle_endtag(self, tag: str) -> None:
        self.text.append(" ")

    def handle_data(self, data: str) -> None:
        if self._in_body:
            self.text.append(data)
