"""The benchmark of representations: forms of other readers and back, gold places, boxes, and the report."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from benchmarks.common import QaSet
from benchmarks.foreign_forms import docling_form, mineru_form
from benchmarks.representation import box_measures, flat, gold_places, report, without_headings
from tests.helpers.docling_documents import handbook

from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.content import ContentList, PageInfo
from cosee.artifacts.results.prediction import Retrieved
from cosee.parse.docling import content as docling
from cosee.parse.mineru import content_list as mineru
from cosee.retrieval.ranking import Ranking
from cosee.structure.enhance import enhance
from cosee.structure.tree.tree_builder import build_tree

PAGES = [PageInfo(page_idx=n, width=400, height=600) for n in range(2)]


@pytest.fixture
def content() -> ContentList:
    return enhance(docling.adapt(handbook(), "doc", pages=PAGES))


def told(content: ContentList) -> list[tuple[str, str, int | None]]:
    return [(item.role, item.text, item.level) for item in content.items]


def test_docling_s_form_keeps_roles_levels_captions_cells_and_regions(content: ContentList) -> None:
    again = docling.adapt(docling_form(content), "doc", pages=PAGES)
    inner = {item.id: item for item in content.items}
    tables, figures = ([i for i in again.items if i.role == role] for role in ("table", "image"))
    assert {i.text for i in again.items if i.role not in ("table", "image")} >= {
        i.text for i in content.items if i.role not in ("table", "image", "toc")
    }
    ours = next(item for item in content.items if item.role == "table")
    assert tables[0].table is not None and ours.table is not None and tables[0].table.rows == ours.table.rows
    assert tables[0].table.spans == ours.table.spans and tables[0].caption == ours.caption
    assert figures[0].caption == next(item.caption for item in content.items if item.role == "image")
    over = next(item for item in again.items if len(item.regions) > 1)
    assert [region.page_idx for region in over.regions] == [0, 1] and inner


def test_the_form_written_is_one_of_docling(content: ContentList) -> None:
    document = pytest.importorskip("docling_core.types.doc", reason="docling-core is not installed")
    assert document.DoclingDocument.model_validate(docling_form(content)).pages


def test_mineru_s_form_keeps_texts_levels_and_cells(content: ContentList) -> None:
    again = mineru.adapt(mineru_form(content), "doc", pages=PAGES, has_image=lambda _: True)
    assert mineru.warnings_of(again) == {} and again.source == "mineru-2.5"
    assert [(i.text, i.level) for i in again.items if i.role == "heading"] == [
        (i.text, i.level) for i in content.items if i.role == "heading"
    ]
    assert [i.table.rows for i in again.items if i.table] == [i.table.rows for i in content.items if i.table]
    assert [i.text for i in again.items if i.role in ("header", "page_number")] == [
        i.text for i in content.dropped if i.reason in ("header", "page_number")
    ]


def test_without_headings_nothing_but_the_headings_changes(content: ContentList, tmp_path: Path) -> None:
    bare = without_headings(content, tmp_path)
    assert not any(item.role == "heading" for item in bare.items)
    assert [item.text for item in bare.items] == [item.text for item in content.items]
    assert not build_tree(bare).of_type("section")


def test_flat_pages_and_gold_places_come_from_the_pdf(content: ContentList, tmp_path: Path) -> None:
    pdf = tmp_path / "full.pdf"
    with pymupdf.open() as document:
        for text in ("Revenue was 1,234.5 million.", "Other things"):
            document.new_page(width=400, height=600).insert_text((100, 300), text)
        document.save(pdf)
    assert [item.page_idx for item in flat(content, pdf).items] == [0, 1]
    asked = Question(question_id="q", doc_id="doc", question="?", evidence_pages=[1, 2])
    places = gold_places(asked, {"answer": ["1234.5 Million", "x"]}, pdf)
    assert list(places) == [1] and len(places[1]) == 1
    x0, y0, x1, y1 = places[1][0]
    assert 0.3 < x0 < x1 < 0.8 and 0.45 < y0 < 0.5 < y1 + 0.01
    tree = build_tree(flat(content, pdf))
    hits = [Retrieved(node_id=tree.nodes[2].id, page=2, score=1.0)]
    assert box_measures(tree, Ranking(hits), places) == {"box@5": 0.0, "area@5": 1.0}
    hits.append(Retrieved(node_id=tree.nodes[1].id, page=1, score=0.5))
    assert box_measures(tree, Ranking(hits), places) == {"box@5": 1.0, "area@5": 2.0}
    assert box_measures(tree, Ranking(hits), {}) == {}


def test_the_report_leaves_questions_without_a_gold_place_out_of_the_boxes() -> None:
    asked = [Question(question_id=key, doc_id=key, question="?") for key in ("a", "b")]
    methods = ("flat", "tree", "tree_without_headings", "mineru", "docling")
    rows = {
        "a": {name: {"mrr": 1.0, "box@5": float(name == "tree")} for name in methods},
        "b": {name: {"mrr": float(name == "tree")} for name in methods},
    }
    figures, paired, counts = report(QaSet(Path(), asked), rows)
    assert (counts["mrr"], counts["box@5"], counts["tokens"]) == (2, 1, 0)
    assert figures["mrr.tree"] == 1.0 and figures["mrr.flat"] == 0.5 and figures["box@5.flat"] == 0.0
    assert paired["mrr.tree-flat"][0] == 0.5 and "tokens.flat" not in figures
