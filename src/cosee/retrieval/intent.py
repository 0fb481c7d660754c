"""What a question is after: tables and units, figures and trends, concepts; and what it names outright."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from cosee.artifacts.documents.doctree import DocTree
from cosee.index.features import units_in
from cosee.index.references import page_mentions
from cosee.retrieval.rewriting import Query
from cosee.text.mentions import Mention, mentions

IntentKind = Literal["table", "figure", "concept"]

# General knowledge: the parts of a table, words of amount, and how the languages ask for a number.
_TABLE = re.compile(
    r"\b(?:tables?|columns?|rows?|cells?|how much|how many|"
    r"total|amounts?|percent(?:age)?|ratio|rate|value of|number of|sum|average|tabelle|spalte|wie viele?)\b|[%$€£¥]"
    r"|多少|表格?|列|总额|いくつ|いくら",
    re.IGNORECASE,
)
# General knowledge: the names of pictures and charts and of their parts, and words for change over time.
_FIGURE = re.compile(
    r"\b(?:figures?|fig\.|charts?|graphs?|plots?|diagrams?|images?|pictures?|photos?|maps?|legend|axis|curves?|bars?|"
    r"pie|"
    r"over time|increase[ds]?|decrease[ds]?|colou?rs?|logo|icon|screenshot|abbildung|"
    r"diagramm)\b|图|圖|図|グラフ",
    re.IGNORECASE,
)
# General knowledge: how the languages ask for a definition, a reason or a summary.
_CONCEPT = re.compile(
    r"\b(?:what (?:is|are) (?:the )?(?:definition|meaning|purpose|aim|goal|difference)|define[ds]?|definition|means?|"
    r"meaning|explain\w*|describe[ds]?|why|concept|overview|summar\w+|main (?:idea|point|topic|contribution)s?|"
    r"introduc\w+|warum|was ist|erkläre?)\b|什么是|定义|为什么|とは|なぜ",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Intent:
    """What a question asks for, and where that is likely found.

    ``roles`` are preferred, ``affordances`` wanted, ``variants`` the section variants that count. ``filters`` are facet
    values that raise a hit (never exclude one). ``pages`` holds, for each page that the question names, the 0-based
    pages it can mean.
    """

    kinds: tuple[IntentKind, ...]
    roles: tuple[str, ...]
    variants: tuple[str, ...]
    affordances: tuple[str, ...]
    filters: dict[str, str] = field(default_factory=dict)
    terms: dict[str, float] = field(default_factory=dict)
    """The question's own search terms and their weights."""
    units: tuple[str, ...] = ()
    labels: tuple[Mention, ...] = ()
    pages: tuple[tuple[int, ...], ...] = ()


_ROLES = {"table": ("table", "section"), "figure": ("image", "caption"), "concept": ("section", "paragraph", "list")}
_VARIANTS = {"table": ("child",), "figure": ("child",), "concept": ("heading", "path", "gist")}
_AFFORDANCES = {
    "table": ("supports_LOOKUP", "supports_ROUTE_TO_table"),
    "figure": ("supports_TREND", "supports_ROUTE_TO_image"),
    "concept": (),
}


def detect_intent(query: Query, tree: DocTree) -> Intent:
    """The intents of a question; ``concept`` where nothing says otherwise."""
    text = query.text
    named = mentions(text)
    kinds: list[IntentKind] = []
    if _TABLE.search(text) or any(each.kind == "table" for each in named) or units_in(text):
        kinds.append("table")
    if _FIGURE.search(text) or any(each.kind in ("figure", "chart") for each in named):
        kinds.append("figure")
    if _CONCEPT.search(text) or not kinds:
        kinds.append("concept")
    return Intent(
        kinds=tuple(kinds),
        roles=_merged(kinds, _ROLES),
        variants=_merged(kinds, _VARIANTS),
        affordances=_merged(kinds, _AFFORDANCES),
        filters={"chart_type": "statistical"} if "figure" in kinds else {},
        terms=dict(query.own_terms),
        units=tuple(units_in(text)),
        labels=tuple(named),
        pages=tuple(tuple(places) for places in page_mentions(text, tree)),
    )


def _merged(kinds: list[IntentKind], table: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for kind in kinds for value in table[kind]))
