import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosee.agents.cosee.actions import ACTION_NAMES, validate
from cosee.agents.cosee.board import Board
from cosee.agents.cosee.controller import CoSeeController
from cosee.agents.replies import read_confidence


@pytest.fixture
def board() -> Board:
    board = Board()
    board.add_cell({"page": 2}, "first", author="scanner", step=1)
    board.add_cell({"page": 3}, "second", author="scanner", step=1)
    return board


def test_only_the_four_names(board):
    # contract: C21
    controller = CoSeeController([])
    for name in ACTION_NAMES:
        action = {"action": name, "content": "x", "target_cell_id": 1}
        assert controller.validate_action(action, board=board)["action"] == name
    for name in ("DELETE", "", None, 3, ["INSPECT"]):
        assert controller.validate_action({"action": name, "content": "x"}) is None
    assert controller.validate_action({"content": "x"}) is None


def test_content_is_required():
    # contract: C22
    for content in (None, "", "  \n", 4, ["x"]):
        assert CoSeeController([]).validate_action({"action": "INSPECT", "content": content}) is None
    assert CoSeeController([]).validate_action({"action": "INSPECT"}) is None


def test_link_and_revise_need_an_existing_target(board):
    # contract: C23
    controller = CoSeeController([])
    for name in ("LINK", "REVISE"):
        for target in (None, 99, "x", -1, True):
            action = {"action": name, "content": "x", "target_cell_id": target}
            assert controller.validate_action(action, board=board) is None
        mended = controller.validate_action({"action": name, "content": "x", "target_cell_id": "#2"}, board=board)
        assert mended["target_cell_id"] == 2 and mended["view"] == {"page": 3}


def test_hypothesis_keeps_answer_and_supporting_cells(board):
    # contract: C24, C27
    action = {"action": "HYPOTHESIZE", "content": "c", "answer": "3.4M", "supporting_cells": [2, 77, "#1", 2]}
    valid, _ = validate(action, board)
    assert valid["answer"] == "3.4M" and valid["supporting_cells"] == [2, 1]
    assert valid["notes"] == ["supporting cell 77 does not exist"]
    assert validate({"action": "HYPOTHESIZE", "content": "only content"}, board)[0]["answer"] == "only content"


def test_safe_defaults(board):
    # contract: C25
    valid, _ = validate({"action": "inspect", "content": " x ", "tags": "title"}, board, [4, 7])
    assert valid == {
        "action": "INSPECT",
        "content": "x",
        "tags": ["title"],
        "supporting_cells": [],
        "view": {"page": 4},
    }
    assert validate({"action": "INSPECT", "content": "x", "view": {"bbox": [1]}}, board, [4])[0]["view"] == {"page": 4}
    assert validate({"action": "HYPOTHESIZE", "content": "x"}, board)[0]["confidence"] == 0.5


def test_view_page_is_one_of_the_pages(board):
    # contract: C2
    for page in (3, 0, "x", 1.5, -4):
        assert validate({"action": "INSPECT", "content": "x", "view": {"page": page}}, board, [1, 2])[0] is None
    assert validate({"action": "INSPECT", "content": "x", "view": {"page": "2"}}, board, [1, 2])[0]["view"]["page"] == 2


def test_confidence_words_and_numbers():
    # contract: C26
    assert [read_confidence(word) for word in ("high", "Medium", " low ")] == [0.9, 0.6, 0.3]
    assert [read_confidence(value) for value in (0.85, 0, 1, "0.7", "85%", 85, -3, 1.4, 900)] == [
        0.85, 0.0, 1.0, 0.7, 0.85, 0.85, 0.0, 1.0, 1.0,
    ]  # fmt: skip
    assert [read_confidence(value) for value in (None, "sure", True, float("nan"), float("inf"), [1])] == [None] * 6


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
action_like = st.fixed_dictionaries(
    {},
    optional={
        "action": st.sampled_from(ACTION_NAMES) | json_values,
        "content": st.text(max_size=20) | json_values,
        "view": st.fixed_dictionaries(
            {}, optional={"page": json_values, "bbox": json_values, "description": json_values}
        )
        | json_values,
        "target_cell_id": json_values,
        "supporting_cells": json_values,
        "tags": json_values,
        "confidence": json_values,
        "answer": json_values,
        "quote": json_values,
        "error": json_values,
    },
)


@given(action_like | json_values)
def test_validation_never_raises_and_is_stable(action):
    # contract: C25, C26
    board = Board()
    board.add_cell({"page": 1}, "x")
    valid, fault = validate(action, board, [1, 2])
    assert (valid is None) == bool(fault)
    if valid is not None:
        assert valid["view"]["page"] in (1, 2) and 0 <= valid.get("confidence", 0) <= 1
        again, _ = validate(valid, board, [1, 2])
        assert {k: v for k, v in again.items() if k != "notes"} == {k: v for k, v in valid.items() if k != "notes"}
