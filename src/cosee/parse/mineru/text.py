"""Texts in the fields of MinerU's blocks: strings, lists of strings, items, and spans nested in spans."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Any

from cosee.artifacts.documents.content import Role
from cosee.parse.content.paragraphs import BULLET
from cosee.parse.mineru.thresholds import MAX_DEPTH
from cosee.text.cleaning import clean, one_line

_TEXTS = ("text", "list_items", "code_body", "math_content", "latex", "content", "html", "md", "markdown")
_ABOUT = frozenset((
    "type", "sub_type", "bbox", "page_idx", "page_size", "img_path", "image_path", "image_source", "text_level",
    "level", "text_format", "math_type", "guess_lang", "code_language", "list_type", "attribute", "angle", "score",
    "anchor", "table_type", "index", "id", "format",
))  # fmt: skip
"""Fields that say something about a block and hold none of its text."""
_UNMAPPED = re.compile(r"\(cid:\d+\)")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_ESCAPED = re.compile(r"\\([*`~$_#])")
# General knowledge: TeX writes formulas between dollar signs.
_MATH = re.compile(r"((?<!\\)\$[^$]*(?<!\\)\$)")
_DOLLARS = re.compile(r"^\s*\${1,2}\s*|\s*(?<!\\)\${1,2}\s*$")
_FENCE = re.compile(r"\A\s*(`{3,})[^\n`]*\n(.*?)\n?\s*\1\s*\Z", re.DOTALL)
_TAG = re.compile(r"<[A-Za-z/!][^<>]{0,500}>")


def plain(text: str) -> str:
    """One line of text without residue: unmapped glyphs gone, entities read, Markdown's escapes outside of
    formulas taken back."""
    text = without_unmapped(text)
    if "\\" in text:
        parts = _MATH.split(text)
        text = "".join(part if n % 2 else _ESCAPED.sub(r"\1", part) for n, part in enumerate(parts))
    if "&" in text:
        text = _ENTITY.sub(lambda match: unescape(match.group()), text)
    return one_line(text)


def without_unmapped(text: str) -> str:
    """Text without the numbers that stand for glyphs without a letter."""
    return _UNMAPPED.sub("", text)


def encodable(text: str) -> str:
    """Text that UTF-8 can hold: lone surrogates, which JSON may bring, are replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")


def text_of(content: dict[str, Any], role: Role, *, everything: bool = False) -> str:
    """The block's own text; lists and code keep their lines. With ``everything`` every field that may hold text counts,
    for a type whose fields are not known."""
    keys = [*_TEXTS, *(key for key in content if key.endswith("_content") and key not in _TEXTS)]
    if everything:
        keys += [key for key in content if key not in keys and key not in _ABOUT]
    if role == "image":
        return plain(
            _TAG.sub(" ", " ".join(part for key in ("content", "text") for part in lines_of(content.get(key))))
        )
    found = (parts for key in keys if (parts := lines_of(content.get(key))))
    lines = next(found, [])
    if everything:
        lines = [*lines, *(part for parts in found for part in parts)]
    if role == "code":
        return _code("\n".join(lines))
    if role in ("list", "toc"):
        return "\n".join(text for line in lines for part in line.split("\n") if (text := plain(part)))
    if role == "equation":
        return _DOLLARS.sub("", one_line(without_unmapped(" ".join(lines))))
    return plain(" ".join(lines))


def is_latex(content: dict[str, Any]) -> bool:
    """Whether an equation's text is said to be LaTeX, or stands between dollars."""
    told = "latex" in (content.get("text_format"), content.get("math_type"))
    return told or any(_DOLLARS.match(line) for line in lines_of(content.get("text")))


def _code(text: str) -> str:
    """Lines of code as they are, without the Markdown fence around them and spaces at line ends."""
    fenced = _FENCE.match(text)
    text = fenced.group(2) if fenced else text
    return without_unmapped("\n".join(clean(line).rstrip() for line in text.split("\n")).strip("\n"))


def is_bulleted(text: Any) -> bool:
    """Whether a text of several lines is a list, as MinerU wrote it before it had a type for lists."""
    lines = [line for line in text.split("\n") if line.strip()] if isinstance(text, str) else []
    return len(lines) >= 2 and all(BULLET.match(line) for line in lines)


def is_readable(text: str) -> bool:
    """Whether any character has a meaning outside of the font that it came from."""
    # General knowledge: the general categories of Unicode.
    return any(char != "\ufffd" and unicodedata.category(char) not in ("Co", "Cn", "Cc", "Zs") for char in text)


def lines_of(value: Any) -> list[str]:
    """Texts of a value: a string is one; in a list, spans run together and items or strings are each a text."""
    if isinstance(value, str):
        return [value] if value else []
    if isinstance(value, list) and any(_is_item(entry) for entry in value):
        return [text for entry in value if (text := _item_text(entry))]
    if isinstance(value, list) and value and all(isinstance(entry, str) for entry in value):
        return [entry for entry in value if entry]
    joined = "".join(_spans(value, 0))
    return [joined] if joined else []


def _is_item(value: Any) -> bool:
    return isinstance(value, dict) and ("item_content" in value or "item_type" in value)


def _item_text(value: Any) -> str:
    """A list item with the mark that the source keeps beside it."""
    text = "".join(_spans(value, 0))
    mark = value.get("prefix") if isinstance(value, dict) else None
    return f"{mark.strip()} {text}" if isinstance(mark, str) and text and not text.startswith(mark.strip()) else text


def _spans(value: Any, depth: int) -> Iterator[str]:
    """Every text inside nested spans, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < MAX_DEPTH:
        for entry in value:
            yield from _spans(entry, depth + 1)
    elif isinstance(value, dict) and depth < MAX_DEPTH:
        formula = str(value.get("type", "")) in ("equation_inline", "inline_equation")
        for key in ("text", "content", "item_content", "children"):
            if value.get(key):
                parts = _spans(value[key], depth + 1)
                yield from ((f"${part}$" for part in parts) if formula else parts)
                break


def strings(content: dict[str, Any], keys: Sequence[str]) -> list[str]:
    """Texts of all of the given fields, cleaned, without empty ones."""
    return [text for key in keys for part in lines_of(content.get(key)) if (text := plain(part))]


def string(content: dict[str, Any], keys: Sequence[str]) -> str:
    """The first of the given fields that is a string with something in it; empty where none is."""
    return next((value for key in keys if isinstance(value := content.get(key), str) and value), "")
