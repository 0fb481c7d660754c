"""Reading YAML that a person wrote: one error for all that can be wrong, and no file that unfolds without end."""

from __future__ import annotations

from typing import Any

from cosee.artifacts.files import ArtifactError

MAX_VALUES = 20_000
MAX_DEPTH = 40


def parse_yaml(data: bytes, where: str) -> Any:
    """The value of a YAML document's bytes; raises ArtifactError that begins with ``where`` and names the line."""
    import yaml

    try:
        value = yaml.safe_load(data)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "not valid YAML"
        raise ArtifactError(f"{where}{line}: not valid YAML ({problem})") from error
    except (ValueError, OverflowError, TypeError, AttributeError, LookupError) as error:
        # PyYAML's own readers of numbers and dates raise these.
        raise ArtifactError(f"{where}: not valid YAML ({str(error)[:200]})") from error
    except RecursionError as error:
        raise ArtifactError(f"{where}: nests too deeply") from error
    check_size(value, where)
    return value


def check_size(value: Any, where: str) -> None:
    """Raise ArtifactError for a value that holds too much, each alias counted where it stands, or nests too deeply."""
    left = MAX_VALUES
    waiting = [(value, 0)]
    while waiting:
        inner, depth = waiting.pop()
        left -= 1
        if left < 0 or depth > MAX_DEPTH:
            many = f"holds more than {MAX_VALUES} values" if left < 0 else f"nests deeper than {MAX_DEPTH} levels"
            raise ArtifactError(f"{where}: {many}, its aliases unfolded")
        if isinstance(inner, dict):
            waiting += [(part, depth + 1) for part in inner.values()]
        elif isinstance(inner, list | set | tuple):
            waiting += [(part, depth + 1) for part in inner]
