from pathlib import Path

import pytest
from benchmarks.small_embedder import small_embedder, small_index
from helpers.index_trees import report_tree
from helpers.model_server import MODEL, model_server

from cosee.artifacts import files
from cosee.artifacts.base import save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.index import IndexManifest, VectorMeta
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.store import MANIFEST, load_index
from cosee.models.calls import ModelError
from cosee.models.embedding.embedders import load_embedder
from cosee.models.embedding.served_embedder import load_served_embedder
from cosee.pipeline.stage import DocFolder, StageFailure
from cosee.retrieval.retriever import Retriever
from cosee.runs.model import entry_parts
from cosee.stages.index import IndexStage
from cosee.stages.questions import QuestionsStage

SMALL = small_index()


@pytest.fixture
def doc(tmp_path: Path) -> DocFolder:
    folder = DocFolder(
        "demo", "report", tmp_path / "data" / "demo" / "report", tmp_path / "indexes" / "demo" / "report"
    )
    report_tree().save(folder.data / "doctree.mm.json")
    texts = {"q1": "How accurate is the Heron model?", "q2": "Which pump wins?"}
    save_rows(folder.questions, [Question(question_id=k, doc_id="report", question=v) for k, v in texts.items()])
    return folder


def test_stage_names_every_file_that_it_wrote(doc: DocFolder) -> None:
    # contract: D58, D1
    result = IndexStage().run(doc, SMALL)
    assert result.status == "ok" and result.counts["vectors"] > 0
    assert sorted(result.outputs) == sorted(path for path in doc.index.rglob("*") if path.is_file())
    files_of_the_document = [doc.data / "doctree.mm.json", doc.data / "full.pdf"]
    assert IndexStage().inputs(doc, IndexSettings()) == files_of_the_document
    written = IndexSettings(summaries="llm", summary_model="writer")
    assert IndexStage().inputs(doc, written) == [
        *files_of_the_document,
        *entry_parts(Path("config/models.yaml"), ["writer"]),
    ]
    served = IndexSettings(embedder="served", embedding_model="vectors")
    vectors = entry_parts(Path("config/models.yaml"), ["vectors"])
    assert IndexStage().inputs(doc, served) == [*files_of_the_document, *vectors]
    assert QuestionsStage().inputs(doc, served)[-1:] == vectors


def test_index_then_questions_then_dense_search(doc: DocFolder) -> None:
    # contract: D3
    IndexStage().run(doc, SMALL)
    result = QuestionsStage().run(doc, SMALL)
    assert [path.name for path in result.outputs] == ["questions.vectors.npy", "questions.meta.json"]
    assert VectorMeta.load(doc.index / "questions.meta.json").ids == ["q1", "q2"]
    ranking = Retriever.load(report_tree(), doc.index, RetrievalSettings()).search("Which pump wins?", question_id="q2")
    assert any(hit.parts["dense"] > 0 for hit in ranking.hits)


def test_two_runs_write_the_same_bytes(doc: DocFolder) -> None:
    def digests() -> dict[Path, str]:
        outputs = [*IndexStage().run(doc, SMALL).outputs, *QuestionsStage().run(doc, SMALL).outputs]
        return {path: files.sha256_file(path) for path in outputs}

    assert digests() == digests()


def test_absent_weights_give_a_sparse_index_that_says_so(doc: DocFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSEE_CACHE", str(doc.data / "nothing"))
    load_embedder.cache_clear()
    result = IndexStage().run(doc, IndexSettings())
    load_embedder.cache_clear()
    assert result.status == "ok" and result.counts["embedder_missing"] == 1 and result.counts["vectors"] == 0
    assert "--fetch minilm" in (result.message or "")
    assert IndexManifest.load(doc.index / MANIFEST).embedder == "none"
    assert QuestionsStage().run(doc, IndexSettings()).counts == {"questions": 2, "vectors": 0}
    assert (
        Retriever.load(report_tree(), doc.index, RetrievalSettings()).search("Which pump wins?", question_id="q2").hits
    )


def test_embedder_that_changed_since_the_index_is_a_row(doc: DocFolder) -> None:
    IndexStage().run(doc, SMALL)
    with pytest.raises(StageFailure, match="embedder [0-9a-f]{16} with 64 dimensions") as failure:
        QuestionsStage().run(doc, IndexSettings(embedder="none"))
    assert failure.value.reason == "embedder_changed"


def test_a_server_of_embeddings_makes_the_vectors_of_documents_and_questions(
    doc: DocFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # contract: D58, D62
    pytest.importorskip("openai", reason="the openai library is not installed")
    monkeypatch.setenv("COSEE_CACHE", str(tmp_path / "cache"))
    settings = IndexSettings(embedder="served", embedding_model="vectors")
    models = tmp_path / "models.yaml"
    with model_server() as server:
        entry = f"kind: openai_embeddings\n    model: {MODEL}\n    base_url: {server.url}/v1"
        other = entry.replace("openai_embeddings", "openai")
        models.write_text(f"models:\n  vectors:\n    {entry}\n  other:\n    {other}\n")
        assert IndexStage(models).run(doc, settings).status == "ok"
        asked = len(server.requests)
        assert QuestionsStage(models).run(doc, settings).counts == {"questions": 2, "vectors": 2}
        assert [len(each["input"]) for each in server.requests[asked:]] == [2]
        assert {each["model"] for each in server.requests} == {MODEL}
        with pytest.raises(ModelError, match="'other' is not an entry of kind 'openai_embeddings'"):
            load_served_embedder("other", models)
    index = load_index(doc.index, report_tree())
    assert index.identity[0] == MODEL and index.manifest.precision is None
    texts = {each.node_id: each.raw_text for each in index.leaves}
    view = index.views["leaf_raw"]
    wanted = small_embedder().encode([texts[each] for each in view.meta.ids])
    assert abs(view.vectors - wanted).max() < 1e-6
    ranking = Retriever.load(report_tree(), doc.index, RetrievalSettings()).search("Which pump wins?", question_id="q2")
    assert any(hit.parts["dense"] > 0 for hit in ranking.hits)


@pytest.mark.parametrize("half", [{"embedder": "served"}, {"embedding_model": "vectors"}])
def test_a_served_embedder_needs_both_settings(half: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="give both or neither"):
        IndexSettings(**half)


def test_missing_tree_is_a_row(doc: DocFolder) -> None:
    (doc.data / "doctree.mm.json").unlink()
    with pytest.raises(StageFailure) as failure:
        IndexStage().run(doc, SMALL)
    assert failure.value.reason == "no_tree"


def test_document_without_questions_gets_an_empty_set(doc: DocFolder) -> None:
    IndexStage().run(doc, SMALL)
    doc.questions.unlink()
    assert QuestionsStage().run(doc, SMALL).counts == {"questions": 0, "vectors": 0}


@pytest.mark.parametrize("place", [0, 0.5, -1])
@pytest.mark.parametrize("name", ["questions.vectors.npy", "questions.meta.json"])
def test_changed_byte_of_the_questions_is_refused_with_the_file_and_the_remedy(
    doc: DocFolder, name: str, place: float
) -> None:
    IndexStage().run(doc, SMALL)
    QuestionsStage().run(doc, SMALL)
    data = bytearray((doc.index / name).read_bytes())
    data[int(place * len(data)) if place == 0.5 else int(place)] ^= 1
    (doc.index / name).write_bytes(bytes(data))
    with pytest.raises(ArtifactError, match=f"{name}.*redo the questions stage"):
        Retriever.load(report_tree(), doc.index, RetrievalSettings())


def test_changed_line_of_the_questions_is_refused(doc: DocFolder) -> None:
    IndexStage().run(doc, SMALL)
    QuestionsStage().run(doc, SMALL)
    path = doc.index / "questions.meta.json"
    path.write_text(path.read_text().replace('"q1","q2"', '"q2","q1"'))
    with pytest.raises(ArtifactError, match=r"questions\.meta\.json.*redo the questions stage"):
        Retriever.load(report_tree(), doc.index, RetrievalSettings())
