import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosee.agents.decision.arithmetic import ArithmeticFault, compute, names_in


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("8 / 4 / 2", 1), ("10 - 4 - 3", 3), ("-2 * -3", 6), ("--2", 2),
        ("50% * 8", 4), ("a - b", 7), ("a*a/b", 40.5), (" 1.50 ", 1.5),
    ],
)  # fmt: skip
def test_arithmetic(expression: str, value: float) -> None:
    assert compute(expression, {"a": 9.0, "b": 2.0}) == value


@given(st.text(alphabet="0123456789.+-*/()% ab_e[]{}'\"\\", max_size=40))
def test_any_text_gives_a_finite_number_or_a_fault(text: str) -> None:
    try:
        names_in(text)
        assert math.isfinite(compute(text, {"a": 1e200, "b": 0.0}))
    except ArithmeticFault as fault:
        assert str(fault)
