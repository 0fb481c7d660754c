"""Chinese and Japanese set in columns from the right: characters placed one below the other become lines."""

from __future__ import annotations

from cosee import geometry
from cosee.parse.pdf import thresholds
from cosee.parse.pdf.page_model import Fragment, RawPage
from cosee.text.scripts import is_cjk


def read_columns(page: RawPage) -> None:
    """Make lines of the columns of a vertical page, to be read as text set downwards; change nothing of another."""
    single = [f for f in page.fragments if len(f.text) == 1 and is_cjk(f.text) and not f.hidden and not f.rotated]
    if len(single) < max(thresholds.VERTICAL_MIN_CHARACTERS, thresholds.VERTICAL_MIN_SHARE * len(page.fragments)):
        return
    columns = _columns(single)
    stacked = sum(len(column) for column in columns if len(column) > 1)
    compared = single[: thresholds.COMPARED_CHARACTERS]
    beside = sum(_has_neighbour(f, single) for f in compared)
    if stacked < thresholds.STACKED_SHARE * len(single) or beside > thresholds.BESIDE_SHARE * len(compared):
        return
    taken = {id(fragment) for fragment in single}
    page.fragments = [f for f in page.fragments if id(f) not in taken]
    for fragment in page.fragments:
        fragment.rotated = True
    page.fragments += [_line(column) for column in columns]
    page.text_angle = 90


def _columns(single: list[Fragment]) -> list[list[Fragment]]:
    columns: list[list[Fragment]] = []
    for fragment in sorted(single, key=lambda f: (-round(_middle(f)), f.bbox[1])):
        if columns and _goes_on(columns[-1][-1], fragment):
            columns[-1].append(fragment)
        else:
            columns.append([fragment])
    return columns


def _goes_on(last: Fragment, fragment: Fragment) -> bool:
    least, most = thresholds.COLUMN_GAP
    near = abs(_middle(last) - _middle(fragment)) <= thresholds.COLUMN_OFFSET * last.size
    return near and least * last.size < fragment.bbox[1] - last.bbox[3] < most * last.size


def _middle(fragment: Fragment) -> float:
    return (fragment.bbox[0] + fragment.bbox[2]) / 2


def _has_neighbour(fragment: Fragment, others: list[Fragment]) -> bool:
    """Whether a character stands as near at the side as one does below: then the text runs across."""
    return any(
        0 <= other.bbox[0] - fragment.bbox[2] < thresholds.SIDE_GAP * fragment.size
        and geometry.overlap_length_y(fragment.bbox, other.bbox) > thresholds.SIDE_OVERLAP * fragment.size
        for other in others
    )


def _line(column: list[Fragment]) -> Fragment:
    box = geometry.union(fragment.bbox for fragment in column)
    text = "".join(fragment.text for fragment in column)
    span = column[0].spans[0].model_copy(update={"text": text, "bbox": geometry.rounded(box)})
    return Fragment(box, [span], [word for f in column for word in f.words])
