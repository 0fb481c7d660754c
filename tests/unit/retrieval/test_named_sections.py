import pytest
from helpers.index_trees import TreeBuilder

from cosee.artifacts.documents.doctree import Node
from cosee.index.references import PartIndex
from cosee.retrieval.named_sections import named_sections

TITLES = [
    ("sec_1", "1 Introduction", 1),
    ("sec_2", "2 Pumps", 1),
    ("sec_3", "2.1 Heavy Pumps", 2),
    ("sec_4", "Unit 8: Valves", 1),
    ("sec_5", "Care of Heavy Pumps", 1),
    ("sec_6", "Appendix B Wiring", 1),
    ("sec_7", "B.1 Colours", 2),
    ("sec_8", "第3章 ポンプ", 1),
    ("sec_9", "21 Days of Rain", 1),
]


def sections() -> list[Node]:
    build = TreeBuilder(1)
    for node_id, title, level in TITLES:
        build.section(node_id, title, level=level)
    return build.build().of_type("section")


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What does Section 2 say?", ["sec_2"]),
        ("Compare sections 1, 2 and 2.1", ["sec_1", "sec_2", "sec_3"]),
        ("What is asked in unit-8?", ["sec_4"]),
        ("Which wires are in Appendix B?", ["sec_6"]),
        ("Which colours are in appendix B.1?", ["sec_7"]),
        ("What is in the last section?", ["sec_9"]),
        ("What is in the second chapter?", ["sec_2"]),
        ("第3章には何がありますか", ["sec_8"]),
        ('How often does "Care of Heavy Pumps" mention oil?', ["sec_5"]),
        ("What does the Heavy Pumps section say?", ["sec_3"]),
        ("What does the Care of Heavy Pumps section say?", ["sec_5"]),
        ("How do heavy pumps work?", []),
        ("Which section is about rain?", []),
        ("Is 2 more than 1?", []),
    ],
)
def test_sections_by_number_place_and_title(question: str, named: list[str]) -> None:
    assert named_sections(question, sections(), PartIndex(sections())) == named
