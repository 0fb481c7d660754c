from hypothesis import given
from hypothesis import strategies as st

from cosee.artifacts.files import safe_name


def test_plain_names_stay():
    assert safe_name("report-2023_v1.2") == "report-2023_v1.2"


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_gives_a_safe_name_of_its_own(first, second):
    name = safe_name(first)
    assert 0 < len(name) <= 100 and name.isascii() and "/" not in name and not name.startswith(".")
    assert (safe_name(second) == name) == (first == second) or name in (first, second)
