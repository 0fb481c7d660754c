from helpers.index_trees import TreeBuilder, report_tree

from cosee.artifacts.documents.index import GraphEdge
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.dense import leaf_records
from cosee.index.graph import graph_edges, id_maps
from cosee.index.self_check import check_graph
from cosee.index.view import IndexView


def edges_of(tree):
    view = IndexView(tree)
    leaves = leaf_records(view, IndexSettings())
    return graph_edges(view, leaves), leaves, id_maps(view)


def test_every_kind_of_edge_is_there() -> None:
    # contract: D54
    edges, _, _ = edges_of(report_tree())
    for edge in (
        GraphEdge(src="img_9", dst="sec_6", type="parent"),
        GraphEdge(src="sec_6", dst="img_9", type="child"),
        GraphEdge(src="P3", dst="img_9", type="same_page"),
        GraphEdge(src="t_2#c0", dst="img_9", type="ref", label="Figure 3"),
        GraphEdge(src="t_7", dst="t_8", type="prev_next"),
        GraphEdge(src="tab_12", dst="tab_12:col:Accuracy (%)", type="has_col", label="Accuracy (%)", unit="%"),
    ):
        assert edge in edges
    assert len({edge.model_dump_json() for edge in edges}) == len(edges)


def test_edges_end_in_nodes_chunks_pages_or_columns_and_every_node_has_a_parent() -> None:
    # contract: D55, D56
    tree = report_tree()
    edges, leaves, maps = edges_of(tree)
    assert check_graph(tree, leaves, edges, maps) == []
    lost = [edge for edge in edges if edge.src != "t_7" or edge.type != "parent"]
    assert "t_7 has no parent edge" in check_graph(tree, leaves, lost, maps)[0]
    dangling = [*edges, GraphEdge(src="t_2#c9", dst="img_9", type="ref")]
    assert "t_2#c9 -> img_9 ends in nothing" in check_graph(tree, leaves, dangling, maps)[0]


def test_id_maps_agree_with_the_tree() -> None:
    # contract: D57
    _, _, maps = edges_of(report_tree())
    assert maps.label2id == {"Figure 3": "img_9", "Table 2": "tab_12"}
    assert maps.figure == {"3": "img_9"} and maps.table == {"2": "tab_12"} and maps.duplicates == {}
    assert maps.page_labels == {"i": 0, "ii": 1, "1": 2, "2": 3, "3": 4}


def test_duplicate_labels_are_listed_and_the_first_counts() -> None:
    # contract: D57
    build = TreeBuilder()
    build.image("img_1", "Figure 1", label="Figure 1")
    build.image("img_2", "Figure 1", label="Figure 1")
    _, _, maps = edges_of(build.build())
    assert maps.label2id == {"Figure 1": "img_1"} and maps.duplicates == {"Figure 1": ["img_1", "img_2"]}


def test_columns_have_the_unit_of_their_name_their_values_the_labels_or_the_caption() -> None:
    # contract: D54
    tree = TreeBuilder()
    tree.section("sec_1", "Results")
    rows = [["(in millions)", "2022", "Change", "Hours (h)"], ["Sales", "5", "3%", "7"], ["Costs", "4", "2%", "8"]]
    tree.table("tab_2", "Sales", rows)
    tree.table("tab_3", "Weight in kilograms", [["Part", "Pump"], ["A", "5"], ["B", "6"]])
    edges, _, _ = edges_of(tree.build())
    units = {(edge.src, edge.label): edge.unit for edge in edges if edge.type == "has_col"}
    assert units == {
        ("tab_2", "(in millions)"): "million",
        ("tab_2", "2022"): "million",
        ("tab_2", "Change"): "%",
        ("tab_2", "Hours (h)"): "h",
        ("tab_3", "Part"): None,
        ("tab_3", "Pump"): "kg",
    }
