"""The pages of a long document, kept small between reading and adapting them."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from cosee.artifacts.documents.layout import LayoutPage
from cosee.parse.pdf.thresholds import HELD_PAGES

_LEVEL = 1
"""zlib's fastest."""


class PageStore:
    """Pages in order. Those after the first ones are made again each time they are asked for."""

    def __init__(self) -> None:
        self._held: list[LayoutPage] = []
        self._packed: list[bytes] = []

    def append(self, page: LayoutPage) -> None:
        """Add a page at the end."""
        if len(self._held) < HELD_PAGES:
            self._held.append(page)
        else:
            self._packed.append(zlib.compress(page.model_dump_json().encode("utf-8"), _LEVEL))

    def __iter__(self) -> Iterator[LayoutPage]:
        yield from self._held
        for packed in self._packed:
            yield LayoutPage.model_validate_json(zlib.decompress(packed))

    def __len__(self) -> int:
        return len(self._held) + len(self._packed)
