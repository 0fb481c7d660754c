"""Limits of what is read off a text: characters, letters, words and shares."""

CLEANED_TEXTS, CLEANED_LENGTH = 4096, 200
"""Texts whose cleaned form is kept, and their characters at most: words and lines of a document come again."""
LANGUAGE_CHARACTERS = 40_000
"""Of a document that tell its language; more take time and change nothing."""
LANGUAGE_CHARACTERS_OF_A_TEXT = 2_000
"""Of each of its texts, so that one long one does not decide."""
LEAST_LANGUAGE_LETTERS = 20
"""With fewer letters no language is named: a few words are shared by many."""
LEAST_KANA = 0.05
"""Share of kana among the letters of Japanese, which is written in Chinese characters for the rest."""
LEAST_SCRIPT = 0.3
"""Share of the letters that a script has in a document of its language; names and formulas have less."""
LEAST_COMMON_WORDS = 3
"""Of a language, that a document in it has at least."""
LEAST_COMMON_SHARE = 0.05
"""Of all words that are the most frequent ones of a language; another language shares a few of them."""

LEAST_LIKENESS_OF_NAMES = 0.6
"""From 0 to 1 (equal): a name that is less like what was typed is not suggested for it."""
LEAST_LIKENESS_OF_MISSPELLINGS = 0.8
"""From 0 to 1 (equal): a stem that is less like another is a word of its own, no misspelling of it."""
LEAST_MISSPELT_LETTERS = 5
"""Shorter words are like too many others to be taken for a misspelling."""
MOST_MISSPELT_DIFFERENCE = 2
"""Letters by which a misspelling is longer or shorter; more are another word."""
LEAST_RECOGNISED_LETTERS = 5
"""Of a word in which recognition may have one letter wrong; a shorter one becomes another word by that."""
MOST_LOST_WORDS = 0.2
"""Share of a quote's words that recognition may have lost."""

LONGEST_RANGE = 20
"""Numbers that a range names (``Figures 2 to 5``, ``pages 3-7``); a longer one is no list of things to look at."""
NEGATED_WORDS = 3
"""Words behind a negation that it is taken to deny."""
LONGEST_PHRASE = 10
"""Words of a span that can stand for itself; a longer one is a sentence."""
MOST_PHRASE_STARTS = 24
"""Places of a text at which phrases may begin, so that a long text has a bounded number of spans."""
MOST_PARTS_OF_A_NAME = 5
"""Parts of a compound that is indexed as a whole too (``PX-104/B``); one of more is a path or a list."""
LONGEST_SENTENCE_WORD = 40
"""Characters before a full stop that are searched for the word in front of it, which may be an abbreviation."""

EARLIEST_YEAR, LATEST_YEAR = 1700, 2100
"""A number of four digits between them reads like a calendar year."""
LONGEST_UNIT = 3
"""Characters beside the number of a cell: a unit; with more it is a text that holds a number."""
LONGEST_UNIT_OF_ONE = 8
"""The same where the cell holds a single number."""
LARGEST_WHOLE_NUMBER = 1e15
"""Larger floats are not whole to the last digit, and are not written as whole numbers."""

CAPITALS_READ = 200
"""Characters of a text that tell whether it is set in capitals."""
LEAST_CAPITALS = 3
"""Of a text in capitals; fewer are an abbreviation."""
MOST_SMALL_LETTERS = 0.05
"""For each capital of a text in capitals: units and a word or two stay small."""
