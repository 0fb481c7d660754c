import pytest
from helpers.agent_trees import TextOnly
from helpers.navigation import harbour_tree, memory_of, navigation_context

from cosee.agents.navigator.router import route, split_by_wording


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    return memory_of(navigation_context(harbour_tree(), tmp_path_factory.mktemp("index"), TextOnly([]))).document


@pytest.mark.parametrize(
    ("question", "kind", "targets"),
    [
        ("What does Figure 1 show?", "SPECIFIC", ["img_6", "P1"]),
        ("Which good of Table 1 is the heaviest?", "SPECIFIC", ["tab_4", "P1"]),
        ("What is said on page 4?", "SPECIFIC", ["P3"]),
        ("What is on page 2 of the report?", "SPECIFIC", ["P2", "P1"]),
        ("What does Figure 7 show?", "NORMAL", []),
        ("How many figures are there in the document?", "GENERAL", ["img_6", "img_10"]),
        ("How many tables does the report have?", "GENERAL", ["tab_4"]),
        ("How many pages have a table?", "GENERAL", ["tab_4"]),
        ("How many figures are on page 3?", "GENERAL", ["img_10"]),
        ("How many figures are there from page 1 to page 3?", "GENERAL", ["img_6", "img_10"]),
        ("How many figures are in pages 90-95?", "NORMAL", []),
        ("How many equations are there?", "NORMAL", []),
        ("Summarize the report.", "GENERAL", ["P0", "P1", "sec_1", "sec_8", "sec_12"]),
        ("What is this document about?", "GENERAL", ["P0", "P1", "sec_1", "sec_8", "sec_12"]),
        ("How many ships came in May?", "NORMAL", []),
        ("What is the mooring fee?", "NORMAL", []),
    ],
)
def test_short_cuts_go_by_the_wording_and_by_what_the_document_has(document, question, kind, targets):
    # contract: D102
    found = route(question, document)
    assert (found.kind, [each.target for each in found.directives]) == (kind, targets)
    assert found.reason, "every route says why"


@pytest.mark.parametrize(
    "question",
    [
        "What is the mooring fee?",
        "What are salt and wool?",
        "What is balance billing and how does it work?",
        "What services are covered, and what are the exceptions?",
        "Who are the directors? List all of them.",
        "What is the mooring fee and what is it in crowns?",
        "What was revenue in 2021? Answer in millions.",
        "Which ships sailed in May and June, and in that order?",
    ],
)
def test_simple_questions_are_not_split(question):
    # contract: D102
    assert split_by_wording(question) == []


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "What is the mooring fee and who keeps the pilot station?",
            ["What is the mooring fee?", "who keeps the pilot station?"],
        ),
        (
            "List the top three goods and explain the sources of cargo data.",
            ["List the top three goods?", "explain the sources of cargo data?"],
        ),
        (
            "How many ships came in May? What was the weight of salt; when was wool landed first?",
            ["How many ships came in May?", "What was the weight of salt?", "when was wool landed first?"],
        ),
    ],
)
def test_compound_questions_are_taken_apart_where_they_are_joined(question, parts):
    # contract: D101
    assert split_by_wording(question) == parts
