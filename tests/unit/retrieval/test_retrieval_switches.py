"""Each switch of RetrievalSettings changes what its component does, and only that."""

from pathlib import Path

import pytest
from helpers.index_trees import BOX, TreeBuilder, report_tree
from helpers.retrievers import QUESTIONS, make

from cosee.artifacts import files
from cosee.artifacts.documents.content import Region
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.index import PassageScores, QuestionPassages
from cosee.artifacts.results.prediction import Retrieved
from cosee.artifacts.settings.answer import Facets, FusionWeights, RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.retrieval.ranking import Ranking
from cosee.retrieval.retriever import Retriever
from cosee.retrieval.thresholds import MOST_PAGES


def search(folder: Path, tree: DocTree, question: str, **settings: object) -> Ranking:
    return make(folder, tree, vectors=False, **settings).search(question)


def dams() -> DocTree:
    build = TreeBuilder(6)
    build.section("sec_1", "Northern Works", 0)
    build.leaf("t_2", "The northern dam holds the upper lake.", 0)
    build.leaf("t_3", "Its crest was raised by two metres.", 1)
    build.section("sec_4", "Southern Works", 3)
    build.leaf("t_5", "The southern lock has two gates.", 3)
    build.leaf("t_6", "Gates and crests are painted every spring.", 4)
    build.leaf("t_7", "Total current assets exceed total current liabilities.", 5)
    return build.build()


def test_channels_leave_a_channel_out(tmp_path: Path) -> None:
    # contract: D111
    both = make(tmp_path / "a", report_tree()).search(QUESTIONS["q1"], question_id="q1")
    dense = make(tmp_path / "b", report_tree(), channels=["dense"]).search(QUESTIONS["q1"], question_id="q1")
    assert any(hit.parts["bm25f"] for hit in both.hits) and not any(hit.parts["bm25f"] for hit in dense.hits)
    assert {"page", "vector"} <= set(both.page_parts[0]) and not {"page", "pairs", "word_rank"} & set(
        dense.page_parts[0]
    )


def test_tree_prior_and_intent_bonus_are_off_at_weight_zero(tmp_path: Path) -> None:
    question = "Which crest or gates does the northern dam have?"
    without = FusionWeights(tree_prior=0)
    on = search(tmp_path / "a", dams(), question, rerank=False)
    off = search(tmp_path / "b", dams(), question, rerank=False, weights=without)
    assert {hit.node_id: hit.score for hit in on.hits} != {hit.node_id: hit.score for hit in off.hits}
    assert all(hit.score == mean_of(hit, "intent_bonus") for hit in off.hits)
    off = search(tmp_path / "c", dams(), question, rerank=False, weights=FusionWeights(intent_bonus=0))
    assert all(hit.score == mean_of(hit, "tree_prior") for hit in off.hits)


def mean_of(hit: Retrieved, other: str) -> object:
    return pytest.approx((0.35 * hit.parts["bm25f"] + 0.1 * hit.parts[other]) / 0.45, abs=1e-5)


def test_rerank_gives_scores_and_reasons(tmp_path: Path) -> None:
    on = search(tmp_path / "a", report_tree(), "Heron accuracy in Table 2", expansion=False)
    off = search(tmp_path / "b", report_tree(), "Heron accuracy in Table 2", expansion=False, rerank=False)
    assert on.hits[0].reasons and on.hits[0].score > on.hits[0].parts["fused"]
    assert all(not hit.reasons and hit.score == hit.parts["fused"] for hit in off.hits)


def test_rewriting_mends_words(tmp_path: Path) -> None:
    assert search(tmp_path / "a", dams(), "sothern").pages[0] == 4
    assert search(tmp_path / "b", dams(), "sothern", rewriting=False).pages == []


def test_a_figure_of_accounting_is_searched_with_its_line_items(tmp_path: Path) -> None:
    question = "What is the quick ratio?"
    assert search(tmp_path / "a", dams(), question).pages[0] == 6
    assert search(tmp_path / "b", dams(), question, finance=False).pages == []
    assert search(tmp_path / "c", dams(), question, rewriting=False).pages == []


def test_named_places_come_first(tmp_path: Path) -> None:
    question = "Does page 5 or the Southern Works section show the northern dam?"
    on, off = search(tmp_path / "a", dams(), question), search(tmp_path / "b", dams(), question, named_places=False)
    assert on.pages[0] == 5 and {"named_page", "named_section"} <= set(on.page_parts[0])
    assert off.pages[0] == 1 and not any("named" in name for parts in off.page_parts for name in parts)
    assert on.pages.index(4) < on.pages.index(2) if 2 in on.pages else True


def test_question_parts_are_searched_by_themselves(tmp_path: Path) -> None:
    question = "Compare the northern dam that holds the upper lake with the southern lock."
    on, off = search(tmp_path / "a", dams(), question, question_parts=True), search(tmp_path / "b", dams(), question)
    shares = [dict(zip(each.pages, each.page_scores, strict=True)) for each in (on, off)]
    assert shares[0][4] > shares[1][4], "the page of the weaker side gains"
    assert any("part 2" in hit.reasons for hit in on.hits) and not any("part 2" in hit.reasons for hit in off.hits)


def test_second_pages_are_those_that_the_first_lead_to(tmp_path: Path) -> None:
    question = "northern dam that holds the upper lake"
    on, off = search(tmp_path / "a", dams(), question), search(tmp_path / "b", dams(), question, second_pages=False)
    told = [{name for parts in each.page_parts for name in parts} for each in (on, off)]
    assert {"before", "after"} <= told[0] and not {"before", "after", "referred"} & told[1]


def test_the_graph_and_the_reranker_show_in_the_ranking_of_pages(tmp_path: Path) -> None:
    question = "Heron accuracy in Table 2"
    every = search(tmp_path / "a", report_tree(), question)
    for name in ("rerank", "expansion"):
        less = search(tmp_path / name, report_tree(), question, **{name: False})
        assert less.page_scores != every.page_scores, name


def test_every_page_has_a_chance_to_be_needed(tmp_path: Path) -> None:
    found = search(tmp_path / "a", dams(), "northern dam")
    assert len(found.page_chances) == len(found.pages) <= MOST_PAGES and found.page_chances[0] == max(
        found.page_chances
    )
    assert all(0 < each < 1 for each in found.page_chances)
    assert search(tmp_path / "b", dams(), "northern dam", page_views=False).page_chances == []


def test_without_page_views_pages_are_those_of_the_hits(tmp_path: Path) -> None:
    off = search(tmp_path / "a", dams(), "northern dam", page_views=False)
    assert off.pages == list(dict.fromkeys(hit.page for hit in off.hits)) and off.page_parts == []
    assert search(tmp_path / "b", dams(), "northern dam").page_parts[0]["pairs"] > 0


@pytest.mark.parametrize("page_views", [True, False])
def test_facets_keep_other_pages_out_of_every_search(tmp_path: Path, page_views: bool) -> None:
    # contract: D83
    first, last = Region(page_idx=1, bbox=BOX), Region(page_idx=2, bbox=BOX)
    build = TreeBuilder(4)
    build.leaf("t_0", "The northern dam was built in two summers.", 1, regions=[first, last])
    build.leaf("t_1", "The northern dam leaks.", 3)
    tree = build.build()
    assert sorted(search(tmp_path / "a", tree, "northern dam", page_views=page_views).pages) == [2, 3, 4]
    for pages, found in (((3, 3), [3]), ((2, 3), [2, 3]), ((1, 1), [])):
        facets = {"facets": Facets(pages=pages), "page_views": page_views}
        assert sorted(search(tmp_path / f"{pages}", tree, "northern dam", **facets).pages) == found
    by_words = {"facets": Facets(pages=(3, 3)), "channels": ["sparse", "page_images"], "page_views": page_views}
    assert search(tmp_path / "b", tree, "northern dam", **by_words).pages == [3]


def test_page_images_join_by_their_weight(tmp_path: Path) -> None:
    channels = ["sparse", "page_images"]
    retriever = make(tmp_path / "a", dams(), vectors=False, channels=channels, page_image_weight=1)
    on = retriever.search("crest of the northern dam")
    alone = retriever.page_images.search("crest of the northern dam", limit=9)
    assert on.page_parts[on.pages.index(alone[0][0])]["page_images"] == 1
    off = search(tmp_path / "b", dams(), "crest of the northern dam", channels=channels, page_image_weight=0)
    plain = search(tmp_path / "c", dams(), "crest of the northern dam")
    assert plain.pages == off.pages[: len(plain.pages)] and plain.page_scores != on.page_scores
    assert all("page_images" not in parts for parts in plain.page_parts)


def test_what_a_reranker_says_of_pages_shows_where_it_takes_part(tmp_path: Path) -> None:
    question = "crest or gates"
    make(tmp_path, dams(), vectors=False)
    plain = Retriever.load(dams(), tmp_path, RetrievalSettings()).search(question, question_id="q")
    last = plain.pages[-1]
    asked = QuestionPassages(text_sha256=files.sha256_bytes(question.encode()), pages={plain.pages[0]: -9.0, last: 9.0})
    PassageScores(model="m", revision="1", questions={"q": asked}).save(tmp_path / "passage_scores.json")

    def pages(**settings: object) -> list[int]:
        retriever = Retriever.load(dams(), tmp_path, RetrievalSettings(**settings))
        return retriever.search(question, question_id="q").pages

    assert len(plain.pages) > 1 and pages()[0] == last
    assert pages(facets=Facets(pages=(plain.pages[0], plain.pages[0]))) == plain.pages[:1], "facets have the last word"
    assert pages(page_views=False) == pages(page_views=False, rerank=False), "shares alone can be shared anew"
    seen = pages(channels=["dense", "sparse", "page_images"], page_image_weight=0.001)
    assert seen[: len(plain.pages)] == pages()[: len(plain.pages)], "pictures come after it"
    off = Retriever.load(dams(), tmp_path, RetrievalSettings(rerank=False)).search(question, question_id="q")
    assert not any("reranker" in parts for parts in off.page_parts)


def test_what_a_reranker_read_by_ocr_is_left_out_with_ocr(tmp_path: Path) -> None:
    question = "crest or gates"
    scanned = [each.model_copy(update={"flags": ["ocr"]}) if each.id == "t_5" else each for each in dams().nodes]
    trees = [dams(), DocTree.model_validate({**dams().model_dump(), "nodes": [each.model_dump() for each in scanned]})]
    told = []
    for number, tree in enumerate(trees):
        folder = tmp_path / str(number)
        make(folder, tree, vectors=False)
        asked = QuestionPassages(text_sha256=files.sha256_bytes(question.encode()), pages={2: 1.0, 5: 2.0})
        PassageScores(model="m", revision="1", questions={"q": asked}).save(folder / "passage_scores.json")
        found = Retriever.load(tree, folder, RetrievalSettings(ocr=False)).search(question, question_id="q")
        told.append(any("reranker" in parts for parts in found.page_parts))
    assert told == [True, False]


def test_without_sections_only_what_stands_under_them_is_found(tmp_path: Path) -> None:
    on = search(tmp_path / "a", dams(), "southern works")
    off = search(tmp_path / "b", dams(), "southern works", sections=False)
    assert "sec_4" in {hit.node_id for hit in on.hits}
    assert not any(hit.node_id.startswith("sec_") for hit in off.hits) and off.hits[0].node_id == "t_5"


def test_without_section_variants_the_heading_alone_is_compared(tmp_path: Path) -> None:
    whole = IndexSettings(vectors="all")
    every = make(tmp_path / "a", report_tree(), index=whole).index.views["coarse"].meta.ids
    part = make(tmp_path / "b", report_tree(), index=whole, section_variants=False)
    heading = part.index.views["coarse"].meta.ids
    assert {each.partition("#")[2] for each in every} == {"h", "g", "c", "p", ""}
    assert heading == [each for each in every if each.partition("#")[2] in ("h", "")]


def test_without_ocr_its_text_is_neither_found_nor_read(tmp_path: Path) -> None:
    tree = dams()
    scanned = [node.model_copy(update={"flags": ["ocr"]}) if node.id == "t_5" else node for node in tree.nodes]
    tree = DocTree.model_validate({**tree.model_dump(), "nodes": [node.model_dump() for node in scanned]})
    on = make(tmp_path / "a", tree, vectors=True)
    off = make(tmp_path / "b", tree, vectors=True, ocr=False)
    assert "t_5" in {hit.node_id for hit in on.search("southern lock").hits}
    assert "t_5" not in {hit.node_id for hit in off.search("southern lock").hits}
    assert "southern lock" in on.tree.page_text(3) and "southern lock" not in off.tree.page_text(3)
    assert off.tree.node("t_5").text == "" and [page.page_idx for page in off.tree.pages] == list(range(6))
    assert not any(each.startswith("t_5") for view in off.index.views.values() for each in view.meta.ids)
    assert {row.shape[0] for row in (off.index.sparse_leaf.lengths,)} == {len(off.index.sparse_leaf.ids)}
    with pytest.raises(ValueError, match="take effect where the index is loaded"):
        on.with_settings(RetrievalSettings(ocr=False))


def test_every_switch_is_known_to_these_tests() -> None:
    tested = {"channels", "fusion", "weights", "recall_k", "rerank_k", "rerank", "expansion", "rewriting",
              "named_places", "question_parts", "page_views", "page_image_weight",
              "facets", "sections", "section_variants", "ocr", "finance", "documents", "second_pages"}  # fmt: skip
    assert set(RetrievalSettings.model_fields) == tested
