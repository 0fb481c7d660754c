from __future__ import annotations

from cosee.parse.tables.cells import TableCell
from cosee.parse.tables.packed_columns import split_packed


def split(grid: list[list[str]]) -> list[list[str]]:
    cells = [[TableCell(text, (0.0, 0.0, 1.0, 1.0)) for text in row] for row in grid]
    return [[cell.text if cell is not None else "" for cell in row] for row in split_packed(cells)]


def test_numbers_side_by_side_become_columns_of_their_own() -> None:
    grid = [["", "NER", "RE"], ["", "5-shot 10-shot", "20-shot"], ["A", "53.8(0.5) 54.0(1.4)", "1.2"],
            ["B", "31.9 40.7", "3.4"], ["C", "– 40.7", ""], ["D", "3.9 –", "x"]]  # fmt: skip
    assert split(grid) == [
        ["", "NER", "NER", "RE"],
        ["", "5-shot", "10-shot", "20-shot"],
        ["A", "53.8(0.5)", "54.0(1.4)", "1.2"],
        ["B", "31.9", "40.7", "3.4"],
        ["C", "–", "40.7", ""],
        ["D", "3.9", "–", "x"],
    ]


def test_ranges_grouped_amounts_and_text_stay_whole() -> None:
    for column in (["3 400", "12 512"], ["5 - 10", "10 - 20"], ["12 May", "13 June"], ["1 2", "text", "more", "words"]):
        grid = [["Name", "Value"], *(["x", cell] for cell in column)]
        assert split(grid) == grid
