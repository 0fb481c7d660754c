"""From tree nodes to evidence blocks."""

from __future__ import annotations

from helpers.index_trees import report_tree

from cosee.artifacts.documents.chart import ChartData, ChartPoint, ChartSeries
from cosee.artifacts.documents.content import PageInfo, Region, TableData
from cosee.artifacts.documents.doctree import DocTree, Node, TreeQuality
from cosee.models.evidence import node_data, node_evidence, page_evidence
from cosee.reader.passages import Passage

BOX = (0.1, 0.1, 0.9, 0.2)


def node(node_id, node_type, parent, **fields):
    regions = [Region(page_idx=1, bbox=BOX)] if node_type != "document" else []
    return Node(
        id=node_id, type=node_type, parent=parent, page_idx=1, page_span=(1, 1), bbox=BOX, regions=regions, **fields
    )


SITES = {"title": "Sites", "text": "Sites", "level": 1, "children": ["t_2", "tab_3", "t_4", "img_5"]}
STAFF = {"title": "Staff", "text": "Site | Staff\nTurin | 85", "label": "Table 1"}
GROWTH = {"title": "Growth", "chart_form": "line", "kind": "statistical", "description": "A line."}


def tree():
    table = TableData(rows=[["Site", "Staff"], ["Turin", "85"]], header_rows=1)
    return DocTree(
        doc_id="d",
        pages=[PageInfo(page_idx=0, width=1, height=1), PageInfo(page_idx=1, width=1, height=1, page_label="iv")],
        nodes=[
            node("doc", "document", None, children=["sec_1"]),
            node("sec_1", "section", "doc", **SITES),
            node("t_2", "paragraph", "sec_1", text="We have one site.", level=2),
            node("tab_3", "table", "sec_1", **STAFF, table=table),
            node("t_4", "paragraph", "sec_1", text="secret", level=2, flags=["hidden"]),
            node("img_5", "image", "sec_1", **GROWTH),
        ],
        quality=TreeQuality(
            pages=2, pages_with_nodes=1, text_characters=1, text_coverage=1.0, sections=1, max_depth=2, figures=1,
            figures_without_caption=0, tables=1, tables_without_caption=0, orphans=0,
        ),
    )  # fmt: skip


def test_node_data_has_page_printed_page_and_section():
    data = node_data(tree(), "t_2")
    assert (data["page"], data["page_label"], data["path"], data["bbox"]) == (2, "iv", ["Sites"], list(BOX))
    assert "rows" not in data
    assert node_data(tree(), "img_5")["chart_form"] == "line"


def test_a_table_becomes_a_table_block_with_cells():
    block = node_evidence(tree(), "tab_3")
    assert block.kind == "table"
    assert block.data["rows"] == [["Site", "Staff"], ["Turin", "85"]]
    assert '<node tab_3 table "Table 1">' in block.text
    assert node_evidence(tree(), "t_2").kind == "node"


def test_a_page_shows_its_visible_nodes_only():
    block = page_evidence(tree(), 2)
    assert [item["node_id"] for item in block.data["nodes"]] == ["sec_1", "t_2", "tab_3", "img_5"]
    assert block.text.startswith('<evidence page="2" printed="iv">\n<node sec_1 section>Sites\n<node t_2>')
    assert "secret" not in block.text
    assert "secret" not in str(block.data)
    assert "A line." in block.text
    assert page_evidence(tree(), 1).data["nodes"] == []


def test_a_caption_that_is_its_figures_title_stands_once():
    report = report_tree()
    block = page_evidence(report, 4)
    assert block.text.count("Figure 3: Accuracy over time") == 1 and "<node t_10" not in block.text
    assert "t_10" in [each["node_id"] for each in block.data["nodes"]], "the reader without a model has it still"
    report.node("t_10").text = "Figure 3: Accuracy over time, by the authors' own count"
    assert "<node t_10 caption" in page_evidence(report, 4).text, "what says more has a line of its own"
    assert "<node t_10 caption" in node_evidence(report_tree(), "t_10").text


def test_the_printed_number_is_told_where_it_is_another():
    shown = tree()
    assert page_evidence(shown, 2).text.startswith('<evidence page="2" printed="iv">')
    shown.pages[1].page_label = "2"
    assert page_evidence(shown, 2).text.startswith('<evidence page="2">')
    assert node_evidence(shown, "tab_3").text.startswith('<evidence page="2" section="Sites">')
    assert page_evidence(shown, 2).data["page_label"] == "2"


def test_passages_are_read_from_node_data():
    passage = Passage.from_data(node_data(tree(), "tab_3"))
    assert passage.rows == (("Site", "Staff"), ("Turin", "85"))
    assert passage.content == "Site | Staff\nTurin | 85"


def test_what_a_search_tells_is_data_and_not_text():
    plain, told = page_evidence(tree(), 2), page_evidence(tree(), 2, {"rank": 3, "absent": ["Oslo"]}, {"t_2": 0.25})
    assert told.text == plain.text and "rank" not in plain.data
    assert told.data["rank"] == 3 and told.data["absent"] == ["Oslo"]
    found = {each["node_id"]: each.get("relevance") for each in told.data["nodes"]}
    assert found["t_2"] == 0.25 and found["tab_3"] is None
    assert Passage.from_data(told.data["nodes"][1], 3).page_rank == 3


def test_a_chart_that_was_read_has_rows():
    points = [ChartPoint(label="2020", y=3.0), ChartPoint(label="2021", y=4.5)]
    chart = ChartData(form="bar", series=[ChartSeries(name="Staff", color="#000000", points=points)])
    shown = tree()
    shown.node("img_5").chart = chart
    assert node_data(shown, "img_5")["chart_rows"] == [["", "Staff"], ["2020", "~3"], ["2021", "~4.5"]]
