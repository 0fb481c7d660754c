"""Reads the documents of a folder of cases with M0 and M1 and judges each one: ``cosee`` against ``expected.json``.

python -m benchmarks.cases --cases FOLDER [--only NAME ...] [--json FILE]
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.case_check import check
from benchmarks.case_rules.observed import Failures, Observed, normal
from benchmarks.common import ROOT, print_table, write_report
from benchmarks.doctree_markdown import page_markdown
from benchmarks.doctree_read import read_document
from cosee.artifacts import files
from cosee.artifacts.documents.content import ContentList, DroppedItem
from cosee.artifacts.documents.doctree import DocTree, Node
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.index.references import LabelIndex
from cosee.index.view import IndexView
from cosee.parse.mineru.content_list import warnings_of
from cosee.pipeline.isolation import Limits, run_isolated
from cosee.pipeline.stage import DocFolder, StageResult
from cosee.text.mentions import mentions
from cosee.text.tokens import analyze

LIMITS = Limits(seconds=240.0, memory_mb=4000)
JOB_RSS_MB = 80.0
"""What the process of a job holds before it reads a document."""
KINDS = ("pdf", "content_list")
FURNITURE = ("header", "footer", "page_number", "rotated", "margin", "watermark")
_ROLES = {"section": "heading", "image": "figure"}
_PAGE_FLAGS = {"garbage_text": "bad_text_layer"}


@dataclass
class Case:
    """One case: its demands, and after ``run`` what failed."""

    folder: Path
    kind: str
    severity: str
    expect: dict[str, Any]
    failing: dict[str, Failures] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name


def read_cases(folder: Path) -> list[Case]:
    """The cases below ``folder`` that M0 and M1 answer for, by name."""
    cases = []
    for path in sorted(folder.glob("*/expected.json")):
        row = files.read_json(path)
        if row["kind"] in KINDS:
            cases.append(Case(path.parent, row["kind"], row["severity"], row["expect"]))
    return cases


def run(case: Case, work: Path) -> Observed:
    """Read the case's document in a child process below ``work`` (an empty folder) and judge it."""
    if case.kind == "pdf":
        shutil.copyfile(case.folder / "input.pdf", work / "full.pdf")
        seen = _read(case, work)
        if "peak_rss_growth_vs_120_pages_max" in case.expect:
            seen.growth = seen.peak_rss_mb / _peak_of_first_pages(case, 120)
    else:
        first, *others = sorted(case.folder.glob("content_list*.json"), key=lambda path: "empty" in path.name)
        _place_mineru(first, work)
        seen = _read(case, work)
        for path in others:
            with tempfile.TemporaryDirectory() as folder:
                _place_mineru(path, Path(folder))
                seen.others.append(_read(case, Path(folder)))
    case.failing = check(case.expect, seen)
    return seen


def _read(case: Case, work: Path) -> Observed:
    doc = DocFolder("cases", case.name, work, work)
    held_before = _rss_mb()
    outcome = next(iter(run_isolated([(case.name, lambda: _stages(doc))], LIMITS, 1)))
    if outcome.result is not None:
        seen = observe(doc, outcome.result.status, outcome.result.reason)
    else:
        seen = Observed("failed", outcome.failure.reason if outcome.failure else None)
    # The child begins with all that this process holds, which may be far more than a job's process does.
    inherited = max(0.0, held_before - JOB_RSS_MB)
    report = work / "audit.json"
    if report.is_file():
        audit = files.read_json(report)
        seen.opened, seen.connected = audit["opened"], audit["connected"]
    seen.seconds, seen.peak_rss_mb = outcome.seconds, outcome.peak_rss_mb - inherited
    return seen


def _peak_of_first_pages(case: Case, count: int) -> float:
    import pymupdf

    with tempfile.TemporaryDirectory() as folder:
        with pymupdf.open(case.folder / "input.pdf") as document:
            document.select(range(count))
            document.save(Path(folder) / "full.pdf")
        return _read(case, Path(folder)).peak_rss_mb


def _rss_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _place_mineru(path: Path, work: Path) -> None:
    """MinerU's list, and the layout it was made from, beside a PDF of empty pages, as many as the list speaks of."""
    import pymupdf

    raw = files.read_json(path)
    with pymupdf.open() as document:
        for _ in range(max([entry.get("page_idx", 0) for entry in raw], default=0) + 1):
            document.new_page(width=1000, height=1000)
        document.save(work / "full.pdf")
    (work / "mineru").mkdir()
    shutil.copyfile(path, work / "mineru" / "content_list.json")
    if (path.parent / "layout.json").is_file():
        shutil.copyfile(path.parent / "layout.json", work / "mineru" / "layout.json")


def _stages(doc: DocFolder) -> StageResult:
    """All three stages; the first that is not ``ok`` gives the reason, as a batch run would show it."""
    opened, connected = _audited(doc.data)
    results = read_document(doc, AdaptSettings(ocr="none"))
    files.write_json(doc.data / "audit.json", {"opened": sorted(opened), "connected": sorted(connected)})
    worst = next((result for result in results if result.status != "ok"), results[-1])
    return StageResult(outputs=[], status=worst.status, reason=worst.reason, message=worst.message)


def _audited(folder: Path) -> tuple[set[str], set[str]]:
    """Sets that fill, from here on in this process, with files opened beyond ``folder`` and addresses connected to."""
    opened: set[str] = set()
    connected: set[str] = set()
    software = (sys.prefix, sys.base_prefix, str(ROOT), str(folder), "/proc/", "/sys/", "/dev/", "/etc/", "/usr/")

    def listen(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect":
            connected.add(str(arguments[1]))
        elif event == "open" and isinstance(arguments[0], str | bytes):
            path = str(Path(os.fsdecode(arguments[0])).absolute())
            if not path.startswith(software) or ".." in os.fsdecode(arguments[0]).split("/"):
                opened.add(os.fsdecode(arguments[0]))

    sys.addaudithook(listen)
    return opened, connected


def observe(doc: DocFolder, status: str, reason: str | None) -> Observed:
    """The tree of a document in the neutral form."""
    tree = DocTree.load(doc.data / "doctree.mm.json")
    adapted = ContentList.load(doc.data / "content_list.adapted.json")
    view = IndexView(tree)
    texts = [" ".join((node.text, node.title or "")) for node in view.nodes]
    terms = {term for text in texts for term in analyze(text)}
    pictures = {item.id for item in adapted.items if item.role == "image"}
    strips = {item.id for item in adapted.dropped if item.reason == "merged"}

    def is_indexed(word: str) -> bool:
        wanted = analyze(word)
        return bool(wanted) and set(wanted) <= terms

    return Observed(
        status,
        reason,
        pages=[_page(tree, page_idx) for page_idx in range(len(tree.pages))],
        nodes=[_node(tree, node, pictures, strips) for node in tree.nodes[1:] if _shown(node)],
        refs=list(_refs(view)),
        furniture=[item.text for item in tree.dropped if item.reason in FURNITURE],
        labels=tree.labels,
        attachments=adapted.attachments,
        indexed_text=normal(" ".join(texts)),
        is_indexed=is_indexed,
        warnings=list(warnings_of(adapted)),
        dropped=[_dropped(tree, item) for item in tree.dropped if item.reason != "merged"],
        problems=tree.quality.problems,
        image_paths=[node.image_path for node in tree.nodes if node.image_path],
        folder=doc.data,
        orders={
            "content_list": normal(" ".join(str(entry.get("text") or "") for entry in _mineru_list(doc))),
            "doctree": normal(" ".join(node.text for node in tree.nodes)),
            "markdown": normal(" ".join(page_markdown(tree, page_idx) for page_idx in range(len(tree.pages)))),
        },
    )


def _mineru_list(doc: DocFolder) -> list[dict[str, Any]]:
    path = doc.data / "content_list.json"
    return list(files.read_json(path)) if path.is_file() else []


def _dropped(tree: DocTree, item: DroppedItem) -> dict[str, Any]:
    page = tree.pages[item.page_idx]
    x0, y0, x1, y1 = item.bbox or (0.0, 0.0, 0.0, 0.0)
    box = [x0 * page.width, y0 * page.height, x1 * page.width, y1 * page.height]
    return {"reason": item.reason, "page": item.page_idx + 1, "bbox": box, "text": item.text}


def _shown(node: Node) -> bool:
    """Whether a reader of the tree sees the node; a caption is seen with its figure or table."""
    return "hidden" not in node.flags and not (node.type == "caption" and node.caption_of)


def _page(tree: DocTree, page_idx: int) -> dict[str, Any]:
    page = tree.pages[page_idx]
    flags = [_PAGE_FLAGS.get(flag, flag) for flag in page.flags]
    hidden = any("hidden" in node.flags and node.page_idx == page_idx for node in tree.nodes)
    hidden = hidden or any(item.reason == "hidden" and item.page_idx == page_idx for item in tree.dropped)
    if hidden:
        flags.append("hidden_text")
    return {"w": page.width, "h": page.height, "label": page.page_label, "flags": flags}


def _node(tree: DocTree, node: Node, pictures: set[str], strips: set[str]) -> dict[str, Any]:
    page, section = tree.pages[node.page_idx], tree.section_of(node.id)
    scale = (page.width, page.height, page.width, page.height)
    # A figure is one of its panels; a picture in strips is all of them.
    parts = [member for member in node.members if member in strips]
    parts = parts or [node.id, *(member for member in node.members if member in pictures)]
    return {
        "id": node.id,
        "role": "paragraph" if node.type == "caption" else _ROLES.get(node.type, node.type),
        "text": node.text,
        "page": node.page_idx + 1,
        "level": node.level,
        "label": node.label,
        "caption": node.title if node.type in ("image", "table") else None,
        "bbox": [value * factor for value, factor in zip(node.bbox, scale, strict=True)] if node.bbox else None,
        "rows": node.table.rows if node.table else None,
        "header_rows": node.table.header_rows if node.table else None,
        "pictures": node.table.pictures if node.table else [],
        "members": parts if len(parts) > 1 else [],
        "section": section.title if section else None,
        "parent": node.parent,
        "flags": node.flags,
        "page_span": [page_idx + 1 for page_idx in node.page_span],
    }


def _refs(view: IndexView) -> Sequence[dict[str, Any]]:
    labels = LabelIndex(view.tree, view.nodes)
    found = []
    for node in view.leaves:
        for mention in mentions(node.text):
            targets = [view.tree.node(node_id) for node_id in labels.resolve(mention, node)[:1]]
            named = {"label": targets[0].label, "caption": targets[0].title} if targets else {}
            # "Figs. 4-7" may be one label of a chapter or four; here it is what the document carries.
            if targets or "-" not in mention.number:
                found.append({"src_text": node.text, "number": mention.number, **named})
    return found


def main() -> int:
    """Run the cases and print the table; returns 0 (what fails is in the table)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, required=True, help="folder of cases")
    parser.add_argument("--only", nargs="*", help="names of the cases to run")
    parser.add_argument("--json", type=Path, help="where the figures are written")
    arguments = parser.parse_args()
    cases = [case for case in read_cases(arguments.cases) if not arguments.only or case.name in arguments.only]
    rows: list[list[str | float | int | None]] = []
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            seen = run(case, Path(folder))
        failing = "; ".join(f"{key}: {' | '.join(found)[:300]}" for key, found in case.failing.items())
        rows.append([case.name, case.severity, "FAIL" if case.failing else "pass", seen.seconds, failing])
    print_table(["case", "severity", "result", "seconds", "failing"], rows)
    totals = {
        name: (sum(1 for case in group if not case.failing), len(group))
        for name, group in (("must", [case for case in cases if case.severity == "must"]), ("all", cases))
    }
    print(", ".join(f"{name} {passed}/{count}" for name, (passed, count) in totals.items()))
    if arguments.json:
        figures = {
            f"{name}_{part}": float(n)
            for name, pair in totals.items()
            for part, n in zip(("passed", "cases"), pair, strict=True)
        }
        detail = {case.name: {"failing": case.failing} for case in cases}
        write_report(arguments.json, "cases", figures, detail)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
