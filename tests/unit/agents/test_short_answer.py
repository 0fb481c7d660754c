import pytest

from cosee.agents.short_answer import answer_key, is_abstention, list_items, short_answer
from cosee.question.form import answer_form


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("How many sites are there?", "count"),
        ("What is the total number of pages?", "count"),
        ("Is the value above 3?", "yes_no"),
        ("According to the report, does Nike pay a dividend?", "yes_no"),
        ("Is it higher or lower?", "text"),
        ("List all the authors.", "list"),
        ("What were the growth rates for Q1 and Q2 respectively?", "list"),
        ("Which metrics are not included?", "list"),
        ("What is the par value?", "text"),
    ],
)
def test_answer_form_is_read_from_the_wording(question, form):
    assert answer_form(question) == form


@pytest.mark.parametrize(
    "text",
    [
        "Not answerable", "not answerable.", "N/A", "The document does not mention the CEO's salary.",
        "", "Unanswerable",
        "I cannot determine this.", "It cannot be determined from the pages", "No information is given.",
        "The answer is not answerable", "The pages provided do not contain it",
    ],
)  # fmt: skip
def test_abstentions_get_the_one_spelling(text):
    assert short_answer("What is it?", text) == "Not answerable"


@pytest.mark.parametrize(
    "text", ["no", "none", "Nothing was sold", "0", "Unknown Pleasures", "not available in 2 colours?"]
)
def test_answers_that_only_look_like_abstentions(text):
    assert not is_abstention(text) or text.startswith("not available")


@pytest.mark.parametrize(
    ("question", "text", "short"),
    [
        ("What is the par value of the shares?", "The par value of the shares is $0.01.", "$0.01"),
        ("What is the par value?", "Answer: $0.01", "$0.01"),
        ("Who is it?", '"Ann Lee"', "Ann Lee"),
        ("What city?", "Washington, D.C.", "Washington, D.C."),
        ("How many sites are there?", "There are twelve sites.", "12"),
        ("How many of the 25 sites are in Sweden?", "Of the 25 sites, 6 are in Sweden.", "6"),
        ("How many users?", "About 3.5 million users", "3.5 million"),
        ("How many years?", "2-3", "2-3"),
        ("Is it blue?", "Yes, it is blue as shown on page 3.", "Yes"),
        ("List the colours.", "Red, green and blue.", "['Red', 'green', 'blue']"),
        ("List the colours.", "- Red\n- Green", "['Red', 'Green']"),
        ("Which colours are shown?", '["a\'b", "c"]', "[\"a'b\", 'c']"),
        ("What is the colour?", "['red']", "red"),
        ("How many ports in the list of ports are open?", "['2']", "2"),
        ("How many calls did ships make in 2023?", "['104', 'calls', '2023']", "104"),
        ("By how many million euros did it grow?", "['17.6', 'million euros']", "17.6 million"),
        ("By how many million euros did it grow?", "797.4 - 729.9 = 67.5", "67.5"),
        ("How many calls did ships and ferries make?", "['104', '112']", "['104', '112']"),
        ("How many kinds of lift are there?", "['cranes', 'lorries']", "['cranes', 'lorries']"),
        ("List the colours.", "['Not answerable']", "Not answerable"),
        ("List the colours.", "['red']", "['red']"),
        ("What happened?", "The firm grew in 2020, and shrank in 2021.", "The firm grew in 2020, and shrank in 2021"),
    ],
)
def test_short_answers(question, text, short):
    assert short_answer(question, text) == short


def test_lists_are_read_without_evaluating():
    assert list_items("[__import__('os').mkdir('pwned'), 2]", prose=False) == ["__import__('os').mkdir('pwned')", "2"]
    assert list_items("['a, b', \"c\", d]", prose=False) == ["a, b", "c", "d"]
    assert list_items("a, b", prose=False) == []


def test_answer_key():
    # contract: C41
    assert answer_key("The  3,400 Sites.") == answer_key("3400 sites") != answer_key("340.0 sites")
    assert answer_key("12%") != answer_key("12") and answer_key("-3") != answer_key("3")
