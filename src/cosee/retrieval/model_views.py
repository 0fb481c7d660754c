"""What models said when M2 ran, joined to a ranking: views of page pictures, and cross-encoder scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.doctree import DocTree, split_id
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.index import PassageScores
from cosee.artifacts.prediction import Retrieved

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


def node_scores(scores: PassageScores | None, text: str, question_id: str | None) -> dict[str, float]:
    """Node -> the best score of its passages; empty for a question that M2 did not read in these very words."""
    asked = scores.questions.get(question_id) if scores is not None and question_id is not None else None
    if asked is None or asked.text_sha256 != files.sha256_bytes(text.encode("utf-8")):
        return {}
    best: dict[str, float] = {}
    for passage, score in asked.scores.items():
        node_id = split_id(passage)[0]
        best[node_id] = max(score, best.get(node_id, 0.0))
    return best


def rerank_hits(hits: Sequence[Retrieved], scores: Mapping[str, float], weight: float) -> list[Retrieved]:
    """Hits with ``weight`` times the cross-encoder's score added, best first; a node that it did not read gets none."""
    if not scores or not weight:
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


def between_0_and_1(scores: Mapping[int, float]) -> dict[int, float]:
    """Scores of pages stretched so that the best is 1 and the worst 0: late interaction gives all pages much alike."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {page: (score - low) / (high - low) if high > low else 0.0 for page, score in scores.items()}


def join_views(
    pages: Mapping[int, float], views: Sequence[tuple[float, Mapping[int, float]]], *, only: bool
) -> dict[int, float]:
    """1-based page -> the mean of its score and its scores in ``views`` (weight, 0-based page -> 0..1), best first.

    The ranking's own score weighs 1. ``only`` keeps to the pages of the ranking.
    """
    total = dict(pages)
    for weight, view in views:
        for page_idx, score in view.items():
            if not only or page_idx + 1 in pages:
                total[page_idx + 1] = total.get(page_idx + 1, 0.0) + weight * score
    whole = 1 + sum(weight for weight, _ in views)
    ranked = sorted(((page, round(score / whole, 6)) for page, score in total.items() if score > 0), key=_best_first)
    return dict(ranked)


def _best_first(row: tuple[int, float]) -> tuple[float, int]:
    return -row[1], row[0]
