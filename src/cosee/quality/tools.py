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


def _measured(name: str, statistic: Distortion, field: str, unit: str) -> Tool:
    """A tool that gives a field of the measured quality, with the score of its statistic."""

    def run(subject: Subject) -> Score:
        value, score = getattr(subject.quality, field), subject.quality.scores.get(statistic)
        if value is None or score is None:
            raise ToolError(f"{statistic} cannot be measured on this image: it shows too little")
        return Score(value, unit, score)

    return Tool(name, frozenset({statistic}), False, run)


def _overall(subject: Subject) -> Score:
    return Score(subject.quality.score, "of 5", subject.quality.score)


def _compared(name: str, *tells_of: Distortion) -> Tool:
    """A tool that compares with the reference."""
    measure = MEASURES[name]

    def run(subject: Subject) -> Score:
        assert subject.reference is not None
        value = measure.compare(subject.image, subject.reference)
        return Score(value, measure.unit, measure.score(value))

    def missing() -> str | None:
        lacking = measure.missing()
        return None if lacking is None else f"{name} cannot run here: {lacking}"

    return Tool(name, frozenset(tells_of), True, run, missing)


TOOLS: tuple[Tool, ...] = (
    Tool("Overall", frozenset(), False, _overall),
    _measured("EdgeWidth", "blur", "edge_width", "pixels"),
    _measured("NoiseSigma", "noise", "noise", "grey levels"),
    _measured("Blockiness", "blocking", "blockiness", "share"),
    _measured("InkContrast", "low_contrast", "contrast", "grey levels"),
    _measured("PaperLevel", "darkness", "brightness", "grey levels"),
    _measured("ColourCast", "colour_cast", "colour_cast", "grey levels"),
    _measured("XHeight", "small_text", "x_height", "pixels"),
    _measured("SkewAngle", "skew", "skew", "degrees"),
    _compared("PSNR", "noise", "blocking", "blur"),
    _compared("SSIM", "blur", "noise", "blocking", "low_contrast"),
    _compared("NRMSE", "noise", "blocking", "blur", "low_contrast", "darkness"),
    _compared("NMI", "blur", "noise"),
    _compared("MS-SSIM", "blur", "noise", "blocking"),
    _compared("FSIM", "blur", "noise", "blocking"),
    _compared("VSI", "blur", "noise", "blocking", "colour_cast"),
    _compared("HaarPSI", "blur", "noise", "blocking"),
)
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
