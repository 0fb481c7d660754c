"""The content list that an earlier stage left for this one."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.files import ArtifactError
from cosee.pipeline.stage import StageFailure

_WRITERS = {"adapted": "adapt", "enhanced": "enhance"}


def load_content(source: Path, expected: Literal["adapted", "enhanced"]) -> ContentList:
    """Read it.

    Raises:
        StageFailure: it is not there, cannot be read, or is of another stage.
    """
    if not source.exists():
        raise StageFailure("missing_input", f"{source}: not there; stage {_WRITERS[expected]} writes it")
    try:
        content = ContentList.load(source)
    except ArtifactError as error:
        raise StageFailure("bad_input", str(error)) from error
    if content.stage != expected:
        raise StageFailure("bad_input", f"{source}: stage {content.stage!r}, expected {expected!r}")
    return content
