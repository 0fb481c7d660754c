import pytest

from cosee.text.stemming import stem
from cosee.text.tokens import analyze, query_weights


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("3,400 kWh", ["3400", "kwh"]),
        ("1.234,56", ["1234.56"]),
        ("12.50 %", ["12.5", "%"]),
        ("12 percent", ["12", "%"]),
        ("3.4M", ["3.4", "m", "million"]),
        ("PX-104/B", ["px-104/b", "px", "104"]),
        ("e-mail", ["email", "mail"]),
        ("co-operation, cooperation", ["cooper", "co", "oper", "cooper"]),
        ("Garden-North", ["garden-north", "garden", "north"]),
        ("the company's", ["the", "compani"]),
        ("policies, classes and boxes", ["polici", "class", "and", "box"]),
        ("ﬁnal Ελλάδα", ["final", "ελλαδα"]),
        ("泵站A", ["泵站", "a"]),
        ("समुद्र", ["समुद्र"]),
        ("C++, C# and .NET", ["c++", "c#", "and", ".net"]),
        ("FY2019", ["fy2019", "fy", "2019"]),
    ],
)
def test_terms_of_numbers_identifiers_and_scripts(text: str, terms: list[str]) -> None:
    assert analyze(text) == terms


def test_grouped_number_is_found_joined_and_in_parts() -> None:
    assert {"3400", "3", "400"} <= set(analyze("used 3 400 units"))


def test_dashes_soft_hyphens_and_accents_are_folded() -> None:
    assert analyze("on‑site caf\u00e9 com\u00adpany") == analyze("on-site cafe company")


def test_query_drops_stop_words_unless_nothing_is_left() -> None:
    assert list(query_weights("What is the total revenue of the company?")) == ["total", "revenu", "compani"]
    assert list(query_weights("the who")) == ["the", "who"]
    assert query_weights("???") == {}


def test_parts_of_one_written_word_share_its_weight() -> None:
    assert query_weights("PX-104 pump") == {"px-104": 1 / 3, "px": 1 / 3, "104": 1 / 3, "pump": 1.0}
    assert query_weights("泵站更新") == {"泵站": 1.0, "站更": 1.0, "更新": 1.0}


PUBLISHED_STEMS = """
caresses caress ponies poni cats cat feed feed agreed agre plastered plaster motoring motor sing sing conflated conflat
troubled troubl hopping hop falling fall hissing hiss failing fail filing file happy happi sky sky relational relat
conditional condit rational ration digitizer digit vietnamization vietnam operator oper decisiveness decis hopefulness
hope sensibiliti sensibl triplicate triplic formalize formal electrical electr goodness good revival reviv allowance
allow adjustable adjust replacement replac adoption adopt probate probat rate rate controll control roll roll
"""


def test_stems_are_those_of_the_published_algorithm() -> None:
    words = PUBLISHED_STEMS.split()
    assert [stem(word) for word in words[::2]] == words[1::2]
