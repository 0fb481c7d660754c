"""From what a method says to the short answer that is scored: rules on text, the same for every method."""

from __future__ import annotations

import re
import unicodedata

from cosee.agents.thresholds import MAX_ITEM_WORDS, MAX_JOINED_WORDS, MAX_PREDICATE_WORDS, MAX_SUBJECT_CHARACTERS
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.question.form import answer_form
from cosee.text.number_words import UP_TO_TWENTY
from cosee.text.stop_words import STOP_WORDS

_ABSTAINS = re.compile(
    r"^(?:the answer is |answer: )?(?:"
    + "|".join(
        (
            r"not answerable",
            r"unanswerable",
            r"n/?a$",
            r"unknown$",
            r"not (?:available|mentioned|specified|provided|stated|given|found|applicable|enough|sufficient)\b",
            r"insufficient (?:information|evidence|context)",
            r"no (?:information|evidence|mention|answer)\b",
            r"i (?:do not|don't|cannot|can't) (?:know|answer|determine|find)",
            r"(?:it |this |the question |the answer |that )?(?:cannot|can't|can not|could not) be "
            r"(?:answered|determined|found|inferred)",
            r"(?:the )?(?:document|page|text|context|evidence|report|passage)s?(?: provided| given| shown)? "
            r"(?:do|does|did) not (?:mention|contain|provide|specify|state|include|say|give|hold|show)",
        )
    )
    + ")"
)
_LEAD_IN = re.compile(r"^(?:(?:the |final |short )*answer(?: to the question)?(?: is|:)|answer:)\s*", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])([-+]?\d+(?:,\d{3})*(?:\.\d+)?)(?!\w)")
_AMOUNT = re.compile(_NUMBER.pattern + r"(?:\s*%|\s+(?:hundred|thousand|million|billion|trillion)\b)?", re.IGNORECASE)
_REPEATED_SUBJECT = re.compile(
    rf"^((?:the|this|its?|their)\b.{{0,{MAX_SUBJECT_CHARACTERS}}}?)\s(?:is|are|was|were)\s(.+)$", re.IGNORECASE
)
_ITEM = re.compile(r"\s*(?:'((?:[^'\\]|\\.)*)'(?=\s*(?:,|$))|\"((?:[^\"\\]|\\.)*)\"(?=\s*(?:,|$))|([^,]+))")


def is_abstention(text: str) -> bool:
    """Whether the text says first of all that there is no answer."""
    plain = " ".join(text.lower().replace("’", "'").split()).strip(" .'\"*")
    return not plain or bool(_ABSTAINS.match(plain))


def short_answer(question: str, text: str) -> str:
    """The short typed answer in ``text``; an abstention becomes the one spelling, a list ``['a', 'b']``."""
    plain = _LEAD_IN.sub("", text.strip().strip("*").strip()).strip()
    plain = _unquote(plain)
    if is_abstention(plain):
        return NOT_ANSWERABLE
    form = answer_form(question)
    items = list_items(plain, prose=form == "list")
    if items and all(map(is_abstention, items)):
        return NOT_ANSWERABLE
    if form == "count" and (number := _joined_count(question, items)):
        return _count(question, number)
    if len(items) > 1 or (items and form == "list"):
        return str(items)
    plain = items[0] if items else plain
    if form == "yes_no" and (verdict := re.match(r"(yes|no)\b", plain, re.IGNORECASE)):
        return verdict.group(1).capitalize()
    if form == "count":
        return _count(question, plain)
    return _unquote(_without_echo(question, _without_stop(plain)))


def list_items(text: str, *, prose: bool) -> list[str]:
    """Items of a bracketed list; with ``prose`` also of bullets, lines and ``a, b and c``. Nothing is evaluated."""
    stripped = text.strip()
    if stripped.startswith("[") and stripped.endswith("]"):
        found = (
            next((part for part in match.groups() if part is not None), "") for match in _ITEM.finditer(stripped[1:-1])
        )
        # General knowledge: a backslash before a character escapes it.
        return [item for item in (re.sub(r"\\(.)", r"\1", part).strip() for part in found) if item]
    if not prose:
        return []
    lines = [
        re.sub(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+", "", line).strip() for line in stripped.splitlines() if line.strip()
    ]
    if len(lines) > 1:
        return [line.rstrip(".;,") for line in lines]
    parts = re.split(r";\s+" if ";" in stripped else r",\s+(?:and\s+)?|\s+and\s+", stripped.rstrip("."))
    parts = [part.strip() for part in parts if part.strip()]
    longest = MAX_ITEM_WORDS if "," in stripped or ";" in stripped else MAX_JOINED_WORDS
    return parts if len(parts) > 1 and all(len(part.split()) <= longest for part in parts) else []


def answer_key(text: str) -> str:
    """What two answers must share to count as the same: case, punctuation, articles and spacing do not matter."""
    plain = unicodedata.normalize("NFKC", text).lower()
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", plain)
    plain = re.sub(r"[^\w.%\-+]|(?<!\d)\.|\.(?!\d)", " ", plain)
    return " ".join(word for word in plain.split() if word not in ("a", "an", "the"))


def _joined_count(question: str, items: list[str]) -> str:
    """The answer to a count that was cut up into a list (a number, what was counted, when): from the only item with a
    number that the question does not contain; empty for several counts or none."""
    asked = set(_NUMBER.findall(question))
    fresh = [at for at, item in enumerate(items) if set(_NUMBER.findall(item)) - asked]
    return " ".join(items[fresh[0] :]) if len(fresh) == 1 else ""


def _count(question: str, text: str) -> str:
    """The number of a count with its magnitude: the first of the text that the question does not itself contain.

    A range, and the answer to a question that asks for more than the count, stay as they are; of a calculation what it
    comes to.
    """
    _, equals, result = _without_stop(text).rpartition("=")
    text = result.strip() if equals and _NUMBER.search(result) else _without_stop(text)
    # General knowledge: the question words of English.
    if re.search(r"\d\s*[-–]\s*\d", text) or re.search(r",? and (?:what|which|who|how|where|when)\b", question.lower()):
        return text
    if text.lower() in UP_TO_TWENTY:
        return str(UP_TO_TWENTY[text.lower()])
    asked = set(_NUMBER.findall(question))
    found = list(_AMOUNT.finditer(text))
    fresh = [match for match in found if match.group(1) not in asked] or found
    if fresh:
        return fresh[0].group().strip()
    words = [word for word in re.findall(r"[a-z]+", text.lower()) if word in UP_TO_TWENTY]
    return str(UP_TO_TWENTY[words[0]]) if words else text


def _without_echo(question: str, text: str) -> str:
    """``text`` without a subject that only repeats the question (``The par value is $0.01`` -> ``$0.01``)."""
    match = _REPEATED_SUBJECT.match(text)
    if not match or len(match.group(2).split()) > MAX_PREDICATE_WORDS:
        return text
    subject = [word for word in re.findall(r"\w+", match.group(1).lower()) if word not in STOP_WORDS]
    asked = set(re.findall(r"\w+", question.lower()))
    return match.group(2) if subject and all(word in asked for word in subject) else text


def _without_stop(text: str) -> str:
    """``text`` without the full stop of a sentence; that of an abbreviation stays."""
    text = text.strip()
    last = text.rsplit(None, 1)[-1] if text else ""
    return text[:-1].rstrip() if re.fullmatch(r"[^.]{3,}\.|\W?\d[\d.,]*\.", last) else text


def _unquote(text: str) -> str:
    """``text`` without one pair of quotation marks around all of it."""
    if len(text) > 1 and (text[0], text[-1]) in {('"', '"'), ("'", "'"), ("“", "”"), ("`", "`")}:
        inner = text[1:-1]
        return inner if text[0] not in inner and text[-1] not in inner else text
    return text
