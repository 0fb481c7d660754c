"""Signs of a formula as LaTeX; general knowledge: the commands of LaTeX and amsmath, and the names of Unicode."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from cosee.artifacts.documents.layout import Span

_SIGNS = dict(
    pair.split()
    for pair in """
    ∑ \\sum,∏ \\prod,∐ \\coprod,∫ \\int,∬ \\iint,∭ \\iiint,∮ \\oint,⋃ \\bigcup,⋂ \\bigcap,⨁ \\bigoplus,⨂ \\bigotimes,
    ⋀ \\bigwedge,⋁ \\bigvee,⨀ \\bigodot,⨄ \\biguplus,⟦ \\llbracket,⟧ \\rrbracket,
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
_GREEK = re.compile(
    "alpha|beta|[Gg]amma|[Dd]elta|epsilon|zeta|eta|[Tt]heta|iota|kappa|[Ll]ambda|mu|nu|[Xx]i|[Pp]i|rho|[Ss]igma|tau|"
    "[Uu]psilon|[Pp]hi|chi|[Pp]si|[Oo]mega"
)
_LIKE_LATIN = dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True))
_STYLES = {
    "BOLD": "\\mathbf", "BOLD ITALIC": "\\boldsymbol", "SCRIPT": "\\mathcal", "BOLD SCRIPT": "\\mathcal",
    "DOUBLE-STRUCK": "\\mathbb", "FRAKTUR": "\\mathfrak", "BLACK-LETTER": "\\mathfrak", "BOLD FRAKTUR": "\\mathfrak",
}  # fmt: skip
_STYLED = re.compile(
    r"(?:MATHEMATICAL )?(BOLD (?:SCRIPT|FRAKTUR|ITALIC)|BOLD|SCRIPT|DOUBLE-STRUCK|FRAKTUR|BLACK-LETTER) "
)
_STYLE_FONTS = (
    (re.compile(r"MSBM|bbm|dsrom", re.IGNORECASE), "\\mathbb"),
    (re.compile(r"CMSY|MTSY|rsfs|eusm|CMBSY", re.IGNORECASE), "\\mathcal"),
    (re.compile(r"eufm|fraktur", re.IGNORECASE), "\\mathfrak"),
)
"""Fonts of TeX that set capital letters in a style of their own."""
_WHOLE = (
    (re.compile("\u0338="), r"\\neq "),
    (re.compile("\u0338 ?" + r"\\in(?![A-Za-z]) ?"), r"\\notin "),
    (re.compile(r"\\sim="), r"\\cong "),
    (re.compile(r"-\\to(?![A-Za-z])"), r"\\longrightarrow"),
    (re.compile(r"=\\Rightarrow(?![A-Za-z])"), r"\\Longrightarrow"),
    (re.compile(r"\\Leftarrow="), r"\\Longleftarrow "),
    (re.compile(r"\\cdot\\cdot\\cdot(?![A-Za-z])"), r"\\cdots"),
    (re.compile(r"\.\.\."), r"\\ldots "),
)
"""Signs that are set in parts, also in two fonts; TeX draws the stroke before the sign that it negates."""
_UNPLACED = re.compile("[\ufffd^`´ˆ˜¯˘˙¨ˇ\u0300-\u036f\u20d0-\u20ff\u239b-\u23b3](?!\\{)|" + r"\\surd(?![a-z])")
"""What was not understood: accents without their letter, parts of tall brackets, a root of unknown reach."""
_REPEATED_SCRIPT = re.compile(r"([_^])\{([^{}]*)\}\1\{([^{}]*)\}")
# General knowledge: how LaTeX writes exponents.
_ONE_EXPONENT = re.compile(r"\^\{([^{}]*)\}")
# General knowledge: a letter or a command of LaTeX.
_ONE_SIGN = re.compile(r"[A-Za-z]|\\[A-Za-z]+|\\math[a-z]+\{[A-Za-z]\}")
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
_NAMED = re.compile(r"(?<![^\W\d_])[A-Za-zÀ-ÖØ-öø-ɏ]{2,}(?:,? [A-Za-zÀ-ÖØ-öø-ɏ]{2,})*(?![^\W\d_])")
# General knowledge: the signs and commands of LaTeX that state a relation.
_RELATION = re.compile(
    r"[=<>∼≈≡≤≥]|\\(?:n?eq|[lg]eq|approx|equiv|sim(?:eq)?|cong|propto|in|ni|to|(?:sub|sup)seteq?|"
    r"(?:Long)?[Rr]ightarrow|[Ll]eftarrow|mapsto|models|vdash|perp|triangleq|[lg]{2}|prec(?:eq)?|succ(?:eq)?)(?![a-z])"
)
# General knowledge: the fonts of TeX that have signs and capitals alone. Where their small letters are read, a wrong
# table was used: a "j" of CMSY is the sign "|".
_SYMBOL_FONT = re.compile(r"CMB?SY|MSAM|(?:CM|MT|EU|tx)EX", re.IGNORECASE)
# General knowledge: the blocks of Unicode for arrows, mathematical signs and letters, and Greek.
_OF_FORMULAS = re.compile("[±×÷·′Α-ϖℂ-ℿ←-⇿∀-⋿⟀-⟿⨀-⫿\U0001d400-\U0001d7ff]")
_MISREAD = re.compile(r"[a-z¡-¦¨-«\u00ad-°²-µ¸-ÖØ-öø-ÿ]")
_TAG = re.compile(r" \\tag\{[^{}]*\}")
_APART = (" ", ",", "\n")
"""Beside one of these an upright name is a word of the text, else the name of an operator."""
_LOOSE_ACCENTS = dict(zip("`´ˆ˜¯˘˙¨ˇ", "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030c", strict=True))
_COMMAND_AT_END = re.compile(r"\\[A-Za-z]+$")
UNKNOWN = "\ufffd"
_GAP = "\u2003"


def signs(text: str, *, bold: bool = False, italic: bool = False, font: str = "") -> str:
    """A run of signs in one font as LaTeX; names set upright are operators or words, other letters variables."""
    if _SYMBOL_FONT.search(font) and _MISREAD.search(text):
        return UNKNOWN
    upright = not italic and not any(each.search(font) for each in (_ITALIC_FONT, *(p for p, _ in _STYLE_FONTS)))
    parts: list[str] = []
    at = 0
    for match in _NAMED.finditer(text) if upright else ():
        parts += _each(text[at : match.start()], bold, font)
        at = match.end()
        is_apart = text[match.start() - 1 : match.start()] in _APART or text[at : at + 1] in _APART
        if all(map(_FUNCTIONS.fullmatch, match[0].split(" "))):
            parts += [f"\\{name}" for name in match[0].split(" ")]
        elif bold and match[0].isupper():
            parts += _each(match[0], bold, font)
        elif " " not in match[0] and (text[at:].lstrip().startswith("(") or not is_apart):
            parts.append(f"\\operatorname{{{match[0]}}}")
        else:
            parts.append(f"\\text{{ {match[0]} }}")
    return joined([*parts, *_each(text[at:], bold, font)])


def is_mathematical(span: Span) -> bool:
    """Whether a span is set as formulas are: as a script, in slanted letters, or with signs that text has not."""
    is_slanted = span.italic or _ITALIC_FONT.search(span.font) is not None
    return is_slanted or span.superscript or _OF_FORMULAS.search(span.text) is not None


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
        formula = parts.sub(sign, formula)
    formula = _with_scripts_merged(formula)
    return None if not formula or _UNPLACED.search(formula) or _has_two_scripts(formula) else formula


def script(mark: str, inner: str) -> str:
    """An index (``_``) or exponent (``^``); a prime is raised already."""
    inner = _with_scripts_merged(inner)
    if mark == "^" and (exponent := _ONE_EXPONENT.fullmatch(inner)):
        inner = exponent[1]
    elif mark == "^" and inner.startswith("^{\\prime"):
        inner = _ONE_EXPONENT.sub(r"\1 ", inner, count=1)
    return f"{mark}{{{inner}}}"


def _with_scripts_merged(formula: str) -> str:
    """Neighbouring indexes, or exponents, as one: each sign of ``x₁₂`` is an index of its own."""
    while (merged := _REPEATED_SCRIPT.sub(r"\1{\2\3}", formula)) != formula:
        formula = merged
    return formula


def _has_two_scripts(formula: str) -> bool:
    """Whether a sign has two indexes or two exponents, which LaTeX refuses."""
    opened: list[str] = []
    had: list[set[str]] = [set()]
    for before, sign in zip(f" {formula}", formula, strict=False):
        if sign == "{" and before != "\\":
            opened.append(before)
            had.append(set())
        elif sign == "}" and before != "\\" and opened:
            had.pop()
            if opened.pop() not in "_^":
                had[-1].clear()
        elif sign in "_^" and before != "\\":
            if sign in had[-1]:
                return True
            had[-1].add(sign)
        elif not sign.isspace():
            had[-1].clear()
    return False


def tag(number: str) -> str:
    """The number of a formula, given in its brackets."""
    return f" \\tag{{{number.strip()[1:-1].strip()}}}"


def rows(lines: list[str]) -> str:
    """Lines of a formula one below the other; U+FFFD where one states no relation: its place was not understood."""
    if len(lines) == 1:
        return lines[0]
    tags = [match[0] for line in lines for match in _TAG.finditer(line)]
    if len(tags) > 1 or not all(_RELATION.search(line) for line in lines):
        return UNKNOWN
    written = " \\\\ ".join(_TAG.sub("", line) for line in lines)
    return f"\\begin{{gathered}} {written} \\end{{gathered}}{''.join(tags)}"


def _each(text: str, bold: bool, font: str) -> list[str]:
    style = next((command for pattern, command in _STYLE_FONTS if pattern.search(font)), "\\mathbf" if bold else "")
    written: list[str] = []
    text = _with_accents(re.sub(r"(?<=\d)\s+(?=\d)|(?<=[^\W_])\s{2,}(?=[^\W_])", _GAP, text))
    text = re.sub(rf"[^\S{_GAP}]+", "", text)
    for char in "".join(c if _is_wide(c) or c in _SIGNS else unicodedata.normalize("NFD", c) for c in text):
        if char in _ACCENTS and written:
            written[-1] = f"{_ACCENTS[char]}{{{written[-1]}}}"
        elif style and char.isascii() and char.isalpha() and (style == "\\mathbf" or char.isupper()):
            written.append(f"{style}{{{char}}}")
        else:
            written.append(_sign(char))
    return written


def _is_wide(char: str) -> bool:
    """Whether a character is of Chinese, Japanese or Korean text."""
    return unicodedata.east_asian_width(char) in ("W", "F")


def _with_accents(text: str) -> str:
    """Accents that stand for themselves behind their letter: TeX draws them before it, others behind it."""
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
    if char == _GAP:
        return "\\quad "
    if found := _SIGNS.get(char) or _GREEK_FORMS.get(char) or _LIKE_LATIN.get(char):
        return found
    name = unicodedata.name(char, "")
    if greek := re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER ([A-Z]+)", name):
        letter = greek[2].lower().replace("lamda", "lambda")
        letter = letter.capitalize() if greek[1] == "CAPITAL" else letter
        return f"\\{letter}" if _GREEK.fullmatch(letter) else char
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
    if (styled := _STYLED.match(name)) is None:
        return inner
    return f"{_STYLES[styled[1]] if inner.isalnum() else _STYLES['BOLD ITALIC']}{{{inner}}}"
