"""What a board tells about a collaboration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from cosee.agents.cosee.board import Board
from cosee.agents.cosee.thresholds import REPEATED_NOTE_SHARE
from cosee.agents.short_answer import answer_key


def collaboration_measures(board: Board, pages: Sequence[int]) -> dict[str, float]:
    """Measures of a board over the ``pages`` (1-based) that its agents were shown.

    - ``page_coverage``: share of the pages with at least one cell; ``cells``: number of cells.
    - ``redundancy``: share of the cells that repeat an earlier cell of the same page (Jaccard index of their words).
    - ``corrections``, ``links``, ``hypotheses``: cells of these kinds; ``authors``: agents that wrote a cell.
    - ``agreement``: share of the pairs of agents whose last answers are the same; absent with fewer than two answers.
    """
    cells = board.list_cells()
    covered = {cell["view"]["page"] for cell in cells} & set(pages)
    repeats = sum(any(_same_note(cell, earlier) for earlier in cells[:index]) for index, cell in enumerate(cells))
    last = {
        cell["author"]: answer_key(str(answer)) for cell in cells if (answer := cell.get("details", {}).get("answer"))
    }
    pairs = list(combinations(last.values(), 2))
    agreement = {"agreement": sum(one == other for one, other in pairs) / len(pairs)} if pairs else {}
    return {
        "page_coverage": len(covered) / len(set(pages)) if pages else 0.0,
        "cells": float(len(cells)),
        "redundancy": repeats / len(cells) if cells else 0.0,
        "corrections": float(sum("correction" in cell["tags"] for cell in cells)),
        "links": float(sum("link" in cell["tags"] for cell in cells)),
        "hypotheses": float(sum("hypothesis" in cell["tags"] for cell in cells)),
        "authors": float(len({cell["author"] for cell in cells})),
        **agreement,
    }


def _same_note(cell: Mapping[str, Any], earlier: Mapping[str, Any]) -> bool:
    if cell["view"]["page"] != earlier["view"]["page"]:
        return False
    mine, other = set(answer_key(cell["content"]).split()), set(answer_key(earlier["content"]).split())
    return bool(mine | other) and len(mine & other) / len(mine | other) >= REPEATED_NOTE_SHARE
