"""How many of a thing there are, in words."""

from __future__ import annotations


def counted(number: int, name: str, several: str | None = None) -> str:
    """``1 document``, ``2 documents``; ``several`` is the name of many where it is not the name with an ``s``."""
    return f"{number:,} {name if number == 1 else several or name + 's'}"
