"""A bounded reader for the near-JSON that models write. It mends form, never content, and never evaluates.

It accepts single and typographic quotes, bare and half-quoted keys, comments, missing and trailing commas, brackets
closed that were not open, an object closed before its last keys, ``True``/``None``, NaN and raw line breaks, and notes
each. A text that ends inside a value is an error: what was cut off is unknown.
"""

from __future__ import annotations

import json
import re
from typing import Any

from cosee.models.thresholds import CHARACTERS_AHEAD, MOST_DIGITS, MOST_LEVELS, QUOTED_CHARACTERS

_CLOSERS = {'"': '"', "'": "'", "“": "”", "”": "”", "‘": "’", "’": "’"}
_WORDS: dict[str, tuple[Any, str | None]] = {
    "true": (True, None), "false": (False, None), "null": (None, None),
    "True": (True, "python_literal"), "False": (False, "python_literal"), "None": (None, "python_literal"),
    "NaN": (None, "nan"), "Infinity": (None, "nan"), "-Infinity": (None, "nan"), "nan": (None, "nan"),
}  # fmt: skip
_SPACE = re.compile(r"[\s\ufeff]+|(?P<comment>//[^\n]*|/(?=\*).*?\*/)", re.DOTALL)
_BARE_KEY = re.compile(r"[\w-]+")
_BARE_VALUE = re.compile(r"[^ \t\r\n,:{}\[\]/\"']*")
_CODE_POINT = re.compile(r"u([0-9a-fA-F]{4})")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", "\\": "\\", '"': '"', "'": "'"}
_OPEN_KEY = re.compile(r'"(?P<key>[A-Za-z_]\w*):(?!"\s*:)(?=\s*["\[{\d])')
"""A key whose closing mark is missing, up to its value."""
_FURTHER_KEY = re.compile(r'\s*,\s*"[A-Za-z_]\w*"\s*:')
"""What stands between two pairs of an object, and behind no whole one."""


class Malformed(ValueError):
    """Not JSON, even with patience."""


class Ambiguous(ValueError):
    """A key stands twice with different values."""


class TolerantReader:
    """Reads one value at ``start`` of ``text``; ``repairs`` names what was mended, ``position`` is where it ended."""

    def __init__(self, text: str, start: int = 0) -> None:
        self.text = text
        self.position = start
        self.repairs: set[str] = set()

    def value(self, depth: int = 0) -> Any:
        """The value at the position.

        Raises:
            Malformed: there is none, it is cut off, or it nests too deeply.
            Ambiguous: a key stands twice with different values.
        """
        if depth > MOST_LEVELS:
            raise Malformed("nested too deeply")
        self._space()
        character = self._peek()
        if character == "{":
            return self._object(depth)
        if character == "[":
            return self._array(depth)
        if character in _CLOSERS:
            return self._string()
        return self._word()

    def _peek(self) -> str:
        if self.position >= len(self.text):
            raise Malformed("the text ends inside a value")
        return self.text[self.position]

    def _space(self) -> None:
        """Skip white space and comments."""
        while skipped := _SPACE.match(self.text, self.position):
            self.position = skipped.end()
            if skipped["comment"]:
                self.repairs.add("comment")
        if self.text.startswith("/*", self.position):
            raise Malformed("the text ends inside a comment")

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self.position += 1
        while self._more("}", first=not found) or (not depth and self._closed_early()):
            key = self._key()
            value = self.value(depth + 1)
            add_pair(found, key, value, self.repairs)
        return found

    def _closed_early(self) -> bool:
        """Whether further keys follow the end of the outermost object; steps up to the first of them."""
        if _FURTHER_KEY.match(self.text, self.position) is None:
            return False
        self.repairs.add("early_brace")
        self.position = self.text.index('"', self.position)
        return True

    def _key(self) -> str:
        """A key and its colon."""
        if unclosed := _OPEN_KEY.match(self.text, self.position):
            self.repairs.add("quotes")
            self.position = unclosed.end()
            return unclosed["key"]
        key = self._string() if self._peek() in _CLOSERS else self._bare_key()
        self._space()
        if self._peek() != ":":
            raise Malformed(f"no colon after the key {key[:QUOTED_CHARACTERS]!r}")
        self.position += 1
        return key

    def _array(self, depth: int) -> list[Any]:
        found: list[Any] = []
        self.position += 1
        while self._more("]", first=not found):
            found.append(self.value(depth + 1))
        return found

    def _more(self, closer: str, *, first: bool) -> bool:
        """Step over separators; False at ``closer``, which is consumed."""
        self._space()
        if closer == "}" and self._peek() == "]" and _FURTHER_KEY.match(self.text, self.position + 1):
            self.position += 1
            self.repairs.add("stray_bracket")
        comma = self._peek() == ","
        if comma:
            self.position += 1
            self._space()
        if self._peek() == closer:
            self.position += 1
            if comma:
                self.repairs.add("trailing_comma")
            return False
        if not first and not comma:
            self.repairs.add("missing_comma")
        if first and comma or self._peek() == ",":
            raise Malformed("a comma without a value")
        return True

    def _bare_key(self) -> str:
        key = _BARE_KEY.match(self.text, self.position)
        if key is None or not (key[0][0].isalpha() or key[0][0] == "_"):
            raise Malformed("no key where one belongs")
        self.position = key.end()
        self.repairs.add("bare_key")
        return key[0]

    def _string(self) -> str:
        opener = self._peek()
        closer = _CLOSERS[opener]
        if opener != '"':
            self.repairs.add("quotes")
        self.position += 1
        parts: list[str] = []
        while True:
            if self.position >= len(self.text):
                raise Malformed("the text ends inside a string")
            character = self.text[self.position]
            self.position += 1
            if character == "\\":
                parts.append(self._escape())
            elif character == closer and self._closes():
                return "".join(parts)
            else:
                if character == closer:
                    self.repairs.add("inner_quote")
                elif character < " ":
                    self.repairs.add("control_character")
                parts.append(character)

    def _closes(self) -> bool:
        """Whether the quote just read ends the string: what follows must be able to follow a string."""
        rest = self.text[self.position : self.position + CHARACTERS_AHEAD].lstrip()
        if not rest or rest[0] in ",:}]" or rest.startswith(("//", "/*")):
            return True
        if rest[0] not in _CLOSERS:
            return False
        end = rest.find(_CLOSERS[rest[0]], 1)
        return end > 0 and rest[end + 1 :].lstrip().startswith(":")

    def _escape(self) -> str:
        if self.position >= len(self.text):
            raise Malformed("the text ends inside a string")
        if point := _CODE_POINT.match(self.text, self.position):
            self.position = point.end()
            code = int(point[1], 16)
            return chr(code) if not 0xD800 <= code <= 0xDFFF else "\ufffd"
        character = self.text[self.position]
        self.position += 1
        if character in _ESCAPES:
            return _ESCAPES[character]
        self.repairs.add("escape")
        return "\\" + character

    def _word(self) -> Any:
        found = _BARE_VALUE.match(self.text, self.position)
        word = found[0] if found else ""
        self.position += len(word)
        if word in _WORDS:
            value, repair = _WORDS[word]
            if repair:
                self.repairs.add(repair)
            return value
        try:
            return json.loads(word, parse_int=bounded_int)
        except (ValueError, RecursionError) as error:
            raise Malformed(f"{word[:QUOTED_CHARACTERS]!r} is not a value") from error


def add_pair(found: dict[str, Any], key: str, value: Any, repairs: set[str]) -> None:
    """Add a pair; a repeated key must repeat its value. Raises Ambiguous."""
    if key in found:
        if found[key] != value:
            raise Ambiguous(f"the key {key[:QUOTED_CHARACTERS]!r} stands twice with different values")
        repairs.add("duplicate_key")
    found[key] = value


def bounded_int(digits: str) -> int | float:
    """An integer; one with more digits than any float has becomes infinity, which no schema takes."""
    return int(digits) if len(digits) <= MOST_DIGITS else float("inf")
