"""Printed page numbers: which item of a page is one, and which label each page gets from them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from cosee.artifacts.documents.content import ContentItem, PageInfo
from cosee.structure.furniture import thresholds
from cosee.text.number_words import roman_value, to_roman
from cosee.text.words import one_line

NUMBER = re.compile(r"\d{1,4}|(?<![^\W\d_])[ivxlc]{1,7}(?![^\W\d_])")
"""A number as it may count pages: digits, or lower-case roman numerals standing alone."""

# General knowledge: "page" and "of" in the languages, and Roman numerals.
_ALONE = re.compile(
    r"[\[(|<·•~–—\-\s]*(?:(?:page|p\.|pg\.?|seite|第)\s*)?(?P<prefix>[A-Z]{1,2}-)?(?P<number>\d{1,4}|[ivxlc]{1,7})"
    r"(?:\s*(?:页|頁|ページ|of|/|von|sur|共)\s*\d{0,4}\s*(?:页|頁)?)?[\])|>·•~–—\-\s]*",
    re.IGNORECASE,
)
# General knowledge: digits and Roman numerals.
_EDGE = re.compile(r"^(?P<first>\d{1,4}|[ivxlc]{1,7})(?=[\s|·•–—])|(?<=[\s|·•–—])(?P<last>\d{1,4}|[ivxlc]{1,7})$")
LAST_LINE = "last line"
"""Zone of a page's last line that is no footer by its height."""


@dataclass(frozen=True)
class PrintedNumber:
    """A page number found on a page. ``style`` is ``1``, ``i`` or a prefix such as ``F-``."""

    page_idx: int
    value: int
    style: str

    @property
    def offset(self) -> int:
        """Value minus 0-based page: constant as long as the count goes on."""
        return self.value - self.page_idx

    @property
    def label(self) -> str:
        """The number as a person cites it."""
        return label_of(self.style, self.value)


def is_page_number(text: str) -> bool:
    """Whether a line is a page number and nothing else: ``12``, ``- xii -``, ``Page 3 of 9``."""
    return _ALONE.fullmatch(text) is not None


def label_of(style: str, value: int) -> str:
    """The number ``value`` as printed in ``style``."""
    if style == "i":
        return to_roman(value)
    return str(value) if style == "1" else f"{style}{value}"


def printed_numbers(items: Sequence[tuple[ContentItem, str]]) -> tuple[list[PrintedNumber], list[str]]:
    """Page numbers among margin items (item, zone): the numbers by page, and ids of items that are nothing else.

    A number counts when at least one more page (two more when it is only part of a text) within ``NEAR_PAGES`` pages
    goes on with the same count, style and margin; two more where it only is the last line of its page.
    A roman numeral that counts the first pages of the file needs no other: it stands where later numbers do.
    """
    candidates = [(item, zone, number, alone) for item, zone in items for number, alone in _numbers_in(item)]
    pages_of: dict[tuple[str, str, int], set[int]] = defaultdict(set)
    for item, zone, number, _ in candidates:
        pages_of[zone, number.style, number.offset].add(item.page_idx)
    near_of = [
        sum(
            page in pages_of[zone, number.style, number.offset]
            for page in range(item.page_idx - thresholds.NEAR_PAGES, item.page_idx + thresholds.NEAR_PAGES + 1)
        )
        for item, zone, number, _ in candidates
    ]
    counted = [
        near >= (thresholds.MIN_PAGES_COUNTED if alone and zone != LAST_LINE else thresholds.MIN_PAGES_COUNTED_IN_TEXT)
        for (_, zone, _, alone), near in zip(candidates, near_of, strict=True)
    ]
    places = [item for (item, _, _, alone), good in zip(candidates, counted, strict=True) if alone and good]
    best: dict[int, tuple[int, PrintedNumber]] = {}
    ids: list[str] = []
    for (item, _, number, alone), near, good in zip(candidates, near_of, counted, strict=True):
        front = alone and number.style == "i" and number.offset == 1
        if not good and not (front and any(_same_place(item, other) for other in places)):
            continue
        if alone:
            ids.append(item.id)
        if item.page_idx not in best or near > best[item.page_idx][0]:
            best[item.page_idx] = (near, number)
    return [best[page][1] for page in sorted(best)], ids


def _same_place(item: ContentItem, other: ContentItem) -> bool:
    middle, others = (item.bbox[0] + item.bbox[2]) / 2, (other.bbox[0] + other.bbox[2]) / 2
    near = 0 < other.page_idx - item.page_idx <= thresholds.NEAR_PAGES
    return (
        near
        and abs(middle - others) <= thresholds.SAME_PLACE_X
        and abs(item.bbox[1] - other.bbox[1]) <= thresholds.SAME_PLACE_Y
    )


def _numbers_in(item: ContentItem) -> list[tuple[PrintedNumber, bool]]:
    """The numbers that may count pages in an item, and whether such a number is all of it."""
    text = one_line(item.text)
    match = _ALONE.fullmatch(text)
    if match is not None:
        found = [_printed_number(item, match["number"], match["prefix"] or "")]
    else:
        found = [_printed_number(item, edge["first"] or edge["last"], "") for edge in _EDGE.finditer(text)]
    return [(number, match is not None) for number in found if number is not None]


def _printed_number(item: ContentItem, digits: str, prefix: str) -> PrintedNumber | None:
    if digits.isdigit():
        return PrintedNumber(item.page_idx, int(digits), prefix or "1")
    value = roman_value(digits)
    return None if value is None or prefix else PrintedNumber(item.page_idx, value, "i")


def label_pages(pages: list[PageInfo], numbers: Sequence[PrintedNumber]) -> None:
    """Give each page its printed label, in place.

    Labels that the PDF itself defines (anything but none or plain 1, 2, 3 ...) are kept. Pages without a number
    between two pages of the same count get theirs by counting.
    """
    defined = [page.page_label for page in pages if page.page_label]
    if defined and any(page.page_label not in (None, "", str(page.page_idx + 1)) for page in pages):
        return
    by_index = {page.page_idx: page for page in pages}
    labels: dict[int, str] = {}
    before: PrintedNumber | None = None
    for number in numbers:
        labels[number.page_idx] = number.label
        if before is not None and (before.style, before.offset) == (number.style, number.offset):
            for page_idx in range(before.page_idx + 1, number.page_idx):
                labels[page_idx] = label_of(number.style, page_idx + number.offset)
        before = number
    for page_idx, label in labels.items():
        if page_idx in by_index:
            by_index[page_idx].page_label = label
