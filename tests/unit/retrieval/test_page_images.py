"""The page-image view: late interaction over page pictures' vectors, or over the words of pages."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest
from helpers.index_trees import TreeBuilder, report_tree

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.build import build_index
from cosee.index.page_vectors import load_multi_vectors, make_multi_vectors, quantize_nonzero, save_multi_vectors
from cosee.retrieval.retriever import Retriever

QUESTION = "What does the picture show?"


def unit(rows: numpy.ndarray) -> numpy.ndarray:
    return rows / numpy.linalg.norm(rows, axis=1, keepdims=True)


def sha(text: str) -> str:
    return files.sha256_bytes(text.encode("utf-8"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build_index(report_tree(), tmp_path, IndexSettings(embedder="none"), None)
    return tmp_path


def with_pictures(folder: Path, question_model: str = "col") -> tuple[list[numpy.ndarray], numpy.ndarray]:
    """Random vectors for the report's five pages and one question."""
    random = numpy.random.default_rng(3)
    pages = [unit(random.normal(size=(4 + n, 16)).astype(numpy.float32)) for n in range(5)]
    question = unit(random.normal(size=(6, 16)).astype(numpy.float32))
    ids = [f"P{n}" for n in range(5)]
    for view in (
        make_multi_vectors("page_vectors", ("col", "1", 16), ids, [*map(quantize_nonzero, pages)], [*map(sha, ids)]),
        make_multi_vectors(
            "question_pages", (question_model, "1", 16), ["q1"], [quantize_nonzero(question)], [sha(QUESTION)]
        ),
    ):
        save_multi_vectors(folder, view)
    return pages, question


def test_pages_are_ranked_by_max_sim_of_their_pictures(folder: Path) -> None:
    pages, question = with_pictures(folder)
    search = Retriever.load(report_tree(), folder, RetrievalSettings()).page_images
    exact = [float((question @ page.T).max(axis=1).mean()) for page in pages]
    found = search.search(QUESTION, "q1", limit=5)
    assert [page for page, _ in found] == sorted(range(1, 6), key=lambda page: -exact[page - 1])
    assert all(abs(score - exact[page - 1]) < 0.01 for page, score in found)
    assert search.search(QUESTION, "q1") == found[:3]


def test_a_rewritten_question_is_searched_by_words_and_says_so(folder: Path) -> None:
    with_pictures(folder)
    search = Retriever.load(report_tree(), folder, RetrievalSettings()).page_images
    assert search.kind_for(QUESTION, "q1") == "colqwen2"
    assert search.kind_for("Which pump wins?", "q1") == search.kind_for(QUESTION) == "text_tokens"
    assert search.search("Which pump wins?", "q1")[0][0] == 5


def test_words_with_reading_errors_are_found_without_a_model(folder: Path) -> None:
    build = TreeBuilder(3)
    build.leaf("t_1", "The turbine needs rnaintenance twice a year.", 1)
    build.leaf("t_2", "Herons eat fish, frogs and sometimes small birds.", 2)
    tree = build.build()
    build_index(tree, folder / "words", IndexSettings(embedder="none"), None)
    retriever = Retriever.load(tree, folder / "words", RetrievalSettings())
    assert retriever.page_images.kind_for("maintenance") == "text_tokens"
    assert [page for page, _ in retriever.page_images.search("maintenance")] == [2]
    assert retriever.search("maintenance").pages == []


def test_numbers_match_whole_and_nothing_gives_nothing(folder: Path) -> None:
    search = Retriever.load(report_tree(), folder, RetrievalSettings()).page_images
    assert [page for page, _ in search.search("2021")] == [4]
    assert search.search("2027") == search.search("") == search.search("zzzz qqqq") == []


def test_chunks_do_not_change_scores(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_pictures(folder)
    search = Retriever.load(report_tree(), folder, RetrievalSettings()).page_images
    whole = search.search(QUESTION, "q1", 5)
    for rows in (1, 7, 12):
        monkeypatch.setattr("cosee.index.page_vectors.DECODED_ROWS", rows)
        assert search.search(QUESTION, "q1", 5) == whole


@pytest.mark.parametrize("name", ["page_vectors.npy", "page_vectors.meta.json", "question_pages.npy"])
def test_a_damaged_or_missing_file_is_refused(folder: Path, name: str) -> None:
    with_pictures(folder)
    path = folder / name
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(ArtifactError, match=name.split(".")[0]):
        Retriever.load(report_tree(), folder, RetrievalSettings())
    path.unlink()
    with pytest.raises(ArtifactError, match=name.split(".")[0]):
        Retriever.load(report_tree(), folder, RetrievalSettings())


def test_every_flipped_byte_of_a_meta_file_is_detected(folder: Path) -> None:
    with_pictures(folder)
    path = folder / "page_vectors.meta.json"
    whole = path.read_bytes()
    for place in range(0, len(whole), 7):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(ArtifactError, match=r"page_vectors"):
            load_multi_vectors(folder, "page_vectors")


def test_vectors_of_another_model_or_document_are_refused(folder: Path) -> None:
    with_pictures(folder, question_model="other")
    with pytest.raises(ArtifactError, match="redo the questions stage"):
        Retriever.load(report_tree(), folder, RetrievalSettings())
    other = TreeBuilder(2)
    other.leaf("t_1", "Text.", 1)
    build_index(other.build(), folder, IndexSettings(embedder="none"), None)
    with pytest.raises(ArtifactError, match="other pages"):
        Retriever.load(other.build(), folder, RetrievalSettings())


def test_a_document_without_words_gives_nothing(tmp_path: Path) -> None:
    tree = TreeBuilder(2).build()
    build_index(tree, tmp_path, IndexSettings(embedder="none"), None)
    assert Retriever.load(tree, tmp_path, RetrievalSettings()).page_images.search("anything at all") == []
