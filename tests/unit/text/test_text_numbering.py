from __future__ import annotations

import pytest

from cosee.text.number_words import han_value
from cosee.text.numbering import Numbering, parse_numbering


@pytest.mark.parametrize(
    ("text", "kind", "values", "title"),
    [
        ("1 Introduction", "decimal", (1,), "Introduction"),
        ("1. Introduction", "decimal", (1,), "Introduction"),
        ("1.1.1 Earlier work", "decimal", (1, 1, 1), "Earlier work"),
        ("10 Appendix", "decimal", (10,), "Appendix"),
        ("A.1 Reagents", "decimal", (1, 1), "Reagents"),
        ("Chapter 3: Water", "chapter", (3,), "Water"),
        ("PART IV", "part", (4,), ""),
        ("Item 1A. Risk Factors", "item", (1,), "Risk Factors"),
        ("Appendix B", "appendix", (2,), ""),
        ("IV. RESULTS", "roman", (4,), "RESULTS"),
        ("C. Second case", "letter", (3,), "Second case"),
        ("ONE PREREQUISITES", "chapter", (1,), "PREREQUISITES"),
        ("第三章 水", "chapter", (3,), "水"),
        ("第十二节重要事项", "section", (12,), "重要事项"),
        ("二、主要会计数据", "han", (2,), "主要会计数据"),
        ("（三）其他", "han_bracket", (3,), "其他"),
        ("1、合并资产负债表", "decimal", (1,), "合并资产负债表"),
    ],
)
def test_numbers_of_headings(text: str, kind: str, values: tuple[int, ...], title: str) -> None:
    # contract: D19
    numbering = parse_numbering(text)
    assert numbering is not None
    assert (numbering.kind, numbering.values, numbering.title) == (kind, values, title)


@pytest.mark.parametrize(
    "text",
    [
        "12",
        "5 million people",
        "3.5 % of all",
        "2019 Annual Report",
        "3D models",
        "Section 3 describes the rig",
        "item 4",
        "1.05 Rate",
        "A study",
        "",
    ],
)
def test_text_that_only_looks_numbered(text: str) -> None:
    assert parse_numbering(text) is None


def test_chinese_numerals() -> None:
    assert [han_value(text) for text in ("一", "十", "十二", "二十", "三十五", "一百零三", "7")] == [
        1,
        10,
        12,
        20,
        35,
        103,
        7,
    ]


def test_a_number_without_end_is_no_number() -> None:
    # Python refuses to convert more than 4,300 digits.
    assert parse_numbering("第" + "9" * 5000 + "章 终") is None
    assert parse_numbering("第九十九章 终") == Numbering("chapter", (99,), "终")
