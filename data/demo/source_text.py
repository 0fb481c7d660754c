"""Reads the marked-up texts beside this module and fills in the shared facts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def load_text(name: str, facts: dict[str, Any]) -> str:
    """Text of `<name>`, filled."""
    return fill((FOLDER / name).read_text(encoding="utf-8"), facts)


def fill(text: str, facts: dict[str, Any]) -> str:
    """A text in which every {{field:format}} is replaced by its fact."""
    return re.sub(r"\{\{(.+?)\}\}", lambda match: ("{" + match[1] + "}").format_map(facts), text)
