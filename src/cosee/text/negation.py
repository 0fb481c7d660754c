"""Words that deny what follows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from cosee.text.folding import fold
from cosee.text.thresholds import NEGATED_WORDS

# General knowledge: the negations of English, German, French and Spanish.
NEGATIONS = frozenset(("no", "not", "never", "none", "neither", "nor", "without", "cannot", "n't", "nicht", "kein",
                       "keine", "ohne", "nie", "pas", "sans", "jamais"))  # fmt: skip
# General knowledge: words of English, German, French and Spanish that forbid what they are said of.
_FORBIDDING = frozenset(("prohibited", "forbidden", "banned", "verboten", "untersagt", "interdit", "prohibido"))
_TOKEN = re.compile(r"[^\W_]+|[.,;:!?()]")


def denials(text: str) -> Iterator[tuple[str, str]]:
    """Each negation with the few words behind it, up to a punctuation mark; a word that forbids with those before it.

    ``not only`` and ``No. 5`` deny nothing.
    """
    spoken = _TOKEN.findall(re.sub(r"n't\b", " not", fold(text)))
    for at, word in enumerate(spoken):
        behind = list(takewhile(lambda each: each.isalnum(), spoken[at + 1 : at + 1 + NEGATED_WORDS]))
        if word in NEGATIONS and behind and behind[0] != "only" and not behind[0].isdigit():
            yield word, " ".join(behind)
        elif word in _FORBIDDING and not NEGATIONS & set(spoken[max(0, at - NEGATED_WORDS) : at]):
            yield word, " ".join(spoken[max(0, at - NEGATED_WORDS) : at])
