"""Which parts of a page have to be read as a picture: those that show text which the text layer does not hold."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.imaging import ink
from cosee.imaging.drawing import RenderError
from cosee.imaging.render import gray_region
from cosee.parse.pdf.bad_text import LAST_LATIN
from cosee.parse.pdf.page_model import Fragment, RawPage
from cosee.parse.scans import thresholds

SIGNS = frozenset("-–—•·&+=/*|")
_WORD = re.compile(r"^[^\w]*(?:[^\W\d_]+(?:[-'’.][^\W\d_]+)*|[\d.,:/%$€£+–-]+)[^\w]*$")
_VOWEL = re.compile(r"[aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüýαεηιουωаеиоуыэюяё]", re.IGNORECASE)


@dataclass(frozen=True)
class Need:
    """What to read: the whole page or parts of it, and which text it replaces (``all``, the OCR ``layer``).

    ``layer`` is what a reading must reach (sure letters) to replace an OCR layer.
    """

    whole: bool = False
    regions: tuple[BBox, ...] = ()
    replaces: Literal["nothing", "layer", "all"] = "nothing"
    layer: float = 0.0


def is_image_only(page: RawPage) -> bool:
    """Whether the page shows a picture and (almost) no text of its own."""
    text = sum(len(f.text) for f in page.fragments if not f.hidden)
    return text <= thresholds.MAX_CHARACTERS and bool(page.pictures) and _covered(page) >= thresholds.MIN_COVER


def _covered(page: RawPage) -> float:
    return sum(geometry.area(picture.bbox) for picture in page.pictures) / max(page.width * page.height, 1.0)


def hide_false_layer(page: Any, raw: RawPage) -> None:
    """Hide unseen text on a page that has other text, where the picture shows nothing of it: it is no OCR layer."""
    layer = [f for f in raw.fragments if f.ocr and not f.hidden]
    others = sum(len(f.text) for f in raw.fragments if not f.ocr and not f.hidden)
    if not layer or others <= thresholds.MAX_CHARACTERS:
        return
    for fragment in layer:
        fragment.hidden = True
    shown = math.inf  # where the page was given up, nothing proves that it is not seen
    with suppress(RenderError):
        shown = _unread(page, raw, raw.bbox, layer).letters
    if shown >= thresholds.SHOWN_LAYER * sum(sum(map(str.isalnum, f.text)) for f in layer):
        for fragment in layer:
            fragment.hidden = False
        return
    raw.flags = [flag for flag in raw.flags if flag != "ocr_layer"]
    if "hidden_text" not in raw.flags:
        raw.flags.append("hidden_text")


def reading_need(page: Any, raw: RawPage) -> Need:
    """What of the page has to be read; pictures are rendered and looked at only where they may hold text."""
    visible = [f for f in raw.fragments if not f.hidden]
    if "garbage_text" in raw.flags:
        return Need(whole=True, replaces="all")
    if "ocr_layer" in raw.flags:
        layer = [f for f in visible if f.ocr]
        good, letters = good_letters(layer)
        if good >= (1 - thresholds.BAD_WORDS) * letters:
            return Need()
        return Need(whole=True, replaces="layer", layer=thresholds.LAYER_REACHED * good)
    if "image_only" in raw.flags:
        return Need(whole=True)
    if not visible and sum(1 for v in raw.vectors if not v.rectangular) >= thresholds.MIN_OUTLINES:
        return Need(whole=_unread(page, raw, raw.bbox).letters >= thresholds.MIN_LETTERS)
    if _covered(raw) >= thresholds.MIN_COVER and _mostly_unread(page, raw, visible):
        return Need(whole=True)
    return Need(regions=tuple(box for box in _picture_boxes(raw) if shows_letters(_unread(page, raw, box))))


def good_letters(layer: list[Fragment]) -> tuple[int, int]:
    """Letters in what can be words, and all letters."""
    good = whole = 0
    for fragment in layer:
        for word in fragment.text.split():
            if word in SIGNS:
                continue
            count = sum(map(str.isalnum, word)) or 1
            whole += count
            if any(c > LAST_LATIN and c.isalpha() for c in word):  # no shape by which to judge it
                good += count
                continue
            core = word.strip(".,;:!?()[]{}'\"“”‘’«»")
            cased = core.islower() or core.isupper() or core[1:].islower() or count < thresholds.CASED_LETTERS
            pronounced = count < thresholds.VOWEL_LETTERS or not core.isascii() or not core.isalpha()
            if cased and _WORD.match(word) and (pronounced or _VOWEL.search(core)):
                good += count
    return good, whole


def _picture_boxes(raw: RawPage) -> list[BBox]:
    """Pictures that are large enough to hold text, tiles joined, the largest ones first; backgrounds among them."""
    boxes = [picture.bbox for picture in raw.pictures]
    joined = [
        geometry.union(boxes[i] for i in group) for group in geometry.clusters(boxes[: thresholds.MAX_TILES], 1.0)
    ]
    wide = [box for box in joined if geometry.width(box) >= thresholds.MIN_WIDTH]
    large = [box for box in wide if geometry.height(box) >= thresholds.MIN_HEIGHT]
    largest = sorted(large, key=geometry.area, reverse=True)[: thresholds.MAX_REGIONS]
    return sorted(largest, key=lambda box: (box[1], box[0]))


def shows_letters(seen: ink.TextLook) -> bool:
    """Whether what a picture shows may be text."""
    return seen.letters >= thresholds.MIN_LETTERS and seen.share >= thresholds.MIN_SHARE


def _mostly_unread(page: Any, raw: RawPage, visible: list[Fragment]) -> bool:
    """Whether most of the text that a page of pictures shows is in the pictures: a scan with a stamp or a header."""
    seen = _unread(page, raw, raw.bbox)
    own = sum(len(f.text.replace(" ", "")) for f in visible)
    return shows_letters(seen) and seen.letters >= thresholds.UNREAD_LETTERS * own


def _unread(page: Any, raw: RawPage, box: BBox, only: list[Fragment] | None = None) -> ink.TextLook:
    """The look of a part of the page, the page's own text left out; of the places of ``only`` where it is given."""
    gray, dpi = gray_region(page, box, thresholds.LOOK_DPI)
    dark = ink.dark(gray, dpi)
    scale = gray.shape[1] / max(geometry.width(box), 1.0)

    def pixels(place: BBox) -> tuple[slice, slice]:
        x0, y0, x1, y1 = (round((value - box[n % 2]) * scale) for n, value in enumerate(place))
        return slice(max(0, y0 - 1), max(0, y1 + 1)), slice(max(0, x0 - 1), max(0, x1 + 1))

    if only is not None:
        kept = dark & False
        for fragment in only:
            kept[pixels(fragment.bbox)] = dark[pixels(fragment.bbox)]
        dark = kept
    for fragment in raw.fragments:
        if not fragment.hidden and geometry.intersection(fragment.bbox, box) > 0:
            dark[pixels(fragment.bbox)] = False
    return ink.look(ink.glyphs(dark, dpi))
