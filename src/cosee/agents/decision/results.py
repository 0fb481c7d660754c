"""What tools hand back: results that stay in the environment, and errors that the next decision is told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

# General knowledge: the fields of str.format.
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass
class Result:
    """Typed output of a tool. ``name`` is its key in the environment.

    An object that is to be read as evidence has ``page_number`` (1-based) and ``text``, or ``nodes`` (node data, see
    ``models.evidence``); any other is shown as JSON.
    """

    objects: list[dict[str, Any]]
    metadata: dict[str, Any] | None = None
    name: str | None = None
    payload_type: str = "result"
    llm_message: str | None = None
    """Told to the next decision. ``{num_objects}``, ``{name}`` and every key of ``metadata`` are filled in."""

    def message(self) -> str:
        """``llm_message`` filled in; a placeholder without a value stays as it is. Nothing else is formatted."""
        values = {**(self.metadata or {}), "num_objects": len(self.objects), "name": self.name}
        template = self.llm_message or "{num_objects} objects"
        return _PLACEHOLDER.sub(lambda match: str(values.get(match[1], match[0])), template)


@dataclass
class Error:
    """A failure that is told instead of raised. One that is not ``recoverable`` disables its tool for the question."""

    message: str
    recoverable: bool = True
    suggestion: str | None = None
    """What to try next."""

    def feedback(self) -> str:
        """Message and suggestion, as the next decision reads them."""
        return f"{self.message} (suggestion: {self.suggestion})" if self.suggestion else self.message
