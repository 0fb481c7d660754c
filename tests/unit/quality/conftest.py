"""Images and plans that the tests of ``quality/`` share."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFilter

VEHICLE: dict[str, Any] = {
    "query_type": "IQA",
    "query_scope": ["vehicle"],
    "distortion_source": "Explicit",
    "distortions": {"vehicle": ["Blurs"]},
    "reference_mode": "No-Reference",
    "required_tool": None,
    "plan": {
        "distortion_detection": False,
        "distortion_analysis": True,
        "tool_selection": False,
        "tool_execution": False,
    },
}


@cache
def page(blur: float = 0.0) -> Image.Image:
    """A page of print, 600 x 800 pixels."""
    picture = Image.new("RGB", (600, 800), "white")
    draw = ImageDraw.Draw(picture)
    for row in range(30):
        draw.text((40, 30 + 24 * row), "The quick brown fox jumps over the lazy dog 012345", fill="black", font_size=18)
    return picture.filter(ImageFilter.GaussianBlur(blur)) if blur else picture


@pytest.fixture
def sharp(tmp_path: Path) -> Path:
    page().save(tmp_path / "sharp.png")
    return tmp_path / "sharp.png"


@pytest.fixture
def blurred(tmp_path: Path) -> Path:
    page(3.0).save(tmp_path / "blurred.png")
    return tmp_path / "blurred.png"


@pytest.fixture
def vehicle() -> dict[str, Any]:
    return {**VEHICLE, "plan": dict(VEHICLE["plan"]), "distortions": {"vehicle": ["Blurs"]}}
