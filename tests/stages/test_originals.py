"""Six files of our own making become PDFs, and what they say of their structure is in the tree."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pymupdf
import pytest
from helpers.make_originals import (
    CHART_ALT,
    DESK_ALT,
    FAX,
    HARVEST,
    HEADINGS,
    LOGO_ALT,
    MAKERS,
    NOTES,
    PLAN_ALT,
    SHEETS,
    SLIDES,
    make_originals,
)

from cosee.agents.methods.page_rag import PageRagMethod
from cosee.artifacts import files
from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree, Node
from cosee.artifacts.documents.original import Original
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.trace import Budget
from cosee.artifacts.settings.answer import AnswerSettings, RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.artifacts.settings.parsing import AdaptSettings, BuildSettings, EnhanceSettings
from cosee.datasets.folder import import_folder
from cosee.models.vision import ocr_tesseract
from cosee.parse.originals import office, web
from cosee.pipeline.paths import Paths
from cosee.pipeline.runner import Job, run_shard
from cosee.pipeline.shards import sync_dataset
from cosee.pipeline.stage import DocFolder
from cosee.stages.adapt import AdaptStage
from cosee.stages.answer import AnswerStage
from cosee.stages.build import BuildStage
from cosee.stages.enhance import EnhanceStage
from cosee.stages.index import IndexStage

needs_office = pytest.mark.skipif(office.soffice() is None, reason="LibreOffice is not installed")
needs_pango = pytest.mark.skipif(not web.version(), reason="Pango is not installed")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """The six files, imported, and converted and read by M0 as a job does it: a child process for each."""
    root = tmp_path_factory.mktemp("originals")
    make_originals(root / "given")
    paths = Paths(root / "data", root / "indexes", root / "results")
    adapt(paths, "six")
    return paths


def adapt(paths: Paths, dataset: str) -> None:
    report = import_folder(paths.data.parent / "given", None, paths.dataset(dataset))
    assert report.problems == [] and len(report.documents) == 6
    sync_dataset(paths, dataset, 100)
    rows = run_shard(Job(AdaptStage(), AdaptSettings(), "s", "c", paths, dataset, "0000", [], workers=2))
    absent = {"no_converter", "no_text_layer"}
    assert [(row.doc_id, row.message) for row in rows if row.status != "ok" and row.reason not in absent] == []


@pytest.fixture(scope="module")
def dataset(project: Paths) -> Path:
    return project.dataset("six")


@pytest.fixture(scope="module")
def trees(dataset: Path) -> dict[str, DocTree]:
    """The trees built so far."""
    return {}


def read(dataset: Path, name: str) -> DocTree:
    doc = DocFolder("six", name, dataset / name, dataset / name)
    result = EnhanceStage().run(doc, EnhanceSettings())
    assert (result.status, result.message) == ("ok", None)
    assert BuildStage().run(doc, BuildSettings()).status == "ok"
    return DocTree.load(doc.data / "doctree.mm.json")


def tree_of(dataset: Path, trees: dict[str, DocTree], name: str) -> DocTree:
    if name not in trees:
        trees[name] = read(dataset, name)
    return trees[name]


def headings(tree: DocTree) -> list[tuple[int, str | None]]:
    return [(node.level, node.title) for node in tree.nodes if node.type == "section"]


def of_type(tree: DocTree, kind: str) -> list[Node]:
    return [node for node in tree.nodes if node.type == kind]


def spans(node: Node) -> list[tuple[int, int, int, int]]:
    assert node.table is not None
    return [(span.row, span.column, span.rows, span.columns) for span in node.table.spans]


@needs_office
def test_a_report_keeps_its_headings_spans_and_alternative_texts(dataset: Path, trees: dict[str, DocTree]) -> None:
    tree = tree_of(dataset, trees, "report.docx")
    assert headings(tree) == HEADINGS
    (table,) = of_type(tree, "table")
    assert table.table is not None
    assert spans(table) == [(0, 0, 2, 1), (0, 1, 1, 2), (3, 0, 2, 1)]
    assert [table.table.rows[r][c] for r, row in enumerate(HARVEST) for c in range(len(row)) if row[c]] == [
        cell for row in HARVEST for cell in row if cell
    ]
    assert table.table.rows[0] == ["Fruit", "Tons", "Tons"] and table.table.rows[4][0] == "Pears"
    assert [node.description for node in of_type(tree, "image")] == [CHART_ALT, PLAN_ALT]
    assert of_type(tree, "image")[0].parent == next(node.id for node in tree.nodes if node.title == "Harvest")


@needs_office
def test_a_deck_keeps_titles_notes_table_and_picture(dataset: Path, trees: dict[str, DocTree]) -> None:
    tree = tree_of(dataset, trees, "deck.pptx")
    assert headings(tree) == [(1, title) for title, _ in SLIDES]
    notes = [node for node in tree.nodes if "unprinted" in node.flags]
    assert [(node.page_idx, node.text) for node in notes] == list(enumerate(NOTES))
    (table,) = of_type(tree, "table")
    assert table.table is not None and spans(table) == [(0, 1, 1, 2)]
    assert table.table.rows == [["Part", "Crowns", "Crowns"], ["Pump", "72,000", "paid"], ["Pipe", "31,500", "owed"]]
    (image,) = of_type(tree, "image")
    assert image.description == LOGO_ALT and image.page_idx == 1


@needs_office
def test_a_workbook_has_a_section_for_each_sheet_with_the_cells_as_shown(
    dataset: Path, trees: dict[str, DocTree]
) -> None:
    tree = tree_of(dataset, trees, "book.xlsx")
    assert headings(tree) == [(1, name) for name in SHEETS]
    tables = of_type(tree, "table")
    assert [tree.node(str(table.parent)).title for table in tables] == list(SHEETS)
    assert [table.table.rows for table in tables if table.table] == [
        [["Region", "Share", "Sold on"], ["North", "25.6%", "5 Mar 2023"], ["South", "74.4%", ""]],
        [["Item", "Crowns"], ["Diesel", "1,234,567.50"], ["Wages", "(98,000)"]],
        [["Name", "Desk"], ["Ada", "12"], ["Bo", "14"], ["Both sit upstairs", "Both sit upstairs"]],
    ]
    people = openpyxl.load_workbook(dataset.parents[1] / "given" / "book.xlsx")["People"]
    (merged,) = people.merged_cells.ranges
    assert spans(tables[2]) == [(merged.min_row - 2, merged.min_col - 2, 1, merged.size["columns"])]
    (image,) = of_type(tree, "image")
    assert (image.description, image.page_idx, image.parent) == (DESK_ALT, 2, tables[2].parent)
    assert not any("nobody" in node.text for node in tree.nodes)


@needs_office
def test_a_letter_has_no_heading_and_all_of_its_text(dataset: Path, trees: dict[str, DocTree]) -> None:
    tree = tree_of(dataset, trees, "letter.docx")
    assert headings(tree) == []
    original = Original.load(dataset / "letter.docx" / "original.json")
    assert [node.text for node in tree.nodes[1:]] == [block.text for block in original.blocks]


@needs_pango
def test_a_web_page_keeps_its_structure_and_opens_nothing_else(dataset: Path, trees: dict[str, DocTree]) -> None:
    tree = tree_of(dataset, trees, "page.html")
    assert headings(tree) == [(1, "Lighthouses of the coast"), (2, "How they are lit"), (3, "Lamps & lenses")]
    (table,) = of_type(tree, "table")
    assert table.table is not None
    assert table.table.rows[:2] == [["Tower", "Height in metres", "Height in metres"], ["Tower", "built", "today"]]
    assert spans(table) == [(0, 0, 2, 1), (0, 1, 1, 2)] and table.table.header_rows == 2
    assert [node.description for node in of_type(tree, "image")] == [LOGO_ALT]
    with pymupdf.open(dataset / "page.html" / "full.pdf") as document:
        text = "".join(page.get_text() for page in document)
    assert "root:" not in text and Path("/etc/hostname").read_text().strip() not in text and "Scripted" not in text


@pytest.mark.skipif(not ocr_tesseract.installed_languages(), reason="tesseract is not installed")
def test_a_tiff_has_a_page_for_each_frame(dataset: Path, trees: dict[str, DocTree]) -> None:
    tree = tree_of(dataset, trees, "fax.tiff")
    assert [(node.page_idx, node.text) for node in tree.nodes[1:]] == list(enumerate(FAX))
    assert tree.pages[0].width == pytest.approx(1240 / 150 * 72, abs=0.1)


@needs_office
@needs_pango
def test_another_conversion_gives_the_same_bytes(project: Paths) -> None:
    # contract: D2, D8
    adapt(project, "again")
    six, again = project.dataset("six"), project.dataset("again")
    for name in MAKERS:
        for made in ("full.pdf", "original.json", "content_list.adapted.json"):
            assert files.sha256_file(six / name / made) == files.sha256_file(again / name / made), (name, made)


ASKED = {
    "report.docx": ("How many tons of apples were harvested in 2023?", "468"),
    "deck.pptx": ("How much did the pump cost?", "72,000"),
    "book.xlsx": ("How many crowns did diesel cost?", "1,234,567.50"),
    "letter.docx": ("How much is the fee for the boat?", "420"),
    "page.html": ("How much does the lens of Skagen weigh?", "3"),
    "fax.tiff": ("What is the order number?", "5581"),
}


@needs_office
@needs_pango
def test_every_one_of_them_is_asked_and_answered(dataset: Path, trees: dict[str, DocTree]) -> None:
    given = 0
    for name, (question, answer) in ASKED.items():
        tree = tree_of(dataset, trees, name)
        doc = DocFolder(
            "six", name, dataset / name, dataset.parents[1] / "indexes" / name, dataset.parents[1] / "results"
        )
        save_rows(doc.questions, [Question(question_id=name, doc_id=name, question=question)])
        IndexStage().run(doc, IndexSettings(embedder="none"))
        asked = {"run": "r", "method": PageRagMethod(), "model": "embedded", "retrieval": RetrievalSettings()}
        AnswerStage().run(doc, AnswerSettings.model_validate({**asked, "budget": Budget(), "seed": 0}))
        (row,) = load_rows(
            Prediction, dataset.parents[1] / "results" / "answers" / "page_rag" / "six" / f"{name}.jsonl"
        )
        # Without a model an answer is given where it is likely right; else the nearest places are shown.
        assert row.answer == answer or row.abstained, (name, row.answer)
        given += row.answer == answer
        assert (row.support or row.abstained) and {support.page for support in row.support} <= set(
            range(1, len(tree.pages) + 1)
        )
    assert given >= 5
