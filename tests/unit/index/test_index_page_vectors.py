from collections.abc import Callable
from pathlib import Path

import numpy
import pytest
from helpers.index_trees import report_tree

from cosee.artifacts.documents.index import PassageScores, QuestionPassages
from cosee.artifacts.files import ArtifactError
from cosee.index.page_vectors import load_multi_vectors, make_multi_vectors, quantize_nonzero, save_multi_vectors
from cosee.retrieval.model_views import load_passage_scores


def save_pages(folder: Path) -> None:
    rows = quantize_nonzero(numpy.eye(6, 8, dtype=numpy.float32))
    view = make_multi_vectors("page_vectors", ("model", "1", 8), ["P0", "P1"], [rows[:4], rows[4:]], ["a", "b"])
    save_multi_vectors(folder, view)


def save_passages(folder: Path) -> None:
    asked = {"q1": QuestionPassages(text_sha256="0", pages={2: 0.5})}
    PassageScores(model="cross", revision="1", questions=asked).save(folder / "passage_scores.json")


FILES: dict[str, tuple[Callable[[Path], None], Callable[[Path], object]]] = {
    "page_vectors.npy": (save_pages, lambda folder: load_multi_vectors(folder, "page_vectors")),
    "page_vectors.meta.json": (save_pages, lambda folder: load_multi_vectors(folder, "page_vectors")),
    "passage_scores.json": (save_passages, lambda folder: load_passage_scores(folder, report_tree())),
}


@pytest.mark.parametrize("place", [0.0, 0.3, 0.6, 0.99])
@pytest.mark.parametrize("name", FILES)
def test_changed_byte_is_refused_with_the_file_and_the_remedy(tmp_path: Path, name: str, place: float) -> None:
    save, load = FILES[name]
    save(tmp_path)
    assert load(tmp_path) is not None
    data = bytearray((tmp_path / name).read_bytes())
    data[int(place * len(data))] ^= 1
    (tmp_path / name).write_bytes(bytes(data))
    with pytest.raises(ArtifactError, match=f"{name}.*redo the"):
        load(tmp_path)


def test_scores_of_another_trees_pages_are_refused(tmp_path: Path) -> None:
    asked = {"q1": QuestionPassages(text_sha256="0", pages={1: 0.5, 99: 0.1})}
    PassageScores(model="cross", revision="1", questions=asked).save(tmp_path / "passage_scores.json")
    with pytest.raises(ArtifactError, match="page 99 is not in the tree; redo the questions stage"):
        load_passage_scores(tmp_path, report_tree())
