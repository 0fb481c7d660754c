"""Pages of several documents on one page of the report."""

from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.prediction import Prediction, Support
from cosee.artifacts.results.trace import TraceEvent
from cosee.evaluation.attribution import verdict
from cosee.evaluation.results import score_question
from cosee.report.board import Board, BoardPage
from cosee.report.page_names import PageName, board_with_page_names, with_page_names
from cosee.report.views import place_of

QUESTION = Question(
    question_id="q", question="Who signed?", answer="Reed", answer_format="Str", doc_ids=["atlas", "harbor"],
    evidence_pages=[3, 4], evidence_documents=["atlas", "harbor"],
)  # fmt: skip
ROW = Prediction(
    question_id="q", doc_id="", dataset="demo", method="m", status="ok", exit_reason="answered", answer="Halvorsen",
    abstained=False, support=[Support(doc_id="harbor", page=3)], retrieved_pages=[3, 3],
    retrieved_documents=["harbor", "atlas"], read_pages=[3], read_documents=["harbor"],
)  # fmt: skip


def test_pages_are_scored_with_their_documents():
    scores = score_question("demo", QUESTION, ROW, [1, 2]).pages
    assert scores.recall == {1: 0.0, 2: 0.5}, "page 3 of another document is not the gold page"
    assert score_question("demo", QUESTION, ROW, [1]).cited == (0.0, 0.0, 0.0)


def test_pages_are_named_apart_and_lead_to_their_pictures():
    shown = with_page_names(score_question("demo", QUESTION, ROW, [1, 2]))
    (piece,) = shown.prediction.support
    assert piece.page == "3 of harbor" and shown.question.evidence_pages == ["3 of atlas", "4 of harbor"]
    assert place_of(shown, piece.page.key) == ("demo", "harbor", 3)
    assert verdict(shown).because.startswith("gold page 4 of harbor is not among the first 2 ranked pages")


def test_a_board_of_all_pages_is_told_by_document():
    told = [{"doc_id": "atlas", "first_page": 1, "chance": 0.6}, {"doc_id": "harbor", "first_page": 11}, "broken"]
    event = TraceEvent(type="retrieval", documents=told)
    board = board_with_page_names(Board([BoardPage(0, []), BoardPage(3, []), BoardPage(12, [])], 1), [event])
    assert [page.page for page in board.pages] == [0, "3 of atlas", "2 of harbor"]
    assert board_with_page_names(board, []).pages[0].page == 0 and PageName.of(("", 4)) == "4"
