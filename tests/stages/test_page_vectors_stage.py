"""ColQwen2's and a cross-encoder's real path on tiny models: PDF -> index -> questions -> search."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from helpers.index_trees import TreeBuilder
from helpers.make_pdf import lines, make_pdf, picture
from helpers.tiny_page_models import build_tiny_colqwen2, build_tiny_cross_encoder
from PIL import Image

from cosee.artifacts import files
from cosee.artifacts.base import save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.index import IndexManifest, MultiVectorMeta, PassageScores
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings, PageEmbedderSettings, RerankerSettings
from cosee.imaging.render import render_page
from cosee.index.thresholds import PAGE_DPI
from cosee.models.blocks import PageImage
from cosee.models.calls import ModelError
from cosee.models.embedding.page_embedders import PageEmbedder
from cosee.models.embedding.rerankers import PassageReranker
from cosee.pipeline.stage import DocFolder, StageFailure
from cosee.retrieval.retriever import Retriever
from cosee.stages.index import IndexStage
from cosee.stages.questions import QuestionsStage

TEXTS = ["The chart shows revenue by year.", "Herons eat fish and frogs.", "Total net sales of 394,328."]
QUESTIONS = {"q1": "What is shown in this figure?", "q2": "What do herons eat?"}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    build_tiny_colqwen2(folder / "colqwen2")
    build_tiny_cross_encoder(folder / "cross")
    return folder


@pytest.fixture
def doc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DocFolder:
    monkeypatch.setenv("COSEE_CACHE", str(tmp_path / "cache"))
    folder = DocFolder(
        "demo", "report", tmp_path / "data" / "demo" / "report", tmp_path / "indexes" / "demo" / "report"
    )
    colors = [(200, 30, 30), (30, 200, 30), (30, 30, 200)]

    def page(number: int):
        def draw(page) -> None:
            lines(page, 72, 90, [TEXTS[number]])
            picture(page, (80 + 90 * number, 200, 300 + 60 * number, 500), colors[number])

        return draw

    make_pdf(folder.data / "full.pdf", *map(page, range(3)))
    build = TreeBuilder(3)
    for number, text in enumerate(TEXTS):
        build.leaf(f"t_{number}", text, number)
    build.build().save(folder.data / "doctree.mm.json")
    save_rows(folder.questions, [Question(question_id=k, doc_id="report", question=v) for k, v in QUESTIONS.items()])
    return folder


def settings(models: Path, **reranker: object) -> IndexSettings:
    return IndexSettings(
        embedder="none",
        page_embedder=PageEmbedderSettings(model_path=str(models / "colqwen2"), device="cpu", max_patches=48),
        reranker=RerankerSettings(model_path=str(models / "cross")) if reranker else RerankerSettings(),
    )


def tree_of(doc: DocFolder) -> DocTree:
    return DocTree.load(doc.data / "doctree.mm.json")


def test_pages_are_seen_in_m2_and_searched_without_a_model(doc: DocFolder, models: Path) -> None:
    # contract: D62
    indexed = IndexStage().run(doc, settings(models))
    assert indexed.counts["pages_seen"] == 3 and indexed.message is None
    asked = QuestionsStage().run(doc, settings(models))
    names = {path.name for path in [*indexed.outputs, *asked.outputs]}
    assert {"page_vectors.npy", "page_vectors.meta.json", "question_pages.npy", "question_pages.meta.json"} <= names
    meta = MultiVectorMeta.load(doc.index / "page_vectors.meta.json")
    sizes = numpy.diff(meta.starts)
    assert meta.ids == ["P0", "P1", "P2"] and meta.dimensions == 16
    assert (sizes > 40).all() and (sizes < 48 + 40).all()
    assert (doc.index / "page_vectors.npy").stat().st_size < sizes.sum() * 16 + 200

    search = Retriever.load(tree_of(doc), doc.index, RetrievalSettings()).page_images
    assert search.kind_for(QUESTIONS["q1"], "q1") == "colqwen2"
    embedder = PageEmbedder(settings(models).page_embedder)
    (question,) = embedder.encode_questions([QUESTIONS["q1"]])
    pictures = [PageImage(n, render_page(doc.data / "full.pdf", n, PAGE_DPI, doc.data / "seen")) for n in (1, 2, 3)]
    exact = [float((question @ rows.T).max(axis=1).mean()) for rows in embedder.encode_pictures(pictures)]
    found = search.search(QUESTIONS["q1"], "q1")
    assert [page for page, _ in found] == sorted((1, 2, 3), key=lambda page: -exact[page - 1])
    assert all(abs(score - exact[page - 1]) < 0.01 for page, score in found)


def test_the_channel_changes_the_order_of_pages_only_where_it_is_asked_for(doc: DocFolder, models: Path) -> None:
    IndexStage().run(doc, settings(models))
    QuestionsStage().run(doc, settings(models))
    tree, text = tree_of(doc), QUESTIONS["q2"]
    plain = Retriever.load(tree, doc.index, RetrievalSettings()).search(text, question_id="q2")
    assert plain.pages == [2]
    both = RetrievalSettings(channels=["dense", "sparse", "page_images"], page_image_weight=0.2)
    joined = Retriever.load(tree, doc.index, both)
    found = joined.search(text, question_id="q2")
    assert found.pages[0] == 2 and len(found.pages) > 1
    alone = Retriever.load(tree, doc.index, RetrievalSettings(channels=["page_images"])).search(text, question_id="q2")
    assert alone.pages[0] == joined.page_images.search(text, "q2")[0][0]
    assert joined.search(text, question_id="q2", channels=["sparse"]).pages == [2]


def test_a_rebuilt_index_encodes_no_page_twice(doc: DocFolder, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # contract: D62
    def digests() -> dict[str, str]:
        outputs = [
            *IndexStage().run(doc, settings(models)).outputs,
            *QuestionsStage().run(doc, settings(models)).outputs,
        ]
        return {path.name: files.sha256_file(path) for path in outputs}

    first = digests()
    encoded: list[int] = []
    plain = PageEmbedder.encode_pictures
    monkeypatch.setattr(
        PageEmbedder, "encode_pictures", lambda self, pages: encoded.append(len(pages)) or plain(self, pages)
    )
    assert digests() == first and sum(encoded) == 0
    make_pdf(doc.data / "full.pdf", *(lambda page: lines(page, 72, 90, ["New."]) for _ in range(3)))
    changed = digests()
    assert changed["page_vectors.npy"] != first["page_vectors.npy"] and sum(encoded) > 0


def test_a_page_that_cannot_be_rendered_is_named_and_the_rest_is_seen(doc: DocFolder, models: Path) -> None:
    make_pdf(doc.data / "full.pdf", *(lambda page: lines(page, 72, 90, ["Two pages."]) for _ in range(2)))
    result = IndexStage().run(doc, settings(models))
    assert result.counts["pages_seen"] == 2 and "page 3" in (result.message or "")
    search = Retriever.load(tree_of(doc), doc.index, RetrievalSettings()).page_images
    assert set(search.scores(QUESTIONS["q1"])) == {0, 1, 2}


def test_a_document_without_any_picture_is_searched_by_words(doc: DocFolder, models: Path) -> None:
    (doc.data / "full.pdf").write_bytes(b"%PDF-1.4 nothing")
    result = IndexStage().run(doc, settings(models))
    assert result.counts["pages_seen"] == 0 and result.status == "ok"
    QuestionsStage().run(doc, settings(models))
    search = Retriever.load(tree_of(doc), doc.index, RetrievalSettings()).page_images
    assert search.kind_for(QUESTIONS["q2"], "q2") == "text_tokens" and search.search(QUESTIONS["q2"], "q2")[0][0] == 2


def test_another_model_than_the_indexs_is_a_row(doc: DocFolder, models: Path) -> None:
    IndexStage().run(doc, settings(models))
    with pytest.raises(StageFailure, match="redo the index stage") as failure:
        QuestionsStage().run(doc, IndexSettings(embedder="none"))
    assert failure.value.reason == "embedder_changed"
    absent = IndexSettings(embedder="none", page_embedder=PageEmbedderSettings(model_path=str(models / "absent")))
    with pytest.raises(StageFailure, match="no model folder"):
        IndexStage().run(doc, absent)
    wrong = PageEmbedderSettings(model_path=str(models / "cross"))
    with pytest.raises(ModelError, match="'bert' model; a ColQwen2"):
        PageEmbedder(wrong)


def test_colqwen_2_5_and_padded_batches(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = build_tiny_colqwen2(models / "colqwen2_5", backbone="qwen2_5_vl")
    embedder = PageEmbedder(PageEmbedderSettings(model_path=str(folder), device="cpu", max_patches=48))
    texts = [QUESTIONS["q1"], "Sales?"]
    alone = embedder.encode_questions(texts)
    import torch

    inputs = embedder._processor.process_queries(text=texts)
    with torch.inference_mode():
        batch = embedder._model(**inputs).embeddings.numpy()
    for rows, mask, one in zip(batch, inputs["attention_mask"].numpy().astype(bool), alone, strict=True):
        assert numpy.isfinite(rows).all() and numpy.allclose(rows[mask], one, atol=1e-5)
    assert numpy.allclose(numpy.linalg.norm(alone[0], axis=1), 1, atol=1e-5)
    pictures = [PageImage(1, Image.new("RGB", (340, 440), "navy")), PageImage(2, Image.new("RGB", (900, 4), "red"))]
    single = embedder.encode_pictures(pictures)
    monkeypatch.setattr(PageEmbedder, "batch", 2)
    together = embedder.encode_pictures(pictures)
    assert len(single[0]) != len(single[1])
    assert all(numpy.allclose(one, other, atol=1e-5) for one, other in zip(single, together, strict=True))


def test_the_reranker_reads_the_best_passages_in_m2(doc: DocFolder, models: Path) -> None:
    # contract: D62
    IndexStage().run(doc, settings(models))
    QuestionsStage().run(doc, settings(models, reranker=True))
    scores = PassageScores.load(doc.index / "passage_scores.json")
    exact = PassageReranker(RerankerSettings(model_path=str(models / "cross"))).scores(QUESTIONS["q2"], [TEXTS[1]])
    assert scores.questions["q2"].scores == {"t_1#c0": exact[0]}
    tree, text = tree_of(doc), QUESTIONS["q2"]
    retriever = Retriever.load(tree, doc.index, RetrievalSettings())
    (hit,) = [each for each in retriever.search(text, question_id="q2").hits if each.node_id == "t_1"]
    assert hit.parts["cross_encoder"] == exact[0] and "cross_encoder" in hit.reasons
    plain = Retriever.load(tree, doc.index, RetrievalSettings(rerank=False)).search(text, question_id="q2")
    assert all("cross_encoder" not in each.parts for each in plain.hits)
    rewritten = retriever.search("What do herons like?", question_id="q2")
    assert all("cross_encoder" not in each.parts for each in rewritten.hits)


def test_whatever_the_questions_stage_reads_is_an_input_or_sealed_by_one(
    doc: DocFolder, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    IndexStage().run(doc, settings(models))
    seen: list[Path] = []
    read = files.read_bytes

    def watched(path: Path, *arguments: int) -> bytes:
        seen.append(path)
        return read(path, *arguments)

    monkeypatch.setattr(files, "read_bytes", watched)
    QuestionsStage().run(doc, settings(models, reranker=True))
    inputs = set(QuestionsStage().inputs(doc, settings(models, reranker=True)))
    sealed = {doc.index / name for name in IndexManifest.load(doc.index / "index.meta.json").files}
    read_here = {
        path for path in seen if doc.data in path.parents or doc.index in path.parents or path == doc.questions
    }
    assert read_here and read_here <= inputs | sealed and doc.index / "index.meta.json" in inputs


def test_two_labels_give_the_second_ones_share(models: Path) -> None:
    folder = build_tiny_cross_encoder(models / "two", labels=2)
    reranker = PassageReranker(RerankerSettings(model_path=str(folder)))
    scores = reranker.scores("net sales", TEXTS)
    assert len(set(scores)) == 3 and all(0 < score < 1 for score in scores)
    assert reranker.scores("net sales", TEXTS) == scores and reranker.scores("net sales", []) == []
    three = build_tiny_cross_encoder(models / "three", labels=3)
    with pytest.raises(ModelError, match="3 labels"):
        PassageReranker(RerankerSettings(model_path=str(three))).scores("net sales", TEXTS)


def test_searching_page_pictures_imports_no_torch(doc: DocFolder, models: Path) -> None:
    IndexStage().run(doc, settings(models))
    QuestionsStage().run(doc, settings(models, reranker=True))
    code = (
        "import sys; from pathlib import Path\n"
        "from cosee.artifacts.documents.doctree import DocTree\n"
        "from cosee.artifacts.settings.answer import RetrievalSettings\n"
        "from cosee.retrieval.retriever import Retriever\n"
        "settings = RetrievalSettings(channels=['sparse', 'page_images'])\n"
        f"tree = DocTree.load(Path({str(doc.data / 'doctree.mm.json')!r}))\n"
        f"found = Retriever.load(tree, Path({str(doc.index)!r}), settings)\n"
        f"assert len(found.search({QUESTIONS['q1']!r}, question_id='q1').pages) > 1\n"
        "assert 'torch' not in sys.modules and 'transformers' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
