"""The tree as one HTML file: its figures in it, no script, nothing fetched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from cosee.artifacts.documents.content import TableData
from cosee.artifacts.documents.doctree import DocTree, Node
from cosee.export.figures import alternative
from cosee.export.grid import covered, merged_cells
from cosee.export.pages import node_text, own_title, why_unread, with_pages

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
STYLE = """
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 Georgia, serif; color: #1c1c1c;
       overflow-wrap: break-word; }
h1, h2, h3, h4, h5, h6, .page, .caption, table, .figure { font-family: system-ui, sans-serif; line-height: 1.25; }
.page { border: 0; border-top: 1px solid #bbb; margin: 2rem 0 1rem; height: 1.2rem; }
.page::before { content: "page " attr(data-page); font-size: .75rem; color: #666; }
figure { margin: 1rem 0; } img { max-width: 100%; } .equation img { zoom: .75; }
.figure { font-size: .8rem; color: #555; white-space: pre-line; }
.caption, .footnote { font-size: .9rem; color: #444; } ul { list-style: none; padding-left: 1rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; }
td, th { border: 1px solid #bbb; padding: .2rem .5rem; text-align: left; vertical-align: top; white-space: pre-line; }
th { background: #f1f1f1; } pre { background: #f6f6f6; padding: .6rem; overflow-x: auto; }
.unread { border-left: 4px solid #b00; padding-left: .6rem; color: #777; }
.unread::before { content: "not to be read on the page: " attr(data-why); font: .75rem system-ui; color: #b00; }
"""


def html_page(tree: DocTree, figure: Callable[[Node], Sequence[str]]) -> str:
    """The document; ``figure`` gives the addresses of a node's pictures. Each node's element has the node's id.

    Text that its page does not show stands in a box that says so.
    """
    title = escape(tree.title or tree.doc_id)
    language = f' lang="{escape(tree.language)}"' if tree.language else ""
    parts = [
        f'<!doctype html>\n<html{language}>\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{title}</title>\n<style>{STYLE}</style>\n'
        "</head>\n<body>"
    ]
    for page, node in with_pages(tree):
        if page is not None:
            parts.append(f'<hr class="page" data-page="{page}">')
        body = _body(node, [_image(address, node) for address in figure(node)])
        why = why_unread(node)
        parts.append(f'<div class="unread" data-why="{escape(why)}">{body}</div>' if why else body)
    return "\n".join([*parts, "</body>\n</html>\n"])


def _image(address: str, node: Node) -> str:
    return f'<img src="{escape(address)}" alt="{escape(alternative(node))}">'


def _body(node: Node, images: list[str]) -> str:
    name, text = escape(node.id), node_text(node)
    title = own_title(node)
    caption = f"<figcaption>{escape(title)}</figcaption>" if title else ""
    if node.table is not None and node.table.rows:
        table = f'<div class="scroll"><table>{_rows(node.table)}</table></div>'
        return f'<figure id="{name}">{"".join(images)}{caption}{table}</figure>'
    if node.type in ("image", "table"):
        words = f'<div class="figure">{escape(text)}</div>' if text else ""
        return f'<figure id="{name}">{"".join(images)}{caption}{words}</figure>'
    if node.type == "section":
        level = min(max(node.level, 1), 6)
        return f'<h{level} id="{name}">{escape(text)}</h{level}>'
    if node.type == "code":
        return f'<pre id="{name}">\n{escape(text)}</pre>'
    if node.type in ("list", "toc"):
        items = "".join(f"<li>{escape(line)}</li>" for line in text.splitlines() if line.strip())
        return f'<ul id="{name}" class="{node.type}">{items}</ul>'
    latex = f' data-latex="{escape(node.latex)}"' if node.latex else ""
    shown = "".join(f"{image}<br>" for image in images)
    return f'<p id="{name}" class="{node.type}"{latex}>{shown}{"<br>".join(escape(text).splitlines())}</p>'


def _rows(table: TableData) -> str:
    spans = merged_cells(table)
    hidden, wide = covered(spans), {(span.row, span.column): span for span in spans}
    lines = []
    for number, row in enumerate(table.rows):
        tag = "th" if number < table.header_rows else "td"
        cells = []
        for column, text in enumerate(row):
            if (number, column) in hidden:
                continue
            span = wide.get((number, column))
            size = f' rowspan="{span.rows}" colspan="{span.columns}"' if span else ""
            cells.append(f"<{tag}{size}>{escape(text)}</{tag}>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "".join(lines)
