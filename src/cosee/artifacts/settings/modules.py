"""Modules that an ablation switches off: ``without:`` of a method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

Module = Literal[
    "planner", "board", "bm25f", "dense", "sections", "section_variants", "tree", "graph", "rerank", "rewriting",
    "finance", "named_places", "second_pages", "page_views", "ocr", "page_text", "page_images",
]  # fmt: skip

SEARCH_SWITCHES: Mapping[Module, Mapping[str, Any]] = {
    "sections": {"sections": False},
    "section_variants": {"section_variants": False},
    "tree": {"sections": False, "expansion": False, "weights": {"tree_prior": 0.0}},
    "graph": {"expansion": False},
    "rerank": {"rerank": False},
    "rewriting": {"rewriting": False},
    "finance": {"finance": False},
    "named_places": {"named_places": False},
    "second_pages": {"second_pages": False},
    "page_views": {"page_views": False},
    "ocr": {"ocr": False},
}
"""Module -> the retrieval settings that it means."""
CHANNELS: Mapping[Module, str] = {"bm25f": "sparse", "dense": "dense"}
"""Module -> the channel of the search that it means."""
SEARCH: frozenset[Module] = frozenset((*SEARCH_SWITCHES, *CHANNELS))
PAGES: frozenset[Module] = frozenset(("page_text", "page_images"))
READING: frozenset[Module] = PAGES | {"ocr"}
"""Modules that decide what of a page is read, whichever pages are."""
