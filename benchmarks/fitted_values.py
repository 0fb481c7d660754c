"""The value of a string expression of a module, and which parts of it are written elsewhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Text:
    """A string with the spans that come from other constants, whose own places answer for them."""

    value: str
    borrowed: tuple[tuple[int, int], ...] = ()

    def is_borrowed(self, start: int, end: int) -> bool:
        """Whether the span lies within one borrowed span."""
        return any(first <= start and end <= last for first, last in self.borrowed)


class Unknown(Exception):
    """An expression that is no text."""


ANY_WORD = r"(?:\w+)"
"""What stands for a part whose value is made in a function."""


def text_of(node: ast.expr, names: Mapping[str, Any], assigned: object = None) -> Text:
    """The value of a string expression; ``assigned`` is the value it has if the module has already made it."""
    if isinstance(assigned, str):
        return _aligned(node, assigned)
    pieces = list(_pieces(node, names))
    value, borrowed = "", []
    for piece, is_own in pieces:
        if not is_own:
            borrowed.append((len(value), len(value) + len(piece)))
        value += piece
    return Text(value, tuple(borrowed))


def _pieces(node: ast.expr, names: Mapping[str, Any]) -> Iterable[tuple[str, bool]]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value, True
    elif isinstance(node, ast.JoinedStr):
        for each in node.values:
            inner = each.value if isinstance(each, ast.FormattedValue) else each
            yield from _pieces(inner, names)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _pieces(node.left, names)
        yield from _pieces(node.right, names)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bytes):
        raise Unknown("bytes, which hold no words")
    else:
        try:
            yield _string(value_of(node, names)), False
        except (Unknown, AttributeError, TypeError):
            yield ANY_WORD, False


def value_of(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """The value of a name, an attribute of it or a join of strings; raises Unknown for any other expression."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, ast.Attribute):
        return getattr(value_of(node.value, names), node.attr)
    if isinstance(node, (ast.JoinedStr, ast.BinOp)):
        return text_of(node, names).value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("join", "escape"):
        argument = value_of(node.args[0], names)
        if node.func.attr == "escape":
            return re.escape(argument)
        return _string(value_of(node.func.value, names)).join(argument)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("sorted", "list", "tuple"):
        return sorted(value_of(node.args[0], names))
    raise Unknown(ast.unparse(node))


def _string(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, re.Pattern):
        return str(value.pattern)
    raise Unknown(f"a {type(value).__name__}")


def _aligned(node: ast.expr, value: str) -> Text:
    """The parts of ``value`` between the constant parts of the expression are borrowed."""
    borrowed: list[tuple[int, int]] = []
    at = 0
    for constant in _constants(node):
        found = value.find(constant, at)
        if found < 0:
            return Text(value)
        if found > at:
            borrowed.append((at, found))
        at = found + len(constant)
    if at < len(value):
        borrowed.append((at, len(value)))
    return Text(value, tuple(borrowed))


def _constants(node: ast.expr) -> Iterable[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        for each in node.values:
            if isinstance(each, ast.Constant):
                yield str(each.value)
    elif isinstance(node, ast.BinOp):
        yield from _constants(node.left)
        yield from _constants(node.right)
