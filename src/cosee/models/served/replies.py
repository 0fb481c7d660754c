"""What a reply says, in the forms in which servers put it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_CALL = re.compile(r"<tool_call>\s*(\{.*?\})\s*(?:</tool_call>|\Z)", re.DOTALL)


def text_of(content: Any) -> str:
    """The text of a message's content: a string, or a list of parts, those of thoughts left out."""
    if not isinstance(content, list):
        return content or ""
    parts = (part if isinstance(part, Mapping) else {"text": part} for part in content)
    return "".join(str(part.get("text") or "") for part in parts if part.get("type") in (None, "text", "output_text"))


def arguments_of(calls: Any) -> str:
    """What tools were called with, one a line; empty where none was."""
    functions = [call.get("function") or {} for call in calls or [] if isinstance(call, Mapping)]
    return "\n".join(_as_text(each.get("arguments")) for each in functions if each.get("arguments"))


def without_call(text: str) -> str:
    """The arguments of calls that a model wrote out as ``<tool_call>`` in a typed reply; other text as it stands.

    Some models answer a schema as if it were a tool.
    """
    bodies = _CALL.findall(text)
    found = []
    for body in bodies:
        try:
            call = json.loads(body)
        except (ValueError, RecursionError):
            return text
        given = call.get("arguments", call.get("parameters")) if isinstance(call, dict) else None
        if not isinstance(given, dict | str):
            return text
        found.append(_as_text(given))
    return "\n".join(found) or text


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
