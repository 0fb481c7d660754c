"""Words that are struck out are set aside; underlines, rules and lines beside words strike nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.pipeline.stage import DocFolder
from cosee.stages.adapt import AdaptStage

BASE = 200.0
LINE = "The notice period is six weeks three months in all."
STRUCK = "six weeks"


def width(text: str) -> float:
    return float(pymupdf.get_text_length(text, fontsize=11))


def at(words: str) -> tuple[float, float]:
    """Where words of the line begin and end."""
    start = 60 + width(LINE[: LINE.index(words)])
    return start, start + width(words)


def read(tmp_path: Path, draw: Callable[[Any], None], *, turned: int = 0) -> ContentList:
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=400, height=600)
        page.insert_text((60, BASE), LINE, fontsize=11)
        page.insert_text((60, BASE + 40), "Keys are handed over at the gate.", fontsize=11)
        draw(page)
        page.set_rotation(turned)
        pdf.save(tmp_path / "full.pdf")
    AdaptStage().run(DocFolder("demo", "doc", tmp_path, tmp_path), AdaptSettings(ocr="none"))
    return ContentList.load(tmp_path / "content_list.adapted.json")


def texts(content: ContentList) -> str:
    return " ".join(item.text for item in content.items)


def stroke(page: Any, words: str = STRUCK, *, above: float = 3.2, room: float = 0.0) -> None:
    x0, x1 = at(words)
    page.draw_line((x0 - room, BASE - above), (x1 + room, BASE - above), width=0.7)


def box(page: Any) -> None:
    x0, x1 = at(STRUCK)
    page.draw_rect((x0, BASE - 3.6, x1, BASE - 2.9), color=None, fill=(1, 0, 0))


def twice(page: Any) -> None:
    stroke(page, above=3.9)
    stroke(page, above=2.6)


def annotation(page: Any) -> None:
    page.add_strikeout_annot(page.search_for(STRUCK)[0])


@pytest.mark.parametrize("draw", [stroke, box, twice, annotation])
@pytest.mark.parametrize("turned", [0, 90, 180])
def test_words_that_are_struck_out_are_set_aside(tmp_path: Path, draw: Callable[[Any], None], turned: int) -> None:
    # contract: D10
    content = read(tmp_path, draw, turned=turned)
    assert "The notice period is three months in all." in texts(content)
    assert [item.text for item in content.dropped if item.reason == "struck_out"] == [STRUCK]
    assert not [item for item in content.items if item.role == "image"]


def test_a_whole_line_may_be_struck_out(tmp_path: Path) -> None:
    content = read(tmp_path, lambda page: stroke(page, LINE))
    assert [item.text for item in content.dropped] == [LINE] and "Keys are" in texts(content)


def underline(page: Any) -> None:
    stroke(page, above=-1.5)


def overline(page: Any) -> None:
    stroke(page, above=9.0)


def rule_across(page: Any) -> None:
    """A rule of a table or form that text was set upon by mistake."""
    page.draw_line((20, BASE - 3.2), (390, BASE - 3.2), width=0.7)


def part_of_a_word(page: Any) -> None:
    x0, _ = at("notice")
    page.draw_line((x0, BASE - 3.2), (x0 + 8, BASE - 3.2), width=0.7)


def thick_bar(page: Any) -> None:
    """A marker's stroke behind the words."""
    x0, x1 = at(STRUCK)
    page.draw_rect((x0, BASE - 6, x1, BASE - 1), color=None, fill=(1, 1, 0), overlay=False)


def behind_a_label(page: Any) -> None:
    """A line of a drawing that goes on behind the white box of a label."""
    x0, x1 = at(STRUCK)
    page.draw_rect((x0, BASE - 10, x1, BASE + 3), color=None, fill=(1, 1, 1), overlay=False)
    page.draw_line((x0 - 3, BASE - 3.2), (x1 + 3, BASE - 3.2), width=0.7, overlay=False)


def hidden_annotation(page: Any) -> None:
    found = page.add_strikeout_annot(page.search_for(STRUCK)[0])
    found.set_flags(2)


@pytest.mark.parametrize(
    "draw", [underline, overline, rule_across, part_of_a_word, thick_bar, behind_a_label, hidden_annotation]
)
def test_other_lines_strike_nothing(tmp_path: Path, draw: Callable[[Any], None]) -> None:
    content = read(tmp_path, draw)
    assert LINE in texts(content)
    assert not [item for item in content.dropped if item.reason == "struck_out"]
