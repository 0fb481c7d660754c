"""Pages and regions of a PDF as PNG, with bounded pixels and a content-addressed cache."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache as remember
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cosee.artifacts import files
from cosee.artifacts.base import BBox
from cosee.artifacts.files import DiskFailure
from cosee.imaging import thresholds
from cosee.imaging.drawing import RenderError as RenderError
from cosee.imaging.drawing import draw
from cosee.imaging.pdf_faults import pdf_faults
from cosee.imaging.pdf_file import open_pdf
from cosee.imaging.photographic import is_photographic
from cosee.imaging.png import rgb_png

if TYPE_CHECKING:
    from cosee.artifacts.documents.picture_quality import PictureQuality
    from cosee.imaging.ink import Gray

DISK_FAILED = 3
"""Exit status of a child that could not write."""
RENDERING = 1
"""Raised when this module draws the same page otherwise: pictures in a cache are then drawn anew."""
_FULL: BBox = (0.0, 0.0, 1.0, 1.0)


def render_page(pdf: Path, page: int, dpi: int, cache: Path) -> Path:
    """The page (1-based) as a PNG at ``cached_page``; rendered when it is not there yet.

    Raises:
        RenderError: the file cannot be opened or has no such page.
    """
    target = cached_page(pdf, page, dpi, cache)
    if not target.is_file():
        files.write_bytes(target, render_region(pdf, page, _FULL, dpi))
    return target


def cached_page(pdf: Path, page: int, dpi: int, cache: Path, suffix: str = "png") -> Path:
    """Where a page's picture is kept: ``<cache>/<sha256 of the pdf>/<renderer>-<dpi>/<page>.<suffix>``."""
    status = pdf.stat()
    folder = f"{_renderer(suffix)}-{dpi}"
    return cache / _sha256(str(pdf), status.st_size, status.st_mtime_ns) / folder / f"{page}.{suffix}"


@remember
def _renderer(suffix: str) -> str:
    """What draws the pictures: another version may draw other pixels, so it has a folder of its own."""
    encoder = "" if suffix == "png" else f"-pillow{version('pillow')}"
    return f"pymupdf{version('pymupdf')}-{RENDERING}{encoder}"


@lru_cache(maxsize=512)
def _sha256(path: str, _size: int, _mtime_ns: int) -> str:
    return files.sha256_file(Path(path))


def render_part(pdf: Path, page: int, bbox: BBox, cache: Path) -> Path:
    """The part of a page (1-based) in a box of 0..1 as a PNG at ``cached_part``, drawn at its ``part_dpi``.

    Raises:
        RenderError: as ``render_page``.
    """
    target = cached_part(pdf, page, bbox, cache)
    if not target.is_file():
        files.write_bytes(target, render_region(pdf, page, bbox, part_dpi(pdf, page, bbox)))
    return target


def cached_part(pdf: Path, page: int, bbox: BBox, cache: Path) -> Path:
    """Where the picture of a part of a page is kept; boxes are told apart to a ten-thousandth of the page."""
    place = cached_page(pdf, page, 0, cache)
    box = "-".join(f"{round(edge * 10_000)}" for edge in bbox)
    return place.with_name(f"{page}.{box}.png")


def part_dpi(pdf: Path, page: int, bbox: BBox) -> int:
    """The resolution that gives a part ``PART_PIXELS``, within bounds: the smaller it is, the finer."""
    with _page(pdf, page) as loaded:
        zoom = _zoom(_points(loaded, bbox), thresholds.FINEST_PART_DPI, thresholds.PART_PIXELS)
    return max(thresholds.COARSEST_PART_DPI, int(72 * zoom))


def render_region(
    pdf: Path, page: int, bbox: BBox, dpi: int, max_pixels: int = thresholds.MAX_RENDERED_PIXELS
) -> bytes:
    """PNG bytes of a region: ``page`` 1-based, ``bbox`` in 0..1 of the page as seen. Raises RenderError."""
    with _page(pdf, page) as loaded:
        return _png(_region_pixmap(loaded, _points(loaded, bbox), dpi, max_pixels))


@contextmanager
def _page(pdf: Path, page: int) -> Iterator[Any]:
    """A page (1-based) of a file; whatever fails with it is a RenderError."""
    faults: tuple[type[Exception], ...] = (OSError, *pdf_faults())
    try:
        with open_pdf(pdf) as document:
            if not 1 <= page <= document.page_count:
                raise RenderError(f"{pdf}: has no page {page} (it has {document.page_count})")
            yield document[page - 1]
    except faults as error:
        if isinstance(error, RenderError):
            raise
        raise RenderError(f"{pdf}, page {page}: cannot be rendered ({error})") from error


def _points(page: Any, bbox: BBox) -> BBox:
    """A box of 0..1 of an open page in its points."""
    width, height = page.rect.width, page.rect.height
    return bbox[0] * width, bbox[1] * height, bbox[2] * width, bbox[3] * height


def _region_pixmap(
    page: Any, points: BBox, dpi: int, max_pixels: int, *, room: float = thresholds.BORDER_ROOM, colorspace: Any = None
) -> Any:
    """A region of an open ``pymupdf.Page``; ``room`` at its right and foot keeps what ends on a pixel's edge."""
    import pymupdf

    zoom = _zoom(points, dpi, max_pixels)
    clip = pymupdf.Rect(points) + (0, 0, room, room)
    space = colorspace or pymupdf.csRGB
    pixmap = draw(page, matrix=pymupdf.Matrix(zoom, zoom), clip=clip, alpha=False, colorspace=space)
    if pixmap.width < 1 or pixmap.height < 1:
        raise RenderError(f"page {page.number + 1}: the region {points} is empty")
    return pixmap


def _zoom(points: BBox, dpi: int, max_pixels: int) -> float:
    area = max(points[2] - points[0], 1.0) * max(points[3] - points[1], 1.0)
    return min(dpi / 72, float((max_pixels / area) ** 0.5))


def gray_region(page: Any, points: BBox, dpi: int) -> tuple[Gray, int]:
    """Grey values of a region of an open ``pymupdf.Page`` and their resolution; ``points`` of the page as seen."""
    import pymupdf

    from cosee.imaging.ink import gray_of

    pixmap = _region_pixmap(page, points, dpi, thresholds.MAX_RENDERED_PIXELS, room=0.0, colorspace=pymupdf.csGRAY)
    return gray_of(pixmap), max(1, round(72 * _zoom(points, dpi, thresholds.MAX_RENDERED_PIXELS)))


def image_stream(page: Any, pixels: int) -> bytes:
    """The file inside an open page's PDF of its bitmap of so many pixels, where it is a JPEG; empty for any other."""
    try:
        for xref, _, width, height, *_, coding, _ in page.get_images(full=True):
            if width * height == pixels and coding == "DCTDecode":
                return bytes(page.parent.xref_stream_raw(xref) or b"")
    except pdf_faults():
        return b""
    return b""


def _png(pixmap: Any) -> bytes:
    """PNG bytes of a pixmap without alpha."""
    if pixmap.n != 3 or pixmap.stride != 3 * pixmap.width:
        return bytes(pixmap.tobytes("png"))
    return rgb_png(pixmap.samples_mv, pixmap.width, pixmap.height)


class RegionRenderer:
    """PNG crops of one open ``pymupdf.Page``; for ``expected`` of three or more the page is painted only once.

    ``photographic`` tells of the last crop whether it is a photograph, ``quality`` how well it can be seen.
    """

    def __init__(self, page: Any, dpi: int, max_pixels: int, expected: int) -> None:
        self._page, self._dpi, self._max_pixels = page, dpi, max_pixels
        self._whole = expected >= thresholds.CROPS_FROM_WHOLE_PAGE
        self._pixmap: Any = None
        self.photographic = False
        self._last: Any = None

    def png(self, points: BBox) -> bytes:
        """The region as PNG, ``points`` in points of the page as seen. Raises RenderError for an empty region."""
        crop = self._last = self._crop(points)
        self.photographic = crop.n == 3 and is_photographic(crop.samples_mv, crop.width, crop.height, crop.stride)
        return _png(crop)

    def uncut(self, points: BBox, most: float) -> BBox:
        """The region grown up and down to the next row without ink, by ``most`` points at most; a side without such a
        row stays. Raises RenderError for an empty region."""
        import numpy as np

        x0, y0, x1, y1 = points
        top, bottom = max(0.0, y0 - most), min(float(self._page.rect.height), y1 + most)
        crop = self._crop((x0, top, x1, bottom))
        rows = np.frombuffer(crop.samples_mv, dtype=np.uint8).reshape(crop.height, crop.stride)[
            :, : crop.n * crop.width
        ]
        blank = np.flatnonzero(np.ptp(rows, axis=1) < thresholds.BLANK_ROW)
        scale = crop.height / (bottom - top)
        above, below = blank[blank <= (y0 - top) * scale], blank[blank >= (y1 - top) * scale]
        y0 = top + (float(above[-1]) + 0.5) / scale if len(above) else y0
        return x0, y0, x1, top + (float(below[0]) + 0.5) / scale if len(below) else y1

    def quality(self) -> PictureQuality | None:
        """Of the last crop; None for one too small to say, and before the first."""
        crop = self._last
        if crop is None or crop.n != 3 or min(crop.width, crop.height) < thresholds.MIN_MEASURED_SIDE:
            return None
        import numpy as np

        from cosee.imaging.measure import measure_colours

        rows = np.frombuffer(crop.samples_mv, dtype=np.uint8).reshape(crop.height, crop.stride)
        colours = rows[:, : 3 * crop.width].reshape(crop.height, crop.width, 3)
        return measure_colours(colours, self._dpi, thresholds.FIGURE_PIXELS)

    def _crop(self, points: BBox) -> Any:
        if not self._whole:
            return _region_pixmap(self._page, points, self._dpi, self._max_pixels)
        import pymupdf

        zoom = _zoom(self._page.rect, self._dpi, thresholds.MAX_RENDERED_PIXELS)
        if self._pixmap is None:
            self._pixmap = draw(self._page, matrix=pymupdf.Matrix(zoom, zoom), alpha=False)
        part = (pymupdf.Rect(points) * zoom).irect & self._pixmap.irect
        if part.is_empty:
            raise RenderError(f"page {self._page.number + 1}: the region {points} is empty")
        crop = pymupdf.Pixmap(self._pixmap.colorspace, part, False)
        crop.copy(self._pixmap, part)
        if crop.width * crop.height > self._max_pixels:
            return _region_pixmap(self._page, points, self._dpi, self._max_pixels)
        return crop


def render_page_isolated(
    pdf: Path, page: int, dpi: int, cache: Path, timeout: float = thresholds.SECONDS_A_RENDERING
) -> Path:
    """``render_page`` in a child process with limits on time and memory, for files that nobody vouches for.

    Raises:
        RenderError: the child failed, ran out of memory or out of time.
    """
    target = cached_page(pdf, page, dpi, cache)
    if target.is_file():
        return target
    reason = _render_in_child(pdf, [page], dpi, cache, timeout)
    if not target.is_file():
        raise RenderError(f"{pdf}, page {page}: {reason}")
    return target


def render_pages_isolated(
    pdf: Path, pages: Sequence[int], dpi: int, cache: Path, timeout: float = thresholds.SECONDS_A_RENDERING
) -> dict[int, Path | RenderError]:
    """Each page as ``render_page_isolated`` gives it, or its error; one child process for all that go well.

    Pages that this child left, since one of them ended it or time ran out, are tried again each by itself.
    """
    missing = [page for page in pages if not cached_page(pdf, page, dpi, cache).is_file()]
    if len(missing) > 1:
        _render_in_child(pdf, missing, dpi, cache, timeout)
    found: dict[int, Path | RenderError] = {}
    for page in pages:
        try:
            found[page] = render_page_isolated(pdf, page, dpi, cache, timeout)
        except RenderError as error:
            found[page] = error
    return found


def _render_in_child(pdf: Path, pages: Sequence[int], dpi: int, cache: Path, timeout: float) -> str:
    """Render pages in one child; what went wrong, in words. Raises DiskFailure where the child could not write."""
    numbers = [str(page) for page in pages]
    command = [sys.executable, "-m", "cosee.imaging.render", str(pdf), str(dpi), str(cache), *numbers]
    try:
        child = subprocess.run(command, capture_output=True, timeout=timeout, check=False)
        if child.returncode == -signal.SIGKILL:  # by the system, out of memory, or by a person: not the file's fault
            child = subprocess.run(command, capture_output=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return f"rendering took more than {timeout:g} s"
    lines = child.stderr.decode("utf-8", "replace").strip().splitlines()
    if lines and child.returncode == DISK_FAILED:
        raise DiskFailure(lines[-1])
    return f"rendering failed ({lines[-1] if lines else f'exit status {child.returncode}'})"


def _child(arguments: list[str]) -> int:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (thresholds.MEMORY_LIMIT, thresholds.MEMORY_LIMIT))
    pdf, dpi, cache, *pages = arguments
    try:
        for page in pages:
            render_page(Path(pdf), int(page), int(dpi), Path(cache))
    except (RenderError, MemoryError, DiskFailure) as error:
        sys.stderr.write(f"{str(error) or 'out of memory'}\n")
        return DISK_FAILED if isinstance(error, DiskFailure) else 1
    return 0


if __name__ == "__main__":
    raise SystemExit(_child(sys.argv[1:]))
