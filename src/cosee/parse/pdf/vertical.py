"""Chinese and Japanese set in columns from the right: characters placed one below the other become lines."""

from __future__ import annotations

from cosee import geometry
from cosee.parse.pdf.page_model import Fragment, RawPage
from cosee.text.scripts import is_cjk

MIN_CHARACTERS = 16
MIN_SHARE = 0.6
"""Share of a page's fragments that are single characters below another one, from which on the page is vertical."""


def read_columns(page: RawPage) -> None:
    """Make lines of the columns of a vertical page, to be read as text set downwards; change nothing of another."""
    single = [f for f in page.fragments if len(f.text) == 1 and is_cjk(f.text) and not f.hidden and not f.rotated]
    if len(single) < max(MIN_CHARACTERS, MIN_SHARE * len(page.fragments)):
        return
    columns = _columns(single)
    stacked = sum(len(column) for column in columns if len(column) > 1)
    beside = sum(_has_neighbour(f, single) for f in single[:200])
    if stacked < 0.8 * len(single) or beside > 0.3 * len(single[:200]):
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
        last = columns[-1][-1] if columns else None
        gap = fragment.bbox[1] - last.bbox[3] if last else 0.0
        if last and abs(_middle(last) - _middle(fragment)) <= 0.3 * last.size and -last.size < gap < 0.8 * last.size:
            columns[-1].append(fragment)
        else:
            columns.append([fragment])
    return columns


def _middle(fragment: Fragment) -> float:
    return (fragment.bbox[0] + fragment.bbox[2]) / 2


def _has_neighbour(fragment: Fragment, others: list[Fragment]) -> bool:
    """Whether a character stands as near at the side as one does below: then the text runs across."""
    return any(
        0 <= other.bbox[0] - fragment.bbox[2] < 0.25 * fragment.size
        and geometry.overlap_length_y(fragment.bbox, other.bbox) > 0.8 * fragment.size
        for other in others
    )


def _line(column: list[Fragment]) -> Fragment:
    box = geometry.union(fragment.bbox for fragment in column)
    text = "".join(fragment.text for fragment in column)
    span = column[0].spans[0].model_copy(update={"text": text, "bbox": geometry.rounded(box)})
    return Fragment(box, [span], [word for f in column for word in f.words])
