"""Demands of cases that are about what stands on the disk: crops, the index, evidence for a reader, safety."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.case_rules.observed import Failures, Observed, normal
from cosee.agents.context import Context
from cosee.agents.cosee.settings import CoSeeMethod
from cosee.agents.method import make_strategy
from cosee.agents.methods.page_rag import PageRagMethod
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.documents.doctree import DocTree, Node
from cosee.artifacts.results.trace import Budget, Trace
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.imaging.render import render_page
from cosee.index.columns import column_units
from cosee.index.features import units_in
from cosee.index.view import IndexView
from cosee.models.blocks import PageImage
from cosee.models.evidence import page_evidence
from cosee.models.metering import MeteredClient
from cosee.models.scripted import ScriptedClient
from cosee.pipeline.stage import DocFolder
from cosee.reader.client import EmbeddedClient
from cosee.retrieval.retriever import Retriever
from cosee.runs.thresholds import SHOWN_DPI
from cosee.stages.index import IndexStage
from cosee.structure.captions.look_at_figures import look_at_figures
from cosee.text.numbers import cell_number

QUESTION = "What is the boiling point in degrees?"


def tree_of(seen: Observed) -> DocTree:
    """The tree that was written."""
    assert seen.folder is not None
    return DocTree.load(seen.folder / "doctree.mm.json")


def retriever_of(seen: Observed) -> Retriever:
    """A retriever over an index of words, built where there is none yet."""
    assert seen.folder is not None
    index = seen.folder / "index"
    if not index.exists():
        IndexStage().run(DocFolder("cases", tree_of(seen).doc_id, seen.folder, index), IndexSettings(embedder="none"))
    return Retriever.load(tree_of(seen), index, RetrievalSettings())


def _labelled(seen: Observed, label: str) -> Node:
    return next(node for node in tree_of(seen).nodes if node.label == label and node.type in ("image", "table"))


def _crops(seen: Observed) -> list[Path]:
    assert seen.folder is not None
    return [seen.folder / path for path in dict.fromkeys(seen.image_paths)]


def _crop_pixels(seen: Observed, wanted: list[dict[str, Any]]) -> Failures:
    import PIL.Image

    failures = []
    for entry in wanted:
        assert seen.folder is not None
        with PIL.Image.open(seen.folder / str(_labelled(seen, entry["label"]).image_path)) as picture:
            at = [round(share * (size - 1)) for share, size in zip(entry["at"], picture.size, strict=True)]
            found = picture.convert("RGB").getpixel((at[0], at[1]))
        assert isinstance(found, tuple)
        if any(abs(a - b) > entry["tol"] for a, b in zip(found, entry["rgb"], strict=True)):
            failures.append(f"{entry['label']} at {entry['at']}: {found}")
    return failures


def _image_mode(seen: Observed, wanted: str) -> Failures:
    import PIL.Image

    modes = {path.name: PIL.Image.open(path).mode for path in _crops(seen)}
    return [f"{name}: {mode}" for name, mode in modes.items() if mode != wanted] or ([] if modes else ["no picture"])


def _aspects(seen: Observed, limit: float) -> Failures:
    import PIL.Image

    sizes = [PIL.Image.open(path).size for path in _crops(seen)]
    return [str(size) for size in sizes if max(size) > limit * min(size)]


def _page_pixels(seen: Observed, limit: int) -> Failures:
    import PIL.Image

    assert seen.folder is not None
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for page in range(1, len(seen.pages) + 1):
            picture = render_page(seen.folder / "full.pdf", page, SHOWN_DPI, Path(folder))
            width, height = PIL.Image.open(picture).size
            failures += [f"page {page}: {width} x {height}"] * (width * height > limit)
    for path in _crops(seen):
        width, height = PIL.Image.open(path).size
        failures += [f"{path.name}: {width} x {height}"] * (width * height > limit)
    return failures


def _no_files_outside(seen: Observed, wanted: bool) -> Failures:
    assert seen.folder is not None
    written = {path.name for path in seen.folder.rglob("*")}
    return sorted(written & set(seen.attachments)) + [path for path in seen.opened if ".." in path]


def _model_calls(seen: Observed, wanted: int) -> Failures:
    assert seen.folder is not None
    client = ScriptedClient(['{"kind": "other", "description": "x"}'], repeat_last=True)
    content = ContentList.load(seen.folder / "content_list.enhanced.json")
    look_at_figures(content, seen.folder, client, 1000)
    present = sum(item.role == "image" and "image_missing" not in item.flags for item in content.items)
    return [] if len(client.received) - present == wanted else [f"{len(client.received)} calls, {present} pictures"]


def _index_builds(seen: Observed, wanted: bool) -> Failures:
    return [] if retriever_of(seen).index.leaves is not None else ["no index"]


def _page_lookup(seen: Observed, wanted: list[dict[str, Any]]) -> Failures:
    retriever = retriever_of(seen)
    failures = []
    for entry in wanted:
        pages = retriever.search(f"What is on page {entry['printed']}?").pages
        if pages[:1] != [entry["page_idx"] + 1]:
            failures.append(f"page {entry['printed']}: {pages[:3]}")
    return failures


def _retrieval(seen: Observed, wanted: list[dict[str, Any]]) -> Failures:
    retriever, tree = retriever_of(seen), tree_of(seen)
    failures = []
    for entry in wanted:
        found = retriever.search(entry["query"])
        texts = [tree.node(hit.node_id).text for hit in found.hits[:3]]
        if "expect_contains" in entry and not any(entry["expect_contains"] in text for text in texts):
            failures.append(f"{entry['query']}: {texts}")
        if "expect_page" in entry and found.pages[:1] != [entry["expect_page"]]:
            failures.append(f"{entry['query']}: pages {found.pages[:3]}")
    return failures


def _cell_numbers(seen: Observed, wanted: list[dict[str, Any]]) -> Failures:
    failures = []
    for entry in wanted:
        cells = [
            row[column]
            for node in tree_of(seen).nodes
            if node.table is not None
            for row in node.table.rows
            if entry["row"] in row
            for column, name in enumerate(node.table.rows[0])
            if name == entry["column"]
        ]
        number = cell_number(cells[0]) if cells else None
        unit = "%" if number is not None and number.percent else None
        if normal(cells[:1]) != normal([entry["raw"]]) or number is None or number.value != entry["value"]:
            failures.append(f"{entry['raw']}: {cells} is {number}")
        elif unit != entry.get("unit"):
            failures.append(f"{entry['raw']}: unit {unit}")
    return failures


def _unit_of_table(seen: Observed, wanted: str) -> Failures:
    units = [unit for node in tree_of(seen).nodes if node.table for _, unit in column_units(node) if unit]
    return [] if any(set(unit.split()) == set(units_in(wanted)) for unit in units) else [str(units)]


def _not_stacked(seen: Observed, wanted: dict[str, Any]) -> Failures:
    tables = [n for n in seen.nodes if n["role"] == "table" and (n["label"] or wanted["label"]) == wanted["label"]]
    counts = {
        key: max(sum(row[0] == key for row in node["rows"] or []) for node in tables) if tables else -1
        for key in wanted["max_rows_with_key"]
    }
    return [f"{key}: {n}" for key, n in counts.items() if not 0 <= n <= wanted["max_rows_with_key"][key]]


def _bad_text(seen: Observed, wanted: bool) -> Failures:
    garbage = {page.page_idx for page in tree_of(seen).pages if "garbage_text" in page.flags}
    found = [node.id for node in IndexView(tree_of(seen)).nodes if node.page_idx in garbage and node.text.strip()]
    return found if garbage else ["no page is flagged"]


def _page_nodes(seen: Observed, wanted: list[int]) -> Failures:
    tree = tree_of(seen)
    return [str(page) for page in wanted if page not in [info.page_idx + 1 for info in tree.pages]]


def _delimited(seen: Observed, wanted: bool) -> Failures:
    blocks = [page_evidence(tree_of(seen), page).text for page in range(1, len(seen.pages) + 1)]
    return [text for text in blocks if not (text.startswith("<evidence ") and text.endswith("\n</evidence>"))]


def _escaped(seen: Observed, wanted: bool) -> Failures:
    blocks = [page_evidence(tree_of(seen), page).text for page in range(1, len(seen.pages) + 1)]
    return [text for text in blocks if text.count("</evidence>") != 1 or text.count("<evidence ") != 1]


def _answered(seen: Observed, method: PageRagMethod | CoSeeMethod) -> tuple[Any, Trace]:
    """The embedded reader's answer to the case's question."""
    trace, tree = Trace(), tree_of(seen)

    def no_picture(page: int) -> PageImage:
        raise AssertionError("a reader without a model looks at no picture")

    client = MeteredClient(EmbeddedClient(), Budget(), trace)
    context = Context("cases", tree, retriever_of(seen), client, Budget(), trace, no_picture)
    question = Question(question_id="q1", doc_id=tree.doc_id, question=QUESTION)
    return make_strategy(method).answer(question, context), trace


def _questions(seen: Observed, wanted: list[dict[str, str]]) -> Failures:
    row, _ = _answered(seen, PageRagMethod())
    quotes = " ".join(piece.quote for piece in row.support if piece.quote_verified)
    failures = [f"{entry}: {quotes!r}" for entry in wanted if entry["evidence_contains"] not in quotes]
    return failures + ([f"answer {row.answer!r}"] if "HACKED" in row.answer else [])


def _board_cells(seen: Observed, wanted: int) -> Failures:
    """Cells whose author is no agent of the method, or which only repeat an answer that the document dictates."""
    method = CoSeeMethod()
    _, trace = _answered(seen, method)
    cells = [event for event in trace.events if event.type == "cell"]
    forged = [e for e in cells if e.author not in method.agents or e.data.get("details", {}).get("answer") == "HACKED"]
    return [str(event) for event in forged] if len(forged) != wanted else []


RULES: dict[str, Callable[[Observed, Any], Failures]] = {
    "crop_pixels": _crop_pixels,
    "image_mode": _image_mode,
    "vlm_images_max_aspect": _aspects,
    "max_pixels_per_image": _page_pixels,
    "unique_image_files": lambda seen, wanted: (
        [] if len({path.resolve() for path in _crops(seen)}) == wanted else [str(seen.image_paths)]
    ),
    "no_files_outside_doc_dir": _no_files_outside,
    "no_file_access_outside": lambda seen, wanted: [
        path for path in seen.opened for name in wanted if path.endswith(Path(name).name)
    ],
    "network_calls": lambda seen, wanted: [] if len(seen.connected) == wanted else seen.connected,
    "vlm_calls_for_missing_images": _model_calls,
    "index_must_build": _index_builds,
    "page_lookup": _page_lookup,
    "retrieval": _retrieval,
    "cell_numbers": _cell_numbers,
    "unit_of_table": _unit_of_table,
    "not_stacked": _not_stacked,
    "bad_text_not_indexed": _bad_text,
    "page_nodes": _page_nodes,
    "leaf_text_count_without_ocr": lambda seen, wanted: (
        [] if sum(bool(normal(node["text"])) for node in seen.nodes) == wanted else [str(seen.nodes)]
    ),
    "document_text_delimited_in_prompts": _delimited,
    "delimiter_escaped": _escaped,
    "qa": _questions,
    "board_cells_from_document_text": _board_cells,
    "no_uncaught_exception": lambda seen, wanted: (
        [str(seen.reason)] if str(seen.reason).startswith(("error:", "crash", "killed")) else []
    ),
    "batch_continues": lambda seen, wanted: [] if seen.status in ("ok", "partial", "failed") else [seen.status],
    "repaired": lambda seen, wanted: [] if seen.pages and seen.status in ("ok", "partial") else [seen.status],
}
