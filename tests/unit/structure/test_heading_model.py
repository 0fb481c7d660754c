from __future__ import annotations

import pytest
from helpers.content_lists import Pages

from cosee.structure.draft import Draft
from cosee.structure.enhance import enhance
from cosee.structure.headings.candidate import Candidate
from cosee.structure.headings.evidence import Evidence
from cosee.structure.headings.model import WEIGHT_OF_ALIKE, HeadingModel, heading_model
from cosee.structure.headings.style import BodyLook, Style, style_of
from cosee.text.numbering import parse_numbering


def candidates_of(pages: Pages) -> tuple[Draft, list[Candidate]]:
    draft = Draft(pages.adapted())
    return draft, [Candidate(item, item.text, style_of(item), parse_numbering(item.text)) for item in draft.items]


def rows_of(pages: Pages) -> list[dict[str, float]]:
    draft, candidates = candidates_of(pages)
    return Evidence(draft, candidates, BodyLook.of(draft.items, draft.body_size)).rows()


def report(scale: float = 1.0) -> Pages:
    pages = Pages()
    for number, title in enumerate(("1 Scope", "2 Methods", "3 Results"), start=1):
        pages.heading(title, size=14 * scale)
        pages.body(number, words=15, size=10 * scale)
    return pages


def test_trees_are_read_as_their_table_says() -> None:
    table = {
        "columns": ["size", "words"], "base": -0.5, "threshold": 0.25,
        "trees": [
            {"nodes": [[0, 1.2, -1, 1], [1, 6.0, -2, -3]], "leaves": [-1.0, 2.0, 0.5]},
            {"nodes": [], "leaves": [0.125]},
        ],
    }  # fmt: skip
    model = HeadingModel.of(table)
    look = Style(10.0)
    _, (first, second, third, *_) = candidates_of(report())
    first.style, second.style, third.style = look, look, Style(14.0)
    first.numbering = second.numbering = third.numbering = None
    rows = [{"size": 1.2, "words": 1.0}, {"size": 1.4, "words": 6.0}, {"size": 1.4, "words": 7.0}]
    own = [-1.375, 1.625, 0.125]
    mean = (own[0] + own[1]) / 2
    wanted = [
        (1 - WEIGHT_OF_ALIKE) * own[0] + WEIGHT_OF_ALIKE * mean,
        (1 - WEIGHT_OF_ALIKE) * own[1] + WEIGHT_OF_ALIKE * mean,
        own[2],
    ]
    assert model.scores([first, second, third], rows) == [round(one - 0.25, 4) for one in wanted]


def test_the_weights_know_every_column_and_nothing_else() -> None:
    model, rows = heading_model(), rows_of(report())
    assert list(model.columns) == list(rows[0])
    for nodes, leaves in zip(model.nodes, model.leaves, strict=True):
        assert len(leaves) == len(nodes) + 1
        assert sorted(-1 - child for node in nodes for child in node[2:] if child < 0) == list(range(len(leaves)))
        assert all(0 <= column < len(model.columns) for column, *_ in nodes)


def test_evidence_is_measured_against_the_documents_own_body() -> None:
    small, large = rows_of(report()), rows_of(report(1.5))
    same = ("size", "above", "bolder", "style_share", "number_after", "behind_same", "largest")
    assert [[row[name] for name in same] for row in small] == [[row[name] for name in same] for row in large]
    heading, text = small[0], small[1]
    assert (heading["size"], heading["bolder"], heading["number_before"], heading["number_after"]) == (1.4, 1, 0.5, 1)
    assert (text["size"], text["bolder"], text["ended"]) == (1, 0, 1)


@pytest.mark.parametrize("threshold, found", [(-99.0, 3), (99.0, 0)])
def test_the_model_that_is_given_decides_and_sentences_in_the_look_of_the_text_head_nothing(
    threshold: float, found: int
) -> None:
    model = HeadingModel([], 0.0, threshold, [], [])
    headings = [item for item in enhance(report().adapted(), heading_model=model).items if item.role == "heading"]
    assert len(headings) == found
