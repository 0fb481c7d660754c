"""Judges what was read of one document against the expectation of a case.

A case is a folder with an input and ``expected.json``; ``expect`` holds keys, each of them one demand. The document is
given in a neutral form (``Observed``), so that any reader can be judged. A key without a rule here is not judged.
"""

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
    section, parent, flags, page_span``; ``refs``: ``src_text, label``; ``furniture``: texts taken off the pages;
    ``is_indexed`` tells whether a search for a word can find something.
    """

    status: str
    reason: str | None = None
    pages: list[dict[str, Any]] = field(default_factory=list)
    nodes: list[dict[str, Any]] = field(default_factory=list)
    refs: list[dict[str, Any]] = field(default_factory=list)
    furniture: list[str] = field(default_factory=list)
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


def check(expect: dict[str, Any], seen: Observed) -> tuple[dict[str, Failures], list[str]]:
    """Failing key -> what was found instead, and the keys that were not judged."""
    from benchmarks import case_artifact_rules, case_source_rules

    others = case_source_rules.RULES | case_artifact_rules.RULES
    failing: dict[str, Failures] = {}
    unjudged: list[str] = []
    # ``status_in`` widens a plain ``status`` that stands beside it.
    skipped = {"headings_optional", *(("status",) if "status_in" in expect else ())}
    for key, wanted in expect.items():
        if key in skipped:
            continue
        rule, source_rule = _RULES.get(key), others.get(key)
        if rule is not None:
            found = rule(_View(seen, expect), wanted)
        elif source_rule is not None:
            found = source_rule(seen, wanted)
        else:
            unjudged.append(key)
            continue
        if found:
            failing[key] = found
    return failing, unjudged


def normal(text: object) -> str:
    """Text as it is compared: NFKC, single spaces."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", str(text))).strip()


class _View:
    """Lookups that several rules share."""

    def __init__(self, seen: Observed, expect: dict[str, Any]) -> None:
        self.seen = seen
        self.expect = expect
        self.body = [node for node in seen.nodes if node["role"] in BODY]
        self.text = " \n ".join(full_text(node) for node in self.body)

    def of(self, *roles: str) -> list[dict[str, Any]]:
        return [node for node in self.seen.nodes if node["role"] in roles]

    def holding(self, text: str) -> list[dict[str, Any]]:
        return [node for node in self.seen.nodes if normal(text) in full_text(node)]


def full_text(node: dict[str, Any]) -> str:
    """Everything that a node says: text, caption, cells."""
    cells = [cell for row in node.get("rows") or [] for cell in row]
    return normal(" ".join(str(part) for part in (node.get("text") or "", node.get("caption") or "", *cells)))


def _headings(view: _View, wanted: list[dict[str, Any]]) -> Failures:
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


def _headings_required(view: _View, wanted: list[dict[str, Any]]) -> Failures:
    found = {(normal(node["text"]), node["level"]) for node in view.of("heading")}
    return [entry["text"] for entry in wanted if (normal(entry["text"]), entry["level"]) not in found]


def _order(view: _View, wanted: list[list[str]]) -> Failures:
    places = [
        (first, second, view.text.find(normal(first)), view.text.find(normal(second))) for first, second in wanted
    ]
    return [f"{first!r} at {i}, {second!r} at {j}" for first, second, i, j in places if i < 0 or j < 0 or i >= j]


def _media(view: _View, role: str, wanted: list[dict[str, Any]]) -> Failures:
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


def _page_flags(view: _View, wanted: dict[str, list[str]], *, present: bool) -> Failures:
    pages = view.seen.pages
    return [
        f"page {page}: {flag}"
        for page, flags in wanted.items()
        for flag in flags
        if (int(page) <= len(pages) and flag in pages[int(page) - 1]["flags"]) != present
    ]


def _inside(view: _View, wanted: bool) -> Failures:
    failures = []
    for node in view.seen.nodes:
        page = view.seen.pages[node["page"] - 1]
        x0, y0, x1, y1 = node["bbox"] or (0, 0, 0, 0)
        if not (-1 <= x0 <= x1 <= page["w"] + 1 and -1 <= y0 <= y1 <= page["h"] + 1):
            failures.append(node["id"])
    return failures


def _refs(view: _View, wanted: list[dict[str, Any]]) -> Failures:
    return [
        str(entry)
        for entry in wanted
        if not any(
            normal(entry["text_contains"]) in normal(ref["src_text"]) and normal(entry["label"]) == normal(ref["label"])
            for ref in view.seen.refs
        )
    ]


def _tree(view: _View, wanted: dict[str, list[str]]) -> Failures:
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


def _parent_of(view: _View, wanted: dict[str, str]) -> Failures:
    titles = {node["id"]: node["text"] for node in view.of("heading")}
    found = {node["text"]: titles.get(node["parent"]) for node in view.of("heading")}
    return [f"{child}: {found.get(child)}" for child, parent in wanted.items() if found.get(child) != parent]


def _same_role(view: _View, wanted: list[list[str]]) -> Failures:
    failures = []
    for group in wanted:
        found = [
            {(node["role"], node["level"] if node["role"] == "heading" else 0) for node in view.holding(text)}
            for text in group
        ]
        if any(len(roles) == 0 for roles in found) or len(set.union(*found)) != 1:
            failures.append(str(dict(zip(group, found, strict=True))))
    return failures


def _containing(view: _View, role: str, wanted: list[dict[str, str]]) -> Failures:
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


def _lookups(view: _View, wanted: list[dict[str, Any]]) -> Failures:
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


def _same_order(view: _View, wanted: list[str]) -> Failures:
    return [
        f"{name}: {first!r} after {second!r}"
        for name in wanted
        for first, second in view.expect["order"]
        if not 0 <= view.seen.orders.get(name, "").find(normal(first)) < view.seen.orders[name].find(normal(second))
    ]


def _growth(view: _View, limit: float) -> Failures:
    return [] if view.seen.growth is not None and view.seen.growth <= limit else [str(view.seen.growth)]


def _furniture(view: _View, wanted: dict[str, list[str]] | list[str]) -> Failures:
    texts = wanted if isinstance(wanted, list) else [text for group in wanted.values() for text in group]
    held = [normal(text) for text in view.seen.furniture]
    return [text for text in texts if not any(normal(text) in other for other in held)]


def _toc_entries(view: _View, wanted: list[list[str]]) -> Failures:
    text = normal(" ".join(node["text"] for node in view.of("toc")))
    return [
        f"{title} {page}" for title, page in wanted if not re.search(rf"{re.escape(normal(title))}\W*{page}\b", text)
    ]


def _page_roles(view: _View, wanted: dict[str, str]) -> Failures:
    return [
        f"page {page}" for page, role in wanted.items() if not any(node["page"] == int(page) for node in view.of(role))
    ]


def _text_absent(view: _View, wanted: list[str]) -> Failures:
    plain = " ".join(str(node["text"]) for node in view.body)
    return [text for text in wanted if (text in plain if len(text) == 1 else normal(text) in view.text)]


def _absent_paragraphs(view: _View, wanted: list[str]) -> Failures:
    held = {full_text(node) for node in view.of("paragraph", "list", "code")}
    return [text for text in wanted if normal(text) in held]


def _contain_paragraphs(view: _View, wanted: list[str]) -> Failures:
    held = [full_text(node) for node in view.of("paragraph", "list", "code")]
    return [text for text in wanted if not any(normal(text) in other for other in held)]


def _once(view: _View, wanted: bool) -> Failures:
    titles = [normal(node["text"]) for node in view.of("heading")]
    return sorted({title for title in titles if titles.count(title) > 1})


def _section_of(view: _View, wanted: dict[str, str]) -> Failures:
    return [
        f"{text} in {[node['section'] for node in view.holding(text)]}"
        for text, title in wanted.items()
        if not any(normal(node["section"]) == normal(title) for node in view.holding(text))
    ]


def _equal(get: Callable[[_View], Any]) -> Callable[[_View, Any], Failures]:
    return lambda view, wanted: [] if get(view) == wanted else [str(get(view))]


def _member(get: Callable[[_View], Any]) -> Callable[[_View, Any], Failures]:
    return lambda view, wanted: [] if get(view) in wanted else [str(get(view))]


def _at_most(get: Callable[[_View], float]) -> Callable[[_View, Any], Failures]:
    return lambda view, wanted: [] if get(view) <= wanted else [f"{get(view):.1f}"]


def _present(view: _View, wanted: list[str]) -> Failures:
    return [text for text in wanted if normal(text) not in view.text]


_RULES: dict[str, Callable[[_View, Any], Failures]] = {
    "status": _equal(lambda view: view.seen.status),
    "status_in": _member(lambda view: view.seen.status),
    "reason": _equal(lambda view: view.seen.reason),
    "reason_in": _member(lambda view: view.seen.reason),
    "page_count": _equal(lambda view: len(view.seen.pages)),
    "page_sizes": _equal(lambda view: [[round(page["w"]), round(page["h"])] for page in view.seen.pages]),
    "page_labels": _equal(lambda view: [page["label"] for page in view.seen.pages]),
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
    "figure_count": _equal(lambda view: len(view.of("figure"))),
    "image_placements": _equal(lambda view: len(view.of("figure"))),
    "table_count": _equal(lambda view: len(view.of("table"))),
    "figures": lambda view, wanted: _media(view, "figure", wanted),
    "tables": lambda view, wanted: _media(view, "table", wanted),
    "page_flags": lambda view, wanted: _page_flags(view, wanted, present=True),
    "page_flags_absent": lambda view, wanted: _page_flags(view, wanted, present=False),
    "refs": _refs,
    "section_of": _section_of,
    "tree": _tree,
    "parent_of": _parent_of,
    "same_role": _same_role,
    "equations": lambda view, wanted: _containing(view, "equation", wanted),
    "footnotes": lambda view, wanted: _containing(view, "footnote", wanted),
    "lookups": _lookups,
    "furniture": _furniture,
    "attachments_listed": lambda view, wanted: [
        name for name in wanted if not any(name in held for held in view.seen.attachments)
    ],
    "furniture_contains": _furniture,
    "toc_entries": _toc_entries,
    "page_roles": _page_roles,
    "not_in_prompts": lambda view, wanted: [text for text in wanted if normal(text) in view.seen.indexed_text],
    "not_indexed_as_content": lambda view, wanted: [t for t in wanted if normal(t) in view.seen.indexed_text],
    "index_terms": lambda view, wanted: [word for word in wanted if not view.seen.is_indexed(word)],
    "index_terms_absent": lambda view, wanted: [word for word in wanted if view.seen.is_indexed(word)],
    "all_bboxes_inside_page": _inside,
    "node_count_min": lambda view, wanted: [] if len(view.seen.nodes) >= wanted else [str(len(view.seen.nodes))],
    "same_order_in": _same_order,
    "peak_rss_growth_vs_120_pages_max": _growth,
    "max_seconds": _at_most(lambda view: view.seen.seconds),
    "max_rss_mb": _at_most(lambda view: view.seen.peak_rss_mb),
}
