"""Limits of the reader without a model. Its weights were fitted with them: after a change ``benchmarks.fit_reader``."""

MAX_PLACES_RANKED = 80
"""Places that are looked at closely, those with most of the question's words: features of all would be slow."""
MAX_QUOTE_CHARACTERS = 600
"""Characters of a place that is quoted."""
QUOTES_SHOWN = 6
"""Places that stand behind an answer or an abstention."""
TITLES_ABOVE = 3
"""Titles over a place, the nearest, that count as said around it."""
RARE_IN_TEXTS = 3
"""Texts of the document up to which a word that stands in them is rare, and tells where to look."""
RARE_SHARE = 0.02
"""The same as a share of the texts, for long documents."""
NAMES_WITHOUT_ANY = 0.5
"""Feature of a place where the question has no rare name: between holding none of them and all."""
RANK_OF_OTHER_PAGES = 12
"""Rank of pages that no search found: below those that a search gives."""
MAX_SHORT_WORDS = 3
"""Telling words up to which a place is short: a label, rather than a statement."""

PLACES_READ = 5
"""Best places that spans and lists are read from; options and boxes from twice as many, sentences from one fewer."""
PLACES_READ_FOR_VERDICT = 3
"""Best places that yes or no is read from."""
MAX_ROWS_READ = 14
"""Best rows of tables that cells are read from."""
MAX_CELLS_OF_A_ROW = 4
"""Cells of a row that are candidates, those whose columns fit best."""
MAX_CELLS_PAIRED = 8
"""Named cells that are taken two by two, for differences, ratios and growth."""
MAX_SENTENCES = 3
"""Sentences of a candidate: an answer that needs more is no short one."""
MIN_PROBABILITY = 0.003
"""The smallest probability that is told apart from none, which has no logarithm."""
MIN_SHAPE_PROBABILITY = 0.05
"""Probability of an answer's shape below which it is not given: no words to "how many", however well they fit."""
MIN_VERDICT_PROBABILITY = 0.5
"""Probability from which a question that does not begin like one of yes or no is read as one all the same."""
MIN_LABEL_SHARE = 0.5
"""Share of the question's words from which the label beside a box of a form is what it asks about."""
WORDS_BESIDE = 6
"""Words before and after a span that are held against the question."""
WORDS_CLOSE = 3
"""The same, close to it on both sides."""
HEAD_WORDS_SCALE = 4
"""Words of a head that the question has count as a share of so many."""
TEXTS_AROUND_WITH_SCALE = 6
"""Texts around a table, its titles first, in which "in millions" is looked for."""
