"""Arithmetic on named values: numbers, names, ``+ - * /``, signs and brackets, read by recursive descent."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cosee.agents.decision.thresholds import MAX_EXPRESSION_CHARACTERS, MAX_EXPRESSION_DEPTH, MAX_RESULT

_TOKEN = re.compile(r"\s*(?:(?P<number>\d+(?:\.\d+)?)(?P<percent>%?)|(?P<name>[A-Za-z_]\w*)|(?P<sign>[-+*/()]))")


class ArithmeticFault(ValueError):
    """An expression that cannot be computed; the message says why."""


def names_in(expression: str) -> list[str]:
    """The names of an expression in order, each once. Raises ArithmeticFault for one that cannot be read."""
    return list(dict.fromkeys(text for kind, text in _tokens(expression) if kind == "name"))


def compute(expression: str, values: Mapping[str, float]) -> float:
    """The value of an expression; ``50%`` is 0.5. Raises ArithmeticFault."""
    reader = _Reader(_tokens(expression), values)
    value = reader.sum(0)
    if reader.place < len(reader.tokens):
        raise ArithmeticFault(f"{reader.tokens[reader.place][1]!r} is not expected there")
    if not abs(value) < MAX_RESULT:
        raise ArithmeticFault("the result is too large")
    return value


def _tokens(expression: str) -> list[tuple[str, str]]:
    if len(expression) > MAX_EXPRESSION_CHARACTERS:
        raise ArithmeticFault(f"an expression has at most {MAX_EXPRESSION_CHARACTERS} characters")
    found: list[tuple[str, str]] = []
    place, text = 0, expression.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise ArithmeticFault(f"{text[place:].strip()[:20]!r} is no number, name, bracket or one of + - * /")
        kind = "number" if match["number"] else "name" if match["name"] else "sign"
        found.append((kind, (match["number"] or "") + (match["percent"] or "") or match["name"] or match["sign"]))
        place = match.end()
    return found


class _Reader:
    def __init__(self, tokens: list[tuple[str, str]], values: Mapping[str, float]) -> None:
        self.tokens, self.values, self.place = tokens, values, 0

    def sum(self, depth: int) -> float:
        """``product (+|- product)*``."""
        value = self.product(depth)
        while (sign := self._take("+-")) is not None:
            other = self.product(depth)
            value = value + other if sign == "+" else value - other
        return value

    def product(self, depth: int) -> float:
        """``factor (*|/ factor)*``."""
        value = self.factor(depth)
        while (sign := self._take("*/")) is not None:
            other = self.factor(depth)
            if sign == "/" and other == 0:
                raise ArithmeticFault("division by zero")
            value = value * other if sign == "*" else value / other
        return value

    def factor(self, depth: int) -> float:
        """A number, a name, a signed factor or a sum in brackets."""
        if depth > MAX_EXPRESSION_DEPTH:
            raise ArithmeticFault(f"more than {MAX_EXPRESSION_DEPTH} brackets or signs inside each other")
        if (sign := self._take("+-")) is not None:
            value = self.factor(depth + 1)
            return -value if sign == "-" else value
        if self._take("(") is not None:
            value = self.sum(depth + 1)
            if self._take(")") is None:
                raise ArithmeticFault("a bracket is not closed")
            return value
        if self.place >= len(self.tokens):
            raise ArithmeticFault("the expression ends too early")
        kind, text = self.tokens[self.place]
        self.place += 1
        if kind == "number":
            return float(text.rstrip("%")) / (100.0 if text.endswith("%") else 1.0)
        if kind == "name":
            if text not in self.values:
                raise ArithmeticFault(f"{text!r} has no value; names are {', '.join(self.values) or 'none'}")
            return self.values[text]
        raise ArithmeticFault(f"{text!r} is not expected there")

    def _take(self, signs: str) -> str | None:
        if self.place < len(self.tokens):
            kind, text = self.tokens[self.place]
            if kind == "sign" and text in signs:
                self.place += 1
                return text
        return None
