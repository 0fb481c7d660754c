"""What speaks for a text being a heading, as numbers: of itself, its place, its look in this document, its number.

Everything is measured against the document's own body, so that nothing depends on a script, a language or a publisher.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from cosee import geometry
from cosee.artifacts.documents.content import ContentItem
from cosee.structure.draft import TEXT_ROLES, Draft, is_running_text, is_visible
from cosee.structure.headings import thresholds
from cosee.structure.headings.candidate import Candidate
from cosee.structure.headings.style import BodyLook, Style, style_of
from cosee.structure.roles import counter, is_bullet
from cosee.text.folding import title_key
from cosee.text.numbering import Numbering, parse_numbering
from cosee.text.scripts import has_cjk
from cosee.text.words import SENTENCE_ENDS, goes_on_after, letter_count, one_line, word_count

AVERAGED = (
    "before_gap", "behind_gap", "before_same", "behind_same", "behind_length", "words", "indent", "centred", "width",
    "tall", "ended", "colon", "lower", "counted", "mates", "media", "number_before", "number_after", "repeats", "first",
)  # fmt: skip
"""Numbers of which a candidate is also given the mean over all of its look."""
_KINDS_WITH_WORD = frozenset({"part", "chapter", "appendix", "section", "item"})


@dataclass
class _StyleUse:
    """How the document uses one look."""

    items: int = 0
    characters: int = 0
    short: int = 0
    numbered: int = 0
    ended: int = 0
    pages: set[int] = field(default_factory=set)


class Evidence:
    """Rows of numbers for the candidates of one document, each number by its name."""

    def __init__(self, draft: Draft, candidates: Sequence[Candidate], body: BodyLook) -> None:
        self.draft, self.candidates, self.body = draft, candidates, body
        self.styles = {item.id: style_of(item) for item in draft.items}
        self.uses: dict[Style, _StyleUse] = defaultdict(_StyleUse)
        self.total = 0
        for item in filter(is_running_text, draft.items):
            self._use(item)
        self.sizes = self._sizes()
        self.place = {item.id: index for index, item in enumerate(draft.items)}
        self.on_pages = draft.on_pages()
        self.margins = {page: self._margin(items) for page, items in self.on_pages.items()}
        self.titles = Counter(title_key(candidate.text) for candidate in candidates)
        self.numbers: dict[tuple[str, tuple[int, ...]], list[int]] = defaultdict(list)
        self.kinds: Counter[tuple[str, int]] = Counter()
        for index, candidate in enumerate(candidates):
            if candidate.numbering is not None:
                self.numbers[candidate.numbering.kind, candidate.numbering.values].append(index)
                self.kinds[candidate.numbering.kind, candidate.numbering.depth] += 1
        looks = Counter(candidate.style for candidate in candidates)
        named = Counter(candidate.style for candidate in candidates if candidate.contents is not None)
        self.named = {style: named[style] / count for style, count in looks.items()}
        self.outranked = {
            style: sum(count for other, count in named.items() if style.dominates(other)) for style in looks
        }
        pages = max(1, len(draft.pages))
        self.document = _rounded(
            {
                "pages": pages,
                "candidates_a_page": len(candidates) / pages,
                "characters_a_page": self.total / pages,
                "body_size": body.size,
                "wide": sum(page.width > page.height for page in draft.pages) / pages,
                "numbered_share": sum(self.kinds.values()) / max(1, len(candidates)),
                "looks": sum(use.items >= 2 for use in self.uses.values()),
            }
        )
        self.largest = {
            page: max((item.size or 0.0 for item in items if is_running_text(item)), default=0.0)
            for page, items in self.on_pages.items()
        }

    def _use(self, item: ContentItem) -> None:
        use = self.uses[self.styles[item.id]]
        use.items += 1
        use.characters += len(item.text)
        use.short += len(item.text) <= thresholds.MAX_LINE_CHARACTERS
        use.numbered += parse_numbering(one_line(item.text[: thresholds.CHARACTERS_WITH_NUMBER])) is not None
        use.ended += item.text.rstrip().endswith(SENTENCE_ENDS)
        use.pages.add(item.page_idx)
        self.total += len(item.text)

    def _sizes(self) -> tuple[list[float], list[int]]:
        """Sizes ascending, and the characters set in each of them or a smaller one."""
        weight: Counter[float] = Counter()
        for style, use in self.uses.items():
            weight[style.size or 0.0] += use.characters
        sizes = sorted(weight)
        sums: list[int] = []
        for size in sizes:
            sums.append(weight[size] + (sums[-1] if sums else 0))
        return sizes, sums

    def _margin(self, items: Sequence[ContentItem]) -> float:
        """The left edge at which most characters of a page begin."""
        edges: Counter[float] = Counter()
        for item in items:
            if is_running_text(item):
                edges[round(item.bbox[0], 2)] += len(item.text)
        return max(edges, key=lambda edge: (edges[edge], -edge), default=0.0)

    def rows(self) -> list[dict[str, float]]:
        """One row a candidate: its own numbers, then what those of its look have in the mean."""
        rows = [
            _rounded(
                self._look(candidate) | self._text(candidate) | self._number(index, candidate) | self._around(candidate)
            )
            | self.document
            for index, candidate in enumerate(self.candidates)
        ]
        looks: dict[Style, list[dict[str, float]]] = defaultdict(list)
        for candidate, row in zip(self.candidates, rows, strict=True):
            looks[candidate.style].append(row)
        means = {
            style: {f"look_{name}": round(sum(row[name] for row in own) / len(own), 4) for name in AVERAGED}
            for style, own in looks.items()
        }
        return [{**row, **means[candidate.style]} for candidate, row in zip(self.candidates, rows, strict=True)]

    def _look(self, candidate: Candidate) -> dict[str, float]:
        style, body, item = candidate.style, self.body, candidate.item
        use, size = self.uses[style], style.size or body.size
        sizes, sums = self.sizes
        at = bisect_right(sizes, size - thresholds.SAME_SIZE) - 1
        return {
            "size": min(size / body.size, thresholds.FAR),
            "above": 1.0 - (sums[at] if at >= 0 else 0) / max(1, self.total),
            "bold": style.bold,
            "bolder": style.bold and not body.style.bold,
            "italic": style.italic and not body.style.italic,
            "upper": style.upper,
            "colour": style.color != body.style.color,
            "typeface": style.family != body.style.family,
            "code_role": item.role == "code",
            "list": item.role == "list",
            "style_share": use.characters / max(1, self.total),
            "style_items": use.items,
            "style_length": use.characters / use.items if use.items else len(item.text),
            "style_short": use.short / use.items if use.items else 1.0,
            "style_numbered": use.numbered / use.items if use.items else 0.0,
            "style_ended": use.ended / use.items if use.items else 0.0,
            "style_pages": len(use.pages) / max(1, len(self.draft.pages)),
            "style_a_page": use.items / len(use.pages) if use.pages else 1.0,
            "style_listed": self.named[style],
            "outranks": 0 if self.named[style] else self.outranked[style],
            "largest": size >= self.largest.get(item.page_idx, 0.0) - thresholds.SAME_SIZE,
        }

    def _text(self, candidate: Candidate) -> dict[str, float]:
        text = candidate.text
        title = candidate.numbering.title if candidate.numbering is not None else text
        bare = title.lstrip("\"'“‘«([（「『【<")
        solid = max(1, len(text.replace(" ", "")))
        return {
            "characters": len(text),
            "words": word_count(text),
            "lines": candidate.item.text.count("\n") + 1,
            "letters": letter_count(text) / solid,
            "digits": sum(map(str.isdigit, text)) / solid,
            "ended": text.endswith(SENTENCE_ENDS),
            "asks": text.endswith(("?", "？", "!", "！")),
            "colon": text.endswith((":", "：")),
            "commas": sum(map(text.count, ",，、;；")),
            "stops": sum(map(text.count, ".。")),
            "lower": bare[:1].islower(),
            "capital": bare[:1].isupper(),
            "capitals": sum(word[:1].isupper() for word in title.split()) / max(1, len(title.split())),
            "unfinished": goes_on_after(text.casefold()),
            "bullet": is_bullet(text),
            "cjk": has_cjk(text),
            "repeats": self.titles[title_key(text)],
        }

    def _number(self, index: int, candidate: Candidate) -> dict[str, float]:
        number = candidate.numbering
        kind = number.kind if number is not None else ""
        row: dict[str, float] = {
            "number_word": kind in _KINDS_WITH_WORD,
            "number_decimal": kind == "decimal",
            "number_letter": kind in ("roman", "letter"),
            "number_han": kind in ("han", "han_bracket"),
            "number_bracket": kind in ("bracket", "note"),
            "number_depth": number.depth if number is not None else 0,
            "number_last": number.values[-1] if number is not None else 0,
            "number_first": number.values[0] if number is not None else 0,
            "number_dotted": number is not None and number.dotted,
            "number_again": 0, "number_before": 0, "number_after": 0, "number_parent": 0, "number_kind": 0,
            "number_look": 0,
            "counted": self._is_counted(candidate),
        }  # fmt: skip
        if number is not None:
            row["number_again"] = len(self.numbers[number.kind, number.values])
            row["number_before"] = self._has(number, index, -1)
            row["number_after"] = self._has(number, index, 1)
            row["number_parent"] = number.depth > 1 and any(
                at < index for at in self.numbers.get((number.kind, number.values[:-1]), ())
            )
            row["number_look"] = self._same_look(number, candidate.style)
            row["number_kind"] = self.kinds[number.kind, number.depth]
        return row

    def _has(self, number: Numbering, index: int, step: int) -> float:
        """1 where the number before (or after) stands before (or behind); 0.5 for the first of a count."""
        values = (*number.values[:-1], number.values[-1] + step)
        if values[-1] == 0:
            return 0.5
        return float(any((at - index) * step > 0 for at in self.numbers.get((number.kind, values), ())))

    def _same_look(self, number: Numbering, style: Style) -> float:
        """How many of the numbers before and behind in the count have the same look, 0..1; 0.5 without any."""
        near = [
            at
            for step in (-1, 1)
            for at in self.numbers.get((number.kind, (*number.values[:-1], number.values[-1] + step)), ())
        ]
        return sum(self.candidates[at].style == style for at in near) / len(near) if near else 0.5

    def _is_counted(self, candidate: Candidate) -> bool:
        """Whether the item right before or behind counts on from this one: items of a list."""
        own, at, items = counter(candidate.text), self.place[candidate.item.id], self.draft.items
        if own is None:
            return False
        for other, step in ((at - 1, -1), (at + 1, 1)):
            if 0 <= other < len(items) and items[other].page_idx == candidate.item.page_idx:
                value = counter(one_line(items[other].text[: thresholds.CHARACTERS_WITH_COUNTER]))
                if value is not None and value[0] == own[0] and value[1] - own[1] == step:
                    return True
        return False

    def _around(self, candidate: Candidate) -> dict[str, float]:
        item = candidate.item
        page = self.draft.pages[item.page_idx] if item.page_idx < len(self.draft.pages) else None
        height = (page.height if page is not None else thresholds.USUAL_PAGE_HEIGHT) / self.body.size
        width = (page.width if page is not None else thresholds.USUAL_PAGE_WIDTH) / self.body.size
        at = self.place[item.id]
        items = self.on_pages[item.page_idx]
        before, behind = self._neighbour(at, -1), self._neighbour(at, 1)
        x0, y0, x1, y1 = item.bbox
        mates = [o for o in items if o is not item and geometry.overlap_share_y(o.bbox, item.bbox) > 0.5]
        media = [o for o in items if o.role in ("image", "table")]
        row: dict[str, float] = {
            "top": y0, "bottom": y1, "width": x1 - x0, "centred": abs((x0 + x1) / 2 - 0.5),
            "indent": _cut((x0 - self.margins[item.page_idx]) * width),
            "tall": min(thresholds.FAR, (y1 - y0) * height),
            "mates": len(mates),
            "media": max((geometry.share_inside(item.bbox, o.bbox) for o in media), default=0.0),
            "page": item.page_idx,
            "through": item.page_idx / max(1, len(self.draft.pages)),
            "first": before is None,
            "listed": candidate.contents is not None,
            "listed_depth": (candidate.contents.depth or 0) if candidate.contents is not None else 0,
            "followed": self._followed(at, candidate.style),
        }  # fmt: skip
        for name, other in (("before", before), ("behind", behind)):
            gap = (
                thresholds.FAR
                if other is None
                else (other.bbox[1] - y1 if name == "behind" else y0 - other.bbox[3]) * height
            )
            style = None if other is None else self.styles[other.id]
            row[f"{name}_gap"] = _cut(gap)
            row[f"{name}_size"] = 0.0 if other is None else min(thresholds.FAR, (other.size or 0.0) / self.body.size)
            row[f"{name}_same"] = style == candidate.style
            row[f"{name}_bold"] = other is not None and other.bold
            row[f"{name}_length"] = 0 if other is None else min(thresholds.MAX_NEIGHBOUR_CHARACTERS, len(other.text))
            row[f"{name}_medium"] = other is not None and other.role not in TEXT_ROLES
            row[f"{name}_list"] = other is not None and (
                other.role == "list" or is_bullet(other.text[: thresholds.CHARACTERS_WITH_BULLET])
            )
            row[f"{name}_ended"] = other is not None and other.text.rstrip().endswith((*SENTENCE_ENDS, ":", "："))
            row[f"{name}_indent"] = 0.0 if other is None else _cut((x0 - other.bbox[0]) * width)
        row["behind_lower"] = behind is not None and behind.text.lstrip()[:1].islower()
        return row

    def _neighbour(self, at: int, step: int) -> ContentItem | None:
        """The next visible item of the same page."""
        items, page = self.draft.items, self.draft.items[at].page_idx
        at += step
        while 0 <= at < len(items) and items[at].page_idx == page:
            if is_visible(items[at]) and (items[at].text or items[at].role not in TEXT_ROLES):
                return items[at]
            at += step
        return None

    def _followed(self, at: int, style: Style) -> float:
        """How many of the next texts, up to one of the same look, are set in another look: what stands below it."""
        count = 0
        for item in self.draft.items[at + 1 : at + 1 + thresholds.ITEMS_AHEAD]:
            if is_running_text(item) and self.styles[item.id] == style:
                break
            count += 1
        return count


def _cut(distance: float) -> float:
    """A distance in body sizes, cut where it says nothing more."""
    return max(-thresholds.FAR, min(thresholds.FAR, distance))


def _rounded(row: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()}
