"""Limits of the navigator: how much of a document its roles are shown, how long they reply, what a trace keeps."""

PLAN_REPLY_TOKENS = 400
"""Longest reply of the planner: a sentence, and ids of a few places."""
OBSERVER_REPLY_TOKENS = 300
"""Longest reply about one figure: a few sentences, and the part to be shown larger."""
REASONER_REPLY_TOKENS = 512
"""Longest reply of the reasoner: ids, quotes, an explanation of one or two sentences, the answer."""
ROUTER_REPLY_TOKENS = 300
"""Longest reply that splits a question or puts the answers to its parts together."""

MAX_PLAN_CHARACTERS = 9_000
"""Characters of all windows of one plan, whatever the document: a planner sees summaries, never the text."""
MAX_SUMMARY_CHARACTERS = 320
"""Characters of a summary in a window of the plan, of a section's gist, and of a table's columns: about 80 tokens."""
MAX_TITLE_CHARACTERS = 100
"""Characters of a title or label in a window."""
MAX_NEIGHBOUR_CHARACTERS = 60
"""Characters of what stands beside a node, and of the headings of a page."""
MAX_PAGES_SHOWN = 8
"""Pages that a plan has windows of."""
MAX_HITS_SHOWN = 10
"""Nodes that the search found and a plan has windows of."""
MAX_HEADINGS_SHOWN = 6
"""Sections that a plan has windows of."""
MAX_HITS_OF_A_PAGE = 4
"""Nodes that a page's window names."""
MAX_HEADINGS_OF_A_PAGE = 4
"""Headings that a page's window names."""
MAX_SECTIONS_ABOVE_A_HIT = 2
"""Sections over a hit, the nearest first, that a plan may show."""
MAX_TITLES_ABOVE = 4
"""Titles over a node, the nearest, that its window names."""
MAX_FEEDBACK_CHARACTERS = 300
"""Characters of a reason to look elsewhere, and of the words to look for, as the planner is told them."""
MAX_PLACES_NAMED = 40
"""Places that a prompt or a trace lists of those that were visited, planned or known."""

MAX_READING_CHARACTERS = 1_500
"""Characters kept of what a model saw in a figure."""
MAX_CELL_ROWS = 200
"""Rows of a table that an observation's payload holds; the evidence has all of them."""
MAX_TRACED_CHARACTERS = 160
"""Characters of an observed text in the trace; the tree has the rest."""
MAX_TRACED_QUOTES = 5
"""Quotes of an answer in the trace; the prediction has all of them."""
MAX_DROPPED_CHARACTERS = 60
"""Characters kept of an id that no observed node has."""

MAX_NAMED_PLACES = 12
"""Places that a question may name and be read there at once; one that names more is planned for."""
FIRST_PAGES = 2
"""Pages from the start on that are read for a question about the document as a whole: its title, its abstract."""
MIN_WORDS_OF_ITS_OWN = 2
"""Telling words, beside those of the asking itself, with which a part of a question is understood without the rest."""
MAX_PART_CHARACTERS = 500
"""Characters kept of a part of a question that a model wrote."""
RANK_OFFSET = 3
"""Added to the ranks of two rankings that are taken together: the smaller, the more the first ranks weigh."""
