"""Labels of figures and tables as they open a caption: ``Fig. 3b``, ``TABLE IV``, ``图3``, ``図 3-1``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cosee.structure.captions.thresholds import MIN_SENTENCE_WORDS
from cosee.text.caption_words import CAPTION_WORDS, CJK_CAPTION_WORDS, Medium
from cosee.text.words import one_line

# General knowledge: how figures and tables are numbered.
_NUMBER = (
    r"(?:[A-Z]{1,2}[.-]?)?\d{1,3}(?:[.\-–]\d{1,3})*(?:\s?\([a-z]\)|[a-z](?![\w]))?|[IVXL]{1,6}(?![\w])|[A-Z](?![\w])"
)
_LATIN_WORD = "|".join(sorted(CAPTION_WORDS, key=len, reverse=True))
_LATIN = re.compile(rf"[〔【\[(]?(?P<word>{_LATIN_WORD})(?P<dot>\.?)\s*(?P<number>{_NUMBER})", re.IGNORECASE)
_CJK = re.compile(
    rf"(?:[〔【\[]?)(?P<word>{'|'.join(CJK_CAPTION_WORDS)})\s*(?P<number>\d{{1,3}}(?:[.．\-–－—]\d{{1,3}})*[a-z]?|[一二三四五六七八九十]+)"
)
# General knowledge: the punctuation between a label and its title.
_SEPARATOR = re.compile(r"\s*[〕】\]]?\s*[:：.．|｜–—]\s*|\s*[〕】\]]\s*|\s+-\s+|\s*\)\s*|$")
# General knowledge: prepositions, conjunctions, pronouns and auxiliaries of English, its verbs in -s and -ed, and the
# verb "to show" in the other languages.
_PROSE = re.compile(
    r"\s*(?:,|;|\)|and\b|or\b|to\b|in\b|on\b|of\b|is\b|are\b|was\b|were\b|has\b|have\b|can\b|may\b|we\b|the\b|below\b|above\b|"
    r"through\b|for\b|that\b|which\b|also\b|does\b|will\b|at\b|by\b|from\b|with\b|as\b|but\b|"
    r"\(?(?:left|right|top|bottom)\)?\s+[a-z]+s\b|[a-z]+(?:s|ed)\b|"
    r"zeig\w*|montre\w*|illustre\w*|muestra\w*|mostra\w*|toon\w*|viser|показыва\w*|показан\w*|يوضح|يبين|يظهر|توضح)"
)
_LOWER = re.compile(r"\s+[^\W\d_A-Z]{2,}\b")
# General knowledge: particles of Chinese and Japanese, and "to show", "to list" and "can" in Chinese.
_CJK_PROSE = re.compile(
    r"\s*(?:所示|显示|顯示|可以|可见|中[的，,]|は|に|で|を|が|と|の|から|より|给出|列出|为|和|及|与)"
)
# General knowledge: the parts of a figure are lettered.
_SUB_LABEL = re.compile(r"\(?(?P<letter>[a-z]|[ivx]{2,4})\)|(?P<bare>[A-Z])$|\((?P<upper>[A-Z])\)")


@dataclass(frozen=True)
class CaptionLabel:
    """The label that opens a caption."""

    medium: Medium
    label: str
    """As a person cites it: ``Figure 3``, ``Table IV``, ``图3``."""
    separated: bool
    """Whether a separator (``:``, ``.``, ``|``) follows: prose almost never has one."""
    end: int
    """Offset of the title after the label in the one-line text."""


def caption_label(text: str) -> CaptionLabel | None:
    """The label of a caption; None for other text, prose about a figure ("Figure 3 shows ...") included."""
    text = one_line(text)
    match = _LATIN.match(text)
    if match is not None:
        return _latin(text, match)
    match = _CJK.match(text)
    if match is None:
        return None
    rest = text[match.end() :]
    if _CJK_PROSE.match(rest):
        return None
    number = match["number"].replace("．", ".").replace("－", "-").replace("—", "-").replace("–", "-")
    end = match.end() + _separator_length(rest)
    return CaptionLabel(
        CJK_CAPTION_WORDS[match["word"]], f"{match['word']}{number}", _SEPARATOR.match(rest) is not None, end
    )


def _latin(text: str, match: re.Match[str]) -> CaptionLabel | None:
    word = match["word"]
    if word.islower():
        return None
    medium, name = CAPTION_WORDS[word.lower()]
    if not match["dot"] and text[match.end("word")] not in " \u00a0" and word.lower() not in ("fig", "tab"):
        return None
    rest = text[match.end() :]
    separated = _SEPARATOR.match(rest) is not None
    if rest[:1].isalnum() or (not separated and (_PROSE.match(rest) or _is_sentence(rest))):
        return None
    if separated and rest[:1] == ")":
        return None
    number = re.sub(r"\s", "", match["number"]).replace("–", "-")
    return CaptionLabel(medium, f"{name} {number}", separated, match.end() + _separator_length(rest))


def _is_sentence(rest: str) -> bool:
    """Whether the text after a label goes on in lower case, and is long or ends with a full stop."""
    first = _LOWER.match(rest)
    if first is None or not first[0].strip()[0].islower():
        return False
    return rest.count(" ") >= MIN_SENTENCE_WORDS or rest.rstrip().endswith(".")


def _separator_length(rest: str) -> int:
    match = _SEPARATOR.match(rest)
    return match.end() if match is not None else len(rest) - len(rest.lstrip())


def sub_label(text: str) -> str | None:
    """The letter of a sub-figure label that opens the text: ``(a)``, ``b)``, ``A``; None for other text."""
    match = _SUB_LABEL.match(one_line(text))
    if match is None:
        return None
    return (match["letter"] or match["bare"] or match["upper"]).lower()
