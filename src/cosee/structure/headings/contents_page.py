"""Printed tables of contents: each becomes one ``toc`` item of ``title | page`` lines, and gives its entries."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from cosee.artifacts.documents.content import ContentItem
from cosee.parse.content.contents_lines import CONTENTS_TITLE, PAGE_NUMBER
from cosee.structure.draft import TEXT_ROLES, Draft, is_running_text, is_visible
from cosee.structure.headings import thresholds
from cosee.structure.headings.contents_depth import ContentsEntry, PlacedEntry, join_hanging, with_depths
from cosee.text.folding import title_key
from cosee.text.number_words import roman_value
from cosee.text.words import letter_count, one_line

_LISTS = frozenset({"index", "list of figures", "list of tables"})
"""Headings of lists that are read like a table of contents, beside ``CONTENTS_TITLE``."""
_LEADER = r"(?<![.·•…‥_．。])(?<![.·•…‥_．。] )(?:(?: ?[.·•…‥_．。]){3,500}| ?…) ?"
_LEADER_HINTS = ("..", ". .", "…", "··", "· ·", "••", "‥", "__", "．．", "。。")
_LEADER_PAGE = re.compile(rf"{_LEADER}(?P<page>{PAGE_NUMBER})(?=\s|$)")
_PLAIN_ENTRY = re.compile(rf"(?P<title>\S.*?)[\s|]+(?P<page>{PAGE_NUMBER})", re.DOTALL)
_INLINE_ENTRY = re.compile(r"(?P<title>\S.{2,200}?)\s(?P<page>\d{1,4})(?=\s+[A-Z]|$)\s*")
_PAGE_ONLY = re.compile(rf"(?:{_LEADER})?{PAGE_NUMBER}|(?:{_LEADER})|page(?:\s+no\.?)?|页码", re.IGNORECASE)
_OPENING = re.compile(r"(table of contents|contents|目录|目次)\s+(?=\S)", re.IGNORECASE)


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
    for run in _runs(draft):
        items = run.items[: run.numbered]
        own = with_depths(join_hanging(_placed(items, run.entries)))
        first = items[0]
        text = "\n".join(entry.title if entry.page is None else f"{entry.title} | {entry.page}" for entry in own)
        draft.absorb(first, items[1:], text)
        first.role, first.level, first.table, first.label = "toc", None, None, None
        entries += own
    draft.sweep()
    return entries


def _placed(items: list[ContentItem], entries: list[list[ContentsEntry]]) -> list[PlacedEntry]:
    """The entries of all items that have a title, with their item where it holds no other."""
    return [
        PlacedEntry(entry, item if len(part) == 1 else None)
        for item, part in zip(items, entries, strict=False)
        for entry in part
        if entry.title
    ]


def is_contents_title(text: str) -> bool:
    """Whether the text is the heading of a table of contents."""
    return len(text) <= thresholds.MAX_CONTENTS_TITLE_CHARACTERS and (
        title_key(text) in _LISTS or CONTENTS_TITLE.fullmatch(text) is not None
    )


def _runs(draft: Draft) -> list[_Run]:
    """Runs of items that are tables of contents."""
    found: list[_Run] = []
    run, titled = _Run(), False
    last_page = max(2, len(draft.pages))
    for item in [*draft.items, None]:
        accepted = item is not None and _extend(run, item, titled, last_page)
        if accepted:
            continue
        if run.with_page >= (thresholds.MIN_ENTRIES_TITLED if titled else thresholds.MIN_ENTRIES):
            if not titled:
                _take_before(run, draft.items, last_page)
            found.append(run)
        run, titled = _Run(), item is not None and is_contents_title(item.text)
        if item is not None and not titled:
            _extend(run, item, titled, last_page)
    return found


def _take_before(run: _Run, items: list[ContentItem], last_page: int) -> None:
    """Without a contents heading a run starts at its first leader: take the plain entries right before it as well."""
    start = next(index for index, item in enumerate(items) if item is run.items[0])
    for item in reversed(items[max(0, start - thresholds.ENTRIES_BEFORE_LEADERS) : start]):
        match = _PLAIN_ENTRY.fullmatch(one_line(item.text))
        plain = is_running_text(item) and item.page_idx == run.items[0].page_idx
        if (
            not plain
            or match is None
            or len(item.text) > thresholds.MAX_ENTRY_CHARACTERS
            or not _plausible(match["page"], last_page)
        ):
            return
        run.items.insert(0, item)
        run.entries.insert(0, [ContentsEntry(one_line(match["title"]), match["page"])])
        run.numbered += 1


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
    if item.role not in TEXT_ROLES and item.role != "toc":
        return False
    entries = _leader_entries(item.text)
    if not entries and item.role == "toc":
        entries = _line_entries(item.text, last_page)
    if entries:
        run.add(item, entries, True)
        return True
    if not titled and not run.numbered:
        return False
    return _extend_plain(run, item, last_page)


def _extend_plain(run: _Run, item: ContentItem, last_page: int) -> bool:
    """Inside a table of contents: lines without leaders, page numbers alone, titles without a page."""
    text = one_line(item.text)
    if _PAGE_ONLY.fullmatch(text):
        run.add(item, [ContentsEntry(text, None)] if text.isalpha() else _give_page(run, text), True)
        return True
    entries = _inline_entries(item.text, last_page) or _line_entries(item.text, last_page)
    if entries:
        run.add(item, entries, True)
        return True
    unnumbered = len(run.items) - run.numbered
    if unnumbered >= thresholds.MAX_PLAIN_ENTRIES:
        return False
    if len(text) <= thresholds.MAX_PLAIN_ENTRY_CHARACTERS and not text.endswith(".") and letter_count(text):
        run.add(item, [ContentsEntry(text, None)], False)
        return True
    return False


def _line_entries(text: str, last_page: int) -> list[ContentsEntry]:
    """Entries of lines that end in a page number without leaders; none when fewer than half of the lines do."""
    lines = [one_line(line) for line in text.split("\n") if line.strip()]
    matches = [_PLAIN_ENTRY.fullmatch(line) for line in lines]
    numbered = [match is not None and _plausible(match["page"], last_page) for match in matches]
    if sum(numbered) < max(1, len(lines) / 2) or any(len(line) > thresholds.MAX_ENTRY_CHARACTERS for line in lines):
        return []
    return [
        ContentsEntry(match["title"], match["page"]) if match is not None and good else ContentsEntry(line, None)
        for match, good, line in zip(matches, numbered, lines, strict=True)
    ]


def _inline_entries(text: str, last_page: int) -> list[ContentsEntry]:
    """Entries run together in one paragraph: ``Item 5. Market 14 Item 6. Data 16``, with ascending pages."""
    if "\n" in text.strip():
        return []
    matches = list(_INLINE_ENTRY.finditer(text))
    pages = [int(match["page"]) for match in matches]
    ascending = all(one <= other for one, other in zip(pages, pages[1:], strict=False))
    if (
        len(matches) < 2
        or not ascending
        or matches[-1].end() != len(text)
        or not _plausible(matches[-1]["page"], last_page)
    ):
        return []
    return [ContentsEntry(match["title"], match["page"]) for match in matches]


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
        return int(page) <= last_page + thresholds.PAGES_BEYOND
    return "-" in page or "–" in page or roman_value(page) is not None


def _leader_entries(text: str) -> list[ContentsEntry]:
    """Entries of a text made of lines with leaders; none when they are not most of it."""
    entries: list[ContentsEntry] = []
    covered = 0
    if not any(hint in text for hint in _LEADER_HINTS):
        return []
    line = one_line(text)
    begin = 0
    for match in _LEADER_PAGE.finditer(line):
        title = line[begin : match.start()].strip()
        opening = _OPENING.match(title) if not entries else None
        if opening is not None:
            entries.append(ContentsEntry(opening[1], None))
            title = title[opening.end() :]
        if len(title) <= thresholds.MAX_ENTRY_CHARACTERS and letter_count(title):
            entries.append(ContentsEntry(title, match["page"]))
            covered += match.end() - begin
        begin = match.end()
    if not entries or covered < thresholds.MIN_SHARE_WITH_LEADERS * len(line):
        return []
    rest = line[begin:].strip()
    return [*entries, ContentsEntry(rest, None)] if rest else entries


def _table_entries(item: ContentItem, expected: bool) -> list[ContentsEntry]:
    """Entries of a table whose last column holds ascending page numbers; ``expected`` after a contents heading."""
    rows = [[one_line(cell) for cell in row if cell.strip()] for row in (item.table.rows if item.table else [])]
    rows = [row for row in rows if row]
    entries = [_row_entry(row) for row in rows]
    pages = [int(entry.page) for entry in entries if entry.page is not None and entry.page.isdigit()]
    leaders = sum(bool(re.search(_LEADER, " ".join(row))) for row in rows)
    ascending = sum(one <= other for one, other in zip(pages, pages[1:], strict=False))
    if len(pages) < thresholds.MIN_TABLE_ENTRIES or len(pages) < 0.5 * len(rows):
        return []
    if ascending < thresholds.MIN_SHARE_ASCENDING * (len(pages) - 1):
        return []
    return entries if expected or leaders >= 0.5 * len(rows) else []


def _row_entry(row: list[str]) -> ContentsEntry:
    cells = list(dict.fromkeys(row))
    entries = _leader_entries(" ".join(cells))
    if len(entries) == 1:
        return entries[0]
    if len(cells) >= 2 and re.fullmatch(PAGE_NUMBER, cells[-1]):
        return ContentsEntry(re.sub(rf"(?:{_LEADER})$", "", " ".join(cells[:-1])), cells[-1])
    return ContentsEntry(" ".join(cells), None)
