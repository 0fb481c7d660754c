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
