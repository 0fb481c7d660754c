import pytest

from cosee.artifacts.results.prediction import Retrieved
from cosee.retrieval.question_parts import merged, parts_of
from cosee.retrieval.ranking import Ranking
from cosee.retrieval.thresholds import PARTS_SHARE


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "What is the difference between the output of pump A in May and the flow of valve B?",
            [
                "What is the difference between the output of pump A in May?",
                "What is the difference between the flow of valve B?",
            ],
        ),
        ("Compare the north dam with the south lock.", ["Compare the north dam.", "Compare the south lock."]),
        ("Is the north dam higher than the south lock?", ["Is the north dam higher", "the south lock?"]),
        ("How tall is the north dam and who built it?", []),
        ("Is it both of them?", []),
        ("Is the dam higher than 50 m?", []),
    ],
)  # fmt: skip
def test_sides_of_a_comparison(question: str, parts: list[str]) -> None:
    assert parts_of(question) == parts


def hit(node_id: str, score: float) -> Retrieved:
    return Retrieved(node_id=node_id, page=1, score=score, reasons=["is_title_hit"])


def test_merging_brings_the_best_page_of_each_part_forward() -> None:
    whole = Ranking([hit("a", 0.9), hit("b", 0.5)], [4, 5, 6, 9], [0.5, 0.3, 0.15, 0.05], [{}, {}, {}, {}])
    parts = [Ranking([hit("b", 0.9)], [4, 7], [0.6, 0.4]), Ranking([hit("c", 0.9)], [9], [1.0])]
    both = merged(whole, parts)
    assert both.pages == [4, 5, 9, 6, 7], "page 9 answers the second part"
    assert sum(both.page_scores) == pytest.approx(1, abs=1e-5)
    assert [each.node_id for each in both.hits] == ["a", "b"], "as many hits as before"
    assert both.hits[1].reasons == ["is_title_hit", "part 1"]
    assert both.hits[1].score == pytest.approx((1 - PARTS_SHARE) * 0.5 + PARTS_SHARE / 2 * 0.9)
