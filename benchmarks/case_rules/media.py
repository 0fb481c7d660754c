"""Demands on figures and tables: how many, where, their captions, cells and values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case_rules.observed import Failures, View, equal, full_text, normal


def _media(view: View, role: str, wanted: list[dict[str, Any]]) -> Failures:
    failures: Failures = []
    for entry in wanted:
        found = [
            node
            for node in view.of(role)
            if (not entry.get("label") or normal(node.get("label")) == normal(entry["label"]))
            and (not entry.get("page") or node["page"] == entry["page"])
        ]
        if len(found) != 1:
            failures.append(f"{entry.get('label')}: found {len(found)}")
        else:
            failures += _medium(found[0], entry)
    return failures


def _medium(node: dict[str, Any], entry: dict[str, Any]) -> Failures:
    failures: Failures = []
    caption, rows = normal(node.get("caption") or ""), [[normal(c) for c in row] for row in node.get("rows") or []]
    members = len(node.get("members") or [])
    if "caption" in entry and caption != normal(entry["caption"]):
        failures.append(f"caption {caption!r}")
    if "caption_contains" in entry and normal(entry["caption_contains"]) not in caption:
        failures.append(f"caption {caption!r}")
    tolerance = entry.get("bbox_tol", 12)
    if "bbox" in entry and not all(
        abs(a - b) <= tolerance for a, b in zip(node["bbox"] or [1e9] * 4, entry["bbox"], strict=True)
    ):
        failures.append(f"bbox {node['bbox']}")
    if "members" in entry and members != entry["members"] or members < entry.get("members_min", 0):
        failures.append(f"{members} members")
    if entry.get("rows") and rows != [[normal(cell) for cell in row] for row in entry["rows"]]:
        failures.append(f"rows {rows}")
    if "body" in entry and rows[-len(entry["body"]) :] != [[normal(c) for c in row] for row in entry["body"]]:
        failures.append(f"rows {rows}")
    if "n_cols" in entry and any(len(row) != entry["n_cols"] for row in rows):
        failures.append(f"columns {[len(row) for row in rows]}")
    if "page_span" in entry and list(node["page_span"]) != entry["page_span"]:
        failures.append(f"page_span {node['page_span']}")
    failures += _medium_parts(node, rows, entry)
    failures += [f"without {text!r}" for text in entry.get("contains_text", []) if text not in full_text(node)]
    failures += [f"no flag {flag}" for flag in entry.get("flags", []) if flag not in node["flags"]]
    for name, values in entry.get("column_values", {}).items():
        column = next((n for n, cell in enumerate(rows[0]) if cell == normal(name)), None) if rows else None
        if column is None or [row[column] for row in rows[1:]] != [normal(value) for value in values]:
            failures.append(f"column {name}: {rows}")
    return failures


def _medium_parts(node: dict[str, Any], rows: list[list[str]], entry: dict[str, Any]) -> Failures:
    """Kind of a figure; headers, size and pictures of a table."""
    failures: Failures = []
    header_rows = node.get("header_rows") or 0
    if entry.get("kind") == "vector" and "vector" not in node["flags"]:
        failures.append(f"kind: flags {node['flags']}")
    if "header" in entry and rows[:header_rows] != ([entry["header"]] if entry["header"] else []):
        failures.append(f"header {rows[:header_rows]}")
    if "n_rows" in entry and len(rows) - header_rows != entry["n_rows"]:
        failures.append(f"{len(rows) - header_rows} rows")
    if "header_paths" in entry:
        paths = [" ".join(dict.fromkeys(filter(None, column))) for column in zip(*rows[:header_rows], strict=True)]
        if paths != entry["header_paths"]:
            failures.append(f"header paths {paths}")
    if "images_in_cells" in entry and len(node.get("pictures") or []) != entry["images_in_cells"]:
        failures.append(f"{len(node.get('pictures') or [])} pictures in cells")
    return failures


def _lookups(view: View, wanted: list[dict[str, Any]]) -> Failures:
    """A value at a row's label and a column's name (a name of several words may stand in several header rows)."""
    failures = []
    for entry in wanted:
        tables = view.of("table")
        chosen = (
            tables[entry["table"] : entry["table"] + 1]
            if isinstance(entry["table"], int)
            else [node for node in tables if node.get("label") == entry["table"]]
        )
        if not any(_looked_up(node["rows"] or [], entry) for node in chosen):
            failures.append(str(entry))
    return failures


def _looked_up(rows: list[list[str]], entry: dict[str, Any]) -> bool:
    if not rows:
        return False
    rows = [[normal(cell) for cell in row] for row in rows]
    at = next((n for n, row in enumerate(rows) if normal(entry["row"]) in row), len(rows))
    columns = range(len(rows[0]))
    if isinstance(entry["column"], int):
        columns = range(entry["column"], entry["column"] + 1)
    else:
        paths = [" ".join(row[n] for row in rows[:at]) for n in columns]
        columns_of = [n for n in columns if set(normal(entry["column"]).split()) <= set(paths[n].split())]
        return any(at < len(rows) and rows[at][n] == normal(entry["value"]) for n in columns_of)
    return any(at < len(rows) and n < len(rows[at]) and rows[at][n] == normal(entry["value"]) for n in columns)


RULES: dict[str, Callable[[View, Any], Failures]] = {
    "figure_count": equal(lambda view: len(view.of("figure"))),
    "image_placements": equal(lambda view: len(view.of("figure"))),
    "table_count": equal(lambda view: len(view.of("table"))),
    "figures": lambda view, wanted: _media(view, "figure", wanted),
    "tables": lambda view, wanted: _media(view, "table", wanted),
    "lookups": _lookups,
}
