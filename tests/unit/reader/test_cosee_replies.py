"""The roles without a model, over the small tree's pages and a board as a round would leave it."""

from helpers.agent_trees import small_tree

from cosee.agents.cosee.schemas import ActionReply
from cosee.models.calls import Sampling
from cosee.models.evidence import page_evidence
from cosee.models.messages import board_block, evidence_message, role_block
from cosee.reader.passages import Quote, ReadingAnswer
from cosee.reader.reading import Reading
from cosee.reader.replies import cosee as offline

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


def test_scanner_goes_down_the_pages_as_they_were_retrieved():
    # contract: C46
    first = act("scanner", PEOPLE, pages=(2, 1, 3))
    assert (first.action, first.node_id, first.view.page) == ("INSPECT", "t_5", 2) and "412" in first.quote
    second = act("scanner", PEOPLE, [cell(1, "scanner", 2, node_id="t_5")], pages=(2, 1, 3))
    assert (second.action, second.view.page) == ("INSPECT", 1)
    noted = [cell(1, "scanner", 2, node_id="t_5"), cell(2, "scanner", 1, node_id="t_2"), cell(3, "scanner", 3)]
    last = act("scanner", PEOPLE, noted, pages=(2, 1, 3))
    assert last.action == "INSPECT" and last.node_id not in (None, "t_5", "t_2")


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


def test_cross_checker_links_what_differs_and_then_lets_the_surer_reading_stand():
    proposed = cell(2, "detail_reader", 3, action="INSPECT", answer="7", confidence=0.9, node_id="t_7")
    first = act("cross_checker", PEOPLE, [proposed])
    assert (first.action, first.target_cell_id, first.node_id) == ("LINK", 2, "t_5")
    again = act("cross_checker", PEOPLE, [proposed, cell(3, "cross_checker", 2, action="LINK", target_cell_id=2)])
    assert (again.action, again.answer, again.confidence) == ("HYPOTHESIZE", "7", 0.9)
    assert again.supporting_cells == [2] and again.view.page == 3


def test_cross_checker_keeps_what_it_read_first_until_something_is_clearly_surer():
    mine = cell(1, "cross_checker", 2, action="HYPOTHESIZE", answer="412", confidence=0.5, node_id="t_5")
    for confidence, action in ((0.1, "REVISE"), (0.99, "HYPOTHESIZE")):
        later = cell(2, "detail_reader", 3, action="HYPOTHESIZE", answer="7", confidence=confidence, node_id="t_7")
        assert act("cross_checker", PEOPLE, [mine, later]).action == action


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


def test_detail_reader_reads_again_where_it_read_and_what_corrects_it():
    # contract: C46
    noted = [
        cell(1, "scanner", 3, node_id="t_7"),
        cell(2, "detail_reader", 3, action="HYPOTHESIZE", answer="2", confidence=0.4, node_id="t_7"),
        cell(3, "scanner", 2, node_id="t_5"),
    ]
    alone = act("detail_reader", PEOPLE, noted)
    assert "412" not in str(alone.answer), "page 2 was noted after its value"
    corrected = cell(4, "cross_checker", 2, action="REVISE", answer="412", target_cell_id=2) | {"tags": ["correction"]}
    assert act("detail_reader", PEOPLE, [*noted, corrected]).answer == "412"


def test_every_quote_of_a_reading_reaches_the_action(monkeypatch):
    quotes = (Quote("t_5", 2, "employed 412 people"), Quote("t_2", 1, "Total revenue was"), Quote("x", 9, "elsewhere"))
    found = ReadingAnswer("7", "It is 7.", 0.9, quotes=quotes)
    monkeypatch.setattr(Reading, "answer", lambda reading: found)
    reply = act("cross_checker", PEOPLE)
    assert (reply.quote, reply.view.page) == ("employed 412 people", 2)
    assert [(place.page, place.quote, place.node_id) for place in reply.further_quotes] == [
        (1, "Total revenue was", "t_2")
    ]
