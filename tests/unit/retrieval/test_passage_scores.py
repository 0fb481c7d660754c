"""What a reranker reads of a page, and what its word does to a ranking."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.index_trees import TreeBuilder
from hypothesis import given
from hypothesis import strategies as st

from cosee.artifacts.settings.index import IndexSettings
from cosee.index.build import build_index
from cosee.index.store import load_index
from cosee.retrieval.model_views import reranked
from cosee.retrieval.page_chances import chance_features, chances
from cosee.retrieval.page_index import page_index
from cosee.retrieval.page_weights import RERANKER, PageWeights
from cosee.retrieval.passage_scores import PagePassages
from cosee.retrieval.ranking import Ranking
from cosee.retrieval.thresholds import PASSAGE_WORDS, TOP_WORDS

WEIGHTS = {"share": 0.5, "reranker": 2.0}


def passages(folder: Path, *texts: str) -> PagePassages:
    build = TreeBuilder(len(texts))
    for number, text in enumerate(texts):
        build.leaf(f"t_{number}", text, number)
    tree = build.build()
    build_index(tree, folder, IndexSettings(), None)
    return PagePassages(tree, page_index(tree, load_index(folder, tree)))


def test_the_passage_is_where_most_of_the_question_stands(tmp_path: Path) -> None:
    filler = "The committee met in spring and spoke of many things. " * 40
    found = passages(tmp_path, f"Report of the Committee on Birds {filler} Grey herons eat frogs. {filler}", filler)
    passage = found.best(1, "What do grey herons eat?")
    title, _, rest = passage.partition("\n")
    assert title == "Report of the Committee on Birds The committee" and len(title.split()) == TOP_WORDS
    assert "Grey herons eat frogs." in rest and len(rest.split()) == PASSAGE_WORDS
    assert found.best(2, "committee").startswith("The committee met"), "the first of equals"


def test_a_short_page_is_its_own_passage_and_an_empty_one_is_none(tmp_path: Path) -> None:
    found = passages(tmp_path, "Herons eat\nfish.", "")
    assert found.best(1, "fish") == "Herons eat fish." and found.best(2, "fish") == ""


def test_characters_count_as_words_where_words_have_no_spaces(tmp_path: Path) -> None:
    found = passages(tmp_path, "关于公司会议的决定和说明。" * 60 + "苍鹭吃青蛙。" + "关于公司会议的决定和说明。" * 60)
    passage = found.best(1, "苍鹭吃什么")
    assert "苍鹭吃青蛙" in passage and len(passage) < PASSAGE_WORDS * 2


@given(
    shares=st.lists(st.floats(1e-5, 1), min_size=1, max_size=12),
    scores=st.dictionaries(st.integers(1, 14), st.floats(-30, 30)),
)
def test_what_is_read_shares_anew_what_it_had_together(shares: list[float], scores: dict[int, float]) -> None:
    whole = sum(shares)
    ranked = sorted((share / whole for share in shares), reverse=True)
    before = Ranking(pages=list(range(1, len(ranked) + 1)), page_scores=ranked, page_parts=[{} for _ in ranked])
    after = reranked(before, scores, WEIGHTS)
    share = dict(zip(after.pages, after.page_scores, strict=True))
    assert sorted(after.pages) == before.pages and after.page_scores == sorted(after.page_scores, reverse=True)
    assert sum(share.values()) == pytest.approx(1, abs=1e-4)
    for page, parts in zip(after.pages, after.page_parts, strict=True):
        assert (RERANKER in parts) == (page in scores and len(scores.keys() & set(before.pages)) > 1)
        if page not in scores:
            assert share[page] == pytest.approx(ranked[page - 1], abs=1e-6)


def test_a_higher_score_is_a_larger_share_and_a_shift_of_all_changes_nothing() -> None:
    before = Ranking(pages=[4, 2, 9], page_scores=[0.5, 0.3, 0.2], page_parts=[{}, {}, {}])
    scores = {4: -1.0, 2: 2.0, 9: -1.0}
    after = reranked(before, scores, WEIGHTS)
    assert after.pages[0] == 2
    assert reranked(before, {page: score + 5 for page, score in scores.items()}, WEIGHTS) == after
    assert all(reranked(before, few, WEIGHTS) is before for few in ({}, {7: 1.0}, {4: 1.0, 7: 1.0}))


def test_equal_shares_keep_their_order() -> None:
    before = Ranking(pages=[4, 2, 9, 1], page_scores=[0.6, 0.4, 0.0, 0.0], page_parts=[{}] * 4)
    assert reranked(before, {4: 0.0, 2: 0.0}, WEIGHTS).pages == before.pages


def test_a_page_that_was_not_read_counts_as_the_least_of_those_that_were() -> None:
    views = [{RERANKER: 0.0}, {RERANKER: -4.0}, {}]
    last = chance_features([0.5, 0.3, 0.2], views)[:, -1].tolist()
    assert last == [0.0, -4.0, -4.0] and chance_features([0.5], [{}])[:, -1].tolist() == [0.0]


def test_a_page_that_the_reranker_is_sure_of_makes_the_others_less_likely() -> None:
    before = Ranking(pages=[1, 2, 3], page_scores=[0.4, 0.3, 0.3], page_parts=[{}, {}, {}])
    weights = PageWeights()
    told = reranked(before, {1: 4.0, 2: -4.0, 3: -4.0}, weights.read)
    untold = reranked(before, {1: 0.0, 2: 0.0, 3: 0.0}, weights.read)
    sure, unsure = (chances(each.page_scores, each.page_parts, weights) for each in (told, untold))
    assert sure[0] > unsure[0] and sure[1] < unsure[1]
