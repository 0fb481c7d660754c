"""Documents that are published as page images, with the published OCR where there is one."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cosee.artifacts.datasets.imports import Problem
from cosee.datasets.image_pdf import BadImage, PageImage, checked_image, image_pdf
from cosee.datasets.invisible_text import Word
from cosee.datasets.placing import inside
from cosee.datasets.thresholds import LARGEST_PICTURE


@dataclass(frozen=True)
class PageFile:
    """One page: how to get its picture and, for a picture of (width, height) pixels, its published words."""

    where: str
    """What the source calls it."""
    read: Callable[[], bytes]
    """Raises BadImage where there is no picture."""
    words: Callable[[tuple[int, int]], Sequence[Word]] | None = None
    """Raises ValueError or OSError where the OCR cannot be read."""


@dataclass(frozen=True)
class PageSet:
    """The pages of one document in their order."""

    pages: Sequence[PageFile]

    def build(self, text_source: str | None, problems: list[Problem]) -> bytes | None:
        """The pages as a PDF; None where there is not one picture.

        A page whose picture cannot be used stays blank, so that the ones after it keep their numbers; it is told.
        """
        images = [_page(page, problems) for page in self.pages]
        if all(image.data is None for image in images):
            return None
        return image_pdf(images, text_source if any(image.words for image in images) else None)


def _page(page: PageFile, problems: list[Problem]) -> PageImage:
    from PIL import Image

    try:
        data = checked_image(page.read())
    except BadImage as error:
        message = f"{error}; a blank page stands for it"
        problems.append(Problem(kind="missing_page", where=page.where, message=message))
        return PageImage(None)
    if page.words is None:
        return PageImage(data)
    with Image.open(io.BytesIO(data)) as picture:
        size = picture.size
    try:
        return PageImage(data, page.words(size))
    except (ValueError, OSError) as error:
        message = f"no published OCR: {error}"
        problems.append(Problem(kind="missing_ocr", where=page.where, message=message))
        return PageImage(data)


def picture_file(folder: Path, path: Path) -> Callable[[], bytes]:
    """Reads the picture ``path``, which must be a file inside ``folder``, links followed."""

    def read() -> bytes:
        if not inside(folder, path):
            raise BadImage("no such picture")
        try:
            with path.open("rb") as file:
                return file.read(LARGEST_PICTURE + 1)
        except OSError as error:
            raise BadImage(error.strerror or type(error).__name__) from error

    return read
