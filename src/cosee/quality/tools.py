"""The registry of quality measures: what each tells of, whether it needs a reference, and its score of 1..5."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from cosee.artifacts.picture_quality import Distortion, PictureQuality

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_SIDE = 2048
"""Pixels; larger images are made smaller before they are compared with a reference."""


class ToolError(RuntimeError):
    """A tool that cannot run here or on this image; the message says why and what to do."""


@dataclass(frozen=True)
class Subject:
    """What tools are run on: an image with its measured quality, and its reference where there is one."""

    image: Image
    quality: PictureQuality
    reference: Image | None = None


@dataclass(frozen=True)
class Score:
    """``value`` in the tool's own unit, ``score`` in 1..5 (5 is best)."""

    value: float
    unit: str
    score: float


@dataclass(frozen=True)
class Tool:
    """A measure. ``tells_of`` are the distortions that it reacts to; empty for all of them."""

    name: str
    description: str
    tells_of: frozenset[Distortion]
    needs_reference: bool
    run: Callable[[Subject], Score]
    missing: Callable[[], str | None] = lambda: None
    """Why it cannot run in this installation, None where it can."""

    def refusal(self, subject: Subject) -> str | None:
        """Why it cannot be applied to a subject, None where it can."""
        lacking = self.missing()
        if lacking is not None:
            return lacking
        if self.needs_reference and subject.reference is None:
            return f"{self.name} compares with a reference image, and none was given"
        return None


def _measured(
    name: Distortion, value: Callable[[PictureQuality], float | None], unit: str
) -> Callable[[Subject], Score]:
    def run(subject: Subject) -> Score:
        found, score = value(subject.quality), subject.quality.scores.get(name)
        if found is None or score is None:
            raise ToolError(f"{name} cannot be measured on this image: it shows too little")
        return Score(found, unit, score)

    return run


def _overall(subject: Subject) -> Score:
    return Score(subject.quality.score, "of 5", subject.quality.score)


def _pair(subject: Subject) -> tuple[Any, Any]:
    """Grey values of image and reference at one size, the smaller of both, at most ``MAX_SIDE``."""
    import numpy as np
    from PIL import Image

    assert subject.reference is not None
    first, second = subject.image.convert("L"), subject.reference.convert("L")
    if abs(first.width * second.height - second.width * first.height) > 0.05 * first.width * second.height:
        raise ToolError(f"the reference has other proportions: {second.size} for an image of {first.size}")
    width, height = min(first.size, second.size)
    scale = min(1.0, MAX_SIDE / max(width, height))
    size = max(8, round(width * scale)), max(8, round(height * scale))
    return tuple(np.asarray(each.resize(size, Image.Resampling.LANCZOS)) for each in (first, second))  # type: ignore[return-value]


def _psnr(subject: Subject) -> Score:
    from skimage.metrics import peak_signal_noise_ratio

    image, reference = _pair(subject)
    if (image == reference).all():
        return Score(100.0, "dB", 5.0)
    value = float(peak_signal_noise_ratio(reference, image, data_range=255))
    return Score(value, "dB", ramp(value, 15.0, 40.0))


def _ssim(subject: Subject) -> Score:
    from skimage.metrics import structural_similarity

    image, reference = _pair(subject)
    if min(image.shape) < 7:
        raise ToolError("SSIM needs at least 7 pixels in each direction")
    value = float(structural_similarity(reference, image, data_range=255))
    return Score(value, "", ramp(value, 0.4, 0.98))


def ramp(value: float, worst: float, best: float) -> float:
    """1..5 on a straight line between two values."""
    return round(1.0 + 4.0 * min(1.0, max(0.0, (value - worst) / (best - worst))), 2)


def _no_skimage() -> str | None:
    return None if find_spec("skimage") else "scikit-image is not installed: pip install 'cosee[quality]'"


TOOLS: tuple[Tool, ...] = (
    Tool("Overall", "all measured statistics in one", frozenset(), False, _overall),
    Tool("EdgeWidth", "median width of edges", frozenset({"blur"}), False,
         _measured("blur", lambda q: q.edge_width, "pixels")),
    Tool("NoiseSigma", "standard deviation of the noise", frozenset({"noise"}), False,
         _measured("noise", lambda q: q.noise, "grey levels")),
    Tool("Blockiness", "steps on the grid of JPEG blocks", frozenset({"blocking"}), False,
         _measured("blocking", lambda q: q.blockiness, "share")),
    Tool("InkContrast", "grey levels from ink to paper", frozenset({"low_contrast"}), False,
         _measured("low_contrast", lambda q: q.contrast, "grey levels")),
    Tool("PaperLevel", "brightness of the paper or the lighter parts", frozenset({"darkness"}), False,
         _measured("darkness", lambda q: q.brightness, "grey levels")),
    Tool("ColourCast", "colour of what should be white", frozenset({"colour_cast"}), False,
         _measured("colour_cast", lambda q: q.colour_cast, "grey levels")),
    Tool("XHeight", "height of small letters", frozenset({"small_text"}), False,
         _measured("small_text", lambda q: q.x_height, "pixels")),
    Tool("SkewAngle", "slant of lines of text", frozenset({"skew"}), False,
         _measured("skew", lambda q: q.skew, "degrees")),
    Tool("PSNR", "peak signal-to-noise ratio", frozenset({"noise", "blocking", "blur"}), True, _psnr, _no_skimage),
    Tool("SSIM", "structural similarity", frozenset({"blur", "noise", "blocking", "low_contrast"}), True, _ssim,
         _no_skimage),
)  # fmt: skip
"""Every measure, the no-reference ones first."""


def tool_names() -> list[str]:
    """Names of all tools."""
    return [tool.name for tool in TOOLS]


def find_tool(name: str) -> Tool | None:
    """The tool of a name, whatever its case and hyphens."""
    return next((tool for tool in TOOLS if _key(tool.name) == _key(name)), None)


def nearest(name: str) -> str:
    """The name in the registry that is most like an unknown one."""
    return difflib.get_close_matches(name, tool_names(), n=1, cutoff=0.0)[0]


def applicable(subject: Subject, distortions: frozenset[Distortion]) -> list[Tool]:
    """Tools that can run on a subject and tell of one of the distortions; all that can run where none is given."""
    fitting = [tool for tool in TOOLS if tool.refusal(subject) is None]
    return [tool for tool in fitting if not distortions or not tool.tells_of or tool.tells_of & distortions]


def _key(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())
