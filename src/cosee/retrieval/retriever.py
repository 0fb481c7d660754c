"""The retriever of one document: from a question to ranked nodes and pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cosee.artifacts.prediction import Retrieved


@dataclass(frozen=True)
class Ranking:
    """Ranked hits (node ids without suffix, each once) and pages (1-based), best first."""

    hits: list[Retrieved] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)
    page_scores: list[float] = field(default_factory=list)
    """One score for each of ``pages``."""


class Retriever:
    """Searches one document's index; see ``Retriever.load``."""

    def search(
        self, text: str, *, question_id: str | None = None, channels: Sequence[str] | None = None
    ) -> Ranking:
        """Rank the document's nodes and pages for ``text``.

        ``question_id`` names the vector that M2 made of this very text; without it (a rewritten question) the dense
        channel is left out, since answering loads no embedder. ``channels`` restricts to ``dense`` or ``sparse``.
        """
        raise NotImplementedError
