"""Limits and tolerances of reading a PDF's page. A *size* is the font size of the text at hand."""

MAX_FRAGMENTS, MAX_VECTORS, MAX_PICTURES = 20_000, 20_000, 2_000
"""Of one page; what is beyond is cut and flagged, so that a hostile page comes to an end."""
MAX_PATHS, MAX_SEGMENTS = 8_000, 60_000
"""Paths of a page, and their lines and curves, whose outlines are read."""
SAME_POINT = 0.05
"""Points by which one line of a path may begin beside the end of the last to go on with it."""
PATH_TOLERANCE = 1.0
"""Points by which the centre of a path may lie outside the drawing that it is part of."""
MAX_ANNOTATIONS = 2_000
"""Annotations, form fields or attached files that are read; beyond, the page is flagged."""
MAX_COMMENT, MAX_NAME = 5_000, 200
"""Characters kept of a comment and of the name of an attached file."""
MAX_QUOTED_ERROR = 200
"""Characters of one of MuPDF's messages that ours repeats."""
MAX_STYLED_CONTENT = 1_000_000
"""Bytes of a page's content up to which strokes of letters are looked for: MuPDF compares each with every path."""
HELD_PAGES = 50
"""Pages kept as they are; as compressed JSON a page takes a fiftieth of that, and some two milliseconds more."""

HEADER_WINDOW, END_WINDOW = 1024, 2048
"""Bytes at the start and the end of a file in which the marks of a PDF are looked for."""
MIN_OBJECTS = 3
"""Objects of the smallest file with a page: the catalogue, the page list, the page."""
TINY_STREAM = 1024
"""Bytes up to which a picture is too little to tell by its data: a rule, a dot, one colour."""

INVISIBLE_ALPHA = 8
"""Opacity (of 255) up to which a painted path is not seen."""
MIN_BORDER, MAX_BORDER = 0.05, 4.0
"""Thickness of a border that is painted as what lies between two rectangles: thinner is none, thicker a shape."""
MAX_SIDE, MIN_SIDE = 1.0, 12.0
"""Width and height of a filled path that can only be an upright line: strokes of letters of this height are wider."""
BLACK_LEVEL = 48
"""Level (of 255) of the lightest channel up to which a colour is taken for black."""
OBLIQUE = 0.2
"""Part of a line's direction across an axis (0..1; 0.2 is 12 degrees) beyond which it does not run along the other."""
ALONG_AXIS, EXACTLY_ALONG_AXIS = 0.98, 0.999
"""Part of a line's direction along an axis from which its boxes can be measured crosswise; from which a stroke can."""
FRAGMENT_GAP = 1.2
"""Sizes between two words that end a fragment: justified text is set closer, columns of a table wider."""
WORD_SPACE = 0.1
"""Sizes between two pieces of a line from which a space parts them."""
COLLAPSED_WIDTH, COLLAPSED_SHARE = 0.5, 0.02
"""Width of a line, in points and as a share of its height, up to which its font has lost the widths of characters."""

UPRIGHT_MIN_CHARACTERS, UPRIGHT_MIN_SHARE = 120, 0.6
"""Characters of a page that tell how it is held, and the share of them that runs in one direction; less is a stamp."""
UPRIGHT_MIN_PIECES, UPRIGHT_PIECES_SHARE = 6, 0.95
"""So many pieces of text tell it too, however short, where hardly any is held otherwise: a table, not a stamp."""
CJK_WEIGHT = 4
"""Letters that a character of Chinese or Japanese counts as, which holds as much."""
VERTICAL_MIN_CHARACTERS, VERTICAL_MIN_SHARE = 16, 0.6
"""Single characters on a page, and their share of its fragments, from which they may be columns."""
STACKED_SHARE, BESIDE_SHARE = 0.8, 0.3
"""Share of single characters that stand in columns at least, and that have a neighbour at the side at most."""
COMPARED_CHARACTERS = 200
"""Characters whose neighbours at the side are looked for: each is compared with all."""
COLUMN_OFFSET, COLUMN_GAP = 0.3, (-1.0, 0.8)
"""Sizes by which characters of one column lie apart sideways at most, and downwards."""
SIDE_GAP, SIDE_OVERLAP = 0.25, 0.8
"""Sizes to a neighbour at the side at most, and of height that it shares at least."""

LIGATURE_NO_WIDTH, LIGATURE_OFFSET = 0.01, 0.3
"""Points up to which a letter of an opened ligature has no width, and by which it lies off the other one's edge."""
DOUBTED_SIZE = 1.0
"""Points below which a font's nominal size is doubted."""
IMPOSSIBLE_ADVANCE = 4.0
"""An advance of a letter, as a multiple of the usual one, that no true size gives."""
LETTER_ADVANCE = 0.48
"""Mean advance of a letter of running text in its font's size. General knowledge: Latin text fonts."""
MIN_FONT_LETTERS = 8
"""Letters of a font on the page from which their mean advance says anything."""
ASCENT, DESCENT = 0.75, 0.22
"""Sizes that letters reach above and below their base line. General knowledge: Latin text fonts."""

GLYPH_INK = 24
"""Levels (of 255) by which a pixel with ink differs from the middle of its glyph's box."""
GLYPH_MARGIN = 0.12
"""Share of a glyph's box at each side that its neighbours' strokes may reach into."""
MAX_GLYPHS = 400
"""Glyphs of a page that are drawn finely. Where more have no letter, and most of a page has none, it is no text."""
MINUS_MAX_HEIGHT, MINUS_MIN_WIDTH, MINUS_ZONE = 0.22, 0.6, (0.35, 0.8)
"""A minus's height at most and width at least, as shares of its glyph's box, and where in its height it lies."""
MINUS_ELONGATION, MINUS_FILLED = 1.8, 0.85
"""Times that a minus is wider than high, and the share of the box around it that its ink fills: a dot or = is none."""
MINUS_COARSE_ROWS = 3
"""Rows of pixels that a minus takes at least at the page's own resolution, however small its glyph is."""
OVERLAID_SHARE = 0.5
"""Share of a character's box in its neighbour's from which it is overlaid."""
BLANK_OVERHANG = 0.5
"""Points by which a blank may stick out of the word that it parts."""

PROOF_DPI, PROOF_PIXELS, FINE_DPI = 100, 4_000_000, 400
"""Dots an inch and pixels at most of a drawn page, dots an inch of a glyph: enough for a stroke to be seen."""
PAGE_INK = 40
"""Levels (of 255) by which ink on a drawn page differs from its ground."""
GROUND_STEP, INK_STEP = 8, 2
"""Every so many rows and columns of a whole page are looked at for its ground and for its ink."""
PAGE_COVER = 0.8
"""Pictures (one, or strips) over at least this share of the page are the page itself (a scan, a slide)."""
MIN_READABLE_SIZE = 1.0
"""Points below which text cannot be read."""
MAX_COVERS = 300
"""Filled boxes, and pictures, of a page that are compared with each of its texts; the largest boxes are taken."""
MIN_COVER_AREA = 60.0
"""Square points from which a filled box can cover a word."""
COVER_TOLERANCE = 1.0
"""Points by which text may stick out of what covers it."""
MIN_CONTRAST = 900.0
"""Squared distance of text's colour from its ground (30 of 255 levels) from which pixels can be told to be its own."""
SHOWN_COLOUR, SHOWN_SHARE = 0.35, 0.01
"""Part of the way from the ground's colour to the text's that thin strokes get, and the share of pixels that do."""
OWN_INK_SHARE = 0.02
"""Share of a text's box that its own ink takes at least."""
DARK_LEVEL = 128
"""Level (of 255) of the lightest channel below which text is dark, and was not meant to vanish on white."""
SAME_COLOUR = 24
"""Sum of the differences of three channels below which two colours look the same."""

STROKE_SEEN = 0.9
"""Share of its length that a stroke is seen on; one behind a label is not seen where the label is."""
STROKE_ZONE = 0.14, 0.45
"""How far above its base line a stroke goes through text, in sizes: an underline lies below, a rule above."""
STROKE_THICKNESS, STROKE_MIN_THICKNESS = 0.16, 1.0
"""Thickness of a stroke at most, in sizes; in points what it may have in text however small."""
STROKE_OVERHANG = 0.8
"""Sizes by which a stroke may reach beyond the words that it goes through: a longer one is a rule."""
STRUCK_SHARE = 0.7
"""Share of a word's width that a stroke goes through."""
LINE_THICKNESS, LINE_LENGTH = 4.0, 3.0
"""Points of a painted path's shorter side at most and longer side at least for it to be a line."""
GROUND_MARGIN = 4.0
"""Points around a stroke whose pixels tell its ground."""

REPRINT_BAND = 8.0
"""Height and width in points of the cells by which equal texts are looked up: a page may hold thousands of ``0``."""
MAX_BESIDE, MAX_WORDS_COMPARED = 200, 500_000
"""Pieces of text, by their tops, that are compared with the one before them, and words of a page that are: what is
beyond stays, so that a hostile page comes to an end."""
REPRINT_OFFSET = 0.15
"""Sizes by which text that is printed again is moved at most."""
LINE_HEIGHT = 1.2
"""Sizes from the top to the bottom of a line."""
MIN_SPACED_LETTERS, MIN_DIFFERENT_LETTERS = 5, 4
"""Letters, and different ones, of a letter-spaced word; fewer may be a row of ticks or grades."""
SPACED_WORD_GAP = 0.25
"""Sizes beyond the usual gap of letter-spaced text that part two words."""
DISPLAY_SIZE = 1.3
"""Text larger than this many times the usual size is display text, whose words stand apart by more."""
SAME_LINE_GAP = 0.05, 0.55
"""Sizes between two fragments that one word space parts."""
SAME_LINE_OFFSET, SAME_LINE_SIZE = 0.15, 0.1
"""Sizes by which the bottoms, and the sizes, of two fragments of one line differ at most."""
MAX_INITIALS = 60
"""A page with more large letters that stand alone has no initials: they are a puzzle, an eye chart, a pattern."""
INITIAL_SIZE, INITIAL_POINTS = 1.7, 16.0
"""Times that an initial is larger than the text that it begins, and its size in points at least."""
INITIAL_GAP = -0.5, 1.2
"""Sizes of a line from the initial to where the line begins beside it."""
INITIAL_LINES = 2
"""Lines beside an initial at least: large type before one line is no initial."""

MAX_SCRIPT_CHARACTERS = 3
"""Characters of a superscript or subscript at most: footnote marks and exponents are short."""
SCRIPT_BAND = 16.0
"""Height in points of the bands by which the neighbours of a script are looked up."""
SUPERSCRIPT_SIZE, SUBSCRIPT_SIZE = 0.8, 0.75
"""Size of a script at most, as a share of its text's."""
SUPERSCRIPT_RAISE, SUBSCRIPT_DROP = 0.2, 0.3
"""Sizes by which a superscript's foot lies above its text's, and a subscript's head below."""
SCRIPT_SLACK, SCRIPT_GAP = 0.3, 0.4
"""Sizes by which a script may run into the word before it, and stand off from it."""
BAR_OVERLAP, BAR_DISTANCE = 0.5, (-0.3, 0.4)
"""Share of a script's width over or under a fraction bar, and its distance from the bar in its own sizes."""
BAR_REACH = 2.0
"""Points, beyond its size, above a script in which a fraction bar beside it can begin."""

FRACTION_BAR_THICKNESS, FRACTION_BAR_LENGTH = 1.5, (2.0, 250.0)
"""Points of the bar of a fraction or root; longer ones are rules of the page."""
MAX_FORMULA_PIECES = 60
"""Pieces of a displayed formula at most: a page of numbers is none."""
MAX_FORMULA_CHARACTERS = 2000
"""Of a displayed formula at most; no page holds a longer one."""
FORMAL_SHARE = 0.4
"""Share of what is set in fonts of mathematics from which on pieces that line up are formulas, no table."""
LETTER_REACH = 0.1
"""Heights of a line of white space between two letters of one word at most, where words run from right to left."""
STORE_PAGES = 50
"""Pages after which MuPDF's store of decoded pictures and fonts is emptied."""
QUAD = 1.0
"""Sizes of white space from which on it parts two formulas of one line."""
MAX_FORMULA_WORDS, MAX_PIECE_WORDS = 4, 2
"""Words of four letters in a formula, and in one of its pieces, at most; more is a sentence."""
FORMULA_BAND_GAP = 0.25
"""Share of the usual line height of white space that parts a formula from what stands above or below it."""
LINE_OVER_FORMULA = 0.2
"""Share of its height by which a line of words may run into the formula below or above it."""
STACKED_OVERLAP = 0.3
"""Share of the narrower of two pieces' widths from which one stands above the other."""
INDEX_SIZE = 0.82
"""A piece of less than this share of the formula's size is an index, an exponent or a limit."""
USUAL_SIZE_SHARE = 0.05
"""Share of a formula's letters and relations from which on their size is that of the formula: less is a slip."""
FRACTION_REACH, FRACTION_SIDE = 0.8, 2.0
"""Sizes above and below a bar, and points beyond its ends, in which the parts of a fraction stand."""
ROOT_REACH = 3.0
"""Points from a root's sign to the bar over what is under the root."""
ROW_OFFSET = 0.6
"""Sizes by which the middles of the pieces of one row of a formula differ at most."""
INDEX_GAP, INDEX_OFFSET, INDEX_SPACE = (-0.4, 0.35), 0.55, 0.12
"""Sizes of an index between its parts, sideways and in height, and from which a space parts them."""
INDEX_SLACK = 0.2
"""Sizes of an index by which what it belongs to may reach beyond its middle."""

MAX_TITLE_LINES = 5
"""Lines that a title known from bookmarks or contents may take: all runs of so many are compared."""
MIN_LISTED_LETTERS = 4
"""Letters from which a title of the printed contents, whose page is not known, cuts a paragraph."""
PARTED_SPACE = 1.0
"""Sizes between two parts of a line that make them two texts though they look alike."""

PROSE_LINE_WORDS = 7
"""Words of a line that is running text by itself."""
MIN_STACK_LINES, MIN_STACK_WORDS = 3, 3.5
"""Lines below each other, and their words on average, that are running text of a narrow column."""
STACK_GRID = 4.0
"""Points of the grid by which lines with one left edge are looked up."""
STACK_EDGE, STACK_SIZE, STACK_PITCH = 3.0, 0.6, (0.7, 1.75)
"""Points by which left edges and sizes of lines of one column differ at most; sizes from line to line."""
MIN_BODY_CHARACTERS = 20
"""Characters that a line has more of to count for the size of running text."""
DEFAULT_SIZE = 10.0
"""Points of running text where a page has none."""

MIN_WORDS = 40
"""Different words needed before letters are judged by how often they occur."""
MIN_LIKENESS = 0.8
"""Likeness (cosine) of the letters to those of a language; texts in Latin script reach more than 0.9."""
MIN_COMMON_WORDS = 0.02
"""Share of common words that shows a text to be one of a language."""
MAX_UNREADABLE = 0.3
"""Share of a page's characters without a meaning, or of its letters in scrambled fonts, from which it is unreadable."""
MIN_JUDGED_CHARACTERS, MAX_OTHER_LETTERS = 20, 20
"""Characters that a page has more of to be judged; letters of another script up to which text counts as Latin."""

FIELD_OVERLAP = 0.3
"""Share of the smaller box that text shares with an annotation or field to be its own."""
FIELD_SIZE, FIELD_SIZES = 0.7, (4.0, 12.0)
"""Size of a value as a share of its field's height, and its bounds in points."""
MAX_TICK_CHARACTERS = 2
"""Characters in a button's box up to which they are its tick and not a label."""
