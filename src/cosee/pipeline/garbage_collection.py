"""Python's cyclic garbage collector, held back while a document is read or many answers are scored."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

NEW_OBJECTS = 200_000
"""Objects made before the collector looks for cycles; Python's own value is 700."""


def seldom_collected(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """``function`` with few runs of the collector.

    A document, or all answers of a run, become some hundred thousand small objects that stay until the end and hold no
    cycles; walking them again and again takes a fifth of the time and more of it the more they are.
    """

    @functools.wraps(function)
    def held_back(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        usual = gc.get_threshold()
        gc.set_threshold(NEW_OBJECTS, *usual[1:])
        try:
            return function(*args, **kwargs)
        finally:
            gc.set_threshold(*usual)

    return held_back
