"""Limits of the measures of a tree."""

MAX_PROBLEMS = 20
"""Broken rules that are listed: more of them only repeat what is wrong."""
MAX_PAGES_LISTED = 50
"""Pages named by number, so that the report of a long document stays readable."""
LONG_TITLE = 200
"""Characters from which a heading is more likely a paragraph."""
CROWDED_HEADINGS = 5
"""A page may have this many headings however little else is on it."""
CROWDED_SHARE = 0.6
"""Share of a page's text nodes from which its headings are too many."""
FEW_TEXT_NODES = 20
"""Below this many text nodes a share of headings says nothing: covers, forms, letters."""

MIN_TEXT_COVERAGE = 0.5
"""Share of the text that the tree must hold: with less, a reader of the tree alone misses most of the document."""
MIN_PAGE_COVERAGE = 0.5
"""Share of the pages with something on them that must have a node."""
MAX_HEADING_SHARE = 0.7
"""Share of the text nodes that may be headings, in documents of ``FEW_TEXT_NODES`` or more that are no decks."""
MAX_LONG_TITLES = 5
"""Headings longer than ``LONG_TITLE``: of more, body text was taken for titles."""
MAX_CHAIN = 6
"""Headings in a row that each are all that the one above holds: a longer chain is lines of one title taken apart."""
