"""Agreement with docling's own regression files (silver: another program's output, not a truth).

Headings and captions agree when they are on the same page with the same text (letters and digits, at most a tenth of
the characters different); tables and pictures when their boxes on the same page have an intersection over union of at
least 0.5. ``docling_reading_order`` is the share of neighbouring texts of docling's body that stand in the same order
on our pages; a text that is not found counts as wrong. ``docling_ocr_*`` compares the text of scanned and rotated pages
with that of docling's tesseract run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from benchmarks.doctree_cells import Box, iou
from benchmarks.doctree_headings import NEAR, fold
from benchmarks.doctree_markdown import plain_pages
from benchmarks.doctree_ohr import compared, similarity, word_f1
from benchmarks.doctree_read import Measured, Sources, f1, mean, progress
from cosee.artifacts import files
from cosee.artifacts.documents.doctree import DocTree

Thing = tuple[int, str, Box]
"""Page from 1, text, box in 0..1 of the page as seen."""
KINDS = {"section_header": "section", "table": "table", "caption": "caption", "picture": "image"}
OVERLAP = 0.5


def read_docling(value: dict[str, Any]) -> tuple[dict[str, list[Thing]], list[str]]:
    """Things by kind, and the texts of the body in reading order."""
    things: dict[str, list[Thing]] = {kind: [] for kind in KINDS}
    for group in ("texts", "tables", "pictures"):
        for item in value[group]:
            if item["label"] in KINDS and item.get("content_layer", "body") == "body":
                things[item["label"]] += [_thing(value, item, place) for place in item["prov"][:1]]
    order = [item["text"] for item in _body(value, value["body"]) if len(fold(item.get("text") or "")) > 3]
    return things, order


def _thing(value: dict[str, Any], item: dict[str, Any], place: dict[str, Any]) -> Thing:
    size, box = value["pages"][str(place["page_no"])]["size"], place["bbox"]
    top, bottom = box["t"], box["b"]
    if box.get("coord_origin") == "BOTTOMLEFT":
        top, bottom = size["height"] - top, size["height"] - bottom
    width, height = size["width"], size["height"]
    return place["page_no"], item.get("text") or "", (box["l"] / width, top / height, box["r"] / width, bottom / height)


def _body(value: dict[str, Any], node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Texts under a node; what is inside pictures and tables is not part of the order."""
    for child in node["children"]:
        _, group, number = child["$ref"].split("/")
        item = value[group][int(number)]
        if group == "texts":
            yield item
        if group in ("texts", "groups"):
            yield from _body(value, item)


def things_of(tree: DocTree) -> dict[str, list[Thing]]:
    """The same kinds of a tree."""
    return {
        kind: [
            (node.page_idx + 1, (node.title or node.text) if kind == "section_header" else node.text, node.bbox)
            for node in tree.nodes[1:]
            if node.type == own and node.bbox and "hidden" not in node.flags
        ]
        for kind, own in KINDS.items()
    }


def agreeing(wanted: Sequence[Thing], found: Sequence[Thing], same: Callable[[Thing, Thing], bool]) -> int:
    """How many things pair up, each at most once."""
    free = list(found)
    count = 0
    for thing in wanted:
        match = next((other for other in free if other[0] == thing[0] and same(thing, other)), None)
        if match is not None:
            free.remove(match)
            count += 1
    return count


def same_text(first: Thing, second: Thing) -> bool:
    """Whether two things have the same text."""
    return similarity(fold(first[1]), fold(second[1])) >= NEAR


def same_box(first: Thing, second: Thing) -> bool:
    """Whether two things have the same box."""
    return iou(first[2], second[2]) >= OVERLAP


def order_share(order: Sequence[str], text: str) -> float | None:
    """Share of neighbours in ``order`` that stand in this order in ``text``; of repeated texts the next one counts."""
    whole, place = fold(text), 0
    places: list[int] = []
    for each in order:
        wanted = fold(each)[:80]
        found = whole.find(wanted, place)
        found = found if found >= 0 else whole.find(wanted)
        places.append(found)
        place = found if found >= 0 else place
    return mean([float(0 <= first <= second) for first, second in pairwise(places)])


def measure(sources: Sources) -> Measured:
    """All documents with a docling file, and the scanned ones with a tesseract text."""
    measured = Measured()
    _measure_layout(sources, measured)
    _measure_ocr(sources, measured)
    return measured


def _measure_layout(sources: Sources, measured: Measured) -> None:
    folder = sources.parse / "docling"
    totals = {kind: [0, 0, 0] for kind in KINDS}
    orders: list[float] = []
    documents: dict[str, Any] = {}
    paths = [path for path in sources.chosen((folder / "pdf").glob("*.pdf")) if _truth(sources, path.stem).is_file()]
    for number, pdf in enumerate(paths, start=1):
        progress("docling", number, len(paths), pdf.stem)
        wanted, order = read_docling(files.read_json(_truth(sources, pdf.stem)))
        result = sources.read(pdf, without_structure=True)
        found = things_of(result.tree) if result.tree else {kind: [] for kind in KINDS}
        text = "\n".join(plain_pages(result.tree, pdf)) if result.tree else ""
        rows: dict[str, Any] = {"failure": result.failure, "reading_order": order_share(order, text)}
        if rows["reading_order"] is not None:
            orders.append(rows["reading_order"])
        for kind in KINDS:
            same = same_text if kind in ("section_header", "caption") else same_box
            row = (agreeing(wanted[kind], found[kind], same), len(found[kind]), len(wanted[kind]))
            totals[kind] = [a + b for a, b in zip(totals[kind], row, strict=True)]
            rows[kind] = {
                "agreeing": row[0],
                "found": [[page, words[:80]] for page, words, _ in found[kind]],
                "wanted": [[page, words[:80]] for page, words, _ in wanted[kind]],
            }
        documents[pdf.stem] = rows
    progress("", 0, 0, "")
    if not documents:
        measured.missing["docling_*"] = "no PDF with its file in docling/groundtruth"
        return
    for kind, (both, found_count, wanted_count) in totals.items():
        if wanted_count:
            measured.figures[f"docling_{kind}_f1"] = f1(both, found_count, wanted_count)
    average = mean(orders)
    if average is not None:
        measured.figures["docling_reading_order"] = average
    measured.detail["layout"] = documents
    rows_shown: list[list[str | float | int | None]] = [
        [kind, f1(*row) if row[2] else None, *row] for kind, row in totals.items()
    ]
    measured.tables.append(("Agreement with docling (silver)", ("kind", "f1", "both", "found", "wanted"), rows_shown))


def _truth(sources: Sources, stem: str) -> Any:
    return sources.parse / "docling" / "groundtruth" / f"{stem}.json"


def _measure_ocr(sources: Sources, measured: Measured) -> None:
    folder = sources.parse / "docling"
    rows: dict[str, tuple[float, float]] = {}
    for pdf in sources.chosen((folder / "ocr_pdf").glob("*.pdf")):
        truth = next(iter(sorted((folder / "ocr_groundtruth_tesseract").glob(f"{pdf.stem}.*md"))), None)
        if truth is None:
            continue
        result = sources.read(pdf)
        ours = compared("\n".join(plain_pages(result.tree, pdf)) if result.tree else "")
        wanted = compared(truth.read_text(encoding="utf-8"))
        rows[pdf.stem] = (similarity(wanted, ours), word_f1(wanted, ours))
    if not rows:
        measured.missing["docling_ocr_*"] = "no scan with its text in docling/ocr_pdf"
        return
    for n, name in enumerate(("docling_ocr_similarity", "docling_ocr_word_f1")):
        measured.figures[name] = sum(row[n] for row in rows.values()) / len(rows)
    measured.detail["ocr"] = rows
