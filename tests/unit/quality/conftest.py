"""Images and plans that the tests of ``quality/`` share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.pictures import page

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
