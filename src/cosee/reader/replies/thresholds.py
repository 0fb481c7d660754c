"""Limits of what the reader without a model replies in the place of each agent's model."""

MAX_SOLO_CONFIDENCE = 0.75
"""Confidence that one reading can reach on the board: below the usual one that ends the rounds."""
AGREEMENT_BONUS = 0.1
"""What a second reading that agrees adds to it."""
MIN_DETAIL_PAGES = 2
"""Pages that the detail reader reads at least: those noted on the board, then the best ones."""
MAX_CITED_CHARACTERS = 160
"""Characters of a quote in the words of an action."""
MAX_SUPPORTING_CELLS = 2
"""Cells that carry a proposal because they are on its page, where none names its node."""
MAX_PAGES_NAMED = 2
"""Pages that the scanner of a conversation names in a turn."""

SEARCH_RESULTS = 5
"""Pages that one text search of the decision agent gives; this reader reads twice as many, as with other methods."""
MAX_SUMMARY_POINTS = 24
"""Passages that a summary keeps."""
MAX_POINT_CHARACTERS = 400
"""Characters kept of a passage in a summary."""
MAX_INTERPRETATION_CHARACTERS = 1_200
"""Characters of what is told of a page's look."""
INTERPRETED_PLACES = 3
"""Best places that are told of a page's look, beside its captions."""

WORDS_WEIGHT = 0.3
"""What all words of the question in a page's window weigh against the first rank of the search."""
RANK_OFFSET = 3
"""Added to ranks: the larger, the less a first rank weighs against the next ones."""
MAX_MISSING_WORDS = 8
"""Words that a replan asks to look for."""
