"""A document as a reader saw it, and what the rules share that judge it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Failures = list[str]
BODY = frozenset(("heading", "paragraph", "list", "table", "equation", "footnote", "code", "figure"))


@dataclass
class Observed:
    """A document as a reader saw it. Boxes are page points of the page as seen, pages count from 1.

    ``pages``: ``w, h, label, flags``; ``nodes``: ``id, role, text, page, level, label, caption, bbox, rows, members,
    section, parent, flags, page_span``; ``refs``: ``src_text, number`` and, where
    it is found, ``label, caption`` of what is meant; ``furniture``: texts taken off the pages;
    ``is_indexed`` tells whether a search for a word can find something.
    """

    status: str
    reason: str | None = None
    pages: list[dict[str, Any]] = field(default_factory=list)
    nodes: list[dict[str, Any]] = field(default_factory=list)
    refs: list[dict[str, Any]] = field(default_factory=list)
    furniture: list[str] = field(default_factory=list)
    labels: dict[str, list[str]] = field(default_factory=dict)
    """Label -> ids of the nodes that carry it."""
    attachments: list[str] = field(default_factory=list)
    indexed_text: str = ""
    is_indexed: Callable[[str], bool] = lambda word: False
    peak_rss_mb: float = 0.0
    seconds: float = 0.0
    warnings: list[str] = field(default_factory=list)
    """Names of what a reader found wrong with its source."""
    dropped: list[dict[str, Any]] = field(default_factory=list)
    """Set aside: ``reason, page, bbox, text``."""
    problems: list[str] = field(default_factory=list)
    """Rules of a tree that this one breaks."""
    image_paths: list[str] = field(default_factory=list)
    """Pictures of the tree, as paths below the document's folder."""
    folder: Path | None = None
    """Where the artifacts are; None for a reader that writes none."""
    opened: list[str] = field(default_factory=list)
    """Files beyond the document's folder and the installed software that were opened while it was read."""
    connected: list[str] = field(default_factory=list)
    """Addresses that were connected to."""
    growth: float | None = None
    """Peak memory as a multiple of that of the first 120 pages, where a case asks for it."""
    orders: dict[str, str] = field(default_factory=dict)
    """Name of a form (``content_list``, ``doctree``, ``markdown``) -> the document's text in it."""
    others: list[Observed] = field(default_factory=list)
    """The case's other inputs, read the same way."""


def normal(text: object) -> str:
    """Text as it is compared: NFKC, single spaces."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", str(text))).strip()


def full_text(node: dict[str, Any]) -> str:
    """Everything that a node says: text, caption, cells."""
    cells = [cell for row in node.get("rows") or [] for cell in row]
    return normal(" ".join(str(part) for part in (node.get("text") or "", node.get("caption") or "", *cells)))


class View:
    """Lookups that several rules share."""

    def __init__(self, seen: Observed, expect: dict[str, Any]) -> None:
        self.seen = seen
        self.expect = expect
        self.body = [node for node in seen.nodes if node["role"] in BODY]
        self.text = " \n ".join(full_text(node) for node in self.body)

    def of(self, *roles: str) -> list[dict[str, Any]]:
        """The nodes of the given roles."""
        return [node for node in self.seen.nodes if node["role"] in roles]

    def holding(self, text: str) -> list[dict[str, Any]]:
        """The nodes that say ``text``."""
        return [node for node in self.seen.nodes if normal(text) in full_text(node)]


def equal(get: Callable[[View], Any]) -> Callable[[View, Any], Failures]:
    """The rule that a figure is the wanted one."""
    return lambda view, wanted: [] if get(view) == wanted else [str(get(view))]


def member(get: Callable[[View], Any]) -> Callable[[View, Any], Failures]:
    """The rule that a figure is one of the wanted ones."""
    return lambda view, wanted: [] if get(view) in wanted else [str(get(view))]


def at_most(get: Callable[[View], float]) -> Callable[[View, Any], Failures]:
    """The rule that a figure is no larger than wanted."""
    return lambda view, wanted: [] if get(view) <= wanted else [f"{get(view):.1f}"]
