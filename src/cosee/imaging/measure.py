"""No-reference statistics of a picture: blur, noise, blocking, contrast, brightness, colour cast, size of text, skew.

Every statistic is mapped to 1..5 by a straight ramp between two values (``RAMPS``): at or beyond the first it is
useless, at or beyond the second flawless, so that a score never rises as its statistic gets worse.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cosee.artifacts.documents.picture_quality import Distortion, PictureQuality
from cosee.imaging import ink, thresholds
from cosee.imaging.ink import Gray
from cosee.imaging.restore import median, stretched

if TYPE_CHECKING:
    from PIL.Image import Image

FINER_STEPS = 898
"""Sum of the finer half of the steps for brightness in Annex K of the JPEG standard, which are those of quality 50; the
coarser half ends at 255 for low qualities."""
BLOCK = 8
"""Pixels of a side of a JPEG block."""
MEDIAN_OF_NORMAL = 0.6745
"""Median distance from the mean of a normal distribution, in standard deviations."""
_LUMA = np.array((0.299, 0.587, 0.114), dtype=np.float32)


def measure_picture(image: Image, dpi: float | None = None, pixels: int = thresholds.MEASURED_PIXELS) -> PictureQuality:
    """The quality of a page's picture or of a figure, as it is: not yet turned, scaled or cleaned.

    ``dpi`` helps to tell letters from other marks; without it the most lines of text win. ``pixels`` bounds what is
    looked at, and so the time.
    """
    gray = np.asarray(image.convert("L"))
    colours = None if image.mode in ("1", "L", "I;16", "I", "F") else np.asarray(image.convert("RGB"))
    return measure_gray(gray, dpi, pixels=pixels, pitch=1.0, colours=colours)


def measure_colours(colours: NDArray[np.uint8], dpi: float, pixels: int) -> PictureQuality:
    """As ``measure_picture``, of the middle of a picture in RGB: at most ``pixels`` of it are made grey and looked at,
    so that a large one takes no longer."""
    high, wide = colours.shape[:2]
    share = min(1.0, (pixels / (high * wide)) ** 0.5)
    rows, columns = max(1, int(high * share)), max(1, int(wide * share))
    top, left = (high - rows) // 2, (wide - columns) // 2
    part = colours[top : top + rows, left : left + columns]
    gray = (part @ _LUMA).astype(np.uint8)
    return measure_gray(gray, dpi, pixels=pixels, colours=part)


def measure_gray(
    gray: Gray,
    dpi: float | None = None,
    *,
    pixels: int = thresholds.MEASURED_PIXELS,
    pitch: float | None = None,
    colours: NDArray[np.uint8] | None = None,
    coarseness: float | None = None,
) -> PictureQuality:
    """As ``measure_picture``, of grey values.

    ``pitch`` is how many pixels a pixel of the source has become, where it is known: it tells the grid of JPEG blocks,
    and that noise is to be looked for in coarser detail, since scaling has smoothed the finest. ``coarseness`` is what
    ``jpeg_coarseness`` says of the source: it tells of compression whose blocks fall together with white paper.
    """
    bands = _bands(gray, pixels)
    paper, ink_level = _levels(bands)
    contrast = paper - ink_level
    noise = _noise(bands, coarser=pitch is not None and abs(pitch - 1) > thresholds.SCALED)
    seen = _text(gray, dpi, paper, contrast, noise)
    edge = _edge_width(bands, contrast)
    height = seen.height if seen.letters >= thresholds.MIN_LETTERS else None
    quality = PictureQuality(
        score=5.0,
        edge_width=None if edge is None else round(edge, 2),
        noise=round(noise, 2),
        blockiness=None if pitch is None else round(_blockiness(gray, pixels, BLOCK * pitch, seen), 3),
        contrast=round(contrast, 1),
        brightness=round(paper, 1),
        colour_cast=None if colours is None else round(_colour_cast(colours), 1),
        x_height=None if height is None else round(height, 1),
        letters=seen.letters,
        skew=seen.skew if height is not None else 0.0,
    )
    return scored(quality, coarseness)


def jpeg_coarseness(data: bytes) -> float | None:
    """How coarsely a JPEG keeps brightness, by its table of steps: 1 at quality 50 of libjpeg's scale, 5 at 10, 10 at
    5; None for anything else."""
    import PIL.Image

    try:
        with PIL.Image.open(io.BytesIO(data), formats=("JPEG",)) as picture:
            steps: list[int] = getattr(picture, "quantization", {})[0]
    except Exception:  # whatever a decoder raises on foreign bytes means that nothing is known
        return None
    return sum(sorted(steps)[:32]) / FINER_STEPS


def scored(quality: PictureQuality, coarseness: float | None = None) -> PictureQuality:
    """The same statistics with the scores and faults that they amount to."""
    edge = quality.edge_width
    values: dict[Distortion, float | None] = {
        "blur": None if edge is None else edge / (quality.x_height or thresholds.PLAIN_EDGE),
        "noise": quality.noise,
        "blocking": quality.blockiness,
        "low_contrast": quality.contrast,
        "darkness": quality.brightness,
        "colour_cast": quality.colour_cast,
        "small_text": quality.x_height,
        "skew": abs(quality.skew),
    }
    scores = {name: score_of(name, value) for name, value in values.items() if value is not None}
    if coarseness is not None:
        scores["blocking"] = min(scores.get("blocking", 5.0), _ramp(coarseness, *thresholds.COARSENESS_RAMP))
    losses = [thresholds.WEIGHTS.get(name, 1.0) * (5.0 - score) for name, score in scores.items()]
    total = max(1.0, 5.0 - float(np.sqrt(sum(loss**2 for loss in losses))))
    faults = sorted((name for name, score in scores.items() if score < thresholds.FAULT), key=lambda name: scores[name])
    return quality.model_copy(update={"score": round(total, 2), "scores": scores, "faults": faults})


def score_of(name: Distortion, value: float) -> float:
    """1..5 for the value of a statistic; monotone, 5 is flawless."""
    return _ramp(value, *thresholds.RAMPS[name])


def _ramp(value: float, worst: float, best: float) -> float:
    share = (value - worst) / (best - worst)
    return round(1.0 + 4.0 * min(1.0, max(0.0, share)), 2)


def _bands(gray: Gray, pixels: int) -> list[NDArray[np.float32]]:
    """Strips from top to bottom, of the whole width where that leaves a few, that hold about ``pixels``."""
    high, wide = gray.shape
    if high * wide <= pixels:
        return [gray.astype(np.float32)]
    strip_height = thresholds.STRIP_HEIGHT
    columns = min(wide, pixels // (strip_height * thresholds.FEWEST_STRIPS))
    left = (wide - columns) // 2 // BLOCK * BLOCK
    count = max(thresholds.FEWEST_STRIPS, pixels // (strip_height * columns))
    starts = np.linspace(0, max(0, high - strip_height), count).astype(int) // BLOCK * BLOCK
    strips = [gray[start : start + strip_height, left : left + columns] for start in dict.fromkeys(starts)]
    return [strip.astype(np.float32) for strip in strips]


def _levels(bands: list[NDArray[np.float32]]) -> tuple[float, float]:
    """Grey levels of paper and ink; squares of four pixels are averaged first, which takes most noise away."""
    values = np.concatenate([_halved(band).ravel() for band in bands])
    ink_level, paper = np.percentile(values, (thresholds.INK_PERCENTILE, thresholds.PAPER_PERCENTILE))
    return float(paper), float(ink_level)


def _halved(band: NDArray[np.float32]) -> NDArray[np.float32]:
    high, wide = band.shape[0] // 2 * 2, band.shape[1] // 2 * 2
    if not high or not wide:
        return band
    part = band[:high, :wide]
    halved = (part[::2, ::2] + part[::2, 1::2] + part[1::2, ::2] + part[1::2, 1::2]) / 4
    return np.asarray(halved, dtype=np.float32)


def _noise(bands: list[NDArray[np.float32]], *, coarser: bool) -> float:
    """Standard deviation of noise: the median of the finest diagonal detail (Donoho and Johnstone 1994), and the power
    of single pixels that differ from all around them (dust, salt and pepper)."""
    fine = _diagonal(bands)
    if coarser:
        fine = max(fine, 2 * _diagonal([_halved(band) for band in bands]))
    lonely = sum(_speckle_power(band) for band in bands) / max(1, sum(band.size for band in bands))
    return float(np.sqrt(fine**2 + lonely))


def _diagonal(bands: list[NDArray[np.float32]]) -> float:
    details = []
    for band in bands:
        part = band[: band.shape[0] // 2 * 2, : band.shape[1] // 2 * 2]
        details.append(((part[::2, ::2] - part[::2, 1::2] - part[1::2, ::2] + part[1::2, 1::2]) / 2).ravel())
    values = np.abs(np.concatenate(details))
    return float(np.median(values)) / MEDIAN_OF_NORMAL if values.size else 0.0


def _speckle_power(band: NDArray[np.float32]) -> float:
    """Sum of squares of the steps at pixels that are lighter, or darker, than their eight neighbours by far."""
    if min(band.shape) < 3:
        return 0.0
    middle = band[1:-1, 1:-1]
    high, wide = band.shape
    around = [
        band[y : high - 2 + y, x : wide - 2 + x] for y in range(3) for x in range(3) if (y, x) != (1, 1)
    ]  # fmt: skip
    above = middle - np.maximum.reduce(around)
    below = np.minimum.reduce(around) - middle
    step = np.maximum(above, below)
    return float((step[step > thresholds.LONELY_STEP] ** 2).sum())


def _edge_width(bands: list[NDArray[np.float32]], contrast: float) -> float | None:
    """Median, over strong edges from side to side, of the step by the steepest slope; None with few edges.

    A Gaussian blur of sigma pixels gives 2.5 sigma (its edge is an error function). Edges that are too wide for the
    pixels that are looked at around each are measured in the picture at half its size.
    """
    width = _edge_width_near(bands, contrast)
    if width is None or width < thresholds.WIDE_EDGE or min(bands[0].shape) < thresholds.STRIP_HEIGHT // 2:
        return width
    coarser = _edge_width([_halved(band) for band in bands], contrast)
    return width if coarser is None else max(width, 2 * coarser)


def _edge_width_near(bands: list[NDArray[np.float32]], contrast: float) -> float | None:
    from scipy import ndimage

    widths = []
    span = 2 * thresholds.EDGE_REACH + 1
    for band in bands:
        rows = ndimage.uniform_filter1d(band, 3, axis=0, mode="nearest")[1::3]
        if rows.shape[1] <= span:
            continue
        slope = np.abs(np.diff(rows, axis=1))
        steepest = slope == ndimage.maximum_filter1d(slope, span, axis=1, mode="nearest")
        top = ndimage.maximum_filter1d(rows, span + 1, axis=1, mode="nearest", origin=-1)
        bottom = ndimage.minimum_filter1d(rows, span + 1, axis=1, mode="nearest", origin=-1)
        step = (top - bottom)[:, :-1]
        edges = steepest & (step > max(thresholds.MIN_EDGE_STEP, thresholds.MIN_EDGE_CONTRAST * contrast)) & (slope > 1)
        widths.append(step[edges] / slope[edges])
    found = np.concatenate(widths) if widths else np.zeros(0)
    return float(np.median(found)) if len(found) >= thresholds.MIN_EDGES else None


def _blockiness(gray: Gray, pixels: int, block: float, seen: ink.TextLook) -> float:
    """How much larger small steps are on the grid of blocks than elsewhere, along lines of text: across them, the lines
    may be as regular as blocks are. Without text, in the direction that shows it least."""
    across, down = (_grid_share(_bands(side, pixels // 2), block) for side in (gray, gray.T))
    return min(across, down) if seen.letters < thresholds.MIN_LETTERS else across if seen.upright else down


def _grid_share(bands: list[NDArray[np.float32]], block: float) -> float:
    """In the median column: that leaves rules and frames out, which are in few. The grid's phase is unknown."""
    from scipy import ndimage

    wide = min(band.shape[1] for band in bands) - 1
    if wide < BLOCK * thresholds.MIN_PROFILE_COLUMNS:
        return 0.0
    profile = np.zeros(max(0, wide))
    for band in bands:
        profile += np.minimum(np.abs(np.diff(band, axis=1)), thresholds.MAX_PROFILE_STEP).sum(axis=0)[:wide]
    profile /= max(1, sum(band.shape[0] for band in bands))
    phases = (np.arange(wide) % block * BLOCK / block).astype(int)
    live = ndimage.maximum_filter1d(profile, 2 * round(block) + 1) > thresholds.MIN_PROFILE_STEP
    columns = [profile[live & (phases == phase)] for phase in range(BLOCK)]
    if min(map(len, columns)) < thresholds.MIN_PROFILE_COLUMNS:
        return 0.0
    steps = np.array([np.median(column) for column in columns])
    most = int(np.argmax(steps))
    # Strokes of regular letters are in several phases, the edges of blocks in one or two beside each other.
    others = np.delete(steps, [(most - 1) % BLOCK, most, (most + 1) % BLOCK])
    return max(0.0, float(steps[most] / (others.max() + thresholds.FLAT_STEP)) - 1.0)


def _colour_cast(colours: NDArray[np.uint8]) -> float:
    """By how much the channels differ in the lightest tenth of the pixels, which should be white."""
    step = max(1, int(np.sqrt(colours.shape[0] * colours.shape[1] / thresholds.COLOUR_SAMPLES)))
    some = colours[::step, ::step].reshape(-1, 3).astype(np.float32)
    brightness = some.mean(axis=1)
    lightest = some[brightness >= np.percentile(brightness, thresholds.LIGHT_PERCENTILE)]
    means = np.median(lightest, axis=0)
    return float(means.max() - means.min())


def _text(gray: Gray, dpi: float | None, paper: float, contrast: float, noise: float) -> ink.TextLook:
    """Letters as they stand, their height in pixels of ``gray``; what hides them is lessened before they are looked at:
    noise is smoothed, a pale picture stretched."""
    if noise > thresholds.NOISY:
        gray = median(gray)
    if thresholds.PALE < contrast < thresholds.CLEAR:
        gray = stretched(gray, paper - contrast, paper)
    if dpi is not None:
        return ink.look_at(gray, dpi, thresholds.LETTER_DPI)
    page = max(gray.shape) / thresholds.PAGE_INCHES
    looks = (ink.look_at(gray, page * times, thresholds.LETTER_DPI) for times in (1, 2, 4))
    return max(looks, key=lambda seen: seen.letters)
