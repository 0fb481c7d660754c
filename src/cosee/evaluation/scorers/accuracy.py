"""The accuracy that this program reports: MMLongBench-Doc's rules after a stated normalisation.

Before ``mmlongbench_v1`` is applied, on both sides: thousands separators, currency and units go, scale words and
percent signs are read, and every spelling of an abstention becomes ``Not answerable``. Corrected against the
published code: an Int is not truncated (``3.9`` is not ``3``); a factor of 100 is allowed only where one side is a
percentage; a scale word that only one side has may be left out; lists of numbers compare as numbers, and a list
written as prose is split; an abstention from an answerable question is 0. Empty answers are wrong, not abstentions.
Number words are not read. ``answer_alt`` counts by its best. The published scorer's own figure is reported beside it.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.results.prediction import Prediction
from cosee.datasets.answer_format import infer_format
from cosee.evaluation.scorers import free_text, mmlongbench_v1
from cosee.evaluation.scorers.normalisation import is_abstention, list_items
from cosee.evaluation.scorers.numbers import Number, read_number
from cosee.evaluation.scorers.score import Score, right
from cosee.evaluation.scorers.thresholds import SAME_NUMBER

NAME = "accuracy"
VERSION = "1"
CITATION = "MMLongBench-Doc v1's rules with the normalisation and corrections stated in this file"

_YES = ("yes", "true", "ja", "oui", "si", "sí", "sim", "是", "はい")
_NO = ("no", "false", "nein", "non", "não", "nao", "否", "不", "没有", "いいえ")


def score(question: Question, prediction: Prediction | None) -> Score:
    """Score one prediction; a missing or failed one is 0 and says so.

    Raises:
        ValueError: the question has no gold answer.
    """
    if question.answer is None:
        raise ValueError(f"question {question.question_id} has no gold answer")
    if prediction is None:
        return _scored(0.0, "no prediction")
    if prediction.status in ("failed", "skipped"):
        return _scored(0.0, f"{prediction.status}: {prediction.reason or 'no reason given'}")
    return score_text(question, final_answer(prediction))


def score_text(question: Question, answer: str) -> Score:
    """Score an answer's text against the best of the gold answer and its alternatives."""
    golds = [gold for gold in [question.answer, *question.answer_alt] if gold not in (None, "", [])]
    if not golds:
        raise ValueError(f"question {question.question_id} has no gold answer")
    known = tuple(tuple(gold) if isinstance(gold, list) else gold for gold in golds if gold is not None)
    return _best(known, question.answer_format, question.question, answer)


@lru_cache(maxsize=131_072)
def _best(golds: tuple[str | tuple[str, ...], ...], answer_format: str | None, asked: str, answer: str) -> Score:
    """Remembered, since a constant answer is scored in every block of figures that it is a reference of."""
    read = [list(gold) if isinstance(gold, tuple) else gold for gold in golds]
    kind = answer_format or infer_format(read[0])
    percent = re.search(r"percent|%", asked, re.IGNORECASE) is not None
    return max((score_answer(gold, answer, kind, percent_asked=percent) for gold in read), key=lambda each: each.value)


def final_answer(prediction: Prediction) -> str:
    """The scored answer: the abstention's one spelling where the method abstained."""
    return NOT_ANSWERABLE if prediction.abstained or is_abstention(prediction.answer) else prediction.answer


def score_answer(gold: str | list[str], answer: str, answer_format: str, *, percent_asked: bool = False) -> Score:
    """Score ``answer`` against one gold answer. ``percent_asked``: the question asks for a percentage."""
    if is_abstention(answer):
        return _scored(right(answer_format == "None"), "abstention")
    if answer_format == "None":
        # MMLongBench-Doc-V2 writes "Not answerable or 0 or none" where a count of nothing is as right.
        accepted = [part.strip().lower() for part in str(gold).split(" or ")[1:]]
        return _scored(right(answer.strip().strip(".").lower() in accepted), "None: an abstention is expected")
    if not answer.strip():
        return _scored(0.0, "empty answer")
    if answer_format == "Bool":
        return _bool(str(gold), answer)
    if answer_format == "FreeText":
        return free_text.score(str(gold), answer)
    if answer_format == "List":
        return _list(gold, answer)
    if answer_format in ("Int", "Float"):
        return _number(str(gold), answer, answer_format, percent_asked)
    return _text(str(gold), answer)


def read_yes_no(text: str) -> bool | None:
    """True for an answer that starts with yes (or true, ja, oui ...), False for no, None for neither."""
    word = re.split(r"[\s,.;:!]", text.strip().lower(), maxsplit=1)[0]
    return True if word in _YES else False if word in _NO else None


def _bool(gold: str, answer: str) -> Score:
    """Yes or no by the first word; a choice of other words (before, after) is compared as text."""
    wanted = read_yes_no(gold)
    if wanted is None:
        return _text(gold, answer)
    return _scored(right(wanted == read_yes_no(answer)), "Bool: first word yes or no")


def _number(gold: str, answer: str, answer_format: str, percent_asked: bool) -> Score:
    wanted, found = read_number(gold), read_number(answer)
    if wanted is None:
        return _text(gold, answer)
    if found is None:
        return _scored(0.0, f"{answer_format}: not a number")
    pairs = _readings(wanted, found, percent_asked)
    if answer_format == "Int":
        same = any(math.isclose(one, other, rel_tol=SAME_NUMBER) for one, other in pairs)
        return _scored(right(same), "Int: equal value")
    same = any(mmlongbench_v1.floats_equal(one, other) for one, other in pairs)
    return _scored(right(same), "Float: within 1 % or equal when rounded")


def _readings(gold: Number, found: Number, percent_asked: bool) -> list[tuple[float, float]]:
    """Pairs of values that would make the two numbers equal."""
    pairs = [(gold.value * (gold.scale or 1), found.value * (found.scale or 1))]
    if (gold.scale is None) != (found.scale is None):
        pairs.append((gold.value, found.value))
    gold_percent = gold.percent or (percent_asked and not found.percent)
    if gold_percent and not found.percent:
        pairs += [(one / 100, other) for one, other in pairs]
    if (found.percent and not gold.percent) or (percent_asked and not gold.percent):
        pairs += [(one, other / 100) for one, other in pairs]
    return pairs


def _text(gold: str, answer: str) -> Score:
    wanted, found = read_number(gold), read_number(answer)
    if wanted and found and not wanted.unit and not found.unit and wanted.percent == found.percent:
        pair = (wanted.value * (wanted.scale or 1), found.value * (found.scale or 1))
        return _scored(right(math.isclose(*pair, rel_tol=SAME_NUMBER)), "Str: equal number")
    if not gold.rstrip().endswith("."):
        answer = answer.rstrip().removesuffix(".")
    official = mmlongbench_v1.score(gold, answer, "Str")
    return _scored(official.value, f"Str: {official.rule}")


def _list(gold: str | list[str], answer: str) -> Score:
    try:
        wanted = list_items(gold)
        found = list_items(answer)
    except ValueError as error:
        return _scored(0.0, f"List: {error}")
    wanted_numbers, found_numbers = [[read_number(item) for item in items] for items in (wanted, found)]
    if wanted and all(number is not None and not number.unit for number in wanted_numbers):
        values = [
            sorted(number.value * (number.scale or 1) for number in numbers if number is not None)
            for numbers in (wanted_numbers, found_numbers)
        ]
        same = len(values[0]) == len(values[1]) == len(found) and all(
            math.isclose(one, other, rel_tol=SAME_NUMBER) for one, other in zip(*values, strict=True)
        )
        return _scored(right(same), "List: equal numbers in any order")
    official = mmlongbench_v1.score(wanted, repr(found), "List")
    return _scored(official.value, official.rule)


def _scored(value: float, rule: str) -> Score:
    return Score(value, f"{NAME}@{VERSION}", rule)
