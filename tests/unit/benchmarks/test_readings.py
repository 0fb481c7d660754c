"""What a reranker says in the benchmarks: read once, fitted, and judged beside the ranking without it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from benchmarks.common import QaSet
from benchmarks.page_curve import READ, Given, at_mean, curve, given_pages, print_curve
from benchmarks.prepare import Prepared
from benchmarks.readings import KeptReadings
from benchmarks.retrieval import collect, report, run_document
from benchmarks.tune_retrieval import Asked, fitted_reading, ranking
from helpers.index_trees import TreeBuilder
from helpers.make_pdf import lines, make_pdf
from helpers.retrievers import make

from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.index import PassageScores
from cosee.models.embedding.rerankers import PassageReranker
from cosee.pipeline.stage import DocFolder
from cosee.retrieval.page_weights import RERANKER, PageWeights


class Lengths(PassageReranker):
    """Gives a passage its length, and counts what it read."""

    def __init__(self) -> None:
        self.name, self.revision, self.read = "lengths", "1", 0

    def _scores(self, question: str, passages: Sequence[str]) -> list[float]:
        self.read += len(passages)
        return [float(len(each)) for each in passages]


def test_a_passage_is_read_once_for_a_question(tmp_path: Path) -> None:
    reader, path = Lengths(), tmp_path / "readings.json"
    assert KeptReadings(reader, path).scores("q", ["a", "bb"]) == [1, 2]
    again = KeptReadings(reader, path)
    assert again.scores("q", ["bb", "ccc", "a"]) == [2, 3, 1] and reader.read == 3
    assert again.scores("another q", ["a"]) == [1] and reader.read == 4


def test_what_a_reranker_says_is_fitted_on_top_of_the_other_weights(tmp_path: Path) -> None:
    build = TreeBuilder(4)
    for page in range(4):
        build.leaf(f"t_{page}", f"Herons number {page} eat fish.", page)
    retriever = make(tmp_path, build.build(), vectors=False)
    rows = [
        Asked(
            Question(question_id=f"q{page}", doc_id=f"d{page}", question="?", evidence_pages=[page + 1]),
            retriever.page_views("Do herons eat fish?"),
            retriever.page_links,
        )
        for page in range(4)
    ]
    ranked = {row.question.question_id: ranking(row, PageWeights()).pages for row in rows}
    right = {key: {page: 3.0 if f"q{page - 1}" == key else -3.0 for page in pages} for key, pages in ranked.items()}
    weights = fitted_reading(rows, right, PageWeights())
    assert weights.read[RERANKER] > 0.3 and weights.read_chance.keys() == PageWeights().chance.keys()
    assert (weights.first, weights.last, weights.chance) == (
        PageWeights().first, PageWeights().last, PageWeights().chance,
    )  # fmt: skip
    wrong = {key: {page: -score for page, score in pages.items()} for key, pages in right.items()}
    assert fitted_reading(rows, wrong, PageWeights()).read[RERANKER] == 0, "no page is the better for being refused"


def test_the_curve_of_what_was_read_stands_beside_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    asked = [Question(question_id="q", doc_id="d", question="?", evidence_pages=[4])]
    given = {"q": given_pages([1, 2, 3, 4], 4) | given_pages([4, 1, 2, 3], 1, READ)}
    figures = curve(QaSet(Path(), asked), given)
    assert figures["complete.all.single.k1"] == 0 and figures["complete.all.single.read_k1"] == 1
    assert figures["pages.all.single.auto"] == 4 and figures["pages.all.single.read_auto"] == 1
    assert at_mean(figures, "single", 1.0) == 0 and at_mean(figures, "single", 1.0, READ) == 1
    given["q2"] = given_pages([1, 2], 2) | given_pages([2, 1], 2, READ)
    asked.append(Question(question_id="q2", doc_id="d", question="?", evidence_pages=[1, 2]))
    print_curve(curve(QaSet(Path(), asked), given))
    assert "single: read_auto less a fixed number (k) at its mean of 1.00 pages: +1.000" in capsys.readouterr().out


@pytest.mark.parametrize("read", [{}, {"another": PassageScores(model="m", revision="1", questions={})}])
def test_a_document_that_failed_counts_nothing_found_where_others_were_read(
    tmp_path: Path, read: dict[str, PassageScores]
) -> None:
    make_pdf(tmp_path / "docs" / "d.pdf", lambda page: lines(page, 72, 90, ["Herons eat fish."]))
    asked = [
        Question(question_id="q", doc_id="d", question="herons?", evidence_pages=[1], source_dataset="s"),
        Question(question_id="r", doc_id="e", question="herons?", evidence_pages=[1], source_dataset="s"),
    ]
    qa, given = QaSet(tmp_path, asked), Given()
    found = run_document(qa, "d", Prepared(DocFolder("qa", "d", tmp_path, tmp_path), "broken"), None, given, read)
    names = {"cosee_read"} if read else set()
    other = {name: [1] for name in {*found["q"], *names}}
    figures, _, _ = report(*collect(qa, {**found, "r": other}))
    assert figures["recall@1.s.cosee"] == 0.5 and ("recall@1.s.cosee_read" in figures) == bool(read)
    assert ("read_auto" in given["q"]) == bool(read) and given["q"]["auto"] == []
