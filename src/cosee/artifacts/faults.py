"""What is wrong with a value that a model refuses, in a person's words: pydantic's speak of tags and input types."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic import ValidationError

MOST = 3
"""Faults that are told at once."""
# General knowledge: pydantic's names of types.
_NUMBERS = {"int": "a whole number", "float": "a number", "bool": "true or false", "string": "text", "list": "a list"}
_BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
}
Nearest = Callable[[str, Iterable[str]], str | None]
Keys = Callable[[list[str]], Iterable[str]]


def faults(
    error: ValidationError,
    *,
    values: bool = True,
    nearest: Nearest | None = None,
    keys: Keys | None = None,
) -> list[str]:
    """``shard_pages: must be at least 1, found 0``: a line for each of the first faults.

    Args:
        error: What pydantic said.
        values: Whether values may be shown; not where they may be secrets.
        nearest: From a word and the words that are known to the nearest one.
        keys: From a place to the keys that it may have.
    """
    told = error.errors(include_url=False)[:MOST]
    return [_line(dict(fault), values, nearest or _no_word, keys) for fault in told]


def _no_word(_word: str, _known: Iterable[str]) -> str | None:
    return None


def _line(
    fault: Mapping[str, Any], values: bool, nearest: Nearest, keys: Callable[[list[str]], Iterable[str]] | None
) -> str:
    place = [str(part) for part in fault["loc"] if not _is_ours(str(part))]
    where = ".".join(place)
    if fault["type"] == "extra_forbidden":
        near = nearest(place[-1], keys(place[:-1])) if keys is not None else None
        return f"{where}: unknown key {place[-1]!r}{_hint(near)}"
    said = _said(fault, values, nearest)
    return f"{where}: {said}" if where else said


def _is_ours(part: str) -> bool:
    """Whether a part of a place is pydantic's name for the branch that it tried, and no key."""
    return re.search(r"[\[(]|^(list|dict|str|int|float|bool|literal|function-\w+)$", part) is not None


def _hint(near: str | None) -> str:
    return f"; did you mean {near!r}?" if near is not None else ""


def _said(fault: Mapping[str, Any], values: bool, nearest: Nearest) -> str:
    """The fault without its place."""
    kind, given, context = str(fault["type"]), fault.get("input"), fault.get("ctx") or {}
    found = f", found {given!r}" if values and len(repr(given)) < 80 else ""
    if kind == "missing":
        return "is missing"
    if kind == "value_error":
        return str(fault["msg"]).removeprefix("Value error, ")
    if kind in ("literal_error", "enum"):
        choices = str(context.get("expected"))
        near = nearest(str(given), re.findall(r"'([^']*)'", choices)) if values else None
        return f"must be {choices}{found}{_hint(near)}"
    if kind == "union_tag_invalid":
        choices = str(context.get("expected_tags"))
        near = nearest(str(context.get("tag")), re.findall(r"'([^']*)'", choices))
        return f"there is no {context.get('discriminator')} {context.get('tag')!r}{_hint(near)}; there are {choices}"
    if kind in _BOUNDS:
        name, words = _BOUNDS[kind]
        return f"must be {words} {context.get(name)}{found}"
    if kind in ("too_short", "string_too_short"):
        return f"must have at least {context.get('min_length')} of its parts" if given else "must not be empty"
    if kind == "string_pattern_mismatch":
        return f"does not have the form {context.get('pattern')}{found}"
    if kind in ("model_type", "model_attributes_type", "dict_type", "mapping_type"):
        return f"must be a mapping of keys to values{found}"
    wanted = _NUMBERS.get(kind.partition("_")[0])
    if wanted is not None and kind.endswith(("_parsing", "_type", "_from_float")):
        listed = f"; write [{given}]" if wanted == "a list" and values and isinstance(given, str) else ""
        return f"must be {wanted}{found}{listed}"
    return f"{str(fault['msg'])[:1].lower()}{str(fault['msg'])[1:]}{found}"
