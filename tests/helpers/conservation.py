"""The promise that nothing is lost, checked on the artifacts of one document."""

from __future__ import annotations

import unicodedata
from collections import Counter
from pathlib import Path

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.layout import Layout, LayoutBlock
from cosee.parse.content.adapt import unaccounted
from cosee.structure.enhance import check_conservation


def conservation_problems(folder: Path) -> list[str]:
    """What is neither in a node nor in the drop list, in words; ``folder`` holds the artifacts of M0 and M1."""
    layout = Layout.load(folder / "layout.json")
    adapted = ContentList.load(folder / "content_list.adapted.json")
    enhanced = ContentList.load(folder / "content_list.enhanced.json")
    tree = DocTree.load(folder / "doctree.mm.json")
    problems = [f"block {block} is in no item and not dropped" for block in unaccounted(layout.block_ids, adapted)]
    problems += check_conservation(adapted, enhanced)
    held = Counter(item_id for node in tree.nodes for item_id in node.item_ids)
    held.update(item.id for item in tree.dropped)
    given = Counter(item.id for item in [*adapted.items, *adapted.dropped])
    problems += [f"{item_id} is {held[item_id]} times in tree and drop list" for item_id in given if held[item_id] != 1]
    problems += [f"{item_id} comes from nowhere" for item_id in held if item_id not in given]
    if len(tree.nodes) - 1 + len(tree.dropped) != len(adapted.items) + len(adapted.dropped):
        problems.append("nodes and dropped items are not as many as the items of M0")
    return problems + _lost_text(layout, tree)


def _lost_text(layout: Layout, tree: DocTree) -> list[str]:
    """Letters and digits that blocks have and neither nodes nor the drop list.

    Footnote marks on a table's numbers are taken off on purpose, and so is a header that stands again over a second set
    of the same columns.
    """
    given = Counter(
        letter for page in layout.pages for block in page.blocks for text in _texts(block) for letter in _letters(text)
    )
    kept = Counter(letter for node in tree.nodes for letter in _letters(node.text))
    kept.update(letter for item in tree.dropped for letter in _letters(item.text))
    missing = given - kept
    return [f"letters lost: {dict(missing)}"] if missing else []


def _texts(block: LayoutBlock) -> list[str]:
    spans = [span for line in block.lines for span in line.spans]
    if block.kind != "table":
        return [span.text for span in spans]
    header = {_letters(cell) for row in (block.rows or [])[:1] for cell in row}
    texts = [span.text for span in spans if not (span.superscript and len(span.text.strip()) <= 3)]
    return [
        text
        for n, text in enumerate(texts)
        if _letters(text) not in header or text.strip() not in map(str.strip, texts[:n])
    ]


def _letters(text: str) -> str:
    """Letters and digits without their marks, which a span may hold apart from them."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(char for char in decomposed if char.isalnum() and unicodedata.category(char) != "Lm")
