"""The nodes of a ``DoclingDocument`` in reading order, however damaged its references are.

The form is that of docling-core (``schema_name`` ``DoclingDocument``, ``version`` 1.x): ``body`` and ``furniture`` are
trees of references (``#/texts/3``) into the lists ``texts``, ``tables``, ``pictures``, ``groups``, ``key_value_items``
and so on; a node names its children, captions and notes the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cosee.parse.docling.thresholds import MAX_QUOTED

Fields = dict[str, Any]
_SCHEMA = "DoclingDocument"
_REF = re.compile(r"#/([a-z_]{1,40})/(\d{1,8})")
_VERSION = re.compile(r"1\.(\d{1,4})")
_GROUPS = "groups"
_ROOTS = ("body", "furniture")


class NotADoclingDocument(ValueError):
    """The value is no ``DoclingDocument`` of version 1; the message says what was found."""


class Nodes:
    """The nodes of a document by reference; each is given out once, so that a reference in a circle ends.

    ``broken`` are references to nodes that are not there, in the order in which they were met.
    """

    def __init__(self, raw: Any) -> None:
        """``raw``: the parsed file.

        Raises:
            NotADoclingDocument: it is of another schema, or of a version that this reader does not know.
        """
        if not isinstance(raw, dict) or raw.get("schema_name") != _SCHEMA:
            found = raw.get("schema_name") if isinstance(raw, dict) else type(raw).__name__
            raise NotADoclingDocument(f"schema_name is {str(found)[:MAX_QUOTED]!r}, not {_SCHEMA!r}")
        version = _VERSION.match(str(raw.get("version", "")))
        if version is None:
            raise NotADoclingDocument(
                f"version {str(raw.get('version'))[:MAX_QUOTED]!r} of {_SCHEMA} is not known; 1.x is"
            )
        self.raw: Fields = raw
        self.version = f"1.{int(version[1])}"
        self.broken: list[str] = []
        self._taken: set[str] = set()

    def at(self, ref: str) -> Fields | None:
        """The node at a reference; None where there is none."""
        match = _REF.fullmatch(ref)
        listed = self.raw.get(match[1]) if match else None
        place = int(match[2]) if match else 0
        node = listed[place] if isinstance(listed, list) and place < len(listed) else None
        return node if isinstance(node, dict) else None

    def take(self, ref: str) -> Fields | None:
        """The node at a reference when it is asked for the first time; None for one taken before or not there."""
        node = self.at(ref)
        if node is None:
            if ref not in self._taken:
                self.broken.append(ref)
        elif ref in self._taken:
            return None
        self._taken.add(ref)
        return node

    def in_order(self) -> Iterator[tuple[str, Fields]]:
        """(reference, node) of the body, the furniture, then what neither of them leads to; children behind their
        parent, but for those that were taken meanwhile."""
        for root in _ROOTS:
            yield from self.below(self.raw.get(root))
        for name, listed in self.raw.items():
            for place in range(len(listed) if isinstance(listed, list) else 0):
                if name != _GROUPS and self.at(ref := f"#/{name}/{place}") and ref not in self._taken:
                    yield from self._from([ref])

    def below(self, node: Any) -> Iterator[tuple[str, Fields]]:
        """(reference, node) of what a node leads to."""
        yield from self._from(refs(node, "children"))

    def _from(self, first: list[str]) -> Iterator[tuple[str, Fields]]:
        waiting = first[::-1]
        while waiting:
            ref = waiting.pop()
            node = self.take(ref)
            if node is not None:
                yield ref, node
                waiting += refs(node, "children")[::-1]


def refs(node: Any, field: str) -> list[str]:
    """The references in a field of a node, each once; what is none is left out."""
    named = (each.get("$ref", each.get("cref")) for each in dicts(node.get(field) if isinstance(node, dict) else None))
    return list(dict.fromkeys(ref for ref in named if isinstance(ref, str)))


def dicts(listed: Any) -> list[Fields]:
    """The dicts in a list; none of anything else."""
    return [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []


def collection(ref: str) -> str:
    """``texts`` of ``#/texts/3``."""
    match = _REF.fullmatch(ref)
    return match[1] if match else ""
