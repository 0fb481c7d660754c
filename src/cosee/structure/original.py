"""The structure that an original states, laid over what was seen on the pages of the PDF that was made of it.

Headings and pictures are found again by their text and order, tables by the words of their cells; what is found gets
the original's levels, cells and alternative texts, and what is not stays as it was seen and is counted.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.content import ContentItem, ContentList, Region, TableData
from cosee.artifacts.documents.original import Original, OriginalBlock
from cosee.parse.originals.unprinted import UNPRINTED, sheet_pages
from cosee.structure import thresholds
from cosee.structure.draft import TEXT_ROLES, Draft, regions_of
from cosee.text.folding import title_key
from cosee.text.numbering import parse_numbering
from cosee.text.scripts import UNSPACED
from cosee.text.words import one_line

FROM_ORIGINAL = "from_original"
"""Flag of an item whose role, level or cells the original states."""
_CHARACTER = re.compile(f"[{UNSPACED}]")
PICTURE = "\0picture"
"""What stands for a picture among the texts of a document: no folded text has such a character."""


@dataclass
class Given:
    """What an original says that steps of M1 need not guess."""

    deck: bool = False
    levels: dict[str, int] = field(default_factory=dict)
    """Item id -> heading level."""
    held: list[ContentItem] = field(default_factory=list)
    """Items that no step touches."""
    order: dict[str, int] = field(default_factory=dict)
    """Item id -> its place among all items."""

    @property
    def has_headings(self) -> bool:
        """Whether the original says what its headings are."""
        return bool(self.levels)


@dataclass
class _Part:
    """Blocks of the original, and the items among which they are: a slide, a sheet, or the whole document."""

    blocks: list[OriginalBlock]
    items: list[ContentItem]
    ordered: bool = True
    """Whether both are in one reading order; on a slide they are not."""
    is_sheet: bool = False
    """Whether the items are what is printed of one table, of which narrow columns show but the beginnings of words."""


def lay_over(draft: Draft, original: Original) -> Given:
    """Give items their part in the original, and take headings and what is not printed out until ``put_back``."""
    given = Given(deck=any(block.page_idx is not None for block in original.blocks))
    for part in _parts(draft, original):
        anchors = _anchors(part)
        _lay_headings(draft, part, anchors, given)
        _lay_pictures(part, anchors)
        _lay_tables(draft, part, anchors)
    _lay_sheet_names(draft, original, given)
    draft.sweep()
    given.order = {item.id: index for index, item in enumerate(draft.items)}
    given.held = [item for item in draft.items if item.id in given.levels or UNPRINTED in item.flags]
    held = {item.id for item in given.held}
    draft.items = [item for item in draft.items if item.id not in held]
    return given


def put_back(draft: Draft, given: Given) -> None:
    """The headings where they were; where there are any, nothing else is one."""
    if given.has_headings:
        for item in draft.items:
            if item.role == "heading":
                item.role, item.level = "paragraph", None
    for item in given.held:
        if item.id in given.levels:
            item.role, item.level = "heading", given.levels[item.id]
    if given.held:
        draft.items = sorted([*draft.items, *given.held], key=lambda item: given.order[item.id])


def not_found(original: Original, enhanced: ContentList) -> str | None:
    """How much of the original has no place on the pages, in words; None where all of it has."""
    found = Counter(item.role for item in enhanced.items if FROM_ORIGINAL in item.flags)
    stated = Counter(block.kind for block in original.blocks if block.text or block.table)
    missing = {
        "headings": stated["heading"] - found["heading"],
        "tables": stated["table"] - found["table"],
        "alternative texts": stated["picture"] - found["image"],
    }
    lacks = [f"{count} {name}" for name, count in missing.items() if count > 0]
    said = _told(block.text for block in original.blocks if block.kind != "picture")
    shown = _told(map(_words, enhanced.items))
    if len(said & shown) < thresholds.MIN_SHARE_OF_WORDS * len(said):
        why = " (a web page that scripts draw shows little without them)" if original.kind == "html" else ""
        lacks.append(f"most words{why}")
    return f"of the original, {', '.join(lacks)} were not found on the pages" if lacks else None


def _told(texts: Iterable[str]) -> set[str]:
    """The different words of texts; in scripts without spaces the characters."""
    return {word for text in texts for word in _CHARACTER.sub(r" \g<0> ", title_key(text)).split()}


def _parts(draft: Draft, original: Original) -> Iterator[_Part]:
    printed = [item for item in draft.items if UNPRINTED not in item.flags]
    sheets = [block.text for block in original.blocks if block.kind == "sheet"]
    if sheets:
        places = sheet_pages(sheets, draft.outline, len(draft.pages))
        for (_, pages), blocks in zip(places, _by_sheet(original.blocks), strict=True):
            items = [item for item in printed if pages is not None and item.page_idx in pages]
            yield _Part([block for block in blocks if block.kind == "table"], items, is_sheet=True)
            yield _Part([block for block in blocks if block.kind == "picture"], items)
    elif any(block.page_idx is not None for block in original.blocks):
        for page_idx, items in sorted(draft.on_pages().items()):
            blocks = [block for block in original.blocks if block.page_idx == page_idx and block.kind != "notes"]
            yield _Part(blocks, [item for item in items if UNPRINTED not in item.flags], ordered=False)
    else:
        yield _Part(original.blocks, printed)


def _by_sheet(blocks: Sequence[OriginalBlock]) -> list[list[OriginalBlock]]:
    sheets: list[list[OriginalBlock]] = []
    for block in blocks:
        if block.kind == "sheet":
            sheets.append([])
        else:
            sheets[-1].append(block)
    return sheets


def _anchors(part: _Part) -> dict[int, int]:
    """Index of a block -> index of the item that says the same."""
    blocks = [_block_key(block) for block in part.blocks]
    known = set(blocks)
    items = [_item_key(item, known) for item in part.items]
    if part.ordered:
        from rapidfuzz.distance import LCSseq

        return {
            code.src_start + n: code.dest_start + n
            for code in LCSseq.opcodes(blocks, items)
            if code.tag == "equal"
            for n in range(code.src_end - code.src_start)
        }
    anchors: dict[int, int] = {}
    for index, key in enumerate(blocks):
        taken = set(anchors.values())
        found = next((n for n, other in enumerate(items) if other == key != PICTURE and n not in taken), None)
        if found is not None:
            anchors[index] = found
    return anchors


def _block_key(block: OriginalBlock) -> str:
    if block.kind == "picture":
        return PICTURE
    return title_key(block.text) or f"\0{block.kind}"


def _item_key(item: ContentItem, known: set[str]) -> str:
    """The item's text, without a number that the original's program wrote before it; one of no block is no anchor."""
    if item.role == "image":
        return PICTURE
    if item.role in ("table", "equation"):
        return "\0item"
    key = title_key(item.text)
    if key in known:
        return key or "\0item"
    numbering = parse_numbering(one_line(item.text))
    return "\0item" if numbering is None else title_key(numbering.title) or "\0item"


def _lay_headings(draft: Draft, part: _Part, anchors: dict[int, int], given: Given) -> None:
    for index, block in enumerate(part.blocks):
        if block.kind != "heading":
            continue
        if index not in anchors:
            _join_lines(draft, part, index, anchors)
        if index not in anchors:
            continue
        item = part.items[anchors[index]]
        if title_key(item.text) == title_key(block.text):
            item.text = block.text
        item.flags.append(FROM_ORIGINAL)
        given.levels[item.id] = block.level or 1


def _join_lines(draft: Draft, part: _Part, index: int, anchors: dict[int, int]) -> None:
    """Make one item of a heading that was seen as several, one after the other."""
    wanted = title_key(part.blocks[index].text)
    low, high = _range_between(part, index, anchors)
    for start in range(low, high):
        for end in range(start + 2, min(start + thresholds.MAX_HEADING_LINES, high) + 1):
            lines = part.items[start:end]
            if any(item.role not in TEXT_ROLES or item.page_idx != lines[0].page_idx for item in lines):
                break
            if title_key(" ".join(item.text for item in lines)) == wanted:
                draft.absorb(lines[0], lines[1:], part.blocks[index].text)
                anchors[index] = start
                return


def _range_between(part: _Part, index: int, anchors: dict[int, int]) -> tuple[int, int]:
    """The range of items between what is known to stand before the block and after it."""
    if not part.ordered:
        return 0, len(part.items)
    before = [at for block, at in anchors.items() if block < index]
    after = [at for block, at in anchors.items() if block > index]
    return max(before, default=-1) + 1, min(after, default=len(part.items))


def _lay_pictures(part: _Part, anchors: dict[int, int]) -> None:
    for index, block in enumerate(part.blocks):
        if block.kind != "picture":
            continue
        item = part.items[anchors[index]] if index in anchors else _picture_at(block, part.items)
        if item is not None and block.text:
            item.description = block.text
            item.flags.append(FROM_ORIGINAL)


def _picture_at(block: OriginalBlock, items: Sequence[ContentItem]) -> ContentItem | None:
    """The picture without an alternative text that is where the block is on its slide."""
    if block.bbox is None:
        return None
    box = block.bbox
    pictures = [item for item in items if item.role == "image" and FROM_ORIGINAL not in item.flags]
    best = max(pictures, key=lambda item: _share_of_larger(box, item.bbox), default=None)
    return best if best is not None and _share_of_larger(box, best.bbox) >= thresholds.MIN_PICTURE_OVERLAP else None


def _share_of_larger(one: BBox, other: BBox) -> float:
    """The share of the larger box that both have in common."""
    return geometry.intersection(one, other) / max(geometry.area(one), geometry.area(other), 1e-9)


def _lay_tables(draft: Draft, part: _Part, anchors: dict[int, int]) -> None:
    anchored = set(anchors.values())
    tables = [index for index, block in enumerate(part.blocks) if block.table is not None]
    gaps = Counter(_range_between(part, index, anchors) for index in tables)
    used: set[str] = set()
    for index in tables:
        table = part.blocks[index].table
        assert table is not None
        low, high = _range_between(part, index, anchors)
        words = Counter(word for row in table.rows for cell in row for word in title_key(cell).split())
        candidates = [
            item
            for at, item in enumerate(part.items[low:high], start=low)
            if at not in anchored and item.role != "image" and item.id not in used
        ]
        rows = "\n".join(_solid("".join(row)) for row in table.rows)
        known: Container[str] = words
        if part.is_sheet:
            known = _Pieces(words)
            parts = _of_sheet(candidates, known)
        else:
            parts = _of_table(candidates, words, rows, repeats=gaps[low, high] == 1)
            seen = "\n".join(_solid(_words(item)) for item in parts)
            if sum(_solid(word) in seen for word in words) < thresholds.MIN_SHARE_CELLS_SHOWN * len(words):
                continue
        if not parts:
            continue
        used.update(item.id for item in parts)
        target = parts[0]
        pictures = [path for item in parts if item.table for path in item.table.pictures]
        table = table.model_copy(update={"rows": [list(row) for row in table.rows], "pictures": pictures})
        beside = _beside(parts, known, rows)
        target.table = table
        if len(parts) > 1:
            begins = _begins(parts, table)
            draft.absorb(target, parts[1:], target.text)
            _one_region_a_page(target, begins)
        if beside:
            table.rows.append([beside, *[""] * (max(map(len, table.rows)) - 1)])
        target.role, target.level, target.text = "table", None, "\n".join(" | ".join(row) for row in table.rows)
        flags = [flag for flag in target.flags if flag != "text_without_cell"]
        target.flags = [*flags, *(["text_without_cell"] if beside else []), FROM_ORIGINAL]


def _beside(parts: Sequence[ContentItem], known: Container[str], rows: str) -> str:
    """The words of what was seen of a table that are in none of its cells, also none that is broken or cut off."""
    words = dict.fromkeys(word for item in parts for word in _words(item).split())
    outside = [word for word in words if (own := title_key(word).split()) and not all(each in known for each in own)]
    broken = {
        word
        for word in outside[: thresholds.MAX_WORDS_BESIDE]
        if len(solid := _solid(word)) >= thresholds.MIN_PART_OF_WORD and solid in rows
    }
    return " ".join(word for word in outside if word not in broken)


def _words(item: ContentItem) -> str:
    return item.text or "\n".join(" ".join(row) for row in (item.table.rows if item.table else []))


def _solid(text: str) -> str:
    """Folded text without spaces: cells that touch are read as one word."""
    return title_key(text).replace(" ", "")


class _Pieces(Container[str]):
    """The words of a sheet, whole or cut off at their end or at their start."""

    def __init__(self, words: Iterable[str]) -> None:
        self._forward = sorted(words)
        self._backward = sorted(word[::-1] for word in self._forward)

    def __contains__(self, piece: object) -> bool:
        return isinstance(piece, str) and any(
            at < len(words) and words[at].startswith(text)
            for words, text in ((self._forward, piece), (self._backward, piece[::-1]))
            for at in [bisect_left(words, text)]
        )


def _of_sheet(items: Sequence[ContentItem], known: Container[str]) -> list[ContentItem]:
    """The items whose words are in the sheet's cells, whole or cut off where the next cell begins (``known``), or that
    are signs alone, as of a number that its column is too narrow for."""
    parts = []
    for item in items:
        own = title_key(_words(item)).split()
        if sum(word in known for word in own) >= thresholds.MIN_SHARE_IN_CELLS * len(own):
            parts.append(item)
    return parts


def _of_table(items: Sequence[ContentItem], words: Counter[str], rows: str, *, repeats: bool) -> list[ContentItem]:
    """The items whose words are in the cells; each word once unless rows may repeat, as headers on each page do.

    ``rows`` are the solid texts of the rows, for an item that is a stretch of one of them.
    """
    left = Counter(words)
    parts = []
    for item in items:
        own = Counter(title_key(_words(item)).split())
        total = sum(own.values())
        inside = sum(min(count, words[word] if repeats else left[word]) for word, count in own.items())
        solid = _solid(_words(item))
        if (total and inside >= thresholds.MIN_SHARE_IN_CELLS * total) or (
            len(solid) >= thresholds.MIN_STRETCH and solid in rows
        ):
            parts.append(item)
            left -= own
    return parts


def _begins(parts: Sequence[ContentItem], table: TableData) -> dict[int, int]:
    """0-based page -> the row that is the first on it, of a table that goes on from page to page row by row."""
    rows = [_solid("".join(row)) for row in table.rows]
    found: dict[int, int] = {}
    for item in parts:
        if item.page_idx in found:
            continue
        lines = item.table.rows if item.table is not None else [[line] for line in item.text.split("\n")]
        solid = [_solid("".join(line)) for line in lines]
        # A header that is repeated on the page is not where it begins.
        after = max(found.values(), default=-1) + 1
        at = next((rows.index(line, after) for line in solid if line and line in rows[after:]), None)
        if at is not None:
            found[item.page_idx] = at
    return found


def _one_region_a_page(table: ContentItem, begins: dict[int, int]) -> None:
    boxes: dict[int, list[BBox]] = {}
    for region in regions_of(table):
        boxes.setdefault(region.page_idx, []).append(region.bbox)
    pages = sorted(boxes)
    known = len(pages) > 1 and pages == sorted(begins)
    regions = [
        Region(page_idx=page, bbox=geometry.union(boxes[page]), begins=begins[page] if known else 0) for page in pages
    ]
    table.page_idx, table.bbox = regions[0].page_idx, regions[0].bbox
    table.regions = regions if len(regions) > 1 else []


def _lay_sheet_names(draft: Draft, original: Original, given: Given) -> None:
    names = {block.text for block in original.blocks if block.kind == "sheet"}
    for item in draft.items:
        if UNPRINTED in item.flags and item.text in names:
            given.levels[item.id] = 1
