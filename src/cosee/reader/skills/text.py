"""The functions on texts that the skills use, under one name."""

from __future__ import annotations

import re

from cosee.text.content_words import label_terms, terms, word_set, words
from cosee.text.folding import fold
from cosee.text.numbers import plain_number
from cosee.text.stemming import stem

__all__ = ["fold", "label_terms", "plain_number", "sentences", "stem", "terms", "word_set", "words"]

_SENTENCE_END = re.compile(
    r"(?<=[.!?])[\"”’)\]]*\s+(?=[\"“‘(\[]?[A-Z0-9•\-])|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[•▪●◦·\-–*]|\d{1,2}[.)]|"
    r"\([a-z0-9]\))\s)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nos|Fig|Figs|Eq|Sec|Inc|Ltd|Co|Corp|vs|etc|al|e\.g|i\.e|approx|U\.S|Jr|Sr|"
    r"Jan|Feb|Mar|"
    r"Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)|\b[A-Z])\.$"
)


def sentences(text: str) -> list[str]:
    """Sentences and bullet items in order, line breaks inside them made spaces."""
    pieces: list[str] = []
    for piece in _SENTENCE_END.split(text):
        piece = " ".join((piece or "").split())
        if not piece:
            continue
        if pieces and _ABBREVIATION.search(pieces[-1]):
            pieces[-1] = f"{pieces[-1]} {piece}"
        else:
            pieces.append(piece)
    return pieces
