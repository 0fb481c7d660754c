"""Limits and weights by which headings, their levels, printed contents and slides are told from text.

Type sizes are in points or by the body size; gaps, edges and heights are shares of the page, 0..1.
"""

MAX_HEADING_LEVEL = 6
"""Deepest level of a heading, as in HTML: what is numbered more deeply counts as this."""
MAX_HEADING_CHARACTERS = 200
"""A longer text is a paragraph, whatever its look."""
SAME_SIZE = 0.25
"""Points within which two sizes are one: sizes are rounded to half points."""
SAME_SIZE_OF_LINES = 0.6
"""Points by which the lines of one title may differ, since capitals and digits move the median size of a line."""
LARGER_THAN_BODY = 1.08
"""By the body size: from here on size alone says heading."""
BODY_SIZE_TOLERANCE = 0.1
"""Share of the body size within which text is taken for the body, whose look is then measured."""
MIN_LOOK_CAPITALS = 5
"""Letters from which capitals are a look: a lone ``FAQ`` has no other."""
MIN_SENTENCE_CAPITALS = 60
"""Characters from which a sentence in capitals is a warning: running text."""

WEIGHT_OF_ALIKE = 0.7
"""Share of a candidate's log odds that is the mean of all that look and count like it, so that equal things get equal
roles over the document."""
CANDIDATES_AT_ONCE = 2048
"""Candidates that are scored together; more would only take memory."""
MIN_LISTED_FOUND, MIN_SHARE_LISTED_FOUND = 4, 0.6
"""Bookmarks and printed contents are sound when so many of them, and such a share, are printed where they point."""
DENSE_BOOKMARKS = 0.5
"""Found bookmarks a page from which they are the whole tree of headings, not only its upper part."""
MIN_SHARE_IN_CONTENTS = 0.15
"""Share of the likely headings that the printed contents must name before their silence speaks: seven chapters of a
report say nothing of its sections."""
MIN_SHARE_OUTRANKED = 0.1
"""Share of the found contents that a look must outrank before their silence speaks against it."""
LOG_ODDS_LISTED = 9.0
"""What a bookmark, or the mark of a source which knows no sizes, adds to what it names."""
LOG_ODDS_NOT_LISTED = 6.0
"""What the silence of dense bookmarks, or of contents that name what is less prominent, takes."""
RUNNING_TITLE_TOP = 0.16
"""A heading above this height that names an open section is its running title."""
MAX_GAP_RUN_ON = 0.015
"""White space below bold words up to which a sentence goes on from them: they open a paragraph."""

# The heading model is fitted on evidence cut by these: who changes one has to fit it anew.
FAR = 20.0
"""Distances in body sizes and ratios are cut here: beyond it a difference says nothing more."""
MAX_LINE_CHARACTERS = 100
"""Characters up to which a text may be a line."""
MAX_NEIGHBOUR_CHARACTERS = 500
"""Lengths of the texts before and behind are cut here."""
ITEMS_AHEAD = 12
"""Items looked through for the next text of the same look."""
CHARACTERS_WITH_NUMBER = 200
"""Opening characters of a text that are looked through for a number: paragraphs may be megabytes long."""
CHARACTERS_WITH_COUNTER, CHARACTERS_WITH_BULLET = 60, 9
"""The same for the counter and the bullet of a list's item."""
USUAL_PAGE_HEIGHT, USUAL_PAGE_WIDTH = 800.0, 600.0
"""Points of a page whose size is not known."""

DEEPEST_LEVEL = 9
"""Levels are cut here before the gaps between them are closed."""
MIN_CONTENTS = 4
"""Headings found in the printed contents from which its depths are levels."""
MIN_SHARE_KNOWN = 0.2
"""Share of a style's headings whose level is known, from which the others get it."""
MIN_SHARE_INSIDE = 0.6
"""Share of a style's headings that stand inside the items of a filing, from which all of them do."""
DEEPEST_INSIDE = 3
"""Levels below the items of a filing: rarer looks further down are one level."""
MIN_FILING_ITEMS = 3
"""Headings such as "Item 2" from which a document is a filing, in which a plain "1." stands below them."""

TITLE_LINES_AHEAD = 6
"""Items looked through for the rest of a listed title."""
MIN_LINE_HEIGHT = 0.005
"""Taken for the height of a line whose box has none."""
LINE_OVERLAP = 0.2
"""By the height of a line: how far the boxes of two lines may reach into each other."""
MAX_LINE_GAP = 0.6
"""By the height of a line: white space between the lines of one title."""
DISPLAY_TYPE = 1.25
"""By the body size: from here on two lines of one look are one title whatever their words say."""
MAX_GAP_BESIDE_NUMBER = 0.08
"""White space between a number and its title on the same line."""
MAX_GAP_BELOW_NUMBER = 0.05
"""White space between a number and its title below it."""
LARGER_THAN_NUMBER = 0.5
"""Points from which a title is set larger than its number, so that capitals need not agree."""
MIN_HANGING_INDENT = 0.015
"""By which the second line of a numbered title is indented where it hangs below the title."""
MAX_NUMBER_CHARACTERS = 14
"""Longest line that is only a heading's number: ``Appendix A``."""
MIN_PREFIX_CHARACTERS = 4
"""From which a title may be only the beginning of the printed one; shorter ones begin too many."""
MAX_LONGER_TITLE = 2
"""Times as long as its beginning that a printed title may be, and ``LONGER_TITLE_CHARACTERS`` more."""
LONGER_TITLE_CHARACTERS = 12
"""Characters of an addition to a short title: ``(unaudited)``."""

SAME_INDENT = 0.008
"""Left edges nearer than this share of the page width are one indent."""
MOST_INDENTS = 6
"""More indents than this are no levels: lines are centred or set in columns."""
MOST_LOOKS = 4
"""More looks than this among the lines of a table of contents are no levels."""
ENTRY_LINE_OVERLAP = 0.01
"""By which the boxes of two lines of one entry may reach into each other."""
MAX_ENTRY_LINE_STEP = 0.03
"""From that far above the end of a line: where the next line of its entry begins at the latest."""
LEFT_COLUMN_END, RIGHT_COLUMN_START = 0.55, 0.48
"""Where the shortest entry ends before the first, a table of contents has two columns, the right one of which begins
behind the second."""
MAX_CONTENTS_TITLE_CHARACTERS = 40
"""Longest heading of a table of contents."""
MAX_ENTRY_CHARACTERS = 160
"""Longest line of a table of contents: a longer one is prose that ends in a number."""
MAX_PLAIN_ENTRY_CHARACTERS = 90
"""Longest title without a page number between entries that have one."""
MAX_PLAIN_ENTRIES = 3
"""Titles without a page number in a row: more are the text behind the contents."""
MIN_ENTRIES, MIN_ENTRIES_TITLED = 3, 2
"""Entries with a page number that make a table of contents, and below a heading that says so."""
ENTRIES_BEFORE_LEADERS = 4
"""Items before the first line with leaders that may be entries without."""
PAGES_BEYOND = 60
"""By which a page number may exceed the pages of the file: parts are cut off, or a volume counts on."""
MIN_SHARE_WITH_LEADERS = 0.6
"""Share of a text that its entries with leaders must cover."""
MIN_TABLE_ENTRIES = 3
"""Rows with a page number from which a table may be a table of contents."""
MIN_SHARE_ASCENDING = 0.85
"""Share of its page numbers that must not be smaller than the one before."""

MIN_SLIDE_WIDTH = 1.2
"""Width by height from which a page is as wide as a slide."""
MIN_SHARE_WIDE = 0.8
"""Share of a deck's pages that are wide."""
MAX_SLIDE_CHARACTERS = 1000
"""A page of a deck holds fewer than this (median); text documents printed across hold more."""
MAX_SMALL_TYPE = 0.0225
"""Type of at most this share of the page's height is too small for a slide."""
MIN_PROSE_WIDTH, MIN_PROSE_CHARACTERS = 0.6, 80
"""Small text as wide and as long as this is prose of a report."""
MIN_NUMBERED_SECTIONS = 3
"""Numbered lines that are set off and rise through the document, from which it is a report and no deck."""
SET_OFF_SIZE = 1.1
"""By the body size: from here on a line is set off by its size."""
SLIDE_TITLE_BOTTOM = 0.3
"""Titles of slides begin above this height as a rule."""
NEARLY_LARGEST = 0.75
"""By the largest size of a slide: text at its top from this size on is its title."""
