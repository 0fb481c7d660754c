"""Limits and tolerances of making the content list. A *size* is the font size of the text at hand."""

SMALL_ON_PAGE, SMALL, SAME_PLACE = 0.005, 0.1, 0.02
"""Share of the page below which a picture that repeats on one page, or on others, is kept once; a larger one is where
it differs from the first by no more than this share of the page."""
MAX_IN_CELL, INSIDE_TABLE = 0.4, 0.8
"""Largest share of a table that a picture in one of its cells has, and share of the picture inside the table."""

MIN_PITCH_SPANS, MIN_PITCH_LENGTH, SAME_WIDTH = 5, 6, 1.02
"""Spans of a font, and characters of each, whose widths tell whether it has a fixed pitch: they differ by less."""
RUNNING_SPACES, RUNNING_WIDTH = 4, 0.7
"""Spaces in a line of running text at least, and its share of its column's width."""
TYPEWRITTEN = 0.5
"""Share of the running text in a fixed pitch beyond which the pitch makes no code."""
CODE_SHARE, CODE_LETTERS, CODE_SIGNS = 0.8, 12, 0.5
"""Share of characters in a fixed pitch, characters without which signs are needed, and share of lines with signs in a
typewritten document, from which lines are program text."""
MEASURED_LENGTH, DEFAULT_WIDTH = 3, 6.0
"""Characters that a span has more of to tell how wide they are; points of one where no span does."""
MAX_INDENT, MAX_SHIFT = 80, 40
"""Characters by which a line of code is indented at most, and by which two parts of one listing are."""
LISTING_SIZE, LISTING_PITCH, LISTING_GAP, EMPTY_LINE = 0.3, 0.5, (-1.0, 3.0), 0.7
"""Points by which sizes and widths of characters of one listing differ; points that its parts overlap, sizes between
them, and from which an empty line stands there."""

CONTENTS_FEW, CONTENTS_MANY = 3, 8
"""Entries that make a contents page: with leaders or under its title; without either."""
CONTENTS_SHARE, CONTENTS_ASCENDING, CONTENTS_NUMBERS = 0.4, 0.85, 3
"""Share of the lines between the first and the last entry that are entries, share of page numbers that do not fall,
and different page numbers."""
CONTENTS_EDGE, CONTENTS_GAP = 3.0, 0.8
"""Points by which right edges of page numbers may differ; sizes before a page number without leaders."""
MAX_ENTRY, MAX_CHAPTER_LINE, CHAPTER_GAP = 250, 80, 1.2
"""Characters of an entry and of the title over its first one; heights between them."""
LEADER_LINES, LEADER_SHARE = 2, 0.4
"""Lines with leaders, and their share of a paragraph's, that make it contents."""
PAGE_LINES, PAGE_SHARE, PAGE_LINE_LENGTH, PAGE_RISE, MAX_PAGE = 5, 0.85, 110, 3, 1500
"""The same of lines that end in rising numbers; their length, by how much the numbers rise, and the last one."""

EDGE, EDGE_HEIGHT, FURNITURE_SPACES = 0.08, 0.03, 3
"""Share of the page at its top and bottom, height of a text there, and spaces in it up to which it may be furniture."""
LOOK_BACK = 8
"""Items before a paragraph among which the one that it continues is looked for."""
NARROW, NARROW_LENGTH = 0.3, 30
"""Share of the page's width and characters below which a single line fills no column."""
MAX_FOOT = 80
"""Characters of the line that ends a page at most."""
TITLE_SIZE = 1.25
"""Times the size of most of the text from which a text is a title, which no break goes through."""
COUNTED_PAGES = 3
"""A count of pages goes on over at least so many."""
CONTINUED_SIZE, SMALLER_SIZE = 0.3, 0.4
"""Points by which sizes of two parts of a paragraph differ at most; by which a footnote or caption is smaller."""

MAX_EQUATION_LINES, MAX_EQUATION_LENGTH, SHORT_EQUATION = 6, 240, 80
"""Lines and characters of a formula; characters below which its signs alone tell it."""
MAX_EQUATION_WORDS, MAX_EQUATION_NAMES, MIN_EQUATION_SIGNS = 3, 10, 2
"""Words of four letters, and of two, in a formula at most; its signs at least."""
MATH_FONTS, LABEL_GAP = 0.25, 2.0
"""Share of characters in fonts for formulas that make one; sizes between a number before it and the formula."""

SIZES, OCR_SIZES = 0.08, 0.3
"""Share by which the sizes of lines of one paragraph differ at most; those of recognised text are estimates."""
LIST_SIZE = 0.5
"""Points by which sizes of the entries of one list differ at most."""
MAX_SUPERSCRIPT = 6
"""Characters of a superscript at most that is written as a mark or an exponent."""
BOLD_SHARE = 0.85
"""Share of a line's letters that is bold in a bold line."""
SIZE_WEIGHT = 8
"""Characters of a span for which its size counts once more in the median of a paragraph."""
FULL_WIDTH, SHORT_LINE, EARLY_END = 0.5, 0.15, 0.4
"""Shares of the width of a block: of a last line that fills it, of room behind a short line, and behind one that ends
early."""
SAME_INDENT, INDENT, BEFORE_INDENT = 0.6, (0.8, 5.0), 0.5
"""Sizes by which entries of a row begin apart, by which a first line is indented, and the line before it at most."""
CAPTION_GAP, USUAL_GAP = 0.5, 1.25
"""Sizes, and times the usual gap, of white space over a caption or bold title that starts a paragraph."""
FITTING_WORD, FITTING_SPACE = 1.15, 0.8
"""Times a word's width, and sizes, of room that it would have needed in the line before."""
MIN_CAPITALS, MAX_CAPITAL_WORDS, CAPITAL_WORD = 4, 12, 4
"""Letters and words of a title in capitals, and letters of its longest word at least."""
