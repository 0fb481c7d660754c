from pathlib import Path

import numpy
import pytest
from benchmarks.small_embedder import small_embedder
from helpers.index_trees import report_tree

from cosee.artifacts.documents.index import VectorMeta
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.index import IndexSettings
from cosee.index import build
from cosee.index.build import build_index
from cosee.index.document_index import DocumentIndex
from cosee.index.self_check import (
    check_embedder,
    check_numbers,
    check_records,
    check_summaries,
    check_texts,
    check_titles,
)
from cosee.index.store import MANIFEST, load_index
from cosee.index.vectors import VectorView

SETTINGS = IndexSettings(vectors="all")


@pytest.fixture
def index(tmp_path: Path) -> DocumentIndex:
    build_index(report_tree(), tmp_path, SETTINGS, small_embedder())
    return load_index(tmp_path, report_tree())


def with_meta(view: VectorView, **changes: object) -> VectorView:
    return VectorView(VectorMeta(**{**view.meta.model_dump(), **changes}), view.vectors.copy())


def test_a_sound_index_has_no_problem(index: DocumentIndex) -> None:
    assert check_numbers(index) == check_titles(index, 100) == check_records(report_tree(), index) == []


def test_vectors_of_other_norm_or_without_a_number_are_named(index: DocumentIndex) -> None:
    for value, said in ((3.0, "norm"), (numpy.nan, "norm nan")):
        view = with_meta(index.views["leaf"])
        view.vectors[2] = value
        index.views["leaf"] = view
        assert said in check_numbers(index)[0] and view.meta.ids[2] in check_numbers(index)[0]


def test_ids_are_one_to_one_with_rows_and_with_the_sparse_index(index: DocumentIndex) -> None:
    leaf = index.views["leaf"]
    index.views["leaf"] = with_meta(leaf, ids=[leaf.meta.ids[1], *leaf.meta.ids[1:]])
    assert "leaf: an id occurs twice" in check_numbers(index)
    assert "leaf and bm25_leaf hold different chunks" in check_numbers(index)
    coarse = index.views["coarse"]
    index.views["coarse"] = with_meta(coarse, ids=[*coarse.meta.ids[:-1], "sec_999#h"])
    assert "coarse holds a node that bm25_coarse does not" in check_numbers(index)


def test_vectors_of_several_models_are_refused(index: DocumentIndex) -> None:
    index.views["rows"] = with_meta(index.views["rows"], revision="2")
    assert any("rows: of another embedder" in each for each in check_numbers(index))


@pytest.mark.parametrize("column", range(3))
def test_postings_must_stay_inside(index: DocumentIndex, column: int) -> None:
    bounds = (len(index.sparse_coarse.ids), len(index.sparse_coarse.fields), len(index.sparse_coarse.vocabulary))
    index.sparse_coarse.postings[0, column] = bounds[column]
    assert check_numbers(index) == ["bm25_coarse: a posting points outside the index"]


def test_every_title_must_find_its_node(index: DocumentIndex) -> None:
    ids = index.sparse_coarse.ids
    ids.append(ids.pop(0))
    assert "the title of" in check_titles(index, 100)[0] and "does not find it" in check_titles(index, 100)[0]


def test_headings_embedded_again_must_find_their_own_vectors(index: DocumentIndex) -> None:
    # contract: D60
    coarse, texts = index.views["coarse"], {each.node_id: each.dense_text for each in index.coarse}
    assert check_embedder(coarse, texts, small_embedder()) == []
    turned = VectorView(coarse.meta, numpy.roll(coarse.vectors, 5, axis=0))
    assert "does not find its vector" in check_embedder(turned, texts, small_embedder())[0]
    assert (
        "of embedder 0, not of embedder" in check_embedder(with_meta(coarse, revision="0"), texts, small_embedder())[0]
    )


def test_one_vector_for_many_different_texts_is_suspicious_and_for_equal_texts_is_not(index: DocumentIndex) -> None:
    leaf, texts = index.views["leaf"], {each.node_id: each.dense_text for each in index.leaves}
    alike = VectorView(leaf.meta, numpy.repeat(leaf.vectors[:1], len(leaf.vectors), axis=0))
    assert "different texts share their vectors" in check_texts(alike, texts)[0]
    digest = leaf.meta.text_sha256[0]
    same = with_meta(leaf, text_sha256=[digest] * len(texts))
    first = next(iter(texts.values()))
    assert check_texts(VectorView(same.meta, alike.vectors), dict.fromkeys(texts, first)) == []


def test_text_that_was_not_embedded_is_named(index: DocumentIndex) -> None:
    leaf, texts = index.views["leaf"], {each.node_id: each.dense_text for each in index.leaves}
    changed = {**texts, "t_7#c0": "Accuracy fell."}
    assert check_texts(leaf, changed) == ["leaf: the text of t_7#c0 is not the one that was embedded"]


def test_summaries_are_of_this_document_and_of_its_nodes(index: DocumentIndex) -> None:
    # contract: D31
    other = index.summaries.model_copy(update={"summaries": {"t_999": "?"}})
    assert check_summaries(report_tree(), index.summaries) == []
    assert check_summaries(report_tree(), other) == ["summary: t_999 is not a node of the tree"]


def test_lost_variant_is_noticed(index: DocumentIndex) -> None:
    # contract: D35
    del index.coarse[1]
    assert any("has 3 variants" in each for each in check_records(report_tree(), index))


def test_unsound_index_is_not_left_as_if_it_were_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "graph_edges", lambda view, leaves: [])
    with pytest.raises(ArtifactError, match="has no parent edge"):
        build_index(report_tree(), tmp_path, SETTINGS, small_embedder())
    assert not (tmp_path / MANIFEST).exists()
    with pytest.raises(ArtifactError, match=rf"{MANIFEST}.*redo the index stage"):
        load_index(tmp_path, report_tree())
