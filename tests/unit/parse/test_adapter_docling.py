"""Docling's document taken in: every label, both origins of boxes, references, and documents that are damaged."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.helpers.docling_documents import cell, handbook, node, ref, said, where

from cosee.artifacts.documents.content import ContentItem, ContentList, PageInfo
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.parse.docling import content as docling
from cosee.pipeline.stage import DocFolder, StageFailure, StageResult
from cosee.stages.adapt import AdaptStage
from cosee.structure.enhance import check_conservation, enhance
from cosee.structure.tree.tree_builder import build_tree

PAGES = [PageInfo(page_idx=n, width=400, height=600) for n in range(2)]


def items(raw: dict[str, Any]) -> list[ContentItem]:
    return docling.adapt(raw, "doc", pages=PAGES).items


def of(raw: dict[str, Any], role: str) -> ContentItem:
    return next(item for item in items(raw) if item.role == role)


def test_the_document_of_these_tests_is_one_of_docling() -> None:
    document = pytest.importorskip("docling_core.types.doc", reason="docling-core is not installed")
    loaded = document.DoclingDocument.model_validate(handbook())
    assert "Pumps of the valley" in loaded.export_to_markdown()


def test_every_label_becomes_its_role_in_reading_order() -> None:
    # contract: D4
    found = items(handbook())
    assert [item.role for item in found] == [
        "header", "heading", "heading", "paragraph", "list", "table", "caption", "footnote", "image", "caption", "toc",
        "equation", "code", "paragraph", "paragraph", "page_number",
    ]  # fmt: skip
    assert [(item.text, item.level) for item in found if item.role == "heading"] == [
        ("Pumps of the valley", 1),
        ("1 Flow", 2),
    ]
    assert of(handbook(), "list").text == "1. open the gate\n2. start the pump\n- with care"
    assert of(handbook(), "equation").text == "q = a v"
    assert of(handbook(), "equation").latex is None
    decoded = handbook()
    next(text for text in decoded["texts"] if text["label"] == "formula")["text"] = r"q = a \cdot v"
    assert of(decoded, "equation").latex == of(decoded, "equation").text == r"q = a \cdot v"
    assert of(handbook(), "code").text == "def f():\n    return 1"
    assert [item.text for item in found if item.role == "paragraph"][1:] == ["☑ Inspected", "Speed is v"]
    assert docling.adapt(handbook(), "doc").pages[1].page_label == "12"
    assert docling.adapt(handbook(), "doc").source == "docling-1.10"


def test_boxes_of_either_origin_are_shares_of_the_page_and_pages_count_from_zero() -> None:
    # contract: D6, D7
    raw = handbook()
    heading = next(item for item in items(raw) if item.text == "1 Flow")
    assert heading.bbox == (0.1, 0.133333, 0.5, 0.158333)
    raw["texts"][2]["prov"][0]["bbox"] = {"l": 40, "t": 80, "r": 200, "b": 95, "coord_origin": "TOPLEFT"}
    assert next(item for item in items(raw) if item.text == "1 Flow").bbox == heading.bbox
    over = next(item for item in items(raw) if item.text.startswith("The pumps"))
    assert [(region.page_idx, region.begins) for region in over.regions] == [(0, 0), (1, 18)]


def test_a_document_measured_in_another_size_than_the_pdf_fits_all_the_same() -> None:
    half = [PageInfo(page_idx=n, width=200, height=300) for n in range(2)]
    found = docling.adapt(handbook(), "doc", pages=half).items
    assert [item.bbox for item in found] == [item.bbox for item in items(handbook())]


def test_tables_keep_spans_heads_captions_and_notes() -> None:
    # contract: D4
    table = of(handbook(), "table")
    assert table.table is not None and table.table.rows == [
        ["Site", "Rate", "Rate"],
        ["Site", "2021", "2022"],
        ["North", "4.1", "4.3"],
    ]
    assert table.table.header_rows == 2
    assert [(s.row, s.column, s.rows, s.columns) for s in table.table.spans] == [(0, 0, 2, 1), (0, 1, 1, 2)]
    by_id = {item.id: item for item in items(handbook())}
    assert table.caption == "Table 1: Rates of the sites" and by_id[table.caption_ids[0]].caption_of == table.id
    assert by_id[table.footnote_ids[0]].text == "a Mean of three years"
    tied = enhance(docling.adapt(handbook(), "doc"))
    assert {item.label for item in tied.items if item.role in ("image", "table")} == {"Figure 1", "Table 1"}


def test_headings_on_several_levels_are_kept_and_those_on_one_are_found_anew() -> None:
    # contract: D4
    raw = handbook()
    for number, text in enumerate(("Our people", "Looking ahead", "write to us at info@pumps.example for more")):
        place = f"texts/{17 + number}"
        raw["texts"].append(node(place, "section_header", [where(40, 300 + 30 * number, 300, 310 + 30 * number, 2)],
                                 level=2, **said(text)))  # fmt: skip
        raw["body"]["children"].append(ref(place))

    def outline() -> list[tuple[str, int | None]]:
        found = enhance(docling.adapt(raw, "doc", pages=PAGES))
        return [(item.text, item.level) for item in found.items if item.role == "heading"]

    assert outline() == [
        ("Pumps of the valley", 1),
        ("1 Flow", 2),
        ("Our people", 3),
        ("Looking ahead", 3),
        ("write to us at info@pumps.example for more", 3),
    ]
    del raw["body"]["children"][1]
    raw["texts"][1]["label"] = "section_header"
    for each in raw["texts"]:
        each["level"] = 1
    assert ("write to us at info@pumps.example for more", 1) not in outline()


def test_a_picture_holds_its_words_its_description_and_its_kind() -> None:
    picture = of(handbook(), "image")
    assert picture.text == "Inlet valve" and picture.caption == "Figure 1: The inlet"
    assert picture.description == "A valve beside a pipe." and "described_by_model" in picture.flags
    assert picture.kind == picture.chart_type == "diagram"
    raw = handbook()
    raw["pictures"][0] |= {
        "annotations": [],
        "meta": {
            "description": {"text": "Bars."},
            "classification": {"predictions": [{"class_name": "bar_chart", "confidence": 1.0}]},
        },
    }
    newer = of(raw, "image")
    assert (newer.description, newer.kind, newer.chart_form) == ("Bars.", "statistical", "bar")


def test_a_caption_before_its_table_is_tied_and_one_of_a_listing_is_text() -> None:
    raw = handbook()
    raw["body"]["children"].insert(5, ref("texts/7"))
    assert of(raw, "table").caption == "Table 1: Rates of the sites"
    raw["texts"].append(node("texts/17", "caption", [where(40, 95, 200, 99, 2)], "texts/12", **said("Listing 1")))
    raw["texts"][12]["captions"] = raw["texts"][12]["children"] = [ref("texts/17")]
    assert next(item for item in items(raw) if item.text == "Listing 1").role == "paragraph"


def test_references_that_lead_nowhere_or_in_a_circle_and_nodes_without_one_lose_nothing() -> None:
    # contract: D4
    raw = handbook()
    raw["body"]["children"] += [ref("texts/99"), ref("texts/2"), {"$ref": 5}, "text", ref("nothing/0")]
    raw["groups"][1]["children"].append(ref("groups/0"))
    raw["texts"].append(node("texts/17", "text", [where(40, 200, 300, 220, 2)], "body", **said("No one names me")))
    raw["texts"].append(node("texts/18", "hologram", [where(40, 230, 300, 240, 9)], "body", **said("Nor me")))
    content = docling.adapt(raw, "doc", pages=PAGES)
    assert {"No one names me", "Nor me"} <= {item.text for item in content.items}
    assert docling.warnings_of(content) == {"unknown_type": 1, "bad_page": 1, "lost_block": 2}
    assert [item.text for item in content.dropped] == ["#/texts/99", "#/nothing/0"]


def test_captions_of_captions_without_end_are_read() -> None:
    raw = handbook()
    first, count = len(raw["texts"]), 2000
    raw["texts"] += [
        {**said(f"t{n}"), "label": "text", "captions": [ref(f"texts/{first + n + 1}")]} for n in range(count)
    ]
    raw["body"]["children"].append(ref(f"texts/{first}"))
    assert len(items(raw)) == len(items(handbook())) + count


def test_a_page_with_a_number_too_long_to_read_is_none_of_the_document() -> None:
    raw = handbook()
    raw["pages"][f"000000001{'0' * 5000}"] = raw["pages"]["1"]
    assert len(docling.adapt(raw, "doc").pages) == 2


def test_what_nobody_sees_is_dropped_as_hidden() -> None:
    raw = handbook()
    raw["texts"][13]["content_layer"] = "invisible"
    content = docling.adapt(raw, "doc", pages=PAGES)
    assert [(item.reason, item.text) for item in content.dropped] == [("hidden", "☑ Inspected")]


def test_cells_that_are_damaged_or_too_many_keep_their_text() -> None:
    raw = handbook()
    raw["tables"][0]["data"]["table_cells"] += [
        {"text": "no slot"},
        "no cell",
        cell("beyond", 20_000, 20_000),
    ]
    table = of(raw, "table")
    assert table.table is not None and table.table.rows == [] and "beyond" in table.text and "4.1" in table.text
    raw["tables"][0]["data"] = {"grid": [[cell("a", 0, 0), cell("b", 0, 1)], [cell("c", 1, 0), cell("a", 0, 0)]]}
    table = of(raw, "table")
    assert table.table is not None and table.table.rows == [["a", "b"], ["c", ""]]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ([], "list"),
        ({"schema_name": "Other"}, "'Other'"),
        ({"schema_name": "DoclingDocument", "version": "2.0.0"}, "'2.0.0'"),
        ({"schema_name": "DoclingDocument"}, "'None'"),
    ],
)
def test_another_schema_or_version_is_refused_by_name(raw: Any, message: str) -> None:
    with pytest.raises(docling.NotADoclingDocument, match=message):
        docling.adapt(raw, "doc")


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("#/texts/1"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["$ref", "bbox", "l"]), inner),
    max_leaves=5,
)


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(path for key, each in inner for path in paths(each, (*at, key)))]


PLACES = [path for path in paths(handbook()) if path and path[0] not in ("schema_name", "version")]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(PLACES), JUNK), min_size=1, max_size=4))
def test_whatever_stands_in_a_field_a_tree_comes_of_it(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    # contract: D4, D5
    raw = copy.deepcopy(handbook())
    for path, value in changes:
        target: Any = raw
        for key in path[:-1]:
            target = target[key] if isinstance(target, dict) and key in target else (
                target[key] if isinstance(target, list) and isinstance(key, int) and key < len(target) else None
            )  # fmt: skip
        if isinstance(target, dict) or (
            isinstance(target, list) and isinstance(path[-1], int) and path[-1] < len(target)
        ):
            target[path[-1]] = value
    content = docling.adapt(raw, "doc", pages=PAGES)
    assert check_conservation(content, enhanced := enhance(content)) == []
    build_tree(enhanced)


def run(root: Path) -> StageResult:
    return AdaptStage().run(DocFolder("demo", "doc", root, root), AdaptSettings(ocr="none"))


def test_the_stage_takes_the_document_beside_the_pdf_and_cuts_its_pictures(tmp_path: Path) -> None:
    # contract: D4, D8
    with pymupdf.open() as pdf:
        for _ in range(2):
            pdf.new_page(width=400, height=600).draw_rect((60, 340, 340, 400), fill=(1, 0, 0))
        pdf.save(tmp_path / "full.pdf")
    source = tmp_path / "docling" / "document.json"
    source.parent.mkdir()
    source.write_text(json.dumps(handbook()), encoding="utf-8")
    result = run(tmp_path)
    content = ContentList.load(tmp_path / "content_list.adapted.json")
    assert (result.status, result.reason) == ("ok", None)
    path = next(item.image_path for item in content.items if item.role == "image")
    assert path is not None
    assert (pymupdf.Pixmap(str(tmp_path / path)).width, pymupdf.Pixmap(str(tmp_path / path)).height) == (641, 211)
    before = [path.read_bytes() for path in result.outputs]
    assert [path.read_bytes() for path in run(tmp_path).outputs] == before
    assert AdaptStage().inputs(DocFolder("demo", "doc", tmp_path, tmp_path), AdaptSettings())[-1] == source
    for wrong in ("{", "{}", "[" * 5000):
        source.write_text(wrong, encoding="utf-8")
        with pytest.raises(StageFailure) as caught:
            run(tmp_path)
        assert caught.value.reason == "bad_input"
