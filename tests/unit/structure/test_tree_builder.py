from __future__ import annotations

from pathlib import Path

from helpers.content_lists import Pages

from cosee.artifacts.documents.chart import ChartData, ChartPoint, ChartSeries
from cosee.artifacts.documents.doctree import ROOT_ID, DocTree
from cosee.structure.enhance import enhance
from cosee.structure.tree.tree_builder import build_tree
from cosee.structure.tree.tree_quality import check_tree


def tree_of(pages: Pages) -> DocTree:
    return build_tree(enhance(pages.adapted()))


def report() -> Pages:
    pages = Pages()
    pages.heading("1 Introduction", 16)
    pages.body(1)
    pages.heading("1.1 Background", 13)
    pages.image()
    pages.add("Figure 1: Rainfall by month.", size=9)
    pages.page()
    pages.add("Table 1: Sites.", size=9)
    pages.table([["Site", "Mean"], ["North\nhall", "4.1"]])
    pages.heading("2 Summary", 16)
    pages.body(2)
    pages.page()
    pages.heading("3 Summary", 16)
    pages.add("• one point")
    return pages


def test_sections_hold_what_follows_them() -> None:
    # contract: D22, D23, D26
    tree = tree_of(report())
    assert [(node.id, node.type, node.parent, node.level) for node in tree.nodes] == [
        ("doc", "document", None, 0),
        ("sec_0", "section", "doc", 1),
        ("t_1", "paragraph", "sec_0", 2),
        ("sec_2", "section", "sec_0", 2),
        ("img_3", "image", "sec_2", 3),
        ("t_4", "caption", "sec_2", 3),
        ("t_5", "caption", "sec_2", 3),
        ("tab_6", "table", "sec_2", 3),
        ("sec_7", "section", "doc", 1),
        ("t_8", "paragraph", "sec_7", 2),
        ("sec_9", "section", "doc", 1),
        ("t_10", "list", "sec_9", 2),
    ]
    assert tree.quality.problems == []
    assert tree.node("sec_2").item_ids == ["t_2"]


def test_page_spans_nest_and_page_views_list_nodes() -> None:
    # contract: D27
    tree = tree_of(report())
    assert tree.root.page_span == (0, 2)
    assert tree.node("sec_0").page_span == (0, 1)
    assert tree.node("sec_7").page_span == (1, 1)
    assert tree.page_nodes[1] == ["t_5", "tab_6", "sec_7", "t_8"]


def test_indexes_and_navigation_agree_with_the_tree() -> None:
    # contract: D28, D29, D57
    pages = report()
    pages.heading("3 Summary", 16)
    pages.body(4)
    tree = tree_of(pages)
    assert tree.headings["3 Summary"] == ["sec_9", "sec_11"]
    assert tree.labels == {"Figure 1": ["img_3", "t_4"], "Table 1": ["t_5", "tab_6"]}
    assert [node.id for node in tree.of_type("image", "table")] == ["img_3", "tab_6"]
    assert [node.id for node in tree.path("img_3")] == ["doc", "sec_0", "sec_2", "img_3"]
    assert [node.id for node in tree.siblings("img_3")] == ["t_4", "t_5", "tab_6"]
    assert [node.id for node in tree.subtree(ROOT_ID)] == [node.id for node in tree.nodes]


def test_a_document_without_headings_and_an_empty_one_give_trees() -> None:
    # contract: D24
    pages = Pages()
    pages.body(1)
    pages.body(2)
    tree = tree_of(pages)
    assert [node.type for node in tree.nodes] == ["document", "paragraph", "paragraph"]
    assert tree.quality.problems == []
    empty = tree_of(Pages())
    assert [node.id for node in empty.nodes] == ["doc"]
    assert empty.quality.problems == [] and [doubt.reason for doubt in empty.quality.doubts] == ["no_content"]


def test_one_section_a_slide_and_a_slide_without_title_stays_out_of_the_one_before() -> None:
    # contract: D25
    pages = Pages(width=960, height=540)
    for number in range(3):
        if number != 1:
            pages.add(f"Topic {number}", size=28, bbox=(0.1, 0.05, 0.6, 0.12))
        pages.image(bbox=(0.2, 0.3, 0.8, 0.8))
        if number < 2:
            pages.page()
    tree = tree_of(pages)
    assert [(node.type, node.parent) for node in tree.nodes[1:]] == [
        ("section", "doc"), ("image", "sec_0"), ("image", "doc"), ("section", "doc"), ("image", "sec_3"),
    ]  # fmt: skip


def test_table_text_is_cells_without_markup() -> None:
    # contract: D61
    tree = tree_of(report())
    assert tree.node("tab_6").text == "Site | Mean\nNorth hall | 4.1"
    pages = Pages()
    pages.add("<table><tr><td>a</td></tr></table>", role="table", prefix="tab")
    assert tree_of(pages).nodes[1].text == "a"


def test_a_caption_before_the_next_heading_stays_beside_its_figure() -> None:
    pages = Pages()
    pages.heading("1 One", 14, bbox=(0.1, 0.1, 0.5, 0.12))
    pages.image(bbox=(0.1, 0.15, 0.45, 0.4))
    pages.heading("2 Two", 14, bbox=(0.55, 0.1, 0.9, 0.12))
    pages.add("Figure 1: Rainfall by month.", size=9, bbox=(0.1, 0.41, 0.45, 0.425))
    pages.body(1, bbox=(0.55, 0.15, 0.9, 0.3))
    tree = tree_of(pages)
    assert [(node.id, node.parent) for node in tree.nodes[1:]] == [
        ("sec_0", "doc"), ("img_1", "sec_0"), ("t_3", "sec_0"), ("sec_2", "doc"), ("t_4", "sec_2"),
    ]  # fmt: skip
    assert tree.quality.problems == []


def test_the_file_round_trips(tmp_path: Path) -> None:
    # contract: D30
    tree = tree_of(report())
    path = tmp_path / "doctree.mm.json"
    tree.save(path)
    first = path.read_bytes()
    loaded = DocTree.load(path)
    assert loaded == tree
    loaded.save(path)
    assert path.read_bytes() == first


def test_broken_trees_are_named() -> None:
    # contract: D22, D23
    content = enhance(report().adapted())
    tree = build_tree(content)
    tree.node("t_1").level = 1
    tree.node("t_8").page_span = (0, 2)
    tree.node("t_4").caption_of = "img_99"
    lost = [node for node in tree.nodes if node.id != "t_10"]
    problems = check_tree(lost, content)
    assert "item 't_10' is in 0 nodes" in problems
    assert "node 't_1' of level 1 is under 'sec_0' of level 1" in problems
    assert "pages of node 't_8' reach out of those of 'sec_7'" in problems
    assert "caption 't_4' names 'img_99', which is not in the tree" in problems


def test_quality_counts_what_is_in_the_tree_and_what_is_not() -> None:
    pages = report()
    content = enhance(pages.adapted())
    quality = build_tree(content).quality
    assert (quality.pages, quality.sections, quality.max_depth, quality.figures, quality.tables) == (3, 4, 2, 1, 1)
    assert (quality.figures_without_caption, quality.tables_without_caption, quality.orphans) == (0, 0, 0)
    assert quality.text_coverage == 1.0


def test_the_values_of_a_chart_go_with_its_node() -> None:
    content = enhance(report().adapted())
    chart = ChartData(form="bar", series=[ChartSeries(color="#000000", points=[ChartPoint(label="May", y=4.0)])])
    image = next(item for item in content.items if item.id == "img_3")
    image.chart = chart
    assert build_tree(content).node("img_3").chart == chart
