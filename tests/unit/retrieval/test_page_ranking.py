from pathlib import Path

import numpy
from helpers.index_trees import BOX, TreeBuilder

from cosee.artifacts.documents.content import DroppedItem, Region
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.build import build_index
from cosee.index.store import load_index
from cosee.retrieval.page_index import page_index
from cosee.retrieval.page_ranking import Named, PageRanker
from cosee.retrieval.page_weights import PageWeights
from cosee.retrieval.word_pairs import pairs_in


def ranker_of(build: TreeBuilder, folder: Path) -> PageRanker:
    tree = build.build()
    build_index(tree, folder, IndexSettings(embedder="none"), None)
    index = load_index(folder, tree)
    return PageRanker(tree, index, page_index(tree, index), PageWeights())


def test_page_index_counts_every_text_on_its_pages_once(tmp_path: Path) -> None:
    build = TreeBuilder(3)
    build.section("sec_1", "Turbine", 0)
    build.leaf("t_2", "pump pump", 0)
    build.leaf("t_3", "pump", 1, regions=[Region(page_idx=1, bbox=BOX), Region(page_idx=2, bbox=BOX)])
    build.table("tab_4", "Table 1: Valves", [["valve", "size"], ["brass", "9"]], 1)
    tree = build.build()
    tree.dropped = [
        DroppedItem(id="t_9", reason="header", page_idx=2, text="Valve Works"),
        DroppedItem(id="t_8", reason="hidden", page_idx=2, text="ostrich"),
    ]
    build_index(tree, tmp_path, IndexSettings(embedder="none"), None)
    index = page_index(tree, load_index(tmp_path, tree))

    counts = {
        (index.ids[page], index.fields[field], index.vocabulary[term]): count
        for page, field, term, count in index.postings.tolist()
    }
    assert counts["P0", "body", "pump"] == 2 and counts["P1", "body", "pump"] == 1 == counts["P2", "body", "pump"]
    assert counts["P0", "body", "turbin"] == 1
    assert counts["P1", "body", "brass"] == 1 and counts["P1", "body", "valv"] == 2
    assert counts["P2", "headings", "turbin"] == 1 == counts["P0", "headings", "turbin"], "each heading word once"
    assert counts["P2", "furniture", "valv"] == 1 and "ostrich" not in index.vocabulary
    assert [int(total) for total in index.lengths.sum(axis=1)] == [
        sum(count for (page, _, _), count in counts.items() if page == name) for name in index.ids
    ]


def test_pages_get_shares_and_say_what_each_view_added(tmp_path: Path) -> None:
    # contract: D82
    build = TreeBuilder(3)
    build.leaf("t_1", "The operating lease ends in May.", 0)
    build.leaf("t_2", "The lease of the operating theatre ends.", 1)
    build.table("tab_3", "Table 1: Valves", [["valve", "size"], ["brass", "9"]], 2)
    ranker = ranker_of(build, tmp_path)

    terms = {"oper": 1.0, "leas": 1.0}
    views = ranker.views(terms, terms, [("oper", "leas")], None, Named())
    assert views["pairs"][0] > 0 == views["pairs"][1], "side by side on the first page only"
    first, second = ranker.rank(views)
    assert (first.page_idx, second.page_idx) == (0, 1) and {"page", "pairs", "word_rank"} <= set(first.parts)
    assert first.share > second.share and first.share + second.share <= 1
    assert ranker.rank(views, only={1}) == [second]

    views = ranker.views({"brass": 1.0}, {"brass": 1.0}, [], None, Named(pages=[[1, 0]], nodes=frozenset(["tab_3"])))
    ranked = ranker.rank(views)
    assert [row.page_idx for row in ranked] == [1, 0, 2], "named pages first, the likelier reading before the other"
    assert {"page", "media", "named_node"} <= set(ranked[2].parts)
    assert ranker.rank(ranker.views({"zebra": 1.0}, {}, [], None, Named())) == []


def test_pairs_are_telling_words_side_by_side() -> None:
    assert pairs_in("Which of the pumps leaks oil?") == [("pump", "leak"), ("leak", "oil")]
    assert pairs_in("pump") == [] == pairs_in("")


def test_a_page_leads_to_those_beside_it_and_to_what_it_refers_to(tmp_path: Path) -> None:
    build = TreeBuilder(6)
    build.leaf("t_1", "Output is in Table 7.", 0)
    build.table("tab_2", "Table 7: Valves", [["valve", "size"], ["brass", "9"]], 4, label="Table 7")
    build.leaf("t_3", "The pump leaks.", 2)
    ranker = ranker_of(build, tmp_path)
    views = ranker.links.views(numpy.array([0.6, 0.1, 0.3, 0.0, 0.0, 0.0]))
    assert views["before"].tolist() == [0.0, 0.6, 0.1, 0.3, 0.0, 0.0]
    assert views["after"].tolist() == [0.1, 0.3, 0.0, 0.0, 0.0, 0.0]
    assert views["referred"].tolist() == [0.0, 0.0, 0.0, 0.0, 0.6, 0.0], "the table that page 1 refers to"

    found = ranker.views({"output": 1.0, "valv": 0.2, "pump": 0.2}, {}, [], None, Named())
    with_links, without = (
        {row.page_idx: row.share for row in ranker.rank(found, linked=linked)} for linked in (True, False)
    )
    assert with_links[4] > without[4] and with_links[4] / with_links[2] > without[4] / without[2]


def test_a_view_of_other_pages_finds_none_by_itself(tmp_path: Path) -> None:
    build = TreeBuilder(3)
    for page, text in enumerate(("The dam.", "The lock.", "The canal.")):
        build.leaf(f"t_{page}", text, page)
    ranker = ranker_of(build, tmp_path)
    ranked = ranker.rank(ranker.views({"dam": 1.0}, {"dam": 1.0}, [], None, Named()))
    assert [row.page_idx for row in ranked] == [0], "the page behind it has none of the words"
