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
        node = yaml.compose(data, Loader=yaml.SafeLoader) if isinstance(value, dict | list) else None
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
    twice = _twice(node) if node is not None else None
    if twice is not None:
        raise ArtifactError(f"{where}, line {twice[1]}: the key {twice[0]!r} stands twice")
    return value


def line_of(data: bytes, key: str) -> int | None:
    """The line (1-based) of a key such as ``runs.demo.methods.0.pages`` in a YAML document's bytes; None where it does
    not have it, or is none. Names with dots in them are one part."""
    import yaml

    try:
        node = yaml.compose(data, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    line = None
    while key:
        for name, mark, inner in _entries(node):
            if key == name or key.startswith(f"{name}."):
                key, line, node = key[len(name) + 1 :], mark.line + 1, inner
                break
        else:
            return None
    return line


def _entries(node: Any) -> list[tuple[str, Any, Any]]:
    """Name, place and value of each entry of a mapping or a list."""
    import yaml

    if isinstance(node, yaml.MappingNode):
        return [(str(name.value), name.start_mark, value) for name, value in node.value]
    if isinstance(node, yaml.SequenceNode):
        return [(str(number), value.start_mark, value) for number, value in enumerate(node.value)]
    return []


def _twice(node: Any) -> tuple[str, int] | None:
    """The first key that a mapping has twice, and its line: of the two the parser would keep the second unasked."""
    waiting = [node]
    seen: set[int] = set()
    while waiting:
        inner = waiting.pop()
        if id(inner) in seen:
            continue
        seen.add(id(inner))
        entries = _entries(inner)
        names = [name for name, _, _ in entries]
        if inner.id == "mapping":
            for place, (name, mark, _) in enumerate(entries):
                if name in names[:place] and name != "<<":
                    return name, mark.line + 1
        waiting += [value for _, _, value in entries]
    return None


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
