"""What models said when M2 ran, joined to a ranking of pages: views of their pictures, and a reranker's scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.documents.index import PassageScores
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.retrieval.page_images import PageImageSearch
from cosee.retrieval.page_weights import RERANKER
from cosee.retrieval.ranking import Ranking
from cosee.retrieval.thresholds import LEAST_SHARE

PAGE_IMAGES = "page_images"
"""The channel, and the part of a page's score."""


def load_passage_scores(index_folder: Path, tree: DocTree) -> PassageScores | None:
    """What a reranker said of the pages that the questions may need; None where M2 had none.

    Raises:
        ArtifactError: the file is damaged, or of another tree.
    """
    path = index_folder / "passage_scores.json"
    if not path.exists():
        return None
    scores = PassageScores.load(path)
    known = {page.page_idx + 1 for page in tree.pages}
    for question in scores.questions.values():
        if not known.issuperset(question.pages):
            stranger = min(set(question.pages) - known)
            raise ArtifactError(f"{path}: page {stranger} is not in the tree; redo the questions stage")
    return scores


class ModelViews:
    """Joins a ranking with the page-image view, and with what a reranker said of the question's pages."""

    def __init__(self, page_images: PageImageSearch, passages: PassageScores | None = None) -> None:
        self._page_images, self._passages = page_images, passages

    def join(
        self,
        found: Ranking,
        text: str,
        question_id: str | None,
        channels: Sequence[str],
        settings: RetrievalSettings,
        weights: Mapping[str, float],
        *,
        only: bool,
    ) -> Ranking:
        """``found`` with its pages ordered anew; as it is where neither view takes part.

        ``channels`` are those of this search. The reranker takes part where ``rerank`` and ``page_views`` are on, with
        the ``weights`` of ``reranked``. ``only`` keeps to the pages of ``found``, since facets chose them.
        """
        if settings.rerank and settings.page_views:
            found = reranked(found, self._scores(text, question_id), weights)
        if PAGE_IMAGES not in channels:
            return found
        seen = _min_max_scaled(self._page_images.scores(text, question_id))
        return _with_pictures(found, seen, settings.page_image_weight, only=only)

    def _scores(self, text: str, question_id: str | None) -> Mapping[int, float]:
        """Empty for a question that M2 did not read in these very words."""
        asked = self._passages.questions.get(question_id) if self._passages and question_id is not None else None
        return asked.pages if asked and asked.text_sha256 == files.sha256_bytes(text.encode("utf-8")) else {}


def reranked(found: Ranking, scores: Mapping[int, float], weights: Mapping[str, float]) -> Ranking:
    """The pages that were read share anew what they have together: each in proportion to ``exp(weights["share"] * log
    of its share + weights["reranker"] * its log odds)``; the others keep their shares. Best first.

    ``scores``: 1-based page -> log odds that it answers the question. Pages that ``found`` lacks are left out; of one
    page alone nothing is told.
    """
    import numpy

    places = [place for place, page in enumerate(found.pages) if page in scores]
    if len(places) < 2:
        return found
    share = numpy.array(found.page_scores, dtype=float)
    read = numpy.clip(share[places], LEAST_SHARE, 1)
    part = weights["reranker"] * numpy.array([scores[found.pages[place]] for place in places])
    part -= part.max()
    odds = weights["share"] * numpy.log(read) + part
    likely = numpy.exp(odds - odds.max())
    share[places] = likely / likely.sum() * read.sum()
    said = dict(zip(places, part.tolist(), strict=True))
    known = [*found.page_parts, *[{}] * (len(share) - len(found.page_parts))] if found.page_parts else []
    parts = [{**each, RERANKER: round(said[place], 4)} if place in said else each for place, each in enumerate(known)]
    order = sorted(range(len(share)), key=lambda place: -share[place])
    return replace(
        found,
        pages=[found.pages[place] for place in order],
        page_scores=[round(float(share[place]), 6) for place in order],
        page_parts=[parts[place] for place in order] if parts else [],
    )


def _min_max_scaled(scores: Mapping[int, float]) -> dict[int, float]:
    """Scores of pages stretched so that the best is 1 and the worst 0: late interaction gives all pages much alike."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {page: (score - low) / (high - low) if high > low else 0.0 for page, score in scores.items()}


def _with_pictures(found: Ranking, seen: Mapping[int, float], weight: float, *, only: bool) -> Ranking:
    """Each page's score as the weighted mean of what it was, which weighs 1, and of its place in ``seen``, 0..1."""
    total = dict(zip(found.pages, found.page_scores, strict=True))
    for page_idx, score in seen.items():
        if not only or page_idx + 1 in total:
            total[page_idx + 1] = total.get(page_idx + 1, 0.0) + weight * score
    means = {page: round(score / (1 + weight), 6) for page, score in total.items() if score > 0}
    pages = sorted(means, key=lambda page: (-means[page], page))
    known = dict(zip(found.pages, found.page_parts, strict=False))
    looks = {page_idx + 1: {PAGE_IMAGES: round(weight * score, 6)} for page_idx, score in seen.items()}
    return replace(
        found,
        pages=pages,
        page_scores=[means[page] for page in pages],
        page_parts=[known.get(page, {}) | looks.get(page, {}) for page in pages] if known else [],
    )
