"""MMLongBench-Doc v1's row score, as the published ``eval/eval_score.py`` gives it for an extracted answer.

Where the published code raises (a gold Float that is no number, a malformed list, an empty gold list) the score is
0 and the rule says so. Lists are read as literals; the published code executes them.
"""

from __future__ import annotations

import math
import re

from cosee.datasets.literals import read_list
from cosee.evaluation.scorers.score import Score, right
from cosee.evaluation.scorers.text import anls_above_half, is_exact_type, is_float
from cosee.evaluation.scorers.thresholds import FLOAT_TOLERANCE

NAME = "mmlongbench_v1"
VERSION = "1"
CITATION = "Ma et al., MMLongBench-Doc, NeurIPS 2024 Datasets and Benchmarks, arXiv 2407.01523; eval/eval_score.py"
FORMATS = ("Int", "Float", "Str", "List", "None")


def score(gold: str | list[str], prediction: str, answer_format: str) -> Score:
    """Score one answer by the gold's ``answer_format`` (``Int``, ``Float``, ``Str``, ``None`` or ``List``)."""
    if answer_format == "Int":
        value, rule = _int(str(gold), prediction)
    elif answer_format == "Float":
        value, rule = _float(str(gold), prediction)
    elif answer_format in ("Str", "None"):
        value, rule = text_score(clean(str(gold)), clean(prediction))
    else:
        value, rule = _list(gold, prediction)
    return Score(value, f"{NAME}@{VERSION}", rule)


def clean(text: str) -> str:
    """The published cleaning: lower case; parentheses, one quote a side, leading ``$`` and trailing ``%`` go."""
    text = re.sub(r"\s*\([^)]*\)", "", text.lower().strip()).strip()
    text = re.sub(r"^['\"]|['\"]$", "", text).strip()
    return text.lstrip("$").strip().rstrip("%").strip()


def text_score(gold: str, prediction: str) -> tuple[float, str]:
    """Equality for exact types, else ANLS above 0.5; both sides already cleaned."""
    if is_exact_type(gold):
        return right(gold == prediction), "exact: equality of cleaned text"
    return anls_above_half(gold, prediction), "ANLS above 0.5"


def floats_equal(gold: float, prediction: float) -> bool:
    """Within 1 % of the larger, or equal when rounded to the shorter precision (at least two places)."""
    if math.isclose(gold, prediction, rel_tol=FLOAT_TOLERANCE):
        return True
    if not (math.isfinite(gold) and math.isfinite(prediction)):
        return False
    places = max(min(_precision(prediction), _precision(gold)), 2)
    return round(prediction, places) == round(gold, places)


def _precision(number: float) -> int:
    text = str(number)
    return len(text.split(".")[-1]) if "." in text else 3


def _int(gold: str, prediction: str) -> tuple[float, str]:
    try:
        return right(int(gold) == int(float(prediction))), "Int: equality after truncation"
    except (ValueError, OverflowError):
        return 0.0, "Int: not a number"


def _float(gold: str, prediction: str) -> tuple[float, str]:
    try:
        wanted = float(clean(gold))
    except ValueError:
        return 0.0, "Float: the published code raises ValueError for this gold"
    try:
        found = float(clean(prediction))
    except ValueError:
        return 0.0, "Float: not a number"
    readings = (wanted / 100, wanted, wanted * 100)
    return right(any(floats_equal(reading, found) for reading in readings)), "Float: within 1 %, up to a factor of 100"


def _list(gold: str | list[str], prediction: str) -> tuple[float, str]:
    try:
        wanted = _items(gold)
        found = _items(prediction)
    except ValueError:
        return 0.0, "List: the published code raises SyntaxError for a malformed list"
    if len(wanted) != len(found):
        return 0.0, f"List: {len(found)} items for {len(wanted)}"
    if not wanted:
        return 0.0, "List: the published code raises IndexError for an empty gold list"
    wanted, found = sorted(clean(item) for item in wanted), sorted(clean(item) for item in found)
    if is_float(wanted[0]) or is_exact_type(wanted[0]):
        return right("-".join(wanted) == "-".join(found)), "List: equality of the sorted items"
    return (
        min(anls_above_half(one, other) for one, other in zip(wanted, found, strict=True)),
        "List: worst ANLS of the sorted pairs",
    )


def _items(value: str | list[str]) -> list[str]:
    if isinstance(value, list):
        return [str(item) for item in value]
    return [str(item) for item in read_list(value)] if value.startswith("[") else [value]
