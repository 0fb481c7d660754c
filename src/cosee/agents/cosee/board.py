"""The shared board: an append-only list of located notes, and its rendering for a prompt."""

from __future__ import annotations

import copy
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cosee.agents.cosee.thresholds import MAX_BOARD_CHARACTERS, MAX_CELLS_PER_PAGE
from cosee.models.boxes import four_numbers

KINDS = {"INSPECT": "note", "LINK": "link", "HYPOTHESIZE": "hypothesis", "REVISE": "correction"}
"""What the board's text calls the cell of an action."""

_CELL_MARKER = re.compile(r"- (?=\(#)")


class View(dict[str, Any]):
    """Where a note lives: ``page`` (1-based, required), ``bbox`` (four numbers) and ``description`` where known.

    Raises:
        ValueError: no usable page, or a bbox that is not four finite numbers.
    """

    def __init__(self, *args: Any, **fields: Any) -> None:
        super().__init__(*args, **fields)
        page = self.get("page")
        if isinstance(page, bool) or not isinstance(page, int) or page < 1:
            raise ValueError(f"a view needs a 1-based page, found {page!r}")
        if self.get("bbox") is not None:
            self["bbox"] = four_numbers(self["bbox"])
        if self.get("description") is not None:
            self["description"] = str(self["description"])


class Cell(dict[str, Any]):
    """One note: ``id``, ``view``, ``content``, ``tags``, ``author``, ``step``.

    ``details`` is present where an action said more: its kind, target, answer, confidence, quote or node.
    """


def one_line(text: str) -> str:
    """``text`` on one line and without the marker that opens a cell, so that no content can forge one."""
    visible = "".join(
        character if character.isspace() or unicodedata.category(character)[0] != "C" else "" for character in text
    )
    return _CELL_MARKER.sub("-", " ".join(visible.split()))


class Board:
    """Append-only notes. Cells go in and come out as copies: what was written cannot be changed from outside."""

    def __init__(self) -> None:
        self._cells: list[Cell] = []

    def add_cell(
        self,
        view: Mapping[str, Any],
        content: str,
        tags: Sequence[str] | None = None,
        author: str = "unknown",
        step: int = 0,
        *,
        details: Mapping[str, Any] | None = None,
    ) -> int:
        """Add a note and return its id, which is unique and increasing; raises ValueError for a view without page."""
        cell = Cell(
            id=len(self._cells) + 1,
            view=View(copy.deepcopy(dict(view))),
            content=str(content),
            tags=list(tags or []),
            author=author,
            step=step,
        )
        if details:
            cell["details"] = copy.deepcopy(dict(details))
        self._cells.append(cell)
        return int(cell["id"])

    def get_cell(self, cell_id: int) -> Cell | None:
        """The cell, or None for an unknown id."""
        known = isinstance(cell_id, int) and not isinstance(cell_id, bool) and 1 <= cell_id <= len(self._cells)
        return copy.deepcopy(self._cells[cell_id - 1]) if known else None

    def list_cells(self, filter_fn: Callable[[Cell], bool] | None = None) -> list[Cell]:
        """Cells in creation order, those for which ``filter_fn`` is true where it is given."""
        cells = copy.deepcopy(self._cells)
        return cells if filter_fn is None else [cell for cell in cells if filter_fn(cell)]

    def get_cells_by_page(self, page: int) -> list[Cell]:
        """Cells that refer to a 1-based page."""
        return self.list_cells(lambda cell: cell["view"]["page"] == page)

    def get_cells_by_author(self, author: str) -> list[Cell]:
        """Cells that an agent wrote."""
        return self.list_cells(lambda cell: cell["author"] == author)

    def get_cells_by_tags(self, tags: Sequence[str]) -> list[Cell]:
        """Cells with any of ``tags``."""
        wanted = set(tags)
        return self.list_cells(lambda cell: not wanted.isdisjoint(cell["tags"]))

    def to_text(self, max_cells_per_page: int = MAX_CELLS_PER_PAGE, max_total_chars: int = MAX_BOARD_CHARACTERS) -> str:
        """The board for a prompt: pages ascending, each cell one line, sorted by (step, id).

        A page keeps its newest ``max_cells_per_page`` cells; then the oldest cells of the whole board go until the
        text has at most ``max_total_chars`` characters. A newest cell that is longer alone is cut with an ellipsis.
        """
        lines = self._newest_lines(max_cells_per_page)
        kept: list[tuple[int, str]] = []
        for _, page, line in sorted(lines, reverse=True):
            if len(_render([(page, line), *kept])) > max_total_chars:
                break
            kept.insert(0, (page, line))
        if lines and not kept:
            _, page, line = max(lines)
            room = max_total_chars - len(_render([(page, "")]))
            return _render([(page, line[: room - 1] + "…")]) if room > 1 else ""
        return _render(kept)

    def _newest_lines(self, max_cells_per_page: int) -> list[tuple[tuple[int, int], int, str]]:
        """(step, id), page and line of every cell that its page's cap keeps."""
        if max_cells_per_page < 1:
            return []
        per_page: dict[int, list[tuple[tuple[int, int], int, str]]] = {}
        for cell in self._cells:
            page, age = cell["view"]["page"], (cell["step"], cell["id"])
            told = ", ".join([one_line(cell["author"]), f"step {cell['step']}", *_of_action(cell)])
            line = f"- (#{cell['id']}, {told}) {one_line(cell['content'])}"
            per_page.setdefault(page, []).append((age, page, line.rstrip()))
        return [line for lines in per_page.values() for line in sorted(lines)[-max_cells_per_page:]]

    def __len__(self) -> int:
        return len(self._cells)


def _of_action(cell: Cell) -> list[str]:
    """Kind, page and confidence of a cell that an action wrote."""
    details = cell.get("details", {})
    kind = KINDS.get(details.get("action"))
    confidence = details.get("confidence")
    told = [f"{kind} on page {cell['view']['page']}"] if kind else []
    return [*told, f"confidence {confidence:g}"] if told and isinstance(confidence, int | float) else told


def _render(lines: Sequence[tuple[int, str]]) -> str:
    """Lines with their pages, in order of age, under one heading a page."""
    pages: dict[int, list[str]] = {}
    for page, line in lines:
        pages.setdefault(page, []).append(line)
    return "\n\n".join("\n".join([f"[Page {page}]", *pages[page]]) for page in sorted(pages))
