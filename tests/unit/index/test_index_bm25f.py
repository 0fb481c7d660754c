import json
from pathlib import Path

import pytest

from cosee.artifacts.index import SparseDoc
from cosee.index.sparse import FIELDS, FieldScoring, SparseIndex, load_sparse
from cosee.index.tokens import query_weights

CASES = Path(__file__).parents[2] / "cases"


def read(path: Path) -> list[SparseDoc]:
    return [SparseDoc(**json.loads(line)) for line in path.read_text().splitlines() if line.strip()]


def build(documents: list[SparseDoc], scoring: FieldScoring | None = None) -> SparseIndex:
    return SparseIndex.build(documents, FIELDS["coarse"], scoring)


def search(index: SparseIndex, text: str) -> list[tuple[str, float]]:
    return index.search(query_weights(text), 100)


@pytest.mark.parametrize("case", ["ix-bm25-idf", "ix-bm25-empty", "ix-bm25-tokens"])
def test_case(case: str) -> None:
    # contract: D52
    folder = CASES / case
    for query in json.loads((folder / "expected.json").read_text())["expect"]["queries"]:
        hits = search(build(read(folder / query.get("file", "nodes.jsonl"))), query["q"])
        found = [name for name, _ in hits]
        if "top" in query:
            assert found[:1] == [query["top"]], query
        if "hits" in query:
            assert sorted(found) == query["hits"], query
        assert set(query.get("hits_include", [])) <= set(found), query
        assert not set(query.get("hits_exclude", [])) & set(found), query
        assert all(score > 0 for _, score in hits)


def test_ties_are_stable_whatever_the_input_order() -> None:
    documents = read(CASES / "ix-ties-duplicates" / "nodes.jsonl")
    assert [name for name, _ in search(build(documents), "same text")][:3] == ["a", "b", "d"]
    assert search(build(documents), "same text") == search(build(documents[::-1]), "same text")


def test_field_weights_change_the_ranking() -> None:
    # contract: D52
    documents = [
        SparseDoc(id="a", role="table", title="turbine", body="about pumps and other machines"),
        SparseDoc(id="b", role="table", title="machines", body="turbine turbine and pumps"),
    ]
    title_first = build(documents, FieldScoring(weights={"title": 5.0, "body": 0.5}))
    body_first = build(documents, FieldScoring(weights={"title": 0.1, "body": 5.0}))
    assert search(title_first, "turbine")[0][0] == "a"
    assert search(body_first, "turbine")[0][0] == "b"


def test_term_in_two_fields_of_one_document_counts_as_one_document() -> None:
    # contract: D52
    both = build([SparseDoc(id="a", role="table", title="turbine", body="turbine"), SparseDoc(id="b", role="table")])
    one = build([SparseDoc(id="a", role="table", title="turbine"), SparseDoc(id="b", role="table")])
    assert search(both, "turbine")[0][1] > search(one, "turbine")[0][1]
    assert len(both.weights.data) == 1


@pytest.mark.parametrize("name", FIELDS["coarse"])
def test_every_field_is_searchable(name: str) -> None:
    # contract: D49, D50
    index = build([SparseDoc(id="a", role="section", **{name: "quokka"}), SparseDoc(id="b", role="section")])
    assert [hit for hit, _ in search(index, "quokka")] == ["a"]


def test_longer_field_counts_less() -> None:
    short = SparseDoc(id="a", role="table", body="turbine")
    long = SparseDoc(id="b", role="table", body="turbine " + " ".join(f"filler{i}" for i in range(50)))
    assert [name for name, _ in search(build([short, long]), "turbine")] == ["a", "b"]


def test_saved_index_gives_the_same_scores_and_refuses_a_changed_file(tmp_path: Path) -> None:
    documents = read(CASES / "ix-bm25-tokens" / "nodes.jsonl")
    index = build(documents)
    (tmp_path / "sparse_coarse.jsonl").write_text("as written\n")
    from cosee.artifacts import files

    index.save(tmp_path / "bm25_coarse", "coarse", files.sha256_file(tmp_path / "sparse_coarse.jsonl"))
    loaded = load_sparse(tmp_path, "coarse")
    assert search(loaded, "wind speed") == search(index, "wind speed") != []
    (tmp_path / "sparse_coarse.jsonl").write_text("edited\n")
    with pytest.raises(files.ArtifactError, match=r"sparse_coarse\.jsonl.*redo the index stage"):
        load_sparse(tmp_path, "coarse")
