"""Limits and tolerances of laying a page out. A *line* is the usual height of a line of the region at hand."""

MAX_BLOCKS = 3_000
"""Blocks kept of one page; more is recorded as ``truncated``."""
MAX_DEPTH, MAX_NESTING = 24, 4
"""Times that a region is cut into smaller ones, and boxes inside boxes that are laid out by themselves."""
MAX_RIVERS, MAX_ENCLOSURES = 60, 80
"""Rivers of white space of a region, and boxes drawn on a page, that are tried: each is compared with all its text."""

LOW_CONFIDENCE = 0.6
"""Mean confidence of a block's letters below which it is doubtful."""
ASIDE_DISTANCE = 6.0
"""Points between hidden or turned texts that are one block."""
SAME_LINE = 0.5
"""Share of the lower of two heights that pieces of one line have in common."""
TOUCHING = 0.1
"""Heights between two pieces of a line from which a space parts them."""
EDGE_TOLERANCE = 1.0
"""Points by which boxes that stand beside each other may overlap."""
SHARED_HEIGHT = 2.0
"""Points of height from which two boxes stand beside each other."""

MIN_LINES, COLUMN_LINES = 3, 8
"""Lines of a column at least, and of a column of running text beside which anything may stand."""
SAME_BASELINE = 2.0
"""Points by which the bottoms of fragments on one baseline differ."""
DEFAULT_LINE = 12.0
"""Points of a line where a region has no text."""
GUTTER_WIDTH, WIDE_GUTTER = 0.45, 1.5
"""Lines that a gutter is wide at least, and between sides that share baselines and are no prose."""
GUTTER_COVERED, NARROWEST_STRIPS = 0.2, 3
"""Share of the text's height that may cover a strip to be searched, and how many of its sub-strips are tried."""
FLOAT_CROSSING = 0.15
"""Share of a region's lines that may cross the strip beside a table or figure; with more the text flows around it."""
CROSSING = 0.5
"""Share of the shorter side's lines, and one more, that may cross a gutter."""
PROSE_FILL, SURE_FILL, NOTED_FILL, COLUMN_FILL = 0.45, 0.6, 0.6, 0.7
"""Share of full lines from which a side is prose; baselines say nothing; notes may stand beside it; it is a column."""
FILL_WORDS, FILL_WIDTH, FILL_LINES = 3, 0.55, 5
"""Words and share of its side's width of a full line; lines that a side is wide at least to be judged."""
NEAR_FILL_WIDTH, NEAR_FILL_SHARE, NEAR_FRAGMENTS, NEAR_WIDTH_RANK = 0.75, 0.6, 1.2, 0.9
"""The same of the column next to the gutter where its side holds several: width of a full line, share of full lines,
fragments to a row, rank of the width that counts as its own. Cells of a table are seldom so full."""
NEAR_ROW = 0.5
"""Lines of the grid by which the rows of that column are told."""
LONG_LINE_WORDS, LONG_LINE_WIDTH, MIN_LONG_LINES = 5, 0.8, 2
"""Words and share of its side's width of a long line, and long lines on both sides: cells of a table seldom are so."""
PAIR_WORDS, PAIR_INDENT, PROSE_INDENT = 4, 3.0, 0.5
"""Words of a value at most, and lines from its side's edge to it at least, and to a line of prose at most."""
PAIRS_REACHED, PAIR_REACH = 2, 1.0
"""Values that a line of prose above them reaches over, each by so many lines."""
ALIGNED, CLOSELY_ALIGNED = 0.2, 0.06
"""Lines by which baselines of two sides differ to be shared; where running text stands beside a table."""
MAX_ALIGNED_COLUMN = 0.4
"""Share of baselines that running text shares with what stands beside it: rows of one table share theirs."""
MAX_ALIGNED_WORDS, MAX_ALIGNED_CELLS, CELL_WORDS = 0.6, 0.3, 3
"""Share of baselines that two sides which are not prose may have in common; the same where a side has fewer words in
a fragment, as cells do."""
NOTES_WIDTH, NOTES_SIZE = 0.4, 0.9
"""Width of a column of notes in the margin, and height of its lines, as shares of the running text's."""
NOTES_SCORE, BASE_SCORE, ALIGNED_SCORE, CROSSING_SCORE = 0.3, 0.3, 0.5, 3.0
"""Weights of a gutter's score: of shared height beside notes; of sides without prose; what shared baselines and each
crossing line (in lines) take away."""
MIN_SHARED_LINES = 2
"""Lines of height that both sides of a gutter have in common."""

BAND_GAP, SECTION_GAP, MOVED_GAP = 0.9, 0.5, 0.9
"""Lines of white space that cut a region without columns into bands, one with columns into candidates for sections,
and from which columns that stand elsewhere start a section."""
SECTION_RULE = 0.9
"""A rule that separates sections reaches over at least this share of their width."""
HEAD_FRAGMENTS, HEAD_SIZE = 3, 0.93
"""Fragments of a running head or foot at most, and its height as a share of a line from which it is not small."""
HEAD_GAP, HEAD_OWN_GAP, HEAD_APART = 0.2, 0.6, 1.5
"""Lines from a running head to anything, to what stands below it, and to be told by its distance alone."""
SIDEBAR_HEIGHT = 0.6
"""Share of a region's height from which a box drawn around text is a column of it."""
RIVER_ROW, RIVER_WIDTH = 0.3, 0.8
"""Lines by which the middles of one row differ, and that a river of white space is wide at least."""
AUTHORS_ROW, AUTHORS_GAP = 0.2, 3.0
"""Heights by which bottoms of a row over both columns (author names) differ, and between its pieces."""
CENTRED, SPANS_BOTH, REACHES_OVER = 0.15, 0.5, 0.1
"""Shares of its width by which a box over the gutter is off its middle to be centred; of both columns that it covers
to span them; of the minor column that a line covers to span both where nothing stands beside it."""
SIDE_BY_SIDE = 0.7
"""Share of the higher one's height that two floats beside each other have in common."""

ENCLOSURE_WIDTH, ENCLOSURE_HEIGHT, ENCLOSURE_AREA = 60.0, 30.0, 0.8
"""Points of a box drawn around text at least, and its share of the page at most."""
ENCLOSURE_GRID, ENCLOSURE_TOLERANCE = 4, 3.0
"""Points of the grid on which two boxes are one, and by which what is inside may stick out."""
STRAY, STRAY_AREA = 0.1, 0.1
"""Texts that may cross a box (a stamp over its edge), as a share of those inside; share of a text that crosses it."""
RULE_THICKNESS, RULE_LENGTH = 2.5, 100.0
"""Points of a line across the page: thickness at most, length at least."""

TICK_GAP = 1.2
"""Sizes between a tick and its words; a tick in a cell of its own stands further off."""
MIN_LINE_NUMBERS, LINE_NUMBER_STEPS = 10, frozenset((1, 2, 5, 10))
"""Numbers that count lines at least, and what they count by."""
LINE_WORDS, LINES_GOING_ON = 4.0, 0.2
"""Words beside a line number, and share of lines that begin with a small letter: entries of a list have fewer."""
LINE_NUMBER_EDGE = 2.0
"""Points by which the right edges, or the left ones, of line numbers differ at most."""

MIN_ALIGNED = 4
"""Fragments of a region in which a table without rules is looked for."""
NUMERIC_LENGTH = 24
"""Characters below which a fragment may be a number alone."""
SAME_LINE_GAP, PART_LABEL_GAP = 8.0, 2.0
"""Heights to a text, and to the label of a part of a figure, from which it is not of the same line."""
ROW_EDGE = 3.0
"""Points by which the middles of the outermost row of a region differ."""
MIN_NUMBERS, SAME_COLUMN, SAME_LABEL, ROW_GAP = 2, 14.0, 24.0, 2.2
"""Rows of one table over a gap: numbers in each, points by which right edges of numbers and left edges of labels
differ, heights of the gap."""
CLOSE_GAP, PARAGRAPH_GAP, MIN_PARAGRAPH_GAP = 0.8, 0.35, 1.0
"""Heights of a gap that can be between lines; heights beyond the usual gap, and points, that part paragraphs."""
STEP_BACK = 0.5
"""Heights by which a line begins above the end of the one before: it stands beside it."""
