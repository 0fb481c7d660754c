from pathlib import Path

import numpy
from helpers.index_trees import BOX, TreeBuilder

from cosee.artifacts.documents.content import DroppedItem, Region
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.build import build_index
from cosee.index.store import load_index
from cosee.retrieval.page_index import page_index
from cosee.retrieval.page_ranking import Named, PageRanker, PageWeights
from cosee.retrieval.word_pairs import pairs_in


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
    build.leaf("t_2", "The lease of the operating theatre ends. It was operating.", 1)
    build.table("tab_3", "Table 1: Valves", [["valve", "size"], ["brass", "9"]], 2)
    tree = build.build()
    build_index(tree, tmp_path, IndexSettings(embedder="none"), None)
    index = load_index(tmp_path, tree)
    ranker = PageRanker(tree, index, page_index(tree, index), PageWeights())

    terms = {"oper": 1.0, "leas": 1.0}
    views = ranker.views(terms, [("oper", "leas")], None, Named())
    assert views["pairs"][0] > 0 == views["pairs"][1], "side by side on the first page only"
    first, second = ranker.rank(views)
    assert (first.page_idx, second.page_idx) == (0, 1) and set(first.parts) == {"page", "pairs"}
    assert first.share > second.share and first.share + second.share <= 1
    assert ranker.rank(views, only={1}) == [second]

    views = ranker.views({"brass": 1.0}, [], None, Named(pages=[[1, 0]], nodes=frozenset(["tab_3"])))
    ranked = ranker.rank(views)
    assert [row.page_idx for row in ranked] == [1, 0, 2], "named pages first, the likelier reading before the other"
    assert set(ranked[2].parts) == {"page", "media", "named_node"}
    assert ranker.rank(ranker.views({"zebra": 1.0}, [], None, Named())) == []


def test_pairs_are_telling_words_side_by_side() -> None:
    assert pairs_in("Which of the pumps leaks oil?") == [("pump", "leak"), ("leak", "oil")]
    assert pairs_in("pump") == [] == pairs_in("")


def test_the_best_pages_by_words_stand_right_behind_the_first_five(tmp_path: Path) -> None:
    # contract: D65
    build = TreeBuilder(12)
    for page in range(12):
        build.leaf(f"t_{page}", f"Pump {page} of the station.", page)
    tree = build.build()
    build_index(tree, tmp_path, IndexSettings(embedder="none"), None)
    index = load_index(tmp_path, tree)
    ranker = PageRanker(tree, index, page_index(tree, index), PageWeights())
    near = numpy.array([0.9 - 0.05 * page for page in range(12)])
    words = numpy.zeros(12)
    words[[0, 9, 11]] = [3.0, 1.0, 2.0]
    assert [row.page_idx for row in ranker.rank({"page": words, "vector": near})] == [
        0,
        1,
        2,
        3,
        4,
        11,
        9,
        5,
        6,
        7,
        8,
        10,
    ]
    assert [row.page_idx for row in ranker.rank({"page": words})] == [0, 11, 9]
