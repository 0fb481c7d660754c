"""Values inside script files and elements."""

from __future__ import annotations

from typing import Any

from cosee.artifacts import files


def script_json(value: Any) -> str:
    """JSON that no text inside can end the script element with."""
    return files.canonical_json(value).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
