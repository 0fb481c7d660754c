"""Messages as blocks: what is said to a model, in one form for every client.

A message is a list of blocks. A block has a kind, its rendered text and its structured data, so that the same
message serves a vision-language model (images and text), a text-only model (text) and the embedded reader (data).
Evidence is always delimited and escaped as data: build blocks with the functions of ``messages.py``.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from cosee.artifacts import files
from cosee.artifacts.base import BBox
from cosee.geometry import clamp, height, width
from cosee.imaging.picture_file import picture_size, read_picture
from cosee.models.picture_size import QWEN3_VL, PictureSize
from cosee.models.thresholds import (
    CHARACTERS_OF_A_TOKEN,
    JPEG_QUALITY,
    LEAST_SIDE_OF_A_PART,
    SMALLEST_HALVED_SIDE,
    TOKENS_AROUND_A_PICTURE,
)

if TYPE_CHECKING:
    from PIL.Image import Image

BlockKind = Literal["image", "question", "page_text", "node", "table", "board", "role", "instruction", "history"]


class PageImage:
    """A page's picture, loaded when it is needed. ``page`` is 1-based.

    ``name`` is where it is, or will be once it is loaded, below the cache of page pictures. ``rendered`` renders a part
    of the page, given as a box in 0..1.
    """

    def __init__(
        self,
        page: int,
        source: Path | Callable[[], Path] | Image,
        name: str = "",
        rendered: Callable[[BBox], Path] | None = None,
    ) -> None:
        self.page = page
        self.name = name
        self._source = source
        self._rendered = rendered
        # Not cached_property, which before Python 3.12 holds a lock of the class: pages are rendered side by side.
        self._path = source if isinstance(source, Path) else None
        self._sha256 = ""

    @property
    def path(self) -> Path | None:
        """The picture's file, rendered on first use; None for a picture that only lives in memory."""
        if self._path is None and callable(self._source):
            self._path = self._source()
        return self._path

    def load(self) -> Image:
        """The picture as an RGB ``PIL.Image``. Raises OSError for a file that is no usable picture."""
        if self.path is not None:
            return read_picture(self.path).convert("RGB")
        assert not isinstance(self._source, Path) and not callable(self._source)
        return self._source.convert("RGB")

    def region(self, box: BBox) -> PageImage:
        """The part of the page in a box of 0..1: rendered anew as fine as it needs, else cut out of this picture.

        One that is little more than a line is widened.
        """
        box = clamp(box, (0.0, 0.0, 1.0, 1.0))
        wider, taller = (max(0.0, LEAST_SIDE_OF_A_PART - side) / 2 for side in (width(box), height(box)))
        if wider or taller:
            box = box[0] - wider, box[1] - taller, box[2] + wider, box[3] + taller
            box = clamp(box, (0.0, 0.0, 1.0, 1.0))
        if self._rendered is not None:
            return PageImage(self.page, partial(self._rendered, box))
        picture = self.load()
        x0, y0 = int(box[0] * picture.width), int(box[1] * picture.height)
        x1, y1 = int(box[2] * picture.width), int(box[3] * picture.height)
        return PageImage(self.page, picture.crop((x0, y0, max(x1, x0 + 1), max(y1, y0 + 1))))

    @cached_property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels; a file is not decoded for it."""
        return self.load().size if self.path is None else picture_size(self.path)

    @property
    def sha256(self) -> str:
        """Hash of the file's bytes, or of the picture as PNG."""
        if not self._sha256:
            self._sha256 = files.sha256_bytes(self._png) if self.path is None else files.sha256_file(self.path)
        return self._sha256

    @cached_property
    def _png(self) -> bytes:
        """A picture in memory as PNG."""
        return _encoded(self.load(), "PNG")

    def encoded(self, limit: int, size: tuple[int, int] | None = None) -> tuple[str, bytes]:
        """Media type and bytes: the PNG where that is within ``limit`` bytes, else a JPEG, halved until it is.

        A rendered page's file is given as it stands, and what is made of it (its JPEG, or the picture in another
        ``size``) is kept beside it: a page is encoded once.
        """
        if size is not None and size != self.size:
            return self._resized(size).encoded(limit)
        rendered = self.path if callable(self._source) else None
        if rendered is not None and rendered.suffix == ".png":
            if rendered.stat().st_size <= limit:
                return "image/png", files.read_bytes(rendered)
            kept = rendered.with_suffix(f".{limit}.jpg")
            if not kept.is_file():
                files.write_bytes(kept, _jpeg(self.load(), limit))
            return "image/jpeg", files.read_bytes(kept)
        png = self._png if self.path is None else _encoded(self.load(), "PNG")
        return ("image/png", png) if len(png) <= limit else ("image/jpeg", _jpeg(self.load(), limit))

    def _resized(self, size: tuple[int, int]) -> PageImage:
        """The picture in another size; that of a rendered page has a file beside the page's."""
        from PIL.Image import Resampling

        rendered = self.path if callable(self._source) else None
        if rendered is None:
            return PageImage(self.page, self.load().resize(size, Resampling.BICUBIC))
        kept = rendered.with_suffix(f".{size[0]}x{size[1]}.png")
        if not kept.is_file():
            files.write_bytes(kept, _encoded(self.load().resize(size, Resampling.BICUBIC), "PNG"))
        return PageImage(self.page, lambda: kept)


def _jpeg(picture: Image, limit: int) -> bytes:
    """The picture as JPEG, halved until that has at most ``limit`` bytes, or nothing is left to read on it."""
    while (
        len(data := _encoded(picture, "JPEG", quality=JPEG_QUALITY)) > limit
        and min(picture.size) >= SMALLEST_HALVED_SIDE
    ):
        picture = picture.resize((picture.width // 2, picture.height // 2))
    return data


def _encoded(picture: Image, kind: str, **options: int) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, kind, **options)
    return buffer.getvalue()


@dataclass(frozen=True)
class Block:
    """One part of a message. ``data`` by kind:

    - ``question``: ``{"question": str}``
    - ``page_text``: ``{"page": int, "page_label": str | None, "text": str, "nodes": [node data, ...]}``
    - ``node``: node data, see ``evidence.node_data``
    - ``table``: node data with ``rows`` and ``header_rows``
    - ``board``: ``{"cells": [cell, ...]}``; ``role``: ``{"role": str}``; ``history``: ``{"turns": [...]}``
    - ``instruction``: ``{"prompt_id": str}``; ``image``: ``{"page": int}``

    Data is JSON: it goes into journal keys.
    """

    kind: BlockKind
    text: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    image: PageImage | None = None


@dataclass(frozen=True)
class Message:
    """One turn."""

    blocks: tuple[Block, ...]
    role: Literal["system", "user", "assistant"] = "user"

    def first(self, kind: BlockKind) -> Block | None:
        """The first block of a kind."""
        return next((block for block in self.blocks if block.kind == kind), None)

    def of(self, *kinds: BlockKind) -> list[Block]:
        """Blocks of the given kinds in order."""
        return [block for block in self.blocks if block.kind in kinds]


def blocks_of(messages: Sequence[Message]) -> list[Block]:
    """All blocks of a prompt in order."""
    return [block for message in messages for block in message.blocks]


def pictures_of(messages: Sequence[Message]) -> list[PageImage]:
    """The pictures of a prompt in order."""
    return [block.image for block in blocks_of(messages) if block.image is not None]


def estimate_text_tokens(text: str) -> int:
    """A text's length without a tokenizer."""
    return -(-len(text) // CHARACTERS_OF_A_TOKEN)


def estimate_tokens(messages: Sequence[Message], pictures: PictureSize = QWEN3_VL) -> int:
    """A prompt's length without a tokenizer; ``pictures`` tells the tokens of each picture."""
    return sum(
        estimate_text_tokens(block.text)
        if block.image is None
        else TOKENS_AROUND_A_PICTURE + pictures.tokens(*block.image.size)
        for block in blocks_of(messages)
    )
