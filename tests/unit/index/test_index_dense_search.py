import json
from pathlib import Path

import numpy
import pytest

from cosee.artifacts.files import ArtifactError
from cosee.index.dense import load_view, make_view, save_view

SCENARIOS = Path(__file__).parents[2] / "cases" / "ix-dense-edges" / "scenarios.json"


def view_of(vectors: numpy.ndarray, name: str = "coarse"):
    ids = [f"n{i}" for i in range(len(vectors))]
    return make_view(name, ids, ids, lambda texts: vectors, ("test", "1", vectors.shape[1]))


def test_edge_scenarios_never_give_an_id_that_is_not_there() -> None:
    random = numpy.random.default_rng(0)
    for case in json.loads(SCENARIOS.read_text()):
        rows = random.normal(size=(case["vectors"], 2 * case["dim"]))
        vectors = rows[:, ::2] if "layout" in case else rows[:, : case["dim"]]
        if "nan_row" in case:
            vectors[case["nan_row"]] = numpy.nan
            with pytest.raises(ArtifactError, match=f"n{case['nan_row']}"):
                view_of(vectors)
            continue
        if "zero_row" in case:
            vectors[case["zero_row"]] = 0
        view = view_of(vectors)
        query = random.normal(size=case.get("query_dim", case["dim"]))
        if "query_dim" in case:
            with pytest.raises(ArtifactError, match=r"16 dimensions.* 8 dimensions made by test"):
                view.search(query, case.get("k", 5))
            continue
        hits = view.search(query, case.get("k", 5))
        assert len(hits) == min(case.get("k", 5), case["vectors"])
        assert all(name in view.meta.ids and numpy.isfinite(score) for name, score in hits)
        if "layout" in case:
            assert hits == view_of(numpy.ascontiguousarray(vectors, dtype=numpy.float32)).search(query, 5)
        if "zero_row" in case:
            assert dict(hits)[f"n{case['zero_row']}"] == 0


def test_flat_faiss_and_npy_rank_alike(tmp_path: Path) -> None:
    # contract: D59, D60
    import faiss

    vectors = numpy.random.default_rng(1).normal(size=(200, 16)).astype(numpy.float32)
    vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
    view = view_of(vectors)
    save_view(tmp_path, view)
    loaded = load_view(tmp_path, "coarse")
    index = faiss.deserialize_index(numpy.frombuffer((tmp_path / "coarse.faiss").read_bytes(), dtype=numpy.uint8))
    for query in vectors[:10]:
        _, rows = index.search(query.reshape(1, -1), 5)
        assert [loaded.meta.ids[row] for row in rows[0]] == [name for name, _ in loaded.search(query, 5)]


def test_hnsw_above_the_limit_finds_what_flat_finds_and_repeats(tmp_path: Path) -> None:
    # contract: D59, D84
    import faiss

    vectors = numpy.random.default_rng(2).normal(size=(1500, 24)).astype(numpy.float32)
    vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
    view = view_of(vectors)
    for folder in ("a", "b"):
        save_view(tmp_path / folder, view, hnsw_above=1000)
    data = (tmp_path / "a" / "coarse.faiss").read_bytes()
    assert data == (tmp_path / "b" / "coarse.faiss").read_bytes()
    index = faiss.deserialize_index(numpy.frombuffer(data, dtype=numpy.uint8))
    assert isinstance(faiss.downcast_index(index), faiss.IndexHNSWFlat)
    found = 0
    for query in vectors[:50]:
        _, rows = index.search(query.reshape(1, -1), 10)
        found += len({f"n{row}" for row in rows[0]} & {name for name, _ in view.search(query, 10)})
    assert found / 500 >= 0.99


def test_equal_scores_come_in_order_of_id() -> None:
    vectors = numpy.ones((4, 3), dtype=numpy.float32)
    assert [name for name, _ in view_of(vectors).search(numpy.ones(3), 3)] == ["n0", "n1", "n2"]
