"""Ticks and the boxes for them, joined to the words that they stand before."""

from __future__ import annotations

from cosee import geometry
from cosee.parse.layout import thresholds
from cosee.parse.pdf.mending import prepend
from cosee.parse.pdf.page_model import Fragment, RawPage

TICKS = frozenset("☐☑☒✓✔✗✘◉")


def join_ticks(page: RawPage) -> None:
    """Make one fragment of each tick and its words, so that no column of ticks stands apart from its labels."""
    shown = [f for f in page.fragments if not f.hidden and not f.rotated]
    ticks = [
        f for f in shown if f.text in TICKS or (f.source == "form_value" and len(f.text) == 1 and not f.text.isalnum())
    ]
    if not ticks:
        return
    labels = [f for f in shown if len(f.text) > 1 and not TICKS & set(f.text)]
    gone: set[int] = set()
    for tick in ticks:
        line = [f for f in labels if _on_line(tick, f)]
        after = min(
            (f for f in line if f.bbox[0] >= tick.bbox[2] - thresholds.EDGE_TOLERANCE),
            key=lambda f: f.bbox[0],
            default=None,
        )
        before = max(
            (f.bbox[2] for f in line if f.bbox[2] <= tick.bbox[0] + thresholds.EDGE_TOLERANCE), default=float("-inf")
        )
        if after is None:
            continue
        gap = after.bbox[0] - tick.bbox[2]
        if gap <= thresholds.TICK_GAP * after.size and gap <= tick.bbox[0] - before:
            source = after.source or tick.source
            prepend(tick, after)
            after.source = source
            labels.remove(after)
            gone.add(id(tick))
    page.fragments = [f for f in page.fragments if id(f) not in gone]


def _on_line(tick: Fragment, label: Fragment) -> bool:
    low = min(geometry.height(tick.bbox), geometry.height(label.bbox))
    return geometry.overlap_length_y(tick.bbox, label.bbox) >= thresholds.SAME_LINE * low
