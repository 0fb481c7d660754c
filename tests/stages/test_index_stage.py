from pathlib import Path

import pytest
from helpers.index_trees import report_tree

from cosee.artifacts import files
from cosee.artifacts.base import save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.index import VectorMeta
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.models.embedding.embedders import load_embedder
from cosee.pipeline.stage import DocFolder, StageFailure
from cosee.retrieval.retriever import Retriever
from cosee.runs.model import entry_parts
from cosee.stages.index import IndexStage
from cosee.stages.questions import QuestionsStage

HASHING = IndexSettings(embedder="hashing")


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
    result = IndexStage().run(doc, HASHING)
    assert result.status == "ok" and result.counts["vectors"] > 0
    assert sorted(result.outputs) == sorted(path for path in doc.index.rglob("*") if path.is_file())
    files_of_the_document = [doc.data / "doctree.mm.json", doc.data / "full.pdf"]
    assert IndexStage().inputs(doc, IndexSettings()) == files_of_the_document
    written = IndexSettings(summaries="llm", summary_model="embedded")
    assert IndexStage().inputs(doc, written) == [
        *files_of_the_document,
        *entry_parts(Path("config/models.yaml"), ["embedded"]),
    ]


def test_index_then_questions_then_dense_search(doc: DocFolder) -> None:
    # contract: D3
    IndexStage().run(doc, HASHING)
    result = QuestionsStage().run(doc, HASHING)
    assert [path.name for path in result.outputs] == ["questions.vectors.npy", "questions.meta.json"]
    assert VectorMeta.load(doc.index / "questions.meta.json").ids == ["q1", "q2"]
    ranking = Retriever.load(report_tree(), doc.index, RetrievalSettings()).search("Which pump wins?", question_id="q2")
    assert any(hit.parts["dense"] > 0 for hit in ranking.hits)


def test_two_runs_write_the_same_bytes(doc: DocFolder) -> None:
    def digests() -> dict[Path, str]:
        outputs = [*IndexStage().run(doc, HASHING).outputs, *QuestionsStage().run(doc, HASHING).outputs]
        return {path: files.sha256_file(path) for path in outputs}

    assert digests() == digests()


def test_absent_weights_give_a_sparse_index_that_says_so(doc: DocFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSEE_CACHE", str(doc.data / "nothing"))
    load_embedder.cache_clear()
    result = IndexStage().run(doc, IndexSettings())
    load_embedder.cache_clear()
    assert result.status == "ok" and result.counts["embedder_missing"] == 1 and result.counts["vectors"] == 0
    assert "--fetch minilm" in (result.message or "")
    assert VectorMeta.load(doc.index / "coarse.meta.json").embedder == "none"
    assert QuestionsStage().run(doc, IndexSettings()).counts == {"questions": 2, "vectors": 0}
    assert (
        Retriever.load(report_tree(), doc.index, RetrievalSettings()).search("Which pump wins?", question_id="q2").hits
    )


def test_embedder_that_changed_since_the_index_is_a_row(doc: DocFolder) -> None:
    IndexStage().run(doc, HASHING)
    with pytest.raises(StageFailure, match="hashing 1 with 256 dimensions") as failure:
        QuestionsStage().run(doc, IndexSettings(embedder="none"))
    assert failure.value.reason == "embedder_changed"


def test_missing_tree_is_a_row(doc: DocFolder) -> None:
    (doc.data / "doctree.mm.json").unlink()
    with pytest.raises(StageFailure) as failure:
        IndexStage().run(doc, HASHING)
    assert failure.value.reason == "no_tree"


def test_document_without_questions_gets_an_empty_set(doc: DocFolder) -> None:
    IndexStage().run(doc, HASHING)
    doc.questions.unlink()
    assert QuestionsStage().run(doc, HASHING).counts == {"questions": 0, "vectors": 0}


@pytest.mark.parametrize("place", [0, 0.5, -1])
@pytest.mark.parametrize("name", ["questions.vectors.npy", "questions.meta.json"])
def test_changed_byte_of_the_questions_is_refused_with_the_file_and_the_remedy(
    doc: DocFolder, name: str, place: float
) -> None:
    IndexStage().run(doc, HASHING)
    QuestionsStage().run(doc, HASHING)
    data = bytearray((doc.index / name).read_bytes())
    data[int(place * len(data)) if place == 0.5 else int(place)] ^= 1
    (doc.index / name).write_bytes(bytes(data))
    with pytest.raises(ArtifactError, match=f"{name}.*redo the questions stage"):
        Retriever.load(report_tree(), doc.index, RetrievalSettings())


def test_changed_line_of_the_questions_is_refused(doc: DocFolder) -> None:
    IndexStage().run(doc, HASHING)
    QuestionsStage().run(doc, HASHING)
    path = doc.index / "questions.meta.json"
    path.write_text(path.read_text().replace('"q1","q2"', '"q2","q1"'))
    with pytest.raises(ArtifactError, match=r"questions\.meta\.json.*redo the questions stage"):
        Retriever.load(report_tree(), doc.index, RetrievalSettings())
