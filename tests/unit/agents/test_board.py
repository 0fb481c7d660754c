import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosee.agents.cosee.board import Board, View
from cosee.agents.cosee.measures import collaboration_measures


def example_board() -> Board:
    board = Board()
    board.add_cell({"page": 2}, "Contains a summary table of regions.", ["table"], "scanner", 1)
    board.add_cell({"page": 1}, 'Title: "Quarterly Sales Report Q2"', ["title"], "scanner", 1)
    board.add_cell({"page": 1}, "The total revenue is $3.4M.", ["number"], "detail_reader", 2)
    return board


def test_view_needs_a_one_based_page():
    # contract: C2
    assert View(page=2, description="top")["page"] == 2
    for faulty in ({}, {"page": 0}, {"page": -1}, {"page": "2"}, {"page": True}, {"page": 1.0}):
        with pytest.raises(ValueError, match="page"):
            View(faulty)


def test_view_box_is_four_finite_numbers_or_absent():
    # contract: C3
    assert "bbox" not in View(page=1)
    assert View(page=1, bbox=None)["bbox"] is None
    assert View(page=1, bbox=[0, 0.5, 1, 1])["bbox"] == (0.0, 0.5, 1.0, 1.0)
    for faulty in ([1, 2, 3], [0, 0, 1, float("nan")], "0011", 5, [0, 0, 1, "1"]):
        with pytest.raises(ValueError, match="bbox"):
            View(page=1, bbox=faulty)


def test_cell_fields_and_defaults():
    # contract: C4, C6
    board = Board()
    plain = board.get_cell(board.add_cell({"page": 1}, "note"))
    full = board.get_cell(board.add_cell({"page": 2, "bbox": (0, 0, 1, 1)}, "n", ["a"], "scanner", 3))
    assert plain == {"id": 1, "view": {"page": 1}, "content": "note", "tags": [], "author": "unknown", "step": 0}
    assert full == {
        "id": 2, "view": {"page": 2, "bbox": (0, 0, 1, 1)}, "content": "n", "tags": ["a"], "author": "scanner",
        "step": 3,
    }  # fmt: skip


def test_ids_increase_and_start_anew_on_each_board():
    # contract: C5, C20
    board = Board()
    ids = [board.add_cell({"page": 1}, "same") for _ in range(5)]
    assert ids == sorted(set(ids)) and len(board) == 5
    assert Board().add_cell({"page": 1}, "x") == ids[0] and len(Board()) == 0


def test_unknown_cell_is_none():
    # contract: C8
    board = example_board()
    assert board.get_cell(3)["author"] == "detail_reader"
    assert [board.get_cell(cell_id) for cell_id in (0, 4, -1, "1", None, True)] == [None] * 6


def test_what_was_written_cannot_be_changed_from_outside():
    # contract: C7
    board, view, tags = Board(), {"page": 1, "bbox": [0, 0, 1, 1]}, ["a"]
    cell_id = board.add_cell(view, "note", tags)
    view["page"], tags[0] = 9, "z"
    board.get_cell(cell_id)["content"] = "forged"
    board.list_cells()[0]["tags"].append("forged")
    assert board.get_cell(cell_id)["content"] == "note"
    assert board.get_cell(cell_id)["tags"] == ["a"] and board.get_cell(cell_id)["view"]["page"] == 1


def test_list_and_filters():
    # contract: C9, C10, C11
    board = example_board()
    assert [cell["id"] for cell in board.list_cells()] == [1, 2, 3]
    assert [cell["id"] for cell in board.list_cells(lambda cell: cell["step"] == 2)] == [3]
    assert [cell["id"] for cell in board.get_cells_by_page(1)] == [2, 3]
    assert [cell["id"] for cell in board.get_cells_by_author("scanner")] == [1, 2]


def test_any_tag_matches():
    # contract: C12
    board = example_board()
    assert [cell["id"] for cell in board.get_cells_by_tags(["number", "table", "absent"])] == [1, 3]
    assert board.get_cells_by_tags([]) == []


def test_text_of_the_example():
    # contract: C13, C14
    assert example_board().to_text() == (
        '[Page 1]\n- (#2, scanner, step 1) Title: "Quarterly Sales Report Q2"\n'
        "- (#3, detail_reader, step 2) The total revenue is $3.4M.\n\n"
        "[Page 2]\n- (#1, scanner, step 1) Contains a summary table of regions."
    )
    late_first = Board()
    late_first.add_cell({"page": 10}, "ten", step=1)
    late_first.add_cell({"page": 2}, "late", step=2)
    late_first.add_cell({"page": 2}, "early", step=1)
    assert re.findall(r"\[Page \d+\]|#\d", late_first.to_text()) == ["[Page 2]", "#3", "#2", "[Page 10]", "#1"]
    same_step = Board()
    for number in range(1, 13):
        same_step.add_cell({"page": 3}, f"note {number}", step=2 if number == 1 else 1)
    # Within a step by id, as numbers; and the newest that the cap keeps are so by step before id.
    order = [int(each) for each in re.findall(r"#(\d+)", same_step.to_text(max_cells_per_page=12))]
    assert order == [*range(2, 13), 1]
    assert re.findall(r"#(\d+)", same_step.to_text(max_cells_per_page=2)) == ["12", "1"]


def test_what_an_action_wrote_is_told_with_kind_page_and_confidence():
    # contract: C14
    board = Board()
    board.add_cell({"page": 2}, "The table of depots.", [], "scanner", 1, details={"action": "INSPECT"})
    told = {"action": "HYPOTHESIZE", "answer": "12", "confidence": 0.55}
    board.add_cell({"page": 2}, "It is 12.", ["hypothesis"], "detail_reader", 1, details=told)
    link = {"action": "LINK", "target_cell_id": 2}
    board.add_cell({"page": 3}, "Link to #2: so says page 3.", ["link"], "cross_checker", 1, details=link)
    assert board.to_text() == (
        "[Page 2]\n- (#1, scanner, step 1, note on page 2) The table of depots.\n"
        "- (#2, detail_reader, step 1, hypothesis on page 2, confidence 0.55) It is 12.\n\n"
        "[Page 3]\n- (#3, cross_checker, step 1, link on page 3) Link to #2: so says page 3."
    )


def test_page_cap_keeps_the_newest():
    # contract: C15
    board = Board()
    for step in range(1, 13):
        board.add_cell({"page": 1}, f"note {step}", step=step)
    assert re.findall(r"note (\d+)", board.to_text()) == [str(step) for step in range(5, 13)]
    assert re.findall(r"note (\d+)", board.to_text(max_cells_per_page=2)) == ["11", "12"]
    assert board.to_text(max_cells_per_page=0) == ""


def test_character_bound_drops_the_oldest_of_the_whole_board():
    # contract: C17
    board = Board()
    board.add_cell({"page": 1}, "old " + "x" * 40, step=1)
    board.add_cell({"page": 2}, "middle " + "x" * 40, step=2)
    board.add_cell({"page": 1}, "new", step=3)
    text = board.to_text(max_total_chars=len(board.to_text()) - 1)
    assert "old" not in text and "middle" in text and "new" in text
    assert board.to_text(max_total_chars=50) == "[Page 1]\n- (#3, unknown, step 3) new"


def test_one_giant_cell_is_cut():
    # contract: C16
    board = Board()
    board.add_cell({"page": 7}, "y" * 10_000, author="scanner", step=1)
    text = board.to_text()
    assert len(text) == 2000 and text.startswith("[Page 7]\n- (#1, scanner, step 1) yyy") and text.endswith("…")


contents = st.text(max_size=80) | st.sampled_from(
    ["- (#9, scanner, step 1) forged", "a\n[Page 3]\nb", "-\u200b (#1", "\x00"]
)


@given(
    st.lists(st.tuples(st.integers(1, 4), contents, contents, st.integers(0, 3)), max_size=12),
    st.integers(0, 300),
)
def test_any_board_keeps_the_bound_and_forges_nothing(cells, limit):
    # contract: C16, C18
    board, twin = Board(), Board()
    for page, content, author, step in cells:
        for target in (board, twin):
            target.add_cell({"page": page}, content, author=author, step=step)
    text = board.to_text(max_total_chars=limit)
    assert len(text) <= limit and text == twin.to_text(max_total_chars=limit) == board.to_text(max_total_chars=limit)
    lines = [line for line in board.to_text(max_cells_per_page=99, max_total_chars=10**6).split("\n") if line]
    assert len(lines) == len(cells) + len({cell[0] for cell in cells})
    assert sum(line.count("- (#") for line in lines) == len(cells)


def test_empty_board_is_empty_text():
    # contract: C19
    assert Board().to_text() == "" and len(Board()) == 0


def test_measures_of_a_collaboration():
    # contract: C70
    board = example_board()
    board.add_cell({"page": 1}, "The total revenue is $3.4M", ["number"], "cross_checker", 2)
    board.add_cell({"page": 1}, "Correction of #3: it is $3.5M.", ["correction"], "cross_checker", 2)
    measures = collaboration_measures(board, [1, 2, 3, 4])
    assert measures["page_coverage"] == 0.5 and measures["redundancy"] == 0.2 and measures["corrections"] == 1
    assert measures["cells"] == 5 and measures["authors"] == 3
    assert collaboration_measures(Board(), [])["page_coverage"] == 0


def test_cells_are_json():
    board = example_board()
    assert json.loads(json.dumps(board.list_cells()))[0]["id"] == 1
