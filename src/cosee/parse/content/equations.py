"""Lines that are displayed formulas, and their numbers."""

from __future__ import annotations

import re

from cosee.artifacts.documents.layout import Line
from cosee.parse.content import thresholds
from cosee.parse.pdf.formulas import FORMULA_NUMBER, MATH_FONT
from cosee.parse.pdf.latex import is_mathematical
from cosee.text.scripts import UNSPACED

MATH = re.compile(r"[=≈≤≥<>∑∏∫√∂∇∞±×÷∈∀∃→⇒∝≡≠+\u0391-\u03c9\U0001d400-\U0001d7ff]")
# General knowledge: the blocks of Unicode for Greek, of which a formula may set two or three letters side by side, and
# for letters of formulas.
_NAME = re.compile(rf"[{UNSPACED}]|[^\W\d_\u0370-\u03ff\U0001d400-\U0001d7ff]{{2,}}")
_WORD = re.compile(r"[^\W\d_\U0001d400-\U0001d7ff]{4,}")
EQUATION_NUMBER = re.compile(rf"(?:^|(?<=\s)){FORMULA_NUMBER}\s*$")
_LEADING_NUMBER = re.compile(rf"^{FORMULA_NUMBER}\s*")


def is_equation(lines: list[Line], texts: list[str]) -> bool:
    """Whether lines are a displayed formula: by its signs, fonts and number, and hardly a word."""
    text = " ".join(texts)
    if len(lines) > thresholds.MAX_EQUATION_LINES or len(text) > thresholds.MAX_EQUATION_LENGTH:
        return False
    if not MATH.search(text):
        return False
    words, names = _WORD.findall(text), _NAME.findall(text)
    if len(words) > thresholds.MAX_EQUATION_WORDS or len(names) > thresholds.MAX_EQUATION_NAMES:
        return False
    spans = [span for line in lines for span in line.spans]
    letters = sum(len(span.text) for span in spans)
    math = sum(len(span.text) for span in spans if MATH_FONT.search(span.font))
    numbered = equation_label(lines, texts) is not None and any(c in text for c in "=≈≤≥<>→∝≡")
    formal = any(map(is_mathematical, spans))  # else it may be a line of a program
    signs = formal and len(MATH.findall(text)) >= thresholds.MIN_EQUATION_SIGNS and "=" in text
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
