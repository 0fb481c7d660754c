"""Whether a picture is a photograph: many shades, none of them the ground of most of it."""

from __future__ import annotations

from typing import Any

SAMPLES = 64
"""Pixels looked at along each side, evenly spaced."""
SHADES = 64
MIN_ENTROPY = 4.6
"""Bits of the histogram of brightness; drawings and screenshots of few tones have under three."""
MAX_GROUND = 0.25
"""Largest share of the most frequent shade; charts, screenshots and drawings stand on one ground."""


def is_photographic(samples: Any, width: int, height: int, stride: int) -> bool:
    """For RGB bytes with ``stride`` bytes a row."""
    import numpy as np

    if width < 16 or height < 16:
        return False
    rows = np.frombuffer(samples, dtype=np.uint8)[: stride * height].reshape(height, stride)
    pixels = rows[:, : 3 * width].reshape(height, width, 3)
    down = np.linspace(0, height - 1, min(SAMPLES, height)).astype(int)
    across = np.linspace(0, width - 1, min(SAMPLES, width)).astype(int)
    brightness = pixels[down][:, across].mean(axis=2)
    counts = np.bincount((brightness * SHADES / 256).astype(int).ravel(), minlength=SHADES)
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum()) >= MIN_ENTROPY and float(shares.max()) <= MAX_GROUND
