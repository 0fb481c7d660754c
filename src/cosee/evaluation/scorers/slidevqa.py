"""SlideVQA's answer and evidence scores, as the functions of the published ``evaluate.py`` give them.

The shipped script itself cannot run; its functions can. Missing predictions count as empty answers, and evidence
pages are sorted and de-duplicated before they are compared.

``corrected`` mends the normalisation: what is replaced or removed is a word, never a piece of one (``profit is`` keeps
its letters); ``How many`` counts in any case, and a question that ends in it takes nothing away; ``yes`` and ``no`` are
words (``North America`` stays); and two answers that are equal as written are right where nothing is left of them.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

from cosee.evaluation.scorers.normalisation import normalise
from cosee.evaluation.scorers.score import Answered, PublishedScore, Score, right, scorer
from cosee.text.number_words import CARDINALS

NAME = "slidevqa"
VERSION = "1"
CITATION = "Tanaka et al., SlideVQA, AAAI 2023, arXiv 2301.04883; evaluate.py"

_REPLACED = (
    ("this is ", ""), ("it is ", ""), ("&", ","), ("and", ","), ("percent", ""), ("organisation", "organization"),
    ("because of", ""), ("because", ""), ("due to", ""), ("hours", "hrs"), ("minites", "min"),
)  # fmt: skip
_NUMBERS = {word: str(value) for word, value in CARDINALS.items() if value < 20}


def normalize(text: str, question: str) -> str:
    """The published normalisation, quirks kept (``and`` goes inside words; ``North America`` becomes ``north``).

    Raises:
        IndexError: the question ends in ``how many`` or ``which``, where the published code raises too.
    """
    text = text.lower()
    for old, new in _REPLACED:
        text = text.replace(old, new)
    for opener in ("how many", "which"):
        if opener in question:
            text = text.replace(question.partition(opener)[2].split(" ")[1], "")
    text = "".join(character for character in text if character not in string.punctuation)
    text = re.sub(r"\b(a|an|the)\b", " ", text)
    if text.startswith(("yes", "no")):
        text = text.split()[0]
    return " ".join(_NUMBERS.get(word, word) for word in text.split())


def normalize_corrected(text: str, question: str) -> str:
    """The normalisation with its faults corrected (see the module)."""
    text = text.lower()
    for old, new in _REPLACED:
        text = text.replace(old, new) if old == "&" else re.sub(rf"\b{old.strip()}\b", new, text)
    for match in re.finditer(r"\b(?:how many|which)\s+(\w+)", question.lower()):
        text = re.sub(rf"\b{re.escape(match[1])}\b", "", text)
    text = "".join(" " if character == "," else "" if character in string.punctuation else character
                   for character in text)  # fmt: skip
    words = [word for word in text.split() if word not in ("a", "an", "the")]
    if words and words[0] in ("yes", "no"):
        words = words[:1]
    return " ".join(_NUMBERS.get(word, word) for word in words)


def corrected(gold: str, prediction: str, question: str, *, exact: bool = False) -> Score:
    """F1, or with ``exact`` equality, of the answers after the corrected normalisation."""
    wanted, found = (normalize_corrected(text, question).split() for text in (gold, prediction))
    if not wanted or not found:
        same = bool(gold.strip()) and gold.lower().split() == prediction.lower().split()
        return _score(right(same), "nothing is left of an answer: equality as written")
    if exact:
        return _score(right(wanted == found), "token lists equal")
    return _score(_bag_f1(wanted, found), "token F1")


def f1(gold: str, prediction: str, question: str) -> Score:
    """Bag-of-tokens F1 of the normalised answers; no common token (two empty answers too) is 0."""
    tokens = _tokens(gold, prediction, question)
    if tokens is None:
        return _score(0.0, "the published code raises IndexError for this question")
    return _score(_bag_f1(*tokens), "token F1")


def exact_match(gold: str, prediction: str, question: str) -> Score:
    """Equality of the normalised token lists; two empty ones are 0."""
    tokens = _tokens(gold, prediction, question)
    if tokens is None:
        return _score(0.0, "the published code raises IndexError for this question")
    return _score(right(bool(tokens[0]) and tokens[0] == tokens[1]), "token lists equal")


def evidence_f1(gold_pages: Sequence[int], pages: Sequence[int]) -> Score:
    """F1 of 1-based page sets."""
    return _score(_bag_f1(sorted(set(gold_pages)), sorted(set(pages))), "page F1, sorted and de-duplicated")


def evidence_exact_match(gold_pages: Sequence[int], pages: Sequence[int]) -> Score:
    """Equality of 1-based page sets."""
    return _score(right(bool(gold_pages) and set(gold_pages) == set(pages)), "page sets equal")


def joint_f1(
    gold: str, prediction: str, question: str, gold_pages: Sequence[int], pages: Sequence[int], *, mended: bool = False
) -> Score:
    """Answer and evidence together: precisions and recalls multiplied, then F1."""
    tokens = _tokens(gold, prediction, question)
    if mended:
        tokens = normalize_corrected(gold, question).split(), normalize_corrected(prediction, question).split()
    if tokens is None:
        return _score(0.0, "the published code raises IndexError for this question")
    answer, evidence = _shares(*tokens), _shares(sorted(set(gold_pages)), sorted(set(pages)))
    return _score(_harmonic(answer[0] * evidence[0], answer[1] * evidence[1]), "joint token and page F1")


def _tokens(gold: str, prediction: str, question: str) -> tuple[list[str], list[str]] | None:
    try:
        return normalize(gold, question).split(), normalize(prediction, question).split()
    except IndexError:
        return None


def _bag_f1(gold: Sequence[object], prediction: Sequence[object]) -> float:
    return _harmonic(*_shares(gold, prediction))


def _shares(gold: Sequence[object], prediction: Sequence[object]) -> tuple[float, float]:
    """Precision and recall of a bag."""
    common = sum((Counter(gold) & Counter(prediction)).values())
    return (common / len(prediction), common / len(gold)) if common else (0.0, 0.0)


def _harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision and recall else 0.0


def _score(value: float, rule: str) -> Score:
    return Score(value, f"{NAME}@{VERSION}", rule)


@scorer("slidevqa", order=40, version=VERSION, citation=CITATION, datasets=("slidevqa",))
def published(answered: Answered) -> list[PublishedScore]:
    """F1 and exact match of the answer, of the cited pages, and of both."""
    gold, asked = str(answered.question.answer), answered.question.question
    plain = normalise(answered.final, "Str")
    scores = [
        PublishedScore(
            "f1",
            f1(gold, answered.answer, asked),
            f1(gold, plain, asked),
            corrected(gold, plain, asked),
        ),
        PublishedScore(
            "exact_match",
            exact_match(gold, answered.answer, asked),
            exact_match(gold, plain, asked),
            corrected(gold, plain, asked, exact=True),
        ),
    ]
    if answered.question.evidence_pages:
        pages = sorted(set(answered.cited))
        scores += [
            PublishedScore("evidence_f1", evidence_f1(answered.question.evidence_pages, pages)),
            PublishedScore("evidence_exact_match", evidence_exact_match(answered.question.evidence_pages, pages)),
            PublishedScore(
                "joint_f1",
                joint_f1(gold, answered.answer, asked, answered.question.evidence_pages, pages),
                joint_f1(gold, plain, asked, answered.question.evidence_pages, pages),
                joint_f1(gold, plain, asked, answered.question.evidence_pages, pages, mended=True),
            ),
        ]
    return scores
