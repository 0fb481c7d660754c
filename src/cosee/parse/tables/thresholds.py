"""Limits by which tables are told from text and drawings, and their cells from one another.

Lengths are points of the page, shares are of what the name says. Set by hand, not fitted.
"""

SLACK = 1.0
"""Coordinates that differ by no more may be one: line widths and rounding."""
MAX_CELLS = 200_000
"""Cells of a table from markup; more would fill the memory from a few bytes of spans."""
MAX_SPAN = 200
"""Rows or columns that one cell of markup may reach over."""

# Text of cells.
MAX_FOOTNOTE_MARK = 3
"""Characters of a superscript that is a footnote mark; a longer one is a part of the text."""
MOSTLY_NUMBERS = 0.5
"""Share of a row's or table's cells from which on numbers are what it holds."""
FIRST_DATA_ROW = 0.4
"""Share of a row's filled cells that are numbers in the first row below a header: notes may stand beside them."""
MAX_NAME = 60
"""Characters of a column's name in a table without numbers; longer text is no name."""
MIN_NAMED_COLUMNS = 3
"""Columns of a table without numbers whose first row is a header."""
MAX_HEADER_ROWS = 4
"""Header rows above the first row of numbers."""

# Ruling lines.
THIN = 3.0
"""A rectangle thinner than this is a rule."""
MIN_LEVEL_RULE, MIN_UPRIGHT_RULE = 6.0, 4.0
"""Shortest horizontal and vertical rule; shorter ones are dashes, letters and marks."""
MIN_BOX = 6.0
"""Shortest side of a stroked box whose sides are rules."""
MAX_SWOLLEN = 16.0
"""Thickness up to which a stroked box may be a line with room for its mitres."""
MITRES_MEET = 1.0
"""How far neighbours of such lines may be off one line, and off an overlap of just their thickness."""
MIN_MITRES, MITRES_SHARE = 3, 0.4
"""Pairs of such neighbours, in number and as a share of the boxes of one thickness."""
MAX_RULES = 4_000
"""Rules of a page in one direction; more are hatching."""
SAME_LEVEL = 1.5
"""Rules whose heights differ by no more are one line drawn in pieces."""
TOUCH = 3.0
"""Gap up to which rules touch."""

# Grids of rules.
GRID_LINE = 4.0
"""Rules nearer to each other are one line of a grid."""
MAX_GRID = 20_000
"""Grids with more slots than this are drawings."""
MOSTLY_INSIDE = 0.6
"""Share of a text's area that lies in the grid where its middle does not."""
FILLED_GRID = 0.3
"""Share of a grid's cells with text; with less it is a drawing or a form to fill in."""
MAX_CELL_WORDS, MAX_WIDE_CELL_WORDS = 200, 800
"""Words in one cell of a table of two columns, and of more; more are columns of running text in a frame."""
FRAMED = 0.7
"""Share of two sides of a grid that rules run along."""
DISTINCT_CELLS = 0.4
"""Share of the slots that are cells of their own; a flow chart has boxes with much between them."""
MIN_LONG_RULE, OPEN_SIDE = 0.5, 12.0
"""Share of the grid that a rule runs along to tell of a side without a rule, and how far it runs beyond the others."""
RULED = 0.6
"""Share of the edge between two slots that a rule runs along to part them."""
NUMBER_LINES = 0.8
"""Share of the lines of a cell over several columns that hold a number in each of them to be taken apart."""
NAMES_APART = 1.0
"""Line heights between words of two columns that are no words of one name over both."""
ON_BASELINE, BASELINE_SHARE = 3.0, 0.9
"""How far lines of one row are off a common baseline, and the share of all lines that are on one."""
MIN_UNRULED_ROWS = 3
"""Lines of words in a ruled row from which on each may be a row."""
SHORT_LINE, SHORT_LINES, READING_ON = 4, 0.6, 0.1
"""Words of a line that is no wrapped prose, the share of such lines, and of those that read on from the line above."""
COMPLETE_CELL, FINER_ROWS, FINER_FEW_ROWS = 8, 0.4, 0.8
"""Words of a cell of a column without rules, and the share of the lines, of two lines, that have more such cells than
the grid has columns: it is then read by alignment."""
FEW_FINER = 2
"""Lines with more cells than the grid has columns that prove little."""

# Tables among drawings.
MAX_MARKS = 300
"""Filled rectangles that are compared with all text."""
MARK_SHARE = 0.5
"""A path over more of the frame is its ground, no mark in it."""
MIN_SLANTED, MIN_SLANTED_MARKS = 12.0, 3
"""Length of a slanted path that is no letter or tick, and how many of them make a drawing."""
GROUND_OF_WORDS, LIGHT = 2.0, 0xC0C0C0
"""Heights of a word up to which a path around it is its ground, and bits of a colour that are all set where it is light
enough to be read on."""
MIN_FILLED, MIN_BARE = 4.0, 3
"""Shortest side of a filled rectangle that is no rule, and how many of them without text make a chart."""
BARE_SHARE, BARE_PER_TEXT = 0.5, 0.25
"""Share of the filled rectangles without text, and how many there are for each text: shading has text on it."""
NEAR_WHITE = 0xF0F0F0
"""Bits of a colour that are all set where it is as good as white."""

# Tables between rules.
MIN_FRAME_RULE = 80.0
"""Shortest rule that frames a table from above and below."""
SAME_EXTENT = 4.0
"""Rules of one table begin and end this near to each other."""
MIN_RULE_PIECES, MAX_RULE_GAP = 3, 100.0
"""Pieces of a rule that is broken at the gaps between columns, and the widest such gap."""
MIN_FRAME_RULES = 3
"""Rules of a framed table: above, below its header, below its body."""
SHARED_WITH_OTHER = 0.2
"""Share of a framed table's area that another table has already."""
WIDE_LINE, WIDE_LINE_START = 0.7, 0.1
"""Shares of the frame's width: of a line of running text, and within which it begins."""
MIN_WIDE_LINES = 2
"""Lines of running text that make what is between two rules text."""
OVER_RULE = 6.0
"""Text that reaches further over the ends of the rules belongs to the page."""
MAX_EMPTY = 10.0
"""Height between two rules of a table without text between them."""
INDENTED = 0.25
"""Share of the table's width after which its value columns begin."""
TABULAR_LINES = 0.6
"""Share of the lines between rules that have several cells or are indented."""
LABEL_GAP, LABEL_LEVEL, LABELLED_LINES = 2.0, 2.5, 0.5
"""How far labels outside the rules may reach in and be off their line, and the share of the lines that have one."""
MAX_OUTER_LABEL, MAX_LABEL_OF_NUMBERS, BARE_NUMBERS = 5, 14, 0.6
"""Words of such a label as a rule; where this share of the lines begins with a number it has no other label, and may
be longer."""
MAX_ROWS_ABOVE, HEADER_LINE, FIRST_ROWS = 5, 1.6, 4
"""Header rows looked for above a table's first rule, the height of each in lines, and the rows below the rule among
which the first one of data is."""
MAX_NAME_ABOVE = 40
"""Characters of a name above a table, in its header or at the start of a long label."""
MAX_LAST_LINES, MAX_FIRST_LINES = 6, 3
"""Lines that the last row of a framed table may go on for in one column, and that its first may begin with."""
LINE_OF_CELL = 0.7
"""Gap between the lines of one cell, in line heights; between rows it is wider."""
MIN_TURNED, TURNED_MARGIN = 2, 2.0
"""Slanted or upright texts above a table that are names of its columns, and how far they may cross the rules."""

# Rows of cells.
SAME_ROW = 0.55
"""Share of the lower one's height that two texts of one row have in common."""
MARK_GAP, BULLET_GAP = 2.0, 4.0
"""Gap between a number and its mark, and between a bullet and its text, in font sizes."""
MAX_BREAK = 2.6
"""Gap in row heights that ends a table."""
LABEL_BREAK, FRAMED_BREAK = 1.8, 2.6
"""Gap in row heights before a row of one cell that ends a table, and between rules, where long cells stand apart."""
MAX_LABEL_ROWS, MAX_STRAY_ROWS = 4, 2
"""Rows of labels alone (headings inside a table, wrapped labels) that may follow each other, and other single rows."""
LABEL_ROW_GAP = 0.6
"""Gap in row heights up to which labels belong to the table above."""
ROWS_WITH_VALUES = 8
"""Rows above that tell where the value columns begin."""
VALUE_EDGE = 3.0
"""How far left of its value column a single cell may begin."""
TEXT_LINE, TEXT_SPACES = 0.62, 7
"""Share of the table's width, and spaces, of a line of running text that ends a table."""
MIN_ROWS_BEFORE_REPEAT, REPEAT_GAP = 3, 0.6
"""Rows of a table before its header can stand again for another one, and the gap in row heights before that."""
HEADING_INDENT, HEADING_OVER_LABELS, HEADING_GAP, MAX_HEADING = 0.25, 6.0, 0.9, 60
"""A heading over the value columns begins right of this share of the width and of the labels, stands at most this many
row heights above the table, and has so many characters."""

# Columns by alignment.
RULE_MARGIN = 2.0
"""How far above and below a table its rules may be."""
ACROSS = 0.8
"""Share of the table's width that a rule runs along to part its rows."""
TOLERANT_ROWS, STRAY_PER_CENT = 3, 12
"""Rows from which on so many of a hundred may have a cell in the gap between two columns."""
MIN_PARTED = 6
"""Rows from which on a gap that some cells run over can part two columns."""
SLIVER, SLIVER_GAP = 4.0, 2.0
"""A column narrower than this belongs to one that is this near."""
WORD_SPACE = 0.5
"""A gap of this many font sizes between words of one piece of text may be the gap between two columns."""
WIDE_SPACE = 1.3
"""Such a gap is this many times the narrowest between the words, where these are no numbers."""
COMPLEMENTARY = 12.0
"""Points between two columns that may be one whose numbers are not set flush."""
MAX_PACKED = 12
"""Columns of numbers in one ruled column."""
PACKED_ROWS, OTHER_COUNTS = 0.5, 0.2
"""Share of a ruled column's cells with the same count of numbers to be split, and of those with another count."""

# What makes aligned rows a table.
MIN_FULL_ROWS, FULL_ROWS = 2, 0.4
"""Rows of several cells, in number and as a share of all."""
MIN_FILL, FRAMED_FILL, WELL_FILLED, TWO_COLUMN_FILL = 0.35, 0.4, 0.6, 0.9
"""Share of the slots of such rows that are filled: of any table, between rules, of words in several columns or of few
rows of numbers, and of words in two columns, which are easily an accident."""
MAX_WORDS, FEW_WORDS, WORDS_OF_SEVERAL, WORDS_OF_TWO = 14, 5, 7, 6
"""Words of a cell on average: of any table, of one between rules that needs no numbers, and of tables of words in
several and in two columns."""
FRAMED_NUMBERS, NUMBER_ROWS = 0.4, 0.5
"""Share of the rows with a number that make a table, between rules and else."""
FEW_ROWS = 3
"""Rows up to which a table has to hold numbers that are no years."""
MIN_NUMBER_ROWS, MIN_WORD_ROWS, MIN_TWO_COLUMN_ROWS = 3, 3, 4
"""Rows of a table of numbers, of words in several columns and of words in two."""
FORM_ROWS = 0.3
"""Share of the rows whose label ends in a colon beyond which they are a form."""
EVEN_START = 3.0
"""How far the cells of the second of two columns may begin from each other."""
MAX_DIGITS = 9
"""Digits of a whole number; longer ones are codes, neither ticks nor pages."""
MIN_AXIS, AXIS_REST = 5, 3
"""Evenly spaced numbers that are the ticks of an axis, and words beside them."""
LISTED = 0.6
"""Share of the rows with a bullet or number that make two columns a list."""
MIN_NAMED_ROWS, MAX_NAME_WORDS = 3, 5
"""Rows of a table of sentences, and words of a name above them."""
SENTENCE_SPACES, SENTENCES, READING_ON_SENTENCES = 3, 0.5, 0.25
"""Spaces of a cell that may be a line of text, the share of such cells, and of those among them that begin with a small
letter: lines of columns of text."""
FLUSH_END, FLUSH_ROWS, LOWER_CELLS = 2.0, 0.6, 0.6
"""How near rows end to the right edge, the share of those that do, and of cells that begin with a small letter: lines
of justified text."""
WORD_ROWS, BRIDGED_ROWS = 0.7, 0.15
"""Share of rows of words, and of rows with cells that reach over columns: words of justified lines."""
EDGE_STEP, EDGE_SHARE, LINED_UP = 2, 0.5, 0.6
"""Interval in which cells begin, end or have their middle alike, the share of the rows that do so in one place, and of
the cells that are in such places."""
MIN_LEADERS, LED_PAGES = 3, 0.5
"""Lines with leaders, in number and as a share of the page numbers, that make a table of contents likely."""
MAX_CONTENTS_COLUMNS, MIN_PAGES = 3, 4
"""Columns and page numbers of a table of contents."""
LED_NUMBERS, LED_RISING, TITLED = 0.8, 0.9, 0.8
"""Shares of the page numbers: that are numbers and that rise where leaders lead to them (else all), and titled."""
MAX_FIRST_PAGE, MAX_LAST_PAGE = 200, 1500
"""First and last page number of a table of contents; larger ones are amounts or years."""

# Headers.
MAX_HEADER_LINES = 8
"""Most lines of a header."""
MIN_DATA_LINES = 0.3
"""Share of the lines below the header that hold data, for numbers to tell where it ends."""
NAMED_COLUMNS, LABEL_LINE = 0.6, 0.5
"""Share of the columns that a line names, the labels' too, above a line with a label that names less than this."""
MAX_LABEL_COLUMNS = 4
"""Most columns of labels before those that names share."""
NEXT_LINE = 0.7
"""Gap in line heights up to which a line goes on with the name above it."""
RULE_BETWEEN, RULE_SHARE = 0.3, 0.5
"""A rule between two lines may overlap them by this share of a line, and runs along this share of what is common."""
SAME_MIDDLE, SAME_START = 0.5, 2.0
"""How far the middles of two lines of a name are apart in line heights, or their starts."""
OFF_MIDDLE, OFF_PITCH, OFF_PITCH_RULED = 3.0, 0.35, 0.5
"""How far a name is off the middle of its columns: in points more than off that of one column, and in distances between
columns; above a rule over all of them further."""
RULE_ABOVE, RULE_BELOW = 0.4, 0.9
"""A rule right below a name is this share of a line above its foot at most, and this share below it."""
RULE_ENDS = 2.0
"""How far a name may reach over the ends of the rule below it, and the middle of a column beyond them."""
OWN_MIDDLE, BETTER_MIDDLE = 0.3, 0.5
"""A name is over one column where it is off its middle by less than this share of the distance to the next; else over
several whose common middle it is off by less than this share of that."""
COLUMN_EDGE = 3.0
"""A name that begins or ends this near to its column's edge is set flush with it."""

# Wrapped cells.
MAX_NAME_SPACES = 4
"""Spaces in a line that is as long as its column, not a name of a few words."""
MIN_BANDS = 3
"""Bands between rules that show that every row of a table is ruled off."""
WRAPPED_PAIRS, WRAPPED_CELLS = 0.7, 0.5
"""Share of the lines joined by their places that read on from each other, and of a line's cells that do."""
MIN_JUMP, MAX_JUMP_GAP = 0.15, 0.8
"""Line heights by which gaps between rows exceed those between lines, and the gap halfway between both at most."""
USUAL_GAP, TIGHT_GAP = 1.0, 0.5
"""How far from the usual a gap is wider or narrower, and a gap that is tight in any case."""
LABEL_INDENT, LABEL_OUTDENT = 1.0, 2.0
"""How far a wrapped label is indented, and the next one begins left of it."""

# Titles taken for rows.
TITLE_SIZE = 1.1
"""Size of a heading over that of the table's cells."""
MIN_TITLED_ROWS = 3
"""Rows, and lines, of a table that may begin with a heading."""
MAX_BOLD_LINES = 0.7
"""Share of a table's lines that are bold up to which a bold first row stands out."""
MAX_TITLE_ROWS = 3
"""Rows that a title may fill."""
