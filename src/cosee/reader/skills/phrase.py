"""The words in a sentence that answer: what follows the verb, the phrase at the asked noun, a purpose, an advice."""

from __future__ import annotations

import re

from cosee.reader.skills.question import Asked
from cosee.reader.skills.span import Span
from cosee.text.content_words import terms, words
from cosee.text.folding import fold
from cosee.text.months import SHORT_MONTHS
from cosee.text.numbers import numbers, plain_number
from cosee.text.sentences import split_sentences
from cosee.text.stemming import stem

_COPULA = re.compile(
    r"\b(?:(?:is|are|was|were) (?:called|named|located (?:in|at)|based (?:in|on)|recorded (?:at|as)|defined as|"
    r"known as)|"
    r"is|are|was|were|means|refers to|represents?|equals?|consists? of|includes?|comprises?)\b"
)
_FREE_WORDS = """
    a an the and or of in on at to for from by with without as that which is are was were be been it its this
    these those we our they their not into than if when while using used use uses
"""
_FREE = frozenset(_FREE_WORDS.split())
_MARK = re.compile(
    r"^\s*(?:(?:[•▪●◦·–*✓➢■□-]|\(?\d{1,2}[.)]?|[a-z]\))\s+(?=[A-Z]))?"
    r"(?:(?:Method|Step|Option|Note|Tip|Case|Caution|Warning)(?: \d+)?[:.]\s+)?"
)
"""A list's mark and label at the start of a sentence: no part of what it says."""
_PURPOSE = re.compile(r"\b(?:in order to|to) [a-z]+ [^.;]{5,}")
_NOUN = re.compile(
    r"\b(?:what|which)\s+(?:(?:type|kind)s? of )?((?:[a-z-]+\s+){0,2}?[a-z-]+)\s+"
    r"(?:is|are|was|were|does|do|did|has|have|can|should|that|will|used|must|in|for|of|to)\b"
)


def phrase(asked: Asked, sentence: str) -> str | None:
    """The answering words of a sentence, or None where it only mentions the subject."""
    text, sentence = fold(asked.core), _MARK.sub("", sentence)
    if re.search(r"\bpurpose of\b|\bwhat (?:is|are) .* (?:used )?for\b|\bwhy\b", text) and (
        purpose := _PURPOSE.search(sentence)
    ):
        return purpose.group().rstrip(" .")
    if re.search(r"\bshould\b|\bif\b|\bwhen\b", text) and (advice := _without_condition(asked, sentence)):
        return advice
    if asked.kind in ("phrase", "person", "place", "number"):
        named = _subject(asked, sentence) or _around_noun(asked, sentence)
        return named or _defined(asked, sentence) or _predicate(asked, sentence)
    return _defined(asked, sentence) if asked.kind == "compare" else None


def _without_condition(asked: Asked, sentence: str) -> str | None:
    """``If it overheats, unplug it.`` -> ``unplug it``, where the condition is what the question asks about."""
    match = re.match(
        r"(?:if|when|after|before|in case|for|to)\b([^,]{5,160}),\s*(?:then\s+)?(.{6,})$", sentence, re.IGNORECASE
    )
    if not match or len(set(terms(match[1])) & set(asked.terms)) < 2:
        return None
    return match[2].rstrip(" .") if set(terms(match[2])) - set(asked.terms) else None


def _predicate(asked: Asked, sentence: str) -> str | None:
    """What a sentence says of what is asked: the words after the verb, where the subject stands in the question."""
    wanted = set(asked.terms)
    for match in _COPULA.finditer(sentence):
        stems, rest = set(terms(sentence[: match.start()])), sentence[match.end() :].strip(" :,")
        if stems and len(stems & wanted) / len(stems) >= 0.6 and len(rest) > 2 and set(terms(rest)) - wanted:
            return re.sub(r"^(?:that|the fact that)\s+", "", rest).rstrip(" .")
    return None


def _defined(asked: Asked, sentence: str) -> str | None:
    """``What is the longest river of Asia?``: the subject of ``The Yangtze is the longest river of Asia``."""
    match = re.match(r"((?:[\w'’&-]+ ){1,8}?)(?:is|are|was|were) ((?:the|an?) [^.;]+)", sentence)
    if not match or not re.match(r"(?:what|which|who)\b", fold(asked.core)):
        return None
    wanted, subject, told = set(asked.terms), set(terms(match[1])), set(terms(match[2]))
    held = len(wanted & told) / len(wanted) if wanted else 0.0
    return match[1].strip() if held >= 0.75 and subject - wanted else None


def _subject(asked: Asked, sentence: str) -> str | None:
    """``Which feature lets you scan?``: what stands before the question's verb in ``AI Lens lets you scan ...``."""
    match = re.match(
        r"(?:what|which|who)(?: [\w-]+){0,3}? ((?!is\b|are\b|was\b|were\b|does\b|do\b|did\b)\w+s|\w+ed|can|will)\b",
        fold(asked.core),
    )
    if not match:
        return None
    tokens = sentence.split()
    for at, token in enumerate(tokens[:9]):
        if at and fold(token) == match[1]:
            held = " ".join(tokens[:at])
            return held.strip(" ,") if set(terms(held)) - set(asked.terms) else None
    return None


def _around_noun(asked: Asked, sentence: str) -> str | None:
    """For ``what method ...``: the words before ``method`` in the sentence that the question does not hold."""
    match = _NOUN.search(fold(asked.core))
    noun = match[1].split()[-1] if match else ""
    if noun in _FREE or len(noun) < 4:
        return None
    asked_stems = {stem(word) for word in words(asked.core)}
    tokens = list(re.finditer(r"[\w'’.-]+(?:,(?=\s))?", sentence))
    for at, token in enumerate(tokens):
        if _stem(token.group()) != stem(noun):
            continue
        start = at
        while start > 0 and at - start < 6 and not _stops(tokens[start - 1].group()):
            start -= 1
        chosen = tokens[start:at]
        if any(_stem(word.group()) not in asked_stems for word in chosen):
            return sentence[chosen[0].start() : token.end()].strip(" ,.")
    return None


def _stem(token: str) -> str:
    return stem(fold(token).strip(".,"))


def _stops(word: str) -> bool:
    """Whether a phrase does not reach over this word: a small word, an adverb, a verb form, a sentence's end."""
    plain = fold(word).strip(".,")
    verbal = plain.endswith(("ed", "es", "ing")) and len(plain) > 5
    return plain in _FREE or plain.endswith("ly") or word.endswith(".") or verbal


def continued(found: Span, limit: int = 420) -> str:
    """A sentence with what follows it in its passage, whole sentences up to ``limit`` characters."""
    pieces = split_sentences(found.passage.content)
    if found.sentence not in pieces:
        return found.sentence
    text = found.sentence
    for piece in pieces[pieces.index(found.sentence) + 1 :]:
        if len(text) + len(piece) > limit:
            break
        text = f"{text} {piece}"
    return text


def in_wanted_scale(asked: Asked, text: str) -> str:
    """``$3.0 billion`` as ``3`` where the question says ``in billions`` (converted where scales differ)."""
    found = numbers(text)
    if not asked.scale_wanted or not found:
        return text
    number = found[0]
    if number.scale == 1.0:
        return re.sub(r"^[$€£¥]\s*", "", text)
    return plain_number(number.value * number.scale / asked.scale_wanted, asked.digits)


def alternatives(question: str) -> tuple[str, str] | None:
    """The two words on both sides of ``or`` in a question, or None."""
    match = re.search(r"\b([\w'’-]+)\s+or\s+(?:a |an |the )?([\w'’-]+)\b", question)
    plain = {"not", "no", "more", "less", "equal", "fewer", "any"}
    if not match or {match[1].lower(), match[2].lower()} & plain:
        return None
    return match[1], match[2]


def in_asked_form(asked: Asked, text: str) -> str:
    """A date as ``2021-02-08`` where the question wants ``YYYY-MM-DD`` (``01/05/2022`` is month, day, year)."""
    if "yyyy-mm" not in asked.text.lower():
        return text
    if "yyyy-mm-dd" not in asked.text.lower():
        dated = re.search(rf"\b({'|'.join(SHORT_MONTHS)})[a-z]*\.?,?\s+(?:\d{{1,2}},?\s+)?(\d{{4}})\b", text.lower())
        return f"{dated[2]}-{SHORT_MONTHS.index(dated[1]) + 1:02d}" if dated else text
    if slashed := re.search(r"\b(\d{1,2})[/.](\d{1,2})[/.](\d{4})\b", text):
        first, second, year = (int(part) for part in slashed.groups())
        month, day = (second, first) if first > 12 else (first, second)
        return f"{year:04d}-{month:02d}-{day:02d}"
    name = re.search(rf"\b({'|'.join(SHORT_MONTHS)})[a-z]*", text.lower())
    day_found = re.search(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?(?!\d)", text)
    year_found = re.search(r"\b\d{4}\b", text)
    if name and day_found and year_found:
        return f"{year_found.group()}-{SHORT_MONTHS.index(name[1]) + 1:02d}-{int(day_found[1]):02d}"
    return text
