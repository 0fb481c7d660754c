import pytest

from cosee.text.forms import CheckBox, check_boxes, check_boxes_of_row, labelled_answers, ticked_options, yes_or_no
from cosee.text.negation import denials
from cosee.text.spans import number_spans, without_mark


def share(stems: tuple[str, ...]) -> float:
    """Of a question about a cellar's insulation."""
    return len({"cellar", "insul"} & set(stems)) / 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Roof: ☒ Yes ☐ No Cellar: ☐ Yes ☒ No", ["Roof: Yes +", "Roof: No -", "Cellar: Yes -", "Cellar: No +"]),
        ("Roof? Yes ☐ No ☒ Cellar? Yes ☒ No ☐", ["Roof? Yes -", "Roof? No +", "Cellar? Yes +", "Cellar? No -"]),
        ("Fuel: [ ] oil [x] solid wood Year: [ ] old", ["Fuel: oil -", "Fuel: solid wood +", "Year: old -"]),
        ("○ small ● large", [" small -", " large +"]),
        ("● one point ● another", []),
        ("✓ done", []),
    ],
)
def test_boxes_keep_their_words_and_the_label_above_them(text, found):
    assert [f"{box.label} {box.option} {'+' if box.ticked else '-'}" for box in check_boxes(text)] == found


def test_a_row_of_marks_has_the_heads_of_its_columns_as_options():
    heads = ["Feature", "Basic", "Pro"]
    assert check_boxes_of_row("Roaming", heads, ["Roaming", "", "X"], [2]) == [
        CheckBox("Roaming", "Basic", ticked=False), CheckBox("Roaming", "Pro", ticked=True),
    ]  # fmt: skip
    assert [box.ticked for box in check_boxes_of_row("Roaming", heads, ["Roaming", "✗", "✓"], [1, 2])] == [False, True]
    assert [box.option for box in check_boxes_of_row("Roaming", heads, ["Roaming", "No", "Yes"], [1, 2])] == [
        "No",
        "Yes",
    ]
    assert check_boxes_of_row("Roaming", heads, ["Roaming", "12", "X"], [1, 2]) == []


def test_what_is_ticked_answers_the_label_that_is_asked_for():
    form = check_boxes("Roof: ☒ Yes ☐ No Cellar: ☐ Yes ☒ No")
    assert (
        ticked_options(form, share, yes_no=True) == ["No"]
        and ticked_options(form, lambda stems: 0.5, yes_no=True) == []
    )
    consent = check_boxes("☐ Insulate the cellar ☒ Paint the roof")
    assert ticked_options(consent, share, yes_no=True) == ["No"] and ticked_options([], share, yes_no=True) == []
    assert ticked_options(consent, share, yes_no=False) == ["Paint the roof"]


def test_yes_and_no_stand_behind_labels():
    assert [(box.label, yes_or_no(box.option)) for box in labelled_answers("Lock fitted: No Brake fitted: Yes")] == [
        ("Lock fitted", "No"), ("Brake fitted", "Yes"),
    ]  # fmt: skip
    assert (
        labelled_answers("Rules: No dogs in the hall") == [] and yes_or_no("Nein") == "No" and yes_or_no("north") == ""
    )


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("It does not own ships.", ["own ships"]),
        ("It doesn't own ships.", ["own ships"]),
        ("Smoking is prohibited.", ["smoking is"]),
        ("It owns not only ships, see No. 5.", []),
        ("Nothing is not prohibited.", ["prohibited"]),
    ],
)
def test_negations_deny_the_few_words_beside_them(text, denied):
    assert [words for _, words in denials(text)] == denied


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Sie lag bei 12,5 % und 55,9 Euro.", ["12,5 %", "55,9 Euro"]),
        ("From -10 °C at 1.20 kW to 90 km/h on 12 m².", ["-10 °C", "1.20 kW", "90 km/h", "12 m²"]),
    ],
)
def test_numbers_keep_sign_decimals_and_unit(text, spans):
    known = {"1 °C": ["°C"], "1 %": ["%"], "1 km": ["km"], "1 m": ["m"]}
    assert [text[start:end] for start, end in number_spans(text, lambda said: known.get(said, []))] == spans


def test_the_mark_of_a_note_is_taken_from_what_it_stands_behind():
    marked = ("340 3)", "340 [3]", "340²", "Reed 1)", "1)", "(12)", "12 m²", "3.5")
    assert [without_mark(text) for text in marked] == ["340", "340", "340", "Reed", "", "(12)", "12 m²", "3.5"]
