"""The functions on texts that the skills use, under one name."""

from __future__ import annotations

from cosee.text.content_words import label_terms, terms, word_set, words
from cosee.text.folding import fold
from cosee.text.numbers import plain_number
from cosee.text.sentences import split_sentences as sentences
from cosee.text.stemming import stem

__all__ = ["fold", "label_terms", "plain_number", "sentences", "stem", "terms", "word_set", "words"]
