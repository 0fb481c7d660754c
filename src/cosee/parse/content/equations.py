"""Lines that are displayed formulas, and their numbers."""

from __future__ import annotations

import re

from cosee.artifacts.documents.layout import Line
from cosee.parse.content import thresholds
from cosee.parse.pdf.formulas import FORMULA_NUMBER

MATH = re.compile(r"[=≈≤≥<>∑∏∫√∂∇∞±×÷∈∀∃→⇒∝≡≠+\u0391-\u03c9\U0001d400-\U0001d7ff]")
# General knowledge: the names of fonts for formulas, of TeX, MathType and Office.
_MATH_FONT = re.compile(r"CMMI|CMSY|CMEX|MSBM|Math|Symbol|MTMI|MTSY|rsfs|eufm", re.IGNORECASE)
EQUATION_NUMBER = re.compile(rf"{FORMULA_NUMBER}\s*$")
_LEADING_NUMBER = re.compile(rf"^{FORMULA_NUMBER}\s*")


def is_equation(lines: list[Line], texts: list[str]) -> bool:
    """Whether lines are a displayed formula: by its signs, fonts and number, and hardly a word."""
    text = " ".join(texts)
    if len(lines) > thresholds.MAX_EQUATION_LINES or len(text) > thresholds.MAX_EQUATION_LENGTH:
        return False
    if not MATH.search(text):
        return False
    words = re.findall(r"[A-Za-z]{4,}", text)
    names = re.findall(r"[A-Za-z]{2,}", text)
    if len(words) > thresholds.MAX_EQUATION_WORDS or len(names) > thresholds.MAX_EQUATION_NAMES:
        return False
    spans = [span for line in lines for span in line.spans]
    letters = sum(len(span.text) for span in spans)
    math = sum(len(span.text) for span in spans if _MATH_FONT.search(span.font))
    numbered = equation_label(lines, texts) is not None and any(c in text for c in "=≈≤≥<>→∝≡")
    signs = len(MATH.findall(text)) >= thresholds.MIN_EQUATION_SIGNS and "=" in text
    short = len(words) <= 1 and len(text) < thresholds.SHORT_EQUATION
    return numbered or math >= thresholds.MATH_FONTS * letters or (signs and short)


def equation_label(lines: list[Line], texts: list[str]) -> str | None:
    """The number in round brackets at a line's end, or at its start well apart from the formula."""
    for line, text in zip(lines, texts, strict=True):
        match = EQUATION_NUMBER.search(text)
        if match:
            return match.group().replace(" ", "")
        match = _LEADING_NUMBER.match(text)
        if match and len(line.spans) > 1:
            number, formula = line.spans[:2]
            apart = formula.bbox[0] - number.bbox[2] > thresholds.LABEL_GAP * formula.size
            if apart and number.text.strip() == match.group().strip():
                return match.group().replace(" ", "")
    return None
