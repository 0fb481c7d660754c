import itertools

import pytest
from helpers.index_trees import TreeBuilder, report_tree

from cosee.artifacts.documents.doctree import split_id
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.dense import coarse_records, leaf_records
from cosee.index.sparse import FIELDS, SparseIndex, leaf_documents
from cosee.index.summarizer import node_summaries
from cosee.index.view import IndexView
from cosee.text.tokens import query_weights

SETTINGS = IndexSettings()


def records(tree=None):
    view = IndexView(tree or report_tree())
    return {each.node_id: each for each in coarse_records(view, node_summaries(view, SETTINGS), SETTINGS)}


def test_section_variants_have_their_texts() -> None:
    # contract: D35, D38, D39
    found = records()
    assert found["sec_6#h"].dense_text == "2.3 Training"
    assert found["sec_6#g"].dense_text.startswith("Accuracy rose from 71.5 %")
    assert found["sec_6#c"].dense_text == "Figure 3: Accuracy over time"
    assert found["sec_5#c"].dense_text == "2.3 Training"
    assert found["sec_11#c"].dense_text == "Table 2: Models; Model, Accuracy (%), Latency (ms)"
    assert found["sec_6#p"].dense_text == "2 Method > 2.3 Training"


def test_every_suffix_names_its_variant_and_leads_back_to_the_node() -> None:
    # contract: D36
    tree = report_tree()
    parts = {name: split_id(name) for name in records(tree)}
    for node in tree.of_type("section"):
        assert {name for name, (plain, _, _) in parts.items() if plain == node.id} <= {f"{node.id}#{x}" for x in "hgcp"}
        assert (node.id, "h", None) in parts.values() and (node.id, "p", None) in parts.values()
    assert {name for name in parts if name.startswith("sec_6")} == {"sec_6#h", "sec_6#g", "sec_6#c", "sec_6#p"}
    assert parts["sec_6#c"] == ("sec_6", "c", None), "without digits it is the child variant"
    assert parts["img_9"] == ("img_9", None, None) and parts["tab_12"] == ("tab_12", None, None)
    chunk = leaf_records(IndexView(tree), SETTINGS)[0]
    assert split_id(chunk.node_id) == (chunk.orig_node_id, None, 0), "with digits it is a chunk"
    assert {plain for plain, _, _ in parts.values()} <= set(tree.by_id)
    with pytest.raises(ValueError, match="'sec_6#x' is not an index id"):
        split_id("sec_6#x")


def test_variants_share_everything_but_text() -> None:
    # contract: D37
    found = records()
    for letter, variant in (("h", "heading"), ("g", "gist"), ("c", "child"), ("p", "path")):
        record = found[f"sec_6#{letter}"]
        assert record.variant == variant
        shared = {"node_id", "variant", "dense_text"}
        assert record.model_dump(exclude=shared) == found["sec_6#h"].model_dump(exclude=shared)


def test_media_records_carry_label_number_and_parent_and_no_markup() -> None:
    # contract: D41, D42, D61
    found = records()
    image, table = found["img_9"], found["tab_12"]
    assert {"label": "Figure 3", "figure_no": "3", "chart_type": "statistical"}.items() <= image.filters.items()
    assert image.filters["parent_section"] == "sec_6" and image.filters["parent_title"] == "2.3 Training"
    assert {"label": "Table 2", "table_no": "2", "units_set": ["%", "ms"]}.items() <= table.filters.items()
    assert "Heron" in table.dense_text and "Accuracy (%)" in table.dense_text
    assert "secretmarkup" not in table.model_dump_json() and "<td>" not in table.model_dump_json()


def test_image_without_any_words_is_still_a_record() -> None:
    # contract: D61
    build = TreeBuilder()
    build.image("img_1", "", kind="photo")
    assert records(build.build())["img_1"].dense_text == "photo"


def test_leaf_records_hold_role_refs_and_raw_text() -> None:
    # contract: D45, D47, D48
    leaves = {each.node_id: each for each in leaf_records(IndexView(report_tree()), SETTINGS)}
    assert {each.role for each in leaves.values()} == {"paragraph", "list", "caption", "equation", "footnote", "code"}
    assert [(ref.label, ref.target) for ref in leaves["t_2#c0"].refs] == [("Figure 3", "img_9"), ("Table 2", "tab_12")]
    assert leaves["t_2#c0"].orig_node_id == "t_2"
    assert leaves["t_2#c0"].raw_text == report_tree().node("t_2").text
    assert leaves["t_7#c0"].filters["units_set"] == ["%", "ms"]
    assert leaves["t_10#c0"].refs == [], "a caption does not refer to what it is the caption of"


def test_a_leaf_refers_to_the_numbered_sections_that_it_names() -> None:
    # contract: D45
    build = TreeBuilder(4)
    build.section("sec_1", "Item 7. Discussion")
    build.leaf("t_2", "Item 9. Controls, page 3; Note 7", type="toc")
    build.leaf(
        "t_3", "Taxes fell (see Notes 2 and 7 and Appendix B). Section 7(a) of the Act and Section 2 of the Act hold."
    )
    build.section("sec_4", "2. Basis", page=1)
    build.section("sec_5", "7 Income taxes", page=2)
    build.leaf("t_6", "As Note 7 says.", page=2)
    build.section("sec_7", "Appendix B: Rates", page=3)
    leaves = {each.node_id: each.refs for each in leaf_records(IndexView(build.build()), SETTINGS)}
    named = [(ref.label, ref.target) for ref in leaves["t_3#c0"]]
    assert named == [("Note 2", "sec_4"), ("Note 7", "sec_5"), ("Appendix B", "sec_7")]
    assert leaves["t_2#c0"] == [], "a table of contents lists all of them"


def test_chunks_of_a_long_leaf_hold_every_character() -> None:
    # contract: D46
    text = " ".join(f"word{i}." for i in range(400))
    build = TreeBuilder()
    build.leaf("t_1", text)
    leaves = leaf_records(IndexView(build.build()), SETTINGS)
    assert [each.node_id for each in leaves] == [f"t_1#c{i}" for i in range(len(leaves))] and len(leaves) > 3
    covered = leaves[0].raw_text
    for before, after in itertools.pairwise(leaves):
        overlap = next(n for n in range(len(after.raw_text), 0, -1) if before.raw_text.endswith(after.raw_text[:n]))
        covered += after.raw_text[overlap:]
    assert covered == text


def test_hidden_and_garbage_text_is_in_no_record() -> None:
    tree = report_tree()
    tree.pages[4].flags.append("garbage_text")
    view = IndexView(tree)
    text = "".join(each.model_dump_json() for each in leaf_records(view, SETTINGS))
    assert "ostrich" not in text and "Heron" not in text and "Pumps" in text


def test_sparse_leaf_is_searched_by_its_raw_text() -> None:
    # contract: D51
    view = IndexView(report_tree())
    leaves = leaf_records(view, SETTINGS)
    documents = leaf_documents(view, leaves)
    assert [each.body for each in documents] == [each.raw_text for each in leaves]
    hits = SparseIndex.build(documents, FIELDS["leaf"]).search(query_weights("wide margin"), 3)
    assert [name for name, _ in hits] == ["t_14#c0"]
