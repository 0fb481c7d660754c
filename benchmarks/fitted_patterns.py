"""The alternatives of a regular expression, each with the expression that keeps it and drops its neighbours.

It works on the source text, not on the parsed tree, because the parser folds ``foo|fob`` into ``fo[ob]``. An
alternative in a part that may be left out has to be there: ``(?:a|b)?c`` is tried as ``(?:a)c`` and ``(?:b)c``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_OPENING = re.compile(
    r"\((?:\?(?:(?P<skip>P=\w+\)|\#[^)]*\)|[aiLmsux]+\))|(?P<condition>\(\w+\))|(?P<negative><?!)|P<\w+>|<?=|>|"
    r"[aiLmsux-]*:))?"
)
_QUANTIFIER = re.compile(r"(?:[?*+]|\{\d+(?:,\d*)?\}|\{,\d+\})[?+]?")
_ATOM = re.compile(r"(?:\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\\[({|])?(?:[?*+]|\{[\d,]+\})?[?+]?", re.DOTALL)
_BACK = re.compile(r"(?<!\\)(?:\\\\)*\\[1-9]|\(\?P=|\(\?\(")


@dataclass(frozen=True)
class Alternative:
    """One option of a branch. ``variant`` is the whole expression with this option alone."""

    text: str
    variant: str
    start: int
    end: int
    apart: bool = False
    """Whether ``variant`` is the option by itself: options of a ``(?!...)`` say what must not be there."""


@dataclass
class _Group:
    start: int
    body: int
    negative: bool = False
    condition: bool = False
    options: list[_Option] = field(default_factory=list)
    end: int = 0
    after: int = 0


@dataclass
class _Option:
    start: int
    end: int = 0
    groups: list[_Group] = field(default_factory=list)


def alternatives(pattern: re.Pattern[str]) -> list[Alternative]:
    """The alternatives of every branch at any depth, an outer one before those inside; single characters are none."""
    source = pattern.pattern
    root = _Group(0, 0)
    root.end = _read(source, 0, root, bool(pattern.flags & re.VERBOSE))
    root.after = root.end
    return list(_Variants(source, bool(_BACK.search(source))).of(root, "", "", False))


def _read(source: str, at: int, group: _Group, verbose: bool) -> int:
    """Fill in the options of ``group``, whose body begins at ``at``; returns where the body ends."""
    option = _Option(at)
    group.options.append(option)
    while at < len(source) and source[at] != ")":
        char = source[at]
        if char == "(":
            at = _read_group(source, at, option, verbose)
        elif char == "|":
            option.end, at = at, at + 1
            option = _Option(at)
            group.options.append(option)
        elif char == "[":
            at = _after_class(source, at)
        elif char == "#" and verbose:
            newline = source.find("\n", at)
            at = len(source) if newline < 0 else newline
        else:
            at += 2 if char == "\\" else 1
    option.end = at
    return at


def _read_group(source: str, at: int, option: _Option, verbose: bool) -> int:
    opening = _OPENING.match(source, at)
    assert opening is not None
    if opening["skip"]:
        return opening.end()
    group = _Group(at, opening.end(), bool(opening["negative"]), bool(opening["condition"]))
    option.groups.append(group)
    group.end = _read(source, opening.end(), group, verbose)
    quantifier = _QUANTIFIER.match(source, group.end + 1)
    group.after = quantifier.end() if quantifier else group.end + 1
    return group.after


def _after_class(source: str, at: int) -> int:
    at += 2 if source.startswith("[^", at) else 1
    at += source.startswith("]", at)
    while source[at] != "]":
        at += 2 if source[at] == "\\" else 1
    return at + 1


@dataclass(frozen=True)
class _Variants:
    source: str
    keep_numbers: bool
    """Whether groups are referred to, so that dropped options stay in the text, where they can never match."""

    def of(self, group: _Group, before: str, behind: str, apart: bool) -> Iterator[Alternative]:
        """The alternatives of a group that stands between two texts."""
        if group.negative:
            before, head, tail, behind, apart = "", "(?:", ")", "", True
        else:
            head = self.source[group.start : group.body]
            tail = self.source[group.end : group.end + 1] + _required(self.source[group.end + 1 : group.after])
        for number, option in enumerate(group.options):
            kept_before, kept_after = self._dropped(group, number)
            left, right = before + head + kept_before, kept_after + tail + behind
            text = self.source[option.start : option.end]
            if len(group.options) > 1 and not group.condition and not _ATOM.fullmatch(text.strip()):
                yield Alternative(text, left + text + right, option.start, option.end, apart)
            if group.condition:
                continue
            for inner in option.groups:
                yield from self.of(
                    inner,
                    left + self.source[option.start : inner.start],
                    self.source[inner.after : option.end] + right,
                    apart,
                )

    def _dropped(self, group: _Group, kept: int) -> tuple[str, str]:
        """What stands in the place of the options before and after the kept one."""
        if not self.keep_numbers or group.condition:
            return "", ""
        never = [f"(?!){self.source[option.start : option.end]}" for option in group.options]
        return "".join(f"{each}|" for each in never[:kept]), "".join(f"|{each}" for each in never[kept + 1 :])


def _required(quantifier: str) -> str:
    """The quantifier with at least one repetition."""
    if quantifier[:1] == "?":
        return ""
    if quantifier[:1] == "*":
        return "+" + quantifier[1:]
    return re.sub(r"^\{0?,", "{1,", quantifier)
