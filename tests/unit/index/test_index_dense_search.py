from pathlib import Path

import numpy
import pytest

from cosee.index.vectors import VectorView, load_view, make_view, save_view


def view_of(vectors: numpy.ndarray, name: str = "coarse"):
    ids = [f"n{i}" for i in range(len(vectors))]
    return make_view(name, ids, ids, lambda texts: vectors, ("test", "1", vectors.shape[1]))


def test_flat_faiss_and_npy_rank_alike(tmp_path: Path) -> None:
    # contract: D59, D60
    import faiss

    vectors = numpy.random.default_rng(1).normal(size=(200, 16)).astype(numpy.float32)
    vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
    view = view_of(vectors)
    save_view(tmp_path, view, flat_faiss=True)
    loaded = load_view(tmp_path, "coarse")
    index = faiss.deserialize_index(numpy.frombuffer((tmp_path / "coarse.faiss").read_bytes(), dtype=numpy.uint8))
    for query in vectors[:10]:
        _, rows = index.search(query.reshape(1, -1), 5)
        assert [loaded.meta.ids[row] for row in rows[0]] == [name for name, _ in loaded.search(query, 5)]


def clustered(count: int, dimensions: int, clusters: int) -> numpy.ndarray:
    random = numpy.random.default_rng(2)
    centres = random.normal(size=(clusters, dimensions))
    rows = centres[random.integers(clusters, size=count)] + 0.3 * random.normal(size=(count, dimensions))
    return (rows / numpy.linalg.norm(rows, axis=1, keepdims=True)).astype(numpy.float32)


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> tuple[VectorView, VectorView]:
    """4,000 vectors, searched exactly and through HNSW."""
    folder = tmp_path_factory.mktemp("hnsw")
    view = view_of(clustered(4000, 48, 25))
    save_view(folder, view, hnsw_above=1000)
    return view, VectorView(load_view(folder, "coarse").meta, view.vectors, (folder / "coarse.faiss").read_bytes())


def recall(exact: VectorView, near: VectorView, rows: numpy.ndarray | None) -> float:
    found = [
        len({*dict(near.search(query, 10, rows))} & {*dict(exact.search(query, 10, rows))})
        for query in exact.vectors[::40]
    ]
    return sum(found) / (10 * len(found))


@pytest.mark.parametrize("part", [None, 2], ids=["all", "every other row"])
def test_hnsw_finds_what_flat_finds_with_its_scores(views: tuple[VectorView, VectorView], part: int | None) -> None:
    # contract: D59, D84
    exact, near = views
    rows = None if part is None else numpy.arange(0, 4000, part)
    assert recall(exact, near, rows) >= 0.99
    assert "_hnsw" in near.__dict__
    assert near.search(exact.vectors[40], 3, rows) == exact.search(exact.vectors[40], 3, rows)


def test_search_among_few_vectors_does_not_go_through_hnsw(views: tuple[VectorView, VectorView]) -> None:
    # contract: D84
    exact, near = views
    fresh = VectorView(near.meta, near.vectors, near.faiss)
    rows = numpy.arange(1000)
    assert fresh.search(exact.vectors[7], 5, rows) == exact.search(exact.vectors[7], 5, rows)
    assert "_hnsw" not in fresh.__dict__


def test_hnsw_file_has_the_reference_parameters_and_repeats(tmp_path: Path) -> None:
    # contract: D58, D84
    import faiss

    view = view_of(clustered(300, 16, 5))
    for folder, limit in (("a", 299), ("b", 299), ("flat", 300)):
        save_view(tmp_path / folder, view, flat_faiss=folder == "flat", hnsw_above=limit)
    data = {each: (tmp_path / each / "coarse.faiss").read_bytes() for each in ("a", "b", "flat")}
    assert data["a"] == data["b"]
    assert view.vectors[7].tobytes() in data["flat"] and view.vectors[7].tobytes() not in data["a"]
    read = {name: faiss.deserialize_index(numpy.frombuffer(each, "u1")) for name, each in data.items()}
    assert isinstance(faiss.downcast_index(read["flat"]), faiss.IndexFlatIP)
    hnsw = faiss.downcast_index(read["a"]).hnsw
    assert (hnsw.nb_neighbors(1), hnsw.efConstruction, hnsw.efSearch) == (32, 200, 64)


def test_equal_scores_come_in_order_of_id() -> None:
    vectors = numpy.ones((4, 3), dtype=numpy.float32)
    assert [name for name, _ in view_of(vectors).search(numpy.ones(3), 3)] == ["n0", "n1", "n2"]
