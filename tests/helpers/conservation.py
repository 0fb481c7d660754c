"""The promise that nothing is lost, checked on the artifacts of one document."""

from __future__ import annotations

import unicodedata
from collections import Counter
from pathlib import Path

from cosee.adapter.adapt import unaccounted
from cosee.artifacts.content import ContentList
from cosee.artifacts.doctree import DocTree
from cosee.artifacts.layout import Layout
from cosee.enhancer.enhance import check_conservation


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

    Footnote marks on a table's numbers are no part of these, and taken off on purpose.
    """
    given = Counter(
        letter
        for page in layout.pages
        for block in page.blocks
        for line in block.lines
        for span in line.spans
        if not (block.kind == "table" and span.superscript and len(span.text.strip()) <= 3)
        for letter in _letters(span.text)
    )
    kept = Counter(letter for node in tree.nodes for letter in _letters(node.text))
    kept.update(letter for item in tree.dropped for letter in _letters(item.text))
    missing = given - kept
    return [f"letters lost: {dict(missing)}"] if missing else []


def _letters(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKC", text) if letter.isalnum())
