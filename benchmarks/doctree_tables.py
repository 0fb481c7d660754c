"""Tables of the tree against the ICDAR 2013 competition set, tagged tables and CSV files, beside peers.

``table_cell_f1`` is the F1 of adjacency relations (``doctree_cells``) over the whole set: the relations of a document's
tables are put together and compared as a multiset with those of its truth, so that a table that is split, joined or
found where none is costs what it breaks or adds. ``..._macro`` is the mean over documents. A region of the truth counts
as detected where a table's box has an intersection over union of at least 0.5 with it. Of each figure a peer gets the
best that one of its ways gives over the whole set.
"""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.common import f1, mean, progress
from benchmarks.doctree_cells import Box, Cell, Relation, Table, from_rows, from_table, relations
from benchmarks.doctree_read import Measured, Sources, version
from benchmarks.doctree_table_peers import PEERS, Finder, with_fallbacks
from benchmarks.quoted_words import iou
from cosee.artifacts import files
from cosee.artifacts.documents.doctree import DocTree

DETECTED = 0.5
OURS = "cosee"


def tables_of(tree: DocTree) -> list[Table]:
    """The tables of a tree in reading order."""
    found = []
    for node in tree.of_type("table"):
        regions: list[tuple[int, Box]] = [(region.page_idx + 1, region.bbox) for region in node.regions]
        if not regions and node.bbox:
            regions = [(node.page_idx + 1, node.bbox)]
        found.append(Table(from_table(node.table) if node.table else [], regions))
    return found


def read_structure(path: Path) -> list[Table]:
    """The tables of a ``-str.xml``: cells of all regions in one grid; regions without boxes."""
    tables = []
    for table in ElementTree.parse(path).getroot().iter("table"):
        cells, regions = [], []
        for region in table.findall("region"):
            down, right = int(region.get("row-increment") or 0), int(region.get("col-increment") or 0)
            regions.append((int(region.get("page") or 0), (0.0, 0.0, 0.0, 0.0)))
            for cell in region.findall("cell"):
                row, column = int(cell.get("start-row") or 0), int(cell.get("start-col") or 0)
                last_row = max(row, int(cell.get("end-row") or row))
                last_column = max(column, int(cell.get("end-col") or column))
                text = cell.findtext("content") or ""
                cells.append(Cell(row + down, column + right, last_row + down, last_column + right, text))
        tables.append(Table(cells, regions))
    return tables


def read_regions(path: Path, pdf: Path) -> list[tuple[int, Box]]:
    """The boxes of a ``-reg.xml``, from PDF points (origin bottom left) to 0..1 of the page as seen."""
    import pymupdf

    found = []
    with pymupdf.open(pdf) as document:
        for region in ElementTree.parse(path).getroot().iter("region"):
            box, number = region.find("bounding-box"), int(region.get("page") or 0)
            if box is None or not 0 < number <= len(document):
                continue
            page = document[number - 1]
            corners = pymupdf.Rect(*(float(box.get(name) or 0) for name in ("x1", "y1", "x2", "y2")))
            seen = corners * page.transformation_matrix * page.rotation_matrix
            width, height = page.rect.width, page.rect.height
            found.append((number, (seen.x0 / width, seen.y0 / height, seen.x1 / width, seen.y1 / height)))
    return found


def all_relations(tables: Sequence[Table]) -> Counter[Relation]:
    """The relations of a document's tables together."""
    return sum((relations(table.cells) for table in tables), Counter())


def counts(wanted: Counter[Relation], found: Counter[Relation]) -> tuple[int, int, int]:
    """Relations that both have, that were found, that were wanted."""
    return (wanted & found).total(), found.total(), wanted.total()


def detected(regions: Sequence[tuple[int, Box]], tables: Sequence[Table]) -> int:
    """How many regions of the truth some table covers."""
    boxes = [region for table in tables for region in table.regions]
    return sum(
        1 for page, box in regions if any(page == other and iou(box, found) >= DETECTED for other, found in boxes)
    )


def measure(sources: Sources) -> Measured:
    """ICDAR 2013 with peers, then tagged tables and CSV files."""
    measured = Measured()
    _measure_icdar(sources, measured)
    _measure_tags(sources, measured)
    _measure_csv(sources, measured)
    return measured


def icdar_documents(sources: Sources) -> list[tuple[Path, Path]]:
    """Each ``-str.xml`` of the competition set with its PDF."""
    truths = sources.chosen((sources.parse / "icdar2013").glob("*/*-str.xml"))
    return [(truth, pdf) for truth in truths if (pdf := Path(str(truth).removesuffix("-str.xml") + ".pdf")).is_file()]


def _measure_icdar(sources: Sources, measured: Measured) -> None:
    pairs = icdar_documents(sources)
    if not pairs:
        measured.missing["table_cell_f1*"] = "no *-str.xml with its PDF in icdar2013/"
        return
    versions = {peer: version(package, peer) for peer, (package, _, _) in PEERS.items()}
    measured.missing |= {
        f"table_cell_f1_{peer}": f"{PEERS[peer][0]} is not installed" for peer in PEERS if not versions[peer]
    }
    results: dict[str, dict[str, tuple[int, int, int]]] = {}
    regions_found: Counter[str] = Counter()
    regions_wanted = 0
    documents: dict[str, Any] = {}
    failures: dict[str, str] = {}
    for number, (truth, pdf) in enumerate(pairs, start=1):
        progress("tables", number, len(pairs), pdf.stem)
        tables = read_structure(truth)
        wanted = all_relations(tables)
        regions = read_regions(Path(str(truth).replace("-str.xml", "-reg.xml")), pdf)
        regions_wanted += len(regions)
        result = sources.read(pdf)
        ways = {OURS: tables_of(result.tree) if result.tree else []}
        for peer, found in versions.items():
            if found:
                ways |= _peer_ways(sources, peer, found, pdf, failures)
        for way, predicted in ways.items():
            results.setdefault(way, {})[pdf.stem] = counts(wanted, all_relations(predicted))
            regions_found[way] += detected(regions, predicted)
        own_f1 = {way: round(f1(*rows[pdf.stem]), 4) for way, rows in results.items()}
        documents[pdf.stem] = {"f1": own_f1, "failure": result.failure}
    progress("", 0, 0, "")
    _add_icdar(measured, results, {way: found / max(1, regions_wanted) for way, found in regions_found.items()})
    measured.detail["icdar2013"] = documents
    measured.detail["peer_failures"] = failures


def _peer_ways(
    sources: Sources, peer: str, release: str, pdf: Path, failures: dict[str, str]
) -> dict[str, list[Table]]:
    """``<peer>.<way>`` -> its tables of one file; a file it fails on has none."""
    _, find, strategies = PEERS[peer]
    ways = {}
    for strategy in strategies:
        name = f"tables-{peer}-{release}-{strategy}"
        output, failure = sources.peer(name, pdf, partial(_as_json, find, pdf, strategy))
        ways[strategy] = [Table.from_json(each) for each in output or []]
        if failure:
            failures[f"{name} {pdf.name}"] = failure
    return {f"{peer}.{way}": tables for way, tables in with_fallbacks(ways, strategies[0]).items()}


def _as_json(find: Finder, pdf: Path, strategy: str) -> list[dict[str, Any]]:
    return [table.as_json() for table in find(pdf, strategy)]


def _add_icdar(
    measured: Measured, results: dict[str, dict[str, tuple[int, int, int]]], recall: dict[str, float]
) -> None:
    rows: list[list[str | float | int | None]] = []
    for way, by_document in results.items():
        both, found, wanted = (sum(row[n] for row in by_document.values()) for n in range(3))
        values = {
            "table_cell_f1": f1(both, found, wanted),
            "table_cell_f1_macro": mean([f1(*row) for row in by_document.values()]) or 0.0,
            "table_region_recall": recall[way],
        }
        peer = way.split(".")[0]
        for name, value in values.items():
            figure = name if peer == OURS else f"{name}_{peer}"
            measured.figures[figure] = max(value, measured.figures.get(figure, 0.0))
        precision, share = both / found if found else None, both / wanted if wanted else None
        cell_f1, macro, regions = values.values()
        rows.append([way, cell_f1, precision, share, macro, regions, both, found, wanted])
    header = ("icdar2013", "f1", "precision", "recall", "macro f1", "regions", "both", "found", "wanted")
    measured.tables.append(("Tables: adjacency relations of cells", header, rows))


def read_tagged_tables(sources: Sources, path: Path) -> tuple[list[Table], Path | None]:
    """The tables of a tag tree, without boxes, and its PDF, if it is there."""
    truth = files.read_json(path)
    tables = [Table(from_rows(each["cells"]), [(each["page"], (0.0, 0.0, 0.0, 0.0))]) for each in truth["tables"]]
    return tables, sources.document(sources.parse / "tagged", truth["pdf"])


def csv_documents(sources: Sources) -> list[tuple[Path, Path]]:
    """Each CSV of tabula's regression files with its PDF."""
    paths = sources.chosen((sources.parse / "tabula_csv").glob("*.csv"))
    return [(path, pdf) for path in paths if (pdf := path.with_suffix(".pdf")).is_file()]


def csv_agreement(path: Path, found: Sequence[Table]) -> float:
    """The F1 of the table that is most like a CSV."""
    with path.open(encoding="utf-8-sig", newline="") as lines:
        wanted = relations(from_rows(list(csv.reader(lines))))
    return max((f1(*counts(wanted, relations(table.cells))) for table in found), default=0.0)


def _measure_tags(sources: Sources, measured: Measured) -> None:
    """Tables of tag trees. Producers tag layout tables too, so recall is what can be read from it."""
    documents: dict[str, Any] = {}
    total = [0, 0, 0]
    paths = sources.chosen((sources.parse / "tagged" / "truth").glob("*.json"))
    for number, path in enumerate(paths, start=1):
        progress("tagged tables", number, len(paths), path.stem)
        tables, pdf = read_tagged_tables(sources, path)
        wanted = all_relations(tables)
        if not wanted or pdf is None:
            continue
        result = sources.read(pdf, without_structure=True)
        found = tables_of(result.tree) if result.tree else []
        row = counts(wanted, all_relations(found))
        total = [a + b for a, b in zip(total, row, strict=True)]
        documents[path.stem] = {"counts": row, "f1": round(f1(*row), 4)}
    progress("", 0, 0, "")
    if documents:
        measured.figures |= {"table_cell_f1_tags": f1(*total), "table_cell_recall_tags": total[0] / total[2]}
        measured.detail["tagged"] = documents
        measured.tables.append(
            (
                "Tables of tag trees",
                ("document", "f1", "both", "found", "wanted"),
                [[name, each["f1"], *each["counts"]] for name, each in documents.items()],
            )
        )
    else:
        measured.missing["table_cell_f1_tags"] = "no tables in tagged/truth"


def _measure_csv(sources: Sources, measured: Measured) -> None:
    """Agreement with tabula's regression files: the F1 of the document's table that is most like the CSV."""
    documents: dict[str, float] = {}
    for path, pdf in csv_documents(sources):
        result = sources.read(pdf)
        documents[path.stem] = csv_agreement(path, tables_of(result.tree) if result.tree else [])
    average = mean(list(documents.values()))
    if average is None:
        measured.missing["tabula_csv_agreement"] = "no CSV with its PDF in tabula_csv/"
        return
    measured.figures["tabula_csv_agreement"] = average
    measured.detail["tabula_csv"] = documents
    measured.tables.append(("Agreement with tabula", ("document", "f1"), [list(row) for row in documents.items()]))
