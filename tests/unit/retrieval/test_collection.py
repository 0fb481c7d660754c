"""Several documents as one: the index over them, the choice of documents, and the retriever that asks each."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from benchmarks.small_embedder import small_embedder
from helpers.index_trees import TreeBuilder
from helpers.retrievers import make

from cosee.artifacts.base import validate
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.results.prediction import Prediction, Support
from cosee.models.embedding.embedders import encode_texts
from cosee.question.several import compared_documents
from cosee.retrieval.collection.joined import Chosen, CollectionRetriever, joined_tree
from cosee.retrieval.collection.rows import document_rows
from cosee.retrieval.collection.search import CollectionSearch, searched_terms
from cosee.retrieval.collection.store import Member, Shard, arrays_of, save_shard
from cosee.retrieval.retriever import Retriever
from cosee.runs.collection import likeliest

FACTS = {
    "heron": ("Heron pumps", "The Heron pump lifts 40 litres a minute."),
    "kite": ("Kite turbines", "The Kite turbine turns at 900 revolutions."),
    "swift": ("Swift valves", "The Swift valve closes in 3 seconds."),
}


@pytest.fixture(scope="module")
def retrievers(tmp_path_factory) -> dict[str, Retriever]:
    found = {}
    for doc_id, (title, fact) in FACTS.items():
        tree = TreeBuilder(pages=2)
        tree.section("sec_1", title)
        tree.leaf("p_2", fact)
        tree.leaf("p_3", "The works were inspected in spring, and nothing was found.", page=1)
        found[doc_id] = make(tmp_path_factory.mktemp("index") / doc_id, tree.build(doc_id))
    return found


def shard(folder: Path, retrievers: dict[str, Retriever], names: list[str] | None = None) -> Shard:
    members = [
        Member(name, document_rows(retrievers[name].tree, retrievers[name].index), "", "")
        for name in (names or sorted(retrievers))
    ]
    save_shard(folder / "0000.json", members, [], retrievers["heron"].index.identity)
    return Shard(folder / "0000.json")


def embedded(text: str) -> np.ndarray:
    return partial(encode_texts, small_embedder())([text])[0]


def joined(retrievers, names=("kite", "heron"), chances=(0.7, 0.3), **settings) -> CollectionRetriever:
    members = [Chosen(name, retrievers[name], chance) for name, chance in zip(names, chances, strict=True)]
    return CollectionRetriever(members, settings.pop("missing", {}), in_turns=settings.pop("in_turns", False))


@pytest.mark.parametrize("dense", [True, False])
def test_the_document_that_is_asked_about_comes_first(retrievers, tmp_path, dense):
    search = CollectionSearch([("birds", shard(tmp_path, retrievers))])
    for doc_id, (_, fact) in FACTS.items():
        found = search.search(searched_terms(fact), embedded(fact) if dense else None)
        assert (found[0].dataset, found[0].doc_id) == ("birds", doc_id)
        assert sum(each.chance for each in found) == pytest.approx(1, abs=1e-5)
        assert ("vector" in found[0].parts) is dense


def test_a_search_can_be_kept_to_some_documents(retrievers, tmp_path):
    search = CollectionSearch([("birds", shard(tmp_path, retrievers))])
    found = search.search(searched_terms("The Heron pump"), None, {("birds", "kite"), ("birds", "swift")})
    assert {each.doc_id for each in found} == {"kite", "swift"}


def test_shards_give_what_one_shard_gives(retrievers, tmp_path):
    terms, vector = searched_terms("How fast does the Swift valve close?"), embedded("the Swift valve")
    whole = CollectionSearch([("birds", shard(tmp_path, retrievers))]).search(terms, vector)
    parts = []
    for name in sorted(retrievers):
        folder = tmp_path / name
        folder.mkdir()
        parts.append(("birds", shard(folder, retrievers, [name])))
    assert CollectionSearch(parts).search(terms, vector) == whole


def test_documents_without_vectors_are_searched_by_their_words(retrievers, tmp_path):
    tree = TreeBuilder(pages=1)
    tree.section("sec_1", "Rook bridges")
    tree.leaf("p_2", "The Rook bridge spans 70 metres.")
    bare = make(tmp_path / "index", tree.build("rook"), vectors=False)
    (tmp_path / "bare").mkdir()
    member = Member("rook", document_rows(bare.tree, bare.index), "", "")
    save_shard(tmp_path / "bare" / "0000.json", [member], [], ("none", "", 0))
    (tmp_path / "empty").mkdir()
    save_shard(tmp_path / "empty" / "0000.json", [], [], ("none", "", 0))
    shards = [shard(tmp_path, retrievers), *(Shard(tmp_path / name / "0000.json") for name in ("bare", "empty"))]
    search = CollectionSearch([("birds", each) for each in shards])
    for name, fact in {"rook": "The Rook bridge spans 70 metres.", "kite": FACTS["kite"][1]}.items():
        assert search.search(searched_terms(fact), embedded(fact))[0].doc_id == name


def test_the_same_documents_give_the_same_bytes(retrievers, tmp_path):
    # contract: D5
    first = shard(tmp_path, retrievers).meta
    data = arrays_of(tmp_path / "0000.json").read_bytes()
    assert shard(tmp_path, retrievers).meta == first
    assert arrays_of(tmp_path / "0000.json").read_bytes() == data


@pytest.mark.parametrize("damage", ["gone", "cut", "empty"])
def test_a_damaged_index_is_refused(retrievers, tmp_path, damage):
    shard(tmp_path, retrievers)
    path = arrays_of(tmp_path / "0000.json")
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:100] if damage == "cut" else b"")
    with pytest.raises(ArtifactError, match="redo the collection stage"):
        Shard(tmp_path / "0000.json")


def test_an_empty_collection_has_no_documents(tmp_path):
    save_shard(tmp_path / "0000.json", [], [], ("none", "", 0))
    search = CollectionSearch([("birds", Shard(tmp_path / "0000.json"))])
    assert search.search({"pump": 1.0}, None) == []


def test_documents_are_added_until_their_chances_suffice(retrievers, tmp_path):
    search = CollectionSearch([("birds", shard(tmp_path, retrievers))])
    found = search.search(searched_terms(FACTS["heron"][1]), None)
    assert [each.doc_id for each in likeliest(found, 8)] == ["heron"]
    assert len(likeliest(found, 8, named=3)) == 3, "all that a question names"
    assert len(likeliest(found, 8, compared=2)) == 2, "as many as it compares"
    unsure = search.search(searched_terms("What was found in spring?"), None)
    assert len(likeliest(unsure, 8)) == 3 and len(likeliest(unsure, 2)) == 2


def test_one_tree_holds_the_documents_apart(retrievers):
    tree = joined_tree([(name, retrievers[name].tree) for name in ("kite", "heron")])
    assert [page.page_idx for page in tree.pages] == [0, 1, 2, 3]
    assert tree.node("d2.p_2").text == FACTS["heron"][1] and tree.node("d2.p_2").page_idx == 2
    assert [node.type for node in tree.path("d2.p_2")] == ["document", "section", "section", "paragraph"]
    assert "Heron" not in tree.page_text(0) and FACTS["heron"][1] in tree.page_text(2)
    assert {node.parent for node in tree.nodes} <= {None, *(node.id for node in tree.nodes)}
    assert retrievers["heron"].tree.node("p_2").page_idx == 0, "the document's own tree stays as it is"


def test_pages_are_ranked_by_document_and_share(retrievers):
    found = joined(retrievers).search("Was the works inspected in spring?")
    own = {name: retrievers[name].search("Was the works inspected in spring?") for name in ("kite", "heron")}
    assert found.pages[:2] == [own["kite"].pages[0], 2 + own["heron"].pages[0]]
    assert found.page_scores[0] == pytest.approx(0.7 * own["kite"].page_scores[0], abs=1e-5)
    assert found.page_scores == sorted(found.page_scores, reverse=True)
    assert any(hit.node_id == "d2.p_3" and hit.page == 4 for hit in found.hits)


def test_compared_documents_take_turns(retrievers):
    found = joined(retrievers, ("kite", "heron", "swift"), (0.98, 0.01, 0.01), in_turns=True)
    ranking = found.search("What was found when the works were inspected in spring?")
    pages = ranking.pages
    assert ranking.least == 3 and joined(retrievers).search("spring").least == 1
    assert {found.pages.of_page(page)[0] for page in pages[:3]} == {0, 1, 2}
    chunks = found.search_chunks("the works were inspected in spring", count=3)
    assert {chunk.node_id.split(".")[0] for chunk in chunks} == {"d1", "d2", "d3"}


def test_an_answer_is_told_in_the_documents_own_terms(retrievers):
    retriever = joined(retrievers, missing={"rook": "damaged"})
    row = Prediction(
        question_id="q", doc_id="", dataset="birds", method="m", status="ok", exit_reason="answered", answer="40",
        abstained=False, support=[Support(node_id="d2.p_2", page=3, page_label="heron, page 1")],
        retrieved=retriever.search(FACTS["heron"][1]).hits, retrieved_pages=[3, 1], read_pages=[3],
    )  # fmt: skip
    told = retriever.to_documents(row)
    assert told.support == [Support(doc_id="heron", node_id="p_2", page=1)]
    assert told.ranked == [("heron", 1), ("kite", 1)] and told.read == [("heron", 1)]
    assert {(hit.doc_id, hit.page) for hit in told.retrieved} <= {(name, page) for name in FACTS for page in (1, 2)}
    assert told.documents == {"kite": 0.7, "heron": 0.3}
    assert told.unread == "rook could not be searched (damaged)" and told.status == "ok"
    abstained = retriever.to_documents(row.model_copy(update={"abstained": True}))
    assert (abstained.status, abstained.reason) == ("partial", "missing_documents")
    again = retriever.pages.from_documents(told, ["kite", "heron"])
    assert [(piece.node_id, piece.page) for piece in again.support] == [("d2.p_2", 3)] and again.read_pages == [3]


@pytest.mark.parametrize(
    "fields",
    [
        {"doc_ids": ["../secrets", "a"]},
        {"doc_ids": ["a", "b/../../c"]},
        {"doc_ids": ["a", "a"]},
        {"doc_ids": ["a", ""]},
        {"doc_id": "a", "doc_ids": ["a", "b"]},
        {"evidence_pages": [1], "evidence_documents": ["/etc"]},
        {"evidence_pages": [1, 2], "evidence_documents": ["a"]},
    ],
)
def test_names_that_are_no_documents_are_refused(fields):
    with pytest.raises(ArtifactError, match="question 1"):
        validate(Question, {"question_id": "q", "question": "Which?", **fields}, "question 1")


def test_a_list_of_one_document_means_this_document():
    question = Question(question_id="q", question="Which?", doc_ids=["a"])
    assert (question.doc_id, question.doc_ids, question.place) == ("a", [], "a")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Which of the five reports has the highest revenue?", 5),
        ("Which of the 3 has most employees?", 3),
        ("In each of the reports, who signed?", 0),
        ("Compare the net income of the two companies.", 0),
        ("What was the revenue in 2023?", None),
        ("Which of the following is a benefit?", None),
    ],
)
def test_questions_that_compare_documents_are_known(text, count):
    assert compared_documents(text) == count
