"""Sizes that tell the shape of an answer, and what is left of a question."""

LEAST_TELLING_WORDS = 2
"""Of a question without its instructions: with fewer, what was taken out was the question itself."""
NUMBER_ANSWER_WORDS = 4
"""Words of an answer that is a number with its unit; a longer one says something with a number in it."""
NAME_ANSWER_WORDS = 5
"""Words of an answer that is a name or a date."""
PHRASE_ANSWER_WORDS = 9
"""Words of an answer that is no sentence."""
LARGEST_COUNT = 100
"""Whole numbers below it count things; larger ones are amounts."""
SMALL_WORD_LETTERS = 3
"""Letters of a word that may be written small within a name (``of the``, ``de la``)."""
