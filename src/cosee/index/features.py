"""What a node offers beyond its words: units, numbers, affordances, aliases, filters, and a section's sketch."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any

from cosee.artifacts.documents.doctree import Node
from cosee.artifacts.documents.index import SubtreeSketch
from cosee.index.thresholds import LONGEST_RUN, SKETCH_KEYWORDS, TREND_PERIODS, TREND_YEARS_OF_TEXT
from cosee.index.view import IndexView, media_text, searchable_text
from cosee.text.mentions import parse_label
from cosee.text.months import MONTH
from cosee.text.scripts import UNSPACED
from cosee.text.stop_words import STOP_WORDS
from cosee.text.tokens import analyze

_LATIN_WORD = re.compile(r"[a-z]+")
# General knowledge: the units of the SI and those used beside it, magnitudes and currencies, with their signs.
_UNIT_FORMS = {
    "%": (
        "% per percent percents percentage percentages pct",
        r"%|(?<=\d )per ?cents?\b|(?<=\d )pct\b|\bpercent(?:age)?s?\b",
    ),
    "ms": ("ms millisecond milliseconds", r"(?<=[\d(\[ ])ms\b|\bmilliseconds?\b"),
    "s": ("s second seconds", r"(?<=\d )s\b|\(s\)|\bseconds?\b"),
    "min": ("min minute minutes", r"(?<=\d )min\b|\(min\)|\bminutes?\b"),
    "h": ("h hr hrs hour hours", r"(?<=\d )h(?:rs?)?\b|\(h\)|\bhours?\b"),
    "kg": ("kg kilogram kilograms", r"(?<=[\d( ])kg\b|\bkilograms?\b"),
    "g": ("g gram grams", r"(?<=\d )g\b|(?<=\d)g\b|\(g\)|\bgrams?\b"),
    "t": ("t tonne tonnes", r"(?<=\d )t\b|\btonnes?\b"),
    "km": ("km kilometre kilometres kilometer kilometers", r"(?<=[\d( ])km\b|\bkilomet(?:re|er)s?\b"),
    "m": ("m metre metres meter meters", r"(?<=\d )m\b|\(m\)|\bmet(?:re|er)s?\b"),
    "cm": ("cm", r"(?<=[\d( ])cm\b"),
    "mm": ("mm", r"(?<=[\d( ])mm\b"),
    "GB": ("gb gigabyte gigabytes", r"(?<=[\d( ])GB\b|\bgigabytes?\b"),
    "MB": ("mb megabyte megabytes", r"(?<=[\d( ])MB\b|\bmegabytes?\b"),
    "kWh": ("kwh", r"(?<=[\d( ])kWh\b"),
    "MW": ("mw megawatt megawatts", r"(?<=[\d( ])MW\b|\bmegawatts?\b"),
    "W": ("w watt watts", r"(?<=\d )W\b|\bwatts?\b"),
    "V": ("v volt volts", r"(?<=\d )V\b|\bvolts?\b"),
    "Hz": ("hz khz mhz ghz", r"(?<=[\d( ])[kMG]?Hz\b"),
    "°C": ("° ℃", r"°\s?C\b|℃"),
    "°F": ("°", r"°\s?F\b"),
    "$": ("$ usd dollar dollars", r"\$|\bUSD\b|\bdollars?\b"),
    "€": ("€ eur euro euros", r"€|\bEUR\b|\beuros?\b"),
    "£": ("£ gbp pounds", r"£|\bGBP\b|\bpounds\b"),
    "¥": ("¥ jpy cny rmb yen 元", r"¥|\bJPY\b|\bCNY\b|\bRMB\b|\byen\b|元"),
    "thousand": ("thousand thousands 千", r"\bthousands?\b|千"),
    "million": ("million millions 百万", r"\bmillions?\b|百万"),
    "billion": ("billion billions 十亿 億", r"\bbillions?\b|十亿|億"),
    "dB": ("db", r"(?<=[\d( ])dB\b"),
}
"""Unit -> words and signs of which every text with the unit has one, and the pattern of its forms. Patterns are slow:
each is tried only on a text that has one of the words."""
_UNITS = [
    (
        unit,
        frozenset(word for word in words.split() if _LATIN_WORD.fullmatch(word)),
        [sign for sign in words.split() if not _LATIN_WORD.fullmatch(sign)],
        re.compile(form, re.IGNORECASE if form.isascii() and len(unit) > 2 else 0),
    )
    for unit, (words, form) in _UNIT_FORMS.items()
]
_NUMBER = re.compile(r"\d")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
# General knowledge: years, quarters and the months with their abbreviations.
_PERIOD = re.compile(rf"\b(?:(?:19|20)\d\d|q[1-4]|{MONTH})\b", re.IGNORECASE)
# General knowledge: the commonest verbs of rise and fall in all their forms, and words for the course of time.
_TREND = re.compile(
    r"\b(?:trends?|over time|increas\w+|decreas\w+|grow(?:th|s|n|ing)?|grew|declin\w+|rises?|rising|rose|risen|"
    r"falls?|falling|fell|fallen|per year|"
    r"annual(?:ly)?|since (?:19|20)\d\d|year[- ]over[- ]year|entwicklung|anstieg)\b|增长|下降|趋势|推移",
    re.IGNORECASE,
)
# General knowledge: comparatives and superlatives of amount, and conjunctions of comparison.
_COMPARE = re.compile(
    r"\b(?:compar\w+|versus|vs|than|higher|lower|larger|smaller|more|less|fewer|greater|whereas|highest|lowest|best|worst|"
    r"vergleich\w*|höher|niedriger)\b|比较|高于|低于",
    re.IGNORECASE,
)
_ALIASES = (
    ("pct", "percent", "%"), ("ms", "millisecond"), ("s", "sec", "second"), ("min", "minute"),
    ("avg", "average", "mean"), ("std", "standard deviation"), ("max", "maximum", "highest"),
    ("min", "minimum", "lowest"), ("qty", "quantity"), ("no", "number"), ("temp", "temperature"),
    ("freq", "frequency"),
    ("yoy", "year over year"), ("q1", "first quarter"), ("q2", "second quarter"), ("q3", "third quarter"),
    ("q4", "fourth quarter"), ("fy", "fiscal year"), ("r&d", "research and development"),
    ("capex", "capital expenditure"),
    ("opex", "operating expense"), ("cogs", "cost of goods sold", "cost of sales"), ("eps", "earnings per share"),
    ("ppe", "pp&e", "property plant and equipment"), ("ceo", "chief executive officer"),
    ("cfo", "chief financial officer"), ("fig", "figure"), ("dept", "department"), ("govt", "government"),
    ("intl", "international"), ("approx", "approximately"), ("usd", "dollar", "$"), ("eur", "euro", "€"),
    ("gbp", "pound", "£"), ("kg", "kilogram"), ("km", "kilometer", "kilometre"), ("gb", "gigabyte"),
    ("mb", "megabyte"), ("pop", "population"), ("gdp", "gross domestic product"), ("us", "united states", "usa"),
    ("uk", "united kingdom"), ("eu", "european union"),
)  # fmt: skip
"""General knowledge: abbreviations that dictionaries list, with what they stand for: of units, quantities, currencies,
periods, accounts, offices and states."""


def units_in(text: str) -> list[str]:
    """Units that ``text`` uses, in alphabetical order."""
    return list(_units_in(text))


@lru_cache(maxsize=50_000)
def _units_in(text: str) -> tuple[str, ...]:
    words = set(_LATIN_WORD.findall(text.lower()))
    return tuple(
        sorted(
            unit
            for unit, own_words, signs, form in _UNITS
            if (not words.isdisjoint(own_words) or any(sign in text for sign in signs)) and form.search(text)
        )
    )


def has_numbers(text: str) -> bool:
    """Whether there is any digit."""
    return _NUMBER.search(text) is not None


@cache
def _alias_forms() -> tuple[dict[str, list[int]], list[tuple[str, int]]]:
    """Analyzed form of one word -> the groups that have it; and forms of several words with their groups."""
    words: dict[str, list[int]] = {}
    phrases: list[tuple[str, int]] = []
    for number, group in enumerate(_ALIASES):
        for form in group:
            terms = analyze(form)
            if len(terms) == 1:
                words.setdefault(terms[0], []).append(number)
            else:
                phrases.append((f" {' '.join(terms)} ", number))
    return words, phrases


def aliases_for(text: str) -> str:
    """Other names of what ``text`` names: every member of the groups of which it has one (``ms millisecond``)."""
    terms = analyze(text)
    words, phrases = _alias_forms()
    groups = {number for term in set(terms) for number in words.get(term, ())}
    padded = f" {' '.join(terms)} "
    groups.update(number for phrase, number in phrases if phrase in padded)
    return " ".join(dict.fromkeys(name for number in sorted(groups) for name in _ALIASES[number]))


def text_affordances(text: str) -> dict[str, bool]:
    """What a text can be used for; used for leaves and for a section's own text."""
    numbers = len(re.findall(r"\d[\d.,]*", text))
    return {
        "has_numbers": numbers > 0,
        "supports_COMPARE": numbers >= 2 and _COMPARE.search(text) is not None,
        "supports_LOOKUP": numbers >= 1 and (bool(units_in(text)) or re.search(r"\w:\s*\S", text) is not None),
        "supports_TREND": _TREND.search(text) is not None and len(set(_YEAR.findall(text))) >= TREND_YEARS_OF_TEXT,
    }


def table_affordances(node: Node) -> dict[str, bool]:
    """What a table can be used for: comparing wants two numeric rows or columns, a trend three periods."""
    rows = node.table.rows if node.table else []
    header_rows = node.table.header_rows if node.table else 0
    body = rows[header_rows:]
    numeric = [[has_numbers(cell) for cell in row[1:]] for row in body]
    numeric_rows = sum(any(row) for row in numeric)
    numeric_columns = sum(any(column) for column in zip(*numeric, strict=False)) if numeric else 0
    heads = " ".join(cell for row in rows[:header_rows] for cell in row)
    firsts = " ".join(row[0] for row in body if row)
    periods = max(len({found.lower() for found in _PERIOD.findall(text)}) for text in (heads, firsts))
    return {
        "has_numbers": any(any(row) for row in numeric) or has_numbers(firsts),
        "supports_COMPARE": numeric_rows >= 2 or numeric_columns >= 2,
        "supports_LOOKUP": bool(body) and any(cell.strip() for cell in rows[0]),
        "supports_TREND": periods >= TREND_PERIODS and numeric_rows >= 1,
    }


def image_affordances(node: Node) -> dict[str, bool]:
    """What an image can be used for; only statistical images compare or show a trend."""
    text = f"{node.title or ''} {media_text(node)}"
    chart = node.kind == "statistical"
    years = len(set(_YEAR.findall(text)))
    over_time = node.chart_form == "line" or years >= TREND_PERIODS or _TREND.search(text) is not None
    return {
        "has_numbers": has_numbers(media_text(node)) or chart,
        "supports_COMPARE": chart,
        "supports_LOOKUP": chart and has_numbers(media_text(node)),
        "supports_TREND": chart and node.chart_form != "pie" and over_time,
    }


def section_affordances(view: IndexView, section: Node) -> dict[str, bool]:
    """A section's own text and everything under it, and whether it leads to images or tables."""
    below = view.visible_subtree(section.id)
    found = text_affordances(view.own_text(section))
    for node in below:
        if node.type in ("image", "table"):
            one = table_affordances(node) if node.type == "table" else image_affordances(node)
            found = {name: value or one[name] for name, value in found.items()}
    found["supports_ROUTE_TO_image"] = any(node.type == "image" for node in below)
    found["supports_ROUTE_TO_table"] = any(node.type == "table" for node in below)
    return found


def leaf_filters(view: IndexView, node: Node, text: str) -> dict[str, Any]:
    """Facets of a leaf's chunk."""
    filters: dict[str, Any] = {"page_idx": node.page_idx, "parent_section": view.parent_section[node.id],
                               "level": node.level, "units_set": units_in(text)}  # fmt: skip
    if node.page_span[1] > node.page_span[0]:
        filters["page_span"] = list(node.page_span)
    if node.type == "toc":
        filters["toc"] = True
    return filters


def media_filters(view: IndexView, node: Node) -> dict[str, Any]:
    """Facets of an image or table."""
    parent = view.parent_section[node.id]
    filters: dict[str, Any] = {
        "page_idx": node.page_idx,
        "level": node.level,
        "parent_section": parent,
        "parent_title": view.title(parent),
        "units_set": units_in(f"{node.title or ''}\n{media_text(node)}"),
        "label": node.label,
    }
    label = parse_label(node.label) if node.label else None
    if node.type == "image":
        filters["chart_type"] = node.kind
        filters["chart_form"] = node.chart_form
        filters["figure_no"] = label.number if label else None
    else:
        filters["table_no"] = label.number if label else None
    return filters


def section_filters(view: IndexView, section: Node) -> dict[str, Any]:
    """Facets of a section; units and chart types are those of everything under it."""
    parent = view.parent_section[section.id]
    below = view.visible_subtree(section.id)
    return {
        "page_idx": section.page_idx,
        "page_span": list(section.page_span),
        "level": section.level,
        "parent_section": parent,
        "parent_title": view.title(parent),
        "chart_types": sorted({node.kind for node in below if node.type == "image" and node.kind}),
        "units_set": sorted({unit for node in [section, *below] for unit in units_in(searchable_text(node))}),
    }


class Sketcher:
    """Sketches of subtrees: key words by tf-idf over the document's nodes, and the node of each kind that has most."""

    def __init__(self, view: IndexView) -> None:
        self.view = view
        self._bags = {node.id: Counter(_words(searchable_text(node))) for node in view.nodes}
        spread = Counter(word for bag in self._bags.values() for word in bag)
        self._idf = {word: math.log(1 + len(self._bags) / count) for word, count in spread.items()}

    def sketch(self, section: Node) -> SubtreeSketch:
        """The best words and representatives under a section; ties go to the word in order, the node in order."""
        below = self.view.visible_subtree(section.id)
        total: Counter[str] = Counter()
        for node in [section, *below]:
            total.update(self._bags.get(node.id, {}))
        weight = {word: (1 + math.log(count)) * self._idf[word] for word, count in total.items()}
        best = sorted(weight, key=lambda word: (-weight[word], word))[:SKETCH_KEYWORDS]
        representatives: dict[str, str] = {}
        for name, types in _REPRESENTATIVES.items():
            candidates = [node for node in below if node.type in types and searchable_text(node).strip()]
            if candidates:
                top = max(candidates, key=lambda node: self._match(node, best, weight))
                representatives[name] = f"{top.id}#c0" if name == "top_paragraph" else top.id
        return SubtreeSketch(keywords_topk=best, representatives=representatives)

    def _match(self, node: Node, best: Iterable[str], weight: dict[str, float]) -> float:
        bag = self._bags[node.id]
        return round(sum(weight[word] for word in best if word in bag), 9)


_REPRESENTATIVES = {"top_image": ("image",), "top_table": ("table",), "top_paragraph": ("paragraph", "list")}
_WORD = re.compile(r"[^\W\d_][\w%-]*|%")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_SCRIPTS = re.compile(f"[{UNSPACED}]+|[^{UNSPACED}]+")


def _words(text: str) -> list[str]:
    """Words; of a script without spaces short runs of characters, and the pairs of longer ones."""
    words = [word for word in _WORD.findall(text.casefold()) if word not in STOP_WORDS]
    if _UNSPACED.search(text):
        words = [piece for word in words for piece in _pieces(word)]
    return [word for word in words if len(word) > 1 or word == "%"]


def _pieces(word: str) -> Iterator[str]:
    for run in _SCRIPTS.findall(word):
        if len(run) > LONGEST_RUN and _UNSPACED.match(run):
            yield from map("".join, pairwise(run))
        else:
            yield run
