"""What models said when M2 ran, joined to a ranking: views of page pictures, and cross-encoder scores."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.documents.doctree import DocTree, split_id
from cosee.artifacts.documents.index import PassageScores
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.results.prediction import Retrieved
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.retrieval.page_images import PageImageSearch
from cosee.retrieval.page_index import best_on_pages
from cosee.retrieval.ranking import Ranking

CROSS_ENCODER = "cross_encoder"
"""The part of a hit's score, and its reason."""


def load_passage_scores(index_folder: Path, tree: DocTree) -> PassageScores | None:
    """What a cross-encoder said of the questions' best passages; None where M2 had none.

    Raises:
        ArtifactError: the file is damaged, or of another tree.
    """
    path = index_folder / "passage_scores.json"
    if not path.exists():
        return None
    scores = PassageScores.load(path)
    for question in scores.questions.values():
        strangers = [each for each in question.scores if split_id(each)[0] not in tree.by_id]
        if strangers:
            raise ArtifactError(f"{path}: {strangers[0]} is not in the tree; redo the questions stage")
    return scores


def _node_scores(scores: PassageScores | None, text: str, question_id: str | None) -> dict[str, float]:
    """Node -> the best score of its passages; empty for a question that M2 did not read in these very words."""
    asked = scores.questions.get(question_id) if scores is not None and question_id is not None else None
    if asked is None or asked.text_sha256 != files.sha256_bytes(text.encode("utf-8")):
        return {}
    best: dict[str, float] = {}
    for passage, score in asked.scores.items():
        node_id = split_id(passage)[0]
        best[node_id] = max(score, best.get(node_id, 0.0))
    return best


def _reranked(hits: Sequence[Retrieved], scores: Mapping[str, float], weight: float) -> list[Retrieved]:
    """Hits with ``weight`` times the cross-encoder's score added, best first; a node that it did not read gets none."""
    if not scores:
        return list(hits)
    read = [
        hit.model_copy(
            update={
                "score": round(hit.score + weight * scores[hit.node_id], 6),
                "parts": {**hit.parts, CROSS_ENCODER: scores[hit.node_id]},
                "reasons": [*hit.reasons, CROSS_ENCODER],
            }
        )
        if hit.node_id in scores
        else hit
        for hit in hits
    ]
    return sorted(read, key=lambda hit: (-hit.score, hit.node_id))


class ModelViews:
    """Joins a ranking with the page-image view, and with what a cross-encoder said of the question's passages."""

    def __init__(
        self, tree: DocTree, page_images: PageImageSearch, passages: PassageScores | None, searched: Collection[str]
    ) -> None:
        """``searched``: ids of the nodes that may be found."""
        self._tree, self._page_images, self._passages, self._searched = tree, page_images, passages, searched

    def join(
        self,
        found: Ranking,
        text: str,
        question_id: str | None,
        channels: Sequence[str],
        settings: RetrievalSettings,
        *,
        only: bool,
    ) -> Ranking:
        """``found`` with hits and pages ordered anew; as it is where neither view takes part.

        ``channels`` are those of this search: the page-image view is ``page_images``. The cross-encoder takes part
        where ``rerank`` is on. ``only`` keeps to the pages of ``found``, since facets chose them.
        """
        weight = settings.cross_encoder_weight
        scores = _node_scores(self._passages, text, question_id) if settings.rerank and weight else {}
        read = {node_id: score for node_id, score in scores.items() if node_id in self._searched}
        views: dict[str, tuple[float, dict[int, float]]] = {}
        if read:
            views[CROSS_ENCODER] = (weight, best_on_pages(self._tree, read))
        if "page_images" in channels:
            seen = _min_max_scaled(self._page_images.scores(text, question_id))
            views["page_images"] = (settings.page_image_weight, seen)
        if not views:
            return found
        pages = _weighted_means(dict(zip(found.pages, found.page_scores, strict=True)), list(views.values()), only=only)
        parts = dict(zip(found.pages, found.page_parts, strict=False))
        return replace(
            found,
            hits=_reranked(found.hits, read, weight),
            pages=list(pages),
            page_scores=list(pages.values()),
            page_parts=[parts.get(page, {}) | _parts(views, page) for page in pages] if parts else [],
        )


def _parts(views: Mapping[str, tuple[float, Mapping[int, float]]], page: int) -> dict[str, float]:
    """What each view added to a page's score, before the mean."""
    return {name: round(weight * view[page - 1], 6) for name, (weight, view) in views.items() if page - 1 in view}


def _min_max_scaled(scores: Mapping[int, float]) -> dict[int, float]:
    """Scores of pages stretched so that the best is 1 and the worst 0: late interaction gives all pages much alike."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {page: (score - low) / (high - low) if high > low else 0.0 for page, score in scores.items()}


def _weighted_means(
    pages: Mapping[int, float], views: Sequence[tuple[float, Mapping[int, float]]], *, only: bool
) -> dict[int, float]:
    """1-based page -> the weighted mean of its score (which weighs 1) and its scores in ``views``, best first."""
    total = dict(pages)
    for weight, view in views:
        for page_idx, score in view.items():
            if not only or page_idx + 1 in pages:
                total[page_idx + 1] = total.get(page_idx + 1, 0.0) + weight * score
    whole = 1 + sum(weight for weight, _ in views)
    means = {page: round(score / whole, 6) for page, score in total.items() if score > 0}
    return {page: means[page] for page in sorted(means, key=lambda page: (-means[page], page))}
