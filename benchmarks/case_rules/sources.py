"""Demands of cases that are about a source and its tree as a whole: warnings, drop lists, links, several inputs."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

from benchmarks.case_rules.observed import Failures, Observed, full_text, normal


def nodes_of(seen: Observed, role: str) -> list[dict[str, Any]]:
    """The nodes of a role."""
    return [node for node in seen.nodes if node["role"] == role]


def _same_nodes(seen: Observed, wanted: bool) -> Failures:
    def said(of: Observed) -> list[tuple[Any, ...]]:
        return [(n["role"], normal(n["text"]), n["page"], n["label"], n["caption"]) for n in of.nodes]

    return [str(said(other)) for other in seen.others if said(other) != said(seen)]


def _empty_status(seen: Observed, wanted: list[str]) -> Failures:
    empty = [other.status for other in seen.others if not other.nodes]
    return [] if empty and set(empty) <= set(wanted) else [str(empty)]


def _lost(seen: Observed, wanted: list[dict[str, Any]]) -> Failures:
    found = [entry for entry in seen.dropped if entry["reason"] == "lost_by_source"]
    return [
        str(entry)
        for entry in wanted
        if not any(
            other["page"] == entry["page"]
            and all(abs(a - b) <= 2 for a, b in zip(other["bbox"], entry["bbox"], strict=True))
            for other in found
        )
    ]


def _one_parent(seen: Observed, wanted: bool) -> Failures:
    ids = [node["id"] for node in seen.nodes]
    return [node["id"] for node in seen.nodes if not node["parent"]] + [i for i in ids if ids.count(i) > 1]


def _control_characters(seen: Observed, wanted: bool) -> Failures:
    texts = [full_text(node) for node in seen.nodes]
    return [text for text in texts if any(unicodedata.category(char) in ("Cc", "Cs") for char in text)]


def _outside(seen: Observed, wanted: int) -> Failures:
    return [path for path in seen.image_paths if path.startswith("/") or ".." in path.split("/") or ":" in path]


def _flagged_missing(seen: Observed, wanted: int) -> Failures:
    count = sum("image_missing" in node["flags"] for node in nodes_of(seen, "figure"))
    return [] if count == wanted else [str(count)]


RULES: dict[str, Callable[[Observed, Any], Failures]] = {
    "warning_kind": lambda seen, wanted: [] if wanted in seen.warnings else [str(seen.warnings)],
    "lost": _lost,
    "tree_valid": lambda seen, wanted: seen.problems,
    "every_node_one_parent": _one_parent,
    "no_empty_placeholder_sections": lambda seen, wanted: [
        n["id"] for n in nodes_of(seen, "heading") if not normal(n["text"])
    ],
    "root_children_min": lambda seen, wanted: (
        [] if sum(node["parent"] == "doc" for node in seen.nodes) >= wanted else ["too few"]
    ),
    "both_inputs_same_nodes": _same_nodes,
    "empty_input_status_in": _empty_status,
    "dropped_items": lambda seen, wanted: [] if len(seen.dropped) >= len(wanted) else [str(seen.dropped)],
    "no_control_characters": _control_characters,
    "figures_flagged_missing": _flagged_missing,
    "files_opened_outside_doc_dir": _outside,
}
