"""Cited boxes against gold boxes by area, and the gold boxes of the demo against its generator."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cosee.artifacts.datasets.questions import EvidenceBox, Question, load_questions
from cosee.artifacts.results.prediction import Prediction, Support
from cosee.evaluation.results import score_question
from cosee.geometry import area_f1, union_area

DEMO = Path(__file__).parents[3] / "data" / "demo"
HALF, OTHER = (0.0, 0.0, 0.5, 1.0), (0.5, 0.0, 1.0, 1.0)


def test_area_counts_overlaps_once() -> None:
    assert union_area([]) == 0.0 and union_area([HALF, HALF]) == 0.5
    assert union_area([HALF, OTHER]) == 1.0 and union_area([HALF, (0.25, 0.5, 0.75, 1.0)]) == pytest.approx(0.625)


@pytest.mark.parametrize(
    ("found", "f1"),
    [
        ([(1, HALF)], 1.0),
        ([(1, HALF), (1, HALF)], 1.0),
        ([(1, (0.0, 0.0, 1.0, 1.0))], 2 / 3),  # all of it is found, and as much again
        ([(1, (0.0, 0.0, 0.5, 0.5))], 2 / 3),  # half of it is found, and nothing else
        ([(1, OTHER)], 0.0),
        ([(2, HALF)], 0.0),
        ([], 0.0),
        ([(1, HALF), (2, HALF)], 2 / 3),
    ],
)
def test_f1_of_areas_by_hand(found: list, f1: float) -> None:
    assert area_f1(found, [(1, HALF)]) == pytest.approx(f1, abs=1e-6)
    assert area_f1([(1, HALF)], found) == pytest.approx(f1, abs=1e-6)


def scored(gold: list[EvidenceBox], boxes: list[tuple[int, tuple]], **fields: object) -> float | None:
    question = Question(question_id="q", doc_id="d", question="?", answer="1", answer_format="Int",
                        evidence_boxes=gold, evidence_pages=[box.page for box in gold] or [1], **fields)  # fmt: skip
    support = [Support(node_id="t", page=page, bbox=box, quote="", quote_verified=True) for page, box in boxes]
    row = Prediction(question_id="q", doc_id="d", dataset="x", method="m", status="ok", exit_reason="answered",
                     answer="1", abstained=False, support=support)  # fmt: skip
    score = score_question("x", question, row, [1]).scores.get("box_f1")
    return None if score is None else score.value


def test_only_questions_with_gold_boxes_are_measured_and_alternatives_count_by_the_best() -> None:
    one, two = EvidenceBox(page=1, bbox=HALF), EvidenceBox(page=2, bbox=HALF)
    assert scored([], [(1, HALF)]) is None
    assert scored([one], []) == 0.0 and scored([one], [(1, HALF)]) == 1.0
    assert scored([one, two], [(2, HALF)]) == pytest.approx(2 / 3, abs=1e-6)
    assert scored([one, two], [(2, HALF)], evidence_mode="any") == 1.0


def test_boxes_drawn_on_the_demo_hold_what_its_generator_put_there() -> None:
    check = subprocess.run(
        [sys.executable, "make_demo.py", "--check"], cwd=DEMO, capture_output=True, text=True, check=False
    )
    assert check.returncode == 0, check.stderr
    questions = load_questions(DEMO / "qa" / "questions.jsonl")
    answerable = [question for question in questions if not question.unanswerable]
    assert len(answerable) == 26 and all(question.evidence_boxes for question in answerable)
    for question in answerable:
        assert {box.page for box in question.evidence_boxes} == set(question.evidence_pages), question.question_id
        assert all(0 <= box.bbox[0] < box.bbox[2] <= 1 for box in question.evidence_boxes)
    # The check can fail: a box that is moved no longer holds its words.
    moved = (
        "import json, make_demo, drawn_boxes; from pathlib import Path;"
        "drawn_boxes.DRAWN['letter-001'] = [(1, (79, 235, 214, 252))];"
        "print(json.dumps(make_demo.misplaced(Path('.'))))"
    )
    said = subprocess.run([sys.executable, "-c", moved], cwd=DEMO, capture_output=True, text=True, check=True)
    assert json.loads(said.stdout) and all(fault.startswith("letter-001: ") for fault in json.loads(said.stdout))
