"""Questions that compare or combine two things, taken apart, searched part by part, and merged."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cosee.artifacts.results.prediction import Retrieved
from cosee.retrieval.ranking import Ranking
from cosee.retrieval.thresholds import PARTS_SHARE
from cosee.text.tokens import STOP_TERMS, query_weights

# General knowledge: conjunctions of a pair, and words that announce one.
_PAIRED = re.compile(
    r"\b(?:between|both|compar(?:e|ed|es|ing|ison of)|ratio of|either|entre|zwischen)\s+(?P<first>[^?.;]+?),?\s+"
    r"(?P<joint>(?:and|with|to|or|versus|vs\.?|und|et|y|e)\s+)(?P<second>[^?.;,]+)",
    re.IGNORECASE,
)
# General knowledge: conjunctions of comparison.
_COMPARED = re.compile(
    r"^(?P<first>[^?.;]+?)\s+(?P<joint>(?:than|versus|vs\.?|compared (?:to|with)|als)\s+)(?!\d)(?P<second>[^?.;,]+)",
    re.IGNORECASE,
)


def parts_of(text: str) -> list[str]:
    """The two sides of a comparison or pair, each with what the question says around them; empty for any other.

    ``difference between the output of pump A and that of pump B in May`` gives ``difference between the output of pump
    A`` and ``difference that of pump B in May``.
    """
    match = _PAIRED.search(text)
    if match is not None and all(_content_words(match[side]) for side in ("first", "second")):
        before, after = text[: match.start("first")], text[match.end("second") :]
        return [before + match["first"] + after, before + match["second"] + after]
    match = _COMPARED.search(text)
    if match is not None and all(_content_words(match[side]) > 1 for side in ("first", "second")):
        return [match["first"], match["second"] + text[match.end("second") :]]
    return []


def _content_words(text: str) -> int:
    return sum(term not in STOP_TERMS for term in query_weights(text))


def merged(whole: Ranking, parts: Sequence[Ranking]) -> Ranking:
    """The mean of the scores of the whole question and of its parts, weighted by ``PARTS_SHARE``.

    Scores of pages are shares of one, so that this reads: the evidence is where the whole question points, or where
    one of its parts does.
    """
    share = PARTS_SHARE / len(parts)
    pages = {page: (1 - PARTS_SHARE) * score for page, score in zip(whole.pages, whole.page_scores, strict=True)}
    hits = {hit.node_id: hit.model_copy(update={"score": (1 - PARTS_SHARE) * hit.score}) for hit in whole.hits}
    for number, part in enumerate(parts, start=1):
        for page, score in zip(part.pages, part.page_scores, strict=True):
            pages[page] = pages.get(page, 0.0) + share * score
        for hit in part.hits:
            hits[hit.node_id] = _added(hits.get(hit.node_id), hit, share, f"part {number}")
    place = {page: number for number, page in enumerate(whole.pages)}
    views = dict(zip(whole.pages, whole.page_parts, strict=False))
    for part in parts:
        views = {**dict(zip(part.pages, part.page_parts, strict=False)), **views}
    scores = {page: round(score, 6) for page, score in pages.items()}
    order = sorted(scores, key=lambda page: (-scores[page], place.get(page, len(place)), page))
    rounded = (hit.model_copy(update={"score": round(hit.score, 6)}) for hit in hits.values())
    best = sorted(rounded, key=lambda hit: (-hit.score, hit.node_id))
    return Ranking(
        best[: len(whole.hits) or len(best)],
        order,
        [scores[page] for page in order],
        [views[page] for page in order if page in views],
    )


def _added(known: Retrieved | None, hit: Retrieved, share: float, reason: str) -> Retrieved:
    if known is None:
        return hit.model_copy(update={"score": share * hit.score, "reasons": [*hit.reasons, reason]})
    return known.model_copy(update={"score": known.score + share * hit.score, "reasons": [*known.reasons, reason]})
