"""ColQwen2's and a reranker's real path on tiny models: PDF -> index -> questions -> search."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from benchmarks.tiny_qwen3vl import build_tiny_qwen3vl
from helpers.index_trees import TreeBuilder
from helpers.make_pdf import lines, make_pdf, picture
from helpers.tiny_page_models import CHAT, build_tiny_colqwen2, build_tiny_cross_encoder, build_tiny_language_model
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
from cosee.models.embedding.rerankers import PassageReranker, load_reranker
from cosee.pipeline.stage import DocFolder, StageFailure
from cosee.retrieval.retriever import Retriever
from cosee.stages.index import IndexStage
from cosee.stages.questions import QuestionsStage

TEXTS = ["The chart shows revenue by year.", "Herons eat fish and frogs.", "Total net sales of 394,328."]
QUESTIONS = {"q1": "What is shown in this figure?", "q2": "What do herons eat?", "q3": "Fish or sales revenue?"}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    build_tiny_colqwen2(folder / "colqwen2")
    build_tiny_cross_encoder(folder / "cross")
    build_tiny_language_model(folder / "language")
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


def settings(models: Path, reranker: str | None = None) -> IndexSettings:
    return IndexSettings(
        embedder="none",
        page_embedder=PageEmbedderSettings(model_path=str(models / "colqwen2"), device="cpu", max_patches=48),
        reranker=RerankerSettings(model_path=str(models / reranker)) if reranker else RerankerSettings(),
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


@pytest.mark.parametrize("name", ["cross", "language"])
def test_the_reranker_reads_the_pages_that_a_question_may_need_in_m2(doc: DocFolder, models: Path, name: str) -> None:
    # contract: D62
    IndexStage().run(doc, settings(models))
    tree, text = tree_of(doc), QUESTIONS["q3"]
    before = Retriever.load(tree, doc.index, RetrievalSettings()).search(text, question_id="q3")
    assert not any("reranker" in parts for parts in before.page_parts)
    outputs = QuestionsStage().run(doc, settings(models, name)).outputs
    assert doc.index / "passage_scores.json" in outputs
    questions = PassageScores.load(doc.index / "passage_scores.json").questions
    read = questions["q3"].pages
    assert questions["q2"].pages == {}, "one page is all that is found"
    assert set(read) == set(before.pages) and len(read) > 1
    reranker = load_reranker(RerankerSettings(model_path=str(models / name)))
    assert reranker is not None
    assert {page: reranker.scores(text, [TEXTS[page - 1]])[0] for page in read} == pytest.approx(read, abs=1e-4)
    retriever = Retriever.load(tree, doc.index, RetrievalSettings())
    found = retriever.search(text, question_id="q3")
    parts = {page: parts["reranker"] for page, parts in zip(found.pages, found.page_parts, strict=True)}
    assert max(parts.values()) == 0 and max(read, key=lambda page: read[page]) == max(parts, key=lambda p: parts[p])
    assert sum(found.page_scores) == pytest.approx(sum(before.page_scores), abs=1e-5)
    assert found.page_scores != before.page_scores and found.page_chances != before.page_chances
    for unread in (
        Retriever.load(tree, doc.index, RetrievalSettings(rerank=False)).search(text, question_id="q3"),
        retriever.search("Frogs or sales revenue?", question_id="q3"),
        retriever.search(text),
    ):
        assert not any("reranker" in parts for parts in unread.page_parts)
    QuestionsStage().run(doc, settings(models))
    assert not (doc.index / "passage_scores.json").exists(), "no reranker, nothing that one said"


def test_whatever_the_questions_stage_reads_is_an_input_or_sealed_by_one_or_its_own(
    doc: DocFolder, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    IndexStage().run(doc, settings(models))
    seen: list[Path] = []
    read = files.read_bytes

    def watched(path: Path, *arguments: int) -> bytes:
        seen.append(path)
        return read(path, *arguments)

    monkeypatch.setattr(files, "read_bytes", watched)
    written = set(QuestionsStage().run(doc, settings(models, "cross")).outputs)
    inputs = set(QuestionsStage().inputs(doc, settings(models, "cross")))
    sealed = {doc.index / name for name in IndexManifest.load(doc.index / "index.meta.json").files}
    read_here = {
        path for path in seen if doc.data in path.parents or doc.index in path.parents or path == doc.questions
    }
    assert read_here and read_here <= inputs | sealed | written and doc.index / "index.meta.json" in inputs


def reranker(folder: Path) -> PassageReranker:
    found = load_reranker(RerankerSettings(model_path=str(folder)))
    assert found is not None
    return found


def test_two_labels_give_their_difference(models: Path) -> None:
    two = reranker(build_tiny_cross_encoder(models / "two", labels=2))
    scores = two.scores("net sales", TEXTS)
    assert len(set(scores)) == 3
    assert two.scores("net sales", TEXTS) == scores and two.scores("net sales", []) == []
    with pytest.raises(ModelError, match="3 labels"):
        reranker(build_tiny_cross_encoder(models / "three", labels=3)).scores("net sales", TEXTS)


def test_a_language_model_says_yes_or_no_of_each_passage(models: Path) -> None:
    import torch

    reader = reranker(models / "language")
    scores = reader.scores("net sales", TEXTS)
    assert len(set(scores)) == 3 and reader.scores("net sales", TEXTS[::-1]) == scores[::-1]
    assert reader.scores("net sales", ["words " * 5000]) == reader.scores("net sales", ["words " * 6000]), "cut"
    tokenizer, model = reader._tokenizer, reader._model
    messages = [
        {"role": "system", "content": "You judge whether a page of a document answers a question."},
        {"role": "user", "content": f"Page:\n{TEXTS[0]}\n\nQuestion: net sales\nDoes this page contain the answer to "
                                    "the question? Answer Yes or No."},
    ]  # fmt: skip
    prompt = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    with torch.inference_mode():
        logits = model(**tokenizer(prompt, return_tensors="pt", add_special_tokens=False)).logits[0, -1].float()
    yes, no = (
        torch.logsumexp(logits[[tokenizer(word, add_special_tokens=False)["input_ids"][0] for word in words]], 0)
        for words in (["Yes", "yes"], ["No", "no"])
    )
    assert scores[0] == pytest.approx(float(yes - no), abs=0.02), "in the words of the prompt, read at its end"


def test_a_language_model_without_a_chat_is_asked_plainly(tmp_path: Path) -> None:
    plain = reranker(build_tiny_language_model(tmp_path / "plain", chat=None))
    assert len(set(plain.scores("net sales", TEXTS))) == 3
    before, _, after = map(plain._tokenizer.decode, plain._frame)
    assert before.endswith("\n\nPage:\n") and after.endswith("Answer Yes or No.\n")


@pytest.mark.parametrize(("name", "marker"), [("language", "<|im_end|>"), ("cross", "[SEP]")])
def test_what_a_page_says_is_no_marker_of_the_model(models: Path, name: str, marker: str) -> None:
    reader = reranker(models / name)
    number = reader._tokenizer.convert_tokens_to_ids(marker)
    assert number in reader._tokenizer(f"a {marker} b", add_special_tokens=False)["input_ids"]
    assert number not in reader._tokenizer(reader._plain(f"a {marker} b"), add_special_tokens=False)["input_ids"]
    assert reader.scores("net sales", [f"a {marker} b"]) == reader.scores("net sales", [reader._plain(f"a {marker} b")])


@pytest.mark.parametrize(
    ("chat", "told"),
    [
        ("{{ raise_exception('no system message') }}", "fails: no system message"),
        ("{% for each in messages %}{% for part in each.content if part.text %}{{ part.text }}{% endfor %}{% endfor %}",
         "leaves out what it is given as text"),
        (CHAT + "<think>\n", "lets the model think before it replies"),
    ],
)  # fmt: skip
def test_a_chat_that_cannot_be_read_from_its_end_is_refused(tmp_path: Path, chat: str, told: str) -> None:
    with pytest.raises(ModelError, match=f"^the chat template in 'chat' {told}"):
        reranker(build_tiny_language_model(tmp_path / "chat", chat=chat)).scores("net sales", TEXTS)


def test_a_date_in_the_chat_is_the_same_every_day(tmp_path: Path) -> None:
    dated = CHAT + "{{ strftime_now('%d %B %Y') }}{{ date_string }}"
    reader = reranker(build_tiny_language_model(tmp_path / "dated", chat=dated))
    assert reader._tokenizer.decode(reader._frame[2]).count("26 Jul 2024") == 2


def test_a_thought_that_is_closed_at_once_is_none(tmp_path: Path) -> None:
    closed = CHAT + "{% if enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}"
    assert len(set(reranker(build_tiny_language_model(tmp_path / "closed", chat=closed)).scores("sales", TEXTS))) == 3


def test_logits_that_are_scaled_after_the_output_layer_are_refused(models: Path, tmp_path: Path) -> None:
    folder = build_tiny_language_model(tmp_path / "scaled")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"logit_scale": 0.06}))
    with pytest.raises(ModelError, match="cannot rerank: its logits have a 'logit_scale'"):
        reranker(folder).scores("net sales", TEXTS)


def test_a_vision_language_model_reads_by_its_language_part(tmp_path: Path) -> None:
    import torch

    seeing = reranker(build_tiny_qwen3vl(tmp_path / "see"))
    scores = seeing.scores("net sales", TEXTS)
    tokenizer = seeing._tokenizer
    before, between, after = seeing._frame
    tokens = [*before, *seeing._tokens(TEXTS[0]), *between, *seeing._tokens("net sales"), *after]
    with torch.inference_mode():
        logits = seeing._model(input_ids=torch.tensor([tokens])).logits[0, -1].float()
    first = [tokenizer(word, add_special_tokens=False)["input_ids"][0] for word in ("Yes", "yes", "No", "no")]
    expected = logits[first[:2]].logsumexp(0) - logits[first[2:]].logsumexp(0)
    assert scores[0] == pytest.approx(float(expected), abs=0.02) and len(set(scores)) == 3


def test_a_folder_that_holds_no_reranker_is_refused_by_its_name(models: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"holds a 'ColQwen2ForRetrieval'; a reranker is"):
        reranker(models / "colqwen2")
    for config in ("[]", "{}", '{"architectures": 5}', '{"architectures": {"x": 1}}', '{"architectures": []}'):
        (tmp_path / "config.json").write_text(config)
        with pytest.raises(ModelError, match="no usable 'architectures'"):
            reranker(tmp_path)


def test_searching_page_pictures_imports_no_torch(doc: DocFolder, models: Path) -> None:
    IndexStage().run(doc, settings(models))
    QuestionsStage().run(doc, settings(models, "cross"))
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
