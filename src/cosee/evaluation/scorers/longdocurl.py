"""LongDocURL's row score, as the published ``utils_score_v3.py`` gives it for an extracted answer.

Its unit removal strips characters, not words (``museum`` becomes ``museu``); ``score`` keeps that. Lists are read as
literals; the published code executes them. ``corrected`` mends: a unit is removed as a word behind a number; numbers
compare as in ``accuracy`` (``5.0`` is a whole number, a gold that is no number is compared as text, a factor of 100 is
allowed only where one side is a percentage); lists of numbers and exact items compare in any order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from cosee.datasets.answer_format import infer_format
from cosee.datasets.literals import read_list
from cosee.evaluation.scorers import accuracy
from cosee.evaluation.scorers.mmlongbench_v1 import floats_equal, text_score
from cosee.evaluation.scorers.normalisation import normalise
from cosee.evaluation.scorers.score import Answered, PublishedScore, Score, right, scorer
from cosee.evaluation.scorers.text import anls_above_half, is_exact_type, is_float

NAME = "longdocurl_v3"
VERSION = "1"
CITATION = "Deng et al., LongDocURL, ACL 2025, arXiv 2412.18424; utils_score_v3.py"
UNITS = ("kg", "mm", "m", "meters", "acres", "minutes", "mile", "miles", "million", "thousand", "billion")
_UNIT = re.compile(rf"(?<=\d)\s*(?:{'|'.join(UNITS)})\s*$")


def score(gold: str | list[str], prediction: str, answer_format: str) -> Score:
    """Score one answer by ``answer_format`` (``Integer``, ``Float``, ``String``, ``None`` or ``List``)."""
    if answer_format == "Integer":
        value, rule = _integer(clean(str(gold)), clean(prediction))
    elif answer_format == "Float":
        value, rule = _float(clean(str(gold)), clean(prediction))
    elif answer_format in ("String", "None"):
        value, rule = text_score(clean(str(gold)), clean(prediction))
    else:
        value, rule = _list(_items(gold, clean), _items(prediction, clean))
    return Score(value, f"{NAME}@{VERSION}", rule)


def corrected(gold: str | list[str], prediction: str, answer_format: str) -> Score:
    """As ``score``, with the faults of the published code corrected (see the module)."""
    if answer_format in ("Integer", "Float"):
        mended = accuracy.score_answer(gold, prediction, "Int" if answer_format == "Integer" else "Float")
        value, rule = mended.value, mended.rule
    elif answer_format in ("String", "None"):
        value, rule = text_score(_clean_words(str(gold)), _clean_words(prediction))
    else:
        wanted, found = _items(gold, _clean_words), _items(prediction, _clean_words)
        if wanted and (is_float(wanted[0]) or is_exact_type(wanted[0])):
            value, rule = right(sorted(wanted) == sorted(found)), "List: equality of the items in any order"
        else:
            value, rule = _list(wanted, found)
    return Score(value, f"{NAME}@{VERSION}", rule)


def clean(text: str) -> str:
    """The published cleaning: lower case, no commas, unit characters stripped from the end, then as MMLongBench-Doc."""
    text = text.lower().strip().replace(",", "")
    for unit in UNITS:
        if text.endswith(unit):
            text = text.rstrip(unit).strip()
    return _clean_signs(text)


def _clean_words(text: str) -> str:
    """The published cleaning with units removed as words, behind a number only."""
    return _clean_signs(_UNIT.sub("", text.lower().strip().replace(",", "")))


def _clean_signs(text: str) -> str:
    text = re.sub(r"\s*\([^)]*\)", "", text).strip()
    text = re.sub(r"^['\"]|['\"]$", "", text).strip()
    return text.lstrip("$").strip().lstrip("£").strip().rstrip("%").strip()


def _integer(gold: str, prediction: str) -> tuple[float, str]:
    try:
        wanted = int(gold)
    except ValueError:
        return right(gold == prediction), "Integer: gold is no number, equality of text"
    try:
        return right(wanted == int(prediction)), "Integer: equality"
    except ValueError:
        return 0.0, "Integer: not a whole number"


def _float(gold: str, prediction: str) -> tuple[float, str]:
    try:
        wanted, found = float(gold), float(prediction)
    except ValueError:
        return 0.0, "Float: not a number"
    readings = (wanted / 100, wanted, wanted * 100)
    return right(any(floats_equal(reading, found) for reading in readings)), "Float: within 1 %, up to a factor of 100"


def _list(wanted: list[str], found: list[str]) -> tuple[float, str]:
    if not wanted or not found:
        return 0.0, "List: empty"
    if is_float(wanted[0]) or is_exact_type(wanted[0]):
        return right("-".join(wanted) == "-".join(found)), "List: equality of the items in their order"
    mean = sum(max(anls_above_half(item, other) for other in found) for item in wanted) / len(wanted)
    return mean * math.sqrt(min(1.0, len(wanted) / len(found))), "List: mean best ANLS, lowered for extra items"


def _items(value: str | list[str], clean_text: Callable[[str], str]) -> list[str]:
    items: list[object] = list(value) if isinstance(value, list) else [value]
    if isinstance(value, str) and value.startswith("["):
        try:
            items = read_list(value)
        except ValueError:
            items = [value]
    texts = ("-".join(map(str, item.values())) if isinstance(item, dict) else str(item) for item in items)
    return [clean_text(text) for text in texts]


_FORMATS = {"Int": "Integer", "Float": "Float", "List": "List", "None": "None"}
"""Our format -> its name there; all others are a ``String``."""


@scorer("longdocurl_v3", order=20, version=VERSION, citation=CITATION, datasets=("longdocurl",))
def published(answered: Answered) -> list[PublishedScore]:
    """LongDocURL's accuracy, three ways."""
    gold = answered.question.answer
    assert gold is not None
    kind = answered.question.answer_format or infer_format(gold)
    own = _FORMATS.get(kind, "String")
    plain_gold, plain = (normalise(text, kind, scale_words=False) for text in (gold, answered.final))
    form = kind if kind == "List" else "Str"  # the corrected comparison reads percent signs and scale words itself
    return [
        PublishedScore(
            "accuracy",
            score(gold, answered.answer, own),
            score(plain_gold, plain, own),
            corrected(normalise(gold, form), normalise(answered.final, form), own),
        )
    ]
