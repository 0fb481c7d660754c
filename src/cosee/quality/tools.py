"""The registry of quality measures: what each tells of, whether it needs a reference, and its score of 1..5."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cosee.artifacts.documents.picture_quality import Distortion, PictureQuality
from cosee.quality.comparison import MEASURES
from cosee.text import likeness

if TYPE_CHECKING:
    from PIL.Image import Image


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
        if not self.needs_reference:
            return None
        if subject.reference is None:
            return f"{self.name} compares with a reference image, and none was given"
        refusal = MEASURES[self.name].refusal(subject.image, subject.reference)
        return None if refusal is None else f"{self.name}: {refusal}"


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


def _compared(name: str, description: str, tells_of: frozenset[Distortion]) -> Tool:
    measure = MEASURES[name]

    def run(subject: Subject) -> Score:
        assert subject.reference is not None
        value = measure.compare(subject.image, subject.reference)
        return Score(value, measure.unit, measure.score(value))

    def missing() -> str | None:
        lacking = measure.missing()
        return None if lacking is None else f"{name} cannot run here: {lacking}"

    return Tool(name, description, tells_of, True, run, missing)


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
    _compared("PSNR", "peak signal-to-noise ratio", frozenset({"noise", "blocking", "blur"})),
    _compared("SSIM", "structural similarity", frozenset({"blur", "noise", "blocking", "low_contrast"})),
    _compared("NRMSE", "root mean squared error by the reference's contrast",
              frozenset({"noise", "blocking", "blur", "low_contrast", "darkness"})),
    _compared("NMI", "normalized mutual information, whatever the brightness", frozenset({"blur", "noise"})),
    _compared("MS-SSIM", "structural similarity over five scales", frozenset({"blur", "noise", "blocking"})),
    _compared("FSIM", "similarity of phase congruency and gradients", frozenset({"blur", "noise", "blocking"})),
    _compared("VSI", "similarity weighed by visual saliency", frozenset({"blur", "noise", "blocking", "colour_cast"})),
    _compared("HaarPSI", "similarity of Haar wavelets", frozenset({"blur", "noise", "blocking"})),
)  # fmt: skip
"""Every measure, the no-reference ones first. General knowledge: the distortions and measures of the literature on
image quality, with their units."""


def tool_names() -> list[str]:
    """Names of all tools."""
    return [tool.name for tool in TOOLS]


def find_tool(name: str) -> Tool | None:
    """The tool of a name, whatever its case and hyphens."""
    return next((tool for tool in TOOLS if _key(tool.name) == _key(name)), None)


def nearest(name: str) -> str:
    """The name of a tool that can run here, most like an unknown one."""
    names = [tool.name for tool in TOOLS if tool.missing() is None]
    return likeness.nearest(name, names)[0]


def applicable(subject: Subject, distortions: frozenset[Distortion]) -> list[Tool]:
    """Tools that can run on a subject and tell of one of the distortions; all that can run where none is given."""
    fitting = [tool for tool in TOOLS if tool.refusal(subject) is None]
    return [tool for tool in fitting if not distortions or not tool.tells_of or tool.tells_of & distortions]


def _key(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())
