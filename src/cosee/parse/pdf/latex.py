"""Signs of a formula as LaTeX; general knowledge: the commands of LaTeX and amsmath, and the names of Unicode."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_SIGNS = dict(
    pair.split()
    for pair in """
    ∑ \\sum,∏ \\prod,∐ \\coprod,∫ \\int,∬ \\iint,∭ \\iiint,∮ \\oint,⋃ \\bigcup,⋂ \\bigcap,⨁ \\bigoplus,⨂ \\bigotimes,
    ∂ \\partial,∇ \\nabla,∞ \\infty,∆ \\Delta,√ \\surd,ℓ \\ell,ℏ \\hbar,ℜ \\Re,ℑ \\Im,℘ \\wp,∅ \\emptyset,∠ \\angle,
    ± \\pm,∓ \\mp,× \\times,÷ \\div,· \\cdot,⋅ \\cdot,∙ \\bullet,• \\bullet,∘ \\circ,◦ \\circ,∗ *,⋆ \\star,† \\dagger,
    ⊕ \\oplus,⊖ \\ominus,⊗ \\otimes,⊙ \\odot,∧ \\wedge,∨ \\vee,∩ \\cap,∪ \\cup,⊎ \\uplus,∖ \\setminus,≀ \\wr,− -,
    ≤ \\leq,⩽ \\leq,≥ \\geq,⩾ \\geq,≠ \\neq,≈ \\approx,≡ \\equiv,∼ \\sim,≃ \\simeq,≅ \\cong,∝ \\propto,≪ \\ll,≫ \\gg,
    ≺ \\prec,≻ \\succ,⪯ \\preceq,⪰ \\succeq,≜ \\triangleq,≔ :=,∈ \\in,∉ \\notin,∋ \\ni,⊂ \\subset,⊃ \\supset,
    ⊆ \\subseteq,⊇ \\supseteq,⊊ \\subsetneq,⊥ \\perp,∥ \\parallel,‖ \\|,∣ \\mid,⊢ \\vdash,⊨ \\models,∀ \\forall,
    ∃ \\exists,¬ \\neg,⊤ \\top,→ \\to,← \\leftarrow,↔ \\leftrightarrow,⇒ \\Rightarrow,⇐ \\Leftarrow,
    ⇔ \\Leftrightarrow,⟸ \\Longleftarrow,⟶ \\longrightarrow,⟹ \\Longrightarrow,
    ⟺ \\Longleftrightarrow,↦ \\mapsto,↑ \\uparrow,
    ↓ \\downarrow,⇀ \\rightharpoonup,⟨ \\langle,⟩ \\rangle,〈 \\langle,〉 \\rangle,⌊ \\lfloor,⌋ \\rfloor,
    ⌈ \\lceil,⌉ \\rceil,
    … \\ldots,⋯ \\cdots,⋮ \\vdots,⋱ \\ddots,′ ^{\\prime},″ ^{\\prime\\prime},‴ ^{\\prime\\prime\\prime},∶ :,□ \\square,
    △ \\triangle,⋄ \\diamond,% \\%,# \\#,& \\&,$ \\$,_ \\_,{ \\{,} \\},\\ \\backslash,~ \\sim,– -
    """.replace("\n", "").split(",")
)
_GREEK_FORMS = {
    "ε": "\\varepsilon", "ϵ": "\\epsilon", "φ": "\\varphi", "ϕ": "\\phi", "ϑ": "\\vartheta", "ϱ": "\\varrho",
    "ϖ": "\\varpi", "ς": "\\varsigma", "ϰ": "\\varkappa",
}  # fmt: skip
_LIKE_LATIN = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True))
_STYLES = {
    "BOLD": "\\mathbf", "SCRIPT": "\\mathcal", "BOLD SCRIPT": "\\mathcal", "DOUBLE-STRUCK": "\\mathbb",
    "FRAKTUR": "\\mathfrak", "BLACK-LETTER": "\\mathfrak", "BOLD FRAKTUR": "\\mathfrak",
}  # fmt: skip
_STYLED = re.compile(
    r"(?:MATHEMATICAL )?(BOLD SCRIPT|BOLD FRAKTUR|BOLD|SCRIPT|DOUBLE-STRUCK|FRAKTUR|BLACK-LETTER) (?!ITALIC)"
)
_STYLE_FONTS = (
    (re.compile(r"MSBM|bbm|dsrom", re.IGNORECASE), "\\mathbb"),
    (re.compile(r"CMSY|MTSY|rsfs|eusm|CMBSY", re.IGNORECASE), "\\mathcal"),
    (re.compile(r"eufm|fraktur", re.IGNORECASE), "\\mathfrak"),
)
"""Fonts of TeX that set capital letters in a style of their own."""
_STROKE = "\u0338"
_WHOLE = (
    ("\u0338=", "\\neq "), ("\u0338\\in ", "\\notin "), ("\\sim=", "\\cong "), ("-\\to", "\\longrightarrow"),
    ("=\\Rightarrow", "\\Longrightarrow"), ("\\Leftarrow=", "\\Longleftarrow "),
)  # fmt: skip
"""Signs that stand in two fonts."""
_UNPLACED = re.compile("[\ufffd`´ˆ˜¯˘˙¨ˇ\u0300-\u036f\u20d0-\u20ff\u239b-\u23b3]")
"""What was not understood: accents without their letter, parts of tall brackets."""
# General knowledge: a letter or a command of LaTeX.
_ONE_SIGN = re.compile(r"[A-Za-z]|\\[A-Za-z]+|\\math[a-z]+\{[A-Za-z]\}")
_IN_PARTS = {
    "\u0338=": "≠", "\u0338∈": "∉", "∼=": "≅", "−→": "⟶", "=⇒": "⟹", "⇐=": "⟸", "···": "⋯", "⋅⋅⋅": "⋯", "...": "…",
}  # fmt: skip
# General knowledge: how the fonts of TeX's and MathType's variables, and slanted fonts, are named.
_ITALIC_FONT = re.compile(r"CMMI|MTMI|MathItalic|Italic|Oblique", re.IGNORECASE)
_ACCENTS = {
    "\u0300": "\\grave", "\u0301": "\\acute", "\u0302": "\\hat", "\u0303": "\\tilde", "\u0304": "\\bar",
    "\u0305": "\\overline", "\u0306": "\\breve", "\u0307": "\\dot", "\u0308": "\\ddot", "\u030c": "\\check",
    "\u20d7": "\\vec", "\u0332": "\\underline",
}  # fmt: skip
# General knowledge: the functions that LaTeX has commands for.
_FUNCTIONS = re.compile(
    "arccos|arcsin|arctan|arg|cosh?|coth?|csc|deg|det|dim|exp|gcd|hom|inf|ker|lg|lim(?:inf|sup)?|ln|log|max|min|Pr|sec|"
    "sinh?|sup|tanh?"
)
_NAMED = re.compile(r"(?<![^\W\d_])[A-Za-z]{2,}(?:,? [A-Za-z]{2,})*(?![^\W\d_])")
# General knowledge: the signs and commands of LaTeX that state a relation.
_RELATION = re.compile(
    r"[=<>∼≈≡≤≥]|\\(?:n?eq|[lg]eq|approx|equiv|sim(?:eq)?|cong|propto|in|ni|to|(?:sub|sup)seteq?|"
    r"(?:Long)?[Rr]ightarrow|[Ll]eftarrow|mapsto|models|vdash|perp|triangleq|[lg]{2}|prec(?:eq)?|succ(?:eq)?)(?![a-z])"
)
_SYMBOL_FONT = re.compile(r"CMB?SY|MSAM|(?:CM|MT|EU|tx)EX", re.IGNORECASE)
_MISREAD = re.compile(r"[a-z¡-¦¨-«\u00ad-°²-µ¸-ÖØ-öø-ÿ]")
_APART = (" ", ",", "\n")
"""What stands beside a word and not beside the name of an operator."""
_LOOSE_ACCENTS = dict(zip("`´ˆ˜¯˘˙¨ˇ", "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030c", strict=True))
_COMMAND_AT_END = re.compile(r"\\[A-Za-z]+$")
UNKNOWN = "\ufffd"


def signs(text: str, *, bold: bool = False, italic: bool = False, font: str = "") -> str:
    """A run of signs in one font as LaTeX; names set upright are operators or words, other letters variables.

    Letters of a font that has none were read by a wrong table: U+FFFD.
    """
    if _SYMBOL_FONT.search(font) and _MISREAD.search(text):
        return UNKNOWN
    upright = not italic and _ITALIC_FONT.search(font) is None
    parts: list[str] = []
    at = 0
    for match in _NAMED.finditer(text) if upright else ():
        parts += _each(text[at : match.start()], bold, font)
        at = match.end()
        is_apart = text[match.start() - 1 : match.start()] in _APART or text[at : at + 1] in _APART
        if _FUNCTIONS.fullmatch(match[0]):
            parts.append(f"\\{match[0]}")
        elif " " not in match[0] and (text[at:].lstrip().startswith("(") or not is_apart):
            parts.append(f"\\operatorname{{{match[0]}}}")
        else:
            parts.append(f"\\text{{ {match[0]} }}")
    return joined([*parts, *_each(text[at:], bold, font)])


def joined(parts: Iterable[str]) -> str:
    """Parts of a formula as one, a space between a command and a letter behind it."""
    whole = ""
    for part in parts:
        apart = part[:1].isalpha() and part[:1].isascii() and _COMMAND_AT_END.search(whole[-40:])
        whole += f" {part}" if apart else part
    return whole


def is_accent(text: str) -> bool:
    """Whether a piece is an accent alone, drawn over the letter of another piece."""
    return len(text) == 1 and (text in _LOOSE_ACCENTS or text in _ACCENTS)


def accented(accent: str, letter: str) -> str:
    """A letter with the accent of a piece of its own; U+FFFD where it is more than one letter."""
    if _ONE_SIGN.fullmatch(letter) is None:
        return UNKNOWN
    return f"{_ACCENTS[_LOOSE_ACCENTS.get(accent, accent)]}{{{letter}}}"


def finished(formula: str) -> str | None:
    """A formula as it is given; None where a sign or its place was not understood."""
    for parts, sign in _WHOLE:
        formula = formula.replace(parts, sign)
    return None if not formula or _UNPLACED.search(formula) else formula


def script(mark: str, inner: str) -> str:
    """An index (``_``) or exponent (``^``)."""
    return f"{mark}{{{inner.removeprefix('^{').removesuffix('}') if inner.startswith('^{') else inner}}}"


def rows(lines: list[str]) -> str:
    """Lines of a formula one below the other; U+FFFD where one states no relation: its place was not understood."""
    if len(lines) > 1 and not all(_RELATION.search(line) for line in lines):
        return UNKNOWN
    return lines[0] if len(lines) == 1 else "\\begin{gathered} " + " \\\\ ".join(lines) + " \\end{gathered}"


def _each(text: str, bold: bool, font: str) -> list[str]:
    style = next((command for pattern, command in _STYLE_FONTS if pattern.search(font)), "\\mathbf" if bold else "")
    written: list[str] = []
    text = _whole_signs("".join(text.split()))
    for char in "".join(c if _is_wide(c) else unicodedata.normalize("NFD", c) for c in text):
        if char == _STROKE and written:
            written[-1] = {"=": "\\neq", "\\in": "\\notin"}.get(written[-1], f"\\not{written[-1]}")
        elif char in _ACCENTS and written:
            written[-1] = f"{_ACCENTS[char]}{{{written[-1]}}}"
        elif style and char.isascii() and char.isalpha() and (style == "\\mathbf" or char.isupper()):
            written.append(f"{style}{{{char}}}")
        else:
            written.append(_sign(char))
    return written


def _is_wide(char: str) -> bool:
    """Whether a character is of Chinese, Japanese or Korean text."""
    return unicodedata.east_asian_width(char) in ("W", "F")


def _whole_signs(text: str) -> str:
    """Signs that are set in parts as one, and accents that stand for themselves behind their letter: TeX draws them
    before it, others behind it."""
    for parts, sign in _IN_PARTS.items():
        text = text.replace(parts, sign)
    for loose, accent in _LOOSE_ACCENTS.items():
        if loose in text:
            text = re.sub(rf"{loose}([^\W\d_])", rf"\1{accent}", text)
            text = re.sub(rf"([^\W\d_]){loose}", rf"\1{accent}", text)
    return text


@lru_cache(maxsize=1024)
def _sign(char: str) -> str:
    """One sign; itself where LaTeX has no other name for it."""
    if char.isascii() and char.isalnum():
        return char
    if found := _SIGNS.get(char) or _GREEK_FORMS.get(char) or _LIKE_LATIN.get(char):
        return found
    name = unicodedata.name(char, "")
    if greek := re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER ([A-Z]+)", name):
        letter = greek[2].lower().replace("lamda", "lambda")
        return f"\\{letter.capitalize() if greek[1] == 'CAPITAL' else letter}"
    if unicodedata.category(char).startswith("C"):
        return UNKNOWN
    if _is_wide(char):
        return f"\\text{{{char}}}"
    kind, _, plain = unicodedata.decomposition(char).partition("> ")
    base = "".join(chr(int(code, 16)) for code in plain.split())
    if not base:
        return char
    inner = joined(map(_sign, base))
    if kind in ("<super", "<sub"):
        return script("^" if kind == "<super" else "_", inner)
    if kind == "<fraction":
        return "\\frac{{{}}}{{{}}}".format(*map(_sign, base.split("\u2044", 1))) if base.count("\u2044") == 1 else inner
    styled = _STYLED.match(name)
    return f"{_STYLES[styled[1]]}{{{inner}}}" if styled else inner
