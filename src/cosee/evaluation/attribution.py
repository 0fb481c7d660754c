"""The stage at fault for a wrong answer, found by swapping one stage's output for an oracle's.

The swaps, from the last stage to the first: another certified scorer; an extractor that finds the gold answer wherever
the method's own words hold it; the gold pages read by the same model (the run's method ``oracle_pages``). What was
ranked and what was read tells which stage lost the answer, the swap whether that stage alone is to blame.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from weakref import WeakKeyDictionary

from cosee.artifacts.datasets.names import page_name
from cosee.artifacts.results.comparison import Verdict
from cosee.artifacts.results.metrics import Cause
from cosee.artifacts.results.prediction import PageKey, Prediction
from cosee.datasets.literals import read_list
from cosee.evaluation.results import QuestionResult
from cosee.evaluation.scorers import core
from cosee.evaluation.scorers.accuracy import read_yes_no
from cosee.evaluation.scorers.numbers import read_number
from cosee.evaluation.scorers.score import VARIANTS
from cosee.evaluation.thresholds import ANSWER_CHARACTERS, PAGES_NAMED, RIGHT_SCORE

# General knowledge: how English asks for a count.
_ASKS_FOR_COUNT = re.compile(r"\b(how many|number of|count)\b", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\(\s*([$£€]?\s*\d[\d.,]*)\s*\)")
"""A negative number as accountants write it. General knowledge: this notation."""
ANSWER_MEASURES = ("accuracy", "anls", "f1", "exact_match")
"""Published measures of the answer alone; others are of its pages too."""


def is_right(result: QuestionResult) -> bool:
    """Whether the accuracy scorer calls a scored result right."""
    return result.value >= RIGHT_SCORE


_CAUSES: WeakKeyDictionary[QuestionResult, Cause] = WeakKeyDictionary()
"""A result's cause is asked for in every group that it belongs to."""


def cause(result: QuestionResult) -> Cause:
    """What became of a scored question."""
    if result not in _CAUSES:
        _CAUSES[result] = verdict(result).cause
    return _CAUSES[result]


def count_causes(scored: Iterable[QuestionResult]) -> dict[Cause, int]:
    """Cause -> questions."""
    return dict(sorted(Counter(cause(result) for result in scored).items()))


def verdict(result: QuestionResult, oracle: QuestionResult | None = None) -> Verdict:
    """What became of a scored question, and how that is known.

    ``oracle`` is the same question answered from its gold pages by the same model. It decides whether the stage is
    proven to be at fault, never which one is named.
    """
    prediction = result.prediction
    if is_right(result):
        return Verdict(cause="right", proven=True, because=result.scores["accuracy"].rule)
    if prediction is None or result.status in ("failed", "skipped"):
        reason = f" ({prediction.reason})" if prediction is not None and prediction.reason else ""
        return Verdict(cause="failed", proven=True, because=f"there is no answer: {result.status}{reason}")
    if lenient := _lenient_scorer(result):
        return Verdict(cause="scorer", proven=True, because=f"swapped the scorer: {lenient} calls the answer right")
    if result.question.unanswerable:
        return Verdict(
            cause="answered_unanswerable",
            proven=True,
            because="the gold answer is that there is none, and an answer was given",
        )
    if place := held_gold(result):
        return Verdict(
            cause="extracted_wrong",
            proven=True,
            because=f"swapped the extraction: {place} the gold answer, the short answer is another",
        )
    if result.pages is None:
        return Verdict(cause="pages_unknown", proven=False, because="unproven: the gold pages are not known")
    return _lost_page(result, prediction, oracle)


def _lenient_scorer(result: QuestionResult) -> str | None:
    """What calls an answer right that accuracy calls wrong: the first scorer with full marks, or a plain equality."""
    prediction, question = result.prediction, result.question
    if result.abstained or prediction is None:
        return None
    variants = [
        getattr(published, variant)
        for published in result.published
        if published.measure in ANSWER_MEASURES
        for variant in VARIANTS
    ]
    for score in (result.scores.get("exact_match"), *variants):
        if score is not None and score.value >= 1.0:
            return f"{score.scorer} ({score.rule})"
    golds = [gold for gold in (question.answer, *question.answer_alt) if isinstance(gold, str)]
    same = any(_negative(gold) == _negative(prediction.answer) for gold in golds if _IN_BRACKETS.fullmatch(gold))
    return "the same negative number, in brackets or with a sign," if same else None


def _negative(text: str) -> str:
    return core.normalize_answer(_IN_BRACKETS.sub(r"-\1", text.strip()))


def held_gold(result: QuestionResult) -> str | None:
    """Where the method's own words hold a gold answer, as the start of a sentence; None where they do not.

    An abstention holds nothing, it is a decision. What stands in words by chance or because the question says it proves
    nothing either: yes and no, counts, a choice that the question names. Of numbers only those in the method's own
    explanation count, not those in what it quotes.
    """
    prediction, question = result.prediction, result.question
    if prediction is None or result.abstained or question.unanswerable:
        return None
    for gold in (question.answer, *question.answer_alt):
        items = _items(gold)
        numbers = any(read_number(item) is not None for item in items)
        if not items or any(read_yes_no(item) is not None for item in items) or _holds(question.question, items):
            continue
        if numbers and _ASKS_FOR_COUNT.search(question.question):
            continue
        if _holds(prediction.answer_long, items):
            return "the explanation holds"
        if not numbers and _holds("\n".join(support.quote for support in prediction.support), items):
            return "the quotes hold"
    return None


def _items(gold: str | list[str] | None) -> list[str]:
    """A gold answer's parts; a list may be written as its text."""
    items = gold if isinstance(gold, list) else [gold or ""]
    if isinstance(gold, str) and gold.lstrip().startswith("["):
        with suppress(ValueError):
            items = [str(item) for item in read_list(gold)]
    return [item for item in items if item.strip()]


def _holds(words: str, items: Sequence[str]) -> bool:
    text = f" {_plain(words)} "
    return all(f" {_plain(item)} " in text for item in items)


def _plain(text: str) -> str:
    """Normalised words without the signs of money and per cent around numbers."""
    return " ".join(word.strip("$£€%.") or word for word in core.normalize_answer(text).split())


def _lost_page(result: QuestionResult, prediction: Prediction, oracle: QuestionResult | None) -> Verdict:
    """The verdict on a wrong answer whose gold pages are known."""
    pages = result.pages
    assert pages is not None
    gold = sorted(set(result.question.gold_pages))
    any_of = result.question.evidence_mode == "any"
    depth = max(pages.all_gold, default=0)
    ranked = list(dict.fromkeys(prediction.ranked))
    read = prediction.read
    found: Cause
    if read is not None and _covers(gold, read, any_of):
        found, seen = "read_not_reasoned", f"gold {_pages(gold)} {'was' if len(gold) == 1 else 'were'} read"
    elif not _covers(gold, [*ranked[:depth], *(read or ())], any_of):
        missing = [page for page in gold if page not in ranked[:depth] and page not in (read or ())]
        where = "no page was ranked" if not ranked else f"is not among the first {depth} ranked pages"
        found = "not_retrieved"
        seen = f"gold {_pages(missing)}: {where}" if not ranked else f"gold {_pages(missing)} {where}"
    elif read is None:
        found, seen = "read_not_reasoned", f"gold {_pages(gold)} ranked high; which pages were read is not recorded"
    else:
        missing = [page for page in gold if page not in read]
        ranks = ", ".join(str(ranked.index(page) + 1) for page in missing if page in ranked)
        found, seen = "retrieved_not_read", f"gold {_pages(missing)} ranked {ranks}, but not read"
    proven, swap = _proof_by_gold_pages(found, prediction, oracle)
    return Verdict(cause=found, proven=proven, because=f"{seen}; {swap}")


def _covers(gold: Sequence[PageKey], pages: Sequence[PageKey], any_of: bool) -> bool:
    held = [page in pages for page in gold]
    return any(held) if any_of else all(held)


def _proof_by_gold_pages(found: Cause, prediction: Prediction, oracle: QuestionResult | None) -> tuple[bool, str]:
    """Whether the gold pages in place of those read prove the stage, in words."""
    other = oracle.prediction if oracle is not None else None
    if oracle is None or other is None or other.status not in ("ok", "partial") or other.model != prediction.model:
        return False, "unproven: the same model did not answer from the gold pages"
    answer = f"{other.answer[:ANSWER_CHARACTERS]!r}"
    if is_right(oracle):
        what = "the other pages distract" if found == "read_not_reasoned" else "with them it would have been right"
        return True, f"swapped the pages: from the gold pages alone the same model answers right ({answer}), {what}"
    if found == "read_not_reasoned":
        return True, f"swapped the pages: from the gold pages alone the same model is wrong too ({answer})"
    return False, f"unproven: from the gold pages the same model is wrong too ({answer})"


def _pages(pages: Sequence[PageKey]) -> str:
    shown = ", ".join(page_name(*page) for page in pages[:PAGES_NAMED])
    more = f" and {len(pages) - PAGES_NAMED} more" if len(pages) > PAGES_NAMED else ""
    return f"page{'s' if len(pages) != 1 else ''} {shown}{more}"
