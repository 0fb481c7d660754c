"""Whole documents in other languages, numbering styles, looks and column counts."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from helpers.make_pdf import WORDS

from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.parse.content.adapt import adapt
from cosee.parse.pdf_reader import read_pdf
from cosee.structure.enhance import enhance

LEVELS = [1, 2, 2, 1, 2, 1]
TITLES = {
    "en": ["Scope and Aims", "Field Work", "Sampling Plan", "Water Levels", "Storage of Samples", "Conclusions"],
    "de": ["Ziel der Arbeit", "Feldarbeit", "Plan der Proben", "Wasserstände", "Lagerung der Proben", "Fazit"],
    "fr": ["Objet du rapport", "Travail de terrain", "Plan des mesures", "Niveaux d'eau", "Conservation", "Conclusion"],
    "zh": ["目的和范围", "现场工作", "取样计划", "水位变化", "样品保存", "结论"],
}
NUMBERS = {
    "decimal": ["1", "1.1", "1.2", "2", "2.1", "3"],
    "dotted": ["1.", "1.1.", "1.2.", "2.", "2.1.", "3."],
    "letters": ["A.", "1.", "2.", "B.", "1.", "C."],
    "roman": ["I.", "A.", "B.", "II.", "A.", "III."],
    "chapter": ["Chapter 1", "1.1", "1.2", "Chapter 2", "2.1", "Chapter 3"],
    "kapitel": ["Kapitel 1:", "1.1", "1.2", "Kapitel 2:", "2.1", "Kapitel 3:"],
    "article": ["Article 1", "1.1", "1.2", "Article 2", "2.1", "Article 3"],
    "paragraph": ["§ 1", "1.1", "1.2", "§ 2", "2.1", "§ 3"],
    "part": ["Part I", "Chapter 1", "Chapter 2", "Part II", "Chapter 1", "Part III"],
    "appendix": ["Appendix A", "A.1", "A.2", "Appendix B", "B.1", "Appendix C"],
    "zhang": ["第一章", "第一节", "第二节", "第二章", "第一节", "第三章"],
    "han": ["一、", "（一）", "（二）", "二、", "（一）", "三、"],
}
LOOKS: dict[str, list[dict[str, Any]]] = {
    "sizes": [{"fontsize": 16, "fontname": "hebo"}, {"fontsize": 13, "fontname": "hebo"}],
    "uniform": [{"fontsize": 10, "fontname": "hebo"}] * 2,
    "italic": [{"fontsize": 12, "fontname": "tibo"}, {"fontsize": 10, "fontname": "tiit"}],
    "colour": [{"fontsize": 14, "fontname": "helv", "color": (0, 0.2, 0.6)}, {"fontsize": 10, "color": (0, 0.2, 0.6)}],
}
CASES = [
    *((("en", number, look, 1)) for number in list(NUMBERS)[:5] + list(NUMBERS)[6:10] for look in LOOKS),
    *((("en", number, look, 2)) for number in ("decimal", "roman") for look in ("sizes", "uniform")),
    *(("de", number, look, 1) for number in ("kapitel", "paragraph") for look in ("sizes", "italic")),
    *(("fr", "dotted", look, columns) for look in ("sizes", "italic") for columns in (1, 2)),
    *(("zh", number, look, 1) for number in ("zhang", "han", "decimal") for look in ("sizes", "colour")),
]


@pytest.mark.parametrize(("language", "numbers", "look", "columns"), CASES)
def test_titles_and_levels(tmp_path: Path, language: str, numbers: str, look: str, columns: int) -> None:
    # contract: D19
    cjk = language == "zh"
    body = "本报告介绍了北部站点的检查情况并说明了各项设备"
    words = random.Random(7)
    lines = 0
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    width = (475 - 20 * (columns - 1)) / columns
    expected = []
    y, x = 70.0, 60.0
    for number, title, level in zip(NUMBERS[numbers], TITLES[language], LEVELS, strict=True):
        if y > (640 if columns == 1 else 420):
            x, y = x + width + 20, 70.0
            if x + width > 560:
                page, x = document.new_page(width=595, height=842), 60.0
        text = f"{number}{'' if number[-1] in '、）' else ' '}{title}"
        style = LOOKS[look][level - 1]
        page.insert_text((x, y), text, **({**style, "fontname": "china-s"} if cjk else style))
        y += 18
        for _ in range(6 + 5 * len(expected) % 4):
            lines += 1
            latin = " ".join(words.choices(WORDS, k=int(width / 32))).capitalize()
            chinese = (body[lines % 9 :] + body * 3)[: int(width / 10.5)]
            page.insert_text((x, y), chinese if cjk else latin, fontsize=10, fontname="china-s" if cjk else "helv")
            y += 13
        y += 24
        expected.append((level, text, page.number))
    pdf = tmp_path / "full.pdf"
    document.save(pdf)
    content = enhance(adapt(read_pdf(pdf, "doc", AdaptSettings(ocr="none"), tmp_path / "images").layout))
    found = [
        (item.level, " ".join(item.text.split()), item.page_idx) for item in content.items if item.role == "heading"
    ]
    assert [(level, "".join(text.split()), page) for level, text, page in found] == [
        (level, "".join(text.split()), page) for level, text, page in expected
    ]
