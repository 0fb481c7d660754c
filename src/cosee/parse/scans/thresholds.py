"""Limits and tolerances of reading pages that are pictures. Confidences are the engine's, 0..1."""

LOOK_DPI = 100
"""Dots an inch at which a picture is looked at before anything is read."""
MAX_CHARACTERS = 12
"""Visible characters of an image-only page at most (a page number, a stamp)."""
MIN_COVER = 0.5
"""Share of the page that pictures cover on an image-only page."""
MIN_LETTERS, MIN_SHARE = 12, 0.5
"""Shapes like letters in lines, and their share of a picture's shapes, that make it worth reading."""
UNREAD_LETTERS = 2
"""Times the letters of a page's own text that its pictures show for it to be a scan with a stamp or a header."""
MIN_WIDTH, MIN_HEIGHT = 60.0, 24.0
"""Points below which a picture is not read."""
MAX_REGIONS, MAX_TILES = 12, 400
"""Pictures of a page that are read at most, and that are looked at for being tiles of one."""
MIN_OUTLINES = 100
"""Curved paths on a page without text that may be letters drawn as outlines."""
SHOWN_LAYER = 0.25
"""Share of a layer's letters that the picture must show."""
BAD_WORDS, LAYER_REACHED = 0.3, 0.9
"""Share of an OCR layer's words that are no words where it is read anew; share of its good letters that a reading must
reach to replace it."""
CASED_LETTERS, VOWEL_LETTERS = 3, 4
"""Letters from which a word has to be cased like one, and to have a vowel, to be a word."""
SHOWN_TOLERANCE = 1.0
"""Points by which what was read may lie outside the text or picture that it belongs to."""

POOR = 0.75
"""Mean confidence of a reading below which another direction, script or language is tried."""
DOUBTFUL = 0.6
"""Mean confidence of a page below which it has the flag ``low_confidence``."""
DOUBTFUL_PICTURE = 0.7
"""Mean confidence of what is read in a picture on a page of text below which it is shapes, not letters."""
SURE = 0.9
"""Mean confidence of what was read on a mended picture below which the picture as it was is read too."""
FEW_LETTERS, SAMPLE_LETTERS = 20, 400
"""Letters of a reading that are too few to judge it by; from which its mean confidence says how well it was read: a
slide whose title was missed has fewer."""
SLANTED, ASKEW, SAME_DIRECTION = 1.0, 0.05, 1.0
"""Degrees from which the slant of a picture of few letters may be that of what is drawn on it; from which a picture was
straightened; up to which two directions are one."""
WIDE_WORD = 3
"""Letters from which a word is wider than high."""
BITMAP_COVER = 0.8
"""Share of a region that one bitmap covers where the region is that bitmap."""

NOISE_WORDS, NOISE_SCRAPS, NOISE_SIGNS = 0.5, 0.65, 0.9
"""Confidence below which text with words, with scraps of words, and without letters or digits is noise."""
SHORT_WORD = 4
"""Letters and digits of a word; less is a scrap."""
WORD_GAP = 1.6
"""Line heights between recognised words that end a fragment."""
SAME_SIZE = 0.12
"""Share by which sizes may differ that are one size, measured badly."""
BOLD = 1.25
"""Times that strokes are thicker than the page's usual ones where a word is bold."""
LONG_WORD, WIDEST_LETTER = 5, 2.6
"""Letters of a word, and times as large as one of them is wide that its font can be."""
HEIGHTS = 0.94, 0.73, 0.72, 0.53
"""Height of letters in sizes: with both, with ascenders, with descenders, with neither."""
UNSPACED_HEIGHT = 0.92
"""Height of a character of Chinese or Japanese in sizes."""
DESCENT, FOOT, HEAD = 0.21, 0.22, 0.75
"""Sizes that descenders reach below the base line; that a line's box reaches below and above it."""
MIN_CONTRAST = 24
"""Levels (of 255) between the darkest and the lightest pixel of a word that has strokes."""

PROSE_WORDS, PROSE_LINES, PROSE_COVER, PROSE_SHARE = 6, 2, 0.25, 0.5
"""Words of a line of running text; such lines in a picture of text, the share of it that its lines cover, and the share
of its lines that are such."""
TABLE_ROWS, TABLE_SHARE, TABLE_COVER = 3, 0.7, 0.04
"""Rows of several cells in a picture of a table, their share of its rows, and the share of it that its cells cover."""
SAME_ROW = 0.5
"""Share of the lower of two heights that cells of one row have in common."""
CAPTION_REACH = 30.0
"""Points from a picture to its caption."""
FIGURE_INK = 0.2
"""Share of a detected figure that ink beside words and lines covers."""
PART_SHARE = 0.6
"""Share of an area that lies in another one of which it is a part."""
LINE_TOLERANCE = 4.0
"""Pixels by which the middle of a line may lie outside the figure that it is part of."""
