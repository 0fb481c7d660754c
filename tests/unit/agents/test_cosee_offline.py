"""The roles without a model, over the small tree's pages and a board as a round would leave it."""

from helpers.agent_trees import small_tree

from cosee.agents.cosee import offline
from cosee.agents.cosee.schemas import ActionReply
from cosee.models.base import Sampling
from cosee.models.embedded import Reading
from cosee.models.evidence import page_evidence
from cosee.models.messages import board_block, evidence_message, role_block
from cosee.models.skills.nodes import ReadingAnswer

PEOPLE = "How many people did the company employ at the end of 2023?"


def act(role: str, question: str, cells: list[dict] | None = None, pages: tuple[int, ...] = (1, 2, 3)) -> ActionReply:
    tree = small_tree()
    board = board_block("board", cells) if cells else None
    message = evidence_message(
        question, evidence=[page_evidence(tree, page) for page in pages], board=board, role=role_block("r", role)
    )
    return offline.act(Reading([message], Sampling()))


def cell(cell_id: int, author: str, page: int, **details: object) -> dict:
    return {
        "id": cell_id, "author": author, "view": {"page": page}, "content": "note", "tags": [], "step": 1,
        "details": details,
    }  # fmt: skip


def test_scanner_names_the_best_place_and_then_the_next():
    # contract: C46
    first = act("scanner", PEOPLE)
    assert (first.action, first.node_id, first.view.page) == ("INSPECT", "t_5", 2) and "412" in first.quote
    second = act("scanner", PEOPLE, [cell(1, "scanner", 2, node_id="t_5")])
    assert second.action == "INSPECT" and second.node_id not in (None, "t_5")


def test_scanner_says_when_nothing_is_left():
    reply = act("scanner", "Wozu dient ein Zitronenbaum?")
    assert reply.action == "INSPECT" and reply.quote is None and "No further place" in reply.content


def test_detail_reader_reads_only_the_noted_pages():
    # contract: C46
    there = act("detail_reader", PEOPLE, [cell(1, "scanner", 2, node_id="t_5")])
    elsewhere = act("detail_reader", PEOPLE, [cell(1, "scanner", 3, node_id="t_7")])
    assert there.answer == "412" and there.quote and there.node_id == "t_5"
    assert elsewhere.action == "INSPECT" and elsewhere.answer is None


def test_detail_reader_proposes_in_its_second_turn():
    cells = [cell(1, "scanner", 2, node_id="t_5"), cell(2, "detail_reader", 2, node_id="t_5", answer="412")]
    reply = act("detail_reader", PEOPLE, cells)
    assert (reply.action, reply.answer) == ("HYPOTHESIZE", "412") and 1 in reply.supporting_cells


def test_cross_checker_confirms_what_it_reads_too():
    proposed = cell(2, "detail_reader", 2, action="HYPOTHESIZE", answer="412", confidence=0.5, node_id="t_5")
    reply = act("cross_checker", PEOPLE, [cell(1, "scanner", 2, node_id="t_5"), proposed])
    assert (reply.action, reply.answer) == ("HYPOTHESIZE", "412")
    assert reply.supporting_cells[0] == 2 and reply.confidence > 0.5


def test_cross_checker_corrects_a_clearly_weaker_reading():
    proposed = cell(2, "detail_reader", 3, action="INSPECT", answer="7", confidence=0.1, node_id="t_7")
    reply = act("cross_checker", PEOPLE, [proposed])
    assert (reply.action, reply.target_cell_id, reply.answer) == ("REVISE", 2, "412")
    assert "412" in reply.content and "7" in reply.content


def test_cross_checker_links_before_it_overrules():
    proposed = cell(2, "detail_reader", 3, action="INSPECT", answer="7", confidence=0.9, node_id="t_7")
    first = act("cross_checker", PEOPLE, [proposed])
    assert (first.action, first.target_cell_id, first.node_id) == ("LINK", 2, "t_5")
    again = act("cross_checker", PEOPLE, [proposed, cell(3, "cross_checker", 2, action="LINK", target_cell_id=2)])
    assert (again.action, again.answer) == ("REVISE", "412")


def test_cross_checker_does_not_take_up_a_corrected_cell():
    wrong = cell(1, "detail_reader", 3, action="INSPECT", answer="7", confidence=0.9)
    correction = cell(2, "cross_checker", 2, action="REVISE", answer="412", target_cell_id=1) | {"tags": ["correction"]}
    reply = act("cross_checker", PEOPLE, [wrong, correction])
    assert reply.action == "HYPOTHESIZE" and reply.answer == "412" and 1 not in reply.supporting_cells


def test_cross_checker_looks_elsewhere_before_it_abstains():
    question = "What was the revenue per share in 2019?"
    noted = [cell(1, "scanner", 1, node_id="sec_1")]
    first = act("cross_checker", question, noted)
    later = act("cross_checker", question, [*noted, cell(2, "cross_checker", 2, action="LINK", target_cell_id=1)])
    assert later.action == "HYPOTHESIZE" and later.answer == "Not answerable" and later.quote is None
    assert (first.action, first.target_cell_id) == ("LINK", 1) and first.node_id != "sec_1"


def test_two_doubtful_readings_that_still_differ_are_no_answer(monkeypatch):
    # contract: C46
    proposed = cell(2, "detail_reader", 2, action="HYPOTHESIZE", answer="9", confidence=0.3, node_id="t_5")
    looked = cell(3, "cross_checker", 2, action="LINK", target_cell_id=2)
    board = [cell(1, "scanner", 2, node_id="t_5"), proposed, looked]

    def reads(confidence: float) -> ActionReply:
        monkeypatch.setattr(Reading, "answer", lambda reading: ReadingAnswer("7", "It is 7.", confidence))
        return act("cross_checker", PEOPLE, board)

    doubtful, sure = reads(0.3), reads(0.6)
    assert (doubtful.action, doubtful.answer) == ("HYPOTHESIZE", "Not answerable")
    assert (sure.action, sure.answer) == ("REVISE", "7")
    first = [board[0], proposed]
    monkeypatch.setattr(Reading, "answer", lambda reading: ReadingAnswer("7", "It is 7.", 0.3))
    assert act("cross_checker", PEOPLE, first).action == "LINK"
