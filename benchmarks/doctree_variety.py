"""PDFs of many kinds against facts: phrases that must be found, rotation, whether there is a text layer.

A phrase is found on its page when its letters and digits stand there one after the other, at most a tenth of them
different (scans). ``variety_phrases`` looks in the tree, ``variety_phrases_kept`` also in what the drop list keeps
(running headers and the like). A document has no text layer for us where one of its pages was taken for a picture.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.common import progress
from benchmarks.doctree_headings import fold
from benchmarks.doctree_markdown import plain_pages
from benchmarks.doctree_read import Measured, Sources
from cosee.artifacts import files
from cosee.artifacts.documents.doctree import DocTree

NEAR = 90.0
SCANNED = frozenset(("ocr", "image_only", "no_text_layer"))


def holds(text: str, phrase: str) -> bool:
    """Whether a text holds a phrase."""
    from rapidfuzz import fuzz

    wanted, given = fold(phrase), fold(text)
    return wanted in given or (len(given) >= len(wanted) and fuzz.partial_ratio(wanted, given) >= NEAR)


def dropped_text(tree: DocTree, page_idx: int) -> str:
    """What the drop list holds of a page."""
    return "\n".join(item.text for item in tree.dropped if item.page_idx == page_idx)


def read_facts(sources: Sources) -> list[tuple[dict[str, Any], Path]]:
    """The lines of ``variety/facts.jsonl`` whose PDF is there, with it."""
    folder = sources.parse / "variety"
    source = folder / "facts.jsonl"
    rows = [row for _, row in files.iter_jsonl(source)] if source.is_file() else []
    pairs = ((row, folder / row["file"]) for row in rows)
    return [(row, pdf) for row, pdf in pairs if pdf.is_file() and sources.chosen([pdf])]


def measure(sources: Sources) -> Measured:
    """Every line of ``variety/facts.jsonl`` whose PDF is there."""
    facts = read_facts(sources)
    if not facts:
        return Measured(missing={"variety_*": "no facts with their PDF in variety/"})
    rows: dict[str, dict[str, Any]] = {}
    for number, (row, pdf) in enumerate(facts, start=1):
        progress("variety", number, len(facts), row["file"])
        result = sources.read(pdf)
        rows[row["file"]] = {"kind": row["kind"], "failure": result.failure} | judge(row, result.tree, pdf)
    progress("", 0, 0, "")
    wanted = sum(row["phrases"] for row in rows.values())
    figures = {
        "variety_phrases": sum(row["in_tree"] for row in rows.values()) / max(1, wanted),
        "variety_phrases_kept": sum(row["kept"] for row in rows.values()) / max(1, wanted),
        "variety_pages_and_rotation": sum(row["pages_and_rotation"] for row in rows.values()) / len(rows),
        "variety_text_layer": sum(row["text_layer"] for row in rows.values()) / len(rows),
    }
    names = ("phrases", "in_tree", "kept", "pages_and_rotation", "text_layer")
    table = [[name, row["kind"], *(int(row[each]) for each in names)] for name, row in rows.items()]
    return Measured(figures, rows, [("Variety", ("file", "kind", *names), table)])


def judge(row: dict[str, Any], tree: DocTree | None, pdf: Path) -> dict[str, Any]:
    """What of one document's facts is true of its tree: counts of phrases, two yes or no, and the phrases missed."""
    phrases = row.get("expect_text") or []
    if tree is None:
        nothing = {"in_tree": 0, "kept": 0, "pages_and_rotation": False, "text_layer": False}
        return {"phrases": len(phrases), "missing": phrases, **nothing}
    texts = plain_pages(tree, pdf)
    missing: list[dict[str, Any]] = []
    dropped: list[dict[str, Any]] = []
    for phrase in phrases:
        page_idx = phrase["page"] - 1
        if not holds(texts[page_idx], phrase["text"]):
            kept = holds(dropped_text(tree, page_idx), phrase["text"])
            (dropped if kept else missing).append(phrase)
    rotations = [page.rotation for page in tree.pages]
    scanned = any(SCANNED & set(page.flags) for page in tree.pages)
    return {
        "phrases": len(phrases),
        "in_tree": len(phrases) - len(missing) - len(dropped),
        "kept": len(phrases) - len(missing),
        "pages_and_rotation": len(tree.pages) == row["pages"] and rotations == row["page_rotate"],
        "text_layer": scanned != row["has_text_layer"],
        "missing": missing,
        "dropped": dropped,
    }
