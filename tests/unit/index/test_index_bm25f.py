from pathlib import Path

import pytest

from cosee.artifacts.base import load_rows
from cosee.artifacts.documents.index import SparseDoc
from cosee.artifacts.files import ArtifactError
from cosee.index.sparse import FIELDS, FieldScoring, SparseIndex, sparse_of
from cosee.text.tokens import query_weights

CASES = Path(__file__).parents[2] / "cases"


def build(documents: list[SparseDoc], scoring: FieldScoring | None = None) -> SparseIndex:
    return SparseIndex.build(documents, FIELDS["coarse"], scoring)


def search(index: SparseIndex, text: str) -> list[tuple[str, float]]:
    return index.search(query_weights(text), 100)


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
    assert len(both.weights.values) == 1


@pytest.mark.parametrize("name", FIELDS["coarse"])
def test_every_field_is_searchable(name: str) -> None:
    # contract: D49, D50
    index = build([SparseDoc(id="a", role="section", **{name: "quokka"}), SparseDoc(id="b", role="section")])
    assert [hit for hit, _ in search(index, "quokka")] == ["a"]


def test_longer_field_counts_less() -> None:
    short = SparseDoc(id="a", role="table", body="turbine")
    long = SparseDoc(id="b", role="table", body="turbine " + " ".join(f"filler{i}" for i in range(50)))
    assert [name for name, _ in search(build([short, long]), "turbine")] == ["a", "b"]


def test_saved_index_gives_the_same_scores_and_is_refused_by_another_analyzer(tmp_path: Path) -> None:
    index = build(load_rows(SparseDoc, CASES / "ix-bm25-tokens" / "nodes.jsonl"))
    paths = index.save(tmp_path / "bm25_coarse", "coarse")
    contents = {str(path.relative_to(tmp_path)): path.read_bytes() for path in paths}
    assert all(b"pickle" not in data and not data.startswith(b"\x80") for data in contents.values())
    loaded = sparse_of(contents, "coarse", tmp_path)
    assert search(loaded, "wind speed") == search(index, "wind speed") != []
    older = contents["bm25_coarse/meta.json"].replace(b'"analyzer": ', b'"analyzer": 1')
    with pytest.raises(ArtifactError, match=r"bm25_coarse: of analyzer 1\d, .*redo the index stage"):
        sparse_of({**contents, "bm25_coarse/meta.json": older}, "coarse", tmp_path)
