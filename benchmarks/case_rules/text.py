"""Demands on headings and their tree, on what the text says, and in which order."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from benchmarks.case_rules.observed import Failures, View, full_text, normal


def _headings(view: View, wanted: list[dict[str, Any]]) -> Failures:
    optional = {normal(text) for text in view.expect.get("headings_optional", [])}
    found = [node for node in view.of("heading") if normal(node["text"]) not in optional]
    titles = [normal(node["text"]) for node in found]
    if titles != [normal(entry["text"]) for entry in wanted]:
        return [str(titles)]
    return [
        f"{entry['text']}: level {node['level']}, page {node['page']}"
        for node, entry in zip(found, wanted, strict=True)
        if node["level"] != entry["level"] or (entry.get("page") and node["page"] != entry["page"])
    ]


def _headings_required(view: View, wanted: list[dict[str, Any]]) -> Failures:
    found = {(normal(node["text"]), node["level"]) for node in view.of("heading")}
    return [entry["text"] for entry in wanted if (normal(entry["text"]), entry["level"]) not in found]


def _once(view: View, wanted: bool) -> Failures:
    titles = [normal(node["text"]) for node in view.of("heading")]
    return sorted({title for title in titles if titles.count(title) > 1})


def _tree(view: View, wanted: dict[str, list[str]]) -> Failures:
    titles = {node["id"]: normal(node["text"]) for node in view.of("heading")}
    children: dict[str, list[str]] = {title: [] for title in titles.values()}
    for node in view.of("heading"):
        if node["parent"] in titles:
            children[titles[node["parent"]]].append(titles[node["id"]])
    return [
        f"{title}: {children.get(normal(title))}"
        for title, held in wanted.items()
        if children.get(normal(title)) != held
    ]


def _parent_of(view: View, wanted: dict[str, str]) -> Failures:
    titles = {node["id"]: node["text"] for node in view.of("heading")}
    found = {node["text"]: titles.get(node["parent"]) for node in view.of("heading")}
    return [f"{child}: {found.get(child)}" for child, parent in wanted.items() if found.get(child) != parent]


def _section_of(view: View, wanted: dict[str, str]) -> Failures:
    return [
        f"{text} in {[node['section'] for node in view.holding(text)]}"
        for text, title in wanted.items()
        if not any(normal(node["section"]) == normal(title) for node in view.holding(text))
    ]


def _same_role(view: View, wanted: list[list[str]]) -> Failures:
    failures = []
    for group in wanted:
        found = [
            {(node["role"], node["level"] if node["role"] == "heading" else 0) for node in view.holding(text)}
            for text in group
        ]
        if any(len(roles) == 0 for roles in found) or len(set.union(*found)) != 1:
            failures.append(str(dict(zip(group, found, strict=True))))
    return failures


def _present(view: View, wanted: list[str]) -> Failures:
    return [text for text in wanted if normal(text) not in view.text]


def _text_absent(view: View, wanted: list[str]) -> Failures:
    plain = " ".join(str(node["text"]) for node in view.body)
    return [text for text in wanted if (text in plain if len(text) == 1 else normal(text) in view.text)]


def _absent_paragraphs(view: View, wanted: list[str]) -> Failures:
    held = {full_text(node) for node in view.of("paragraph", "list", "code")}
    return [text for text in wanted if normal(text) in held]


def _contain_paragraphs(view: View, wanted: list[str]) -> Failures:
    held = [full_text(node) for node in view.of("paragraph", "list", "code")]
    return [text for text in wanted if not any(normal(text) in other for other in held)]


def _order(view: View, wanted: list[list[str]]) -> Failures:
    places = [
        (first, second, view.text.find(normal(first)), view.text.find(normal(second))) for first, second in wanted
    ]
    return [f"{first!r} at {i}, {second!r} at {j}" for first, second, i, j in places if i < 0 or j < 0 or i >= j]


def _same_order(view: View, wanted: list[str]) -> Failures:
    return [
        f"{name}: {first!r} after {second!r}"
        for name in wanted
        for first, second in view.expect["order"]
        if not 0 <= view.seen.orders.get(name, "").find(normal(first)) < view.seen.orders[name].find(normal(second))
    ]


def _containing(view: View, role: str, wanted: list[dict[str, str]]) -> Failures:
    return [
        str(entry)
        for entry in wanted
        if not any(
            normal(entry["contains"]) in full_text(node)
            and entry.get("label") in (None, node.get("label"))
            and re.match(rf"\W*{re.escape(entry.get('marker', ''))}\b" if "marker" in entry else "", full_text(node))
            for node in view.of(role)
        )
    ]


RULES: dict[str, Callable[[View, Any], Failures]] = {
    "headings": _headings,
    "headings_required": _headings_required,
    "headings_absent": lambda view, wanted: [
        text for text in wanted if any(normal(text) in normal(node["text"]) for node in view.of("heading"))
    ],
    "each_heading_once": _once,
    "text_present": _present,
    "text_present_normalized": _present,
    "numbers_present": _present,
    "text_absent": _text_absent,
    "text_absent_must": _text_absent,
    "text_absent_should": _text_absent,
    "paragraphs_contain": _contain_paragraphs,
    "paragraphs_absent": _absent_paragraphs,
    "order": _order,
    "occurrences": lambda view, wanted: [
        f"{text}: {view.text.count(normal(text))}" for text, n in wanted.items() if view.text.count(normal(text)) != n
    ],
    "section_of": _section_of,
    "tree": _tree,
    "parent_of": _parent_of,
    "same_role": _same_role,
    "equations": lambda view, wanted: _containing(view, "equation", wanted),
    "footnotes": lambda view, wanted: _containing(view, "footnote", wanted),
    "same_order_in": _same_order,
}
