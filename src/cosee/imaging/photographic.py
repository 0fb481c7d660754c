"""Whether a picture is a photograph: many shades, none of them the ground of most of it."""

from __future__ import annotations

from typing import Any

from cosee.imaging import thresholds


def is_photographic(samples: Any, width: int, height: int, stride: int) -> bool:
    """For RGB bytes with ``stride`` bytes a row."""
    import numpy as np

    if min(width, height) < thresholds.MIN_PHOTOGRAPH_SIDE:
        return False
    rows = np.frombuffer(samples, dtype=np.uint8)[: stride * height].reshape(height, stride)
    pixels = rows[:, : 3 * width].reshape(height, width, 3)
    down = np.linspace(0, height - 1, min(thresholds.PHOTOGRAPH_SAMPLES, height)).astype(int)
    across = np.linspace(0, width - 1, min(thresholds.PHOTOGRAPH_SAMPLES, width)).astype(int)
    brightness = pixels[down][:, across].mean(axis=2)
    counts = np.bincount(
        (brightness * thresholds.PHOTOGRAPH_SHADES / 256).astype(int).ravel(), minlength=thresholds.PHOTOGRAPH_SHADES
    )
    shares = counts[counts > 0] / counts.sum()
    entropy = float(-(shares * np.log2(shares)).sum())
    return entropy >= thresholds.MIN_PHOTOGRAPH_ENTROPY and float(shares.max()) <= thresholds.MAX_GROUND_SHARE
