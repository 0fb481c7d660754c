"""Numbers that count lines, ticks beside their words, values of a form far from their labels."""

from __future__ import annotations

from cosee.artifacts.documents.layout import Span
from cosee.parse.layout.line_numbers import LINE_NUMBER, set_line_numbers_aside
from cosee.parse.layout.page_layout import lay_out
from cosee.parse.layout.ticks import join_ticks
from cosee.parse.pdf.page_model import Fragment, RawPage, Word

LINES = ["Whoever opens the gate", "and lets the sheep out", "shall bring them home", "before the bell rings,"] * 4


def piece(text: str, x: float, y: float, *, width: float | None = None, source: str | None = None) -> Fragment:
    box = (x, y, x + (width or 5.0 * len(text)), y + 12.0)
    return Fragment(box, [Span(text=text, bbox=box, size=10.0, font="F")], [Word(text, box)], source=source)


def page_of(*fragments: Fragment) -> RawPage:
    return RawPage(width=600.0, height=800.0, fragments=list(fragments), vectors=[], pictures=[])


def texts(page: RawPage) -> list[str]:
    return [
        " ".join("".join(span.text for span in line.spans) for line in block.lines)
        for block in lay_out(page, 0, with_tables=True).blocks
        if not block.flags
    ]


def numbered(first: int, step: int, lines: list[str]) -> RawPage:
    numbers = [piece(str(first + step * n), 40, 60 + 20 * n * step) for n in range(len(lines) // step)]
    return page_of(*numbers, *(piece(line, 80, 60 + 20 * n) for n, line in enumerate(lines)))


def test_numbers_of_lines_are_set_aside_and_kept_with_their_reason() -> None:
    page = numbered(1, 1, LINES)
    set_line_numbers_aside(page)
    assert [f.hidden_reason for f in page.fragments[: len(LINES)]] == [LINE_NUMBER] * len(LINES)
    assert not any(f.hidden for f in page.fragments[len(LINES) :])


def test_every_fifth_line_may_be_counted() -> None:
    page = numbered(5, 5, LINES * 4)
    set_line_numbers_aside(page)
    assert sum(f.hidden for f in page.fragments) == 12


def test_numbers_of_a_list_a_table_or_a_gap_in_the_count_stay() -> None:
    listed = numbered(1, 1, [line.capitalize() for line in LINES])
    words = numbered(1, 1, ["oak", "elm", "ash", "yew"] * 4)
    cells = numbered(1, 1, LINES)
    cells.fragments += [piece("12.50", 400, 60 + 20 * n) for n in range(len(LINES))]
    broken = numbered(1, 1, LINES)
    del broken.fragments[7]
    for page in (listed, words, cells, broken):
        set_line_numbers_aside(page)
        assert not any(f.hidden for f in page.fragments)


def test_a_tick_goes_to_the_words_right_behind_it() -> None:
    page = page_of(
        piece("Wanted:", 50, 100),
        piece("☑", 180, 98, width=10),
        piece("Shore power", 196, 100),
        piece("☐", 180, 118, width=10),
        piece("Winter storage", 196, 120),
    )
    assert "☑ Shore power" in " ".join(texts(page)) and "☐ Winter storage" in " ".join(texts(page))


def test_a_tick_behind_its_words_and_one_in_a_column_of_its_own_stay() -> None:
    page = page_of(piece("Crane", 50, 100), piece("☑", 78, 100, width=10), piece("Ramp", 100, 100))
    page.fragments += [piece("✓", 300, 100, width=10), piece("2,400 euro", 400, 100)]
    join_ticks(page)
    assert [f.text for f in page.fragments] == ["Crane", "☑", "Ramp", "✓", "2,400 euro"]


def test_the_value_of_a_field_stays_on_the_line_of_its_label() -> None:
    near = [
        piece("Owner of the boat:", 50, 80),
        piece("Length over all:", 50, 100),
        piece("Berth wanted from May:", 50, 120),
    ]
    value = piece("8.75 m", 300, 100)
    assert not any("all: 8.75 m" in text for text in texts(page_of(*near, value)))
    value = piece("8.75 m", 300, 100, source="form_value")
    page = page_of(*near, value)
    found = [
        " ".join("".join(span.text for span in line.spans) for line in block.lines)
        for block in lay_out(page, 0, with_tables=True).blocks
    ]
    assert any("all: 8.75 m" in text for text in found)
