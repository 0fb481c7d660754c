"""Seeded ways to break bytes, PDFs and JSON values. Each takes a ``random.Random`` and gives the same for the same."""

from __future__ import annotations

import json
import random
import re
import zlib
from collections.abc import Callable, Sequence
from typing import Any

Mutation = Callable[[random.Random, bytes, Sequence[bytes]], bytes]
"""Of one input, with the other seeds of its kind at hand."""

WILD_NUMBERS = (
    b"0", b"-1", b"1", b"65536", b"2147483648", b"-2147483649", b"99999999999999999999", b"1e38", b"3.5e38", b"-0.0",
    b"0.0000001", b"nan", b"inf", b"1" + b"0" * 400, b"--5", b"1.2.3", b"+",
)  # fmt: skip
_NAMES = (
    b"/Kids", b"/Parent", b"/Count", b"/Type", b"/Page", b"/Pages", b"/Contents", b"/Resources", b"/MediaBox",
    b"/CropBox", b"/Rotate", b"/Font", b"/XObject", b"/Length", b"/Filter", b"/FlateDecode", b"/DecodeParms", b"/Root",
    b"/Prev", b"/Encrypt", b"/Size", b"/W", b"/Index", b"/ObjStm", b"/XRef", b"/ToUnicode", b"/Encoding", b"/Width",
    b"/Outlines", b"/First", b"/Next", b"/Dest", b"/Names", b"/AcroForm", b"/XFA", b"/OCProperties", b"/PageLabels",
)  # fmt: skip
_KEYWORDS = (
    b"endobj",
    b"endstream",
    b"stream",
    b"obj",
    b"xref",
    b"trailer",
    b"startxref",
    b"%%EOF",
    b">>",
    b"<<",
    b"]",
)
_OPERATORS = (
    b"q", b"Q", b"BT", b"ET", b"Tj", b"TJ", b"Tf", b"Td", b"Tm", b"cm", b"re", b"f", b"S", b"W n", b"Do", b"BI", b"EI",
    b"BDC", b"EMC", b"sh", b"gs", b"scn", b"Tr", b"Tz", b"d0", b"d1",
)  # fmt: skip


def flip(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Some bytes changed."""
    changed = bytearray(data)
    for _number in range(rng.choice((1, 1, 2, 8, 64))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def truncate(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """The beginning."""
    return data[: rng.randrange(len(data) + 1)]


def remove(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """A part cut out."""
    start = rng.randrange(len(data) + 1)
    return data[:start] + data[start + rng.choice((1, 4, 64, 1024)) :]


def repeat(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """A part many times."""
    start = rng.randrange(len(data) + 1)
    part = data[start : start + rng.choice((1, 16, 200))]
    return data[:start] + part * rng.choice((2, 20, 500)) + data[start:]


def insert(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """NULs, line breaks, quotes, marks of byte order or half a character where they do not belong."""
    start = rng.randrange(len(data) + 1)
    part = rng.choice((b"\0", b"\r", b"\n", b'"', b"'", b"\xef\xbb\xbf", b"\xff", b"\xe2\x80", b"\xed\xa0\x80", b"\\u"))
    return data[:start] + part * rng.choice((1, 1, 3, 300)) + data[start:]


def splice(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """The beginning of one and the end of another."""
    other = rng.choice(others) if others else data
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


def nest(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Brackets that nest very deeply."""
    start = rng.randrange(len(data) + 1)
    return (
        data[:start] + rng.choice((b"[", b'{"a":', b"{", b"- ", b"(")) * rng.choice((50, 2_000, 100_000)) + data[start:]
    )


BYTES: tuple[Mutation, ...] = (flip, truncate, remove, repeat, insert, splice, nest)


def _replaced(rng: random.Random, data: bytes, pattern: bytes, new: Callable[[bytes], bytes], most: int = 3) -> bytes:
    """Some matches of ``pattern`` replaced."""
    matches = list(re.finditer(pattern, data))
    if not matches:
        return flip(rng, data, ())
    chosen = sorted(rng.sample(range(len(matches)), min(len(matches), rng.randint(1, most))))
    parts, end = [], 0
    for number in chosen:
        parts += [data[end : matches[number].start()], new(matches[number].group())]
        end = matches[number].end()
    return b"".join([*parts, data[end:]])


def pdf_number(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Numbers outside of streams and in plain ones made wild."""
    return _replaced(rng, data, rb"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])", lambda _old: rng.choice(WILD_NUMBERS))


def pdf_reference(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """References that lead elsewhere, in a circle or nowhere."""
    return _replaced(rng, data, rb"\d+ 0 R", lambda _old: b"%d 0 R" % rng.choice((0, 1, 2, 3, 5, 8, 13, 21, 99999999)))


def pdf_key(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Names exchanged for others."""
    return _replaced(rng, data, rb"/[A-Za-z]+[A-Za-z0-9]*", lambda _old: rng.choice(_NAMES))


def pdf_keyword(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Keywords and brackets left out, doubled or exchanged."""
    pattern = b"|".join(re.escape(word) for word in _KEYWORDS)
    return _replaced(rng, data, pattern, lambda old: rng.choice((b"", old * 2, rng.choice(_KEYWORDS))))


def pdf_length(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """The length of a stream, the place of the table of objects, its size."""
    pattern = rb"(?:/Length|/Size|/Prev|/N|/First|startxref)\s*\d+"
    return _replaced(rng, data, pattern, lambda old: re.sub(rb"\d+$", b"", old) + rng.choice(WILD_NUMBERS))


def pdf_nested(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Arrays, dictionaries or strings that nest very deeply."""
    opener = rng.choice((b"[", b"<</A ", b"(", b"q ", b"BT "))
    return _replaced(rng, data, rb"<<|\[", lambda old: old + b"/Z " * (old == b"<<") + opener * 20_000, most=1)


def pdf_content(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """A compressed stream with other operators and numbers, compressed again."""
    streams = list(re.finditer(rb"/Length (\d+)(.{0,200}?)stream\r?\n(.*?)endstream", data, re.DOTALL))
    rng.shuffle(streams)
    for found in streams:
        try:
            content = zlib.decompress(found[3].rstrip(b"\r\n"))
        except zlib.error:
            continue
        operators = list(content.split(b" "))
        for _number in range(rng.choice((1, 4, 40))):
            place = rng.randrange(len(operators))
            operators[place] = rng.choice((*_OPERATORS, *WILD_NUMBERS, b"", operators[place] + b" " + operators[place]))
        packed = zlib.compress(b" ".join(operators) * rng.choice((1, 1, 1, 50)))
        length = len(packed) if rng.random() < 0.8 else len(packed) // 2
        return (
            data[: found.start()]
            + b"/Length %d%bstream\n%b\nendstream" % (length, found[2], packed)
            + data[found.end() :]
        )
    return pdf_number(rng, data, ())


def pdf_cut_stream(rng: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """The end of a page's content overwritten, its length kept; the beginning of a file without compressed pages."""
    for found in re.finditer(rb"/Length (\d+)(.{0,200}?)stream\r?\n(.*?)endstream", data, re.DOTALL):
        try:
            content = zlib.decompress(found[3].rstrip(b"\r\n"))
        except zlib.error:
            continue
        if b"BT" in content and b"Tj" in content or b"TJ" in content:
            keep = rng.randrange(2, len(found[3]) // 2)
            return data[: found.start(3) + keep] + b"\xff" * (len(found[3]) - keep) + data[found.end(3) :]
    return data[: rng.randrange(len(data) // 2)]


PDF: tuple[Mutation, ...] = (
    flip, truncate, remove, repeat, splice, pdf_number, pdf_number, pdf_reference, pdf_key, pdf_keyword, pdf_length,
    pdf_nested, pdf_content, pdf_content, pdf_cut_stream,
)  # fmt: skip


def _nest(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def wild_value(rng: random.Random) -> Any:
    """A value that no reader expects."""
    return rng.choice(
        (
            None, True, False, 0, -1, 10**30, 1e308, float("nan"), float("inf"), -0.0, "", " ", "\0", "\u202e\u200b",
            "x" * 100_000, "\ud800", "../../../etc/passwd", "/etc/passwd", "=1+1", "<script>alert(1)</script>", [], {},
            [[]], {"type": "text"}, [None] * 50, ["a", 1, None], {"": {"": ""}}, _nest(60), _nest(300), "[" * 5000,
        )
    )  # fmt: skip


def changed_value(rng: random.Random, value: Any) -> Any:
    """A JSON value changed in one place: replaced, left out, doubled, renamed or moved."""
    places = list(_places(value))
    if not places:
        return wild_value(rng)
    holder, key = rng.choice(places)
    action = rng.randrange(6)
    if action == 0:
        del holder[key]
    elif action == 1 and isinstance(holder, dict):
        holder[rng.choice((str(key).upper(), f"{key} ", "", "type", "text"))] = holder.pop(key)
    elif action == 2 and isinstance(holder, list):
        holder += [holder[key]] * rng.choice((1, 3, 300))
    elif action == 3:
        other, place = rng.choice(places)
        holder[key] = json.loads(json.dumps(other[place]))  # a copy: a value must not hold itself
    else:
        holder[key] = wild_value(rng)
    return value


def _places(value: Any) -> Any:
    """(container, key) of everything inside."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(entries):
        yield value, key
        yield from _places(inner)


def json_value(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """The JSON of a value changed in some places; bytes that are none are flipped."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return flip(rng, data, others)
    for _ in range(rng.choice((1, 1, 2, 6))):
        value = changed_value(rng, value)
    return json.dumps(value, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")


def json_lines(rng: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A value of JSON lines changed; lines that are no JSON stay."""
    lines = data.split(b"\n")
    place = rng.randrange(len(lines))
    lines[place] = json_value(rng, lines[place], others) if lines[place].startswith((b"{", b"[")) else lines[place]
    return b"\n".join(lines)


JSON: tuple[Mutation, ...] = (json_value,) * 3 * len(BYTES) + BYTES
