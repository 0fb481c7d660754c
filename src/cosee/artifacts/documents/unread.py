"""Pages of a document that nobody could read, and what would change that, told from the flags of its pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Protocol

UNACCOUNTED: Final = "unaccounted_ink"
"""Page flag: the page shows ink that nothing read of it explains."""
NO_ENGINE, NO_LANGUAGE, OCR_OFF = "no_ocr_engine", "no_ocr_language", "ocr_off"
"""Flags of a page whose text is only in its picture, and why that was not read. ``NO_LANGUAGE`` has the languages
behind a colon."""


class _Page(Protocol):
    page_idx: int
    flags: list[str]


def unread_pages(pages: Iterable[_Page]) -> list[int]:
    """Numbers (1-based) of the pages that were not read."""
    return [page.page_idx + 1 for page in pages if _cause(page.flags) is not None]


def unread_sentences(pages: Iterable[_Page], leave_out: Iterable[int] = ()) -> list[str]:
    """``page 1 could not be read (no OCR engine): install tesseract-ocr``, a sentence for each cause; ``leave_out``
    are page numbers that count as read."""
    found: dict[tuple[str, str], list[int]] = {}
    read = set(leave_out)
    for page in pages:
        cause = _cause(page.flags)
        if cause is not None and page.page_idx + 1 not in read:
            found.setdefault(cause, []).append(page.page_idx + 1)
    return [
        f"{page_ranges(numbers)} could not be read ({cause}){': ' if remedy else ''}{remedy}"
        for (cause, remedy), numbers in found.items()
    ]


def _cause(flags: Sequence[str]) -> tuple[str, str] | None:
    """Why a page was not read, and what to do; None for one that was, and for one with nothing to read."""
    for flag in flags:
        name, _, rest = flag.partition(":")
        if name == NO_ENGINE:
            return "no OCR engine", "install tesseract-ocr"
        if name == NO_LANGUAGE:
            packages = " ".join(f"tesseract-ocr-{each.replace('_', '-').lower()}" for each in rest.split("+"))
            return f"no OCR language {rest}", f"install {packages}"
        if name == OCR_OFF:
            return "OCR is switched off", "set 'adapt: {ocr: auto}'"
    if "unreadable" in flags:
        return "it is damaged", "repair the file"
    if "ocr" in flags or "no_text" in flags:
        return None
    if "no_text_layer" in flags:
        return "OCR read nothing on it", ""
    if "garbage_text" in flags:
        return "its text layer is garbage", ""
    return None


def page_ranges(numbers: Sequence[int]) -> str:
    """``page 3`` or ``pages 1-4, 7`` in short form, of ascending numbers."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    texts = [str(a) if a == b else f"{a}-{b}" for a, b in ranges[:20]]
    more = f" and {len(ranges) - 20} more ranges" if len(ranges) > 20 else ""
    return f"{'page' if len(numbers) == 1 else 'pages'} {', '.join(texts)}{more}"
