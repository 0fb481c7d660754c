"""A JSON-lines log of what was planned and why it failed, without keys."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.quality.thresholds import MAX_LOGGED, MIN_SECRET

_SECRET_NAME = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD)S?$", re.IGNORECASE)
_SECRET = re.compile(
    r"\b(?:sk|pk|rk|key|AIza|hf|ghp|xai)[-_][A-Za-z0-9_-]{12,}|\bAIza[A-Za-z0-9_-]{20,}|\bBearer\s+[\w.~+/=-]{8,}",
    re.IGNORECASE,
)


class EventLog:
    """Appends one JSON object a line to ``path``; None writes nothing."""

    def __init__(self, path: Path | None = None, environment: Mapping[str, str] | None = None) -> None:
        self.path = path
        variables = os.environ if environment is None else environment
        self._secrets = sorted(
            (value for name, value in variables.items() if _SECRET_NAME.search(name) and len(value) >= MIN_SECRET),
            key=len,
            reverse=True,
        )

    def add(self, event: str, **fields: Any) -> None:
        """Write an event; texts are cut, and keys in them replaced."""
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            files.append_jsonl(self.path, {"event": event, **{name: self._safe(each) for name, each in fields.items()}})

    def _safe(self, value: Any) -> Any:
        if isinstance(value, str):
            for secret in self._secrets:
                value = value.replace(secret, "***")
            return _SECRET.sub("***", value)[:MAX_LOGGED]
        if isinstance(value, Mapping):
            return {str(name): self._safe(each) for name, each in value.items()}
        return [self._safe(each) for each in value] if isinstance(value, list | tuple) else value
