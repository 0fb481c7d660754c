"""Limits of the decision agent's tools: how much one call finds, reads and writes."""

SEARCH_RESULTS = 5
"""Pages that one text search gives."""
VISUAL_RESULTS = 3
"""Pages that one visual search gives."""
MAX_PAGES_SKIPPED = 100
"""Results that a text search may pass over."""
MAX_PAGES_INTERPRETED = 2
"""Pages that one call looks at: each is a call of the model with a picture."""
INTERPRETATION_REPLY_TOKENS = 400
"""Longest reply about a page or a part of it."""
MAX_INTERPRETATION_LINE = 300
"""Characters of the interpretations in the line that the next decision is told."""
MAX_NODES_OPENED = 60
"""Nodes that opening a section reads; the rest is only counted."""
MAX_NODES_LISTED = 300
"""Figures, tables, sections or equations that are listed."""
MAX_LISTED_CHARACTERS = 160
"""Characters of a figure's own text in a list."""
MAX_FIGURES_NAMED = 12
"""Figures of a page that an error names."""

ANSWER_CONTEXT_TOKENS = 8_000
"""Evidence that the answer is read from."""
ANSWER_REPLY_TOKENS = 512
"""Longest reply with the answer: quotes, an explanation of one or two sentences, the answer."""
MAX_PICTURES = 3
"""Pages whose pictures go beside their text, for a model that sees."""
MAX_SHORTENINGS = 5
"""Times that an answer is shortened again; rules that undo each other must come to an end."""

SUMMARIZE_ABOVE_TOKENS = 50_000
"""Size of the environment from which it is summarised by itself."""
SUMMARY_TOKENS = 5_000
"""Size of the summary that stands for it."""
MAX_SUMMARIZED_TOKENS = 100_000
"""Evidence that one summary reads at most; a model's context may set less."""
SUMMARY_REPLY_TOKENS = 2_048
"""Longest reply with a summary's points."""
POINT_MARKUP_CHARACTERS = 80
"""Characters of the marks around a point of a summary, about, and the least that is kept of an object."""
