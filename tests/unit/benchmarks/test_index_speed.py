from cosee.artifacts.documents.index import SparseDoc


def test_peers_are_given_the_same_texts_and_every_one_is_timed() -> None:
    from benchmarks.index_speed import sparse_times

    documents = [SparseDoc(id=f"t_{n}#c0", role="paragraph", body=f"pump number {n} lifts water") for n in range(30)]
    times = sparse_times(documents, ["Which pump lifts water?", "herons"])
    assert set(times) == {"cosee", "bm25s", "rank_bm25"} and all(seconds > 0 for seconds in times.values())
    assert sum(sparse_times(documents, ["herons"]).values()) == 0, "a question without a known term is left out"
