"""Limits of what the steps of M1 share, of roles, joined paragraphs and tables, and of what an original states.

Heights, edges and gaps are shares of the page, 0..1.
"""

USUAL_BODY_SIZE = 10.0
"""Points taken for the body's type where no size is known."""
SMALL_TYPE = 0.93
"""By the body size: text below it is set small, as captions and notes are."""
MIN_SHARE_ACROSS = 0.3
"""Share of a text's box from which other text stands in it, not beside it."""

FOOTNOTES_TOP = 0.5
"""Footnotes stand below this height."""
MIN_COLUMN_OVERLAP = 0.3
"""Of the widths of two items that stand in one column."""
LINE_OVERLAP = 0.005
"""By which the boxes of two lines may reach into each other."""
MEDIUM_OVERLAP = 0.02
"""By which a note may reach into the table or figure above it."""
MAX_GAP_NOTE = 0.05
"""White space between a table or figure and its note."""
MAX_EQUATION_CHARACTERS = 200
"""A longer text is prose with a formula in it."""
MIN_EQUATION_CHARACTERS = 3
"""Of the shortest equation: ``a=b``."""
MAX_EQUATION_WORDS = 2
"""Words of four letters or more in a displayed formula, such as ``where``."""
MAX_EQUATION_LETTERS = 0.7
"""Share of letters in a displayed formula."""
MAX_ITEM_WORDS = 40
"""Words of a counted paragraph up to which it is an item of a list."""
LIST_END, LIST_START = 0.75, 0.25
"""A list goes on on the next page from below the first height to above the second."""
MAX_GAP_LIST = 0.04
"""White space between two items of one list."""

SAME_SIZE_OF_HALVES = 0.6
"""Points by which the halves of a paragraph may differ, since the median size moves with their words."""
SAME_SIZE_OF_NOTES = 0.3
"""The same for notes and for lines of a paragraph, where a heading or another note is close by."""
MIN_HALF_CHARACTERS = 40
"""Of the first half of a paragraph that a page or column break cuts in two: a shorter one is a label or a line."""
NEXT_COLUMN_RISE = 0.1
"""By which the next column begins above the end of the one before."""
COLUMN_OVERLAP = 0.02
"""By which two columns may reach into each other."""
PAGE_END, PAGE_START = 0.8, 0.2
"""A Chinese or Japanese paragraph goes on on the next page from below the first height to above the second."""
SAME_RIGHT_EDGE = 0.012
"""By which a full line may end before the next one."""
FULL_LINE_END = 0.8
"""A full line ends behind this share of the page's width."""
MAX_LINE_GAP = 1.6
"""By the height of a line: white space up to which widely spaced lines are one paragraph."""

SAME_TABLE_EDGE = 0.04
"""Left and right edges of two parts of a table agree within this distance."""
TABLE_END, TABLE_START = 0.6, 0.35
"""A table goes on on the next page from below the first height to above the second."""
MAX_CONTINUED_CHARACTERS = 80
"""Longest line that only says that a table continues."""
MIN_SHARE_NUMERIC = 0.6
"""Share of a column's cells that are numbers, from which words above them are a header."""

MIN_SHARE_IN_CELLS = 0.8
"""Share of an item's words that are in the cells of the original's table, from which it is a part of it."""
MIN_SHARE_CELLS_SHOWN = 0.5
"""Share of the cells' words that have to be on the page for the table to be there."""
MIN_STRETCH = 8
"""Letters and digits from which a text that runs through a row's cells is no chance."""
MIN_PART_OF_WORD, MAX_WORDS_BESIDE = 4, 500
"""Letters from which a word that runs through the cells of a row is one that was broken, and how many are looked up."""
MIN_SHARE_OF_WORDS = 0.5
"""Share of the words of an original's texts that are on its pages; with less it is told."""
MAX_HEADING_LINES = 4
"""Items that one heading of the original may be broken into."""
MIN_PICTURE_OVERLAP = 0.3
"""Share of the larger of two boxes: what a picture and the place that the original gives it have in common."""
