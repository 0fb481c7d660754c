from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cosee.parse.layout.gutters import Atom
from cosee.parse.layout.reading_order import reading_order


def column(x0: float, x1: float, top: float, count: int, words: int = 8) -> list[Atom]:
    return [Atom((x0, top + 12 * n, x1, top + 12 * n + 10), words) for n in range(count)]


def flat(atoms: list[Atom]) -> list[int]:
    return [i for region in reading_order(atoms) for i in region]


coordinates = st.floats(0, 600, allow_nan=False).map(lambda v: round(v, 1))


@st.composite
def atom_lists(draw: st.DrawFn) -> list[Atom]:
    atoms = []
    for _ in range(draw(st.integers(0, 40))):
        x, y = draw(coordinates), draw(coordinates)
        width, height = draw(st.floats(0, 400)), draw(st.floats(0, 60))
        atoms.append(Atom((x, y, x + width, y + height), draw(st.integers(0, 9)), draw(st.booleans())))
    return atoms


@settings(max_examples=200, deadline=None)
@given(atom_lists())
def test_order_is_a_permutation_and_repeats(atoms: list[Atom]) -> None:
    # contract: D5, D8
    order = flat(atoms)
    assert sorted(order) == list(range(len(atoms)))
    assert flat(atoms) == order


def test_boxes_without_width_leave_no_column_empty() -> None:
    boxes = [(0, 0, 10, 1, 3), (0, 3, 6, 4, 3), (11, 0, 11, 4, 0), (0, 0, 0, 0, 0), (0, 0, 0, 0, 0), (0, 0, 1, 0, 0)]
    boxes += [(10, 29, 22, 29, 0), (0, 0, 0, 0, 0), (0, 0, 0, 42, 9)]
    atoms = [Atom((x0, y0, x1, y1), words=words) for x0, y0, x1, y1, words in boxes]
    assert sorted(flat(atoms)) == list(range(len(atoms)))


def test_two_columns_under_a_title_are_read_one_after_the_other() -> None:
    # contract: D5
    title = [Atom((100, 40, 500, 60), 5)]
    left, right = column(60, 285, 100, 20), column(310, 535, 100, 20)
    mixed = title + [atom for pair in zip(left, right, strict=True) for atom in pair]
    order = [mixed[i] for i in flat(mixed)]
    assert order == title + left + right


def test_full_width_float_cuts_the_columns_into_bands() -> None:
    upper = column(60, 285, 100, 8) + column(310, 535, 100, 8)
    wide = Atom((60, 210, 535, 300))
    lower = column(60, 285, 320, 8) + column(310, 535, 320, 8)
    atoms = [*lower, wide, *upper]
    order = [atoms[i] for i in flat(atoms)]
    assert order == [*upper, wide, *lower]


def test_float_a_little_wider_than_its_column_stays_in_it() -> None:
    left_upper, left_lower = column(60, 285, 60, 8), column(60, 285, 320, 8)
    right = column(340, 535, 60, 8) + column(340, 535, 320, 8)
    picture = Atom((60, 180, 335, 300))
    atoms = [*right, picture, *left_lower, *left_upper]
    order = [atoms[i] for i in flat(atoms)]
    assert order == [*left_upper, picture, *left_lower, *right]


def test_label_and_number_columns_are_rows_not_columns() -> None:
    atoms = []
    for n in range(8):
        atoms.append(Atom((60, 100 + 14 * n, 140, 110 + 14 * n), 2))
        atoms.append(Atom((400, 100 + 14 * n, 430, 110 + 14 * n), 1, True))
    assert flat(atoms) == list(range(16))


def test_text_beside_a_table_is_one_column_although_full_lines_follow() -> None:
    beside = column(60, 200, 100, 10)
    table = Atom((220, 100, 535, 215))
    below = column(60, 535, 222, 6, words=14)
    atoms = [table, *below, *beside]
    order = [atoms[i] for i in flat(atoms)]
    assert [a for a in order if a in below] == below
    assert order.index(beside[-1]) < order.index(below[0])
