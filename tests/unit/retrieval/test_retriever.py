import subprocess
import sys
from pathlib import Path

import pytest
from helpers.index_trees import TreeBuilder, report_tree
from helpers.retrievers import QUESTIONS, make

from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.answer import Facets, FusionWeights, RetrievalSettings
from cosee.index.vectors import make_view, save_view
from cosee.retrieval.chunks import Chunk
from cosee.retrieval.recall import sparse_recall
from cosee.retrieval.retriever import Retriever


@pytest.fixture
def retriever(tmp_path: Path) -> Retriever:
    return make(tmp_path, report_tree())


def test_node_of_several_variants_and_channels_is_one_hit_without_suffix(retriever: Retriever) -> None:
    # contract: D67, D65
    ranking = retriever.search(QUESTIONS["q1"], question_id="q1")
    ids = [hit.node_id for hit in ranking.hits]
    assert len(ids) == len(set(ids)) and not any("#" in each for each in ids)
    table = next(hit for hit in ranking.hits if hit.node_id == "tab_12")
    assert table.parts["dense"] > 0 and table.parts["bm25f"] > 0
    assert set(table.parts) == {"dense", "bm25f", "tree_prior", "intent_bonus", "fused"}
    assert ranking.pages[0] == 5 and table.page == 5


def test_each_hit_says_why(retriever: Retriever) -> None:
    # contract: D82
    hits = {hit.node_id: hit for hit in retriever.search("What latency does Table 2 show?").hits}
    assert {"is_label_hit", "schema_hit", "is_title_hit"} <= set(hits["tab_12"].reasons)
    assert "schema_hit" not in hits["t_14"].reasons
    assert hits["tab_12"].path == ["sec_11"] and hits["sec_11"].path == ["sec_11"]


def test_recall_and_rerank_are_bounded(tmp_path: Path) -> None:
    # contract: D65, D81
    build = TreeBuilder(2)
    for number in range(150):
        build.leaf(f"t_{number}", f"pump number {number}")
    retriever = make(tmp_path, build.build(), vectors=False, recall_k=60)
    assert len(sparse_recall(retriever.index, {"pump": 1.0}, 60, None)) == 60
    assert len(retriever.search("pump").hits) == 40


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("What does Figure 3 show?", 4),
        ("What does figure 3(b) show?", 4),
        ("What is in Table 2?", 5),
        ("What is on page ii?", 2),
        ("What is on page 3?", 5),
        ("What is on the first page?", 1),
    ],
)
def test_named_pages_and_labels_come_first(retriever: Retriever, question: str, page: int) -> None:
    assert retriever.search(question).pages[0] == page


@pytest.mark.parametrize(
    ("facets", "expected"),
    [
        (Facets(pages=(4, 4)), {"sec_5", "sec_6", "t_7", "t_8", "img_9", "t_10"}),
        (Facets(levels=[1]), {"sec_1", "sec_5", "sec_11", "t_0"}),
        (Facets(roles=["table"]), {"tab_12"}),
        (Facets(units=["°C"]), {"t_15", "sec_11"}),
        (Facets(units=["percent"]), {"t_7", "sec_5", "sec_6", "tab_12", "sec_11"}),
        (Facets(chart_types=["statistical"]), {"img_9"}),
        (Facets(chart_types=["line"]), {"img_9"}),
    ],
)
def test_facets_restrict_hits(retriever: Retriever, facets: Facets, expected: set[str]) -> None:
    # contract: D83
    ranking = retriever.search(QUESTIONS["q1"], question_id="q1", facets=facets)
    assert {hit.node_id for hit in ranking.hits} <= expected and ranking.hits
    if facets.pages:
        assert ranking.pages == [4]
    configured = retriever.with_settings(RetrievalSettings(facets=facets))
    assert configured.search(QUESTIONS["q1"], question_id="q1") == ranking
    chunks = configured.search_chunks(QUESTIONS["q1"], question_id="q1", count=100)
    assert {chunk.node_id for chunk in chunks} <= expected < {chunk.node_id for chunk in whole(retriever)} | expected


def whole(retriever: Retriever) -> list[Chunk]:
    return retriever.search_chunks(QUESTIONS["q1"], question_id="q1", count=100)


def test_faulty_facets_are_refused() -> None:
    with pytest.raises(ValueError, match="no range of pages"):
        Facets(pages=(4, 3))
    with pytest.raises(ValueError, match="roles"):
        Facets.model_validate({"roles": ["tables"]})


def test_rewritten_question_and_channel_choice_leave_the_dense_part_out(retriever: Retriever) -> None:
    for ranking in (
        retriever.search("How accurate is the Heron?", question_id="q1"),
        retriever.search(QUESTIONS["q1"]),
        retriever.search(QUESTIONS["q1"], question_id="q1", channels=["sparse"]),
    ):
        assert ranking.hits and all(hit.parts["dense"] == 0 for hit in ranking.hits)
    dense = retriever.search(QUESTIONS["q1"], question_id="q1", channels=["dense"])
    assert dense.hits and all(hit.parts["bm25f"] == 0 for hit in dense.hits)


def test_weights_and_rank_fusion_are_settings(tmp_path: Path) -> None:
    # contract: D66
    only_dense = FusionWeights(dense=1, bm25f=0, tree_prior=0, intent_bonus=0)
    retriever = make(tmp_path / "a", report_tree(), weights=only_dense, rerank=False, expansion=False)
    hits = retriever.search(QUESTIONS["q1"], question_id="q1").hits
    assert all(hit.score == hit.parts["dense"] for hit in hits)
    rrf = make(tmp_path / "b", report_tree(), fusion="rrf", rerank=False)
    assert 0 < rrf.search(QUESTIONS["q1"], question_id="q1").hits[0].score <= 1


def test_expansion_adds_neighbours_and_says_of_what(tmp_path: Path) -> None:
    # contract: D71
    tree = report_tree()
    plain = make(tmp_path / "a", tree, vectors=False, expansion=False).search("Egret latency")
    wide = make(tmp_path / "b", tree, vectors=False).search("Egret latency")
    added = {hit.node_id: hit for hit in wide.hits if hit.node_id not in {each.node_id for each in plain.hits}}
    assert "caption of tab_12" in added["t_13"].reasons
    assert "parent of tab_12" in next(hit for hit in wide.hits if hit.node_id == "sec_11").reasons


def test_same_search_twice_gives_the_same_ranking(retriever: Retriever) -> None:
    assert retriever.search(QUESTIONS["q2"], question_id="q2") == retriever.search(QUESTIONS["q2"], question_id="q2")


@pytest.mark.parametrize("question", ["", "???", "zzz qqq", "page 99 of 77"])
def test_question_without_a_match_gives_no_pages_and_no_error(tmp_path: Path, question: str) -> None:
    assert make(tmp_path, report_tree(), vectors=False).search(question).pages == []


def test_empty_document(tmp_path: Path) -> None:
    assert make(tmp_path, TreeBuilder(0).build()).search(QUESTIONS["q1"], question_id="q1").hits == []


def test_questions_of_another_embedder_are_refused(tmp_path: Path) -> None:
    make(tmp_path, report_tree())
    other = make_view("questions", ["q"], ["q"], lambda texts: [[1.0, 0.0]], ("other", "2", 2))
    save_view(tmp_path, other)
    with pytest.raises(
        ArtifactError, match=r"other 2 with 2 dimensions.*embedder [0-9a-f]{16} with 64.*redo the questions stage"
    ):
        Retriever.load(report_tree(), tmp_path, RetrievalSettings())


def test_searching_imports_no_model_library(tmp_path: Path) -> None:
    make(tmp_path, report_tree())
    report_tree().save(tmp_path / "doctree.mm.json")
    code = (
        "import sys; from pathlib import Path; from cosee.artifacts.documents.doctree import DocTree;"
        "from cosee.artifacts.settings.answer import RetrievalSettings;"
        "from cosee.retrieval.retriever import Retriever;"
        "folder = Path(sys.argv[1]); tree = DocTree.load(folder / 'doctree.mm.json');"
        "assert Retriever.load(tree, folder, RetrievalSettings()).search(sys.argv[2], question_id='q1').hits;"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'faiss', 'pandas'} & set(sys.modules);"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), QUESTIONS["q1"]], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
