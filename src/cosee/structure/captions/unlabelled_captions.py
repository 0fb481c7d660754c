"""Captions without a label: the title over a chart, small text right below a picture."""

from __future__ import annotations

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.content import ContentItem
from cosee.structure.captions.caption_guard import tie
from cosee.structure.captions.labels import sub_label
from cosee.structure.draft import TEXT_ROLES, Draft, short_texts
from cosee.structure.roles import is_note
from cosee.text.numbering import parse_numbering

MAX_CHARACTERS = 300
MAX_GAP, MAX_TITLE_GAP = 0.02, 0.03
MAX_LINES = 6
SMALL = 0.93
"""Text of at most this share of the body size is small."""


def tie_unlabelled(draft: Draft) -> None:
    """Tie unlabelled captions to images that have none. Not for slides, which set any text small."""
    for items in draft.on_pages().values():
        texts = [item for item in short_texts(items, MAX_CHARACTERS) if item.size is not None]
        if not texts:
            continue
        for medium in items:
            if medium.role == "image" and not medium.caption_ids and medium.caption is None:
                _tie_one(medium, [text for text in texts if text.role in TEXT_ROLES], draft.body_size)


def _tie_one(medium: ContentItem, texts: list[ContentItem], body: float) -> None:
    above = _titles(medium, texts, body)
    for text in above:
        tie(medium, text, None)
    bottom = medium.bbox[3]
    for text in texts:
        if len(medium.caption_ids) >= MAX_LINES or not _is_below(text, medium, bottom, body):
            continue
        if above or is_note(text.text):
            text.role, text.level = "footnote", None
            medium.footnote_ids.append(text.id)
        else:
            tie(medium, text, None)
        bottom = text.bbox[3]


def _titles(medium: ContentItem, texts: list[ContentItem], body: float) -> list[ContentItem]:
    """Title and subtitle over a chart, top first.

    A small subtitle ("% of all adults") shows that the line over it is the figure's title, not a section's heading.
    """
    small = [text for text in texts if _is_over(text, medium.bbox, medium, SMALL * body)]
    subtitle = max(small, key=lambda text: text.bbox[1], default=None)
    if subtitle is None and medium.kind != "statistical":
        return []
    below = (subtitle or medium).bbox
    largest = (1.3 if subtitle is not None else 1.15) * body
    title = next((text for text in texts if text is not subtitle and _is_over(text, below, medium, largest)), None)
    return [] if title is None else [text for text in (title, subtitle) if text is not None]


def _is_over(text: ContentItem, below: BBox, medium: ContentItem, largest: float) -> bool:
    """Whether the text may be a title over ``below``: near, not wider than the medium, not numbered, not large."""
    if (
        not -0.005 <= below[1] - text.bbox[3] <= MAX_TITLE_GAP
        or geometry.overlap_share_x(text.bbox, medium.bbox) <= 0.5
    ):
        return False
    plain = parse_numbering(text.text) is None and (text.size or 0.0) <= largest and len(text.text) <= 150
    ends = text.text.rstrip().endswith(".") and not text.text.rstrip().endswith("...")
    return plain and _inside(text, medium) and not ends


def _inside(text: ContentItem, medium: ContentItem) -> bool:
    return text.bbox[0] >= medium.bbox[0] - 0.02 and text.bbox[2] <= medium.bbox[2] + 0.02


def _is_below(text: ContentItem, medium: ContentItem, bottom: float, body: float) -> bool:
    small = (text.size or body) <= SMALL * body and sub_label(text.text) is None and "://" not in text.text
    return small and text.role in TEXT_ROLES and -0.005 <= text.bbox[1] - bottom <= MAX_GAP and _inside(text, medium)
