"""Lines that are displayed formulas, and their numbers."""

from __future__ import annotations

import re

from cosee.artifacts.documents.layout import Line
from cosee.parse.pdf.formulas import FORMULA_NUMBER

MATH = re.compile(r"[=≈≤≥<>∑∏∫√∂∇∞±×÷∈∀∃→⇒∝≡≠+\u0391-\u03c9\U0001d400-\U0001d7ff]")
# General knowledge: the names of fonts for formulas, of TeX, MathType and Office.
_MATH_FONT = re.compile(r"CMMI|CMSY|CMEX|MSBM|Math|Symbol|MTMI|MTSY|rsfs|eufm", re.IGNORECASE)
EQUATION_NUMBER = re.compile(rf"{FORMULA_NUMBER}\s*$")
_LEADING_NUMBER = re.compile(rf"^{FORMULA_NUMBER}\s*")


def is_equation(lines: list[Line], texts: list[str]) -> bool:
    """Whether lines are a displayed formula: by its signs, fonts and number, and hardly a word."""
    text = " ".join(texts)
    if len(lines) > 6 or len(text) > 240 or not MATH.search(text):
        return False
    words = re.findall(r"[A-Za-z]{4,}", text)
    if len(words) > 3 or len(re.findall(r"[A-Za-z]{2,}", text)) > 10:
        return False
    spans = [span for line in lines for span in line.spans]
    letters = sum(len(span.text) for span in spans)
    math = sum(len(span.text) for span in spans if _MATH_FONT.search(span.font))
    numbered = equation_label(lines, texts) is not None and any(c in text for c in "=≈≤≥<>→∝≡")
    symbols = len(MATH.findall(text))
    return numbered or math >= 0.25 * letters or (symbols >= 2 and "=" in text and len(words) <= 1 and len(text) < 80)


def equation_label(lines: list[Line], texts: list[str]) -> str | None:
    """The number in round brackets at a line's end, or at its start well apart from the formula."""
    for line, text in zip(lines, texts, strict=True):
        match = EQUATION_NUMBER.search(text)
        if match:
            return match.group().replace(" ", "")
        match = _LEADING_NUMBER.match(text)
        if match and len(line.spans) > 1:
            number, formula = line.spans[:2]
            if number.text.strip() == match.group().strip() and formula.bbox[0] - number.bbox[2] > 2 * formula.size:
                return match.group().replace(" ", "")
    return None
