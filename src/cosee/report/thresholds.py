"""How much the report shows. The bounds keep a page short enough to be read, whatever an artifact holds: the file that
a page links to has the rest."""

from __future__ import annotations

QUOTE_CHARACTERS = 400
"""Characters of a quote, or of a question where two methods are compared."""
ANSWER_CHARACTERS = 240
"""Characters of an answer, where two methods are compared."""
LISTED_QUESTION_CHARACTERS = 260
"""Characters of a question in the list of all questions, which a browser loads whole."""
LISTED_GOLD_CHARACTERS = 120
"""Characters of a gold answer in the same list."""
LONG_ANSWER_CHARACTERS = 1500
"""Characters of a method's explanation on the page of a question."""
TEXT_CHARACTERS = 500
"""Characters of one text in a trace."""
LINE_CHARACTERS = 160
"""Characters of a text that has one line: in a table, in the tip over a box, in an outline."""
NODE_NAME_CHARACTERS = 110
"""Characters of the words that stand for a node."""
CAPTION_CHARACTERS = 80
"""Characters of the text that stands in an outline for a figure without a title."""
SPARED_CHARACTERS = 20
"""A text that is longer than its bound by no more than this is not cut: the mark of the cut would save nothing."""
LONGEST_WORD = 40
"""Characters that a cut text may be shorter, so that no word is cut; a longer run without blanks is."""
WIDE_COLUMN_CHARACTERS = 40
"""Columns with a longer text are running text, and stand behind the others."""
TABLE_ROWS = 6
"""Rows of a table in a trace."""
LIST_ENTRIES = 24
"""Entries of a list in a trace."""
OBSERVED_NODES = 8
"""Observed nodes of one observer and round."""
HYPOTHESIS_QUOTES = 3
"""Quotes of a hypothesis."""
HYPOTHESIS_QUOTE_CHARACTERS = 300
"""Characters of each of these quotes."""
RETRIEVED_PLACES = 12
"""Places that a method's search found."""
OPEN_METHODS = 4
"""With more methods than this their answers are folded; the table above has them all."""
GOLD_PAGES_SHOWN = 4
"""Gold pages shown of one question; whole-document questions name dozens."""
GOLD_PAGES_NAMED = 3
"""Gold pages that the sentence on a question names."""
SMALL_REPORT = 400
"""Pages of all documents up to which each has its picture."""
FIRST_PAGES_SHOWN = 6
"""Pages of each document of a larger report that are rendered though nobody cites them."""
PAGES_DRAWN = 150
"""Pages that are drawn without a picture; of longer documents those with a picture follow."""
FAULTY_PAGES_LISTED = 20
"""Pages that the quality of a tree names."""
OUTLINE_DEPTH = 20
"""Deeper sections are counted with their parent; a tree of a hostile file may be anything."""
LEAST_BOX_SHARE = 0.004
"""Least side of an evidence box as a share of the page: a thinner one could not be seen or pointed at."""
LEAST_NODE_BOX_PERCENT = 0.1
"""Least side of a node's box in per cent of the page: there are many, and none is pointed at by itself."""
LEAST_DIFFERENCE_AXIS = 0.05
"""Least end of the axis of differences: smaller ones would look like more than they are."""
DIFFERENCE_AXIS_STEPS = 20
"""The axis of differences ends at a multiple of one over this."""
PICTURE_DPI = 80
"""Resolution of a page's picture: text of normal size can be read."""
WEBP_QUALITY, WEBP_EFFORT = 75, 2
"""WebP at these takes half the bytes of the better of PNG and JPEG, for 20 ms a page."""
