"""English words that say little."""

from __future__ import annotations

# General knowledge: articles, prepositions, conjunctions, pronouns, determiners, auxiliaries, question words and
# adverbs of degree of English.
_STOP_WORDS = (
    "a an the of in on at to for from by with as and or but not no nor so than then that this these those it its is "
    "are was were be been being am do does did done have has had having will would can could should shall might must "
    "what which who whom whose when where why how many much there here into onto over under about between among "
    "during per if any all each other such only too very i you he she we they me him her them my your his "
    "our their according"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""English words that say nothing about where an answer is; a query drops them unless nothing else is left."""
# General knowledge: more adverbs, prepositions, conjunctions and pronouns of English.
_MORE_FUNCTION_WORDS = (
    "above after also based before both following itself just more most same some through up upon us while"
)
# General knowledge: verbs of asking, telling and showing, and words for a document and its parts.
_ASKING_WORDS = (
    "answer document format give given include included list mention mentioned number page pages paper please provide "
    "report section show shown slide slides tell total use using write"
)
LITTLE_WORDS = STOP_WORDS | frozenset((*_MORE_FUNCTION_WORDS.split(), *_ASKING_WORDS.split()))
"""With the words that say little about what is asked; ``total`` and ``number`` stand almost everywhere in tables."""
