"""Places of the evidence that may hold the answer: sentences, rows with their heads, figures; ranked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import fsum

from cosee.question.wording import parts_of_years, periods
from cosee.reader.asked import Asked
from cosee.reader.passages import Passage, Quote
from cosee.reader.tables import Grid, Row, grid
from cosee.reader.thresholds import (
    MAX_PLACES_RANKED,
    MAX_QUOTE_CHARACTERS,
    MAX_SHORT_WORDS,
    NAMES_WITHOUT_ANY,
    RANK_OF_OTHER_PAGES,
    RARE_IN_TEXTS,
    RARE_SHARE,
    TITLES_ABOVE,
)
from cosee.reader.weights import Weights, score
from cosee.text.content_words import terms
from cosee.text.forms import CheckBox, check_boxes, check_boxes_of_row
from cosee.text.sentences import split_sentences

NUMBERING = ("section", "footnote", "toc")
"""Types of nodes that begin with a number of their own."""


@dataclass(frozen=True, eq=False)
class Place:
    """A sentence, a row of a table, or a figure. ``quote`` stands in the document; empty where nothing is printed."""

    passage: Passage
    quote: str
    kind: str
    order: int
    """Place among those of its passage."""
    around: tuple[str, ...] = ()
    """What is said above, before and after it, and, of a row, the heads of the columns."""
    grid: Grid | None = None
    row: Row | None = None

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of its own words."""
        return _stems(self.quote) if self.row is None else _stems(f"{self.row.group} {self.row.quote}")

    @cached_property
    def stems_around(self) -> frozenset[str]:
        """Stems of its words and of those around it."""
        return self.stems.union(*map(_stems, self.around))

    @cached_property
    def periods(self) -> frozenset[str]:
        """Periods that are stated in it or around it."""
        return periods(self.quote).union(*map(periods, self.around))

    @cached_property
    def parts_of_years(self) -> frozenset[str]:
        """Parts of years that it, its headings or its columns state, not its neighbours."""
        heads = self.around if self.row is not None else (*self.passage.path[-TITLES_ABOVE:], self.passage.title)
        return parts_of_years(self.quote).union(*map(parts_of_years, heads))

    @cached_property
    def boxes(self) -> list[CheckBox]:
        """The boxes of a form that it holds."""
        row, table = self.row, self.grid
        in_row = check_boxes_of_row(row.head, table.heads, row.cells, row.values) if row and table else []
        return in_row or check_boxes(self.quote)

    @property
    def as_quote(self) -> Quote:
        """For the answer's evidence."""
        text = " ".join((self.quote or self.passage.title or self.passage.text).split())
        shown = text if len(text) <= MAX_QUOTE_CHARACTERS else text[:MAX_QUOTE_CHARACTERS].rpartition(" ")[0]
        return Quote(self.passage.node_id, self.passage.page, shown)


@dataclass(frozen=True, eq=False)
class RankedPlace:
    """A place with its features and the fitted score of them."""

    place: Place
    features: Mapping[str, float]
    score: float


def places(passages: Sequence[Passage]) -> list[Place]:
    """Every place of the evidence, in its order."""
    found: list[Place] = []
    above = ""
    for passage in passages:
        if passage.type == "document":
            continue
        heads = (*passage.path[-TITLES_ABOVE:], passage.title, passage.label)
        table = grid(passage)
        if table is not None:
            around = (*heads, above, *table.heads)
            found += [
                Place(passage, row.quote if table.shown else "", "row", order, around, table, row)
                for order, row in enumerate(table.rows)
            ]
            if not table.shown:
                found.append(Place(passage, passage.text or passage.title, "figure", len(table.rows), heads))
            continue
        if passage.type == "image":
            found.append(Place(passage, passage.text or passage.title, "figure", 0, (*heads, passage.description)))
            continue
        sentences = _sentences(passage.text)
        kind = passage.type if passage.type in ("section", "caption", "list", "footnote", "toc") else "sentence"
        for order, sentence in enumerate(sentences):
            near = sentences[max(0, order - 1) : order] + sentences[order + 1 : order + 2]
            before = (above,) if order == 0 and passage.type != "section" else ()
            found.append(Place(passage, sentence, kind, order, (*heads, *before, *near)))
        above = sentences[-1] if sentences else above
    return found


@lru_cache(maxsize=8192)
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(split_sentences(text))


@lru_cache(maxsize=65_536)
def _stems(text: str) -> frozenset[str]:
    return frozenset(terms(text))


class Rarity:
    """How much each word of a question tells: by the share of the document's texts, else of the evidence, that has it.

    ``frequencies`` is what ``document_frequencies`` tells, where that is known.
    """

    def __init__(self, asked: Asked, found: Sequence[Place], frequencies: Mapping[str, int] | None) -> None:
        if frequencies is None:
            counts = Counter(term for place in found for term in place.stems if term in asked.terms)
            frequencies = {"": len(found), **{term: counts[term] for term in asked.terms}}
        self.total = max(1, frequencies.get("", 1))
        self.frequencies = {term: frequencies.get(term, 0) for term in asked.terms}
        self.weight = {term: math.log(1 + self.total / (1 + count)) for term, count in self.frequencies.items()}
        self.total_weight = fsum(self.weight.values()) or 1.0

    def share(self, held: Collection[str]) -> float:
        """The share of the question that a set of stems holds."""
        return fsum([weight for term, weight in self.weight.items() if term in held]) / self.total_weight

    @cached_property
    def absent(self) -> float:
        """The share of the question that stands nowhere."""
        return fsum(weight for term, weight in self.weight.items() if not self.frequencies[term]) / self.total_weight

    @cached_property
    def rare_stems(self) -> frozenset[str]:
        """Stems that stand in few texts."""
        most = max(RARE_IN_TEXTS, RARE_SHARE * self.total)
        return frozenset(term for term, count in self.frequencies.items() if count <= most)


def rank_places(asked: Asked, found: Sequence[Place], rarity: Rarity, weights: Weights) -> list[RankedPlace]:
    """The places that hold most of the question, best first by the fitted weights."""
    pages: dict[int, set[str]] = {}
    wanted = frozenset(asked.terms)
    for place in found:
        pages.setdefault(place.passage.page, set()).update(wanted & place.stems)
    page_share = {page: rarity.share(held) for page, held in pages.items()}
    likely = [(-rarity.share(place.stems) - rarity.share(near), order) for order, place in enumerate(found)
              if place.stems and (near := wanted & place.stems_around)]  # fmt: skip
    listed = []
    for _, order in sorted(likely)[:MAX_PLACES_RANKED]:
        place = found[order]
        features = place_features(asked, place, rarity, page_share[place.passage.page])
        listed.append(RankedPlace(place, features, round(score(weights.passage, features), 9)))
    listed.sort(key=lambda each: -each.score)
    return listed


def place_features(asked: Asked, place: Place, rarity: Rarity, page_share: float) -> dict[str, float]:
    """What the model of passages sees."""
    passage, order = place.passage, list(terms(place.quote))
    pairs = set(zip(order, order[1:], strict=False)) | set(zip(order, order[2:], strict=False))
    asked_pairs = list(zip(asked.terms, asked.terms[1:], strict=False))
    names = asked.names & rarity.rare_stems
    numeric = fsum(asked.shapes.get(shape, 0.0) for shape in ("count", "number", "percent"))
    has_number, size = float(any(map(str.isdigit, place.quote))), len(order)
    return {
        "share": rarity.share(place.stems), "share near": rarity.share(place.stems_around), "share of page": page_share,
        "pairs": sum(pair in pairs for pair in asked_pairs) / max(1, len(asked_pairs)),
        "names": len(names & place.stems_around) / len(names) if names else NAMES_WITHOUT_ANY,
        "telling": len(rarity.rare_stems & place.stems) / max(1, len(rarity.rare_stems)),
        "page rank": 1.0 / (passage.page_rank or RANK_OF_OTHER_PAGES), "first page": float(passage.page_rank == 1),
        "relevance": passage.relevance, "size": math.log(1 + size), "short": float(size <= MAX_SHORT_WORDS),
        "repeats": len(place.stems & set(asked.terms)) / max(1, len(place.stems)),
        "period": float(bool(asked.periods) and asked.periods <= place.periods),
        "other period": float(bool(asked.periods and place.periods) and not asked.periods & place.periods),
        "numbers": numeric * has_number, "no numbers": numeric * (1.0 - has_number), "first": float(place.order == 0),
        **{f"is {kind}": float(place.kind == kind) for kind in ("row", "figure", "section", "caption", "list", "toc")},
    }  # fmt: skip


def best_passages(listed: Sequence[RankedPlace], count: int) -> list[Quote]:
    """The best places as quotes: a page's second comes after the first ones of other pages."""
    shown = [each.place for each in listed if each.place.quote and each.place.kind not in ("section", "toc")]
    first: dict[int, Place] = {}
    for place in shown:
        first.setdefault(place.passage.page, place)
    further = [each for each in shown if first[each.passage.page] != each]
    return [place.as_quote for place in [*first.values(), *further][:count]]
