"""What exports keep: every text once and in order, every cell, the file's own text, boxes where the evidence is.

``python -m benchmarks.exports --qa DIR --json OUT`` exports each document in every form and reads it back. Evidence is
the first regions of up to 60 nodes, spread over the document. Trees are read below ``--work``, or taken from
``--trees``, the folder of a code digest that ``benchmarks.regressions`` keeps. A share counts documents; distances are
in points, of the side of a box that is off most.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.common import QaSet, argument_parser, chosen, print_table, write_report
from benchmarks.doctree_read import Sources, progress
from cosee.artifacts import files
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.results.export import ExportKind
from cosee.export.documents import ExportDiffers, Source, export
from cosee.export.highlights import Highlight, read_highlights, write_highlights
from cosee.export.workbook import formulas
from cosee.imaging.pdf_file import open_pdf

KINDS: tuple[ExportKind, ...] = ("markdown", "html", "tables")
MARKS = 60


@dataclass
class Checked:
    """What was found of one document."""

    counts: dict[str, int] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    """Form -> what does not read back as the tree has it."""
    furthest: float = 0.0
    """Of a highlight's side from the evidence's, in points."""
    seconds: dict[str, float] = field(default_factory=dict)


def check(folder: Path, doc_id: str) -> Checked:
    """Export a document in every form into a folder that is then thrown away."""
    found = Checked()
    source = Source(folder, doc_id)
    with TemporaryDirectory() as scratch:
        for kind in KINDS:
            started = time.monotonic()
            try:
                written = export(kind, source, Path(scratch))
                again = export(kind, source, Path(scratch) / "again")
                if [path.read_bytes() for path in written.outputs] != [path.read_bytes() for path in again.outputs]:
                    found.faults[f"{kind}_repeats"] = "other bytes"
                found.counts |= {f"{kind}.{name}": count for name, count in written.counts.items()}
            except ExportDiffers as error:
                found.faults[kind] = str(error)
                continue
            found.seconds[kind] = (time.monotonic() - started) / 2
            for path in written.outputs:
                if path.suffix == ".xlsx" and formulas(path.read_bytes()):
                    found.faults["formulas"] = path.name
        started = time.monotonic()
        _check_marks(folder / "full.pdf", source.tree(), Path(scratch) / "marked.pdf", found)
        found.seconds["pdf"] = time.monotonic() - started
    return found


def _check_marks(pdf: Path, tree: DocTree, out: Path, found: Checked) -> None:
    regions = [region for node in tree.nodes for region in node.regions[:1]]
    spread = regions[:: max(1, len(regions) // MARKS)][:MARKS]
    marks = [Highlight(region.page_idx + 1, region.bbox, "Question: ?", "benchmark") for region in spread]
    found.counts["pdf.highlights"] = write_highlights(pdf, marks, out)
    found.counts["pdf.continued"] = int(out.read_bytes().startswith(pdf.read_bytes()))
    back = read_highlights(out)
    wanted = sorted(marks, key=lambda mark: mark.page)
    if [each.page for each in back] != [mark.page for mark in wanted]:
        found.faults["pdf"] = f"{len(back)} highlights read back of {len(marks)}"
        return
    with open_pdf(pdf) as before, open_pdf(out) as after:
        for mark, each in zip(wanted, back, strict=True):
            page = before[mark.page - 1]
            wide, high = page.rect.width, page.rect.height
            sides = (mark.bbox[0] * wide, mark.bbox[1] * high, mark.bbox[2] * wide, mark.bbox[3] * high)
            off = max(abs(one - other) for one, other in zip(sides, each.bbox, strict=True))
            found.furthest = max(found.furthest, off)
        for number in {mark.page - 1 for mark in marks}:
            if before[number].get_text("words") != after[number].get_text("words"):
                found.faults["pdf_text"] = f"page {number + 1}"


def measure(qa: QaSet, documents: list[str], work: Path, trees: Path | None) -> dict[str, Checked]:
    """Document id -> what was found; one that has no tree has the fault ``no_tree``."""
    sources = Sources(Path(), Path(), qa.folder, work)
    checked: dict[str, Checked] = {}
    for number, doc_id in enumerate(documents, start=1):
        progress("exported", number, len(documents), doc_id)
        start = files.sha256_file(qa.pdf(doc_id))[:16]
        if trees is not None:
            folder, failure = trees / start / "data" / "qa" / doc_id, None
        else:
            folder, failure = work / "doctree" / start, sources.read(qa.pdf(doc_id)).failure
        if failure or not (folder / "doctree.mm.json").is_file():
            checked[doc_id] = Checked(faults={"no_tree": failure or f"{folder}: no tree"})
        else:
            checked[doc_id] = check(folder, doc_id)
    progress("", 0, 0, "")
    return checked


def figures_of(checked: Mapping[str, Checked]) -> dict[str, float]:
    """Shares over documents, sums of counts, the furthest highlight."""
    total: Counter[str] = Counter()
    for each in checked.values():
        total.update(each.counts)
    read = [each for each in checked.values() if "no_tree" not in each.faults]
    forms = (*KINDS, *(f"{kind}_repeats" for kind in KINDS), "formulas", "pdf", "pdf_text")
    kept = {f"{form}_kept": sum(form not in each.faults for each in read) / max(1, len(checked)) for form in forms}
    sums = {name.replace(".", "_"): float(count) for name, count in total.items()}
    furthest = max((each.furthest for each in checked.values()), default=0.0)
    return {"documents": float(len(checked)), **kept, **sums, "highlight_furthest_pt": furthest}


def main() -> int:
    """Measure and print; returns 0, or 1 where a document's export does not hold what its tree does."""
    parser = argument_parser(__doc__ or "")
    parser.add_argument("--trees", type=Path, help="folder of trees that benchmarks.regressions kept")
    options = parser.parse_args()
    qa, documents = chosen(parser, options)
    checked = measure(qa, documents, options.work, options.trees)
    figures = figures_of(checked)
    print_table(("figure", "value"), [(name, value) for name, value in figures.items()])
    faults = {doc_id: each.faults for doc_id, each in checked.items() if each.faults}
    for doc_id, each in faults.items():
        print(doc_id, each)
    detail = {
        doc_id: {"counts": each.counts, "faults": each.faults, "furthest_pt": round(each.furthest, 4)}
        for doc_id, each in checked.items()
    }
    write_report(options.json, "exports", figures, {"documents": detail})
    return int(bool(faults))


if __name__ == "__main__":
    raise SystemExit(main())
