"""Printed tables of contents: each becomes one ``toc`` item of ``title | page`` lines, and gives its entries."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from cosee.artifacts.content import ContentItem
from cosee.enhancer.draft import TEXT_ROLES, Draft, is_visible
from cosee.enhancer.numbering import parse_numbering
from cosee.enhancer.words import fold, letter_count, one_line, roman_value

CONTENTS_TITLES = frozenset(
    fold(title)
    for title in (
        "contents", "table of contents", "index", "list of figures", "list of tables", "contents page",
        "in this report",
        "inhalt", "inhaltsverzeichnis", "sommaire", "table des matières", "índice", "contenido", "indice",
        "目录", "目 录", "目錄", "目次", "もくじ", "차례", "목차",
    )
)  # fmt: skip
_PAGE = r"(?:\d{1,4}|[ivxlc]{1,6}|[A-Z]{1,2}-\d{1,3})"
_LEADER = r"(?:\s*[.·•…‥_．。]){3,}\s*|\s*…+\s*"
_LEADER_ENTRY = re.compile(rf"(?P<title>\S.*?)(?:{_LEADER})(?P<page>{_PAGE})(?=\s|$)", re.DOTALL)
_PLAIN_ENTRY = re.compile(rf"(?P<title>\S.*?)[\s|]+(?P<page>{_PAGE})", re.DOTALL)
_PAGE_ONLY = re.compile(rf"(?:{_LEADER})?{_PAGE}|(?:{_LEADER})|page(?:\s+no\.?)?|页码", re.IGNORECASE)
MAX_TITLE = 160


@dataclass(frozen=True)
class ContentsEntry:
    """One line of a printed table of contents. ``depth`` from 1 where numbering or indent tells it."""

    title: str
    page: str | None
    depth: int | None = None


@dataclass
class _Run:
    """Consecutive items that make one table of contents."""

    items: list[ContentItem] = field(default_factory=list)
    entries: list[list[ContentsEntry]] = field(default_factory=list)
    numbered: int = 0
    """Length of ``items`` up to the last one that carries a page number."""

    def add(self, item: ContentItem, entries: list[ContentsEntry], carries_page: bool) -> None:
        self.items.append(item)
        self.entries.append(entries)
        if carries_page:
            self.numbered = len(self.items)

    @property
    def with_page(self) -> int:
        """Entries that have a page number."""
        return sum(entry.page is not None for own in self.entries for entry in own)


def mark_contents(draft: Draft) -> list[ContentsEntry]:
    """Turn each printed table of contents into one ``toc`` item; returns all entries in order."""
    entries: list[ContentsEntry] = []
    for run, _ in _runs(draft):
        items, own = run.items[: run.numbered], [entry for part in run.entries[: run.numbered] for entry in part]
        own = _with_depth(own, items, run)
        first = items[0]
        text = "\n".join(entry.title if entry.page is None else f"{entry.title} | {entry.page}" for entry in own)
        draft.absorb(first, items[1:], text)
        first.role, first.level, first.table, first.label = "toc", None, None, None
        entries += own
    draft.sweep()
    return entries


def is_contents_title(text: str) -> bool:
    """Whether the text is the heading of a table of contents."""
    return fold(text) in CONTENTS_TITLES


def _runs(draft: Draft) -> list[tuple[_Run, bool]]:
    """Runs that are tables of contents, with whether a contents heading stands before them."""
    found: list[tuple[_Run, bool]] = []
    run, titled = _Run(), False
    last_page = max(2, len(draft.pages))
    for item in [*draft.items, None]:
        accepted = item is not None and _extend(run, item, titled, last_page)
        if accepted:
            continue
        if run.with_page >= (2 if titled else 3):
            found.append((run, titled))
        run, titled = _Run(), item is not None and is_contents_title(item.text)
        if item is not None and not titled:
            _extend(run, item, titled, last_page)
    return found


def _extend(run: _Run, item: ContentItem, titled: bool, last_page: int) -> bool:
    """Add the item to the run when it belongs to it."""
    if not is_visible(item) or is_contents_title(item.text):
        return False
    if run.items and item.page_idx - run.items[run.numbered - 1 if run.numbered else 0].page_idx > 1:
        return False
    if item.role == "table":
        entries = _table_entries(item, titled or bool(run.items))
        if entries:
            run.add(item, entries, True)
        return bool(entries)
    if item.role not in TEXT_ROLES:
        return False
    entries = _leader_entries(item.text)
    if entries:
        run.add(item, entries, True)
        return True
    if not titled and not run.numbered:
        return False
    return _extend_plain(run, item, last_page)


def _extend_plain(run: _Run, item: ContentItem, last_page: int) -> bool:
    """Inside a table of contents: lines without leaders, page numbers alone, titles without a page."""
    text = one_line(item.text)
    lines = [one_line(line) for line in item.text.split("\n") if line.strip()]
    if _PAGE_ONLY.fullmatch(text):
        run.add(item, [ContentsEntry(text, None)] if text.isalpha() else _give_page(run, text), True)
        return True
    matches = [_PLAIN_ENTRY.fullmatch(line) for line in lines]
    pages = [match for match in matches if match is not None and _plausible(match["page"], last_page)]
    if pages and len(pages) >= len(lines) / 2 and all(len(line) <= MAX_TITLE for line in lines):
        entries = [
            ContentsEntry(match["title"], match["page"]) if match is not None else ContentsEntry(line, None)
            for match, line in zip(matches, lines, strict=True)
        ]
        run.add(item, entries, True)
        return True
    unnumbered = len(run.items) - run.numbered
    if len(text) <= 90 and unnumbered < 3 and not text.endswith(".") and letter_count(text):
        run.add(item, [ContentsEntry(text, None)], False)
        return True
    return False


def _give_page(run: _Run, text: str) -> list[ContentsEntry]:
    """A page number that stands alone belongs to the last title without one."""
    page = re.sub(r"^\W+", "", text) or None
    for part in reversed(run.entries):
        for index in range(len(part) - 1, -1, -1):
            if part[index].page is None:
                part[index] = ContentsEntry(part[index].title, page)
                return []
            return [] if page is None else [ContentsEntry("", page)]
    return []


def _plausible(page: str, last_page: int) -> bool:
    if page.isdigit():
        return int(page) <= last_page + 60
    return "-" in page or roman_value(page) is not None


def _leader_entries(text: str) -> list[ContentsEntry]:
    """Entries of a text made of lines with leaders; none when they are not most of it."""
    entries: list[ContentsEntry] = []
    covered = 0
    for match in _LEADER_ENTRY.finditer(text):
        title = one_line(match["title"])
        if len(title) > MAX_TITLE or not letter_count(title):
            continue
        entries.append(ContentsEntry(title, match["page"]))
        covered += len(match[0])
    return entries if covered >= 0.6 * len(text.strip()) else []


def _table_entries(item: ContentItem, expected: bool) -> list[ContentsEntry]:
    """Entries of a table whose last column holds ascending page numbers; ``expected`` after a contents heading."""
    rows = [[one_line(cell) for cell in row if cell.strip()] for row in (item.table.rows if item.table else [])]
    rows = [row for row in rows if row]
    entries = [_row_entry(row) for row in rows]
    pages = [int(entry.page) for entry in entries if entry.page is not None and entry.page.isdigit()]
    leaders = sum(bool(re.search(_LEADER, " ".join(row))) for row in rows)
    ascending = sum(one <= other for one, other in zip(pages, pages[1:], strict=False))
    if len(pages) < 3 or len(pages) < 0.5 * len(rows) or ascending < 0.85 * (len(pages) - 1):
        return []
    return entries if expected or leaders >= 0.5 * len(rows) else []


def _row_entry(row: list[str]) -> ContentsEntry:
    cells = list(dict.fromkeys(row))
    match = _LEADER_ENTRY.fullmatch(" ".join(cells))
    if match is not None:
        return ContentsEntry(one_line(match["title"]), match["page"])
    if len(cells) >= 2 and re.fullmatch(_PAGE, cells[-1]):
        return ContentsEntry(re.sub(rf"(?:{_LEADER})$", "", " ".join(cells[:-1])), cells[-1])
    return ContentsEntry(" ".join(cells), None)


def _with_depth(entries: list[ContentsEntry], items: list[ContentItem], run: _Run) -> list[ContentsEntry]:
    """Depth by decimal numbers; else by indent when each item is one entry."""
    left = {id(entry): item.bbox[0] for item, part in zip(items, run.entries, strict=False) for entry in part[:1]}
    indents: list[float] = []
    for x0 in sorted(left.values()):
        if not indents or x0 - indents[-1] > 0.012:
            indents.append(x0)
    with_depth: list[ContentsEntry] = []
    for entry in entries:
        if not entry.title:
            continue
        numbering = parse_numbering(entry.title)
        depth = numbering.depth if numbering is not None and numbering.kind == "decimal" else None
        if depth is None and id(entry) in left and 1 < len(indents) <= 5:
            depth = 1 + sum(left[id(entry)] - indent > 0.012 for indent in indents)
        with_depth.append(ContentsEntry(entry.title, entry.page, depth))
    return with_depth
