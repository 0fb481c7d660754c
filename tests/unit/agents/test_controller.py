import pytest

from cosee.agents.cosee.actions import Action
from cosee.agents.cosee.agent import DummyAgent
from cosee.agents.cosee.board import Board
from cosee.agents.cosee.controller import CoSeeController, because
from cosee.artifacts.results.trace import BudgetExceeded
from cosee.models.calls import ModelError

INSPECT = Action(action="INSPECT", content="a note")


def hypothesis(answer: str, confidence: object = 0.4, **fields: object) -> Action:
    return Action(action="HYPOTHESIZE", content=f"I think {answer}", answer=answer, confidence=confidence, **fields)


class Recorder(DummyAgent):
    """Remembers what it was given, and may raise."""

    def __init__(self, name: str, actions: list, raises: dict[int, Exception] | None = None) -> None:
        super().__init__(name, actions=actions)
        self.seen: list[tuple[str, object, object]] = []
        self.raises = raises or {}

    def act(self, images, question, board, gen_kwargs=None, *, pages=None):
        self.seen.append((board.to_text(), gen_kwargs, pages))
        if len(self.seen) in self.raises:
            raise self.raises[len(self.seen)]
        return super().act(images, question, board, gen_kwargs, pages=pages)


def test_inspect_makes_a_cell_and_returns_its_id():
    # contract: C28, C32
    board, controller = Board(), CoSeeController([])
    cell_id = controller.apply_action(
        board, Action(action="INSPECT", content="x", view={"page": 2}, tags=["t"]), 1, "me"
    )
    cell = board.get_cell(cell_id)
    assert (cell["content"], cell["tags"], cell["author"], cell["step"], cell["view"]) == (
        "x",
        ["t"],
        "me",
        1,
        {"page": 2},
    )
    assert controller.apply_action(board, Action(action="NOPE", content="x"), 1, "me") is None and len(board) == 1


def test_link_adds_a_cell_and_leaves_its_target():
    # contract: C29, C7
    board, controller = Board(), CoSeeController([])
    first = controller.apply_action(board, INSPECT, 1, "a")
    before = board.get_cell(first)
    link = controller.apply_action(board, Action(action="LINK", content="same on page 3", target_cell_id=first), 1, "b")
    assert board.get_cell(link)["tags"] == ["link"] and "#1" in board.get_cell(link)["content"]
    assert board.get_cell(first) == before


def test_revise_adds_a_correction_that_names_its_target():
    # contract: C31, C7
    board, controller = Board(), CoSeeController([])
    first = controller.apply_action(board, INSPECT, 1, "a")
    before = board.get_cell(first)
    cell = board.get_cell(
        controller.apply_action(board, Action(action="REVISE", content="no", target_cell_id=1), 2, "b")
    )
    assert cell["tags"] == ["correction"] and cell["content"] == "Correction of #1: no"
    assert cell["details"]["target_cell_id"] == 1 and board.get_cell(first) == before


def test_hypothesis_is_tagged_and_remembered():
    # contract: C30, C24
    result = CoSeeController([DummyAgent(actions=[INSPECT, hypothesis("3", supporting_cells=[1])])], 2).run(["p"], "q")
    (remembered,) = result["hypotheses"]
    assert remembered["answer"] == "3" and remembered["supporting_cells"] == [1]
    assert [cell["id"] for cell in result["board"].get_cells_by_tags(["hypothesis"])] == [2]


def test_each_agent_once_a_round_steps_from_one():
    # contract: C35
    agents = [Recorder(name, [INSPECT]) for name in ("a", "b", "c")]
    board = CoSeeController(agents).run(["p"], "q")["board"]
    cells = [(cell["step"], cell["author"]) for cell in board.list_cells()]
    assert cells == [(step, name) for step in (1, 2, 3) for name in ("a", "b", "c")]


def test_dummy_agents_need_no_model():
    # contract: C47, C43
    controller = CoSeeController([DummyAgent()])
    first, second = controller.run(["p"], "q"), controller.run(["p"], "q")
    assert first["answer"] == "dummy" and {"answer", "board", "hypotheses", "trace"} <= set(first)
    assert first["board"] is not second["board"]
    assert first["board"].to_text() == second["board"].to_text() != ""


def test_stops_on_confidence():
    # contract: C36
    sure = CoSeeController([DummyAgent(actions=[hypothesis("3", "high")])]).run(["p"], "q")
    unsure = CoSeeController([DummyAgent(actions=[hypothesis("3", 0.79)])]).run(["p"], "q")
    assert (sure["steps"], sure["exit_reason"]) == (1, "confidence")
    assert (unsure["steps"], unsure["exit_reason"]) == (3, "max_steps")
    assert CoSeeController([]).should_stop(1, [hypothesis("3", 0.8)], Board())
    assert not CoSeeController([], stop_confidence=0.9).should_stop(1, [hypothesis("3", 0.8)], Board())


def test_stops_on_agreement_of_several_agents_not_of_one():
    # contract: C37
    two = [DummyAgent("a", actions=[hypothesis("The 3.4 M")]), DummyAgent("b", actions=[hypothesis("3.4 m")])]
    assert CoSeeController(two).run(["p"], "q")["exit_reason"] == "agreement"
    assert CoSeeController([two[0]]).run(["p"], "q")["steps"] == 3
    assert CoSeeController([]).should_stop(1, [hypothesis("3"), hypothesis("3")], Board())
    assert not CoSeeController([]).should_stop(1, [hypothesis("3"), hypothesis("4")], Board())


def test_stops_at_the_maximum():
    # contract: C38
    controller = CoSeeController([], max_steps=2)
    assert controller.should_stop(2, [], Board()) and not controller.should_stop(1, [], Board())


def test_revised_hypothesis_neither_stops_nor_decides():
    # contract: C36, C39
    wrong = DummyAgent("a", actions=[hypothesis("wrong", 0.95), hypothesis("right", 0.3)])
    checker = DummyAgent(
        "b", actions=[Action(action="REVISE", content="page 1 says otherwise", target_cell_id=1), INSPECT]
    )
    result = CoSeeController([wrong, checker], 2).run(["p"], "q")
    assert result["steps"] == 2 and result["answer"] == "right"


def test_decides_with_none_one_or_more_hypotheses():
    # contract: C39, C40
    decide = CoSeeController([]).decide_final_answer
    assert decide([], Board(), "nothing") == "nothing" and decide([], Board()) == ""
    assert decide([hypothesis("3")], Board()) == "3"
    assert decide([Action(action="HYPOTHESIZE", content="just content")], Board()) == "just content"
    assert decide([hypothesis("3", 0.4), hypothesis("4", "high"), hypothesis("3", 0.5)], Board()) == "4"


def test_ties_go_to_the_majority_of_normalised_answers():
    # contract: C41
    decide = CoSeeController([]).decide_final_answer
    assert decide([hypothesis("Oslo"), hypothesis("Bergen"), hypothesis("the bergen.")], Board()) == "Bergen"
    assert decide([hypothesis("Oslo"), hypothesis("Bergen")], Board()) == "Oslo"


def test_equal_votes_go_to_the_hypothesis_with_most_support_on_the_board():
    # contract: C41
    board = Board()
    cells = [board.add_cell({"page": 1}, "note") for _ in range(2)]
    claims = [hypothesis("Oslo", supporting_cells=[cells[0], 98, 99]), hypothesis("Bergen", supporting_cells=cells)]
    assert CoSeeController([]).decide_final_answer(claims, board) == "Bergen"


def test_because_text_stays_out_of_the_answer():
    # contract: C42
    result = CoSeeController([DummyAgent(actions=[INSPECT, hypothesis("3", supporting_cells=[1])])], 2).run(["p"], "q")
    assert result["because"] == "because a note (#1, page 1)" and result["answer"] == "3"


def test_because_does_not_repeat_the_hypothesis():
    # contract: C42
    board = Board()
    cells = [board.add_cell({"page": 2}, content) for content in ("Three. Answer: 3", "A table lists them.", "Three.")]
    claim = {**hypothesis("3", supporting_cells=cells), "content": "Three."}
    assert because(claim, board) == "because A table lists them. (#2, page 2)"
    assert because({**claim, "supporting_cells": cells[:1]}, board) == ""


def test_generation_settings_of_an_agent_override_the_default():
    # contract: C44
    a, b = Recorder("a", [INSPECT]), Recorder("b", [INSPECT])
    controller = CoSeeController([a, b], 1, {"temperature": 0.2, "top_p": 0.8})
    controller.run(["p"], "q", {"b": {"temperature": 0.9}})
    assert a.seen[0][1] == {"temperature": 0.2, "top_p": 0.8} and b.seen[0][1] == {"temperature": 0.9, "top_p": 0.8}
    plain = Recorder("c", [INSPECT])
    CoSeeController([plain], 1).run(["p"], "q")
    assert plain.seen[0][1] is None


def test_order_decides_what_an_agent_sees():
    # contract: C35, C45
    boards = {}
    for order in ("sequential", "parallel"):
        agents = [Recorder("a", [INSPECT]), Recorder("b", [INSPECT])]
        result = CoSeeController(agents, 2, order=order).run(["p"], "q")
        boards[order] = [agents[1].seen[step][0].count("#") for step in (0, 1)]
        assert len(result["board"]) == 4
    assert boards == {"sequential": [1, 3], "parallel": [0, 2]}


def test_unusable_actions_are_recorded_and_the_run_goes_on():
    # contract: C33, C34
    broken = DummyAgent("a", actions=[Action(action="FLY", content="x"), None, hypothesis("3")])
    broken.act = lambda *_, **__: broken.actions.pop(0)  # type: ignore[method-assign]
    result = CoSeeController([broken], 3, error_cells=True).run(["p"], "q")
    assert result["answer"] == "3" and result["errors"] == 2
    assert [event.type for event in result["trace"].events].count("error") == 2
    assert len(result["board"].get_cells_by_tags(["error"])) == 2
    again = DummyAgent(actions=[Action(action="FLY", content="x")])
    assert len(CoSeeController([again], 1).run(["p"], "q")["board"]) == 0


def test_failing_model_is_an_error_and_a_used_up_budget_ends_the_rounds():
    # contract: C33, C54
    agent = Recorder("a", [hypothesis("3"), INSPECT], raises={2: ModelError("no reply"), 3: BudgetExceeded("calls")})
    result = CoSeeController([agent], 5).run(["p"], "q")
    assert (result["answer"], result["exit_reason"], result["errors"], result["steps"]) == ("3", "budget", 1, 3)


def test_pages_name_the_images():
    # contract: C2
    agent = Recorder(
        "a", [Action(action="INSPECT", content="x", view={"page": 7}), Action(action="INSPECT", content="y")]
    )
    result = CoSeeController([agent], 2).run(["p", "p"], "q", pages=[4, 7])
    assert agent.seen[0][2] == [4, 7] and [cell["view"]["page"] for cell in result["board"].list_cells()] == [7, 4]
    outside = CoSeeController([DummyAgent(actions=[Action(action="INSPECT", content="x", view={"page": 3})])], 1)
    assert outside.run(["p", "p"], "q")["errors"] == 1
    with pytest.raises(ValueError, match="1 images but 2 page numbers"):
        outside.run(["p"], "q", pages=[1, 2])


def test_trace_can_be_switched_off():
    # contract: C68
    assert CoSeeController([DummyAgent()], 1, keep_trace=False).run(["p"], "q")["trace"] is None
    events = CoSeeController([DummyAgent()], 2).run(["p"], "q")["trace"].events
    assert [event.type for event in events] == ["action", "cell", "action", "cell", "hypothesis"]


def test_a_strategy_does_not_stop_on_a_models_word_alone():
    # contract: C36, C37
    board = Board()
    board.add_cell({"page": 1}, "a note", [], "scanner", 1, details={"quote": "12", "quote_verified": True})
    sure = {"answer": "12", "confidence": 0.95, "author": "scanner"}
    plain, strategy = CoSeeController([]), CoSeeController([], evidence_counts=True)
    assert plain.stop_reason(1, [sure], board) == "confidence"
    assert strategy.stop_reason(1, [sure], board) is None
    assert strategy.stop_reason(1, [{**sure, "quote_verified": False}], board) is None
    assert strategy.stop_reason(1, [{**sure, "quote_verified": True}], board) == "confidence"
    assert strategy.stop_reason(1, [{**sure, "supporting_cells": [1]}], board) == "confidence"
    assert strategy.stop_reason(1, [sure, {**sure, "author": "detail_reader"}], board) == "agreement"


def test_a_strategy_chooses_what_the_document_bears_out():
    # contract: C40
    borne_out = {"answer": "12", "confidence": 0.6, "quote_verified": True}
    others = [{"answer": "Not answerable", "confidence": 0.9}, {"answer": "13", "confidence": 1.0}]
    plain, strategy = CoSeeController([]), CoSeeController([], evidence_counts=True)
    assert plain.decide_final_answer([borne_out, *others], Board()) == "13"
    assert strategy.decide_final_answer([borne_out, *others], Board()) == "12"
    assert strategy.decide_final_answer([{**borne_out, "confidence": 0.4}, *others], Board()) == "13"
