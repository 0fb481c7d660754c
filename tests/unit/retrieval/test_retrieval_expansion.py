from pathlib import Path

from helpers.index_trees import TreeBuilder, report_tree

from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.build import build_index
from cosee.index.store import load_index
from cosee.retrieval.expansion import Expander


def expander(tree: DocTree, folder: Path) -> Expander:
    build_index(tree, folder, IndexSettings(embedder="none"), None)
    return Expander(tree, load_index(folder, tree))


def build_ids(number: int) -> list[str]:
    """What stands in one section of the test below, in reading order."""
    return [f"img_{number}", *(f"t_{number}{part}" for part in range(5))]


def test_section_brings_representatives_children_siblings_page_and_parent_within_limits(tmp_path: Path) -> None:
    # contract: D70
    build = TreeBuilder()
    build.section("sec_0", "Top")
    for number in range(1, 6):
        build.section(f"sec_{number}", f"Section {number}", level=2)
        build.image(f"img_{number}", "Figure", kind="photo")
        for part in range(5):
            build.leaf(f"t_{number}{part}", f"text {part} of section {number} about pumps")
    found = expander(build.build(), tmp_path).neighbours("sec_3")
    relations = list(found.values())
    limits = {"representative": 3, "child": 2, "sibling": 2, "same_page": 8, "parent": 1}
    assert {name: relations.count(name) for name in limits} == {**limits, "representative": 2}
    named = {name: [node_id for node_id, relation in found.items() if relation == name] for name in limits}
    representatives = named["representative"]
    assert "img_3" in representatives and all(each in build_ids(3) for each in representatives)
    assert named["child"] == [each for each in build_ids(3) if each not in representatives][:2]
    assert named["sibling"] == ["sec_4", "sec_2"], "the nearest, not the first two of the family"
    assert named["parent"] == ["sec_0"]
    # Everything else of the page that is not named already, in reading order.
    taken = {"sec_3", *representatives, *named["child"], *named["sibling"], *named["parent"]}
    order = ["sec_0", *(each for number in range(1, 6) for each in (f"sec_{number}", *build_ids(number)))]
    assert named["same_page"] == [each for each in order if each not in taken][:8]
    assert "sec_3" not in found


def test_media_bring_caption_parent_section_and_referring_paragraphs(tmp_path: Path) -> None:
    # contract: D71
    found = expander(report_tree(), tmp_path).neighbours("tab_12")
    assert found == {"t_13": "caption", "sec_11": "parent", "t_2": "ref", "t_14": "ref"}


def test_neighbours_are_never_hidden_nodes(tmp_path: Path) -> None:
    found = expander(report_tree(), tmp_path).neighbours("sec_1")
    assert "t_3" not in found
