"""Demands on the outcome, its cost, the pages, what was taken off them, and what a search finds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from benchmarks.case_rules.observed import Failures, View, at_most, equal, member, normal


def _page_flags(view: View, wanted: dict[str, list[str]], *, present: bool) -> Failures:
    pages = view.seen.pages
    return [
        f"page {page}: {flag}"
        for page, flags in wanted.items()
        for flag in flags
        if (int(page) <= len(pages) and flag in pages[int(page) - 1]["flags"]) != present
    ]


def _page_roles(view: View, wanted: dict[str, str]) -> Failures:
    return [
        f"page {page}" for page, role in wanted.items() if not any(node["page"] == int(page) for node in view.of(role))
    ]


def _inside(view: View, wanted: bool) -> Failures:
    failures = []
    for node in view.seen.nodes:
        page = view.seen.pages[node["page"] - 1]
        x0, y0, x1, y1 = node["bbox"] or (0, 0, 0, 0)
        if not (-1 <= x0 <= x1 <= page["w"] + 1 and -1 <= y0 <= y1 <= page["h"] + 1):
            failures.append(node["id"])
    return failures


def _furniture(view: View, wanted: dict[str, list[str]] | list[str]) -> Failures:
    texts = wanted if isinstance(wanted, list) else [text for group in wanted.values() for text in group]
    held = [normal(text) for text in view.seen.furniture]
    return [text for text in texts if not any(normal(text) in other for other in held)]


def _toc_entries(view: View, wanted: list[list[str]]) -> Failures:
    text = normal(" ".join(node["text"] for node in view.of("toc")))
    return [
        f"{title} {page}" for title, page in wanted if not re.search(rf"{re.escape(normal(title))}\W*{page}\b", text)
    ]


def _refs(view: View, wanted: list[dict[str, Any]]) -> Failures:
    """Each mention with the ``label`` or the ``target_caption`` of what it means."""
    names = {"label": "label", "target_caption": "caption"}
    return [
        str(entry)
        for entry in wanted
        if not any(
            all(normal(entry[key]) == normal(ref.get(name)) for key, name in names.items() if key in entry)
            for ref in _refs_in(view, entry["text_contains"])
        )
    ]


def _refs_in(view: View, text: str) -> list[dict[str, Any]]:
    return [ref for ref in view.seen.refs if normal(text) in normal(ref["src_text"])]


def _ref_numbers(view: View, wanted: dict[str, list[str]]) -> Failures:
    found = {text: [ref["number"] for ref in _refs_in(view, text)] for text in wanted}
    return [f"{text}: {numbers}" for text, numbers in found.items() if numbers != wanted[text]]


def _page_meta(view: View, wanted: dict[str, dict[str, str]]) -> Failures:
    """What was taken off the top of a page, by page."""
    return [
        f"page {page}: {entry['header_contains']}"
        for page, entry in wanted.items()
        if not any(
            item["page"] == int(page)
            and item["reason"] == "header"
            and normal(entry["header_contains"]) in normal(item["text"])
            for item in view.seen.dropped
        )
    ]


def _growth(view: View, limit: float) -> Failures:
    return [] if view.seen.growth is not None and view.seen.growth <= limit else [str(view.seen.growth)]


RULES: dict[str, Callable[[View, Any], Failures]] = {
    "status": equal(lambda view: view.seen.status),
    "status_in": member(lambda view: view.seen.status),
    "reason": equal(lambda view: view.seen.reason),
    "reason_in": member(lambda view: view.seen.reason),
    "page_count": equal(lambda view: len(view.seen.pages)),
    "page_sizes": equal(lambda view: [[round(page["w"]), round(page["h"])] for page in view.seen.pages]),
    "page_labels": equal(lambda view: [page["label"] for page in view.seen.pages]),
    "page_flags": lambda view, wanted: _page_flags(view, wanted, present=True),
    "page_flags_absent": lambda view, wanted: _page_flags(view, wanted, present=False),
    "refs": _refs,
    "ref_numbers": _ref_numbers,
    "id_map_keeps_both": lambda view, wanted: (
        [] if any(len(ids) > 1 for ids in view.seen.labels.values()) == wanted else [str(view.seen.labels)]
    ),
    "page_meta": _page_meta,
    "decorations_max": at_most(lambda view: sum(item["reason"] == "decoration" for item in view.seen.dropped)),
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
    "peak_rss_growth_vs_120_pages_max": _growth,
    "max_seconds": at_most(lambda view: view.seen.seconds),
    "max_rss_mb": at_most(lambda view: view.seen.peak_rss_mb),
}
