"""Ranges of characters by script, each to stand inside a regular expression's class."""

from __future__ import annotations

import re

KANA = "\u3040-\u30ff"
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
HANGUL = "\uac00-\ud7af"
CJK = KANA + HAN + HANGUL
"""Letters of Chinese, Japanese and Korean."""
UNSPACED = f"\u2e80-\u2fdf\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff{HAN}{HANGUL}\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Scripts written without spaces, and Hangul."""
INDIC_MARKS = (
    "\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0980-\u0983\u09bc-\u09cd\u0a01-\u0a4d\u0a81-\u0acd"
    "\u0b01-\u0b4d\u0b82-\u0bcd\u0c00-\u0c4d\u0c80-\u0ccd\u0d00-\u0d4d\u0d82-\u0ddf"
)
_CJK = re.compile(f"[{CJK}]")
_JOINED_WITHOUT_SPACE = re.compile(f"[\u3001-\u303f{KANA}\u3100-\u312f\u31f0-\u31ff{HAN}\uff01-\uff65]")


def has_cjk(text: str) -> bool:
    """Whether Chinese, Japanese or Korean characters occur."""
    return _CJK.search(text) is not None


def is_cjk(character: str) -> bool:
    """Whether a character belongs to a script that is written without spaces (Chinese, Japanese), or is its sign."""
    return _JOINED_WITHOUT_SPACE.match(character) is not None


def count_cjk(text: str) -> int:
    """How many of its characters are such (``is_cjk``)."""
    return 0 if text.isascii() else len(_JOINED_WITHOUT_SPACE.findall(text))
