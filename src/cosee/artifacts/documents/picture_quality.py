"""How well a picture can be seen and read, measured without a reference."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.artifacts.base import Record

Distortion = Literal["blur", "noise", "blocking", "low_contrast", "darkness", "colour_cast", "small_text", "skew"]
"""What can be wrong with a picture."""


class PictureQuality(Record):
    """Measured statistics of a picture and what they are worth: 5 is flawless, 1 is useless.

    Pixels are those of the picture that was measured, grey levels are 0..255.
    """

    score: float = Field(ge=1, le=5)
    """All ``scores`` in one; a grave fault is not made up for by the rest."""
    faults: list[Distortion] = Field(default_factory=list)
    """What is wrong enough to be seen, the worst first."""
    scores: dict[Distortion, float] = Field(default_factory=dict)
    """By distortion, 1..5; what cannot be measured (the blur of an empty page) is absent."""
    edge_width: float | None = None
    """Median width of edges in pixels: 1 for a step."""
    noise: float = 0.0
    """Standard deviation of the noise in grey levels."""
    blockiness: float | None = None
    """By how much steps on the grid of JPEG blocks exceed the others, as a share; None where no grid is known."""
    contrast: float = 0.0
    """Grey levels from ink to paper."""
    brightness: float = 255.0
    """Grey level of the paper, or of the lighter parts of a photograph."""
    colour_cast: float | None = None
    """Grey levels by which the colours of the lightest parts differ; None for a grey picture."""
    x_height: float | None = None
    """Height of small letters in pixels; None without text."""
    letters: int = 0
    """Marks that stand in lines as letters do."""
    skew: float = 0.0
    """Degrees by which lines of text fall to the right."""
    restored: list[str] = Field(default_factory=list)
    """What was done to the picture before it was read, in order: ``rendered_at_300_dpi``, ``stretched``,
    ``denoised``, ``straightened`` ..."""
