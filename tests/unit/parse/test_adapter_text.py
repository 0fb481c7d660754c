from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cosee.parse.pdf.page_source import _font
from cosee.text.cleaning import clean, join_lines, one_line, vocabulary


def test_clean_opens_ligatures_and_removes_invisible_characters() -> None:
    # contract: D9
    dirty = "e\ufb03cient zero\u200bwidth\u00a0space\x07 on\u2011site \ud800x"
    assert clean(dirty) == "efficient zerowidth space on-site \ufffdx"


@given(st.text())
def test_clean_is_idempotent_and_gives_valid_utf8(text: str) -> None:
    # contract: D8, D9
    once = clean(text)
    assert clean(once) == once
    json.dumps(once, ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize(
    ("lines", "inside", "expected"),
    [
        (["have been instruc-", "ted to log"], "", "have been instructed to log"),
        (["every short-", "range radio"], "a short-range set", "every short-range radio"),
        (["a short-", "range set"], "short-range and shortrange", "a shortrange set"),
        (["Ret\u00ad", "tungsboote"], "", "Rettungsboote"),
        (["the A-", "12 unit"], "", "the A-12 unit"),
        (["Non-", "GAAP measure"], "", "Non-GAAP measure"),
        (["\u7ba1\u9053\u7684", "\u66f4\u65b0"], "", "\u7ba1\u9053\u7684\u66f4\u65b0"),
        (["plain line", "next line"], "", "plain line next line"),
    ],
)
def test_line_ends_are_joined_by_what_the_document_knows(lines: list[str], inside: str, expected: str) -> None:
    known = vocabulary([inside, *lines])
    assert join_lines(lines, known) == expected


def test_soft_hyphen_inside_a_line_is_a_visible_hyphen() -> None:
    assert one_line("Garden\u00adNorth  entrance") == "Garden-North entrance"


def test_code_is_not_bold_for_its_medium_weight() -> None:
    names = ("SourceCodePro-Medium", "SourceCodePro-Bold", "NimbusMonL-Medi", "Helvetica")
    assert [_font(name, True)[1] for name in names] == [False, True, True, False]
    assert _font("NanumGothic-Medium", False)[1]
