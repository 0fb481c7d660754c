"""A spreadsheet's cell as the sheet shows it: numbers, percentages, currencies, dates and times by the cell's number
format (ECMA-376, part 1, 18.8.31), and the same value in its plain form."""

from __future__ import annotations

import datetime
import re
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from cosee.datasets.thresholds import WHOLE_BELOW
from cosee.text.months import MONTHS

# General knowledge: the codes of number formats in workbooks (ECMA-376, part 1, 18.8.31).
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[(?P<bracket>[^\]]*)\]|_.|\*.'
    r"|(?P<clock>AM/PM|A/P|am/pm|a/p)|(?P<date>[yY]+|[mM]+|[dD]+|[hH]+|[sS]+(?:\.0+)?)"
    r"|(?P<number>[0#?][0#?,.]*(?:[eE][+-][0#?]+)?|\.[0#?]+(?:[eE][+-][0#?]+)?)|(?P<percent>%)|(?P<other>.)",
    re.DOTALL,
)
_FRACTION = re.compile(r"([#0?]+\s+)?[#0?]+\s*/\s*([#0?]+|\d+)")
_SYSTEM_DATE = ("mm-dd-yy", "m/d/yyyy", "m/d/yy")
"""Formats that each machine shows in its own way: which is not in the file."""
# General knowledge: the days of the week, as a sheet in English shows them.
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


class CellText(str):
    """What a cell shows; ``plain`` is its value without the format, ``2022-03-05`` or ``0.53``."""

    plain: str

    def __new__(cls, shown: str, plain: str) -> CellText:
        """A text with both forms."""
        text = super().__new__(cls, shown)
        text.plain = plain
        return text


def plain_text(value: Any) -> str:
    """The plain form of a cell that was read, of another value its text."""
    return value.plain if isinstance(value, CellText) else str("" if value is None else value)


def cell_text(value: Any, number_format: str) -> str | None:
    """A cell's value, as openpyxl gives it, as text; None for an empty cell. TRUE is ``Yes``."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, str):
        return value
    plain = _plain(value)
    shown = _shown(value, number_format or "General", plain).strip()
    return CellText(shown, plain) if shown and shown != plain else plain


def _plain(value: Any) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < WHOLE_BELOW:
        return str(int(value))
    if isinstance(value, datetime.datetime):
        return value.date().isoformat() if value.time() == datetime.time() else value.isoformat(" ")
    if isinstance(value, datetime.time):
        return value.isoformat("seconds" if value.second else "minutes")
    if isinstance(value, datetime.timedelta):
        return _moment(value, "[h]:mm:ss")
    return str(value)


def _shown(value: Any, number_format: str, plain: str) -> str:
    if number_format in ("General", "@"):
        return plain
    if isinstance(value, datetime.datetime | datetime.date | datetime.time | datetime.timedelta):
        return plain if number_format in _SYSTEM_DATE else _moment(value, number_format)
    if isinstance(value, int | float):
        return _number(Decimal(repr(value)), number_format, plain)
    return plain


def _sections(number_format: str) -> list[str]:
    """The parts for positive, negative and zero numbers and text."""
    parts, depth, quoted = [""], 0, False
    for char in number_format:
        quoted ^= char == '"'
        depth += (char == "[") - (char == "]")
        if char == ";" and not quoted and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def _number(value: Decimal, number_format: str, plain: str) -> str:
    sections = _sections(number_format)
    which = 0
    if value < 0 and len(sections) > 1:
        which, value = 1, -value
    elif not value and len(sections) > 2:
        which = 2
    section = sections[which]
    tokens = list(_TOKEN.finditer(section))
    # General knowledge: the same standard's name of no format.
    if "General" in section:
        return section.replace("General", _plain(float(value))).replace('"', "")
    if fraction := _FRACTION.search(section):
        return _fraction(value, fraction)
    value *= 100 ** sum(1 for token in tokens if token["percent"])
    shown, number_shown = "", False
    for token in tokens:
        if token["number"] and not number_shown:
            number_shown = True
            shown += _digits(abs(value), token["number"])
        else:
            shown += _literal(token)
    sign = "-" if value < 0 and any(digit in "123456789" for digit in shown) else ""
    return sign + shown if number_shown else (shown or plain)


def _literal(token: re.Match[str]) -> str:
    kinds = ("quoted", "escaped", "currency", "percent", "other", "date", "clock")
    return next((text for kind in kinds if (text := token[kind])), "")


def _digits(value: Decimal, pattern: str) -> str:
    """A number without sign in the digits that ``pattern`` asks for."""
    mantissa, _, exponent = re.sub("[e]", "E", pattern).partition("E")
    power = 0
    if exponent:
        power = value.adjusted() if value else 0
        value = value.scaleb(-power)
    scaled = len(mantissa) - len(mantissa.rstrip(","))
    value = value.scaleb(-3 * scaled)
    whole, _, part = mantissa.rstrip(",").partition(".")
    decimals = len(part)
    least = part.count("0") if part.endswith(("#", "?")) else decimals
    text = f"{value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}"
    before, _, after = text.partition(".")
    while len(after) > least and after.endswith("0"):
        after = after[:-1]
    before = before.lstrip("0").rjust(whole.count("0"), "0")
    if "," in whole:
        before = f"{int(before or 0):,}".rjust(len(before), "0") if before else before
    shown = before + (f".{after}" if after else "")
    if exponent:
        shown += f"E{'-' if power < 0 else '+' if exponent[0] == '+' else ''}{abs(power):0{len(exponent) - 1}d}"
    return shown or "0"


def _fraction(value: Decimal, pattern: re.Match[str]) -> str:
    below = pattern[2]
    exact = Fraction(value)
    if below.isdigit():
        top, bottom = round(exact * int(below)), int(below)
    else:
        top, bottom = exact.limit_denominator(10 ** len(below) - 1).as_integer_ratio()
    sign, top = ("-", -top) if top < 0 else ("", top)
    whole = top // bottom if pattern[1] else 0
    top -= whole * bottom
    if not top:
        return f"{sign}{whole}"
    return f"{sign}{whole} {top}/{bottom}" if whole else f"{sign}{top}/{bottom}"


def _moment(value: datetime.datetime | datetime.date | datetime.time | datetime.timedelta, number_format: str) -> str:
    """A date, a time of day or a span of time."""
    seconds, moment = _split(value)
    tokens = list(_TOKEN.finditer(_sections(number_format)[0]))
    twelve_hours = any(token["clock"] for token in tokens)
    shown = ""
    for place, token in enumerate(tokens):
        if token["date"]:
            shown += _part(token["date"], moment, twelve_hours, _is_minutes(tokens, place))
        elif token["clock"]:
            names = token["clock"].split("/")
            shown += names[moment.hour >= 12]
        elif token["bracket"] is not None:
            shown += _elapsed(token["bracket"], seconds)
        elif token["number"]:
            shown += token["number"]
        else:
            shown += _literal(token)
    return shown


def _split(value: Any) -> tuple[int, datetime.datetime]:
    """Seconds of a span, and the moment whose parts are shown."""
    day = datetime.datetime(1900, 1, 1)
    if isinstance(value, datetime.timedelta):
        return int(value.total_seconds()), day + value
    if isinstance(value, datetime.time):
        return value.hour * 3600 + value.minute * 60 + value.second, datetime.datetime.combine(day, value)
    if isinstance(value, datetime.datetime):
        return int((value - datetime.datetime(1899, 12, 30)).total_seconds()), value
    return 0, datetime.datetime.combine(value, datetime.time())


def _is_minutes(tokens: list[re.Match[str]], place: int) -> bool:
    """Whether an ``m`` stands for minutes: after hours or before seconds."""
    parts = [(token["date"] or token["bracket"] or "").lower()[:1] for token in tokens]
    before = next((part for part in reversed(parts[:place]) if part), "")
    after = next((part for part in parts[place + 1 :] if part), "")
    return before == "h" or after == "s"


def _part(letters: str, moment: datetime.datetime, twelve_hours: bool, minutes: bool) -> str:
    kind, size = letters[0].lower(), len(letters)
    if kind == "y":
        return f"{moment.year:04d}" if size > 2 else f"{moment.year % 100:02d}"
    if kind == "d":
        return (_DAYS[moment.weekday()] if size > 3 else _DAYS[moment.weekday()][:3]) if size > 2 else (
            f"{moment.day:0{size}d}"
        )  # fmt: skip
    if kind == "m" and not minutes:
        name = MONTHS[moment.month - 1].capitalize()
        return {3: name[:3], 5: name[:1]}.get(size, name) if size > 2 else f"{moment.month:0{size}d}"
    if kind == "m":
        return f"{moment.minute:0{min(size, 2)}d}"
    if kind == "h":
        return f"{(moment.hour % 12 or 12) if twelve_hours else moment.hour:0{min(size, 2)}d}"
    name, _, part = letters.partition(".")
    return f"{moment.second:0{min(len(name), 2)}d}" + (f".{moment.microsecond:06d}"[: len(part) + 1] if part else "")


def _elapsed(letters: str, seconds: int) -> str:
    """``[h]``, ``[mm]``, ``[s]``: hours, minutes or seconds in all; other brackets, as of colours, show nothing."""
    units = {"h": 3600, "m": 60, "s": 1}
    if not letters or set(letters.lower()) - {letters[0].lower()} or letters[0].lower() not in units:
        return ""
    return f"{seconds // units[letters[0].lower()]:0{len(letters)}d}"
