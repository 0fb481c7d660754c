"""What a search gives."""

from __future__ import annotations

from dataclasses import dataclass, field

from cosee.artifacts.results.prediction import Retrieved


@dataclass(frozen=True)
class Ranking:
    """Ranked hits (node ids without suffix, each once) and pages (1-based), best first."""

    hits: list[Retrieved] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)
    page_scores: list[float] = field(default_factory=list)
    """One score in 0..1 for each of ``pages``."""
    page_parts: list[dict[str, float]] = field(default_factory=list)
    """What each view added to the log odds of each of ``pages``; empty where pages are ranked by their best hit."""
    page_chances: list[float] = field(default_factory=list)
    """The chance of each of the first ``pages`` that it is needed, in 0..1; empty where pages are ranked by their best
    hit."""
    least: int = 1
    """Pages that a method reads at least, whatever its settings say: one of each document that a question compares."""
